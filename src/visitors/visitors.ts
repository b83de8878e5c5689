import { capitalize, countOf, formatCount, sumOf } from '../lib/text.ts'
import {
  type Counts,
  MAX_ROWS,
  type PageVisitors,
  READS,
  type VisitorsAnswer,
  visitorsCall,
} from '../mintlify/analytics.ts'
import type { OutputValues } from '../runner/run.ts'
import {
  type AnalyticsReader,
  changeBetween,
  formatPeriod,
  isoDay,
  type Period,
  periodName,
  periodsBefore,
  VISITORS_PART,
} from './analytics-reader.ts'

/** Earlier periods that the current one is compared with. */
const EARLIER_PERIODS = 7
const TOP_PAGES = 10

type PeriodTotals = { readonly period: Period; readonly totals: Counts }
type PeriodAnswer = VisitorsAnswer & { readonly period: Period }

/** What was read of one period: its pages by path, of a page that came twice the later row. */
type PeriodPages = PeriodTotals & {
  readonly pages: ReadonlyMap<string, PageVisitors>
  readonly isWhole: boolean
}

/** The totals of a report, with the first pages of the current and of the previous period. */
type VisitorsOverview = {
  readonly current: PeriodAnswer
  /** The earlier periods, the latest first, without a gap. */
  readonly before: readonly PeriodAnswer[]
  /** How often pages were read, in events; `undefined` if unknown. */
  readonly reads: Counts | undefined
}

/** @returns `undefined` if the totals of the current period could not be read */
export async function readOverview(
  reader: AnalyticsReader,
  period: Period,
  isForExport: boolean,
): Promise<VisitorsOverview | undefined> {
  const first = await reader.read(period, visitorsCall(0), VISITORS_PART)
  if (first === undefined) return undefined
  const current = { period, ...first }
  const before: PeriodAnswer[] = []
  if (isForExport) return { current, before, reads: undefined }
  for (const each of periodsBefore(period, EARLIER_PERIODS)) {
    const name = periodName(period, EARLIER_PERIODS)
    const part = `${EARLIER_PERIODS - before.length} of the ${EARLIER_PERIODS} ${name} before`
    // The answer for the latest one has its first rows, too.
    const call = visitorsCall(0, before.length === 0 ? MAX_ROWS : 1)
    const answer = await reader.read(each, call, part)
    if (answer === undefined) break
    before.push({ period: each, ...answer })
  }
  const reads = await reader.read(period, READS, 'the reads')
  return { current, before, reads: reads?.totals }
}

/** Reads the other pages of the current and of the previous period, and works out the report. */
export async function readVisitors(
  reader: AnalyticsReader,
  overview: VisitorsOverview,
): Promise<VisitorsReport> {
  const current = await readPages(reader, overview.current, 'the period')
  const [latest] = overview.before
  const previous = latest && (await readPages(reader, latest, 'the previous period'))
  return createVisitorsReport({ ...overview, current, previous })
}

/** Reads the other pages of a period, 250 with each request. */
async function readPages(
  reader: AnalyticsReader,
  first: PeriodAnswer,
  name: string,
): Promise<PeriodPages> {
  const { period, totals } = first
  const answers: VisitorsAnswer[] = [first]
  while (answers.at(-1)?.hasMore) {
    const offset = answers.length * MAX_ROWS
    const part = `the pages of ${name} after the first ${formatCount(offset)}`
    const next = await reader.read(period, visitorsCall(offset), part)
    if (next === undefined) break
    answers.push(next)
  }
  const pages = new Map(answers.flatMap(({ rows }) => rows.map((row) => [row.path, row])))
  const invalidRows = sumOf(answers, (answer) => answer.invalidRows)
  const isWhole = !answers.at(-1)?.hasMore && invalidRows === 0
  return { period, totals, pages, isWhole }
}

/** What a report is worked out from; `previous` is missing if not even its first answer could be read. */
type VisitorsReading = Pick<VisitorsOverview, 'reads'> & {
  readonly current: PeriodPages
  readonly before: readonly PeriodTotals[]
  readonly previous: PeriodPages | undefined
}

export type VisitorsReport = ReturnType<typeof createVisitorsReport>

/** Files for machines, by the last part of their path. They aren't pages, but Mintlify counts their visitors. */
const MACHINE_FILE = /(?:^|\/)(?:llms(?:-full)?\.txt|skill\.md)$/i

/** A page with its visitors in the previous period; `undefined` if they are unknown. */
type ComparedPage = PageVisitors & { readonly previous: number | undefined }

/** Works out a report. */
export function createVisitorsReport({ current, before, previous, reads }: VisitorsReading) {
  const { period, totals } = current
  const earlier = before.toReversed()
  const trend = [...earlier, { period, totals }]
  const hasVisitors = (each: PeriodTotals): boolean => each.totals.total > 0
  const began = earlier.findIndex(hasVisitors)
  const compared = began === -1 ? [] : trend.slice(began)
  // A page that is missing had no visitors only if all pages are known.
  const isPreviousKnown = previous?.isWhole === true && previous.pages.size > 0
  const rows = [...current.pages.values()].sort(
    (left, right) => right.total - left.total || (left.path < right.path ? -1 : 1),
  )
  const pages = rows.flatMap((row): ComparedPage[] => {
    const known = previous?.pages.get(row.path)?.total
    const total = known ?? (isPreviousKnown ? 0 : undefined)
    return MACHINE_FILE.test(row.path) ? [] : [{ ...row, previous: total }]
  })
  return {
    period,
    totals,
    reads,
    /** The current period and the earlier ones without a gap, the earliest first. */
    trend,
    /** The periods of `trend` since the first period with visitors; empty if no earlier period has visitors. */
    compared,
    /** The usual range of the total, and its place; `undefined` if there are too few earlier periods. */
    usual: compareWithUsual(compared.map((each) => each.totals.total)),
    /** All rows, by total, then path. */
    rows,
    /** The rows that are pages, and the others. */
    pages,
    machineFiles: rows.filter(({ path }) => MACHINE_FILE.test(path)),
    top: pages.slice(0, TOP_PAGES),
    /** `undefined` if one of the two periods wasn't read whole or had no visitors. */
    unusualPages:
      isPreviousKnown && current.isWhole && totals.total > 0 ? findUnusualPages(pages) : undefined,
    isComplete: current.isWhole,
    /** The latest period with visitors, if the current one has none. */
    lastVisited: totals.total === 0 ? earlier.findLast(hasVisitors) : undefined,
  }
}

/** Earlier periods that a usual range needs. */
const MIN_PERIODS = 3
/** The usual range goes beyond the earlier values by this percentage. */
const MARGIN_PERCENT = 3

/** Compares the last value with the usual range of those before it, ends included; `undefined` if there are too few. */
export function compareWithUsual(values: readonly number[]) {
  const earlier = values.slice(0, -1)
  const value = values.at(-1)
  if (value === undefined || earlier.length < MIN_PERIODS) return undefined
  // In hundredths: 0.97 and 1.03 have no exact binary form.
  const low = (Math.min(...earlier) * (100 - MARGIN_PERCENT)) / 100
  const high = (Math.max(...earlier) * (100 + MARGIN_PERCENT)) / 100
  const outside = value < low ? 'lowest' : 'highest'
  return { low, high, position: low <= value && value <= high ? 'usual' : outside } as const
}

type ChangedPage = {
  readonly path: string
  readonly total: number
  readonly previous: number
}

/** Maximum number of pages up, and of pages down. */
const MAX_CHANGED_PAGES = 5
/** A smaller change isn't reported. */
const MIN_VISITORS = 10
/** A reported change is at least this many times the usual random variation. */
const MIN_SPREADS = 3
/** The share of a normal distribution within one standard deviation. The other pages may have changed. */
const WITHIN_ONE_SPREAD = 0.683

/** How to read the unusual pages. */
const UNUSUAL_PAGES_FACT = `Pages with unusual traffic: pages whose visitors changed by at least ${MIN_VISITORS} visitors and, relative to the whole site, by at least ${MIN_SPREADS} times the usual random variation.`

/** Finds the pages whose visitors changed more than usual, the largest change first. */
export function findUnusualPages(pages: readonly ComparedPage[]) {
  const sizeOf = ({ total, previous }: ChangedPage): number => Math.abs(total - previous)
  const inBoth = pages.flatMap(({ path, total, previous = 0 }): ChangedPage[] =>
    total > 0 && previous > 0 ? [{ path, total, previous }] : [],
  )
  const changed = findUnusual(inBoth)
    .filter((page) => sizeOf(page) >= MIN_VISITORS)
    .sort((left, right) => sizeOf(right) - sizeOf(left))
  return {
    up: changed.filter(hasRisen).slice(0, MAX_CHANGED_PAGES),
    down: changed.filter((page) => !hasRisen(page)).slice(0, MAX_CHANGED_PAGES),
    count: changed.length,
  }
}

function hasRisen({ total, previous }: ChangedPage): boolean {
  return total > previous
}

/**
 * Finds the pages whose change isn't explained by chance, relative to the site's own change, which is the median of all.
 * Two things vary by chance: counts of few visitors (Poisson), and the pages themselves, as much as the pages of this site
 * are observed to. Of many pages some are far out by chance: the most visited page has to be out by 3 spreads, the
 * thousandth by more than 4. The tests simulate sites with and without changes.
 */
function findUnusual(pages: readonly ChangedPage[]): ChangedPage[] {
  const ratios = pages
    .map((page) => {
      // Half a visitor more on each side keeps the ratio of small counts unbiased.
      const [now, before] = [page.total + 0.5, page.previous + 0.5]
      return { page, logRatio: Math.log(now / before), variance: 1 / now + 1 / before }
    })
    .sort((left, right) => left.variance - right.variance)
  // A page with few visitors shows little about the others.
  const telling = ratios.filter(({ page }) => (page.total + page.previous) / 2 >= MIN_VISITORS)
  const siteChange = quantile(
    telling.map(({ logRatio }) => logRatio),
    0.5,
  )
  // The pages' own variance explains the part of their spread that counting doesn't.
  const beyond = telling.map(({ logRatio, variance }) => (logRatio - siteChange) ** 2 - variance)
  const ownVariance = Math.max(0, quantile(beyond, WITHIN_ONE_SPREAD))
  const unusual = ratios.filter(({ page, logRatio, variance }, index) => {
    const spreads = Math.max(MIN_SPREADS, Math.sqrt(2 * Math.log(index + 1) + 4))
    // A page that rose less than the whole site didn't fall.
    const relativeChange = hasRisen(page) ? logRatio - siteChange : siteChange - logRatio
    return relativeChange > spreads * Math.sqrt(variance + ownVariance)
  })
  return unusual.map(({ page }) => page)
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((left, right) => left - right)[Math.ceil(values.length * share) - 1] ?? 0
}

/** Writes the heading in plain text: `About 12,480 visitors, within the usual range; 5 pages with unusual traffic`. */
export function headingOf(report: VisitorsReport): string {
  const count = report.unusualPages?.count ?? 0
  const changes = count === 0 ? '' : `; ${countOf(count, 'page')} with unusual traffic`
  return `${capitalize(visitorsSentence(report))}${changes}`
}

/** Writes `about 12,480 visitors`, or `no visitors`, with the verdict if enough earlier periods are known. */
function visitorsSentence({ totals: { total }, usual, compared, period }: VisitorsReport): string {
  const visitors = total === 0 ? 'no visitors' : `about ${countOf(total, 'visitor')}`
  if (usual === undefined) return visitors
  if (usual.position === 'usual') return `${visitors}, within the usual range`
  const { length } = compared
  return `${visitors}, the ${usual.position} of the last ${length} ${periodName(period, length)}`
}

/** Writes `AI made 62% of 41,322 reads`; nothing if there are none, or they are unknown. */
export function readsSentences({ reads }: VisitorsReport): string[] {
  if (reads === undefined || reads.total === 0) return []
  const percent = Math.min(100, Math.round((reads.ai / reads.total) * 100))
  return [`AI made ${percent}% of ${countOf(reads.total, 'read')}`]
}

/** How to read the figures, for the details. */
export function visitorsFacts(report: VisitorsReport, mintlify: string): string[] {
  const { period, compared, usual, unusualPages } = report
  const earlier = `${compared.length - 1} ${periodName(period, compared.length - 1)}`
  return [
    `Period: ${formatPeriod(period)} (UTC).`,
    usual && `Usual range: the range of the ${earlier} before and ${MARGIN_PERCENT}% beyond.`,
    unusualPages && UNUSUAL_PAGES_FACT,
    `${mintlify} estimates distinct visitors. A visitor of several pages is one visitor of the site, so pages don't add up to it.`,
    "AI visitors are recognized by their user agent alone: pages fetched to answer someone's question, and pages read as Markdown. Search indexes and training crawlers are counted neither as people nor as AI.",
    'Reads are events: each time a page was read.',
  ].filter((fact) => fact !== undefined)
}

/** Makes the outputs. `more`: further parts of the headline. */
export function visitorsOutputs(
  report: VisitorsReport,
  requests: number,
  more: readonly string[] = [],
): OutputValues {
  const { period, totals, reads, trend, top, unusualPages, isComplete } = report
  const previous = trend.at(-2)?.totals
  const withChange = (page: ChangedPage) => {
    return { ...page, change: changeBetween(page.previous, page.total) }
  }
  const all = {
    ...datesOf(period),
    totals,
    reads: reads ?? null,
    previous: previous ?? null,
    change: changeBetween(previous?.total, totals.total),
    trend: trend.map((each) => ({ ...datesOf(each.period), totals: each.totals })),
    top: top.map(({ previous, ...page }) => {
      return { ...page, change: changeBetween(previous, page.total) }
    }),
    risers: unusualPages?.up.map(withChange) ?? [],
    fallers: unusualPages?.down.map(withChange) ?? [],
    complete: isComplete,
    requests,
  }
  const sentences = [visitorsSentence(report), ...readsSentences(report), ...more].join('; ')
  return {
    'visitors-human': String(totals.human),
    'visitors-ai': String(totals.ai),
    'visitors-total': String(totals.total),
    'visitors-headline': `Docs, ${formatPeriod(period)}: ${sentences}`,
    visitors: JSON.stringify(all),
  }
}

function datesOf({ fromMs, toMs }: Period) {
  return { from: isoDay(fromMs), to: isoDay(toMs) }
}

/** Writes rows as CSV. */
export function csvOf(rows: readonly PageVisitors[]): string {
  const lines = rows.map(({ path, human, ai, total }) => [csvField(path), human, ai, total].join())
  return ['path,human,ai,total', ...lines, ''].join('\r\n')
}

/** Writes a field by RFC 4180. If a spreadsheet would take it for a formula, it gets an apostrophe (OWASP). */
function csvField(text: string): string {
  const harmless = /^[\s=+\-@＝＋－＠]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
