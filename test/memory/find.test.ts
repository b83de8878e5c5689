import { expect, it } from 'vitest'
import { bareEvent, type Event, pullRequest } from '../support/events.ts'
import type { FaultName } from '../support/github.ts'
import { type RunOptions, startHarness } from '../support/harness.ts'
import { AGENT, addPull, addStatus, BEFORE, person, type World } from '../support/world.ts'

const PULL = 'https://github.com/acme/docs/pull/7'
const GITLAB = 'https://git.example.com/acme/docs/-/merge_requests/7'
const runUrl = (id: number): string => `https://github.com/acme/docs/actions/runs/${id}`
const RERUN = { runId: 1001, attempt: 2 }
const HEAD = 'd'.repeat(40)
const onHead = pullRequest({ action: 'synchronize', pull: { head: { sha: HEAD } } })

/** A status of this step: the job that it names, where it leads, and other fields. */
type Remembered = readonly [
  jobId: string,
  target: string,
  change?: { readonly sha?: string; readonly [name: string]: unknown },
]

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

const NEW = ['POST /job']
const goesOn = (id: string): string[] => [`GET /job/${id}`, `POST /job/${id}/message`]
const pending = { state: 'pending' }

it.each<[string, readonly Remembered[], readonly string[], string?]>([
  ['no status', [], NEW],
  [
    'a status that leads to the run',
    [['job_1', runUrl(999), pending]],
    goesOn('job_1'),
    'it has no pull request yet',
  ],
  [
    'one that leads to a pull request',
    [
      ['job_1', runUrl(999), pending],
      ['job_1', PULL],
    ],
    goesOn('job_1'),
    PULL,
  ],
  [
    'several jobs',
    [
      ['job_1', PULL],
      ['job_2', PULL, { state: 'failure' }],
    ],
    goesOn('job_2'),
    PULL,
  ],
  [
    'a link elsewhere',
    [
      ['job_1', PULL],
      ['job_3', GITLAB, pending],
    ],
    goesOn('job_3'),
    GITLAB,
  ],
  [
    'a status without a job',
    [['', PULL]],
    NEW,
    "the step's commit status does not name its job. This run starts",
  ],
  [
    'that of another project',
    [['job_1', PULL, { context: 'Docs agent: guides (docs.yml, docs, agent)' }]],
    NEW,
  ],
])(
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

const first: Remembered = ['job_first', runUrl(1001), pending]
const second: Remembered = ['job_second', runUrl(1001), pending]

it.each<[string, Event, readonly Remembered[], readonly string[]]>([
  [
    'the newest one',
    bareEvent('release'),
    [['job_0', PULL], first, second, ['job_1', runUrl(1002)]],
    ['GET /job/job_second'],
  ],
  [
    'not that of a stranger',
    bareEvent('release'),
    [first, ['job_x', runUrl(1001), { creator: person('x') }]],
    ['GET /job/job_first'],
  ],
  ['not that of another run', bareEvent('release'), [['job_1', runUrl(10012), pending]], goesOn('job_1')],
  [
    "on a pull request's head",
    onHead,
    [['job_1', runUrl(1001), { ...pending, sha: HEAD }]],
    ['GET /job/job_1'],
  ],
  ['else that of the step', onHead, [['job_1', PULL, { sha: HEAD }]], goesOn('job_1')],
])('a re-run waits for the job of its earlier attempt: %s', async (_what, event, statuses, calls) => {
  const end = await runAfter(statuses, { ...RERUN, event })
  expect(end).toMatchObject({ hasFailed: false, calls })
})

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
