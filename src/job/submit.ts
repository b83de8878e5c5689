import { afterGrace, type Deps } from '../lib/clock.ts'
import { RetryError, retry, retryAfterNote } from '../lib/retry.ts'
import { joinSentences } from '../lib/text.ts'
import { TransportError } from '../lib/transport-error.ts'
import type { DocsService } from '../service/docs-service.ts'
import { createJob, type Job, sendMessage } from '../service/job.ts'
import {
  describeFailure,
  type FailureText,
  isRateLimit,
  isRetryable,
  retryAfterMsOf,
  ServiceError,
} from '../service/service-error.ts'
import type { OnJobEvent } from './progress.ts'
import type { DirectRequest } from './request.ts'

/** Why there is no job to wait for, and whether something may have been started all the same. */
export class RequestError extends Error implements FailureText {
  override readonly name = 'RequestError'
  readonly headline: string
  readonly details: string

  constructor({ headline, details }: FailureText, options?: { readonly cause: unknown }) {
    super(`${headline}. ${details}`, options)
    this.headline = headline
    this.details = details
  }
}

/** What submitting needs. A cancel ends pauses at once, and a request in flight after `CANCEL_GRACE_MS`. */
export type SubmitOptions = Deps & {
  /** Maximum time to go on under the rate limit, from the first answer, in milliseconds. Never cuts a request. */
  readonly timeoutMs: number
  readonly onEvent: OnJobEvent
}

/** How long a request in flight is still awaited once the run was cancelled, so that its job's id is not lost. */
const CANCEL_GRACE_MS = 3000

/** How long a request that can't reach the service is sent again, in milliseconds. */
const MAX_UNREACHABLE_MS = 30_000

const BACKOFF = { baseMs: 1000, maxMs: 30_000 }

/** The job, and when the service first answered at all, in milliseconds since the epoch. */
export type Submitted = { readonly job: Job; readonly firstAnswerAtMs: number }

/**
 * Sends a create or a message, which must take effect at most once. It is sent again only where it certainly did not
 * arrive (the connection was refused, the name not resolved, TLS failed before sending) or was not accepted (429).
 *
 * @throws {RequestError} that says whether a job may be running
 */
export async function submit(
  service: DocsService,
  request: Exclude<DirectRequest, { kind: 'attach' }>,
  options: SubmitOptions,
): Promise<Submitted> {
  const { clock, cancel, timeoutMs, onEvent } = options
  const signal = afterGrace(cancel, CANCEL_GRACE_MS, clock)
  let firstAnswerAtMs: number | undefined
  let unreachableSinceMs: number | undefined

  async function attempt(): Promise<Job> {
    if (cancel.aborted) throw new RequestError(CANCELLED)
    const sentAtMs = clock.now()
    try {
      const job =
        request.kind === 'create'
          ? await createJob(service, request.prompt, signal)
          : await sendMessage(service, request, signal)
      firstAnswerAtMs ??= clock.now()
      return job
    } catch (error) {
      if (error instanceof TransportError) unreachableSinceMs ??= sentAtMs
      else [firstAnswerAtMs, unreachableSinceMs] = [firstAnswerAtMs ?? clock.now(), undefined]
      throw error
    }
  }

  try {
    const job = await retry(
      attempt,
      {
        backoff: BACKOFF,
        maxAttempts: Infinity,
        isRetryable: (error) => isUnreachable(error) || isRateLimit(error),
        retryAfterMs: retryAfterMsOf,
        deadlineMs: () =>
          unreachableSinceMs === undefined
            ? (firstAnswerAtMs ?? clock.now()) + timeoutMs
            : unreachableSinceMs + MAX_UNREACHABLE_MS,
        onRetry: (error, retryInMs) => onEvent({ type: 'retry', error, retryInMs }),
      },
      options,
    )
    return { job, firstAnswerAtMs: firstAnswerAtMs ?? clock.now() }
  } catch (error) {
    if (!(error instanceof RetryError)) throw error
    throw requestError(error)
  }
}

const CANCELLED: FailureText = { headline: '', details: 'Nothing was started.' }

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof TransportError) || error.maybeSent) return false
  return error.failure === 'refused' || error.failure === 'unresolved' || error.failure === 'tls'
}

function requestError({ reason, cause }: RetryError): RequestError {
  if (cause instanceof RequestError) return cause
  if (!isCertainlyRefused(cause)) return uncertainError(cause)
  return nothingStarted(cause, reason === 'deadline' && isRateLimit(cause) ? [limitNote(cause)] : [])
}

function limitNote(error: unknown): string {
  const retryAfterMs = retryAfterMsOf(error)
  return retryAfterMs > 0
    ? retryAfterNote(retryAfterMs, '`timeout`')
    : 'The service went on answering so until `timeout` was over.'
}

function isCertainlyRefused(error: unknown): boolean {
  if (error instanceof TransportError) return !error.maybeSent
  return error instanceof ServiceError && error.status >= 300 && error.status < 500 && error.status !== 408
}

/**
 * The error for a request after which nothing runs that did not run before. That it is safe to run again is said only
 * where that can help.
 */
export function nothingStarted(cause: unknown, notes: readonly string[] = []): RequestError {
  if (cause instanceof DOMException) return new RequestError(CANCELLED, { cause })
  const { headline, details } = describeFailure(cause)
  const advice = isTransient(cause)
    ? 'Nothing was started, so it is safe to run this again.'
    : 'Nothing was started.'
  return new RequestError({ headline, details: joinSentences(details, ...notes, advice) }, { cause })
}

/** Whether a failure may be over by the time that the workflow runs again, with nothing changed. */
function isTransient(error: unknown): boolean {
  if (error instanceof TransportError) return error.failure !== 'tls' && error.failure !== 'proxy'
  return isRetryable(error)
}

const MAYBE_RUNNING =
  'The request may have been accepted all the same: a job may be running. Look for it in the dashboard of the docs ' +
  'service, and for its pull request, before you run this again: a second run may start a second job and spend its credits.'

function uncertainError(cause: unknown): RequestError {
  const { headline, details } =
    cause instanceof DOMException
      ? { headline: 'The docs service had not answered yet', details: '' }
      : describeFailure(cause)
  return new RequestError({ headline, details: joinSentences(details, MAYBE_RUNNING) }, { cause })
}
