import type { FailOnResult } from '../../src/inputs/table.ts'
import { type JobResult, type Outcome, outcomeOf } from '../../src/job/outcome.ts'
import type { Plan } from '../../src/job/plan.ts'
import type { PollEnd } from '../../src/job/poll.ts'
import { type Job, readJob } from '../../src/service/job.ts'

export const PR_LINK = 'https://github.com/acme/docs/pull/12'

export const CREATE: Plan = { kind: 'create', prompt: 'Explain the flag.' }

/** How a wait may end, and the result that most often comes of it. */
export const ENDS: Readonly<Record<PollEnd['end'], readonly JobResult[]>> = {
  finished: ['pull-request', 'no-pull-request', 'failed', 'archived'],
  running: ['submitted'],
  'timed-out': ['timed-out'],
  cancelled: ['cancelled'],
  refused: ['error'],
}

type Change = {
  readonly plan?: Plan
  readonly jobId?: string
  readonly end?: PollEnd['end']
  readonly error?: unknown
  /** Fields of the job. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly job?: Job | undefined
  readonly failOn?: ReadonlySet<FailOnResult>
  readonly lastLookAfterMs?: number
}

/** The outcome of a job that was created and waited for, and that ended so. */
export function outcome(result: JobResult, change: Change = {}): Outcome {
  const { plan = CREATE, jobId = 'j1', fields = {}, error, lastLookAfterMs = 185_000 } = change
  const read = readJob({
    id: 'j1',
    status: result === 'failed' || result === 'archived' ? result : 'completed',
    source: { repository: 'https://github.com/acme/docs.git', ref: 'docs/flag' },
    model: 'docs-agent-1',
    createdAt: '2026-08-01T10:00:00Z',
    prLink: result === 'pull-request' ? PR_LINK : null,
    extra: 7,
    ...fields,
  })
  const ends = Object.keys(ENDS) as PollEnd['end'][]
  const end = change.end ?? ends.find((one) => ENDS[one].includes(result)) ?? 'finished'
  const job = 'job' in change ? change.job : read
  return outcomeOf(
    plan,
    { end, job, error, jobId, startedAtMs: 1000, lastLookAtMs: 1000 + lastLookAfterMs },
    { timeout: 1_800_000, 'fail-on': change.failOn ?? new Set(['failed', 'timed-out']) },
  )
}
