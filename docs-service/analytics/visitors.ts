import type { AnalyticsQuery } from './query.ts'
import { fraction, pagePath } from './site.ts'

/** Unique visitors. `total` counts those who came as a human and through an AI tool once. */
export type Counts = { readonly human: number; readonly ai: number; readonly total: number }

const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2024, 0, 1) / DAY_MS
const BUSIEST_PER_DAY = 900
const FALL_OFF = 0.95
/** The longer the period, the more visits are of people counted before. */
const RETURNING = 0.94
/** Pages that decide the totals. Those after them are read by visitors who were on one of these too. */
const HEAD_PAGES = 500
/** Of the visitors of other pages, how many were not on the busiest page. */
const NOT_ON_BUSIEST = 0.35
/** A prime: rows come in an order that has nothing to do with traffic, each page once. */
const STEP = 7907

/** The visitors of a site of a number of pages, worked out row by row: a million pages take no more memory than ten. */
export function visitorsOf(query: AnalyticsQuery, sitePages: number) {
  const pages = query.fromMs === query.toMs ? 0 : sitePages
  const head = Array.from({ length: Math.min(pages, HEAD_PAGES) }, (_, rank) =>
    pageCounts(rank, query),
  )
  const end = Math.min(query.offset + query.limit, pages)
  const rows = Array.from({ length: Math.max(0, end - query.offset) }, (_, row) => {
    const rank = ((query.offset + row + 1) * (pages % STEP === 0 ? 1 : STEP)) % pages
    return { path: pagePath(rank), ...pageCounts(rank, query) }
  })
  return { totals: siteTotals(head), visitors: rows, hasMore: end < pages }
}

/**
 * A page's visitors: a power law over the ranks, a gentle growth, and some noise that is the page's own each week. In
 * each week (Monday to Sunday) one page has many more visitors than usual, and one has many fewer.
 */
function pageCounts(rank: number, { fromMs, toMs }: AnalyticsQuery): Counts {
  const draw = (salt: number) => fraction(rank, salt)
  const fromDay = fromMs / DAY_MS
  const week = Math.floor((fromDay + 3) / 7)
  const growth = 1 + 0.1 * Math.max(0, (fromDay - FIRST_DAY) / 365)
  const event = rank === 3 + (week % 12) ? 1.9 : rank === 20 + (week % 15) ? 0.45 : 1
  const noise = 0.94 + 0.12 * draw(100 + week)
  const perDay = (BUSIEST_PER_DAY * (0.6 + 0.8 * draw(1))) / (rank + 1) ** FALL_OFF
  const visits = (perDay * growth * (toMs - fromMs)) / DAY_MS
  const aiShare = rank % 17 === 9 ? 2 : 0.08 + 0.25 * draw(2)
  const ai = Math.floor((visits * aiShare) ** RETURNING * noise * event + draw(3))
  // At least one visitor: a page without visitors is not listed.
  const human = Math.max(
    ai === 0 ? 1 : 0,
    Math.floor(visits ** RETURNING * noise * event + draw(4)),
  )
  const overlap = Math.round(Math.min(human, ai) * (0.12 + 0.15 * draw(5)))
  return { human, ai, total: human + ai - overlap }
}

/** At least the largest row, less than the sum of the rows, and at most human and AI together. */
function siteTotals(rows: readonly Counts[]): Counts {
  const human = deduplicated(rows.map((row) => row.human))
  const ai = deduplicated(rows.map((row) => row.ai))
  return { human, ai, total: Math.min(deduplicated(rows.map((row) => row.total)), human + ai) }
}

function deduplicated(counts: readonly number[]): number {
  const most = Math.max(0, ...counts)
  const sum = counts.reduce((left, right) => left + right, 0)
  return most + Math.floor(NOT_ON_BUSIEST * (sum - most))
}
