import { bareEvent, type Event, pullRequest } from '../support/events.ts'
import { person } from '../support/world.ts'

export const PULL = 'https://github.com/acme/docs/pull/7'
const GITLAB = 'https://git.example.com/acme/docs/-/merge_requests/7'
const runUrl = (id: number): string => `https://github.com/acme/docs/actions/runs/${id}`
export const RERUN = { runId: 1001, attempt: 2 }
export const HEAD = 'd'.repeat(40)
const onHead = pullRequest({ action: 'synchronize', pull: { head: { sha: HEAD } } })

/** A status of this step: the job that it names, where it leads, and other fields. */
export type Remembered = readonly [
  jobId: string,
  target: string,
  change?: { readonly sha?: string; readonly [name: string]: unknown },
]

export const NEW = ['POST /job']
const goesOn = (id: string): string[] => [`GET /job/${id}`, `POST /job/${id}/message`]
const pending = { state: 'pending' }

export const first: Remembered = ['job_first', runUrl(1001), pending]
export const second: Remembered = ['job_second', runUrl(1001), pending]

/** Statuses before a run, and what it asks of the docs service. */
export const FURTHER_RUNS: readonly [string, readonly Remembered[], readonly string[], string?][] = [
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
]

/** The same for the second attempt of run 1001. */
export const RE_RUNS: readonly [string, Event, readonly Remembered[], readonly string[]][] = [
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
]
