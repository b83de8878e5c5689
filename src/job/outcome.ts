import { FAIL_ON_RESULTS, type FailOnResult } from '../inputs/table.ts'
import type { Job } from '../service/job.ts'

/** What became of an ask for a job. */
export type JobResult = 'pull-request' | FailOnResult | 'cancelled' | 'submitted' | 'error'

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
  /** The prompt or message that was sent; empty if none was. */
  readonly sent: string
}

/** The result of a job that is over. */
export function resultOf(job: Job): JobResult {
  if (job.status === 'completed') return job.prLink === null ? 'no-pull-request' : 'pull-request'
  return job.status === 'archived' ? 'archived' : 'failed'
}

/** Whether an outcome fails the step. `cancelled` and `error` always do. */
export function isFailure(result: JobResult, failOn: ReadonlySet<FailOnResult>): boolean {
  if (result === 'cancelled' || result === 'error') return true
  return FAIL_ON_RESULTS.some((failing) => failing === result && failOn.has(failing))
}
