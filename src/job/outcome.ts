import { FAIL_ON_RESULTS, type FailOnResult } from '../inputs/table.ts'
import type { OutputValues } from '../runner/outputs.ts'
import type { Job } from '../service/job.ts'
import { pullRequestNumber } from './pull-request.ts'

/** What became of a request for a job. */
export type JobResult = 'pull-request' | FailOnResult | 'cancelled' | 'submitted' | 'error'

/** The end of a request for a job. */
export type Outcome = {
  readonly result: JobResult
  /** The job as last seen. */
  readonly job: Job | undefined
  /** Empty if the service delivered none. */
  readonly jobId: string
  /** Whole seconds from creation (or attach) to the last poll. */
  readonly durationSeconds: number | undefined
  /** What went wrong, in a few words without a full stop; empty where the result says it. */
  readonly headline: string
  /** Why it ended so, where result and headline do not say it all, as sentences. */
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
  return result === 'cancelled' || result === 'error' || isNamedBy(failOn, result)
}

/** Whether `fail-on` names a result. */
export function isNamedBy(failOn: ReadonlySet<FailOnResult>, result: JobResult): boolean {
  return FAIL_ON_RESULTS.some((failing) => failing === result && failOn.has(failing))
}

/** The outputs of an agent job at its end. */
export function jobOutputs({ result, job, jobId, durationSeconds }: Outcome): OutputValues {
  return {
    'job-id': jobId,
    result,
    ...(durationSeconds === undefined ? {} : { 'duration-seconds': String(durationSeconds) }),
    ...(job === undefined ? {} : outputsOfJob(job)),
  }
}

function outputsOfJob(job: Job): OutputValues {
  return {
    status: job.status,
    'pr-link': job.prLink ?? '',
    'pr-number': pullRequestNumber(job.prLink),
    repository: job.repository ?? '',
    ref: job.ref ?? '',
    model: job.model ?? '',
    'created-at': job.createdAt ?? '',
    'archived-at': job.archivedAt ?? '',
    job: job.json,
  }
}
