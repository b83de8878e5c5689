import { describe, expect, it } from 'vitest'
import { bareEvent, pullRequest, push, pushTo } from '../support/events.ts'
import type { FaultName } from '../support/github.ts'
import { type RunOptions, startHarness } from '../support/harness.ts'
import {
  AGENT,
  addCommit,
  addPull,
  addStatus,
  BEFORE,
  mergePull,
  pushToPull,
  type World,
} from '../support/world.ts'

import {
  attemptUrl,
  CONTEXT,
  continues,
  FURTHER_RUNS,
  HEAD,
  LAST_SUCCESS,
  NEW,
  OF_BRANCH,
  OF_PULL,
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
} from './find-in-statuses.cases.ts'

function addStepStatus(
  world: World,
  [state, jobId, target_url, { sha = BEFORE, ...change } = {}]: Status,
): void {
  const description = jobId === '' ? 'Words' : `Words (${jobId})`
  addStatus(world, sha, { context: CONTEXT, state, description, target_url, ...change })
}

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

async function runAfter(
  statuses: readonly Status[],
  options?: RunOptions,
  fault?: [RegExp, FaultName],
) {
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
  addStepStatus(world, [
    'failure',
    '',
    attemptUrl(902),
    { sha: shas[0], created_at: '2025-01-01T00:00:00Z' },
  ])
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

it('a status that is nobody’s hides no job on an older commit either', async () => {
  const { world, run } = await startAfter([
    ['success', 'job_1', PULL],
    ['failure', '', ''],
  ])
  const { calls, log } = await run({ sha: addCommit(world).sha })
  expect([calls, log.filter((line) => line.includes('may have started'))]).toEqual([
    continues('job_1'),
    [],
  ])
})

it('a pull request that is not merged has nothing to do with the jobs of its base branch', async () => {
  expect(
    (await runAfter([['success', 'job_1', PULL]], { event: onHead, sha: HEAD })).calls,
  ).toEqual(NEW)
})

it("a commit's list that can not be read may hide a job, which the log says", async () => {
  const { world, github, run } = await startAfter([])
  const [covered = '', sha = ''] = Array.from({ length: 2 }, () => addCommit(world).sha)
  addStepStatus(world, ['error', '', OTHER, { sha: covered }])
  github.faults.push({
    match: new RegExp(`^GET /commits/${covered.slice(0, 7)}.*statuses`),
    end: '502',
  })
  const { calls, log } = await run({ sha })
  expect([calls, log.filter((line) => /^(?:warning|notice): (?!Job started)/.test(line))]).toEqual([
    NEW,
    [
      expect.stringContaining(`An earlier run (${OTHER}) may have started a job`),
      expect.stringMatching(
        /Failed to look for an earlier job: GitHub returned 502.* starts a new job/,
      ),
    ],
  ])
})

describe('on a re-run, what earlier attempts left', () => {
  it.each(RE_RUNS)('%s', async (_name, event, statuses, calls) => {
    const end = await runAfter(statuses, { ...RERUN, event })
    expect(end).toMatchObject({ hasFailed: false, calls })
  })

  it.each(UNKNOWN_STARTS)('%s, so nothing is started', async (_name, statuses, set, fault) => {
    const { run, github, world } = await startAfter(statuses)
    if (fault !== undefined) github.faults.push({ match: fault[0], end: fault[1] })
    const before = world.statuses.length
    const end = await run(RERUN)
    expect(end).toMatchObject({ hasFailed: true, outputs: { result: 'error' }, calls: [] })
    expect(end.log.at(-1)).toMatch(
      /^error: Unknown whether an earlier attempt of this run started a job\./,
    )
    expect(end.log.at(-1)).toMatch(/start the workflow anew/)
    // It ends what is pending, and leaves alone what it could not read.
    expect(world.statuses.slice(before).map(({ state }) => state)).toEqual(set)
  })

  it('may have been a message to the job of `job-id`: none is sent again, and the job is waited for', async () => {
    const inputs = { 'job-id': 'job_9' }
    for (const statuses of [[['error', '', OWN]], [['pending', 'job_9', OWN]]] as const) {
      expect((await runAfter(statuses, { ...RERUN, inputs })).calls).toEqual(['GET /job/job_9'])
    }
    // The same where the memory can't be read, or can't be written.
    for (const match of [/\/statuses$/, /pending$/]) {
      for (const fault of ['502', '403'] as const) {
        const { calls, hasFailed } = await runAfter([], { ...RERUN, inputs }, [match, fault])
        expect([calls, hasFailed]).toEqual([['GET /job/job_9'], false])
      }
    }
    expect((await runAfter([['failure', '', OWN]], { ...RERUN, inputs })).calls).toEqual([
      'POST /job/job_9/message',
    ])
  })

  it('is nothing, but an earlier job can not be looked for: the attempt after this one may start', async () => {
    const { run, github, statuses } = await startAfter([])
    github.faults.push({ match: /graphql/, end: 'partial' })
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

  it('can not be read for lack of a permission, which is named', async () => {
    const { world, run } = await startAfter([])
    world.scopes.delete('statuses: write')
    const end = await run(RERUN)
    expect([end.calls, end.outputs['result']]).toEqual([[], 'error'])
    expect(end.log.at(-1)).toMatch(
      /^error: Unknown whether an earlier attempt .*`statuses: read`.*start the/,
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

it('without follow-up a run starts a job of its own, which its re-run finds', async () => {
  const { run } = await startAfter([['success', 'job_1', PULL]])
  const inputs = { 'follow-up': 'false' }
  expect((await run({ runId: 1001, inputs })).calls).toEqual(NEW)
  expect((await run({ ...RERUN, inputs })).calls).toEqual(['GET /job/j1'])
})

it.each(OTHER_LEGS)(
  'on a first attempt, a job of this very run is another leg’s, and left alone: %s',
  async (_what, statuses, id) => {
    const { calls } = await runAfter(statuses, { runId: 1001 })
    expect(calls).toEqual(id === '' ? NEW : continues(id))
  },
)

it('what can not be read is said: a first attempt starts a new job', async () => {
  for (const fault of ['502', '204', 'data-null', 'partial'] as const) {
    const end = await runAfter([], {}, [/StepStatuses|graphql/, fault])
    expect(end.calls).toEqual(NEW)
    expect(end.log.join('\n')).toMatch(
      /^warning: Failed to look for an earlier job: .*, so this run starts a new job, and with it another/m,
    )
  }
})

it('what permission the search lacks is said', async () => {
  const { world, run } = await startAfter([])
  world.scopes.delete('contents: read')
  const { log } = await run({ event: pushTo(world) })
  expect(log.join('\n')).toMatch(
    /^warning: `contents: read` is missing .*, so this run starts a new job, .*earlier job/m,
  )
})

describe('where no commit of the last 100 names a job', () => {
  const schedule = { event: bareEvent('schedule') }
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
      /^Failed to look up when this workflow last succeeded: .* \(It takes `actions: read`\.\)$/m,
    )
    expect(end.log.join('\n')).not.toContain('Failed to look for an earlier job')
  })

  it('is not known where that commit or the last success can not be read, which is said', async () => {
    for (const match of [
      /\/actions\//,
      new RegExp(`^GET /commits/${BEFORE.slice(0, 7)}.*statuses`),
    ]) {
      const { world, github, run } = await startAfter([['success', 'job_1', PULL]])
      for (let count = 0; count < 100; count++) addCommit(world)
      world.runs.push({ ...success, head_sha: BEFORE, created_at: '2026-01-01T00:00:00Z' })
      github.faults.push({ match, end: '502' })
      const { calls, log } = await run({ ...schedule, sha: addCommit(world).sha })
      expect([calls, log.filter((line) => line.startsWith('warning'))]).toEqual([
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
    expect(
      requests.filter((line) => line.startsWith(`GET /commits/${BEFORE.slice(0, 7)}`)),
    ).toHaveLength(1)
    const again = await run({ ...schedule, sha: BEFORE })
    expect(again.requests.filter((line) => /^GET .*statuses$/.test(line))).toHaveLength(1)
  })
})

describe('what one pull request or branch started', () => {
  const onBranch = (ref: string, sha: string) => {
    const { name, payload } = push({ ref, after: sha, before: BEFORE, forced: false, commits: [] })
    return { event: { name, payload }, sha, env: { GITHUB_REF: ref } }
  }

  it('is handed on by a merged pull request to its base, and its own job comes first', async () => {
    const { world, run } = await startAfter([['success', 'job_1', PULL]])
    const pull = world.pulls.get(5)
    if (pull === undefined) throw new Error('There is no pull request 5.')
    mergePull(world, pull)
    const event = pullRequest({ action: 'closed', pull: { ...pull.fields, number: 5 } })
    expect((await run({ event })).calls).toEqual(continues('job_1'))
    world.statuses.splice(1)
    addStepStatus(world, ['success', 'job_5', PULL, { sha: HEAD, context: OF_PULL }])
    expect((await run({ event })).calls).toEqual(continues('job_5'))
    // The next push to the base finds it there.
    expect((await run({ event: pushTo(world) })).calls).toEqual(continues('job_5'))
    // Merged by a fast-forward, its head is the merge commit.
    const forwarded = { ...pull.fields, number: 5, merge_commit_sha: HEAD }
    world.statuses.splice(2)
    expect(
      (await run({ event: pullRequest({ action: 'closed', pull: forwarded }) })).calls,
    ).toEqual(continues('job_5'))
  })

  it('is not continued by a pull request stacked on it, or of the same head on another base', async () => {
    const { world, run } = await startAfter([
      ['success', 'job_5', PULL, { sha: HEAD, context: OF_PULL }],
    ])
    const stacked = addPull(world, { number: 6, head: { ref: 'next' }, base: { ref: 'flag' } })
    stacked.commits = [HEAD, ...stacked.commits]
    addPull(world, { number: 8, head: { ref: 'flag', sha: HEAD }, base: { ref: 'release/1.x' } })
    for (const number of [6, 8]) {
      const { fields } = world.pulls.get(number) ?? {}
      const event = pullRequest({ action: 'synchronize', number, pull: { ...fields, number } })
      expect([number, (await run({ event })).calls]).toEqual([number, NEW])
    }
    expect((await run({ event: onHead })).calls).toEqual(continues('job_5'))
  })

  it('on a branch is continued there alone', async () => {
    const { world, run } = await startAfter([['success', 'job_1', PULL]])
    const { sha } = addCommit(world, { branch: 'release/1.x' })
    const release1 = onBranch('refs/heads/release/1.x', sha)
    expect((await run(release1)).calls).toEqual(NEW)
    expect(world.statuses.at(-1)?.context).toBe(OF_BRANCH)
    expect((await run(onBranch('refs/heads/main', BEFORE))).calls).toEqual(continues('job_1'))
    expect((await run({ ...release1, replies: { get: ['active'] } })).calls).toEqual(
      continues('j1'),
    )
  })

  it('on an open pull request is found on its commits, and on those that a forced push replaced', async () => {
    const { world, run } = await startAfter([
      ['success', 'job_1', PULL],
      ['success', 'job_5', PULL, { sha: HEAD, context: OF_PULL }],
    ])
    const pull = world.pulls.get(5)
    if (pull === undefined) throw new Error('There is no pull request 5.')
    const { sha } = pushToPull(world, pull, { force: true })
    const event = pullRequest({ action: 'synchronize', pull: { head: { sha } } })
    expect((await run({ event })).calls).toEqual(continues('job_5'))
  })
})
