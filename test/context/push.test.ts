import { describe, expect, it } from 'vitest'
import { AFTER, BEFORE, push, pushBy } from '../github/events.ts'
import { COMPARED, COMPARISON, gitHubStarter, RUN, tell } from './event-under-test.ts'

const newGitHub = gitHubStarter()
const COMPARE = `GET /compare/${BEFORE}...${AFTER}`

describe('a push', () => {
  const head = ['Repository: acme/docs', 'Event: push', 'Branch: main', RUN]

  it('is told with what GitHub compares', async () => {
    const github = await newGitHub()
    github.world.comparisons.set(`${BEFORE}...${AFTER}`, COMPARISON)
    const told = await tell(github, pushBy('octocat'))
    expect(told).toEqual({ lines: [...head, ...COMPARED], requests: [COMPARE], annotations: [] })
  })

  it('is told with its files alone where that is wanted', async () => {
    const github = await newGitHub()
    github.world.comparisons.set(`${BEFORE}...${AFTER}`, COMPARISON)
    const told = await tell(github, pushBy('octocat'), { detail: 'files' })
    expect(told.lines).toEqual([...head, ...COMPARED.slice(0, COMPARED.indexOf('Diff:'))])
  })

  it('that was forced, or changed nothing, says so', async () => {
    const github = await newGitHub()
    github.world.comparisons.set(`${BEFORE}...${AFTER}`, {
      ...COMPARISON,
      total_commits: 0,
      commits: [],
      files: [],
    })
    const event = pushBy('octocat')
    const { lines } = await tell(github, { ...event, payload: { ...event.payload, forced: true } })
    expect(lines.slice(4)).toEqual([COMPARED[0], 'Changes: none', 'Forced: yes, commits were replaced'])
  })

  it('of more files than GitHub lists says that there may be more', async () => {
    const github = await newGitHub()
    const files = Array.from({ length: 300 }, (_, index) => ({
      filename: `${index}.ts`,
      status: 'added',
      changes: 0,
    }))
    github.world.comparisons.set(`${BEFORE}...${AFTER}`, { ...COMPARISON, total_commits: 260, files })
    const { lines } = await tell(github, pushBy('octocat'))
    expect(lines).toContain('… (258 more, left out here)')
    expect(lines[lines.indexOf('- added 299.ts') + 1]).toBe('… (there may be more, left out here)')
    github.world.comparisons.set(`${BEFORE}...${AFTER}`, { ...COMPARISON, files: files.slice(1) })
    const fewer = await tell(github, pushBy('octocat'))
    expect(fewer.lines.join('\n')).not.toContain('there may be more')
  })

  it.each([
    ['branch', 'Branch: main'],
    ['tag', 'Tag: v1/rc'],
  ])('of a new %s has what the payload has, and asks nobody', async (what, line) => {
    const github = await newGitHub()
    const event = pushBy('octocat', 'octocat')
    const ref = what === 'tag' ? 'refs/tags/v1/rc' : 'refs/heads/main'
    const created = { ...event.payload, ref, created: true, before: '0'.repeat(40) }
    const told = await tell(github, { ...event, payload: created })
    expect(told).toEqual({
      lines: [
        'Repository: acme/docs',
        'Event: push',
        line,
        RUN,
        'Commits:',
        '- Change 0',
        '- Change 1',
        'Changed files:',
        `… (not known: a new ${what} has nothing to be compared with)`,
      ],
      requests: [],
      annotations: [],
    })
  })

  it('of a new branch has the files where its payload names them', async () => {
    const github = await newGitHub()
    const commits = [{ message: 'Add', added: ['a.ts'], modified: ['b.ts'], removed: ['c.ts', 5] }]
    const { lines } = await tell(
      github,
      push({ ref: 'refs/heads/x', before: '0'.repeat(40), after: AFTER, commits }),
    )
    expect(lines.slice(3)).toEqual([
      RUN,
      'Commits:',
      '- Add',
      'Changed files:',
      '- added a.ts',
      '- modified b.ts',
      '- removed c.ts',
      '… (a new branch has nothing to be compared with)',
    ])
  })

  it('of a new tag without commits has the one that it is on', async () => {
    const github = await newGitHub()
    const change = {
      ref: 'refs/tags/v1',
      before: '0'.repeat(40),
      after: AFTER,
      commits: [],
      head_commit: { message: 'Ship' },
    }
    const { lines } = await tell(github, push(change))
    expect(lines.slice(4, 6)).toEqual(['Commits:', '- Ship'])
  })

  it('without a payload, as in a local run, says nothing of changes', async () => {
    const github = await newGitHub()
    const told = await tell(github, { name: 'push', payload: {} })
    expect(told.lines.slice(2)).toEqual(['Branch: main', RUN])
    expect(told.requests).toEqual([])
  })

  it('that deletes a branch says so', async () => {
    const github = await newGitHub()
    const change = {
      ref: 'refs/heads/x',
      deleted: true,
      after: '0'.repeat(40),
      commits: [],
      head_commit: null,
    }
    const told = await tell(github, push(change))
    expect(told.lines.slice(2)).toEqual(['Branch: x', RUN, 'Deleted: yes, there is nothing left to compare'])
    expect(told.requests).toEqual([])
  })

  it.each([
    [
      'a permission is missing',
      'notice',
      /^notice: .*compare two commits: it answered 403.*`contents: read`/,
    ],
    ['GitHub is down', 'warning', /^warning: .*compare two commits: it answered 500.*goes on without it/],
    ['there is no token', 'warning', /^warning: .*there is no `github-token`/],
  ])('has what the payload has where %s, with a %s', async (why, _level, annotation) => {
    const github = await newGitHub()
    if (why === 'a permission is missing') github.world.scopes.delete('contents: read')
    if (why === 'GitHub is down') github.faults.push({ match: /compare/, end: { status: 500, body: {} } })
    const token = why === 'there is no token' ? '' : github.token
    const { lines, annotations } = await tell(github, pushBy('octocat'), { token })
    expect(lines.slice(4)).toEqual([
      'Compare: https://github.com/acme/docs/compare/a...b',
      'Commits:',
      '- Change 0',
      'Changed files:',
      '… (not known: GitHub could not be asked)',
    ])
    expect(annotations).toEqual([expect.stringMatching(annotation)])
  })

  it('names a missing permission once, however often it is missed', async () => {
    const github = await newGitHub()
    github.world.scopes.clear()
    const { requests, annotations } = await tell(github, pushBy('octocat'), { times: 2 })
    expect(requests).toEqual([COMPARE, COMPARE])
    expect(annotations).toHaveLength(1)
  })
})
