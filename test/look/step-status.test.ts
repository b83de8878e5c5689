import { expect, it } from 'vitest'
import { bareEvent, event, pullRequest, pushBy, workflowRun } from '../support/events.ts'
import type { FaultName } from '../support/github.ts'
import { type RunOptions, startHarness } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'
import { addCommit, BEFORE, MAY_WRITE, type World } from '../support/world.ts'

const RUN_URL = 'https://github.com/acme/docs/actions/runs/1001/attempts/1'
const PULL = 'https://github.com/acme/guides/pull/7'
const MERGE_REQUEST = 'http://git.example.com/acme/docs/-/merge_requests/7'
const LONG = `${PULL}?${'x'.repeat(500 - PULL.length - 1)}`
const completed = (prLink = PULL): Reply => ({ body: { status: 'completed', prLink } })

/** A GitHub, and a run by default of a push whose job is active, then completed with a pull request. */
async function newStep(...get: readonly Reply[]) {
  const replies = { get: get.length > 0 ? get : ['active', completed()] }
  const scene = await startHarness({ docsIn: 'acme/guides', replies })
  const { world } = scene
  world.roles.set('octocat', MAY_WRITE)
  for (const letter of 'cd') addCommit(world, { sha: letter.repeat(40), branch: null })
  world.tags.set('v1', BEFORE)
  const inputs = { prompt: 'Document it.', context: 'none', 'ignore-authors': '' }
  return {
    ...scene,
    run: (options: RunOptions = {}) =>
      scene.run({ event: pushBy('octocat'), ...options, inputs: { ...inputs, ...options.inputs } }),
  }
}

/** What the statuses record, oldest first: the state, the job, and the page that they lead to. */
function recordsIn({ statuses }: World) {
  return statuses.map(({ target_url: target }) => {
    const [page, fragment] = target?.split('#') ?? []
    const record = new URLSearchParams(fragment)
    return { state: record.get('state'), job: record.get('own'), page }
  })
}

const setting = (lines: readonly string[]): string[] =>
  lines.filter((line) => line.startsWith('POST /statuses/'))

const got = (...get: Reply[]): RunOptions => ({ replies: { get } })
const created = (reply: Reply): RunOptions => ({ replies: { post: [reply] } })

/** How a run ends, and what its last status then records. */
const ENDS: readonly {
  readonly what: string
  readonly options?: RunOptions
  readonly end: { readonly state: string; readonly job: string | null; readonly page?: string }
}[] = [
  { what: 'has a pull request', end: { state: 'success', job: 'j1', page: PULL } },
  {
    what: 'has a merge request on another server',
    options: got(completed(MERGE_REQUEST)),
    end: { state: 'success', job: 'j1', page: MERGE_REQUEST },
  },
  {
    what: 'has a long link',
    options: got(completed(LONG)),
    end: { state: 'success', job: 'j1', page: LONG },
  },
  {
    what: 'has a link that is too long to be carried',
    options: got(completed(`${LONG}x`)),
    end: { state: 'success', job: 'j1' },
  },
  {
    what: 'has a link with a fragment',
    options: got(completed(`${PULL}#discussion`)),
    end: { state: 'success', job: 'j1', page: PULL },
  },
  {
    what: 'was given, without comments',
    options: { ...got(completed()), inputs: { 'job-id': 'j1', comment: 'never' } },
    end: { state: 'success', job: 'j1', page: PULL },
  },
  { what: 'failed', options: got('failed'), end: { state: 'failure', job: 'j1' } },
  {
    what: 'was rejected',
    options: created({ status: 402 }),
    end: { state: 'failure', job: null },
  },
  {
    what: 'may have been started',
    options: created({ status: 500 }),
    end: { state: 'error', job: null },
  },
]

it.each(ENDS)(
  'the record of a job that $what stands in the fragment of statuses that are always `success`',
  async ({ options, end }) => {
    const { world, run } = await newStep()
    await run(options)
    const records = recordsIn(world)
    expect(records[0]).toEqual({ state: 'pending', job: null, page: RUN_URL })
    expect(records.at(-1)).toEqual({ page: RUN_URL, ...end })
    expect(new Set(world.statuses.map(({ state }) => state))).toEqual(new Set(['success']))
    const words = world.statuses.map(({ description }) => description).join()
    expect(words).not.toMatch(/\bj1\b/)
  },
)

it('the description of a status names the pull request', async () => {
  const { world, run } = await newStep()
  await run()
  expect(world.statuses.at(-1)?.description).toBe('Pull request #7')
})

it('a run that could not ask Mintlify about the earlier job for 2 minutes writes no status', async () => {
  const { world, run } = await newStep()
  await run({ inputs: { wait: 'false' } })
  const before = recordsIn(world)
  addCommit(world)
  const end = await run({ ...got({ status: 503 }), event: bareEvent('workflow_dispatch') })
  expect(end.tookMs).toBeGreaterThanOrEqual(100_000)
  expect(end.tookMs).toBeLessThan(140_000)
  expect(new Set(end.calls)).toEqual(new Set(['GET /job/j1']))
  expect(end).toMatchObject({ hasFailed: true, outputs: { result: 'error' } })
  expect(recordsIn(world)).toEqual(before)
})

const following = (branch: string, cause = 'push') =>
  workflowRun({ head_sha: 'd'.repeat(40), head_branch: branch, event: cause })

it.each<{ readonly what: string; readonly options: RunOptions }>([
  { what: 'in a dry run', options: { inputs: { 'dry-run': 'true' } } },
  { what: 'without a prompt', options: { inputs: { prompt: '', 'job-id': 'job_1' } } },
  { what: 'on other events', options: { event: event('deployment') } },
  { what: 'on a run that follows a release', options: { event: following('v1', 'release') } },
])('no status is set $what', async ({ options }) => {
  const { run } = await newStep('completed')
  const end = await run(options)
  expect(end.outputs['result']).not.toBe('error')
  expect(setting(end.requests)).toEqual([])
})

const STEP = 'docs.yml, docs, agent'
const HEAD = { head: { sha: 'd'.repeat(40) } }
const MERGED = { ...HEAD, merged: true, merge_commit_sha: 'c'.repeat(40) }
const opened = pullRequest({ action: 'synchronize', pull: HEAD })
const closed = (pull: object) => pullRequest({ action: 'closed', pull: { ...MERGED, ...pull } })
const onBranch = (name: string) => ({ env: { GITHUB_REF: `refs/heads/${name}` } })
const dispatch = event('workflow_dispatch')
const published = event('release', { action: 'published', release: { tag_name: 'v1' } })
const unknown = { event: bareEvent('workflow_dispatch'), ...onBranch('next') }

it.each<{
  readonly what: string
  readonly sha: string
  readonly name?: string
  readonly options?: RunOptions
}>([
  { what: 'a push to the default branch', sha: 'bbbbbbb' },
  {
    what: 'a push to another branch',
    sha: 'bbbbbbb',
    name: `${STEP}, branch release/1.x`,
    options: onBranch('release/1.x'),
  },
  { what: 'a push of a tag', sha: 'bbbbbbb', options: { env: { GITHUB_REF: 'refs/tags/v1' } } },
  {
    what: 'a dispatch on another branch',
    sha: 'aaaaaaa',
    name: `${STEP}, branch next`,
    options: { event: dispatch, ...onBranch('next') },
  },
  { what: 'a dispatch if the default branch is unknown', sha: 'aaaaaaa', options: unknown },
  {
    what: 'a schedule',
    sha: 'aaaaaaa',
    options: { event: { ...dispatch, name: 'schedule' }, ...onBranch('next') },
  },
  { what: 'CI on the default branch', sha: 'ddddddd', options: { event: following('main') } },
  {
    what: 'a workflow on another branch',
    sha: 'ddddddd',
    name: `${STEP}, branch next`,
    options: { event: following('next', 'workflow_dispatch') },
  },
  { what: 'CI on a tag', sha: 'ddddddd', options: { event: following('v1') } },
  { what: 'a release', sha: 'aaaaaaa', options: { event: published, ...onBranch('next') } },
  {
    what: 'an open pull request',
    sha: 'ddddddd',
    name: `${STEP}, #5`,
    options: { event: opened },
  },
  { what: 'a merged pull request', sha: 'ccccccc', options: { event: closed({}) } },
  {
    what: 'one merged into another branch',
    sha: 'ccccccc',
    name: `${STEP}, branch release/1.x`,
    options: { event: closed({ base: { ref: 'release/1.x' } }) },
  },
  {
    what: 'a matrix job of a pull request',
    sha: 'ddddddd',
    name: `${STEP}, #5, api / 24`,
    options: { event: opened, inputs: { matrix: '{"package":"api","node":24}' } },
  },
])('the statuses of $what are on $sha and named $name', async ({ sha, name = STEP, options }) => {
  const { run, world } = await newStep('completed')
  const { requests } = await run({ sha: BEFORE, ...options })
  const states = ['pending', 'pending', 'success']
  expect(setting(requests)).toEqual(states.map((state) => `POST /statuses/${sha} ${state}`))
  const names = new Set(world.statuses.map(({ context }) => context))
  expect([...names]).toEqual([`Docs agent: docs (${name})`])
})

it('CI on a branch that has the name of a tag belongs to that branch', async () => {
  const { run, world } = await newStep('completed')
  world.branches.set('v1', BEFORE)
  await run({ event: following('v1') })
  expect(world.statuses[0]?.context).toBe(`Docs agent: docs (${STEP}, branch v1)`)
})

it('the name of a status has 255 characters at most, ends in a hash then, and has no secret in it', async () => {
  const { run, world } = await newStep()
  const key = 'mint_0123456789abcdef'
  for (const leg of ['x'.repeat(300), `${'x'.repeat(300)}y`, 'y'.repeat(213), key]) {
    const inputs = { matrix: JSON.stringify({ leg }), wait: 'false', 'api-key': key }
    await run({ inputs, env: { GITHUB_ACTION: leg === key ? key : 'agent' } })
  }
  const names = new Set(world.statuses.map(({ context }) => context ?? ''))
  const [long = '', other, longest = '', redacted] = names
  expect(long).toMatch(/^Docs agent: docs \(docs\.yml, docs, agent, x+…[0-9a-f]{16}$/)
  expect(other).not.toBe(long)
  expect([long, longest].map(({ length }) => length)).toEqual([255, 255])
  expect(longest).toMatch(/, agent, y+\)$/)
  expect(redacted).toBe('Docs agent: docs (docs.yml, docs, ***, ***)')
})

it('a character that GitHub rejects in a status is written by its number, and names stay apart', async () => {
  const { run, world } = await newStep()
  for (const matrix of ['{"os":"🚀"}', '{"os":"🎉"}'])
    await run({ inputs: { matrix, wait: 'false', 'project-id': 'docs' } })
  const names = new Set(world.statuses.map(({ context }) => context))
  expect([...names]).toEqual(
    ['U+1F680', 'U+1F389'].map((os) => `Docs agent: docs (${STEP}, ${os})`),
  )
})

it('the last status is the end, however slow GitHub is', async () => {
  const { world, github, run } = await newStep(completed())
  github.faults.push({ match: /statuses.*pending$/, end: { delayMs: 9000 } })
  await run()
  expect(recordsIn(world).map(({ state }) => state)).toEqual(['pending', 'pending', 'success'])
})

it.each([
  { what: 'while the job is running', killAtMs: 6000, record: { state: 'failure', job: 'j1' } },
  { what: 'before Mintlify answered', killAtMs: 1000, record: { state: 'error', job: null } },
])(
  'the post step of a run killed $what ends its status in three tries',
  async ({ killAtMs, record }) => {
    const { world, github, clock, run } = await newStep('active')
    await run({
      ...(killAtMs === 1000 && created({ takesMs: 2000 })),
      killAtMs,
      beforePost() {
        github.faults.push({ match: /statuses/, end: '502' })
        clock.at(clock.now() + 11_000, () => github.faults.splice(0))
      },
    })
    expect(recordsIn(world).at(-1)).toMatchObject(record)
  },
)

it.each<FaultName>([
  ...(['502', '429', 'secondary-limit', 'reset', 'html'] as const),
  ...(['204', '401', '403', '404', '422'] as const),
])('the post step ends a status to which GitHub answered %s, without a warning', async (fault) => {
  const { world, github, run } = await newStep()
  github.faults.push({ match: /statuses.*success$/, end: fault })
  const end = await run({ beforePost: () => github.faults.splice(0) })
  expect(end).toMatchObject({ hasFailed: false, outputs: { result: 'pull-request' } })
  expect([...end.warnings, ...end.post.warnings]).toEqual([])
  expect(setting(end.post.requests)).toEqual(['POST /statuses/bbbbbbb success'])
  expect(recordsIn(world).at(-1)).toEqual({ state: 'success', job: 'j1', page: PULL })
})

type Unwritten = {
  readonly what: string
  readonly token?: string
  readonly match?: RegExp
  readonly fault?: FaultName
  readonly cause: RegExp
}
const UNWRITTEN: readonly Unwritten[] = [
  { what: 'for lack of a permission', fault: '403', cause: /statuses: write/ },
  { what: 'without a token', token: '', cause: /`github-token` is empty/ },
  { what: 'with a rejected token', match: /./, fault: '401', cause: /\(401/ },
  { what: 'while GitHub fails', fault: '502', cause: /GitHub returned 502/ },
  { what: 'because GitHub rejects it', fault: '422', cause: /GitHub returned 422/ },
]

it.each(UNWRITTEN)(
  'if a status can not be set $what, nothing is started, with one annotation',
  async ({ token, match = /POST .statuses/, fault, cause }) => {
    const { github, run } = await newStep()
    if (fault) github.faults.push({ match, end: fault })
    const end = await run({ inputs: { ...(token !== undefined && { 'github-token': token }) } })
    expect(end).toMatchObject({ hasFailed: true, outputs: { result: 'error' }, calls: [] })
    expect(end.printed).toMatch(cause)
    const annotations = [...end.log, ...end.post.log].filter((line) =>
      /^(?:error|warning|notice): /.test(line),
    )
    expect(annotations).toEqual([expect.stringMatching(/^error: .*Nothing was started/)])
  },
)

it.each([
  { what: 'in the main step', failing: /pending$/ },
  { what: 'in the post step', failing: /statuses/ },
])('a start that GitHub may have recorded is recorded as not started $what', async (row) => {
  const { world, github, run } = await newStep()
  const end = { status: 502, body: {}, handled: true }
  github.faults.push({ match: /pending$/, end }, { match: row.failing, end: '502' })
  const { calls } = await run({ beforePost: () => github.faults.splice(0) })
  expect(calls).toEqual([])
  expect(recordsIn(world).at(-1)?.state).toBe('failure')
})
