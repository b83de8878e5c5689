import type { OutputValues } from '../runner/outputs.ts'
import type { Job } from '../service/job.ts'
import type { Outcome } from './outcome.ts'
import { pullRequestNumber } from './pull-request.ts'

/** The outputs of an agent job at its end. */
export function jobOutputs({ result, job, jobId, durationSeconds }: Outcome): OutputValues {
  return {
    'job-id': jobId,
    result,
    ...(durationSeconds === undefined ? {} : { 'duration-seconds': String(durationSeconds) }),
    ...(job === undefined ? {} : describedOutputs(job)),
  }
}

function describedOutputs(job: Job): OutputValues {
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
