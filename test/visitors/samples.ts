import { readInputs } from '../../src/inputs/table.ts'
import type { Counts, PageVisitors } from '../../src/mintlify/analytics.ts'
import { fullDaysBefore, periodsBefore } from '../../src/visitors/analytics-reader.ts'
import { createVisitorsReport, type VisitorsReport } from '../../src/visitors/visitors.ts'
import { type ReportContent, visitorsSummary } from '../../src/visitors/visitors-report.ts'
import { NOW_MS } from './scene.ts'

/** A row with these counts. */
export function page(path: string, total: number, ai = 0): PageVisitors {
  return { path, human: total - ai, ai, total }
}

/** Forty pages without changes. */
export const QUIET = Array.from({ length: 40 }, (_, index) => page(`/quiet/${index}`, 100))

/** The same, and seven pages that went up by 200 visitors each and one that went down. */
export const CHANGED = {
  pages: [...rising(300), page('/down', 20), page('/new', 40), ...QUIET],
  previousPages: [...rising(100), page('/down', 100), page('/old', 1204), ...QUIET],
}

function rising(total: number): PageVisitors[] {
  return [0, 1, 2, 3, 4, 5, 6].map((index) => page(`/up/${index}`, total - index))
}

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
  const before = periodsBefore(period, totals.length - 1).map((each, index) => {
    return { period: each, totals: countsOf(totals.at(-2 - index) ?? 0) }
  })
  const byPath = (rows: readonly PageVisitors[]) => new Map(rows.map((row) => [row.path, row]))
  const { isWhole = true, isPreviousWhole = true } = sample
  const current = { period, totals: countsOf(totals.at(-1) ?? 0), pages: byPath(pages), isWhole }
  const previous = { pages: byPath(previousPages), isWhole: isPreviousWhole }
  const [latest] = before
  return createVisitorsReport({
    current,
    before,
    previous: latest && { ...latest, ...previous },
    reads,
  })
}

/** Renders the summary of a report. */
export function summaryOf(
  report: VisitorsReport,
  more: Partial<ReportContent> = {},
  given: Readonly<Record<string, string>> = {},
): string {
  const named = new Map(Object.entries({ 'project-id': 'docs', ...given }))
  const { inputs } = readInputs(named, (text) => text)
  const run = { inputs, mintlify: 'Mintlify' }
  return visitorsSummary({ run, report, requests: 11, ...more }).source
}
