import { countOf, formatCount } from '../lib/text.ts'
import type { OutputValues } from '../runner/run.ts'
import {
  type Counts,
  getReads,
  getVisitors,
  MAX_ROWS,
  type PageVisitors,
  type VisitorsAnswer,
} from '../service/analytics.ts'
import { type AnalyticsReader, NotRead } from './analytics-reader.ts'
import { formatPeriod, isoDay, type Period, periodName, periodsBefore } from './format.ts'
import { changeBetween, compareWithUsual, findPageChanges, MAX_MOVED } from './page-changes.ts'

/** Periods that the current one is compared with. */
export const EARLIER_PERIODS = 7
const TOP_PAGES = 10

export type PeriodTotals = { readonly period: Period; readonly totals: Counts }

/** What was read of one period's pages: by path, of a page met twice the later row. */
type PeriodPages = { readonly pages: ReadonlyMap<string, PageVisitors>; readonly isWhole: boolean }

type VisitorsReading = {
  readonly current: PeriodTotals & PeriodPages
  /** Totals of the periods before, the latest first, without a gap. */
  readonly before: readonly PeriodTotals[]
  /** The pages of the latest period before; `undefined` if not even its first answer came. */
  readonly previous: PeriodPages | undefined
  /** How often pages were read, in events; `undefined` if not known. */
  readonly reads: Counts | undefined
}

/**
 * Reads visitors in the order in which requests are worth most: the first rows of the current period with its totals, the
 * totals of the periods before, the reads, the other rows of the current period, those of the latest period before.
 *
 * @param isForExport whether nothing is wanted but the rows of the current period
 * @returns `NotRead` if there is not even a first answer for the current period
 */
export async function readVisitors(
  reader: AnalyticsReader,
  period: Period,
  isForExport: boolean,
): Promise<VisitorsReport | NotRead> {
  const first = await readRows(reader, period)
  if (first instanceof NotRead) return first
  const periods = isForExport ? [] : periodsBefore(period, EARLIER_PERIODS)
  const before: (PeriodTotals & { readonly answer: VisitorsAnswer })[] = []
  for (const each of periods) {
    // The answer for the latest of them has its first rows, too.
    const answer = await readRows(reader, each, 0, before.length === 0 ? MAX_ROWS : 1)
    if (answer instanceof NotRead) {
      const missing = before.length === 0 ? 'the' : `${EARLIER_PERIODS - before.length} of the`
      const name = periodName(period, EARLIER_PERIODS)
      reader.noteNotRead(`${missing} ${EARLIER_PERIODS} ${name} before`, answer)
      break
    }
    before.push({ period: each, totals: answer.totals, answer })
  }
  const reads = isForExport ? undefined : await reader.send(period, getReads)
  if (reads instanceof NotRead) reader.noteNotRead('the reads', reads)
  const pages = await readPages(reader, period, first, 'the period')
  const [latest] = before
  const previous =
    latest && (await readPages(reader, latest.period, latest.answer, 'the period before'))
  const current = { period, totals: first.totals, ...pages }
  const known = reads instanceof NotRead ? undefined : reads
  return createVisitorsReport({ current, before, previous, reads: known })
}

async function readRows(reader: AnalyticsReader, period: Period, offset = 0, limit = MAX_ROWS) {
  return await reader.send(period, (service, query) =>
    getVisitors(service, query, { limit, offset }),
  )
}

/** Reads all pages of a period after its first answer, 250 with each request. `name`: as the report calls the period. */
async function readPages(
  reader: AnalyticsReader,
  period: Period,
  first: VisitorsAnswer,
  name: string,
) {
  const pages = new Map<string, PageVisitors>()
  let [answer, isWhole, invalidRows] = [first, true, 0]
  const lacks = (sentence: string): void => {
    isWhole = false
    reader.note(sentence)
  }
  for (let offset = MAX_ROWS; ; offset += MAX_ROWS) {
    const known = pages.size
    for (const row of answer.rows) pages.set(row.path, row)
    invalidRows += answer.invalidRows
    if (answer.isOdd)
      lacks(
        `A response for ${name} did not contain a list of pages, or did not say whether there are more.`,
      )
    if (!answer.hasMore) break
    if (pages.size === known && answer.invalidRows === 0) {
      lacks(`The service reports more pages of ${name}, but returned no new ones.`)
      break
    }
    const next = await readRows(reader, period, offset)
    if (next instanceof NotRead) {
      isWhole = false
      reader.noteNotRead(`the pages of ${name} after the first ${pages.size}`, next)
      break
    }
    answer = next
  }
  const odd = `${countOf(invalidRows, 'row')} of ${name} without a path, or with a count that is not a number`
  if (invalidRows > 0) lacks(`${odd}, left out.`)
  return { pages, isWhole }
}

export type VisitorsReport = ReturnType<typeof createVisitorsReport>

/** Files that sites offer to machines, by the last part of their path; the service counts each with its path. */
const MACHINE_FILE = /(?:^|\/)(?:llms(?:-full)?\.txt|skill\.md)(?:\.mdx?)?$/i

/** Works out what a reading says. */
export function createVisitorsReport({ current, before, previous, reads }: VisitorsReading) {
  const { period, totals } = current
  const earlier = before.toReversed()
  const began = earlier.findIndex((each) => each.totals.total > 0)
  const comparable = began === -1 ? [] : earlier.slice(began)
  const latest = before[0]?.totals
  // Only where all pages are known, one that is not among them had no visitors.
  const pagesBefore = previous?.isWhole && latest && latest.total > 0 ? previous.pages : undefined
  const totalBefore = (path: string): number | undefined =>
    previous?.pages.get(path)?.total ?? (pagesBefore === undefined ? undefined : 0)
  const rows = [...current.pages.values()].sort(
    (left, right) => right.total - left.total || (left.path < right.path ? -1 : 1),
  )
  const machineFiles = rows.filter(({ path }) => MACHINE_FILE.test(path))
  const pages = rows.filter(({ path }) => !MACHINE_FILE.test(path))
  const currentPages = new Map(pages.map((page) => [page.path, page]))
  const warnings: string[] = []
  const visited = earlier.findLast((each) => each.totals.total > 0)
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
    change: changeBetween(latest?.total, totals.total),
    /** The current period and those before it without a gap, the earliest first. */
    trend: [...earlier, { period, totals }],
    /** The earlier ones since the site has had visitors; none in a first report. */
    comparable,
    /** Those and the current one, to be drawn; none in a first report. */
    drawn: comparable.length === 0 ? [] : [...comparable, { period, totals }],
    /** How the total compares with theirs; `undefined` if they are too few. */
    usual: compareWithUsual(
      totals.total,
      comparable.map((each) => each.totals.total),
    ),
    /** All rows, by total, then path. */
    rows,
    /** Those that are pages, and those that are none. */
    pages,
    machineFiles,
    top: pages
      .slice(0, TOP_PAGES)
      .map((page) => ({ ...page, change: changeBetween(totalBefore(page.path), page.total) })),
    /** `undefined` if not both periods were read whole, or the one before had no visitors. */
    pageChanges:
      pagesBefore && current.isWhole ? findPageChanges(pagesBefore, currentPages) : undefined,
    isComplete: current.isWhole,
    /** Sentences about figures that are not what they seem. */
    warnings,
  }
}

/** How it went, as plain text: `About 12,480 visitors read the docs, as usual; 5 pages moved`. */
export function headingOf(report: VisitorsReport): string {
  const { totals, pageChanges } = report
  const who = totals.total === 0 ? 'No visitors' : `About ${countOf(totals.total, 'visitor')}`
  const moved = pageChanges === undefined ? 0 : pageChanges.up.length + pageChanges.down.length
  const pages = moved === 0 ? '' : `; ${countOf(moved, 'page')} moved`
  return `${who} read the docs${verdictOf(report)}${pages}`
}

/** `, as usual`; empty where too few periods are known. */
function verdictOf({ usual, comparable, period }: VisitorsReport): string {
  if (usual === undefined) return ''
  if (usual.position === 'usual') return ', as usual'
  const count = comparable.length + 1
  return `, the ${usual.position} of ${count} ${periodName(period, count)}`
}

/** `AI made 62 % of 41,322 reads`; none if there are none, or they are not known. */
export function readsSentences({ reads }: VisitorsReport): string[] {
  if (reads === undefined || reads.total === 0) return []
  const percent = Math.min(100, Math.round((reads.ai / reads.total) * 100))
  return [`AI made ${percent} % of ${countOf(reads.total, 'read')}`]
}

export function visitorsOutputs(report: VisitorsReport, requests: number): OutputValues {
  const { period, totals, reads, change, trend, top, pageChanges, isComplete } = report
  const all = {
    ...datesOf(period),
    totals,
    reads: reads ?? null,
    previous: trend.at(-2)?.totals ?? null,
    change,
    trend: trend.map((each) => ({ ...datesOf(each.period), totals: each.totals })),
    top,
    risers: pageChanges?.up.slice(0, MAX_MOVED) ?? [],
    fallers: pageChanges?.down.slice(0, MAX_MOVED) ?? [],
    complete: isComplete,
    requests,
  }
  const numberOrNull = (key: string, value: unknown): unknown =>
    key === 'change' && typeof value === 'string' ? null : value
  const visitors = `about ${countOf(totals.total, 'visitor')}${verdictOf(report)}`
  const sentences = [visitors, ...readsSentences(report)].join('; ')
  const headline = `Docs, ${formatPeriod(period)}: ${sentences}`
  return {
    'visitors-human': String(totals.human),
    'visitors-ai': String(totals.ai),
    'visitors-total': String(totals.total),
    'visitors-headline': totals.total === 0 ? '' : headline,
    visitors: JSON.stringify(all, numberOrNull),
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
