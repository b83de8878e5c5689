import {
  type Counts,
  getVisitors,
  MAX_ROWS,
  type PageVisitors,
  type VisitorsAnswer,
} from '../service/analytics.ts'
import type { DocsService } from '../service/client.ts'
import { countOf } from './format.ts'
import { datesOf, type Period, periodName, periodsBefore } from './period.ts'
import { type AnalyticsRequests, type LeftOut, NotRead } from './requests.ts'

export type PeriodTotals = { readonly period: Period; readonly totals: Counts }

/** What was read of one period's pages. */
export type PeriodPages = {
  /** By path; of a page met twice, the later row. */
  readonly pages: ReadonlyMap<string, PageVisitors>
  /** Whether all pages of the period were read. */
  readonly isWhole: boolean
}

export type VisitorsReading = {
  readonly current: PeriodTotals & PeriodPages
  /** Totals of the periods before, the latest first, without a gap. */
  readonly before: readonly PeriodTotals[]
  /** The pages of the latest period before; `undefined` if not even its first answer came. */
  readonly previous: PeriodPages | undefined
}

export type ReadingTools = {
  readonly service: DocsService
  readonly requests: AnalyticsRequests
  readonly leftOut: LeftOut
}

/**
 * Reads visitors in the order in which requests are worth most: the first rows of the current period with its totals, the
 * totals of the periods before, the other rows of the current period, those of the latest period before.
 *
 * @param plan `trend`: periods wanted, the current one included
 * @returns `NotRead` if there is not even a first answer for the current period
 * @throws the reason of the run's cancel signal
 */
export async function readVisitors(
  tools: ReadingTools,
  { period, trend }: { readonly period: Period; readonly trend: number },
): Promise<VisitorsReading | NotRead> {
  const first = await orNotRead(() => request(period, { limit: MAX_ROWS, offset: 0 }, tools))
  if (first instanceof NotRead) return first
  const earlier = periodsBefore(period, trend - 1)
  const before: (PeriodTotals & { readonly answer: VisitorsAnswer })[] = []
  const stopped = await orNotRead(async () => {
    for (const each of earlier) {
      // The answer for the latest of them has its first rows, too.
      const limit = before.length === 0 ? MAX_ROWS : 1
      const answer = await request(each, { limit, offset: 0 }, tools)
      before.push({ period: each, totals: answer.totals, answer })
    }
  })
  if (stopped instanceof NotRead) {
    const missing = before.length === 0 ? 'the' : `${earlier.length - before.length} of the`
    const part = `${missing} ${earlier.length} ${periodName(period, earlier.length)} before`
    tools.leftOut.notRead(part, stopped)
  }
  const pages = await readPages(first, { period, name: 'the period' }, tools)
  const [latest] = before
  const previous =
    latest && (await readPages(latest.answer, { period: latest.period, name: 'the period before' }, tools))
  return { current: { period, totals: first.totals, ...pages }, before, previous }
}

async function request(
  period: Period,
  rows: { readonly limit: number; readonly offset: number },
  { service, requests }: ReadingTools,
): Promise<VisitorsAnswer> {
  return await requests.send((signal) => getVisitors(service, { ...datesOf(period), ...rows }, signal))
}

/**
 * Reads the pages of a period, 250 with each request, until the service has no more.
 *
 * @param first the period's first answer
 * @param options `name`: as the report calls the period
 */
async function readPages(
  first: VisitorsAnswer,
  { period, name }: { readonly period: Period; readonly name: string },
  tools: ReadingTools,
): Promise<PeriodPages> {
  const pages = new Map<string, PageVisitors>()
  let [isWhole, invalidRows] = [true, 0]
  const lacks = (sentence: string): void => {
    isWhole = false
    tools.leftOut.note(sentence)
  }

  /** @returns whether there is more to be read */
  function add(answer: VisitorsAnswer): boolean {
    const known = pages.size
    for (const row of answer.rows) pages.set(row.path, row)
    invalidRows += answer.invalidRows
    if (answer.isOdd)
      lacks(`An answer for ${name} had no list of pages, or did not say whether there are more.`)
    const isStuck = answer.hasMore && pages.size === known && answer.invalidRows === 0
    if (isStuck) lacks(`The service has more pages of ${name}, but sent none that were new.`)
    return answer.hasMore && !isStuck
  }

  const stopped = await orNotRead(async () => {
    let hasMore = add(first)
    for (let offset = MAX_ROWS; hasMore; offset += MAX_ROWS) {
      hasMore = add(await request(period, { limit: MAX_ROWS, offset }, tools))
    }
  })
  if (stopped instanceof NotRead)
    tools.leftOut.notRead(`the pages of ${name} after the first ${pages.size}`, stopped)
  if (invalidRows > 0) {
    lacks(
      `${countOf(invalidRows, 'row')} of ${name} without a path, or with a count that is not a number, left out.`,
    )
  }
  return { pages, isWhole: isWhole && !(stopped instanceof NotRead) }
}

/** What a piece of work results in, or why something was not read. */
export async function orNotRead<T>(work: () => Promise<T>): Promise<T | NotRead> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof NotRead) return error
    throw error
  }
}
