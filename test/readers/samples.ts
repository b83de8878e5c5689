import { readInputs } from '../../src/inputs/table.ts'
import { fullDaysBefore, periodsBefore } from '../../src/readers/format.ts'
import { type ReportContent, readersSummary } from '../../src/readers/summary.ts'
import { makeReport, type VisitorsReport } from '../../src/readers/visitors.ts'
import type { Counts, PageVisitors } from '../../src/service/analytics.ts'
import { NOW_MS } from './scene.ts'

/** A row with these counts. */
export function page(path: string, total: number, ai = 0): PageVisitors {
  return { path, human: total - ai, ai, total }
}

type Pages = readonly PageVisitors[]
/** A complete reading of a week that is over. */
const USUAL = { isWhole: true, isPreviousWhole: true, days: 7 }

/** The report of periods with these totals, the earliest first. Of a number, eight of ten are people, three of ten AI. */
export function report(
  totals: readonly (number | Counts)[],
  change: Partial<typeof USUAL> & {
    readonly pages?: Pages
    readonly previousPages?: Pages
    readonly reads?: Counts | undefined
  } = {},
) {
  const { isWhole, isPreviousWhole, days, reads, pages, previousPages } = {
    reads: undefined,
    ...USUAL,
    ...change,
  }
  const countsAt = (index: number): Counts => {
    const total = totals.at(index) ?? 0
    if (typeof total !== 'number') return total
    return { human: Math.round(total * 0.8), ai: Math.round(total * 0.3), total }
  }
  const period = fullDaysBefore(NOW_MS, days)
  const periods = periodsBefore(period, totals.length - 1)
  const before = periods.map((each, index) => ({ period: each, totals: countsAt(-2 - index) }))
  const pagesOf = (rows: Pages = []) => new Map(rows.map((each) => [each.path, each]))
  const current = { period, totals: countsAt(-1), pages: pagesOf(pages), isWhole }
  const previous = { pages: pagesOf(previousPages), isWhole: isPreviousWhole }
  const reading = { current, before, previous: before.length === 0 ? undefined : previous, reads }
  return makeReport(reading)
}

/** A summary as Markdown, with plain spaces. */
export function summaryOf(
  report: VisitorsReport,
  more: Partial<ReportContent> = {},
  siteUrl = '',
): string {
  const given = new Map(Object.entries({ 'project-id': 'docs', 'site-url': siteUrl }))
  const { inputs } = readInputs(given, (text) => text)
  const none = { failure: undefined, signals: undefined, exported: '', leftOut: [] }
  const content = { inputs, report, requests: 11, ...none, ...more }
  return readersSummary(content).source.replaceAll('\u00A0', ' ')
}
