import { expect, it } from 'vitest'
import { bareEvent } from '../support/events.ts'
import type { FaultName } from '../support/github.ts'
import { type RunOptions, startHarness } from '../support/harness.ts'
import { AGENT, addPull, addStatus, BEFORE, type World } from '../support/world.ts'
import { FURTHER_RUNS, first, HEAD, NEW, PULL, RE_RUNS, RERUN, type Remembered } from './find.cases.ts'

function remember(world: World, [jobId, target_url, { sha = BEFORE, ...change } = {}]: Remembered): void {
  const description = jobId === '' ? 'Completed' : `Completed (${jobId})`
  const context = 'Docs agent: docs (docs.yml, docs, agent)'
  addStatus(world, sha, { context, state: 'success', description, target_url, ...change })
}

/** A run after these statuses, each set a second after the one before; every job of the docs service is active. */
async function runAfter(
  statuses: readonly Remembered[],
  { inputs, ...options }: RunOptions = {},
  fault?: [RegExp, FaultName],
) {
  const { run, world, clock, github } = await startHarness({ replies: {} })
  addPull(world, { number: 5, head: { ref: 'flag', sha: HEAD } })
  addPull(world, { number: 7, user: AGENT })
  for (const status of statuses) {
    remember(world, status)
    await clock.sleep(1000)
  }
  if (fault !== undefined) github.faults.push({ match: fault[0], end: fault[1] })
  const usual = { prompt: 'Document it.', context: 'none', 'ignore-authors': '', wait: 'false' }
  return await run({ event: bareEvent('release'), sha: BEFORE, ...options, inputs: { ...usual, ...inputs } })
}

it.each(FURTHER_RUNS)(
  'after %s a run goes on with the newest job that its step remembers',
  async (_what, statuses, calls, words = '') => {
    const end = await runAfter(statuses)
    expect(end).toMatchObject({ outputs: { result: 'submitted' }, calls })
    expect(end.log.join('\n')).toContain(words)
  },
)

it.each<[string, RunOptions, readonly string[]]>([
  ['with `follow-up: false`', { inputs: { 'follow-up': 'false' } }, NEW],
  ['without a prompt', { inputs: { prompt: '', 'job-id': 'job_2' } }, ['GET /job/job_2']],
  ['on an event without memory', { event: bareEvent('deployment') }, NEW],
])(
  'a run %s neither looks for a job nor remembers one, on a re-run neither',
  async (_what, options, calls) => {
    for (const again of [{}, RERUN]) {
      expect(await runAfter([['job_1', PULL]], { ...options, ...again })).toMatchObject({
        calls,
        requests: [],
      })
    }
  },
)

it.each(RE_RUNS)(
  'a re-run waits for the job of its earlier attempt: %s',
  async (_what, event, statuses, calls) => {
    const end = await runAfter(statuses, { ...RERUN, event })
    expect(end).toMatchObject({ hasFailed: false, calls })
  },
)

it.each<[string, RegExp, FaultName]>([
  ['the statuses can not be read', /statuses$/, '502'],
  ['the statuses are no list', /statuses$/, 'empty'],
  ['the history is partial', /graphql/, 'partial'],
])('a re-run starts nothing where %s', async (_what, match, fault) => {
  const end = await runAfter([], RERUN, [match, fault])
  expect(end).toMatchObject({ hasFailed: true, outputs: { result: 'error' }, calls: [] })
  expect(end.log.at(-1)).toMatch(/^error: Unknown which job the first attempt started\. GitHub/)
})

it('a re-run finds its job where the history fails and the account can be asked for alone', async () => {
  expect((await runAfter([first], RERUN, [/History/, '502'])).calls).toEqual(['GET /job/job_first'])
})
