import type { PullRequestState } from '../github/pull-requests.ts'
import { RetryError, retry, retryAfterNote } from '../lib/retry.ts'
import type { DocsService } from '../service/docs-service.ts'
import { getJob, type Job } from '../service/job.ts'
import { isRetryable, retryAfterMsOf, ServiceError } from '../service/service-error.ts'
import { type Outcome, resultOf } from './outcome.ts'
import { MAX_FAILING_MS, type PollEnd, pollJob, type WatchedJob } from './poll.ts'
import { afterMessage, untilTerminal } from './poll-rules.ts'
import type { DirectRequest, JobRequest } from './request.ts'
import { nothingStarted, RequestError, type SubmitOptions, submit } from './submit.ts'

/** How to perform a request. */
export type PerformOptions = SubmitOptions & {
  /** Fixed pause between polls in milliseconds; `undefined`: adaptive. */
  readonly pollIntervalMs: number | undefined
  /** `false`: return once the job is accepted. */
  readonly wait: boolean
  /** What became of the pull request of an earlier job. */
  pullRequestState(prLink: string): Promise<PullRequestState>
}

/**
 * Performs a request: starts what is to be started, once, and waits as long as requested.
 * Never rejects for what the service or the network does: that is an outcome.
 */
export async function performJob(
  service: DocsService,
  request: JobRequest,
  options: PerformOptions,
): Promise<Outcome> {
  let direct: DirectRequest | undefined
  let watched: WatchedJob
  try {
    direct = await resolve(service, request, options)
    watched = await start(service, direct, options)
  } catch (error) {
    return outcomeWithoutJob(error, direct ?? request, options)
  }
  const end = await pollJob(watched, {
    ...options,
    getJob: (signal) => getJob(service, watched.id, signal),
  })
  return {
    result: resultOfEnd(end),
    job: end.job,
    jobId: watched.id,
    durationSeconds: Math.floor((end.lastPollAtMs - watched.startedAtMs) / 1000),
    headline: end.headline,
    reason: end.details,
    sent: sentPromptOf(direct),
  }
}

/** @throws what is no failure of the service or the network */
function outcomeWithoutJob(error: unknown, request: JobRequest, { cancel }: PerformOptions): Outcome {
  if (!(error instanceof RequestError || cancel.aborted)) throw error
  const text = error instanceof RequestError ? error : { headline: '', details: 'Nothing was started.' }
  return {
    result: cancel.aborted ? 'cancelled' : 'error',
    job: undefined,
    jobId: request.kind === 'create' ? '' : request.id,
    durationSeconds: undefined,
    headline: text.headline,
    reason: text.details,
    sent: sentPromptOf(request),
  }
}

/** Finds out what a request comes to: whether an earlier job can go on, and else what a new one is to do. */
async function resolve(
  service: DocsService,
  request: JobRequest,
  options: PerformOptions,
): Promise<DirectRequest> {
  if (request.kind !== 'continue' && request.kind !== 'resume') return request
  const { id, kind } = request
  const { onEvent } = options
  const job = await getEarlierJob(service, id, options)
  const prLink = job?.prLink ?? (request.prLink === '' ? null : request.prLink)
  const ended = job === undefined || job.status === 'failed' || job.status === 'archived'
  const isResumed = kind === 'resume' && !ended
  const previous =
    prLink === null || isResumed ? undefined : { prLink, state: await options.pullRequestState(prLink) }
  const isDone = previous?.state === 'merged' || previous?.state === 'closed'
  if (ended || isDone) {
    const created: DirectRequest = { kind: 'create', prompt: await request.createPrompt(previous) }
    const reason = ended ? whyEnded(job) : `its pull request was ${previous?.state}`
    onEvent({ type: 'resolved', request: created, earlierId: id, prLink: null, reason })
    return created
  }
  const continued: DirectRequest =
    request.kind === 'continue'
      ? { kind: 'message', id, prompt: await request.createMessage() }
      : { kind: 'attach', id, seen: job }
  const reason = `its status is ${job.status}`
  onEvent({ type: 'resolved', request: continued, earlierId: id, prLink, reason })
  return continued
}

function whyEnded(job: Job | undefined): string {
  if (job === undefined) return 'the service does not know it any more (404)'
  return job.status === 'failed' ? 'it failed' : 'it was archived'
}

const BACKOFF = { baseMs: 2000, maxMs: 30_000 }

/**
 * Gets an earlier job.
 *
 * @returns `undefined` if it is gone (404)
 * @throws {RequestError} if no good answer came within `timeout` or ten minutes, or trying again makes no sense
 */
async function getEarlierJob(
  service: DocsService,
  id: string,
  options: PerformOptions,
): Promise<Job | undefined> {
  const { clock, cancel, timeoutMs, onEvent } = options
  const deadlineMs = clock.now() + Math.min(timeoutMs, MAX_FAILING_MS)
  try {
    return await retry(
      () => getJob(service, id, cancel),
      {
        backoff: BACKOFF,
        maxAttempts: Infinity,
        isRetryable,
        retryAfterMs: retryAfterMsOf,
        deadlineMs: () => deadlineMs,
        onRetry: (error, retryInMs) => onEvent({ type: 'poll-failed', id, error, retryInMs }),
      },
      options,
    )
  } catch (error) {
    if (!(error instanceof RetryError)) throw error
    const { cause, reason } = error
    if (cause instanceof ServiceError && cause.status === 404) return undefined
    const retryAfterMs = retryAfterMsOf(cause)
    const isTooLong = reason === 'deadline' && retryAfterMs > 0
    throw nothingStarted(cause, isTooLong ? [retryAfterNote(retryAfterMs, 'the time for that')] : [])
  }
}

async function start(
  service: DocsService,
  request: DirectRequest,
  options: PerformOptions,
): Promise<WatchedJob> {
  const { clock, onEvent } = options
  const created = request.kind === 'create'
  if (request.kind === 'attach') {
    const { id, seen } = request
    const startedAtMs = clock.now()
    const firstAnswerAtMs = seen === undefined ? undefined : startedAtMs
    return { id, job: seen, startedAtMs, firstAnswerAtMs, created, isOver: untilTerminal }
  }
  const { job, firstAnswerAtMs } = await submit(service, request, options)
  onEvent({ type: 'accepted', job, created })
  return {
    id: job.id,
    job,
    startedAtMs: clock.now(),
    firstAnswerAtMs,
    created,
    isOver: created ? untilTerminal : afterMessage(),
  }
}

/** The prompt or message that a request sends; empty where it sends none, or none that is known yet. */
function sentPromptOf(request: JobRequest): string {
  return 'prompt' in request ? request.prompt : ''
}

function resultOfEnd({ end, job }: PollEnd): Outcome['result'] {
  if (end === 'over') return job === undefined ? 'error' : resultOf(job)
  return end === 'given-up' ? 'error' : end
}
