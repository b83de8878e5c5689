import type { Counts, PageVisitors } from '../service/analytics.ts'
import {
  type Change,
  changeBetween,
  compareWithUsual,
  findPageChanges,
  isMostlyAi,
  isNewlyAi,
  type PageChanges,
  type Usual,
} from './changes.ts'
import { countOf, formatCount } from './format.ts'
import type { VisitorsOptions } from './options.ts'
import { type Period, periodName } from './period.ts'
import type { PeriodTotals, VisitorsReading } from './read.ts'

/** What is reported of a site's visitors. Lists of pages are by total, then path. */
export type VisitorsReport = {
  readonly period: Period
  readonly isSoFar: boolean
  readonly totals: Counts
  /** Totals of the period before; `undefined` if they were not requested or not read. */
  readonly previous: Counts | undefined
  readonly change: Change
  /** The current period and those before it without a gap, the earliest first. */
  readonly trend: readonly PeriodTotals[]
  /** The earlier ones since the site has had visitors; none in a first report. */
  readonly comparable: readonly PeriodTotals[]
  /** How the total compares with theirs; `undefined` if they are too few. */
  readonly usual: Usual | undefined
  readonly pages: readonly PageVisitors[]
  readonly top: readonly (PageVisitors & { readonly change: Change })[]
  /** `undefined` if not both periods were read whole, or the one before had no visitors. */
  readonly pageChanges: PageChanges | undefined
  /** Pages that are read mostly by AI, newly so or not. */
  readonly newlyAi: readonly PageVisitors[]
  readonly stillAi: readonly PageVisitors[]
  /** Whether all pages of the period were read. */
  readonly isComplete: boolean
  /** Sentences about figures that are not what they seem. */
  readonly warnings: readonly string[]
}

/** Works out what a reading says. */
export function makeReport(
  { current, before, previous }: VisitorsReading,
  { isSoFar, top }: Pick<VisitorsOptions, 'isSoFar' | 'top'>,
): VisitorsReport {
  const { period, totals } = current
  const earlier = before.toReversed()
  const began = earlier.findIndex((each) => each.totals.total > 0)
  const comparable = began === -1 ? [] : earlier.slice(began)
  const latest = before[0]?.totals
  // Only where all pages are known, one that is not among them had no visitors.
  const pagesBefore =
    previous?.isWhole === true && latest !== undefined && latest.total > 0 ? previous.pages : undefined
  const pages = [...current.pages.values()].sort(
    (left, right) => right.total - left.total || (left.path < right.path ? -1 : 1),
  )
  const previousTotal = (path: string): number | undefined =>
    previous?.pages.get(path)?.total ?? (pagesBefore === undefined ? undefined : 0)
  const mostlyAi = pages.filter(isMostlyAi)
  const isNews = (page: PageVisitors): boolean =>
    pagesBefore !== undefined && isNewlyAi(page, pagesBefore.get(page.path))
  const warnings = isSoFar ? ['The period is not over yet, so there is no comparison.'] : []
  if (latest !== undefined && latest.total > 0 && totals.total === 0) {
    warnings.push(
      `No visitors at all, after ${formatCount(latest.total)} in the ${periodName(period, 1)} before: is the site's tracking broken, or is \`project-id\` another project's?`,
    )
  }
  return {
    period,
    isSoFar,
    totals,
    previous: latest,
    change: changeBetween(latest?.total, totals.total),
    trend: [...earlier, { period, totals }],
    comparable,
    usual: compareWithUsual(
      totals.total,
      comparable.map((each) => each.totals.total),
    ),
    pages,
    top: pages
      .slice(0, top)
      .map((page) => ({ ...page, change: changeBetween(previousTotal(page.path), page.total) })),
    pageChanges: pagesBefore && current.isWhole ? findPageChanges(pagesBefore, current.pages) : undefined,
    newlyAi: mostlyAi.filter(isNews),
    stillAi: mostlyAi.filter((page) => !isNews(page)),
    isComplete: current.isWhole,
    warnings,
  }
}

/** The one line that says how it went, as plain text: `About 12,480 visitors read the docs, as usual`. */
export function visitorsHeadline({ totals, usual, comparable, isSoFar, period }: VisitorsReport): string {
  const who = totals.total === 0 ? 'No visitors' : `About ${countOf(totals.total, 'visitor')}`
  const read = `${who} read the docs${isSoFar ? ' so far' : ''}`
  if (usual === undefined) return read
  if (usual.position === 'usual') return `${read}, as usual`
  const count = comparable.length + 1
  return `${read}, the ${usual.position} of ${count} ${periodName(period, count)}`
}
