import type { Job } from '../service/job.ts'

/** How a wait can end that a user may want to fail the step. */
export const FAILING_RESULTS = ['failed', 'archived', 'timed-out', 'no-pull-request'] as const

/** One of `FAILING_RESULTS`. */
export type FailingResult = (typeof FAILING_RESULTS)[number]

/** What became of an ask for a job. */
export type JobResult = 'pull-request' | FailingResult | 'cancelled' | 'submitted' | 'error'

/** The end of an ask for a job. */
export type Outcome = {
  readonly result: JobResult
  /** The job as last seen. */
  readonly job: Job | undefined
  /** Empty if the service delivered none. */
  readonly jobId: string
  /** Whole seconds from creation (or attach) to the last look. */
  readonly durationSeconds: number | undefined
  /** Why it ended so, where the job does not say it, as sentences. */
  readonly reason: string
}

/** The result of a job that is over. */
export function resultOf(job: Job): JobResult {
  if (job.status === 'completed') return job.prLink === null ? 'no-pull-request' : 'pull-request'
  return job.status === 'archived' ? 'archived' : 'failed'
}

/** Whether an outcome fails the step. `cancelled` and `error` always do. */
export function isFailure(result: JobResult, failOn: ReadonlySet<FailingResult>): boolean {
  if (result === 'cancelled' || result === 'error') return true
  return FAILING_RESULTS.some((failing) => failing === result && failOn.has(failing))
}
