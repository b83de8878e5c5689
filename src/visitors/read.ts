import { type Counts, MAX_ROWS, type PageVisitors, type VisitorsAnswer } from '../service/visitors.ts'
import { type Period, periodsBefore } from './period.ts'
import { RequestsStopped, type VisitorsRequests } from './requests.ts'

/** The site's totals in one period. */
export type PeriodTotals = { readonly period: Period; readonly totals: Counts }

/** What was read of one period's rows. */
export type PeriodRows = PeriodTotals & {
  /** By path; of a page met twice, the later row. */
  readonly pages: ReadonlyMap<string, PageVisitors>
  /** Rows that could not be understood and are left out. */
  readonly invalidRows: number
  /** Whether a page was met twice: the list moved while it was read, so that others may not have been met at all. */
  readonly repeated: boolean
  /** Whether a list of rows or `hasMore` was of a wrong type. */
  readonly invalidAnswer: boolean
  /** Whether the service said that there are more rows, and then sent none that are new. */
  readonly noNewRows: boolean
  /** Why reading ended before the last row. */
  readonly stopped: RequestsStopped | undefined
}

/** What was read for a report. */
export type VisitorsReading = {
  readonly current: PeriodRows
  /** Totals of the periods before, the latest first, without a gap. */
  readonly before: readonly PeriodTotals[]
  /** Why `before` has fewer periods than wanted. */
  readonly beforeStopped: RequestsStopped | undefined
  /** The rows of the latest period before; `undefined` if not even its first answer came. */
  readonly previous: PeriodRows | undefined
  /** Requests made, retries included. */
  readonly requests: number
}

/**
 * Reads visitors in the order in which requests are worth most: all rows of the current period, the totals of the
 * periods before (the first answer for the latest of them holds its first rows, too), all rows of the latest of them.
 *
 * @param plan `trend`: periods wanted, the current one included
 * @throws {RequestsStopped} there is not even a first answer for the current period
 * @throws the reason of the run's cancel signal
 */
export async function readVisitors(
  requests: VisitorsRequests,
  { period, trend }: { readonly period: Period; readonly trend: number },
): Promise<VisitorsReading> {
  const current = await readRows(requests, { period })
  const before: PeriodTotals[] = []
  let first: VisitorsAnswer | undefined
  const beforeStopped = await untilStopped(async () => {
    for (const earlier of periodsBefore(period, trend - 1)) {
      const limit = first === undefined ? MAX_ROWS : 1
      const answer = await requests.send({ period: earlier, limit, offset: 0 })
      first ??= answer
      before.push({ period: earlier, totals: answer.totals })
    }
  })
  const [latest] = before
  const previous = latest && (await readRows(requests, { period: latest.period, first }))
  return { current, before, beforeStopped, previous, requests: requests.count }
}

/** Whether all rows of a period were read. */
export function isComplete({ invalidRows, invalidAnswer, noNewRows, stopped }: PeriodRows): boolean {
  return invalidRows === 0 && !invalidAnswer && !noNewRows && stopped === undefined
}

type Rows = {
  readonly period: Period
  /** The period's first answer, if there is one already. */
  readonly first?: VisitorsAnswer | undefined
}

/**
 * Reads the rows of a period, one request for every 250 of them, until the service has no more.
 *
 * @throws as `VisitorsRequests.send`, if there is no first answer
 */
async function readRows(requests: VisitorsRequests, { period, first }: Rows): Promise<PeriodRows> {
  const pages = new Map<string, PageVisitors>()
  let totals: Counts | undefined
  let [rows, invalidRows, invalidAnswer, noNewRows] = [0, 0, false, false]

  /** @returns whether there is more to be read */
  function add(answer: VisitorsAnswer): boolean {
    const known = pages.size
    totals = answer.totals
    for (const row of answer.rows) pages.set(row.path, row)
    rows += answer.rows.length
    invalidRows += answer.invalidRows
    invalidAnswer ||= answer.invalid
    const nothingNew = pages.size === known && (answer.rows.length > 0 || answer.invalidRows === 0)
    noNewRows = answer.hasMore && nothingNew
    return answer.hasMore && !nothingNew
  }

  const stopped = await untilStopped(async () => {
    let more = first === undefined || add(first)
    for (let offset = first === undefined ? 0 : MAX_ROWS; more; offset += MAX_ROWS) {
      more = add(await requests.send({ period, limit: MAX_ROWS, offset }))
    }
  })
  if (totals === undefined) throw stopped ?? new Error('There is no first answer.')
  return {
    period,
    totals,
    pages,
    invalidRows,
    repeated: rows > pages.size,
    invalidAnswer,
    noNewRows,
    stopped,
  }
}

/** Works until it is done or no further request is made; why, if so. */
async function untilStopped(work: () => Promise<void>): Promise<RequestsStopped | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (!(error instanceof RequestsStopped)) throw error
    return error
  }
}
