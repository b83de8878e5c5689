import { formatDuration } from '../lib/duration.ts'
import { RetryError, type RetryPolicy, retry, retryAfterNote } from '../lib/retry.ts'
import { type Failure, FailureError, joinSentences, listOf } from '../lib/text.ts'
import type { Run } from '../runner/run.ts'
import type { AnalyticsQuery } from '../service/analytics.ts'
import type { DocsService } from '../service/docs-service.ts'
import { PublicNames } from '../service/public-name.ts'
import {
  describeFailure,
  failureSentences,
  hasStatus,
  InvalidResponseError,
  isRetryable as isRetryableFailure,
  retryAfterMsOf,
} from '../service/service-errors.ts'
import { isoDay, type Period } from './format.ts'

/** Why something was not read. */
export class NotRead extends FailureError {
  /** `limit`: one of ours, whose headline follows "because"; `refusal`: of key, credits or access. */
  readonly kind: 'limit' | 'refusal' | 'failure'

  constructor(kind: NotRead['kind'], failure: Failure) {
    super(failure)
    this.kind = kind
  }

  /**
   * As sentences. What refuses these requests refuses a job of the same run, whose error says what to do.
   *
   * @param what was to be read
   */
  text(what: string, hasJob: boolean): string {
    if (this.kind === 'limit')
      return joinSentences(`Failed to read ${what}, because ${this.headline}.`, this.details)
    return hasJob && this.kind === 'refusal' ? `${this.headline}.` : this.message
  }
}

export type AnalyticsRequest<T> = (service: DocsService, query: AnalyticsQuery) => Promise<T>

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
  #stopped: NotRead | undefined
  /** Requests made so far, retries included. */
  count = 0

  /** The time begins to count at once. */
  constructor(service: DocsService, run: Run) {
    this.#service = service
    this.#run = run
    this.#names = new PublicNames(run.redact)
    this.#deadlineMs = run.clock.now() + MAX_TIME_MS
    this.#signal = AbortSignal.any([run.cancel, run.clock.timeout(MAX_TIME_MS)])
  }

  /** Makes a request about a period until it is answered, unless a limit is reached or the run is cancelled. */
  async send<T>({ fromMs, toMs }: Period, request: AnalyticsRequest<T>): Promise<T | NotRead> {
    const { inputs, log } = this.#run
    const maxRequests = inputs['visitors-max-requests']
    if (this.count >= maxRequests)
      this.#stop(
        `\`visitors-max-requests\` is ${maxRequests}`,
        `Raise it: with \`reader-signals: agent\`, what readers missed comes first, and took all ${maxRequests}.`,
      )
    const stopped = this.#checkTime()
    if (stopped !== undefined) return stopped
    const dates = { dateFrom: isoDay(fromMs), dateTo: isoDay(toMs) }
    const policy: RetryPolicy = {
      backoff: { baseMs: 1000, maxMs: 30_000 },
      maxAttempts: MAX_ATTEMPTS,
      isRetryable: (error) => isRetryable(error) && this.count < maxRequests,
      retryAfterMs: retryAfterMsOf,
      deadlineMs: () => this.#deadlineMs,
      onRetry: (error, pauseMs) => {
        const again = `Trying again in ${formatDuration(pauseMs)}.`
        log.info(`Docs readers: ${inputs['project-id']}: ${failureSentences(error)} ${again}`)
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
      final: isRetryable(cause) ? '`visitors-max-requests` is used up, so it was not retried.' : '',
      cancelled: '',
    }
    const isRefused = [401, 402, 403].some((status) => hasStatus(cause, status))
    const failure = { headline, details: joinSentences(details, notes[reason]) }
    const failed = new NotRead(isRefused ? 'refusal' : 'failure', failure)
    // The limit of the service concerns every other request, too.
    if (reason === 'deadline') this.#stopped = failed
    return failed
  }

  /** Stops where no time is left, as it does for a cancelled run, which reports no cause. @returns why it stopped, if so */
  #checkTime(): NotRead | undefined {
    const isOver = this.#signal.aborted || this.#run.clock.now() >= this.#deadlineMs
    if (isOver) this.#stop(`${LIMIT_OF_TIME} are used up`)
    return this.#stopped
  }

  #stop(limit: string, details = ''): void {
    this.#stopped ??= new NotRead('limit', { headline: limit, details })
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
  leftOut(hasJob: boolean): readonly string[] {
    const notRead = [...this.#notRead.values()].map(({ cause, parts }) =>
      cause.kind === 'limit'
        ? `Not read, because ${cause.headline}: ${listOf(parts)}.`
        : joinSentences(`Not read: ${listOf(parts)}.`, cause.text(listOf(parts), hasJob)),
    )
    return [...this.#notes, ...notRead]
  }
}

/** A body that says nothing of use would not be another one the next time, unless it was cut off. */
function isRetryable(error: unknown): boolean {
  return isRetryableFailure(error) && !(error instanceof InvalidResponseError && !error.isCutOff)
}
