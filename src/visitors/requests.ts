import type { Deps } from '../lib/deps.ts'
import { formatDuration } from '../lib/duration.ts'
import { backoffMs } from '../lib/retry.ts'
import { TransportError } from '../lib/transport-error.ts'
import type { DocsService } from '../service/docs-service.ts'
import { inWords, retryAfterMsOf, ServiceError } from '../service/service-error.ts'
import { getVisitors, type VisitorsAnswer } from '../service/visitors.ts'
import { DAY_MS, type Period } from './period.ts'

/** Why no further request is made: a limit of the run, or a request that failed for good. */
export type StopReason = 'max-requests' | 'time' | 'failed'

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
export type RowsQuery = { readonly period: Period; readonly limit: number; readonly offset: number }

/** What the requests need. */
export type VisitorsDeps = Deps & {
  /** Most requests of the run, retries included. */
  readonly maxRequests: number
  /** Takes lines for the log. */
  readonly onProgress: (line: string) => void
}

/** Longest time for all requests of a report together, in milliseconds. */
export const MAX_TIME_MS = 300_000

/** How often one request is sent at most. */
const MAX_TRIES = 5

const BACKOFF = { baseMs: 1000, maxMs: 30_000 }

/** A line is logged for every so many requests. */
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
   * @throws {RequestsStopped} because of a limit, or a request that failed for good, be it an earlier one
   * @throws the reason of `cancel` once that is aborted
   */
  async send(query: RowsQuery): Promise<VisitorsAnswer> {
    const { clock, cancel, onProgress } = this.#deps
    if (this.#failure !== undefined) throw this.#failure
    for (let tries = 1; ; tries++) {
      this.#throwIfStopped()
      const answer = await this.#sendOnce(query)
      if (!(answer instanceof Error)) {
        if (this.#count % REQUESTS_PER_LINE === 0) onProgress(`${this.#count} requests so far.`)
        return answer
      }
      const pauseMs = retryAfterMsOf(answer) || backoffMs(tries, BACKOFF, this.#deps.random)
      const whyNot = this.#reasonNotToRetry(answer, { tries, pauseMs })
      if (whyNot !== undefined) {
        this.#failure = new RequestsStopped('failed', `${inWords(answer)} ${whyNot}`.trim(), {
          cause: answer,
        })
        throw this.#failure
      }
      onProgress(`${inWords(answer)} Trying again in ${formatDuration(pauseMs)}.`)
      await clock.sleep(pauseMs, cancel)
    }
  }

  #throwIfStopped(): void {
    const { clock, cancel, maxRequests } = this.#deps
    cancel.throwIfAborted()
    if (this.#count >= maxRequests)
      throw new RequestsStopped('max-requests', `\`visitors-max-requests\` is ${maxRequests}.`)
    if (clock.now() >= this.#deadlineMs) throw timeIsUp()
  }

  async #sendOnce({ period, limit, offset }: RowsQuery): Promise<VisitorsAnswer | Error> {
    this.#count += 1
    const query = { dateFrom: period.from.text, dateTo: period.to.text, limit, offset }
    try {
      return await getVisitors(this.#service, query, this.#signal)
    } catch (error) {
      this.#deps.cancel.throwIfAborted()
      if (this.#signal.aborted) throw timeIsUp()
      return error instanceof Error ? error : new Error(String(error))
    }
  }

  /** Why a failed request is not sent again, as a sentence or nothing to add; `undefined` if it is. */
  #reasonNotToRetry(
    error: Error,
    { tries, pauseMs }: { readonly tries: number; readonly pauseMs: number },
  ): string | undefined {
    const { clock, maxRequests } = this.#deps
    if (!isRetryable(error)) return ''
    if (tries >= MAX_TRIES) return `It was tried ${MAX_TRIES} times.`
    if (this.#count >= maxRequests)
      return `It was not tried again, because \`visitors-max-requests\` is ${maxRequests}.`
    if (clock.now() + pauseMs < this.#deadlineMs) return undefined
    return retryAfterMsOf(error) === 0
      ? `It was not tried again, because the visitors report may take no more than ${formatMaxTime()}.`
      : `The service asks to wait ${formatWait(pauseMs)}, which is past the ${formatMaxTime()} that the visitors report may take.`
  }
}

/** The longest time of a report in words. */
export function formatMaxTime(): string {
  return `${MAX_TIME_MS / 60_000} minutes`
}

function isRetryable(error: Error): boolean {
  if (error instanceof TransportError) return !['too-large', 'undecodable'].includes(error.failure)
  if (!(error instanceof ServiceError)) return false
  return error.status === 408 || error.status === 429 || error.status >= 500
}

function timeIsUp(): RequestsStopped {
  return new RequestsStopped('time', `The ${formatMaxTime()} that the visitors report may take are used up.`)
}

/** A wait that the service chose, which may be any number. */
function formatWait(ms: number): string {
  return ms > DAY_MS ? 'more than a day' : formatDuration(ms)
}
