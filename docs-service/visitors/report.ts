import type { VisitorsQuery } from './query.ts'
import { type Counts, fraction, pageCounts, pagePath, type SiteTraffic, siteTraffic } from './site.ts'

/** A row of the report. */
export type VisitorsRow = { path: string } & Counts

/** The answer of the visitors call. */
export type VisitorsAnswer = { totals: Counts; visitors: VisitorsRow[]; hasMore: boolean }

/** A site's visitors, worked out on demand: a million pages take no more memory than ten. */
export type VisitorsReport = { answer(query: VisitorsQuery): VisitorsAnswer }

type Period = { traffic: SiteTraffic; totals: Counts; pages: number }

/** Pages that decide the totals. Those after them are read by visitors who were on one of these too. */
const HEAD_PAGES = 500
/** Of the visitors of other pages, how many were not on the busiest page. */
const NOT_ON_BUSIEST = 0.35
const PERIODS_KEPT = 64

/** The report of a site of so many pages. The same query always gets the same rows. */
export function visitorsReport({ pages, seed }: { pages: number; seed: number }): VisitorsReport {
  const rankOf = scatter(pages, seed)
  const periods = new Map<string, Period>()

  function periodOf(query: VisitorsQuery): Period {
    const name = `${query.fromMs} ${query.toMs}`
    const known = periods.get(name)
    if (known) return known
    if (periods.size >= PERIODS_KEPT) periods.clear()
    const made = newPeriod(query, { pages, seed })
    periods.set(name, made)
    return made
  }

  return {
    answer(query) {
      const { traffic, totals, pages: listed } = periodOf(query)
      const end = Math.min(query.offset + query.limit, listed)
      const visitors: VisitorsRow[] = []
      for (let row = query.offset; row < end; row += 1) {
        const rank = rankOf(row)
        visitors.push({ path: pagePath(rank), ...pageCounts(seed, rank, traffic) })
      }
      return { totals, visitors, hasMore: end < listed }
    },
  }
}

function newPeriod(query: VisitorsQuery, { pages, seed }: { pages: number; seed: number }): Period {
  const traffic = siteTraffic(query)
  const listed = query.fromMs === query.toMs ? 0 : pages
  const head = Array.from({ length: Math.min(listed, HEAD_PAGES) }, (_, rank) =>
    pageCounts(seed, rank, traffic),
  )
  return { traffic, totals: siteTotals(head), pages: listed }
}

/**
 * The busiest page's visitors and a part of the others'. So totals are at least the largest row, less than the sum of
 * the rows, and at most human and AI together.
 */
function siteTotals(head: readonly Counts[]): Counts {
  const human = withoutDoubles(head.map((page) => page.human))
  const ai = withoutDoubles(head.map((page) => page.ai))
  const total = withoutDoubles(head.map((page) => page.total))
  return { human, ai, total: Math.min(total, human + ai) }
}

function withoutDoubles(counts: readonly number[]): number {
  const most = Math.max(0, ...counts)
  const sum = counts.reduce((left, right) => left + right, 0)
  return most + Math.floor(NOT_ON_BUSIEST * (sum - most))
}

/** Which rank stands in which row: each rank once, in an order that has nothing to do with traffic. */
function scatter(pages: number, seed: number): (row: number) => number {
  let step = Math.max(1, Math.floor(pages * 0.618))
  while (greatestCommonDivisor(step, pages) > 1) step += 1
  const start = Math.floor(fraction(seed, 0, 0) * pages)
  return (row) => (row * step + start) % pages
}

function greatestCommonDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestCommonDivisor(right, left % right)
}
