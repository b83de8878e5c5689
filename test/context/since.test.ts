import { describe, expect, it } from 'vitest'
import { recordField } from '../../src/lib/json.ts'
import { AFTER, BEFORE, type Event, example } from '../github/events.ts'
import { COMPARED, COMPARISON, gitHubStarter, RUN, tell } from './event-under-test.ts'

const newGitHub = gitHubStarter()
const COMPARE = `GET /compare/${BEFORE}...${AFTER}`

describe('a release', () => {
  function released(change: object = {}): Event {
    const payload = example('release', 'published')
    const release = {
      ...recordField(payload, 'release'),
      tag_name: 'v2',
      name: 'Second',
      published_at: '2026-08-10T00:00:00Z',
      html_url: 'https://github.com/acme/docs/releases/tag/v2',
      body: '## New\n- a flag',
      ...change,
    }
    return { name: 'release', payload: { ...payload, release } }
  }

  const head = [
    'Repository: acme/docs',
    'Event: release (published)',
    RUN,
    'Release: Second',
    'Tag: v2',
    'URL: https://github.com/acme/docs/releases/tag/v2',
  ]
  const notes = ['Notes:', '  ## New', '  - a flag']

  it('is told with its notes and what changed since the newest release published before it', async () => {
    const github = await newGitHub()
    github.world.releases.push(
      { tag_name: 'v3', published_at: '2026-08-11T00:00:00Z', draft: false },
      { tag_name: 'v2', published_at: '2026-08-10T00:00:00Z', draft: false },
      { tag_name: 'v2-draft', published_at: null, draft: true },
      { tag_name: 'v2-other-draft', published_at: '2026-08-09T00:00:00Z', draft: true },
      { tag_name: 'v0', published_at: '2026-07-01T00:00:00Z', draft: false },
      { tag_name: 'v1', published_at: '2026-08-01T00:00:00Z', draft: false },
    )
    github.world.comparisons.set('v1...v2', COMPARISON)
    const told = await tell(github, released())
    const [compare, ...rest] = COMPARED
    expect(told).toEqual({
      lines: [...head, 'Release before: v1 (2026-08-01T00:00:00Z)', compare, ...notes, ...rest],
      requests: ['GET /releases', 'GET /compare/v1...v2'],
      annotations: [],
    })
  })

  it('that is the first one has nothing to be compared with', async () => {
    const github = await newGitHub()
    github.world.releases.push({ tag_name: 'v2', published_at: '2026-08-10T00:00:00Z', draft: false })
    const told = await tell(github, released())
    expect(told.lines).toEqual([...head, "Release before: none among GitHub's 100 newest", ...notes])
    expect(told.requests).toEqual(['GET /releases'])
  })

  it('is told as the payload has it where GitHub can not be asked, and the permission is named once', async () => {
    const github = await newGitHub()
    github.world.scopes.clear()
    const told = await tell(github, released())
    expect(told.lines).toEqual([...head, 'Release before: not known: GitHub could not be asked', ...notes])
    expect(told.annotations).toEqual([expect.stringMatching(/^notice: .*`contents: read`/)])
  })
})

describe.each(['schedule', 'workflow_dispatch', 'repository_dispatch'])('%s', (name) => {
  const event: Event = { name, payload: {} }
  const head = ['Repository: acme/docs', `Event: ${name}`, 'Branch: main', RUN]
  const success =
    'Last success of this workflow on this branch: 2026-08-03T06:00:11Z, https://github.com/acme/docs/actions/runs/900'
  const SINCE = 'Changes since this workflow last succeeded on this branch'
  const RUNS = 'GET /actions/workflows/weekly.yml/runs'
  const lastRun = {
    workflow: 'weekly.yml',
    head_branch: 'main',
    conclusion: 'success',
    head_sha: BEFORE,
    created_at: '2026-08-03T06:00:11Z',
    html_url: 'https://github.com/acme/docs/actions/runs/900',
    head_repository: { full_name: 'acme/docs' },
  }

  it('is told with what has changed since this workflow last succeeded on this branch', async () => {
    const github = await newGitHub()
    github.world.runs.push(
      { ...lastRun, head_branch: 'other', head_sha: 'c'.repeat(40) },
      { ...lastRun, conclusion: 'failure', head_sha: 'd'.repeat(40) },
      { ...lastRun, workflow: 'other.yml', head_sha: 'e'.repeat(40) },
      { ...lastRun, head_repository: { full_name: 'octocat/docs' }, head_sha: 'f'.repeat(40) },
      lastRun,
      { ...lastRun, created_at: '2026-07-27T06:00:11Z', head_sha: '1'.repeat(40) },
    )
    github.world.comparisons.set(`${BEFORE}...${AFTER}`, COMPARISON)
    const told = await tell(github, event)
    expect(told).toEqual({
      lines: [...head, success, ...COMPARED],
      requests: [RUNS, COMPARE],
      annotations: [],
    })
  })

  it('says that nothing has changed', async () => {
    const github = await newGitHub()
    github.world.runs.push({ ...lastRun, head_sha: AFTER })
    const told = await tell(github, event)
    expect(told).toEqual({ lines: [...head, success, 'Changes: none'], requests: [RUNS], annotations: [] })
  })

  it('says that GitHub knows of no such run', async () => {
    const github = await newGitHub()
    const told = await tell(github, event)
    expect(told.lines).toEqual([...head, `${SINCE}: not known: GitHub lists no success before this run`])
    expect(told.requests).toEqual([RUNS])
  })

  it('says that it is not known, and names the missing permission once', async () => {
    const github = await newGitHub()
    github.world.scopes.delete('actions: read')
    const told = await tell(github, event)
    expect(told.lines).toEqual([...head, `${SINCE}: not known: GitHub could not be asked`])
    expect(told.annotations).toEqual([expect.stringMatching(/^notice: .*`actions: read`/)])
    github.world.scopes.add('actions: read').delete('contents: read')
    github.world.runs.push(lastRun)
    const uncompared = await tell(github, event)
    expect(uncompared.lines).toEqual([...head, success, 'Changes: not known: GitHub could not be asked'])
    expect(uncompared.annotations).toEqual([expect.stringMatching(/^notice: .*`contents: read`/)])
  })

  it.each([
    ['on a tag', { GITHUB_REF: 'refs/tags/v1' }, 'Tag: v1', 'not known: this run is not on a branch'],
    [
      'of a workflow of another repository',
      { GITHUB_WORKFLOW_REF: 'acme/shared/.github/workflows/weekly.yml@refs/heads/main' },
      'Branch: main',
      'not known',
    ],
    ['outside of GitHub', { GITHUB_WORKFLOW_REF: '', GITHUB_SHA: '' }, 'Branch: main', 'not known'],
  ])('%s asks nobody', async (_where, env, ref, why) => {
    const github = await newGitHub()
    const told = await tell(github, event, { env })
    expect(told.lines).toEqual([...head.slice(0, 2), ref, RUN, `${SINCE}: ${why}`])
    expect(told).toMatchObject({ requests: [], annotations: [] })
  })
})
