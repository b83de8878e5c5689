import { type Failure, FailureError, joinSentences } from '../lib/text.ts'
import { type RetryError, retryAfterNote } from '../lib/time.ts'
import { TransportError } from '../lib/transport.ts'
import { describeFailure, isRetryable, ServiceError } from '../service/service-errors.ts'

/** Why there is no job to wait for. */
export class JobError extends FailureError {
  override readonly name = 'JobError'
  /** Whether this run or an earlier attempt may have started a job. */
  readonly maybeStarted: boolean
  /** Whether a re-run may succeed with nothing changed. */
  readonly isTransient: boolean

  constructor(maybeStarted: boolean, failure: Failure, { isTransient = false } = {}) {
    super(failure)
    this.maybeStarted = maybeStarted
    this.isTransient = isTransient
  }
}

/**
 * The error where nothing runs that did not run before.
 *
 * @param limit until when it was tried, to follow "past"
 */
export function nothingStarted({ reason, cause }: RetryError, limit: string, note = ''): JobError {
  const { headline, details } = describeFailure(cause)
  const isLimited = reason === 'deadline' && cause instanceof ServiceError
  const lastly = isLimited ? limitNote(cause, limit) : ''
  const failure = { headline, details: joinSentences(details, note, lastly) }
  return new JobError(false, failure, { isTransient: isTransient(cause) })
}

function limitNote({ retryAfterMs = 0 }: ServiceError, limit: string): string {
  if (retryAfterMs > 0) return retryAfterNote(retryAfterMs, limit)
  return `The service kept returning this error until the end of ${limit}.`
}

/** Whether a failure may be over by the time that the workflow runs again, with nothing changed. */
function isTransient(error: unknown): boolean {
  if (error instanceof TransportError)
    return !['tls', 'tls-protocol', 'proxy'].includes(error.failure)
  return isRetryable(error)
}
