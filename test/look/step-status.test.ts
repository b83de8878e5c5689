import { expect, it } from 'vitest'
import { bareEvent, event, pullRequest, pushBy } from '../support/events.ts'
import type { FaultName } from '../support/github.ts'
import { type RunOptions, startHarness } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'
import { addCommit, BEFORE, MAY_WRITE, type World } from '../support/world.ts'

const RUN_URL = 'https://github.com/acme/docs/actions/runs/1001/attempts/1'
const PULL = 'https://github.com/acme/guides/pull/7'
const LONG = `${PULL}?${'x'.repeat(2000 - PULL.length - 1)}`
const STARTING = 'pending: Starting, run'
const WORKING = 'pending: The agent is working (j1), run'
const READY = 'success: Docs pull request ready for review (j1)'
const completed = (prLink = PULL): Reply => ({ body: { status: 'completed', prLink } })

/** A GitHub, and a run by default of a push whose job is active, then completed with a pull request. */
async function newStep(...get: readonly Reply[]) {
  const replies = { get: get.length > 0 ? get : ['active', completed()] }
  const scene = await startHarness({ docsIn: 'acme/guides', replies })
  const { world } = scene
  world.roles.set('octocat', MAY_WRITE)
  for (const letter of 'cd') addCommit(world, { sha: letter.repeat(40), branch: null })
  const inputs = { prompt: 'Document it.', context: 'none', 'ignore-authors': '' }
  return {
    ...scene,
    run: (options: RunOptions = {}) =>
      scene.run({ event: pushBy('octocat'), ...options, inputs: { ...inputs, ...options.inputs } }),
  }
}

/** What the statuses say and which page they lead to, oldest first: `run` is the page of run 1001's first attempt. */
function wordsOf({ statuses }: World): readonly string[] {
  return statuses.map(({ state, description, target_url: target }) => {
    const [url] = target?.split('#') ?? []
    return `${state}: ${description}, ${url === RUN_URL ? 'run' : url}`
  })
}

const setting = (lines: readonly string[]): string[] =>
  lines.filter((line) => line.startsWith('POST /statuses/'))

const got = (...get: Reply[]): RunOptions => ({ replies: { get } })
const created = (reply: Reply): RunOptions => ({ replies: { post: [reply] } })
it.each<[string, RunOptions, readonly string[]]>([
  ['has a pull request', got(completed()), [WORKING, `${READY}, ${PULL}`]],
  [
    'has one elsewhere',
    got(completed('http://git.example.com/acme/docs/-/merge_requests/7')),
    [WORKING, `${READY}, http://git.example.com/acme/docs/-/merge_requests/7`],
  ],
  ['has a long link', got(completed(LONG)), [WORKING, `${READY}, ${LONG}`]],
  ['has a link that is too long', got(completed(`${LONG}x`)), [WORKING, `${READY}, run`]],
  [
    'is given, without comments',
    { ...got(completed()), inputs: { 'job-id': 'j1', comment: 'never' } },
    ['pending: The agent is continuing its earlier job (j1), run', `${READY}, ${PULL}`],
  ],
  [
    'was refused',
    created({ status: 402 }),
    [expect.stringMatching(/^failure: Your .* credits are used up, run$/)],
  ],
  [
    'may have been started',
    created({ status: 500 }),
    [expect.stringMatching(/^error: .* failed, 500, run$/)],
  ],
])('the statuses of a job that %s say so', async (_what, options, words) => {
  const { world, run } = await newStep()
  await run(options)
  expect(wordsOf(world)).toEqual([STARTING, ...words])
})

it('a status says that nothing was started where the earlier job can not be looked at for 2 minutes', async () => {
  const { world, run } = await newStep()
  await run({ inputs: { wait: 'false' } })
  const end = await run(got({ status: 503 }))
  expect(end.tookMs).toBeGreaterThanOrEqual(120_000)
  expect(end.tookMs).toBeLessThan(140_000)
  expect(new Set(end.calls)).toEqual(new Set(['GET /job/j1']))
  expect(end.log[0]).toMatch(/^Could not get the earlier job `j1`: .* failed \(503\)/)
  expect(wordsOf(world).at(-1)).toMatch(/^failure: .* failed, 503, /)
})

const following = (branch: string, cause = 'push') => {
  const repository = { full_name: 'acme/docs' }
  const followed = { head_sha: 'd'.repeat(40), head_branch: branch, head_repository: repository }
  return event('workflow_run', { workflow_run: { ...followed, event: cause } })
}

it.each<[string, RunOptions]>([
  ['in a dry run', { inputs: { 'dry-run': 'true' } }],
  ['without a prompt', { inputs: { prompt: '', 'job-id': 'job_1' } }],
  ['on other events', { event: event('deployment') }],
  ['on a run that follows a release', { event: following('v1', 'release') }],
])('no status is set %s', async (_what, options) => {
  const { run } = await newStep()
  expect(setting((await run(options)).requests)).toEqual([])
})

const STEP = 'docs.yml, docs, agent'
const HEAD = { head: { sha: 'd'.repeat(40) } }
const MERGED = { ...HEAD, merged: true, merge_commit_sha: 'c'.repeat(40) }
const opened = pullRequest({ action: 'synchronize', pull: HEAD })
const closed = (pull: object) => pullRequest({ action: 'closed', pull: { ...MERGED, ...pull } })
const onBranch = (name: string) => ({ env: { GITHUB_REF: `refs/heads/${name}` } })
const dispatch = event('workflow_dispatch')
it.each<[string, string, string, RunOptions]>([
  ['a push to the default branch', 'bbbbbbb', STEP, {}],
  ['a push to another branch', 'bbbbbbb', `${STEP}, branch release/1.x`, onBranch('release/1.x')],
  ['a push of a tag', 'bbbbbbb', STEP, { env: { GITHUB_REF: 'refs/tags/v1' } }],
  [
    'a dispatch on another branch',
    'aaaaaaa',
    `${STEP}, branch next`,
    { event: dispatch, ...onBranch('next') },
  ],
  [
    'a dispatch whose default branch is not known',
    'aaaaaaa',
    STEP,
    { event: bareEvent('workflow_dispatch'), ...onBranch('next') },
  ],
  [
    'a schedule',
    'aaaaaaa',
    STEP,
    { event: { ...dispatch, name: 'schedule' }, ...onBranch('next') },
  ],
  ['a run that follows one on the default branch', 'ddddddd', STEP, { event: following('main') }],
  [
    'a run that follows one on another branch',
    'ddddddd',
    `${STEP}, branch next`,
    { event: following('next', 'workflow_dispatch') },
  ],
  ['a release', 'aaaaaaa', STEP, { event: event('release'), ...onBranch('next') }],
  ['an open pull request', 'ddddddd', `${STEP}, #5`, { event: opened }],
  ['a merged pull request', 'ccccccc', STEP, { event: closed({}) }],
  [
    'one merged into another branch',
    'ccccccc',
    `${STEP}, branch release/1.x`,
    { event: closed({ base: { ref: 'release/1.x' } }) },
  ],
  [
    'a matrix job of a pull request',
    'ddddddd',
    `${STEP}, #5, api / 24`,
    { event: opened, inputs: { matrix: '{"package":"api","node":24}' } },
  ],
])('the statuses of %s stand on %s, and are of (%s)', async (_what, sha, name, options) => {
  const { run, world } = await newStep('completed')
  const { requests } = await run({ sha: BEFORE, ...options })
  const states = ['pending', 'pending', 'success']
  expect(setting(requests)).toEqual(states.map((state) => `POST /statuses/${sha} ${state}`))
  const names = new Set(world.statuses.map(({ context }) => context))
  expect([...names]).toEqual([`Docs agent: docs (${name})`])
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

it.each([
  ['j'.repeat(135), `J… (${'j'.repeat(135)})`],
  ['j'.repeat(138), `(${'j'.repeat(138)})`],
  ['j'.repeat(139), 'Job started'],
  ['a job', 'Job started'],
  ['job(1)', 'Job started'],
])('the description of a status has 140 characters at most: of job %j', async (id, description) => {
  const { world, run } = await newStep()
  await run({ ...created({ body: { id } }), inputs: { wait: 'false' } })
  expect(world.statuses.at(-1)?.description).toBe(description)
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
  const { statuses, github, run } = await newStep(completed())
  github.faults.push({ match: /pending$/, end: { delayMs: 9000 } })
  await run()
  expect(statuses().map((line) => line.split(':')[0])).toEqual(['pending', 'pending', 'success'])
})

it.each([
  ['while the job was running', 6000, /^failure: Interrupted, .* \(j1\), run$/],
  ['a job may be running', 1000, /^error: Interrupted before .*, run$/],
])(
  'the post step of a run killed %s ends its status in three tries',
  async (_what, killAtMs, words) => {
    const { world, github, clock, run } = await newStep('active')
    await run({
      ...(killAtMs === 1000 && created({ takesMs: 2000 })),
      killAtMs,
      beforePost() {
        github.faults.push({ match: /statuses/, end: '502' })
        clock.at(clock.now() + 11_000, () => github.faults.splice(0))
      },
    })
    expect(wordsOf(world).at(-1)).toMatch(words)
  },
)

it.each<FaultName>([
  ...(['502', '429', 'secondary-limit', 'reset', 'html'] as const),
  ...(['204', '401', '403', '404', '422'] as const),
])('the post step ends a status to which GitHub answered %s', async (fault) => {
  const { world, github, run } = await newStep()
  github.faults.push({ match: /success$/, end: fault })
  const end = await run({ beforePost: () => github.faults.splice(0) })
  expect(end.log.join('\n')).toMatch(/^warning: Could not set the commit status/m)
  expect(end.printed).not.toContain('needs the permission `statuses: write`')
  expect(setting(end.post.requests)).toEqual(['POST /statuses/bbbbbbb success'])
  expect(wordsOf(world).at(-1)).toBe(`${READY}, ${PULL}`)
})

it('the post step ends a status that arrived under a 502, and whose end then met a 403', async () => {
  const { world, github, run } = await newStep('completed')
  github.faults.push({ match: /pending$/, end: { status: 502, body: {}, handled: true } })
  github.faults.push({ match: /success$/, end: '403', times: 1 })
  await run()
  expect(world.statuses.at(-1)?.state).toBe('success')
})

it.each<[string, string, RegExp, FaultName, number, RegExp]>([
  ['for lack of a permission', 'given', /statuses\//, '403', 1, /`statuses: write`/],
  ['without a token', '', /^$/, '403', 0, /`github-token`/],
  ['with a token that GitHub refuses', 'given', /./, '401', 3, /`github-token` \(401/],
  ['while GitHub fails', 'given', /statuses\//, '502', 9, /GitHub returned 502/],
  ['past the limit', 'given', /statuses\//, '422', 1, /GitHub returned 422/],
])(
  'a status that can not be set %s costs a warning with cause and cost, in the summary, too, and the run goes on',
  async (_what, token, match, fault, sent, cause) => {
    const { github, run } = await newStep()
    github.faults.push({ match, end: fault })
    const inputs = token === '' ? { 'github-token': '' } : {}
    const end = await run({ inputs })
    expect(end).toMatchObject({ hasFailed: false, outputs: { result: 'pull-request' } })
    const costs = end.warnings.filter((line) =>
      /so (?:every run opens|the next run may open) another/.test(line),
    )
    expect(costs).toHaveLength(1)
    expect(costs[0]).toMatch(cause)
    expect(end.summary).toMatch(/^## ⚠️ [\s\S]*^⚠️ .*, so .* another docs pull request\./m)
    expect(setting(end.requests)).toHaveLength(sent)
    const refused = await run({
      inputs,
      ...created({ status: 429, headers: { 'retry-after': '9999' } }),
    })
    const error = refused.log.find((line) => line.startsWith('error: '))
    expect(error).toContain('start a new run')
    expect(error).not.toContain('safe to run this again')
  },
)

it('a token without any permission for statuses causes one warning, which names the one that is needed', async () => {
  const { world, run } = await newStep()
  for (const permission of ['statuses: write', 'statuses: read']) world.scopes.delete(permission)
  const { log, summary } = await run()
  const told = log.filter((line) => line.includes('`statuses: '))
  expect(told).toEqual([
    expect.stringMatching(/^warning: .* grant `statuses: write`.*This run starts a new job\.$/),
    expect.stringMatching(/grant `statuses: write`/),
  ])
  expect(summary.match(/^⚠️ .*statuses/gm)).toHaveLength(1)
})
