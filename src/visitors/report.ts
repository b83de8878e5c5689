import type { Counts, PageVisitors } from '../service/visitors.ts'
import {
  type Change,
  changeBetween,
  findMostlyAi,
  findMoves,
  type Moves,
  positionIn,
  type Shortlist,
  sinceSiteBegan,
  sortPages,
  usualRange,
} from './compare.ts'
import { countOf } from './format.ts'
import type { VisitorsOptions } from './options.ts'
import { nameOfPeriods, type Period } from './period.ts'
import { isComplete, type PeriodRows, type PeriodTotals, type VisitorsReading } from './read.ts'
import { formatMaxTime, type RequestsStopped } from './requests.ts'

/** How the total compares with that of the periods before. */
export type Verdict = {
  readonly kind: 'usual' | 'highest' | 'lowest'
  /** Periods that were compared, the current one included. */
  readonly periods: number
}

/** A page of the site with the change of its total. */
export type TopPage = PageVisitors & { readonly change: Change }

/** What is reported of a site's visitors. */
export type VisitorsReport = {
  readonly period: Period
  readonly soFar: boolean
  readonly totals: Counts
  /** Totals of the period before; `undefined` if they were not requested or could not be read. */
  readonly previous: Counts | undefined
  readonly change: Change
  /** The current period and those before it without a gap, the earliest first. */
  readonly trend: readonly PeriodTotals[]
  /** Those of the earlier periods that say what is usual, the earliest first. */
  readonly comparable: readonly PeriodTotals[]
  /** `undefined` if there are too few periods for one. */
  readonly verdict: Verdict | undefined
  /** All pages that were read, by total, then path. */
  readonly pages: readonly PageVisitors[]
  readonly top: readonly TopPage[]
  /** `undefined` if not both periods were read whole. */
  readonly moves: Moves | undefined
  readonly mostlyAi: Shortlist<PageVisitors>
  /** Whether all rows of the period were read. */
  readonly complete: boolean
  readonly requests: number
  /** What is left out or not certain, and why: plain text, with inputs in backticks. */
  readonly leftOut: readonly string[]
}

/** Works out what a reading says. */
export function makeReport(reading: VisitorsReading, options: VisitorsOptions): VisitorsReport {
  const { current, before, previous } = reading
  const { period, totals } = current
  const comparable = sinceSiteBegan(before.toReversed())
  const pages = sortPages(current.pages.values())
  const comparedWhole = isSteady(current) && previous !== undefined && isSteady(previous)
  return {
    period,
    soFar: options.soFar,
    totals,
    previous: before[0]?.totals,
    change: changeBetween(before[0]?.totals.total, totals.total),
    trend: [...before.toReversed(), { period, totals }],
    comparable,
    verdict: findVerdict(totals, comparable),
    pages,
    top: pages.slice(0, options.top).map((page) => ({ ...page, change: changeOf(page, previous) })),
    moves: comparedWhole ? findMoves(previous.pages, current.pages) : undefined,
    mostlyAi: findMostlyAi(pages),
    complete: isComplete(current),
    requests: reading.requests,
    leftOut: describeLeftOut(reading, options),
  }
}

function findVerdict({ total }: Counts, comparable: readonly PeriodTotals[]): Verdict | undefined {
  const range = usualRange(comparable.map(({ totals }) => totals.total))
  if (range === undefined) return undefined
  const kinds = { usual: 'usual', above: 'highest', below: 'lowest' } as const
  return { kind: kinds[positionIn(total, range)], periods: comparable.length + 1 }
}

function changeOf({ path, total }: PageVisitors, previous: PeriodRows | undefined): Change {
  const found = previous?.pages.get(path)?.total
  // Only where all pages are known, one that is not among them had no visitors.
  const missing = previous !== undefined && isSteady(previous) ? 0 : undefined
  return changeBetween(found ?? missing, total)
}

/** Whether each page of a period is known to have been met. */
function isSteady(rows: PeriodRows): boolean {
  return isComplete(rows) && !rows.repeated
}

function describeLeftOut(reading: VisitorsReading, options: VisitorsOptions): string[] {
  const { current, before, beforeStopped, previous } = reading
  const compared = options.trend > 1
  const notes: string[] = []
  if (options.soFar) notes.push('The period is not over yet, so it is compared with nothing.')
  if (!isComplete(current)) {
    notes.push(
      `Not all pages of the period were read; the report has ${countOf(current.pages.size, 'page')}: ${causesOf(current)}.`,
    )
  }
  if (current.repeated) notes.push(repeatedIn('the period'))
  if (beforeStopped !== undefined && beforeStopped !== current.stopped) {
    const names = nameOfPeriods(current.period)
    const read =
      before.length === 0
        ? `None of the ${names} before`
        : `Only ${before.length} of the ${options.trend - 1} ${names} before`
    notes.push(`${read} could be read: ${causeOf(beforeStopped)}.`)
  }
  if (previous !== undefined && !isComplete(previous)) {
    notes.push(`Not all pages of the period before were read: ${causesOf(previous)}.`)
  }
  if (previous?.repeated === true) notes.push(repeatedIn('the period before'))
  const compares = previous !== undefined && isSteady(current) && isSteady(previous)
  if (compared && !compares) notes.push('So what moved is not known.')
  return notes
}

function repeatedIn(period: string): string {
  return `Pages of ${period} came more than once, so others may not have come at all; the later row of each counts.`
}

function causesOf({ invalidRows, invalidAnswer, noNewRows, stopped }: PeriodRows): string {
  const causes: string[] = []
  if (stopped !== undefined) causes.push(causeOf(stopped))
  if (invalidRows > 0)
    causes.push(
      `${countOf(invalidRows, 'row')} without a path, or with a count that is no number, could not be understood`,
    )
  if (invalidAnswer)
    causes.push('an answer of the service had no list of rows, or did not say whether there are more')
  if (noNewRows) causes.push('the service said that there are more rows, and sent none that are new')
  return causes.join('; ')
}

function causeOf({ reason, message }: RequestsStopped): string {
  const causes = {
    'max-requests': 'the requests that `visitors-max-requests` allows were used up',
    time: `the ${formatMaxTime()} that the report may take were used up`,
    failed: message.replace(/\.$/, ''),
  }
  return causes[reason]
}
