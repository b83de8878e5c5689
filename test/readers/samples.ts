import { fullDaysBefore, periodsBefore } from '../../src/readers/period.ts'
import type { PeriodPages, VisitorsReading } from '../../src/readers/read.ts'
import { makeReport, type VisitorsReport } from '../../src/readers/report.ts'
import { readersSummary, type SummaryContent } from '../../src/readers/summary.ts'
import type { Counts, PageVisitors } from '../../src/service/analytics.ts'
import { NOW_MS } from './scene.ts'

/** Counts of so many visitors: eight of ten people, three of ten AI. */
export function counts(total: number): Counts {
  return { human: Math.round(total * 0.8), ai: Math.round(total * 0.3), total }
}

/** A row with these counts. */
export function page(path: string, total: number, ai = 0): PageVisitors {
  return { path, human: total - ai, ai, total }
}

/** What a sample has that differs from a complete reading without pages. */
type Sample = {
  readonly pages?: readonly PageVisitors[]
  readonly previousPages?: readonly PageVisitors[]
  readonly current?: Partial<PeriodPages>
  readonly previous?: Partial<PeriodPages>
  readonly days?: number
  readonly isSoFar?: boolean
}

/** A reading of periods with these totals, the earliest first. */
function reading(totals: readonly (number | Counts)[], sample: Sample): VisitorsReading {
  const period = fullDaysBefore(NOW_MS, sample.days ?? 7)
  const all = totals.map((each) => (typeof each === 'number' ? counts(each) : each))
  const before = periodsBefore(period, totals.length - 1).map((each, index) => ({
    period: each,
    totals: all.at(-2 - index) ?? counts(0),
  }))
  const read = (pages: readonly PageVisitors[] = []): PeriodPages => ({
    pages: new Map(pages.map((each) => [each.path, each])),
    isWhole: true,
  })
  return {
    current: { period, totals: all.at(-1) ?? counts(0), ...read(sample.pages), ...sample.current },
    before,
    previous: before.length === 0 ? undefined : { ...read(sample.previousPages), ...sample.previous },
  }
}

/** The report of periods with these totals, the earliest first. */
export function report(totals: readonly (number | Counts)[], sample: Sample = {}): VisitorsReport {
  return makeReport(reading(totals, sample), { isSoFar: sample.isSoFar ?? false, top: 10 })
}

/** A summary as Markdown, with plain spaces. */
export function summaryOf(shown: VisitorsReport | undefined, more: Partial<SummaryContent> = {}): string {
  const summary = readersSummary({
    projectId: 'docs',
    siteUrl: undefined,
    ...(shown === undefined ? {} : { report: shown }),
    missed: undefined,
    leftOut: [],
    requests: 11,
    maxRequests: 40,
    ...more,
  })
  return summary.source.replaceAll('\u00A0', ' ')
}
