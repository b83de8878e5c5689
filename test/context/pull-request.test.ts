import { describe, expect, it } from 'vitest'
import { recordField } from '../../src/lib/json.ts'
import { type Event, issueComment, person, pullRequest, reviewComment } from '../github/events.ts'
import { gitHubStarter, RUN, tell } from './event-under-test.ts'

const newGitHub = gitHubStarter()
const octocat = person('octocat')

describe('a pull request', () => {
  const merged = {
    title: 'Add a flag',
    state: 'closed',
    merged_at: '2026-08-01T00:00:00Z',
    merge_commit_sha: 'c'.repeat(40),
    changed_files: 1,
    labels: [{ name: 'feature' }, { name: 'docs-wanted' }],
    body: '## Why\r\n<!-- template -->\r\n- so',
  }

  function withPull(event: Event, change: object): Event {
    const pull = recordField(event.payload, 'pull_request')
    return { ...event, payload: { ...event.payload, pull_request: { ...pull, ...change } } }
  }

  const known = [
    'Pull request: 5',
    'Title: Add a flag',
    'URL: https://github.com/acme/docs/pull/5',
    'Author: Codertocat',
    'Labels: feature, docs-wanted',
    `State: merged as ${'c'.repeat(40)}`,
    'Base: master',
    'Head: changes',
  ]
  const body = ['Body:', '  ## Why', '', '  - so']
  const files = ['Changed files:', '- modified src/a.ts', 'Diff:', 'diff --git a/src/a.ts b/src/a.ts', '+a']

  it('is told with its body, state, labels, files and diff', async () => {
    const github = await newGitHub()
    github.world.files.set(5, [{ filename: 'src/a.ts', patch: '+a' }])
    const event = withPull({ ...pullRequest(), name: 'pull_request' }, merged)
    const told = await tell(github, { ...event, payload: { ...event.payload, action: 'closed' } })
    expect(told.lines).toEqual([
      'Repository: acme/docs',
      'Event: pull_request (closed)',
      RUN,
      ...known,
      ...body,
      ...files,
    ])
    expect(told).toMatchObject({ requests: ['GET /pulls/5/files'], annotations: [] })
  })

  it.each([
    [{ state: 'open', draft: false, merged_at: null, merge_commit_sha: 'd'.repeat(40) }, 'open'],
    [{ state: 'open', draft: true }, 'open (draft)'],
    [{ state: 'closed', merged: false, merged_at: null }, 'closed'],
    [{ state: 'closed', merged: true, merge_commit_sha: null }, 'merged'],
  ])('in the state %j is %s', async (change, state) => {
    const github = await newGitHub()
    const { lines } = await tell(github, withPull(pullRequest(), change))
    expect(lines).toContain(`State: ${state}`)
  })

  it('from a fork says which', async () => {
    const github = await newGitHub()
    const headBranch = { ref: 'flag', repo: { full_name: 'octocat/docs' } }
    const { lines } = await tell(github, withPull(pullRequest(), { head: headBranch }))
    expect(lines).toContain('Head: flag of the fork octocat/docs')
    const gone = await tell(github, withPull(pullRequest(), { head: { ref: 'flag', repo: null } }))
    expect(gone.lines).toContain('Head: flag')
  })

  it('has at most 300 files, in three requests', async () => {
    const github = await newGitHub()
    github.world.files.set(
      5,
      Array.from({ length: 450 }, (_, index) => `src/${index}.ts`),
    )
    const told = await tell(github, withPull(pullRequest(), { changed_files: 450 }))
    expect(told.requests).toEqual([
      'GET /pulls/5/files',
      'GET /pulls/5/files?page=2',
      'GET /pulls/5/files?page=3',
    ])
    expect(told.lines.filter((line) => line.startsWith('- modified'))).toHaveLength(300)
    expect(told.lines[told.lines.indexOf('- modified src/299.ts') + 1]).toBe('… (150 more, left out here)')
    const uncounted = await tell(github, withPull(pullRequest(), { changed_files: undefined }))
    expect(uncounted.lines).toContain('… (there may be more, left out here)')
  })

  it.each([
    [450, 300, '… (150 more, left out here)'],
    [300, 300, undefined],
    [2, 3, '… (GitHub counts 2 changed files, but lists 3)'],
    [3, 2, '… (GitHub counts 3 changed files, but lists 2)'],
    [3, 3, undefined],
    [undefined, 3, undefined],
  ])('that counts %s files of which %i are listed says %s', async (counted, listed, note) => {
    const github = await newGitHub()
    const length = counted === 450 ? 450 : listed
    github.world.files.set(
      5,
      Array.from({ length }, (_, index) => `${index}.ts`),
    )
    const { lines } = await tell(github, withPull(pullRequest(), { changed_files: counted }), {
      detail: 'files',
    })
    const notes = lines.slice(lines.indexOf('Changed files:')).filter((line) => line.startsWith('…'))
    expect(notes).toEqual(note === undefined ? [] : [note])
  })

  it('commented on in a review is told with the lines commented on', async () => {
    const github = await newGitHub()
    github.world.files.set(5, [{ filename: 'src/a.ts', patch: '+a' }])
    const event = withPull(reviewComment({ id: 1, body: '/docs', author: octocat }), merged)
    const comment = {
      ...recordField(event.payload, 'comment'),
      path: 'src/a.ts',
      line: 7,
      diff_hunk: '@@ -6,2 +6,3 @@\n a\n+b',
    }
    const at = async (change: object, detail: 'diff' | 'files' = 'diff') =>
      (
        await tell(
          github,
          { ...event, payload: { ...event.payload, comment: { ...comment, ...change } } },
          { detail },
        )
      ).lines
    expect(await at({})).toEqual([
      'Repository: acme/docs',
      'Event: pull_request_review_comment (created)',
      RUN,
      ...known,
      'Comment on: src/a.ts, line 7',
      ...body,
      'Changed files:',
      '- modified src/a.ts',
      'Lines commented on (the comment is about the last one):',
      '@@ -6,2 +6,3 @@',
      ' a',
      '+b',
      ...files.slice(2),
    ])
    expect((await at({}, 'files')).join('\n')).not.toContain('@@')
    expect(await at({ start_line: 5 })).toContain('Comment on: src/a.ts, lines 5 to 7')
    expect(await at({ start_line: 7 })).toContain('Comment on: src/a.ts, line 7')
    expect(await at({ side: 'LEFT' })).toContain('Comment on: src/a.ts, line 7 of the old version')
    expect(await at({ line: null, original_line: 3 })).toContain(
      'Comment on: src/a.ts, line 3 (changed since)',
    )
    expect(await at({ line: null })).toContain('Comment on: src/a.ts')
  })

  it('commented on in its main thread is looked up first', async () => {
    const github = await newGitHub()
    const user = { login: 'Codertocat' }
    const branches = {
      base: { ref: 'master' },
      head: { ref: 'changes' },
      html_url: 'https://github.com/acme/docs/pull/5',
    }
    github.world.pulls.set(5, { ...merged, ...branches, user })
    github.world.files.set(5, [{ filename: 'src/a.ts', patch: '+a' }])
    const told = await tell(github, issueComment({ id: 1, body: '/docs', author: octocat }))
    expect(told.lines).toEqual([
      'Repository: acme/docs',
      'Event: issue_comment (created)',
      RUN,
      ...known,
      ...body,
      ...files,
    ])
    expect(told.requests).toEqual(['GET /pulls/5', 'GET /pulls/5/files'])
  })

  it('that can not be looked up is told as the payload has it, and the permission is named once', async () => {
    const github = await newGitHub()
    github.world.scopes.clear()
    const { lines, annotations } = await tell(github, issueComment({ id: 1, body: '/docs', author: octocat }))
    expect(lines).toEqual(
      expect.arrayContaining([
        'Pull request: 5',
        'State: open',
        'Changed files:',
        '… (not known: GitHub could not be asked)',
      ]),
    )
    expect(annotations).toEqual([expect.stringMatching(/^notice: .*`pull-requests: read`/)])
  })
})
