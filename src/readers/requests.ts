import { RetryError, type RetryPolicy, retry, retryAfterNote } from '../lib/retry.ts'
import { type Failure, failureText, joinSentences } from '../lib/text.ts'
import { formatDuration, type Waiting } from '../lib/time.ts'
import {
  describeFailure,
  failureSentences,
  InvalidResponseError,
  isRetryable as isRetryableFailure,
  retryAfterMsOf,
} from '../service/errors.ts'
import { listOf } from './format.ts'

/** Something was not read, because a request failed for good or a limit was reached. */
export class NotRead extends Error {
  override readonly name = 'NotRead'
  readonly headline: string
  /** A limit of requests or of time allows no further request; the headline is a clause that follows "because". */
  readonly isLimit: boolean

  constructor(failure: Failure, isLimit: boolean) {
    super(failureText(failure))
    this.headline = failure.headline
    this.isLimit = isLimit
  }
}

/** What a report lacks, and why: told where it happens, in plain text with names in backticks. */
export class LeftOut {
  readonly #notes: string[] = []
  readonly #notRead = new Map<string, { readonly cause: NotRead; readonly parts: string[] }>()

  /** @param sentence what is missing or not certain */
  note(sentence: string): void {
    this.#notes.push(sentence)
  }

  /** @param part what was not read because of `cause`, such as `3 of the 7 weeks before` */
  notRead(part: string, cause: NotRead): void {
    const known = this.#notRead.get(cause.headline) ?? { cause, parts: [] }
    known.parts.push(part)
    this.#notRead.set(cause.headline, known)
  }

  /** A sentence for each note and each limit, a few for each failure. */
  get sentences(): readonly string[] {
    const notRead = [...this.#notRead.values()].map(({ cause, parts }) =>
      cause.isLimit
        ? `Not read, because ${cause.headline}: ${listOf(parts)}.`
        : joinSentences(`Not read: ${listOf(parts)}.`, cause.message),
    )
    return [...this.#notes, ...notRead]
  }
}

/** Maximum time for all requests together. */
const MAX_TIME_MS = 300_000
const MAX_ATTEMPTS = 5
const BACKOFF = { baseMs: 1000, maxMs: 30_000 }
const LIMIT_OF_TIME = `the ${MAX_TIME_MS / 60_000} minutes that a readers report may take`
const TIME_IS_UP = `${LIMIT_OF_TIME} are used up`

/** `maxRequests`: of the run, retries included; `onProgress` takes lines for the log. */
type RequestsOptions = { readonly maxRequests: number; readonly onProgress: (line: string) => void }

/** Makes analytics requests of all kinds, within one limit of requests and of time. The time begins to count at once. */
export class AnalyticsRequests {
  readonly #waiting: Waiting
  readonly #options: RequestsOptions
  readonly #deadlineMs: number
  readonly #signal: AbortSignal
  #count = 0
  #stopped: NotRead | undefined

  constructor(waiting: Waiting, options: RequestsOptions) {
    this.#waiting = waiting
    this.#options = options
    this.#deadlineMs = waiting.clock.now() + MAX_TIME_MS
    this.#signal = AbortSignal.any([waiting.cancel, waiting.clock.timeout(MAX_TIME_MS)])
  }

  /** Requests made so far, retries included. */
  get count(): number {
    return this.#count
  }

  /**
   * Makes a request until it is answered.
   *
   * @throws {NotRead} if a limit is reached, or the request failed for good
   * @throws the reason of `cancel` once that is aborted
   */
  async send<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { cancel, clock } = this.#waiting
    const { maxRequests, onProgress } = this.#options
    cancel.throwIfAborted()
    if (this.#count >= maxRequests) this.#stopped ??= atLimit(`\`visitors-max-requests\` is ${maxRequests}`)
    if (clock.now() >= this.#deadlineMs) this.#stopped ??= atLimit(TIME_IS_UP)
    if (this.#stopped !== undefined) throw this.#stopped
    const attempt = (): Promise<T> => {
      this.#count += 1
      return request(this.#signal)
    }
    const policy: RetryPolicy = {
      backoff: BACKOFF,
      maxAttempts: MAX_ATTEMPTS,
      isRetryable: (error) => isRetryable(error) && this.#count < maxRequests,
      retryAfterMs: retryAfterMsOf,
      deadlineMs: () => this.#deadlineMs,
      onRetry: (error, pauseMs) =>
        onProgress(`${failureSentences(error)} Trying again in ${formatDuration(pauseMs)}.`),
    }
    try {
      return await retry(attempt, policy, this.#waiting)
    } catch (error) {
      cancel.throwIfAborted()
      if (!(error instanceof RetryError)) throw error
      throw this.#failureOf(error)
    }
  }

  #failureOf({ reason, cause }: RetryError): NotRead {
    if (this.#signal.aborted) {
      this.#stopped ??= atLimit(TIME_IS_UP)
      return this.#stopped
    }
    const { headline, details } = describeFailure(cause)
    const retryAfterMs = retryAfterMsOf(cause)
    const notes = {
      attempts: `It was tried ${MAX_ATTEMPTS} times.`,
      deadline:
        retryAfterMs > 0
          ? retryAfterNote(retryAfterMs, LIMIT_OF_TIME)
          : `No time is left of ${LIMIT_OF_TIME}.`,
      final: isRetryable(cause) ? 'No request is left of `visitors-max-requests` to try it again.' : '',
      cancelled: '',
    }
    const failed = new NotRead({ headline, details: joinSentences(details, notes[reason]) }, false)
    // The limit of the service concerns every other request, too.
    if (reason === 'deadline') this.#stopped = failed
    return failed
  }
}

/** A body that can't be read would not be another one the next time. */
function isRetryable(error: unknown): boolean {
  return isRetryableFailure(error) && !(error instanceof InvalidResponseError)
}

function atLimit(headline: string): NotRead {
  return new NotRead({ headline, details: '' }, true)
}
