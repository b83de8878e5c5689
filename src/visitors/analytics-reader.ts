import { code, link, MAX_LINK_LENGTH, Markdown, type Row, table } from '../lib/markdown.ts'
import { countOf, type Failure, joinSentences, listOf } from '../lib/text.ts'
import { DAY_MS, formatDuration, RetryError, retry } from '../lib/time.ts'
import type { AnalyticsCall } from '../mintlify/analytics.ts'
import {
  describeFailure,
  hasStatus,
  InvalidResponseError,
  isRetryable,
  retryAfterMsOf,
} from '../mintlify/mintlify-errors.ts'
import type { Run } from '../runner/run.ts'

/** Maximum number of requests of a report, retries included. Mintlify allows an organization 100 an hour. */
export const MAX_REQUESTS = 40
/** Maximum time for all requests of a report. */
const MAX_TIME_MS = 300_000
const MAX_ATTEMPTS = 5
const LIMIT: Failure = {
  headline: `A visitors report makes at most ${MAX_REQUESTS} requests in ${MAX_TIME_MS / 60_000} minutes`,
  details: '',
}

/** A part of a report that could not be read. */
type Unread = {
  readonly part: string
  readonly failure: Failure
  /** Whether Mintlify returned 404. */
  readonly isNotFound?: boolean
}

/** A sentence about a missing part of a report. */
export type Missing = {
  readonly sentence: string
  /** Whether the error that the job ended in explains it. */
  readonly isExplained: boolean
}

/** The part without which there is no report. */
export const VISITORS_PART = 'the visitors'

/** Makes the requests of a report within one limit, and keeps the parts that could not be read. */
export class AnalyticsReader {
  readonly #run: Run
  readonly #deadlineMs: number
  readonly #signal: AbortSignal
  readonly #unread: Unread[] = []
  /** Why no request can succeed anymore. */
  #end: Failure | undefined
  readonly #notes: string[] = []
  /** Requests made so far, retries included. */
  count = 0

  /** Starts the time limit. */
  constructor(run: Run) {
    this.#run = run
    this.#deadlineMs = run.clock.now() + MAX_TIME_MS
    this.#signal = AbortSignal.any([run.cancel, run.clock.timeout(MAX_TIME_MS)])
  }

  /**
   * Makes a call for a period, and repeats it if that can help.
   *
   * @param part what is read, such as `the reads`
   * @returns `undefined` if it could not be read; `leftOut` then describes it
   */
  async read<T extends { readonly invalidRows: number }>(
    { fromMs, toMs }: Period,
    { read, ...call }: AnalyticsCall<T>,
    part: string,
    maxAttempts = MAX_ATTEMPTS,
  ): Promise<T | undefined> {
    const { log, clock, mintlify, service } = this.#run
    const query = { dateFrom: isoDay(fromMs), dateTo: isoDay(toMs), ...call.query }
    const isOver = (): boolean => this.count >= MAX_REQUESTS || clock.now() >= this.#deadlineMs
    const end = isOver() ? LIMIT : this.#end
    if (end) return void this.#unread.push({ part, failure: end })
    const send = (): Promise<T> => {
      this.count += 1
      return service.getAnalytics({ ...call, query }, read, this.#signal)
    }
    const policy = {
      maxAttempts,
      isRetryable(error: unknown) {
        // A body that can't be used stays the same, unless it was cut off.
        const isFinal = error instanceof InvalidResponseError && !error.isCutOff
        return isRetryable(error) && !isFinal && !isOver()
      },
      retryAfterMs: retryAfterMsOf,
      deadlineMs: () => this.#deadlineMs,
      onRetry(error: unknown, pauseMs: number) {
        const { headline } = describeFailure(error, mintlify)
        log.info(`Visitors report: ${headline}. Trying again in ${formatDuration(pauseMs)}.`)
      },
    }
    try {
      const answer = await retry(send, policy, this.#run)
      if (answer.invalidRows > 0)
        this.#notes.push(`${countOf(answer.invalidRows, 'row')} of ${part} could not be read.`)
      return answer
    } catch (error) {
      if (!(error instanceof RetryError)) throw error
      const failure = describeFailure(error.cause, mintlify)
      // Mintlify's limit applies to every other request, too.
      if (error.reason === 'deadline') this.#end = failure
      const isOver = clock.now() >= this.#deadlineMs
      const isNotFound = hasStatus(error.cause, 404)
      this.#unread.push({ part, failure: isOver ? LIMIT : failure, isNotFound })
      return undefined
    }
  }

  /** Returns the headline of the failure of the visitors, otherwise of the first; `undefined` if there was none. */
  failure(): string | undefined {
    const unread = this.#unread.find(({ part }) => part === VISITORS_PART) ?? this.#unread[0]
    return unread?.failure.headline
  }

  /**
   * Describes what was left out: in a sentence for each note, and one for each cause with its explanation.
   *
   * @param job the headline of the error that this run's job ends in, which explains it; only read if something is missing
   */
  async leftOut(job?: Promise<string | undefined>): Promise<readonly Missing[]> {
    const explained = this.#unread.length === 0 ? undefined : await job?.catch(() => undefined)
    // Without the project, every other part is missing for the same reason.
    const [noProject] = this.#run.service.projectNotFound()
    const wrongProject =
      explained === noProject
        ? { headline: noProject, details: '' }
        : this.#unread.find(({ part, isNotFound }) => part === VISITORS_PART && isNotFound)?.failure
    const causes = Map.groupBy(
      this.#unread.map(({ part, failure, isNotFound }) => {
        return { part, failure: (isNotFound && wrongProject) || failure }
      }),
      ({ failure }) => failure.headline,
    )
    const unread = [...causes].map(([headline, all]): Missing => {
      const cause = `${headline}, so ${listOf(all.map(({ part }) => part))} could not be read.`
      const isExplained = headline === explained
      const details = isExplained ? '' : (all[0]?.failure.details ?? '')
      return { sentence: joinSentences(cause, details), isExplained }
    })
    return [...this.#notes.map((sentence) => ({ sentence, isExplained: false })), ...unread]
  }
}

/** Computes a change in percent with one decimal; `null` if the number before is unknown or zero. */
export function changeBetween(previous: number | undefined, current: number): number | null {
  if (previous === current) return 0
  if (previous === undefined || previous === 0) return null
  return Math.round(((current - previous) / previous) * 1000) / 10
}

/** Formats a difference with its sign: `+312`, `-96`. */
export function formatDifference(value: number): string {
  return value.toLocaleString('en-GB', { signDisplay: 'exceptZero', maximumFractionDigits: 1 })
}

/** Formats a change for a table: `+8.3%`, `-3%`, `new`, `–`. */
export function formatChange(previous: number | undefined, current: number): string {
  const change = changeBetween(previous, current)
  if (change !== null) return `${formatDifference(change)}%`
  return previous === 0 ? 'new' : '–'
}

/** Full UTC days in milliseconds since the epoch; `toMs` is exclusive. */
export type Period = { readonly fromMs: number; readonly toMs: number }

/** Returns the full UTC days before the day of `nowMs`. */
export function fullDaysBefore(nowMs: number, days: number): Period {
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS
  return { fromMs: todayMs - days * DAY_MS, toMs: todayMs }
}

/** Returns the periods of the same length before a period, without gaps, the latest first. */
export function periodsBefore({ fromMs, toMs }: Period, count: number): Period[] {
  const lengthMs = toMs - fromMs
  return Array.from({ length: count }, (_, index) => {
    const endMs = fromMs - index * lengthMs
    return { fromMs: endMs - lengthMs, toMs: endMs }
  })
}

/** Formats a day as YYYY-MM-DD. */
export function isoDay(ms: number): string {
  return new Date(ms).toISOString().replace(/T.*/, '')
}

/** Makes a format for UTC days, `2 Aug`, or for months, `Aug 2026`. */
function dateFormat(part: 'day' | 'year'): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'short', [part]: 'numeric' })
}

/** Formats a period with its last day: `27 Jul to 2 Aug`. The years are added if they differ. */
export function formatPeriod({ fromMs, toMs }: Period): string {
  return dateFormat('day')
    .formatRange(fromMs, toMs - DAY_MS)
    .replace(/\s*–\s*/, ' to ')
}

/** Names periods of this length: `week`, `weeks`, `period of 30 days`, `periods of 30 days`. */
export function periodName({ fromMs, toMs }: Period, count: number): string {
  const days = (toMs - fromMs) / DAY_MS
  const s = count === 1 ? '' : 's'
  if (days === 7) return `week${s}`
  return days === 1 ? `day${s}` : `period${s} of ${days} days`
}

/** Names each period by its start for an axis: `12 Jan`, or `Jan 2026` if they span a year. */
export function shortNames(periods: readonly Period[]): string[] {
  const starts = periods.map(({ fromMs }) => fromMs)
  const spansYear = Math.max(...starts) - Math.min(...starts) >= 365 * DAY_MS
  const { format } = dateFormat(spansYear ? 'year' : 'day')
  return starts.map((ms) => format(ms))
}

/** Makes a table of the action's own texts and of Markdown, without escapes. */
export function rawTable(head: Row, rows: readonly Row[], align: string): Markdown {
  const raw = (row: Row): Row =>
    row.map((cell) => (typeof cell === 'string' ? Markdown.raw(cell) : cell))
  return table(raw(head), rows.map(raw), align)
}

/** Shows the path of a page, shortened in its middle. It is a link if the site is known. */
export function pageName(path: string, site: URL | undefined, maxLength: number): Markdown {
  const label = code(cutMiddle(path, maxLength))
  const url = site && pageUrl(path, site)
  return url === undefined || url.length > MAX_LINK_LENGTH ? label : link(label, url)
}

function cutMiddle(path: string, maxLength: number): string {
  if (path.length <= maxLength) return path
  // The end of a path says more than its start.
  const start = Math.floor(maxLength / 3)
  return `${path.slice(0, start)}…${path.slice(start - maxLength + 1)}`
}

/** Makes the address of a page; `undefined` if its path leads to another page, such as `/a/../b`. */
export function pageUrl(path: string, site: URL): string | undefined {
  if (path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) return undefined
  const url = new URL(site)
  const root = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`
  // `URL` makes `/` of a backslash, and removes tabs and line breaks.
  url.pathname = root + path.replace(/^\//, '').replace(/[\\\t\n\r]/g, encodeURIComponent)
  return url.href
}
