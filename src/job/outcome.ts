import { FAIL_ON_RESULTS, type FailOnResult } from '../inputs/table.ts'
import { isLoopbackHost } from '../lib/loopback.ts'
import type { OutputValues } from '../runner/outputs.ts'
import type { Job } from '../service/job.ts'

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

/**
 * The number of a pull request (GitHub) or merge request (GitLab), from its URL.
 *
 * @returns digits; empty if the URL has none
 */
export function pullRequestNumber(prLink: string | null): string {
  const path = URL.parse(prLink ?? '')?.pathname ?? ''
  return /\/(?:pull|pulls|pull-requests|merge_requests|pullrequest)\/(\d+)(?:\/|$)/.exec(path)?.[1] ?? ''
}

/**
 * A short name for a pull request: `acme/docs#12`, with the host before it unless that is well known, or the URL's host
 * and path where that form is not known.
 */
export function pullRequestName(prLink: string): string {
  const url = URL.parse(prLink)
  const number = pullRequestNumber(prLink)
  const project = /^\/(.+?)\/(?:-\/)?(?:pull|pulls|pull-requests|merge_requests|pullrequest)\//.exec(
    url?.pathname ?? '',
  )?.[1]
  if (url === null) return prLink
  if (number === '' || project === undefined) return `${url.host}${url.pathname}`
  const host = isWellKnown(url) ? '' : `${url.host}/`
  return `${host}${project}${url.pathname.includes('/merge_requests/') ? '!' : '#'}${number}`
}

/** Whether a host needs no naming; any other could pass for one of these. */
function isWellKnown({ hostname }: URL): boolean {
  return ['github.com', 'gitlab.com', 'bitbucket.org'].includes(hostname) || isLoopbackHost(hostname)
}
