import type { Deps } from '../lib/clock.ts'
import { formatDuration } from '../lib/duration.ts'
import { RetryError, retry, retryAfterNote } from '../lib/retry.ts'
import type { DocsService } from '../service/docs-service.ts'
import {
  failureSentences,
  InvalidResponseError,
  isRetryable as isRetryableFailure,
  retryAfterMsOf,
} from '../service/service-error.ts'
import { getVisitors, type VisitorsAnswer } from '../service/visitors.ts'
import type { Period } from './period.ts'

/** Why no further request is made: a limit of the run, or a request that failed for good. */
type StopReason = 'max-requests' | 'time' | 'failed'

/** No further request is made. The message of a failure says what went wrong, as sentences. */
export class RequestsStopped extends Error {
  override readonly name = 'RequestsStopped'
  readonly reason: StopReason

  constructor(reason: StopReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Some rows of a period. */
type RowsQuery = { readonly period: Period; readonly limit: number; readonly offset: number }

/** What the requests need. */
type VisitorsDeps = Deps & {
  /** Maximum number of requests of the run, retries included. */
  readonly maxRequests: number
  /** Takes lines for the log. */
  readonly onProgress: (line: string) => void
}

/** Maximum time for all requests of a report together, in milliseconds. */
const MAX_TIME_MS = 300_000

/** How often one request is sent at most. */
const MAX_ATTEMPTS = 5

const BACKOFF = { baseMs: 1000, maxMs: 30_000 }

/** A line is logged each time that this many requests were sent. */
const REQUESTS_PER_LINE = 50

/** Requests visitors within the limits of the run. The time begins to count when it is made. */
export class VisitorsRequests {
  readonly #service: DocsService
  readonly #deps: VisitorsDeps
  readonly #deadlineMs: number
  readonly #signal: AbortSignal
  #count = 0
  #failure: RequestsStopped | undefined

  constructor(service: DocsService, deps: VisitorsDeps) {
    this.#service = service
    this.#deps = deps
    this.#deadlineMs = deps.clock.now() + MAX_TIME_MS
    this.#signal = AbortSignal.any([deps.cancel, deps.clock.timeout(MAX_TIME_MS)])
  }

  /** How many requests were made so far, retries included. */
  get count(): number {
    return this.#count
  }

  /**
   * Requests rows until there is an answer.
   *
   * @throws {RequestsStopped} because of a limit, or a request that failed for good, even an earlier one
   * @throws the reason of `cancel` once that is aborted
   */
  async send(query: RowsQuery): Promise<VisitorsAnswer> {
    const { cancel, maxRequests, onProgress } = this.#deps
    if (this.#failure !== undefined) throw this.#failure
    this.#throwIfStopped()
    try {
      const answer = await retry(
        () => this.#sendOnce(query),
        {
          backoff: BACKOFF,
          maxAttempts: MAX_ATTEMPTS,
          isRetryable: (error) => isRetryable(error) && this.#count < maxRequests,
          retryAfterMs: retryAfterMsOf,
          deadlineMs: () => this.#deadlineMs,
          onRetry: (error, pauseMs) =>
            onProgress(`${failureSentences(error)} Trying again in ${formatDuration(pauseMs)}.`),
        },
        this.#deps,
      )
      if (this.#count % REQUESTS_PER_LINE === 0) onProgress(`${this.#count} requests so far.`)
      return answer
    } catch (error) {
      cancel.throwIfAborted()
      if (!(error instanceof RetryError)) throw error
      if (this.#signal.aborted) throw timeIsUp()
      const message = `${failureSentences(error.cause)} ${this.#reasonNotToRetry(error)}`.trim()
      this.#failure = new RequestsStopped('failed', message, { cause: error.cause })
      throw this.#failure
    }
  }

  #throwIfStopped(): void {
    const { clock, cancel, maxRequests } = this.#deps
    cancel.throwIfAborted()
    if (this.#count >= maxRequests)
      throw new RequestsStopped('max-requests', `\`visitors-max-requests\` is ${maxRequests}.`)
    if (clock.now() >= this.#deadlineMs) throw timeIsUp()
  }

  async #sendOnce({ period, limit, offset }: RowsQuery): Promise<VisitorsAnswer> {
    this.#count += 1
    const query = { dateFrom: period.from.text, dateTo: period.to.text, limit, offset }
    return await getVisitors(this.#service, query, this.#signal)
  }

  /** Why a failed request was not sent again, as a sentence; empty where the failure itself says it. */
  #reasonNotToRetry({ reason, cause }: RetryError): string {
    const { maxRequests } = this.#deps
    if (reason === 'attempts') return `It was tried ${MAX_ATTEMPTS} times.`
    if (reason === 'final') {
      const isLimited = isRetryable(cause) && this.#count >= maxRequests
      return isLimited ? `It was not tried again, because \`visitors-max-requests\` is ${maxRequests}.` : ''
    }
    const limit = `the ${formatMaxTime()} that the visitors report may take`
    const retryAfterMs = retryAfterMsOf(cause)
    return retryAfterMs === 0
      ? `It was not tried again within ${limit}.`
      : retryAfterNote(retryAfterMs, limit)
  }
}

export function formatMaxTime(): string {
  return `${MAX_TIME_MS / 60_000} minutes`
}

/** A body that can't be read would not be another one the next time. */
function isRetryable(error: unknown): boolean {
  return isRetryableFailure(error) && !(error instanceof InvalidResponseError)
}

function timeIsUp(): RequestsStopped {
  return new RequestsStopped('time', `The ${formatMaxTime()} that the visitors report may take are used up.`)
}
