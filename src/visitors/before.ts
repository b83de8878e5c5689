import { MOST_ROWS, type PageVisitors, type VisitorsAnswer } from '../service/visitors.ts'
import { type Asking, AskingStopped } from './asking.ts'
import { readRows } from './collect.ts'
import type { Gap, PeriodTotals } from './findings.ts'
import { type Period, periodsBefore } from './period.ts'

/** What was read of the periods before the current one. */
export type Before = {
  /** The latest first, without a gap. */
  readonly totals: readonly PeriodTotals[]
  /** Whether all rows of the latest were read, as far as the service can be believed. */
  readonly complete: boolean
  readonly gaps: readonly Gap[]
}

/** What reading them needs. */
export type BeforeOptions = {
  readonly asking: Asking
  /** How many periods; may be 0. */
  readonly count: number
  /** Takes rows of the latest of them. */
  readonly onRows: (rows: readonly PageVisitors[]) => void
}

/**
 * Reads the periods before one: the totals of each with one request, the latest first, then all rows of the latest.
 * The answer that gave the latest's totals is also its first 250 rows. A limit or a failure ends the asking, and what
 * there is by then is returned.
 *
 * @throws the reason of the run's cancel signal
 */
export async function readBefore(current: Period, { asking, count, onRows }: BeforeOptions): Promise<Before> {
  const totals: PeriodTotals[] = []
  let first: VisitorsAnswer | undefined
  let end: AskingStopped | undefined
  try {
    for (const period of periodsBefore(current, count)) {
      const limit = first === undefined ? MOST_ROWS : 1
      const answer = await asking.ask({ period, limit, offset: 0 })
      first ??= answer
      totals.push({ period, totals: answer.totals })
    }
  } catch (error) {
    if (!(error instanceof AskingStopped)) throw error
    end = error
  }
  const gaps: Gap[] = end === undefined ? [] : [{ part: 'trend', flaw: end.flaw, end }]
  const [latest] = totals
  if (latest === undefined) return { totals, complete: false, gaps }
  const { flaws, end: stop } = await readRows(latest.period, {
    asking: end === undefined ? asking : stoppedBy(end),
    first,
    onRows,
  })
  for (const flaw of flaws) gaps.push({ part: 'previous', flaw, end: stop })
  return { totals, complete: flaws.size === 0, gaps }
}

function stoppedBy(end: AskingStopped): Pick<Asking, 'ask'> {
  return { ask: () => Promise.reject(end) }
}
