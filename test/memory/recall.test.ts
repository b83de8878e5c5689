import { describe, expect, it } from 'vitest'
import { bareEvent, pullRequest, pushOf, pushTo } from '../support/events.ts'
import type { FaultName } from '../support/github.ts'
import { type RunOptions, startHarness } from '../support/harness.ts'
import { AGENT, addCommit, addPull, addStatus, BEFORE, pushToPull, type World } from '../support/world.ts'

function addStepStatus(
  world: World,
  [state, jobId, target_url, { sha = BEFORE, ...change } = {}]: Status,
): void {
  const description = jobId === '' ? 'Words' : `Words (${jobId})`
  addStatus(world, sha, { context: CONTEXT, state, description, target_url, ...change })
}

import {
  attemptUrl,
  CONTEXT,
  continues,
  FURTHER_RUNS,
  HEAD,
  LAST_SUCCESS,
  NEW,
  OTHER,
  OTHER_LEGS,
  OWN,
  onHead,
  PULL,
  RE_RUNS,
  RERUN,
  release,
  type Status,
  UNKNOWN_STARTS,
} from './recall.cases.ts'

/** A harness with these statuses, each set a second after the one before; every job of the docs service is active. */
async function startAfter(statuses: readonly Status[]) {
  const scene = await startHarness({ replies: {} })
  const { world, clock } = scene
  addPull(world, { number: 5, head: { ref: 'flag', sha: HEAD } })
  addPull(world, { number: 7, user: AGENT })
  for (const status of statuses) {
    addStepStatus(world, status)
    await clock.sleep(1000)
  }
  const usual = { prompt: 'Document it.', context: 'none', 'ignore-authors': '', wait: 'false' }
  const run = ({ inputs, ...options }: RunOptions = {}) =>
    scene.run({ event: release, sha: BEFORE, ...options, inputs: { ...usual, ...inputs } })
  return { ...scene, run }
}

async function runAfter(statuses: readonly Status[], options?: RunOptions, fault?: [RegExp, FaultName]) {
  const { run, github } = await startAfter(statuses)
  if (fault !== undefined) github.faults.push({ match: fault[0], end: fault[1] })
  return await run(options)
}

it.each(FURTHER_RUNS)('%s', async (_name, statuses, calls, words = '') => {
  const end = await runAfter(statuses)
  expect(end).toMatchObject({ outputs: { result: 'submitted' }, calls })
  expect(end.log.join('\n')).toContain(words)
  const isSaid = end.log.some((line) => line.includes('may have started a job'))
  expect(isSaid).toBe(words.includes('may have started a job'))
})

it('below a status that names no job, on whichever commit, the list of that commit tells: of five commits at most', async () => {
  const { world, run } = await startAfter([])
  const shas = Array.from({ length: 7 }, () => addCommit(world).sha)
  addStepStatus(world, ['pending', 'job_1', attemptUrl(900), { sha: shas[1] }])
  addStepStatus(world, ['success', 'job_1', PULL, { sha: shas[1] }])
  const cover = (sha = '') => addStepStatus(world, ['failure', '', attemptUrl(901), { sha }])
  for (const sha of shas.slice(1, 6)) cover(sha)
  const end = await run({ sha: shas[6] ?? '' })
  expect(end.calls).toEqual(continues('job_1'))
  expect(end.requests.filter((line) => line.startsWith('GET /commits/'))).toHaveLength(6)
  const dry = await run({ sha: shas[6] ?? '', inputs: { 'dry-run': 'true' } })
  expect(dry.log.join('\n')).toContain(`This run continues the pull request ${PULL} (job job_1`)
  world.statuses.splice(0)
  for (const sha of shas.slice(1, 6)) cover(sha)
  addStepStatus(world, ['pending', 'job_2', attemptUrl(900), { sha: shas[0] }])
  cover(shas[0])
  addStepStatus(world, ['failure', '', attemptUrl(902), { sha: shas[0], created_at: '2025-01-01T00:00:00Z' }])
  expect((await run({ sha: shas[6] ?? '' })).calls).toEqual(NEW)
})

it('the newest status counts, whichever commit it is on', async () => {
  const { world, clock, run } = await startAfter([])
  const shas = Array.from({ length: 3 }, () => addCommit(world).sha)
  addStepStatus(world, ['pending', 'job_1', attemptUrl(901), { sha: shas[1] }])
  await clock.sleep(1000)
  addStepStatus(world, ['pending', 'job_2', attemptUrl(900), { sha: shas[0] }])
  expect((await run({ sha: shas[2] ?? '' })).calls).toEqual(continues('job_2'))
})

it('the newest status of the own commit counts where its list can not be read, unless it is of this very run', async () => {
  const fault: [RegExp, FaultName] = [/^GET \/commits\/.*statuses/, '502']
  expect((await runAfter([['success', 'job_1', PULL]], {}, fault)).calls).toEqual(continues('job_1'))
  expect((await runAfter([['pending', 'job_1', OWN]], { runId: 1001 }, fault)).calls).toEqual(NEW)
})

it('a pull request that is not merged has nothing to do with the jobs of its base branch', async () => {
  expect((await runAfter([['success', 'job_1', PULL]], { event: onHead, sha: HEAD })).calls).toEqual(NEW)
})

it("a commit's list that can not be read may hide a job, which notices say", async () => {
  const { world, github, run } = await startAfter([])
  const [covered = '', sha = ''] = Array.from({ length: 2 }, () => addCommit(world).sha)
  addStepStatus(world, ['failure', '', '', { sha: covered }])
  github.faults.push({ match: new RegExp(`^GET /commits/${covered.slice(0, 7)}.*statuses`), end: '502' })
  const { calls, log } = await run({ sha })
  expect([calls, log.filter((line) => /^notice: (?!Job started)/.test(line))]).toEqual([
    NEW,
    [
      expect.stringContaining(`An earlier run (commit ${covered.slice(0, 7)}) may have started a job`),
      expect.stringMatching(/Failed to look for an earlier job: GitHub returned 502.* starts a new job\.$/),
    ],
  ])
})

describe('on a re-run, what earlier attempts left', () => {
  it.each(RE_RUNS)('%s', async (_name, event, statuses, calls) => {
    const end = await runAfter(statuses, { ...RERUN, event })
    expect(end).toMatchObject({ hasFailed: false, calls })
    expect(end.log.join('\n')).not.toContain('Another step or leg')
  })

  it.each(UNKNOWN_STARTS)('%s, so nothing is started', async (_name, statuses, words, fault) => {
    const { run, github, world } = await startAfter(statuses)
    if (fault !== undefined) github.faults.push({ match: fault[0], end: fault[1] })
    const before = world.statuses.length
    const end = await run(RERUN)
    expect(end).toMatchObject({ hasFailed: true, outputs: { result: 'error' }, calls: [] })
    expect(end.log.at(-1)).toMatch(/^error: Unknown whether an earlier attempt of this run started a job\./)
    expect(end.log.at(-1)).toMatch(/start the workflow anew/)
    // It leaves the state as it found it, and ends what is pending.
    const set = world.statuses.slice(before).map(({ state }) => state)
    expect(set).toEqual(words.length > 0 ? ['error'] : [])
  })

  it('may have been a message to the job of `job-id`: none is sent again, and the job is waited for', async () => {
    const inputs = { 'job-id': 'job_9' }
    for (const statuses of [[['error', '', OWN]], [['pending', 'job_9', OWN]]] as const) {
      expect((await runAfter(statuses, { ...RERUN, inputs })).calls).toEqual(['GET /job/job_9'])
    }
    const unread = await runAfter([], { ...RERUN, inputs }, [/\/statuses$/, '502'])
    expect(unread.calls).toEqual(['GET /job/job_9'])
    expect((await runAfter([['failure', '', OWN]], { ...RERUN, inputs })).calls).toEqual([
      'POST /job/job_9/message',
    ])
  })

  it('is nothing, but an earlier job can not be looked for: the attempt after this one may start', async () => {
    const { run, github, statuses } = await startAfter([])
    github.faults.push({ match: /graphql/, end: 'partial' })
    const end = await run(RERUN)
    expect(end).toMatchObject({ hasFailed: true, outputs: { result: 'error' }, calls: [] })
    expect(end.log.at(-1)).toMatch(/^error: Failed to look for an earlier job\. .* safe to run this again\.$/)
    expect(statuses()).toEqual(['failure: Failed to look for an earlier job'])
    github.faults.splice(0, 1, { match: /graphql/, end: '403' })
    const refused = await run({ ...RERUN, attempt: 3 })
    expect(refused.log.at(-1)).toMatch(
      /start the workflow anew instead of re-running it\. Nothing was started\.$/,
    )
  })

  it("can't be written any more: nothing is started", async () => {
    const end = await runAfter([], RERUN, [/pending$/, '502'])
    expect(end).toMatchObject({ hasFailed: true, outputs: { result: 'error' }, calls: [] })
    expect(end.log.at(-1)).toMatch(
      /^error: This re-run failed to write down what it is about to start\. GitHub returned 502/,
    )
  })
})

it.each<[string, RunOptions, readonly string[]]>([
  ['with `follow-up: false`', { inputs: { 'follow-up': 'false' } }, NEW],
  ['without a prompt', { inputs: { prompt: '', 'job-id': 'job_2' } }, ['GET /job/job_2']],
  ['on an event without memory', { event: bareEvent('deployment') }, NEW],
])(
  'a run %s neither looks for a job nor remembers one, on a re-run neither',
  async (_name, options, calls) => {
    for (const again of [{}, RERUN]) {
      const end = await runAfter([['success', 'job_1', PULL]], { ...options, ...again })
      expect(end).toMatchObject({ calls, requests: [] })
      const isSaid = end.log.some((line) =>
        line.startsWith('notice: This is a re-run of a run that remembers no job'),
      )
      expect(isSaid).toBe(again === RERUN && calls === NEW)
    }
  },
)

it.each(OTHER_LEGS)(
  'on a first attempt, a job of this very run is another leg’s, as a warning says, and left alone: %s',
  async (_what, statuses, id) => {
    const end = await runAfter(statuses, { runId: 1001 })
    expect(end.calls).toEqual(id === '' ? NEW : continues(id))
    expect(end.log.join('\n')).toMatch(
      /^warning: Another step or leg of this workflow run .* `id`.*`matrix`.* projects/m,
    )
  },
)

it('what can not be read is said: a first attempt starts a new job', async () => {
  for (const fault of ['502', '204', 'data-null', 'partial'] as const) {
    const end = await runAfter([], {}, [/StepStatuses|graphql/, fault])
    expect(end.calls).toEqual(NEW)
    expect(end.log.join('\n')).toMatch(
      /^notice: Failed to look for an earlier job: .* This run starts a new job\.$/m,
    )
  }
})

it('where the cause was met before, a notice still says that a new job starts', async () => {
  const { world, github, run } = await startAfter([])
  github.faults.push({ match: /graphql/, end: { status: 404, body: {} } })
  const { log } = await run({ event: pushTo(world), inputs: { 'ignore-authors': 'mintlify[bot]' } })
  const annotations = log.filter((line) => /^(?:warning|notice: (?!Job started))/.test(line))
  expect(annotations).toEqual([
    expect.stringContaining('this server has no GraphQL API (404)'),
    'notice: This run starts a new job, as it could not look for an earlier one.',
  ])
  world.scopes.delete('contents: read')
  github.faults.splice(0)
  const lacking = await run({ event: pushTo(world), inputs: { context: 'files' } })
  expect(lacking.log.join('\n')).toMatch(/earlier job: .*`contents: read`[\s\S]*^notice: This run starts/m)
})

describe('where no commit of the last 100 names a job', () => {
  const schedule = { event: bareEvent('schedule') }
  const agent = { 'ignore-authors': 'mintlify[bot]' }
  const success = { workflow: 'docs.yml', head_branch: 'main', conclusion: 'success' }

  it("the commit of the workflow's last success does, if GitHub lets it be read", async () => {
    const { world, run } = await startAfter([['success', 'job_1', PULL]])
    for (let count = 0; count < 100; count++) addCommit(world)
    const tip = addCommit(world).sha
    world.runs.push({ ...success, head_sha: BEFORE, created_at: '2026-01-01T00:00:00Z' })
    addStepStatus(world, ['failure', '', OTHER, { sha: world.commits.get(tip)?.parents[0] }])
    expect((await run({ ...schedule, sha: tip })).calls).toEqual(continues('job_1'))
    world.scopes.delete('actions: read')
    world.statuses.splice(1)
    const end = await run({ ...schedule, sha: tip })
    expect(end.calls).toEqual(NEW)
    expect(end.log.join('\n')).toMatch(
      /^Failed to look up when this workflow last succeeded: .* \(It takes the permission `actions: read`\.\)$/m,
    )
    expect(end.log.join('\n')).not.toContain('Failed to look for an earlier job')
  })

  it('is not known where that commit or the last success can not be read, which a notice says', async () => {
    for (const match of [/\/actions\//, new RegExp(`^GET /commits/${BEFORE.slice(0, 7)}.*statuses`)]) {
      const { world, github, run } = await startAfter([['success', 'job_1', PULL]])
      for (let count = 0; count < 100; count++) addCommit(world)
      world.runs.push({ ...success, head_sha: BEFORE, created_at: '2026-01-01T00:00:00Z' })
      github.faults.push({ match, end: '502' })
      const { calls, log } = await run({ ...schedule, sha: addCommit(world).sha })
      expect([calls, log.filter((line) => /^notice: (?!Job started)/.test(line))]).toEqual([
        NEW,
        [expect.stringContaining('Failed to look for an earlier job: GitHub returned 502')],
      ])
    }
  })

  it.each(LAST_SUCCESS)(
    "the workflow's last success is asked for %s",
    async (_what, times, statuses, options) => {
      const { requests } = await runAfter(statuses, options)
      expect(requests.filter((line) => line.includes('/actions/'))).toHaveLength(times)
    },
  )

  it('no list is read twice', async () => {
    const { world, run } = await startAfter([['failure', '', OTHER]])
    const sha = addCommit(world).sha
    world.runs.push({ ...success, head_sha: BEFORE, created_at: '2026-01-01T00:00:00Z' })
    const { requests } = await run({ ...schedule, sha })
    expect(requests.filter((line) => line.startsWith(`GET /commits/${BEFORE.slice(0, 7)}`))).toHaveLength(1)
    const again = await run({ ...schedule, sha: BEFORE })
    expect(again.requests.filter((line) => /^GET .*statuses$/.test(line))).toHaveLength(1)
  })

  it("the step's announcement on an open pull request of the agent does", async () => {
    const { world, run } = await startAfter([])
    const pull = 'https://github.com/acme/docs/pull/7'
    const replies = { get: [{ body: { status: 'completed', prLink: pull } }] }
    await run({ ...schedule, inputs: { ...agent, wait: 'true' }, replies })
    world.statuses.splice(0)
    const tip = addCommit(world).sha
    const later = { sha: tip, inputs: agent, replies: { get: ['active'] } }
    expect((await run({ ...schedule, ...later })).calls).toEqual(continues('j1'))
  })
})

describe('a merged pull request', () => {
  it('continues the docs pull request of the merge before, and its own comes first', async () => {
    const { world, run } = await startAfter([['success', 'job_1', PULL]])
    const mergeCommit = addCommit(world).sha
    const merged = { merged: true, merge_commit_sha: mergeCommit, head: { sha: HEAD } }
    const event = pullRequest({ action: 'closed', pull: merged })
    expect((await run({ event })).calls).toEqual(continues('job_1'))
    world.statuses.splice(1)
    addStepStatus(world, ['success', 'job_5', 'https://github.com/acme/docs/pull/8', { sha: HEAD }])
    addPull(world, { number: 8, user: AGENT })
    expect((await run({ event })).calls).toEqual(continues('job_5'))
  })
})

it('a job is found on the commits of an open pull request, and on those that a forced push replaced', async () => {
  const { world, run } = await startAfter([
    ['success', 'job_1', PULL],
    ['success', 'job_5', 'https://github.com/acme/docs/pull/7', { sha: HEAD }],
  ])
  const pull = world.pulls.get(5)
  if (pull === undefined) throw new Error('There is no pull request 5.')
  const { sha } = pushToPull(world, pull, { force: true })
  const event = pullRequest({ action: 'synchronize', pull: { head: { sha } } })
  expect((await run({ event })).calls).toEqual(continues('job_5'))
  const forced = await startAfter([['success', 'job_5', PULL, { sha: HEAD }]])
  addCommit(forced.world)
  expect((await forced.run({ event: pushOf(forced.world, HEAD) })).calls).toEqual(continues('job_5'))
})
