import type { Counts, PageVisitors } from '../../src/service/visitors.ts'
import type { VisitorsOptions } from '../../src/visitors/options.ts'
import { fullDaysBefore, periodsBefore } from '../../src/visitors/period.ts'
import type { PeriodRows, VisitorsReading } from '../../src/visitors/read.ts'

/** A Monday morning. */
const NOW_MS = Date.UTC(2026, 7, 3, 6)

/** What a workflow with the defaults asks for. */
export const OPTIONS: VisitorsOptions = {
  period: fullDaysBefore(NOW_MS, 7),
  soFar: false,
  summary: true,
  top: 10,
  trend: 8,
  maxRequests: 40,
  exportTo: undefined,
  siteUrl: undefined,
}

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
  readonly current?: Partial<PeriodRows>
  readonly previous?: Partial<PeriodRows>
  readonly days?: number
} & Partial<Pick<VisitorsReading, 'beforeStopped'>>

/** A reading of periods with these totals, the earliest first. */
export function reading(totals: readonly (number | Counts)[], sample: Sample = {}): VisitorsReading {
  const period = fullDaysBefore(NOW_MS, sample.days ?? 7)
  const all = totals.map((each) => (typeof each === 'number' ? counts(each) : each))
  const before = periodsBefore(period, totals.length - 1).map((each, index) => ({
    period: each,
    totals: all.at(-2 - index) ?? counts(0),
  }))
  const complete = {
    invalidRows: 0,
    repeated: false,
    invalidAnswer: false,
    noNewRows: false,
    stopped: undefined,
  }
  const byPath = (pages: readonly PageVisitors[] = []): Map<string, PageVisitors> =>
    new Map(pages.map((each) => [each.path, each]))
  const [latest] = before
  return {
    current: {
      period,
      totals: all.at(-1) ?? counts(0),
      pages: byPath(sample.pages),
      ...complete,
      ...sample.current,
    },
    before,
    beforeStopped: sample.beforeStopped,
    previous: latest && { ...latest, pages: byPath(sample.previousPages), ...complete, ...sample.previous },
    requests: 11,
  }
}
