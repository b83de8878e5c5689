import { code, link, MAX_LINK_LENGTH, Markdown, type Row, table } from '../lib/markdown.ts'
import { type Failure, formatCount, joinSentences, listOf } from '../lib/text.ts'
import { formatDuration, RetryError, type RetryPolicy, retry, retryAfterNote } from '../lib/time.ts'
import type { AnalyticsCall } from '../mintlify/analytics.ts'
import type { MintlifyClient } from '../mintlify/mintlify-client.ts'
import {
  describeFailure,
  hasStatus,
  InvalidResponseError,
  isRetryable,
  retryAfterMsOf,
} from '../mintlify/mintlify-errors.ts'
import type { Run } from '../runner/run.ts'

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
  readonly #service: MintlifyClient
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
  constructor(service: MintlifyClient, run: Run) {
    this.#kept = run.inputs['content-gaps'] === 'none' ? 0 : MAX_KEPT
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
      isRetryable: (error) => canReadAgain(error) && this.#hasRequests(),
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
function canReadAgain(error: unknown): boolean {
  return isRetryable(error) && !(error instanceof InvalidResponseError && !error.isCutOff)
}

/** The change of a number, in percent of what it was, rounded to one decimal; `null` if that is not known, or zero. */
export function changeBetween(previous: number | undefined, current: number): number | null {
  if (previous === current) return 0
  if (previous === undefined || previous === 0) return null
  return Math.round(((current - previous) / previous) * 1000) / 10
}

/** The same for a table, which breaks at no space: `+8.3 %`, `−3.0 %`, `+120 %`, `new`, `–`. */
export function formatChange(previous: number | undefined, current: number): string {
  const change = changeBetween(previous, current)
  if (change === null) return previous === 0 ? 'new' : '–'
  const percent = (size: number): string =>
    `${size < 100 ? size.toFixed(1) : formatCount(Math.round(size))}\u00A0%`
  return signed(change, percent)
}

/** A difference, such as `+312` or `−96`. */
export function signed(value: number, format: (size: number) => string): string {
  const sign = value > 0 ? '+' : '−'
  return `${value === 0 ? '' : sign}${format(Math.abs(value))}`
}

/** Full UTC days in milliseconds since the epoch; `toMs` is exclusive. */
export type Period = { readonly fromMs: number; readonly toMs: number }

/** A day in milliseconds. UTC has no other. */
export const DAY_MS = 86_400_000

/** A number of full UTC days, up to the day that a moment lies in. */
export function fullDaysBefore(nowMs: number, days: number): Period {
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS
  return { fromMs: todayMs - days * DAY_MS, toMs: todayMs }
}

/** The periods before one: each as long, each ending where the later one begins, the latest first. */
export function periodsBefore({ fromMs, toMs }: Period, count: number): Period[] {
  const lengthMs = toMs - fromMs
  return Array.from({ length: count }, (_, index) => {
    const endMs = fromMs - index * lengthMs
    return { fromMs: endMs - lengthMs, toMs: endMs }
  })
}

/** YYYY-MM-DD. */
export function isoDay(ms: number): string {
  return new Date(ms).toISOString().replace(/T.*/, '')
}

/** A period for people, its last day included: `27 Jul to 2 Aug`; one of more than a month with years. */
export function formatPeriod({ fromMs, toMs }: Period): string {
  const [first, last] = [dayAndYear(fromMs), dayAndYear(toMs - DAY_MS)]
  const isLong = toMs - fromMs > 31 * DAY_MS || first.slice(-4) !== last.slice(-4)
  if (isLong) return `${first} to ${last}`
  const [from = '', to = ''] = [first, last].map((day) => day.replace(/ \d+$/, ''))
  if (from === to) return to
  // A month that both have is said once.
  return `${from.slice(-3) === to.slice(-3) ? from.replace(/ .*/, '') : from} to ${to}`
}

/** What periods of this length are called: `week`, `weeks`, `period of 30 days`, `periods of 30 days`. */
export function periodName({ fromMs, toMs }: Period, count: number): string {
  const days = (toMs - fromMs) / DAY_MS
  const s = count === 1 ? '' : 's'
  if (days === 7) return `week${s}`
  return days === 1 ? `day${s}` : `period${s} of ${days} days`
}

/** A name for each period by its beginning: `12 Jan`, or `Jan ’26` where they span a year. */
export function shortNames(periods: readonly Period[]): string[] {
  const begins = periods.map(({ fromMs }) => fromMs)
  const spansYear = Math.max(...begins) - Math.min(...begins) >= 365 * DAY_MS
  return begins
    .map(dayAndYear)
    .map((name) =>
      spansYear ? name.replace(/^\d+ (\w+) \d\d/, '$1 ’') : name.replace(/ \d+$/, ''),
    )
}

// `Intl` says the same, but its words change with the data that a machine has.
function dayAndYear(ms: number): string {
  return new Date(ms).toUTCString().replace(/^\w+, 0?(\d+ \w+ \d+).*/, '$1')
}

/** A table whose texts are ours; what is not is Markdown already. */
export function rawTable(head: Row, rows: readonly Row[], align: string): Markdown {
  const raw = (row: Row): Row =>
    row.map((cell) => (typeof cell === 'string' ? Markdown.raw(cell) : cell))
  return table(raw(head), rows.map(raw), align)
}

/** A page by its path, cut in its middle; a link, if the site is known. */
export function pageName(path: string, site: URL | undefined, maxLength: number): Markdown {
  const label = code(cutMiddle(path, maxLength))
  const url = site && pageUrl(path, site)
  return url === undefined || url.length > MAX_LINK_LENGTH ? label : link(label, url)
}

function cutMiddle(path: string, maxLength: number): string {
  if (path.length <= maxLength) return path
  // The end of a path says more than its beginning.
  const start = Math.floor(maxLength / 3)
  return `${path.slice(0, start)}…${path.slice(start - maxLength + 1)}`
}

/** The address of a page; `undefined` for a path that would lead elsewhere than below the site's own. */
export function pageUrl(path: string, site: URL): string | undefined {
  const prefix = site.pathname.replace(/\/+$/, '')
  const segments = path.replace(/^\//, '').split('/')
  if (segments.some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) return undefined
  // What is encoded already stays as it is.
  const encoded = segments.map((segment) =>
    encodeURIComponent(segment.toWellFormed()).replace(/%25(?=[0-9a-f]{2})/gi, '%'),
  )
  return `${site.origin}${prefix}/${encoded.join('/')}`
}
