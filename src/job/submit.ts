import { afterGrace } from '../lib/clock.ts'
import { formatDuration } from '../lib/duration.ts'
import { RetryError, retry, retryAfterNote } from '../lib/retry.ts'
import { type Failure, FailureError, joinSentences } from '../lib/text.ts'
import { TransportError } from '../lib/transport.ts'
import type { Run } from '../runner/run.ts'
import type { DocsService, Job } from '../service/docs-service.ts'
import {
  describeFailure,
  failureSentences,
  hasStatus,
  isRetryable,
  retryAfterMsOf,
  ServiceError,
} from '../service/service-errors.ts'

/** How long a request in flight is still awaited once the run was cancelled, so that its job's id is not lost. */
const CANCEL_GRACE_MS = 3000
/** How long a request that can't reach the service is sent again. */
const MAX_UNREACHABLE_MS = 30_000

/** A request that starts a job, or continues one. */
type JobPrompt = { readonly prompt: string } & (
  | { readonly kind: 'create' }
  | { readonly kind: 'message'; readonly id: string }
)

/**
 * Sends a create or a message, which must take effect at most once. It is sent again only where it certainly did not
 * arrive (the connection was refused, the name not resolved, TLS failed before sending) or was not accepted (429).
 *
 * @throws {JobError} that says whether a job may be running
 */
export async function submit(
  request: JobPrompt,
  deadlineMs: number,
  service: DocsService,
  run: Run,
): Promise<Job> {
  const { clock, cancel, log } = run
  const { prompt } = request
  const signal = afterGrace(cancel, CANCEL_GRACE_MS, clock)
  let unreachableUntilMs = clock.now() + MAX_UNREACHABLE_MS
  try {
    return await retry(
      () =>
        request.kind === 'create'
          ? service.createJob(prompt, signal)
          : service.sendMessage(request.id, prompt, signal),
      {
        backoff: { baseMs: 1000, maxMs: 30_000 },
        maxAttempts: Number.POSITIVE_INFINITY,
        isRetryable: (error) => isUnreachable(error) || hasStatus(error, 429),
        retryAfterMs: retryAfterMsOf,
        deadlineMs: (error) => (isUnreachable(error) ? Math.min(unreachableUntilMs, deadlineMs) : deadlineMs),
        onRetry(error, pauseMs) {
          // After an answer, connections have their time anew.
          if (!isUnreachable(error)) unreachableUntilMs = clock.now() + pauseMs + MAX_UNREACHABLE_MS
          const again = `Nothing was started yet; trying again in ${formatDuration(pauseMs)}.`
          log.info(`${failureSentences(error)} ${again}`)
        },
      },
      run,
    )
  } catch (error) {
    if (!(error instanceof RetryError)) throw error
    throw isCertainlyRefused(error.cause) ? nothingStarted(error) : maybeStarted(request.kind, error.cause)
  }
}

/** Whether no connection was made, so that nothing was sent. */
function isUnreachable(error: unknown): boolean {
  return error instanceof TransportError && ['refused', 'unresolved', 'tls'].includes(error.failure)
}

function isCertainlyRefused(error: unknown): boolean {
  if (error instanceof TransportError) return !error.maybeSent
  return error instanceof ServiceError && error.status < 500 && ![303, 408].includes(error.status)
}

/** Why there is no job to wait for. */
export class JobError extends FailureError {
  override readonly name = 'JobError'
  /**
   * `nothing`: no job was started. `maybe`: one may have been, as the response was lost. `unknown`: this run has started
   * none, and an earlier attempt may have.
   */
  readonly started: 'nothing' | 'maybe' | 'unknown'
  /** Whether a re-run may succeed with nothing changed. */
  readonly isTransient: boolean

  constructor(started: JobError['started'], failure: Failure, { isTransient = false } = {}) {
    super(failure)
    this.started = started
    this.isTransient = isTransient
  }
}

/** The error where nothing runs that did not run before. */
export function nothingStarted({ reason, cause }: RetryError, note = ''): JobError {
  const { headline, details } = describeFailure(cause)
  const limit = reason === 'deadline' && cause instanceof ServiceError ? limitNote(cause) : ''
  const failure = { headline, details: joinSentences(details, note, limit) }
  return new JobError('nothing', failure, { isTransient: isTransient(cause) })
}

function limitNote({ retryAfterMs = 0 }: ServiceError): string {
  if (retryAfterMs > 0) return retryAfterNote(retryAfterMs, '`timeout`')
  return 'The service kept returning this error until `timeout` elapsed.'
}

/** Whether a failure may be over by the time that the workflow runs again, with nothing changed. */
function isTransient(error: unknown): boolean {
  if (error instanceof TransportError) return !['tls', 'tls-protocol', 'proxy'].includes(error.failure)
  return isRetryable(error)
}

const MAYBE_STARTED = {
  create:
    'The request may still have been accepted: a job may be running. Look for it in the dashboard of the docs service, and for its pull request, before you start the workflow anew: it may start a second job and spend its credits.',
  message:
    'The message may still have been accepted: the job may be running. Look at it in the dashboard of the docs service, and at its pull request, before you start the workflow anew: it may send the message a second time and spend credits.',
}

function maybeStarted(kind: JobPrompt['kind'], cause: unknown): JobError {
  const { headline, details } =
    cause instanceof DOMException
      ? { headline: 'The docs service had not answered yet', details: '' }
      : describeFailure(cause)
  return new JobError('maybe', { headline, details: joinSentences(details, MAYBE_STARTED[kind]) })
}
