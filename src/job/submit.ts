import { RetryError, retry, retryAfterNote } from '../lib/retry.ts'
import { type Failure, FailureError, joinSentences } from '../lib/text.ts'
import { afterGrace, formatDuration } from '../lib/time.ts'
import { TransportError } from '../lib/transport.ts'
import type { Run } from '../runner/run.ts'
import type { DocsService } from '../service/client.ts'
import {
  describeFailure,
  failureSentences,
  isRateLimit,
  isRetryable,
  retryAfterMsOf,
  ServiceError,
} from '../service/errors.ts'
import { createJob, type Job, sendMessage } from '../service/job.ts'
import type { Plan } from './plan.ts'

/** How long a request in flight is still awaited once the run was cancelled, so that its job's id is not lost. */
const CANCEL_GRACE_MS = 3000

/** How long a request that can't reach the service is sent again, in milliseconds. */
const MAX_UNREACHABLE_MS = 30_000

const BACKOFF = { baseMs: 1000, maxMs: 30_000 }

/**
 * Sends a create or a message, which must take effect at most once. It is sent again only where it certainly did not
 * arrive (the connection was refused, the name not resolved, TLS failed before sending) or was not accepted (429).
 *
 * @param deadlineMs until when it is sent again under the rate limit, in milliseconds since the epoch
 * @throws {JobError} that says whether a job may be running
 */
export async function submit(
  plan: Exclude<Plan, { kind: 'wait' }>,
  options: { readonly service: DocsService; readonly run: Run; readonly deadlineMs: number },
): Promise<Job> {
  const { service, run, deadlineMs } = options
  const { clock, cancel, log } = run
  const signal = afterGrace(cancel, CANCEL_GRACE_MS, clock)
  let unreachableUntilMs = Number.POSITIVE_INFINITY

  async function attempt(): Promise<Job> {
    if (cancel.aborted) throw new JobError(NOTHING_STARTED)
    unreachableUntilMs = Math.min(unreachableUntilMs, clock.now() + MAX_UNREACHABLE_MS)
    return plan.kind === 'create'
      ? await createJob(service, plan.prompt, signal)
      : await sendMessage(service, plan, signal)
  }

  try {
    return await retry(
      attempt,
      {
        backoff: BACKOFF,
        maxAttempts: Number.POSITIVE_INFINITY,
        isRetryable: (error) => isUnreachable(error) || isRateLimit(error),
        retryAfterMs: retryAfterMsOf,
        deadlineMs: (error) => (isUnreachable(error) ? unreachableUntilMs : deadlineMs),
        onRetry(error, pauseMs) {
          if (!isUnreachable(error)) unreachableUntilMs = Number.POSITIVE_INFINITY
          const again = `Nothing was started yet; trying again in ${formatDuration(pauseMs)}.`
          log.info(`${failureSentences(error)} ${again}`)
        },
      },
      run,
    )
  } catch (error) {
    if (!(error instanceof RetryError)) throw error
    throw jobError(error)
  }
}

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof TransportError) || error.maybeSent) return false
  return error.failure === 'refused' || error.failure === 'unresolved' || error.failure === 'tls'
}

function jobError({ reason, cause }: RetryError): JobError {
  if (cause instanceof JobError) return cause
  if (!isCertainlyRefused(cause)) return maybeStarted(cause)
  if (reason !== 'deadline' || !isRateLimit(cause)) return nothingStarted(cause)
  const retryAfterMs = retryAfterMsOf(cause)
  const keptAnswering = 'The service kept answering this until `timeout` was over.'
  return nothingStarted(cause, retryAfterMs > 0 ? retryAfterNote(retryAfterMs, '`timeout`') : keptAnswering)
}

function isCertainlyRefused(error: unknown): boolean {
  if (error instanceof TransportError) return !error.maybeSent
  return error instanceof ServiceError && error.status >= 300 && error.status < 500 && error.status !== 408
}

/** Why there is no job to wait for, and whether one may have been started all the same. */
export class JobError extends FailureError {
  override readonly name = 'JobError'
}

export const NOTHING_STARTED: Failure = { headline: '', details: 'Nothing was started.' }

/** The error where nothing runs that did not run before. That it is safe to run again is said only where it can help. */
export function nothingStarted(cause: unknown, note = ''): JobError {
  if (cause instanceof DOMException) return new JobError(NOTHING_STARTED, { cause })
  const { headline, details } = describeFailure(cause)
  const advice = isTransient(cause)
    ? 'Nothing was started, so it is safe to run this again.'
    : 'Nothing was started.'
  return new JobError({ headline, details: joinSentences(details, note, advice) }, { cause })
}

/** Whether a failure may be over by the time that the workflow runs again, with nothing changed. */
function isTransient(error: unknown): boolean {
  if (error instanceof TransportError) return error.failure !== 'tls' && error.failure !== 'proxy'
  return isRetryable(error)
}

const MAYBE_STARTED =
  'The request may have been accepted all the same: a job may be running. Look for it in the dashboard of the docs ' +
  'service, and for its pull request, before you run this again: a second run may start a second job and spend its credits.'

function maybeStarted(cause: unknown): JobError {
  const { headline, details } =
    cause instanceof DOMException
      ? { headline: 'The docs service had not answered yet', details: '' }
      : describeFailure(cause)
  return new JobError({ headline, details: joinSentences(details, MAYBE_STARTED) }, { cause })
}
