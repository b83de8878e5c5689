import { describe, expect, it } from 'vitest'
import { bareEvent, pullRequest, push, pushBy, pushTo } from '../support/events.ts'
import type { FaultName } from '../support/github.ts'
import { type RunOptions, startHarness } from '../support/harness.ts'
import {
  AGENT,
  addCommit,
  addPull,
  addStatus,
  BEFORE,
  mergePull,
  person,
  pushToPull,
  type World,
} from '../support/world.ts'
import { CREATE, continues, RERUN } from './runs.ts'

const PULL = 'https://github.com/acme/docs/pull/7'
const HEAD = 'd'.repeat(40)
const TIP = 'e'.repeat(40)
const onHead = pullRequest({ action: 'synchronize', pull: { head: { sha: HEAD } } })
const schedule = bareEvent('schedule')
const CONTEXT = 'Docs agent: docs (docs.yml, docs, agent)'
/** The name of the statuses of pull request 5 until it is merged, of a branch, and of a leg. */
const ofPull = { context: CONTEXT.replace(')', ', #5)') }
const ofBranch = { context: CONTEXT.replace(')', ', branch release/1.x)') }
const ofLeg = { context: CONTEXT.replace(')', ', api)') }
const ofProject = { context: CONTEXT.replace(': docs', ': guides') }
const older = { sha: BEFORE }

/**
 * A status of this step: the attempt that it leads to (`1001/2`), or `pull` or `nowhere`, its state, and the job that it
 * names. By default it stands on the commit of the run.
 */
type Status =
  | string
  | readonly [words: string, change: Parameters<typeof addStatus>[2] & Partial<typeof older>]

function addStepStatus(world: World, status: Status): void {
  const [words, { sha = TIP, ...change }] = typeof status === 'string' ? [status, {}] : status
  const [to = '', state, job] = words.split(' ')
  const [id, attempt = 1] = to.split('/')
  const attemptUrl = `https://github.com/acme/docs/actions/runs/${id}/attempts/${attempt}`
  const target_url = { pull: PULL, nowhere: '' }[to] ?? attemptUrl
  const description = job === undefined ? 'Words' : `Words (${job})`
  addStatus(world, sha, { context: CONTEXT, state, description, target_url, ...change })
}

type Fault = readonly [match: RegExp, end: FaultName]

/** A harness with these statuses, each set a second after the one before; every job of the docs service is active. */
async function startAfter(statuses: readonly Status[], fault?: Fault) {
  const scene = await startHarness({ replies: {} })
  const { world, clock, github } = scene
  addCommit(world, { sha: TIP })
  const pull = addPull(world, { number: 5, head: { ref: 'flag', sha: HEAD } })
  addPull(world, { number: 7, user: AGENT })
  for (const status of statuses) {
    addStepStatus(world, status)
    await clock.sleep(1000)
  }
  if (fault !== undefined) github.faults.push({ match: fault[0], end: fault[1] })
  const usual = { prompt: 'Document it.', context: 'none', 'ignore-authors': '', wait: 'false' }
  const run = ({ inputs, ...options }: RunOptions = {}) =>
    scene.run({
      event: bareEvent('release'),
      sha: TIP,
      ...options,
      inputs: { ...usual, ...inputs },
    })
  return { ...scene, pull, run }
}

async function runAfter(statuses: readonly Status[], options?: RunOptions, fault?: Fault) {
  return await (await startAfter(statuses, fault)).run(options)
}

it.each<[string, readonly Status[], readonly string[], string?, RunOptions?]>([
  ['no status starts a new job', [], CREATE],
  [
    'a status of a run continues its job',
    ['999 pending job_1'],
    continues('job_1'),
    'has no pull request yet',
  ],
  [
    'brackets within a description name no job',
    [['999 failure', { description: 'Failed (job_1) again' }]],
    CREATE,
  ],
  [
    "a stranger's status of that name counts",
    [['999 pending job_1', { creator: person('x') }]],
    continues('job_1'),
  ],
  [
    'a job has no pull request of another one',
    ['pull success job_1', '999 pending job_2'],
    continues('job_2'),
    'has no pull request yet',
  ],
  [
    'a status that leads to a pull request continues that',
    ['999 pending job_1', 'pull success job_1'],
    continues('job_1'),
    PULL,
  ],
  [
    'the newest of several jobs counts, whatever its state',
    ['pull success job_1', '998 pending job_2', 'pull failure job_2'],
    continues('job_2'),
    PULL,
  ],
  [
    'the newest status counts, whichever commit it is on',
    ['999 pending job_1', ['998 pending job_2', older]],
    continues('job_2'),
  ],
  [
    'a run that started nothing is passed over',
    ['998 pending job_1', 'pull success job_1', '999 pending', '999 failure'],
    continues('job_1'),
  ],
  [
    'a run that may have started a job is passed over, which a notice says',
    ['998 pending job_1', 'pull success job_1', '999 error'],
    continues('job_1'),
    'attempts/1) may have started a job that its commit status does not name',
  ],
  [
    'the newest status of a run counts, not an older one that names a job',
    ['999 pending job_1', '999 failure'],
    CREATE,
  ],
  [
    'a status that belongs to no run and names no job is nobody’s',
    [
      'pull success job_1',
      'nowhere error',
      ['999 pending', { target_url: 'https://ci.example.com/1' }],
    ],
    continues('job_1'),
  ],
  [
    'a status that is nobody’s hides no job on an older commit either',
    [
      ['pull success job_1', older],
      ['nowhere error', older],
    ],
    continues('job_1'),
  ],
  [
    'an open pull request’s job is not the branch’s, though they share the commit',
    [['pull success job_1', ofPull]],
    CREATE,
  ],
  [
    'a pull request that is not merged has nothing to do with the jobs of its base branch',
    [['pull success job_1', older]],
    CREATE,
    '',
    { event: onHead, sha: HEAD },
  ],
  ['another branch’s job is not this one’s', [['pull success job_1', ofBranch]], CREATE],
  ['another project is another step', [['pull success job_1', ofProject]], CREATE],
  ['another leg is another step', [['pull success job_1', ofLeg]], CREATE],
  [
    'a first attempt leaves the job of this very run alone, which is another leg’s',
    ['pull success job_0', '1001 pending job_1'],
    continues('job_0'),
  ],
  [
    'a first attempt leaves another leg’s job alone where that has ended',
    ['1001 pending job_1', '999 pending job_3', 'pull failure job_1', 'pull success job_1'],
    continues('job_3'),
  ],
  [
    'a first attempt starts a job where only another leg has one',
    ['1001 pending job_1', 'pull success job_1'],
    CREATE,
  ],
  [
    'a first attempt continues the job of an earlier run, though another leg does',
    ['900 pending job_1', '800 pending job_2', 'pull success job_1', '1001 pending job_1'],
    continues('job_1'),
  ],
])('%s', async (_name, statuses, calls, words = '', options) => {
  const end = await runAfter(statuses, options)
  expect(end).toMatchObject({ outputs: { result: 'submitted' }, calls })
  const log = end.log.join('\n')
  expect(log).toContain(words)
  const unnamed = 'may have started a job'
  expect(log.includes(unnamed)).toBe(words.includes(unnamed))
})

it('below a status that names no job, the list of its commit tells: of five commits at most', async () => {
  const { world, run } = await startAfter([])
  const shas = Array.from({ length: 7 }, () => addCommit(world).sha)
  const sha = shas[6] ?? ''
  for (const depth of [1, 0]) {
    world.statuses.splice(0)
    addStepStatus(world, ['900 pending job_1', { sha: shas[depth] ?? '' }])
    for (const covered of shas.slice(depth, 6))
      addStepStatus(world, ['901 failure', { sha: covered }])
    const { calls, requests } = await run({ sha })
    expect(calls).toEqual(depth === 1 ? continues('job_1') : CREATE)
    expect(requests.filter((line) => line.startsWith('GET /commits/'))).toHaveLength(6)
  }
})

it("a commit's list that can not be read may hide a job, which the log says", async () => {
  const list = new RegExp(`^GET /commits/${BEFORE.slice(0, 7)}.*statuses`)
  const { calls, log } = await runAfter([['999 error', older]], {}, [list, '502'])
  expect([calls, log.filter((line) => /^(?:warning|notice): (?!Job started)/.test(line))]).toEqual([
    CREATE,
    [
      expect.stringMatching(/An earlier run \(.*\/999\/.*\) may have started a job/),
      expect.stringMatching(
        /Failed to look for an earlier job: GitHub returned 502.* starts a new job/,
      ),
    ],
  ])
})

const toJob = { inputs: { 'job-id': 'job_9' } }
it.each<[string, readonly Status[], readonly string[], RunOptions?, Fault?]>([
  ['waits for the job that is named', ['1001 pending job_1'], ['GET /job/job_1']],
  [
    'finds a job that has ended by its pending status',
    ['1001 pending job_1', 'pull success job_1', '999 pending job_2', 'pull success job_2'],
    ['GET /job/job_1'],
  ],
  [
    'waits for the job of the newest attempt',
    ['1001 pending job_1', '1001 failure job_1', '1001/2 pending job_2'],
    ['GET /job/job_2'],
  ],
  [
    "finds a job on a pull request's head",
    [['1001 pending job_1', { ...ofPull, sha: HEAD }]],
    ['GET /job/job_1'],
    { event: onHead },
  ],
  ['starts where nothing was started', ['1001 failure'], CREATE],
  ['starts where there is no status', [], CREATE],
  ['starts where there is only a status that is nobody’s', ['nowhere pending'], CREATE],
  ['continues the job of another run', ['pull success job_1'], continues('job_1')],
  ['is not of a run whose id is only like its own', ['10012 pending job_1'], continues('job_1')],
  ['waits for `job-id`, which may have had the message', ['1001 error'], ['GET /job/job_9'], toJob],
  ['waits for `job-id`, which had the message', ['1001 pending job_9'], ['GET /job/job_9'], toJob],
  [
    'waits for `job-id` if nothing can be read',
    [],
    ['GET /job/job_9'],
    toJob,
    [/\/statuses$/, '403'],
  ],
  [
    'waits for `job-id` if nothing can be written',
    [],
    ['GET /job/job_9'],
    toJob,
    [/pending$/, '403'],
  ],
  [
    'sends `job-id` its message if none was sent',
    ['1001 failure'],
    ['POST /job/job_9/message'],
    toJob,
  ],
])('a re-run %s', async (_name, statuses, calls, options, fault) => {
  const end = await runAfter(statuses, { ...RERUN, ...options }, fault)
  expect(end).toMatchObject({ hasFailed: false, calls })
})

it.each<[string, readonly Status[], readonly string[], Fault?, string?]>([
  ['the first attempt is pending without a job', ['1001 pending'], ['error']],
  ['it ended as an error without a job', ['1001 error'], ['error']],
  ['it shows two jobs', ['1001 pending job_1', '1001 pending job_2'], []],
  ['it shows two starts', ['1001 pending job_1', '1001 pending'], []],
  ["its statuses can't be read", [], [], [/\/statuses$/, '502']],
  ['they are no list', [], [], [/\/statuses$/, 'empty']],
  ['a permission lacks to read them', [], [], [/\/statuses$/, '403'], '`statuses: read`'],
  [
    'nothing can be written any more',
    [],
    ['error'],
    [/pending$/, '502'],
    'This re-run failed to write down what it is about to start: GitHub returned 502',
  ],
])(
  'a re-run starts nothing where %s',
  async (_what, statuses, set, fault, words = 'error: Unknown whether an earlier attempt of this run started a job.') => {
    const { run, world } = await startAfter(statuses, fault)
    const end = await run(RERUN)
    expect(end).toMatchObject({ hasFailed: true, outputs: { result: 'error' }, calls: [] })
    expect(end.log.at(-1)).toContain(words)
    expect(end.log.at(-1)).toMatch(/^error: .*start the workflow anew/)
    // It ends what is pending, and leaves alone what it could not read.
    expect(world.statuses.slice(statuses.length).map(({ state }) => state)).toEqual(set)
  },
)

it('a re-run that can not look at its job leaves it to the next one', async () => {
  const { run } = await startAfter(['1001 pending job_1'])
  const { outputs } = await run({ ...RERUN, replies: { get: [{ status: 401 }] } })
  expect(outputs['result']).toBe('error')
  expect((await run({ ...RERUN, attempt: 3, replies: {} })).calls).toEqual(['GET /job/job_1'])
})

it('a re-run that can not look for an earlier job starts none, and the attempt after it may', async () => {
  const { run, github, statuses } = await startAfter([], [/graphql/, 'partial'])
  const end = await run(RERUN)
  expect(end).toMatchObject({ hasFailed: true, outputs: { result: 'error' }, calls: [] })
  expect(end.log.at(-1)).toMatch(
    /^error: Failed to look for an earlier job\. .* safe to run this again\.$/,
  )
  expect(statuses()).toEqual(['failure: Failed to look for an earlier job'])
  github.faults.splice(0, 1, { match: /graphql/, end: '403' })
  const refused = await run({ ...RERUN, attempt: 3 })
  expect(refused.log.at(-1)).toMatch(
    /start the workflow anew instead of re-running it\. Nothing was started\.$/,
  )
})

it.each<[string, RunOptions, readonly string[]]>([
  ['without a prompt', { inputs: { prompt: '', 'job-id': 'job_2' } }, ['GET /job/job_2']],
  ['on an event without memory', { event: bareEvent('deployment') }, CREATE],
])(
  'a run %s, or its re-run, neither looks for a job nor remembers one',
  async (_name, options, calls) => {
    for (const again of [{}, RERUN]) {
      const end = await runAfter(['pull success job_1'], { ...options, ...again })
      expect(end).toMatchObject({ calls, requests: [] })
      const isSaid = end.log.some((line) =>
        line.startsWith('notice: This is a re-run of a run that remembers no job'),
      )
      expect(isSaid).toBe(again === RERUN && calls === CREATE)
    }
  },
)

it('without follow-up a run starts a job of its own, which its re-run finds', async () => {
  const { run } = await startAfter(['pull success job_1'])
  const inputs = { 'follow-up': 'false' }
  expect((await run({ runId: 1001, inputs })).calls).toEqual(CREATE)
  expect((await run({ ...RERUN, inputs })).calls).toEqual(['GET /job/j1'])
})

it.each<[FaultName | 'missing', RegExp]>([
  ['502', /^warning: Failed to look for an earlier job: .*, so this run starts a new job, and/m],
  ['partial', /^warning: Failed to look for an earlier job: .*, so this run starts a new job/m],
  ['missing', /^warning: `contents: read` is missing .*, so this run starts a new job, and/m],
])(
  'a first attempt that can not look for an earlier job (%s) says so, and starts one',
  async (fault, words) => {
    const { run, github, world } = await startAfter([])
    if (fault === 'missing') world.scopes.delete('contents: read')
    else github.faults.push({ match: /StepStatuses/, end: fault })
    const { calls, log } = await run({ event: pushTo(world) })
    expect(calls).toEqual(CREATE)
    expect(log.join('\n')).toMatch(words)
  },
)

describe('where no commit of the last 100 names a job', () => {
  /** A hundred commits ago the workflow succeeded, on a commit that names a job. */
  async function startLater(fault?: Fault) {
    const scene = await startAfter([['pull success job_1', older]], fault)
    const success = { workflow: 'docs.yml', head_branch: 'main', conclusion: 'success' }
    scene.world.runs.push({ ...success, head_sha: BEFORE, created_at: '2026-01-01T00:00:00Z' })
    for (let count = 0; count < 100; count++) addCommit(scene.world)
    return { ...scene, later: { event: schedule, sha: addCommit(scene.world).sha } }
  }

  it("the commit of the workflow's last success does, if GitHub lets it be read", async () => {
    const { world, run, later } = await startLater()
    addStepStatus(world, ['999 failure', { sha: world.commits.get(later.sha)?.parents[0] ?? '' }])
    expect((await run(later)).calls).toEqual(continues('job_1'))
    world.scopes.delete('actions: read')
    world.statuses.splice(1)
    const { calls, log } = await run(later)
    expect(calls).toEqual(CREATE)
    expect(log.join('\n')).toMatch(
      /^Failed to look up when this workflow last succeeded: .* \(It takes `actions: read`\.\)$/m,
    )
    expect(log.join('\n')).not.toContain('Failed to look for an earlier job')
  })

  it.each([/\/actions\//, new RegExp(`^GET /commits/${BEFORE.slice(0, 7)}.*statuses`)])(
    'it is not known where %s can not be read, which is said',
    async (match) => {
      const { run, later } = await startLater([match, '502'])
      const { calls, warnings } = await run(later)
      expect([calls, warnings]).toEqual([
        CREATE,
        [expect.stringContaining('Failed to look for an earlier job: GitHub returned 502')],
      ])
    },
  )

  it.each<[string, number, readonly Status[], RunOptions]>([
    ['by a schedule without a job', 1, [], {}],
    ['by a push without a job', 1, [], { event: pushBy('octocat') }],
    ['not where a status names a job', 0, ['pull failure job_1'], {}],
    ['not by a message to `job-id`', 0, [], { inputs: { 'job-id': 'job_2' } }],
    ['not without follow-up', 0, [], { inputs: { 'follow-up': 'false' } }],
    ['not on a tag', 0, [], { env: { GITHUB_REF: 'refs/tags/v1' } }],
    ['not without a prompt', 0, [], { inputs: { prompt: '', 'job-id': 'job_2' } }],
    ['not by a re-run that has a job', 0, ['1001 pending job_1'], RERUN],
  ])("the workflow's last success is asked for %s", async (_what, times, statuses, options) => {
    const { requests } = await runAfter(statuses, { event: schedule, ...options })
    expect(requests.filter((line) => line.includes('/actions/'))).toHaveLength(times)
  })
})

it('a merged pull request hands its job on to its base, and its own job comes first', async () => {
  const { world, run, pull } = await startAfter(['pull success job_1'])
  mergePull(world, pull)
  const merged = { ...pull.fields, number: 5 }
  const event = pullRequest({ action: 'closed', pull: merged })
  expect((await run({ event })).calls).toEqual(continues('job_1'))
  world.statuses.splice(1)
  addStepStatus(world, ['pull success job_5', { ...ofPull, sha: HEAD }])
  expect((await run({ event })).calls).toEqual(continues('job_5'))
  // The next push to the base finds it there.
  expect((await run({ event: pushTo(world) })).calls).toEqual(continues('job_5'))
  // Merged by a fast-forward, its head is the merge commit.
  world.statuses.splice(2)
  const forwarded = pullRequest({ action: 'closed', pull: { ...merged, merge_commit_sha: HEAD } })
  expect((await run({ event: forwarded })).calls).toEqual(continues('job_5'))
})

it('no pull request continues the job of one that it is stacked on, or that has the same head', async () => {
  const { world, run } = await startAfter([['pull success job_5', { ...ofPull, sha: HEAD }]])
  const stacked = addPull(world, { number: 6, head: { ref: 'next' }, base: { ref: 'flag' } })
  stacked.commits = [HEAD, ...stacked.commits]
  const twin = addPull(world, { number: 8, head: { sha: HEAD }, base: { ref: 'release/1.x' } })
  for (const { number, fields } of [stacked, twin]) {
    const event = pullRequest({ action: 'synchronize', number, pull: { ...fields, number } })
    expect([number, (await run({ event })).calls]).toEqual([number, CREATE])
  }
  expect((await run({ event: onHead })).calls).toEqual(continues('job_5'))
})

it('the job of a branch is continued there alone', async () => {
  const { world, run } = await startAfter(['pull success job_1'])
  const onBranch = (ref: string, sha: string) => {
    const { name, payload } = push({ ref, after: sha, before: BEFORE, forced: false, commits: [] })
    return { event: { name, payload }, sha, env: { GITHUB_REF: ref } }
  }
  const release = onBranch(
    'refs/heads/release/1.x',
    addCommit(world, { branch: 'release/1.x' }).sha,
  )
  expect((await run(release)).calls).toEqual(CREATE)
  expect(world.statuses.at(-1)?.context).toBe(ofBranch.context)
  expect((await run(onBranch('refs/heads/main', TIP))).calls).toEqual(continues('job_1'))
  expect((await run(release)).calls).toEqual(continues('j1'))
})

it('the job of an open pull request is found on commits that a forced push replaced', async () => {
  const { world, run, pull } = await startAfter([
    'pull success job_1',
    ['pull success job_5', { ...ofPull, sha: HEAD }],
  ])
  const { sha } = pushToPull(world, pull, { force: true })
  const event = pullRequest({ action: 'synchronize', pull: { head: { sha } } })
  expect((await run({ event })).calls).toEqual(continues('job_5'))
})
