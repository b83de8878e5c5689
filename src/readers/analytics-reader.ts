import { type Failure, joinSentences, listOf } from '../lib/text.ts'
import { formatDuration, RetryError, type RetryPolicy, retry, retryAfterNote } from '../lib/time.ts'
import type { Run } from '../runner/run.ts'
import type { AnalyticsCall } from '../service/analytics.ts'
import type { DocsService } from '../service/docs-service.ts'
import {
  describeFailure,
  hasStatus,
  InvalidResponseError,
  isRetryable as isRetryableFailure,
  retryAfterMsOf,
} from '../service/service-errors.ts'
import { isoDay, type Period } from './format.ts'

/** Maximum number of requests that a run makes, retries included. The service allows an organisation 100 an hour. */
export const MAX_REQUESTS = 40
/** Of those, kept for what readers missed. */
const MAX_KEPT = 3
/** Maximum time for all requests together. */
const MAX_TIME_MS = 300_000
const MAX_ATTEMPTS = 5
const MINUTES = `${MAX_TIME_MS / 60_000} minutes`

/** Reads analytics of all kinds, within one limit of requests and of time, and keeps what could not be read. */
export class AnalyticsReader {
  readonly #service: DocsService
  readonly #run: Run
  readonly #deadlineMs: number
  readonly #signal: AbortSignal
  readonly #notes: string[] = []
  readonly #notRead = new Map<string, { readonly details: string; readonly parts: string[] }>()
  #kept: number
  #stopped: Failure | undefined
  /** Requests made so far, retries included. */
  count = 0
  /** Whether the service has refused one, as it would refuse a job. */
  isRefused = false

  /** The time begins to count at once. */
  constructor(service: DocsService, run: Run) {
    this.#kept = run.inputs['reader-signals'] === 'none' ? 0 : MAX_KEPT
    this.#service = service
    this.#run = run
    this.#deadlineMs = run.clock.now() + MAX_TIME_MS
    this.#signal = AbortSignal.any([run.cancel, run.clock.timeout(MAX_TIME_MS)])
  }

  /**
   * Makes a call about a period until it is answered, unless a limit is reached or the run is cancelled.
   *
   * @param part what is read, such as `the reads`
   * @returns `undefined` if it was not read, which `leftOut` then says
   */
  async read<T extends object>(
    period: Period,
    call: AnalyticsCall<T>,
    part: string,
  ): Promise<T | undefined> {
    const timeLimit = this.#findTimeLimit()
    if (timeLimit !== undefined) return this.#leaveOut(part, timeLimit)
    if (!this.#hasRequests()) return this.#leaveOut(part, REQUESTS_USED)
    const policy: RetryPolicy = {
      maxAttempts: MAX_ATTEMPTS,
      isRetryable: (error) => isRetryable(error) && this.#hasRequests(),
      retryAfterMs: retryAfterMsOf,
      deadlineMs: () => this.#deadlineMs,
      onRetry: (error, pauseMs) => {
        const again = `Trying again in ${formatDuration(pauseMs)}.`
        const { log, subject } = this.#run
        log.info(`Docs readers: ${subject}: ${describeFailure(error).headline}. ${again}`)
      },
    }
    try {
      return await retry(() => this.#send(period, call), policy, this.#run)
    } catch (error) {
      if (!(error instanceof RetryError)) throw error
      return this.#leaveOut(part, this.#findTimeLimit() ?? this.#failureOf(error))
    }
  }

  #send<T extends object>({ fromMs, toMs }: Period, call: AnalyticsCall<T>): Promise<T> {
    this.count += 1
    const { path, purpose, read } = call
    const query = { dateFrom: isoDay(fromMs), dateTo: isoDay(toMs), ...call.query }
    return this.#service.getAnalytics({ path, purpose, query }, read, this.#signal)
  }

  #failureOf({ reason, cause }: RetryError): Failure {
    const { headline, details } = describeFailure(cause)
    const notes = {
      attempts: `It was tried ${MAX_ATTEMPTS} times.`,
      deadline: retryAfterNote(
        retryAfterMsOf(cause) ?? 0,
        `the ${MINUTES} that a readers report may take`,
      ),
      final: '',
      cancelled: '',
    }
    const failure = { headline, details: joinSentences(details, notes[reason]) }
    this.isRefused ||= [401, 402, 403].some((status) => hasStatus(cause, status))
    // The limit of the service concerns every other request, too.
    if (reason === 'deadline') this.#stopped = failure
    return failure
  }

  /** Stops where no time is left, as it does for a cancelled run, which reports no cause. @returns why it stopped, if so */
  #findTimeLimit(): Failure | undefined {
    const isOver = this.#signal.aborted || this.#run.clock.now() >= this.#deadlineMs
    if (isOver) this.#stopped ??= TIME_USED
    return this.#stopped
  }

  /** From now on the requests that were kept may be made. */
  releaseKept(): void {
    this.#kept = 0
  }

  #hasRequests(): boolean {
    return this.count < MAX_REQUESTS - this.#kept
  }

  /** @param sentence what is missing or not certain, in plain text with names in backticks */
  note(sentence: string): void {
    this.#notes.push(sentence)
  }

  #leaveOut(part: string, { headline, details }: Failure): undefined {
    const known = this.#notRead.get(headline) ?? { details, parts: [] }
    known.parts.push(part)
    this.#notRead.set(headline, known)
  }

  /**
   * What was left out: a sentence for each note, and for each cause one with its explanation.
   *
   * @param explained headline of a failure whose explanation stands elsewhere
   */
  leftOut(explained?: string): readonly string[] {
    const notRead = [...this.#notRead].map(([headline, { details, parts }]) =>
      joinSentences(
        `${headline}; not read: ${listOf(parts)}.`,
        headline === explained ? '' : details,
      ),
    )
    return [...this.#notes, ...notRead]
  }
}

const REQUESTS_USED = {
  headline: `A readers report makes at most ${MAX_REQUESTS} requests`,
  details: '',
}
const TIME_USED = { headline: `A readers report takes at most ${MINUTES}`, details: '' }

/** A body that says nothing of use would not be another one the next time, unless it was cut off. */
function isRetryable(error: unknown): boolean {
  return isRetryableFailure(error) && !(error instanceof InvalidResponseError && !error.isCutOff)
}
