import { readInputs } from '../../src/inputs/table.ts'
import { fullDaysBefore, periodsBefore } from '../../src/readers/format.ts'
import { type ReportContent, readersSummary } from '../../src/readers/summary.ts'
import { createVisitorsReport, type VisitorsReport } from '../../src/readers/visitors.ts'
import type { Counts, PageVisitors } from '../../src/service/analytics.ts'
import { NOW_MS } from './scene.ts'

/** A row with these counts. */
export function page(path: string, total: number, ai = 0): PageVisitors {
  return { path, human: total - ai, ai, total }
}

/** Forty pages on which nothing happens. */
export const QUIET = Array.from({ length: 40 }, (_, index) => page(`/quiet/${index}`, 100))

/** What differs from a complete reading of weeks. */
type Sample = {
  readonly pages?: readonly PageVisitors[]
  readonly previousPages?: readonly PageVisitors[]
  readonly reads?: Counts | undefined
  readonly isWhole?: boolean
  readonly isPreviousWhole?: boolean
  readonly days?: number
}

/** The report of periods with these totals, the earliest first. Of a number, eight of ten are people, three of ten AI. */
export function report(totals: readonly (number | Counts)[], sample: Sample = {}) {
  const { pages = [], previousPages = [], reads, days = 7 } = sample
  const countsOf = (total: number | Counts): Counts =>
    typeof total === 'number'
      ? { human: Math.round(total * 0.8), ai: Math.round(total * 0.3), total }
      : total
  const period = fullDaysBefore(NOW_MS, days)
  const [latest, ...before] = [period, ...periodsBefore(period, totals.length - 1)].map(
    (each, index) => ({ period: each, totals: countsOf(totals.at(-1 - index) ?? 0) }),
  )
  const byPath = (rows: readonly PageVisitors[]) => new Map(rows.map((row) => [row.path, row]))
  const { isWhole = true, isPreviousWhole = true } = sample
  const current = { period, totals: countsOf(0), ...latest, pages: byPath(pages), isWhole }
  const previous = before[0] && {
    ...before[0],
    pages: byPath(previousPages),
    isWhole: isPreviousWhole,
  }
  return createVisitorsReport({ current, before, previous, reads })
}

/** A summary as Markdown, with plain spaces. */
export function summaryOf(
  report: VisitorsReport,
  more: Partial<ReportContent> = {},
  given: Readonly<Record<string, string>> = {},
): string {
  const named = new Map(Object.entries({ 'project-id': 'docs', ...given }))
  const { inputs } = readInputs(named, (text) => text)
  const content = { inputs, report, requests: 11, failure: undefined, leftOut: [], ...more }
  return readersSummary(content).source.replaceAll('\u00A0', ' ')
}
