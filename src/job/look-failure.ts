import { TransportError } from '../lib/transport-error.ts'
import { AnswerError, ServiceError } from '../service/service-error.ts'

/** How long after its creation a job may still be unknown to the service, in milliseconds. */
const EARLY_MS = 60_000

/**
 * Whether a failed look is worth another: trouble on the way, a fault of the service, its rate limit, an answer that
 * is no job, and a 404 right after the create.
 *
 * @param sinceCreateMs time since the create; `undefined` for a job that this run did not create
 */
export function isRetryable(error: unknown, sinceCreateMs: number | undefined): error is Error {
  if (error instanceof TransportError || error instanceof AnswerError) return true
  if (!(error instanceof ServiceError)) return false
  if (error.status === 404) return sinceCreateMs !== undefined && sinceCreateMs < EARLY_MS
  return error.status === 408 || error.status === 429 || error.status >= 500
}

/** Whether a look failed because there are too many. */
export function isRateLimit(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 429
}
