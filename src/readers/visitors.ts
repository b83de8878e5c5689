import { extname } from 'node:path'
import type { OutputValues } from '../runner/outputs.ts'
import type { Counts, PageVisitors, VisitorsAnswer } from '../service/analytics.ts'
import { getVisitors, MAX_ROWS } from '../service/analytics.ts'
import { type AnalyticsReader, NotRead } from './analytics-reader.ts'
import { countOf, formatCount, formatPeriod, isoDay, type Period, periodName } from './format.ts'
import type { VisitorsOptions } from './options.ts'
import {
  changeBetween,
  compareWithUsual,
  findAiHeavyPages,
  findPageChanges,
  MAX_MOVED,
} from './page-changes.ts'

export type PeriodTotals = { readonly period: Period; readonly totals: Counts }

/** What was read of one period's pages: by path, of a page met twice the later row. */
type PeriodPages = { readonly pages: ReadonlyMap<string, PageVisitors>; readonly isWhole: boolean }

type VisitorsReading = {
  readonly current: PeriodTotals & PeriodPages
  /** Totals of the periods before, the latest first, without a gap. */
  readonly before: readonly PeriodTotals[]
  /** The pages of the latest period before; `undefined` if not even its first answer came. */
  readonly previous: PeriodPages | undefined
}

/**
 * Reads visitors in the order in which requests are worth most: the first rows of the current period with its totals, the
 * totals of the periods before, the other rows of the current period, those of the latest period before.
 *
 * @param top how many pages to list
 * @returns `NotRead` if there is not even a first answer for the current period
 */
export async function readVisitors(
  reader: AnalyticsReader,
  { period, before: periods, isSoFar }: VisitorsOptions,
  top: number,
): Promise<VisitorsReport | NotRead> {
  const first = await readRows(reader, period)
  if (first instanceof NotRead) return first
  const before: (PeriodTotals & { readonly answer: VisitorsAnswer })[] = []
  for (const each of periods) {
    // The answer for the latest of them has its first rows, too.
    const answer = await readRows(reader, each, 0, before.length === 0 ? MAX_ROWS : 1)
    if (answer instanceof NotRead) {
      const all = periods.length
      const missing = before.length === 0 ? 'the' : `${all - before.length} of the`
      const count = all === 1 ? '' : `${all} `
      reader.noteNotRead(`${missing} ${count}${periodName(period, all)} before`, answer)
      break
    }
    before.push({ period: each, totals: answer.totals, answer })
  }
  const pages = await readPages(reader, period, first, 'the period')
  const [latest] = before
  const previous = latest && (await readPages(reader, latest.period, latest.answer, 'the period before'))
  const current = { period, totals: first.totals, ...pages }
  return makeReport({ current, before, previous }, { isSoFar, top })
}

async function readRows(reader: AnalyticsReader, period: Period, offset = 0, limit = MAX_ROWS) {
  return await reader.send(period, (service, query) => getVisitors(service, query, { limit, offset }))
}

/** Reads all pages of a period after its first answer, 250 with each request. `name`: as the report calls the period. */
async function readPages(reader: AnalyticsReader, period: Period, first: VisitorsAnswer, name: string) {
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
      lacks(`A response for ${name} did not contain a list of pages, or did not say whether there are more.`)
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

export type VisitorsReport = ReturnType<typeof makeReport>

/** Works out what a reading says. `top`: how many pages to list. */
export function makeReport(
  { current, before, previous }: VisitorsReading,
  { isSoFar, top }: { readonly isSoFar: boolean; readonly top: number },
) {
  const { period, totals } = current
  const earlier = before.toReversed()
  const began = earlier.findIndex((each) => each.totals.total > 0)
  const comparable = began === -1 ? [] : earlier.slice(began)
  const comparableTotals = comparable.map((each) => each.totals.total)
  const latest = before[0]?.totals
  // Only where all pages are known, one that is not among them had no visitors.
  const pagesBefore = previous?.isWhole && latest && latest.total > 0 ? previous.pages : undefined
  const totalBefore = (path: string): number | undefined =>
    previous?.pages.get(path)?.total ?? (pagesBefore === undefined ? undefined : 0)
  const pages = [...current.pages.values()].sort(
    (left, right) => right.total - left.total || (left.path < right.path ? -1 : 1),
  )
  const warnings = isSoFar ? ['The period has not ended yet, so there is no comparison.'] : []
  const visited = earlier.findLast((each) => each.totals.total > 0)
  if (visited !== undefined && totals.total === 0) {
    const when =
      visited === earlier.at(-1) ? `the ${periodName(period, 1)} before` : formatPeriod(visited.period)
    warnings.push(
      `No visitors at all, after ${formatCount(visited.totals.total)} in ${when}: is the site's tracking broken, or is \`project-id\` another project's?`,
    )
  }
  return {
    period,
    isSoFar,
    totals,
    change: changeBetween(latest?.total, totals.total),
    /** The current period and those before it without a gap, the earliest first. */
    trend: [...earlier, { period, totals }],
    /** The earlier ones since the site has had visitors; none in a first report. */
    comparable,
    /** Those and the current one, to be drawn; none in a first report. */
    drawn: comparable.length === 0 ? [] : [...comparable, { period, totals }],
    /** How the total compares with theirs; `undefined` if they are too few. */
    usual: compareWithUsual(totals.total, comparableTotals),
    /** By total, then path. */
    pages,
    top: pages
      .slice(0, top)
      .map((page) => ({ ...page, change: changeBetween(totalBefore(page.path), page.total) })),
    /** `undefined` if not both periods were read whole, or the one before had no visitors. */
    pageChanges: pagesBefore && current.isWhole ? findPageChanges(pagesBefore, current.pages) : undefined,
    ...findAiHeavyPages(pages, current.isWhole ? pagesBefore : undefined),
    isComplete: current.isWhole,
    /** Sentences about figures that are not what they seem. */
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

export function visitorsOutputs(report: VisitorsReport, requests: number): OutputValues {
  const { period, totals, change, trend, top, pageChanges, isComplete } = report
  const { from, to } = datesOf(period)
  const all = {
    from,
    to,
    totals,
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
  return {
    'visitors-human': String(totals.human),
    'visitors-ai': String(totals.ai),
    'visitors-total': String(totals.total),
    // `+12.5`, `-3.0`, `0.0`; empty for a change that is no number.
    'visitors-change': typeof change === 'string' ? '' : `${change > 0 ? '+' : ''}${change.toFixed(1)}`,
    'visitors-from': from,
    'visitors-to': to,
    'visitors-complete': String(isComplete),
    visitors: JSON.stringify(all, numberOrNull),
  }
}

function datesOf({ fromMs, toMs }: Period) {
  return { from: isoDay(fromMs), to: isoDay(toMs) }
}

/** All rows as text, in the format that a file's ending asks for. */
export function exportText(rows: readonly PageVisitors[], path: string): string {
  const ending = extname(path).toLowerCase()
  const json = rows.map(({ path, human, ai, total }) => JSON.stringify({ path, human, ai, total }))
  if (ending === '.json') return `[\n${json.join(',\n')}\n]\n`
  if (ending === '.ndjson') return json.map((row) => `${row}\n`).join('')
  const lines = rows.map(({ path, human, ai, total }) => `${csvField(path)},${human},${ai},${total}\r\n`)
  return ['path,human,ai,total\r\n', ...lines].join('')
}

/** RFC 4180. What a spreadsheet would take for a formula gets an apostrophe before it (OWASP, "CSV Injection"). */
function csvField(text: string): string {
  const harmless = /^[\s=+\-@＝＋－＠]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
