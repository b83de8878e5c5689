import { countOf, formatCount, sumOf } from '../lib/text.ts'
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
} from './analytics-reader.ts'

/** Periods that the current one is compared with. */
const EARLIER_PERIODS = 7
const TOP_PAGES = 10

type PeriodTotals = { readonly period: Period; readonly totals: Counts }
type PeriodAnswer = VisitorsAnswer & { readonly period: Period }

/** What was read of one period: its pages by path, of a page met twice the later row. */
type PeriodPages = PeriodTotals & {
  readonly pages: ReadonlyMap<string, PageVisitors>
  readonly isWhole: boolean
}

type VisitorsReading = {
  readonly current: PeriodPages
  /** Totals of the periods before, the latest first, without a gap. */
  readonly before: readonly PeriodTotals[]
  /** The latest period before; `undefined` if not even its first answer came. */
  readonly previous: PeriodPages | undefined
  /** How often pages were read, in events; `undefined` if not known. */
  readonly reads: Counts | undefined
}

/**
 * Reads visitors in the order in which requests are worth most: the first rows of the current period with its totals, the
 * totals of the periods before, the reads, the other rows of the current period, those of the latest period before.
 *
 * @param isForExport whether nothing is wanted but the rows of the current period
 * @returns `undefined` if there is not even a first answer for the current period
 */
export async function readVisitors(
  reader: AnalyticsReader,
  period: Period,
  isForExport: boolean,
): Promise<VisitorsReport | undefined> {
  const first = await reader.read(period, visitorsCall(0), 'the visitors')
  if (first === undefined) return undefined
  const before: PeriodAnswer[] = []
  for (const each of isForExport ? [] : periodsBefore(period, EARLIER_PERIODS)) {
    const name = periodName(period, EARLIER_PERIODS)
    const part = `${EARLIER_PERIODS - before.length} of the ${EARLIER_PERIODS} ${name} before`
    // The answer for the latest of them has its first rows, too.
    const call = visitorsCall(0, before.length === 0 ? MAX_ROWS : 1)
    const answer = await reader.read(each, call, part)
    if (answer === undefined) break
    before.push({ period: each, ...answer })
  }
  const reads = isForExport ? undefined : await reader.read(period, READS, 'the reads')
  const current = await readPages(reader, { period, ...first }, 'the period')
  const previous = before[0] && (await readPages(reader, before[0], 'the period before'))
  return createVisitorsReport({ current, before, previous, reads })
}

/** Reads all pages of a period after its first answer, 250 with each request. `name`: as the report calls the period. */
async function readPages(
  reader: AnalyticsReader,
  first: PeriodAnswer,
  name: string,
): Promise<PeriodPages> {
  const { period, totals } = first
  const answers: VisitorsAnswer[] = [first]
  while (answers.at(-1)?.hasMore) {
    const offset = answers.length * MAX_ROWS
    const part = `the pages of ${name} after the first ${offset}`
    const next = await reader.read(period, visitorsCall(offset), part)
    if (next === undefined) break
    answers.push(next)
    // A service that repeats itself would use up the requests of all.
    if (next.hasMore && next.rows.at(-1)?.path === answers.at(-2)?.rows.at(-1)?.path) {
      reader.note(`The service repeated pages of ${name}, so that the next ones are not known.`)
      break
    }
  }
  const pages = new Map(answers.flatMap(({ rows }) => rows.map((row) => [row.path, row])))
  const invalidRows = sumOf(answers, (answer) => answer.invalidRows)
  const isOdd = answers.some((answer) => answer.isOdd)
  if (isOdd)
    reader.note(
      `A response for ${name} did not contain a list of pages, or did not say whether there are more.`,
    )
  if (invalidRows > 0)
    reader.note(
      `${countOf(invalidRows, 'row')} of ${name} without a path, or with a count that is not a number, left out.`,
    )
  const isWhole = !answers.at(-1)?.hasMore && !isOdd && invalidRows === 0
  return { period, totals, pages, isWhole }
}

export type VisitorsReport = ReturnType<typeof createVisitorsReport>

/** Files that sites offer to machines, by the last part of their path; the service counts each with its path. */
const MACHINE_FILE = /(?:^|\/)(?:llms(?:-full)?\.txt|skill\.md)$/i

/** A page with its visitors in the period before; `undefined` if they are not known. */
type ComparedPage = PageVisitors & { readonly previous: number | undefined }

/** Works out what a reading says. */
export function createVisitorsReport({ current, before, previous, reads }: VisitorsReading) {
  const { period, totals } = current
  const earlier = before.toReversed()
  const trend = [...earlier, { period, totals }]
  const hasVisitors = (each: PeriodTotals): boolean => each.totals.total > 0
  const began = earlier.findIndex(hasVisitors)
  const compared = began === -1 ? [] : trend.slice(began)
  // Only where all pages are known, one that is not among them had no visitors.
  const isPreviousKnown = previous?.isWhole === true && previous.pages.size > 0
  const rows = [...current.pages.values()].sort(
    (left, right) => right.total - left.total || (left.path < right.path ? -1 : 1),
  )
  const pages = rows.flatMap((row): ComparedPage[] => {
    const known = previous?.pages.get(row.path)?.total
    const total = known ?? (isPreviousKnown ? 0 : undefined)
    return MACHINE_FILE.test(row.path) ? [] : [{ ...row, previous: total }]
  })
  const warnings: string[] = []
  const visited = earlier.findLast(hasVisitors)
  if (visited !== undefined && totals.total === 0) {
    const before = `${formatCount(visited.totals.total)} in ${formatPeriod(visited.period)}`
    warnings.push(
      `No visitors at all, after ${before}: is the site's tracking broken, or is \`project-id\` another project's?`,
    )
  }
  return {
    period,
    totals,
    reads,
    /** The current period and those before it without a gap, the earliest first. */
    trend,
    /** The same since the site has had visitors; empty in a first report. */
    compared,
    /** How the total compares with the earlier ones; `undefined` if they are too few. */
    usual: compareWithUsual(compared.map((each) => each.totals.total)),
    /** All rows, by total, then path. */
    rows,
    /** Those that are pages, and those that are none. */
    pages,
    machineFiles: rows.filter(({ path }) => MACHINE_FILE.test(path)),
    top: pages.slice(0, TOP_PAGES),
    /** `undefined` if not both periods were read whole, or one of them had no visitors. */
    pageChanges:
      isPreviousKnown && current.isWhole && totals.total > 0 ? findPageChanges(pages) : undefined,
    isComplete: current.isWhole,
    /** Sentences about figures that are not what they seem. */
    warnings,
  }
}

/** Periods that it takes to say what is usual. */
const MIN_PERIODS = 3
/** What is usual goes beyond the range of the earlier values by so many percent. */
export const MARGIN_PERCENT = 3

/** The usual range by all values but the last, ends included, and where that one lies; `undefined` if they are too few. */
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

/** Pages up, and pages down, that are named. */
const MAX_CHANGED_PAGES = 5
/** A change of fewer visitors than this is no news. */
const MIN_VISITORS = 10
/** News are at least so many times what counts and pages vary by chance. */
const MIN_SPREADS = 3
/** Share of a normal distribution within one standard deviation: a third of the pages may be further out, or have moved. */
const WITHIN_ONE_SPREAD = 0.683

/** How to read what is found, as a sentence. */
export const PAGE_CHANGES_FACT = `What moved: pages that changed by at least ${MIN_VISITORS} visitors and, beside the change of the whole site, by at least ${MIN_SPREADS} times what counts and pages vary by chance.`

/** Finds the pages whose change is more than chance, largest first. Both periods must have been read whole. */
export function findPageChanges(pages: readonly ComparedPage[]) {
  const sizeOf = ({ total, previous }: ChangedPage): number => Math.abs(total - previous)
  const inBoth = pages.flatMap(({ path, total, previous = 0 }): ChangedPage[] =>
    total > 0 && previous > 0 ? [{ path, total, previous }] : [],
  )
  const moved = findChangedPages(inBoth)
    .filter((page) => sizeOf(page) >= MIN_VISITORS)
    .sort((left, right) => sizeOf(right) - sizeOf(left) || (left.path < right.path ? -1 : 1))
  const [up, down] = [moved.filter(hasRisen), moved.filter((page) => !hasRisen(page))]
  return {
    up: up.slice(0, MAX_CHANGED_PAGES),
    down: down.slice(0, MAX_CHANGED_PAGES),
    count: moved.length,
  }
}

function hasRisen({ total, previous }: ChangedPage): boolean {
  return total > previous
}

/**
 * The pages that moved relative to the site's own change, which is the median of all. What a page moves by chance: counts
 * of few visitors are noisy (Poisson), and beyond that pages vary by themselves, as much as the pages of this site are
 * observed to. Of many pages some are far out by chance: the most visited page has to be out by 3 spreads, the thousandth
 * by more than 4. The simulation in the tests shows what that finds.
 */
function findChangedPages(pages: readonly ChangedPage[]): ChangedPage[] {
  const ratios = pages
    .map((page) => {
      // Half a visitor more on each side keeps the ratio of small counts unbiased.
      const [now, before] = [page.total + 0.5, page.previous + 0.5]
      return { page, logRatio: Math.log(now / before), variance: 1 / now + 1 / before }
    })
    .sort((left, right) => left.variance - right.variance)
  // A page of hardly any visitors says nothing about the others.
  const telling = ratios.filter(({ page }) => (page.total + page.previous) / 2 >= MIN_VISITORS)
  const siteChange = quantile(
    telling.map(({ logRatio }) => logRatio),
    0.5,
  )
  // The variance that pages have by themselves: what it takes, beside that of counting, to explain their spread.
  const beyond = telling.map(({ logRatio, variance }) => (logRatio - siteChange) ** 2 - variance)
  const ownVariance = Math.max(0, quantile(beyond, WITHIN_ONE_SPREAD))
  const moved = ratios.filter(({ page, logRatio, variance }, index) => {
    const spreads = Math.max(MIN_SPREADS, Math.sqrt(2 * Math.log(index + 1) + 4))
    // A page that rose less than the whole site did not fall.
    const relativeChange = hasRisen(page) ? logRatio - siteChange : siteChange - logRatio
    return relativeChange > spreads * Math.sqrt(variance + ownVariance)
  })
  return moved.map(({ page }) => page)
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((left, right) => left - right)[Math.ceil(values.length * share) - 1] ?? 0
}

/** How it went, as plain text: `About 12,480 visitors read the docs, as usual; 5 pages moved`. */
export function headingOf(report: VisitorsReport): string {
  const { totals, pageChanges } = report
  const who = totals.total === 0 ? 'No visitors' : `About ${countOf(totals.total, 'visitor')}`
  const moved = pageChanges?.count ?? 0
  const pages = moved === 0 ? '' : `; ${countOf(moved, 'page')} moved`
  return `${who} read the docs${verdictOf(report)}${pages}`
}

/** `, as usual`; empty where too few periods are known. */
function verdictOf({ usual, compared, period }: VisitorsReport): string {
  if (usual === undefined) return ''
  if (usual.position === 'usual') return ', as usual'
  return `, the ${usual.position} of ${compared.length} ${periodName(period, compared.length)}`
}

/** `AI made 62 % of 41,322 reads`; none if there are none, or they are not known. */
export function readsSentences({ reads }: VisitorsReport): string[] {
  if (reads === undefined || reads.total === 0) return []
  const percent = Math.min(100, Math.round((reads.ai / reads.total) * 100))
  return [`AI made ${percent} % of ${countOf(reads.total, 'read')}`]
}

export function visitorsOutputs(report: VisitorsReport, requests: number): OutputValues {
  const { period, totals, reads, trend, top, pageChanges, isComplete } = report
  const previous = trend.at(-2)?.totals
  const withChange = ({ path, total, previous }: ChangedPage) => {
    return { path, total, previous, change: changeBetween(previous, total) }
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
    risers: pageChanges?.up.map(withChange) ?? [],
    fallers: pageChanges?.down.map(withChange) ?? [],
    complete: isComplete,
    requests,
  }
  const visitors = `about ${countOf(totals.total, 'visitor')}${verdictOf(report)}`
  const sentences = [visitors, ...readsSentences(report)].join('; ')
  const headline = `Docs, ${formatPeriod(period)}: ${sentences}`
  return {
    'visitors-human': String(totals.human),
    'visitors-ai': String(totals.ai),
    'visitors-total': String(totals.total),
    'visitors-headline': totals.total === 0 ? '' : headline,
    visitors: JSON.stringify(all),
  }
}

function datesOf({ fromMs, toMs }: Period) {
  return { from: isoDay(fromMs), to: isoDay(toMs) }
}

/** All rows as CSV. */
export function csvOf(rows: readonly PageVisitors[]): string {
  const lines = rows.map(
    ({ path, human, ai, total }) => `${csvField(path)},${human},${ai},${total}\r\n`,
  )
  return ['path,human,ai,total\r\n', ...lines].join('')
}

/** RFC 4180. What a spreadsheet would take for a formula gets an apostrophe before it (OWASP, "CSV Injection"). */
function csvField(text: string): string {
  const harmless = /^[\s=+\-@＝＋－＠]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
