import { type Counts, getVisitors, MAX_ROWS, type PageVisitors } from '../service/analytics.ts'
import type { DocsService } from '../service/client.ts'
import { countOf } from './format.ts'
import { datesOf, type Period, periodName, periodsBefore } from './period.ts'
import { type AnalyticsRequests, type LeftOut, NotRead } from './requests.ts'

/** The site's totals in one period. */
export type PeriodTotals = { readonly period: Period; readonly totals: Counts }

/** What was read of one period's pages. */
export type PeriodPages = {
  /** By path; of a page met twice, the later row. */
  readonly pages: ReadonlyMap<string, PageVisitors>
  /** Whether all pages of the period were read. */
  readonly isWhole: boolean
}

/** What was read for a report. */
export type VisitorsReading = {
  readonly current: PeriodTotals & PeriodPages
  /** Totals of the periods before, the latest first, without a gap. */
  readonly before: readonly PeriodTotals[]
  /** The pages of the latest period before; `undefined` if not even its first answer came. */
  readonly previous: PeriodPages | undefined
}

/** What reading needs. */
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
  const current = new PagesReader(period, 'the period', tools)
  const totals = await orNotRead(() => current.readNext())
  if (totals instanceof NotRead) return totals
  const earlier = periodsBefore(period, trend - 1)
  const [latest] = earlier
  const previous = latest && new PagesReader(latest, 'the period before', tools)
  const before: PeriodTotals[] = []
  const stopped = await orNotRead(async () => {
    for (const each of earlier) {
      const read = each === latest ? await previous?.readNext() : await readTotals(each, tools)
      if (read !== undefined) before.push({ period: each, totals: read })
    }
  })
  if (stopped instanceof NotRead) {
    const of = before.length === 0 ? 'the' : `${earlier.length - before.length} of the`
    tools.leftOut.notRead(`${of} ${earlier.length} ${periodName(period, earlier.length)} before`, stopped)
  }
  return {
    current: { period, totals, ...(await current.readRest()) },
    before,
    previous: before.length === 0 ? undefined : await previous?.readRest(),
  }
}

async function readTotals(period: Period, { service, requests }: ReadingTools): Promise<Counts> {
  const query = { ...datesOf(period), limit: 1, offset: 0 }
  return (await requests.send((signal) => getVisitors(service, query, signal))).totals
}

/** Reads the pages of a period, 250 with each request, until the service has no more. */
class PagesReader {
  readonly #period: Period
  /** As the report calls the period. */
  readonly #name: string
  readonly #tools: ReadingTools
  readonly #pages = new Map<string, PageVisitors>()
  #offset = 0
  #hasMore = true
  #isWhole = true
  #invalidRows = 0

  constructor(period: Period, name: string, tools: ReadingTools) {
    this.#period = period
    this.#name = name
    this.#tools = tools
  }

  /** @returns the totals of the period, which come with every answer */
  async readNext(): Promise<Counts> {
    const { service, requests } = this.#tools
    const query = { ...datesOf(this.#period), limit: MAX_ROWS, offset: this.#offset }
    const answer = await requests.send((signal) => getVisitors(service, query, signal))
    const known = this.#pages.size
    for (const row of answer.rows) this.#pages.set(row.path, row)
    this.#offset += MAX_ROWS
    this.#invalidRows += answer.invalidRows
    this.#hasMore = answer.hasMore
    if (answer.isOdd) {
      this.#lacks(`An answer for ${this.#name} had no list of pages, or did not say whether there are more.`)
    }
    if (answer.hasMore && this.#pages.size === known && answer.invalidRows === 0) {
      this.#hasMore = false
      this.#lacks(`The service has more pages of ${this.#name}, but sent none that were new.`)
    }
    return answer.totals
  }

  async readRest(): Promise<PeriodPages> {
    const stopped = await orNotRead(async () => {
      while (this.#hasMore) await this.readNext()
    })
    if (stopped instanceof NotRead) {
      this.#isWhole = false
      this.#tools.leftOut.notRead(`the pages of ${this.#name} after the first ${this.#pages.size}`, stopped)
    }
    if (this.#invalidRows > 0) {
      const rows = countOf(this.#invalidRows, 'row')
      this.#lacks(`${rows} of ${this.#name} without a path, or with a count that is not a number, left out.`)
    }
    return { pages: this.#pages, isWhole: this.#isWhole }
  }

  #lacks(sentence: string): void {
    this.#isWhole = false
    this.#tools.leftOut.note(sentence)
  }
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
