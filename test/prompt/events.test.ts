import { describe, expect, it } from 'vitest'
import {
  bareEvent,
  type Event,
  event,
  issueComment,
  person,
  pullRequest,
  reviewComment,
} from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import { commitOf } from '../support/history.ts'
import { AFTER, addComment, addCommit, addPull, BEFORE } from '../support/world.ts'
import { addJob, changedFile, contextOf, RUN } from './describe-run.ts'

const octocat = person('octocat')
const command = { id: 1, body: '/docs', author: octocat }
const NOT_MERGED = "not merged: users don't have it yet"
const FILES = [changedFile('src/a.ts', { patch: '@@ -1 +1,2 @@\n+a' })]
const merged = {
  number: 5,
  title: 'Add a flag',
  html_url: 'https://github.com/acme/docs/pull/5',
  user: octocat,
  labels: [{ name: 'feature' }, { name: 'docs-wanted' }],
  state: 'closed',
  merged: true,
  merged_at: '2026-03-01T06:30:00Z',
  merge_commit_sha: AFTER,
  base: { ref: 'main' },
  head: { ref: 'flag', repo: { full_name: 'acme/docs' } },
  body: 'It is on.',
  changed_files: 1,
}

/** A GitHub with a pull request of one commit and these files. */
async function pullScene(files: readonly object[] = FILES) {
  const scene = await startHarness()
  const { world } = scene
  const [sha = ''] = addPull(world, { ...merged, files }).commits
  world.commits.set(sha, { ...commitOf(world, sha), message: 'Add a flag\n\nwith details' })
  return scene
}

function withPull(made: Event, change: object = merged): Event {
  return { ...made, payload: { ...made.payload, pull_request: { number: 5, ...change } } }
}

describe('a pull request', () => {
  const known = [
    'Pull request: 5',
    'Title: Add a flag',
    'URL: https://github.com/acme/docs/pull/5',
    'Author: octocat',
    'Labels: feature, docs-wanted',
    `State: merged as ${AFTER}`,
    'Base: main',
    'Head: flag',
    'Body:',
    '  It is on.',
    'Commits:',
    expect.stringMatching(/^- [0-9a-f]{7} Add a flag$/),
    'Changed files: 1 (+1 -0), first what readers would notice',
    'modified src/a.ts (+1 -0)',
    '@@ -1 +1,2 @@',
    '+a',
  ]
  const requests = ['GET /pulls/5/files', 'GET /pulls/5/commits']

  it.each([
    pullRequest({ action: 'closed' }),
    event('pull_request_review', { action: 'closed', review: { body: null } }),
  ])('has its files, diff and the subjects of its commits: $name', async (made) => {
    const told = await contextOf(await pullScene(), withPull(made))
    const head = ['Repository: acme/docs', `Event: ${made.name} (closed)`, RUN]
    expect(told).toMatchObject({ lines: [...head, ...known], requests, logged: [] })
    expect(told.counts).toBe('1 commit, 1 file')
  })

  it('commented on in its main thread is looked up first', async () => {
    const told = await contextOf(await pullScene(), issueComment(command))
    const asked = 'Asked by: octocat in https://github.com/acme/docs/pull/5#issuecomment-1'
    expect(told.lines.slice(3)).toEqual([asked, ...known])
    expect(told.requests).toEqual(['GET /pulls/5', ...requests])
  })

  it.each([
    [{ state: 'open', draft: true }, `State: open (draft), ${NOT_MERGED}`],
    [{ state: 'open' }, `State: open, ${NOT_MERGED}`],
    [{ state: 'closed' }, 'State: closed'],
    [{ merged_at: '2026-03-01T06:30:00Z' }, 'State: merged'],
    [{ head: { ref: 'flag', repo: { full_name: 'a/docs' } } }, 'Head: flag of the fork a/docs'],
    [{ head: { ref: 'flag', repo: null } }, 'Head: flag of the fork (deleted)'],
  ])('with %j has the line %s', async (change, line) => {
    const made = withPull(pullRequest(), change)
    expect((await contextOf(await pullScene(), made)).lines).toContain(line)
  })

  it.each([
    [{}, 'src/a.ts, line 7'],
    [{ start_line: 5 }, 'src/a.ts, lines 5 to 7'],
    [{ line: null, original_line: 3 }, 'src/a.ts, line 3'],
    [{ line: null }, 'src/a.ts'],
  ])('commented on in a review has the lines commented on: %j', async (change, place) => {
    const { name, payload } = withPull(reviewComment(command))
    const hunk = {
      path: 'src/a.ts',
      line: 7,
      original_line: null,
      diff_hunk: '@@ -6 +6,2 @@\n a\n+b',
    }
    const made = {
      name,
      payload: { ...payload, comment: { ...payload.comment, ...hunk, ...change } },
    }
    const { lines } = await contextOf(await pullScene(), made)
    expect(lines).toContain(`Comment on: ${place}`)
    const title = 'Lines commented on (the comment is about the last one):'
    expect(lines.slice(-8)).toEqual([title, '@@ -6 +6,2 @@', ' a', '+b', ...known.slice(-4)])
  })

  it('of 3,100 files is asked for page by page, and says that GitHub lists 3,000', async () => {
    const many = Array.from({ length: 3100 }, (_, index) => changedFile(`${index}.ts`))
    const counts = { changed_files: 3100, additions: 3000, deletions: 7 }
    const made = withPull(pullRequest(), { ...merged, ...counts })
    const { lines, requests: sent } = await contextOf(await pullScene(many), made)
    const words = '3100 (+3000 -7), of which GitHub lists 3000, 3000 without a diff'
    expect(lines).toContain(`Changed files: ${words}, first what readers would notice`)
    expect(sent.filter((one) => one.includes('/files'))).toHaveLength(30)
  })

  it('of 300 commits says that its oldest 250 are listed, and how many there are', async () => {
    const scene = await pullScene()
    const pull = scene.world.pulls.get(5)
    const made = Array.from({ length: 250 }, () => addCommit(scene.world, { branch: null }).sha)
    if (pull) pull.commits = made
    const event = withPull(pullRequest(), { ...merged, commits: 300 })
    const { lines } = await contextOf(scene, event)
    expect(lines).toContain('Commits (300, of which GitHub lists the oldest 250):')
  })
})

describe('any other event', () => {
  const html_url = 'https://github.com/acme/docs/issues/1'
  const words = { title: 'It <!-- x -->hurts', labels: [{ name: 'bug' }], body: 'When I\nlaugh' }
  const issue = { number: 1, html_url, user: octocat, ...words }
  const body = ['Body:', '  When I', '  laugh']
  const hurts = ['Title: It hurts', `URL: ${html_url}`, 'Author: octocat', 'Labels: bug', ...body]
  const commit = { head_branch: 'feature', head_sha: BEFORE, conclusion: 'failure' }
  const workflow_run = {
    ...commit,
    name: 'CI',
    html_url: 'https://ci',
    event: 'pull_request',
    triggering_actor: octocat,
    head_repository: { full_name: 'acme/docs' },
  }
  const started = 'Finished workflow: CI (https://ci, started by pull_request)'
  const finished = [started, 'Branch: feature', `Commit: ${BEFORE}`, 'Conclusion: failure']

  it.each([
    ['issues', { issue }, ['Branch: main', RUN, 'Issue: 1', ...hurts]],
    ['discussion', { discussion: issue }, ['Branch: main', RUN, 'Discussion: 1', ...hurts]],
    ['workflow_run', { action: 'completed', workflow_run }, [RUN, ...finished]],
    ['create', { ref: 'v1', ref_type: 'tag' }, ['Tag: v1', RUN]],
    ['delete', { ref: 'flag', ref_type: 'branch' }, ['Branch: flag', RUN]],
    ['watch', {}, ['Branch: main', RUN]],
  ])('%s needs no request', async (name, payload, lines) => {
    const told = await contextOf(await startHarness(), { name, payload }, { command: '' })
    const event = 'action' in payload ? `${name} (${payload.action})` : name
    const all = ['Repository: acme/docs', `Event: ${event}`, ...lines]
    expect(told).toMatchObject({ lines: all, requests: [], logged: [] })
  })

  it('has the comment that started it, unless that is the request itself', async () => {
    const made = issueComment({ ...command, body: '/docs Explain', number: 1, onIssue: true })
    const plain = await contextOf(await startHarness(), made, { command: '' })
    const title = 'Comment by octocat (https://github.com/acme/docs/issues/1#issuecomment-1):'
    expect(plain.lines.slice(-2)).toEqual([title, '  /docs Explain'])
    const scene = await startHarness()
    scene.world.issues.add(1)
    const said = ['Let us say 30 days.', '/docs Explain'].map((body) =>
      addComment(scene.world, {
        kind: 'main',
        number: 1,
        author: octocat,
        association: 'OWNER',
        body,
      }),
    )
    const asked = await contextOf(
      scene,
      issueComment({ ...command, id: said[1]?.id ?? 0, number: 1, onIssue: true }),
    )
    expect(asked.lines.join()).not.toContain('Comment by')
    const conversation = [
      'Earlier comments by owners, members, and collaborators:',
      expect.stringMatching(/^- octocat, 20.*Z:$/),
      '  Let us say 30 days.',
    ]
    expect(asked.lines).toEqual(expect.arrayContaining(conversation))
    expect([plain, asked].map(({ leadIn }) => leadIn[0])).toEqual([
      expect.stringContaining('an unattended workflow run'),
      expect.stringContaining('Its author reads the result'),
    ])
  })

  it('has the link to the earlier docs pull request', async () => {
    const scene = await startHarness()
    addPull(scene.world, { number: 3, state: 'closed', merged: true })
    const prLink = 'https://github.com/acme/docs/pull/3'
    const link = encodeURIComponent(prLink)
    const target_url = `${prLink}#run=9&attempt=1&state=success&own=job_1&link=${link}`
    addJob(scene, BEFORE, { target_url })
    addCommit(scene.world)
    const { lines } = await contextOf(scene, bareEvent('schedule'))
    expect(lines).toContain(`Earlier docs pull request: ${prLink} (merged)`)
  })
})
