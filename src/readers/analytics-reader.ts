import { type Failure, FailureError, joinSentences, listOf } from '../lib/text.ts'
import { formatDuration, RetryError, type RetryPolicy, retry, retryAfterNote } from '../lib/time.ts'
import type { Run } from '../runner/run.ts'
import { type AnalyticsQuery, PublicNames } from '../service/analytics.ts'
import type { DocsService } from '../service/docs-service.ts'
import {
  describeFailure,
  hasStatus,
  InvalidResponseError,
  isRetryable as isRetryableFailure,
  retryAfterMsOf,
} from '../service/service-errors.ts'
import { isoDay, type Period } from './format.ts'

/** Why something was not read. */
export class NotRead extends FailureError {
  /** `limit`: one of ours, whose headline follows "because". */
  readonly kind: 'limit' | 'failure'

  constructor(kind: NotRead['kind'], failure: Failure) {
    super(failure)
    this.kind = kind
  }

  /** As sentences. @param what was to be read */
  text(what: string): string {
    if (this.kind !== 'limit') return this.message
    return joinSentences(`Failed to read ${what}, because ${this.headline}.`, this.details)
  }
}

export type AnalyticsRequest<T> = (service: DocsService, query: AnalyticsQuery) => Promise<T>

/** Maximum number of requests that a run makes, retries included. The service allows an organisation 100 an hour. */
export const MAX_REQUESTS = 40
/** Of those, kept for what readers missed. */
const MAX_KEPT = 3
/** Maximum time for all requests together. */
const MAX_TIME_MS = 300_000
const MAX_ATTEMPTS = 5
const LIMIT_OF_TIME = `the ${MAX_TIME_MS / 60_000} minutes that a readers report may take`

/** Reads analytics of all kinds, within one limit of requests and of time, and keeps what could not be read. */
export class AnalyticsReader {
  readonly #service: DocsService
  readonly #run: Run
  readonly #deadlineMs: number
  readonly #signal: AbortSignal
  readonly #names: PublicNames
  readonly #notes: string[] = []
  readonly #notRead = new Map<string, { readonly cause: NotRead; readonly parts: string[] }>()
  readonly #hasJob: boolean
  #kept: number
  #stopped: NotRead | undefined
  /** Requests made so far, retries included. */
  count = 0

  /**
   * The time begins to count at once.
   *
   * @param hasJob whether the run has a job, too: what refuses these requests refuses it, and its error says what to do
   */
  constructor(service: DocsService, run: Run, hasJob: boolean) {
    this.#hasJob = hasJob
    this.#kept = run.inputs['reader-signals'] === 'none' ? 0 : MAX_KEPT
    this.#service = service
    this.#run = run
    this.#names = new PublicNames(run.redact)
    this.#deadlineMs = run.clock.now() + MAX_TIME_MS
    this.#signal = AbortSignal.any([run.cancel, run.clock.timeout(MAX_TIME_MS)])
  }

  /** Makes a request about a period until it is answered, unless a limit is reached or the run is cancelled. */
  async send<T>({ fromMs, toMs }: Period, request: AnalyticsRequest<T>): Promise<T | NotRead> {
    const { inputs, log } = this.#run
    const stopped = this.#checkTime()
    if (stopped !== undefined) return stopped
    if (!this.#hasRequests()) return limit(`a report makes at most ${MAX_REQUESTS} requests`)
    const dates = { dateFrom: isoDay(fromMs), dateTo: isoDay(toMs) }
    const policy: RetryPolicy = {
      maxAttempts: MAX_ATTEMPTS,
      isRetryable: (error) => isRetryable(error) && this.#hasRequests(),
      retryAfterMs: retryAfterMsOf,
      deadlineMs: () => this.#deadlineMs,
      onRetry: (error, pauseMs) => {
        const again = `Trying again in ${formatDuration(pauseMs)}.`
        log.info(
          `Docs readers: ${inputs['project-id']}: ${describeFailure(error).headline}. ${again}`,
        )
      },
    }
    const attempt = (): Promise<T> => {
      this.count += 1
      return request(this.#service, { dates, names: this.#names, signal: this.#signal })
    }
    try {
      return await retry(attempt, policy, this.#run)
    } catch (error) {
      if (!(error instanceof RetryError)) throw error
      return this.#checkTime() ?? this.#failureOf(error)
    }
  }

  #failureOf({ reason, cause }: RetryError): NotRead {
    const { headline, details } = describeFailure(cause)
    const notes = {
      attempts: `It was tried ${MAX_ATTEMPTS} times.`,
      deadline: retryAfterNote(retryAfterMsOf(cause) ?? 0, LIMIT_OF_TIME),
      final: isRetryable(cause) ? 'No request was left to retry it.' : '',
      cancelled: '',
    }
    const isRefused = [401, 402, 403].some((status) => hasStatus(cause, status))
    const all = joinSentences(details, notes[reason])
    const isTold = isRefused && this.#hasJob
    if (isTold) this.#run.log.info(`Docs readers: ${this.#run.subject}: ${headline}. ${all}`)
    const failed = new NotRead('failure', { headline, details: isTold ? '' : all })
    // The limit of the service concerns every other request, too.
    if (reason === 'deadline') this.#stopped = failed
    return failed
  }

  /** Stops where no time is left, as it does for a cancelled run, which reports no cause. @returns why it stopped, if so */
  #checkTime(): NotRead | undefined {
    const isOver = this.#signal.aborted || this.#run.clock.now() >= this.#deadlineMs
    if (isOver) this.#stopped ??= limit(`${LIMIT_OF_TIME} are used up`)
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

  /** @param part what was not read because of `cause`, such as `3 of the 7 weeks before` */
  noteNotRead(part: string, cause: NotRead): void {
    const known = this.#notRead.get(cause.headline) ?? { cause, parts: [] }
    known.parts.push(part)
    this.#notRead.set(cause.headline, known)
  }

  /** What was left out: a sentence for each note and each limit, a few for each failure. */
  leftOut(): readonly string[] {
    const notRead = [...this.#notRead.values()].map(({ cause, parts }) =>
      cause.kind === 'limit'
        ? `Not read, because ${cause.headline}: ${listOf(parts)}.`
        : joinSentences(`Not read: ${listOf(parts)}.`, cause.text(listOf(parts))),
    )
    return [...this.#notes, ...notRead]
  }
}

function limit(headline: string): NotRead {
  return new NotRead('limit', { headline, details: '' })
}

/** A body that says nothing of use would not be another one the next time, unless it was cut off. */
function isRetryable(error: unknown): boolean {
  return isRetryableFailure(error) && !(error instanceof InvalidResponseError && !error.isCutOff)
}
