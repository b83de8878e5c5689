import { bareEvent, type Event, pullRequest, pushBy } from '../support/events.ts'
import type { FaultName } from '../support/github.ts'
import type { RunOptions } from '../support/harness.ts'
import { person } from '../support/world.ts'

export const PULL = 'https://github.com/acme/docs/pull/7'
export const attemptUrl = (id: number, attempt = 1): string =>
  `https://github.com/acme/docs/actions/runs/${id}/attempts/${attempt}`
export const RERUN = { runId: 1001, attempt: 2 }
export const HEAD = 'd'.repeat(40)
export const release = bareEvent('release')
export const onHead = pullRequest({ action: 'synchronize', pull: { head: { sha: HEAD } } })
export const CONTEXT = 'Docs agent: docs (docs.yml, docs, agent)'
/** The name of the statuses of pull request 5 until it is merged, and of a branch. */
export const OF_PULL = CONTEXT.replace(')', ', #5)')
export const OF_BRANCH = CONTEXT.replace(')', ', branch release/1.x)')

/** A status of this step: its state, the job that it names, where it leads, and other fields. */
export type Status = readonly [
  state: string,
  jobId: string,
  target: string,
  change?: { readonly sha?: string | undefined; readonly [name: string]: unknown },
]

export const NEW = ['POST /job']
export const continues = (id: string): string[] => [`GET /job/${id}`, `POST /job/${id}/message`]
export const OTHER = attemptUrl(999)
export const OWN = attemptUrl(1001)

const schedule = bareEvent('schedule')
const hasFailed: readonly Status[] = [['failure', 'job_1', PULL]]

/** How often the workflow's last success is asked for, to find a job on its commit. */
export const LAST_SUCCESS: readonly [string, number, readonly Status[], RunOptions][] = [
  ['by a schedule without a job', 1, [], { event: schedule }],
  ['by a push without a job', 1, [], { event: pushBy('octocat') }],
  ['not where a status names a job', 0, hasFailed, { event: schedule }],
  ['not by a message to `job-id`', 0, [], { event: schedule, inputs: { 'job-id': 'job_2' } }],
  ['not without follow-up', 0, [], { event: schedule, inputs: { 'follow-up': 'false' } }],
  ['not on a tag', 0, [], { event: schedule, env: { GITHUB_REF: 'refs/tags/v1' } }],
  ['not without a prompt', 0, [], { event: schedule, inputs: { prompt: '', 'job-id': 'job_2' } }],
  ['not by a re-run that has a job', 0, [['pending', 'job_1', OWN]], { ...RERUN, event: schedule }],
]

/** Statuses before a run, what it asks of the docs service, and words of its log. */
export const FURTHER_RUNS: readonly [string, readonly Status[], readonly string[], string?][] = [
  ['no status starts a new job', [], NEW],
  [
    'a status of a run continues its job',
    [['pending', 'job_1', OTHER]],
    continues('job_1'),
    'has no pull request yet',
  ],
  [
    'brackets within a description name no job',
    [['failure', '', OTHER, { description: 'Failed (job_1) again' }]],
    NEW,
  ],
  [
    "a stranger's status of that name counts",
    [['pending', 'job_1', OTHER, { creator: person('x') }]],
    continues('job_1'),
  ],
  [
    'a job has no pull request of another one',
    [
      ['success', 'job_1', PULL],
      ['pending', 'job_2', OTHER],
    ],
    continues('job_2'),
    'has no pull request yet',
  ],
  [
    'a status that leads to a pull request continues that',
    [
      ['pending', 'job_1', OTHER],
      ['success', 'job_1', PULL],
    ],
    continues('job_1'),
    PULL,
  ],
  [
    'the newest of several jobs counts, whatever its state',
    [
      ['success', 'job_1', PULL],
      ['pending', 'job_2', attemptUrl(998)],
      ['failure', 'job_2', PULL],
    ],
    continues('job_2'),
    PULL,
  ],
  [
    'a run that started nothing is passed over',
    [
      ['pending', 'job_1', attemptUrl(998)],
      ['success', 'job_1', PULL],
      ['pending', '', OTHER],
      ['failure', '', OTHER],
    ],
    continues('job_1'),
  ],
  [
    'a run that may have started a job is passed over, which a notice says',
    [
      ['pending', 'job_1', attemptUrl(998)],
      ['success', 'job_1', PULL],
      ['error', '', OTHER],
    ],
    continues('job_1'),
    `notice: An earlier run (${OTHER}) may have started a job that its commit status does not name`,
  ],
  [
    'the newest status of a run counts, not an older one that names a job',
    [
      ['pending', 'job_1', OTHER],
      ['failure', '', OTHER],
    ],
    NEW,
  ],
  [
    'a status that belongs to no run and names no job is nobody’s',
    [
      ['success', 'job_1', PULL],
      ['error', '', ''],
      ['pending', '', 'https://ci.example.com/1'],
    ],
    continues('job_1'),
  ],
  [
    'an open pull request’s job is not the branch’s, though they share the commit',
    [['success', 'job_1', PULL, { context: OF_PULL }]],
    NEW,
  ],
  [
    'another branch’s job is not this one’s, though they share the commit',
    [['success', 'job_1', PULL, { context: OF_BRANCH }]],
    NEW,
  ],
  [
    'another project is another step',
    [['success', 'job_1', PULL, { context: CONTEXT.replace(': docs', ': guides') }]],
    NEW,
  ],
  [
    'another leg is another step',
    [['success', 'job_1', PULL, { context: CONTEXT.replace(')', ', api)') }]],
    NEW,
  ],
]

/** Statuses before the first attempt of run 1001, some of that very run; and the job that it continues. */
export const OTHER_LEGS: readonly [string, readonly Status[], string][] = [
  [
    'one that is pending',
    [
      ['success', 'job_0', PULL],
      ['pending', 'job_1', OWN],
    ],
    'job_0',
  ],
  [
    'one that has ended, told by the pending status of the same job',
    [
      ['pending', 'job_1', OWN],
      ['pending', 'job_3', OTHER],
      ['failure', 'job_1', PULL],
      ['success', 'job_1', PULL],
    ],
    'job_3',
  ],
  [
    'the only ones on this commit',
    [
      ['pending', 'job_1', OWN],
      ['success', 'job_1', PULL],
    ],
    '',
  ],
  [
    'one that continues the job of another run',
    [
      ['pending', 'job_1', attemptUrl(900)],
      ['pending', 'job_2', attemptUrl(800)],
      ['success', 'job_1', PULL],
      ['pending', 'job_1', OWN],
    ],
    'job_1',
  ],
]

/** The same for the second attempt of run 1001. */
export const RE_RUNS: readonly [string, Event, readonly Status[], readonly string[]][] = [
  ['names a job, which is waited for', release, [['pending', 'job_1', OWN]], ['GET /job/job_1']],
  [
    'leads to a pull request; its pending status says whose it is',
    release,
    [
      ['pending', 'job_1', OWN],
      ['success', 'job_1', PULL],
      ['pending', 'job_2', OTHER],
      ['success', 'job_2', PULL],
    ],
    ['GET /job/job_1'],
  ],
  [
    'is of several attempts: the newest counts',
    release,
    [
      ['pending', 'job_1', OWN],
      ['failure', 'job_1', OWN],
      ['pending', 'job_2', attemptUrl(1001, 2)],
    ],
    ['GET /job/job_2'],
  ],
  [
    "stands on a pull request's head",
    onHead,
    [['pending', 'job_1', OWN, { sha: HEAD, context: OF_PULL }]],
    ['GET /job/job_1'],
  ],
  ['says that nothing was started, so it starts', release, [['failure', '', OWN]], NEW],
  ['is nothing, so it starts', release, [], NEW],
  ['is nobody’s, so it starts', release, [['pending', '', '']], NEW],
  [
    'is nothing of this run, so it continues',
    release,
    [['success', 'job_1', PULL]],
    continues('job_1'),
  ],
  [
    'is nothing of this run, whose id is only like another',
    release,
    [['pending', 'job_1', attemptUrl(10012)]],
    continues('job_1'),
  ],
]

/** Statuses, or a failure, that leave unknown what the first attempt started; and the statuses then set. */
export const UNKNOWN_STARTS: readonly [
  string,
  readonly Status[],
  readonly string[],
  [RegExp, FaultName]?,
][] = [
  ['is pending without a job', [['pending', '', OWN]], ['error']],
  ['is an error without a job', [['error', '', OWN]], ['error']],
  [
    'shows two jobs of one attempt',
    [
      ['pending', 'job_1', OWN],
      ['pending', 'job_2', OWN],
    ],
    [],
  ],
  [
    'shows two starts of one attempt',
    [
      ['pending', 'job_1', OWN],
      ['pending', '', OWN],
    ],
    [],
  ],
  ["can't be read", [], [], [/\/statuses$/, '502']],
  ['is no list', [], [], [/\/statuses$/, 'empty']],
]
