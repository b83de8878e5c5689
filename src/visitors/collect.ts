import { type Counts, MOST_ROWS, type PageVisitors, type VisitorsAnswer } from '../service/visitors.ts'
import { type Asking, AskingStopped, type Flaw } from './asking.ts'
import type { Period } from './period.ts'
import { openSeenPaths } from './seen-paths.ts'

/** What was read of a period. */
export type Reading = {
  readonly totals: Counts
  /** How many rows came, repeated ones included. */
  readonly rows: number
  /** Where each path that came more than once came last: the number of the row, from 0. */
  readonly repeats: ReadonlyMap<string, number>
  /** None: all rows were read, as far as the service can be believed. */
  readonly flaws: ReadonlySet<Flaw>
  /** What ended it early. */
  readonly end: AskingStopped | undefined
}

/** What reading a period needs. */
export type ReadingOptions = {
  readonly asking: Pick<Asking, 'ask'>
  /** The period's first answer, if there is one already. */
  readonly first?: VisitorsAnswer | undefined
  /** Takes rows as they come; the next answer is asked for when it is done. */
  readonly onRows: (rows: readonly PageVisitors[]) => void | Promise<void>
}

/**
 * Reads all rows of a period, one request for every 250 of them. It ends where the service has no more, where an answer
 * that announces more brings nothing new, and where a limit or a failure ends it once there is a first answer.
 *
 * @throws as `Asking.ask`, if there is no first answer
 */
export async function readRows(period: Period, { asking, first, onRows }: ReadingOptions): Promise<Reading> {
  const tally = openTally()
  try {
    for await (const answer of answersOf(period, asking, first)) {
      const hasNews = tally.take(answer)
      await onRows(answer.rows)
      if (!hasNews) break
    }
  } catch (error) {
    if (!(error instanceof AskingStopped)) throw error
    tally.end(error)
  }
  return tally.reading()
}

async function* answersOf(
  period: Period,
  asking: Pick<Asking, 'ask'>,
  first: VisitorsAnswer | undefined,
): AsyncGenerator<VisitorsAnswer> {
  for (let offset = 0; ; offset += MOST_ROWS) {
    const known = offset === 0 ? first : undefined
    const answer = known ?? (await asking.ask({ period, limit: MOST_ROWS, offset }))
    yield answer
    if (!answer.hasMore) return
  }
}

function openTally() {
  const seen = openSeenPaths()
  const repeats = new Map<string, number>()
  const flaws = new Set<Flaw>()
  let totals: Counts | undefined
  let rows = 0
  let end: AskingStopped | undefined

  function take(answer: VisitorsAnswer): boolean {
    totals = answer.totals
    let fresh = 0
    for (const { path } of answer.rows) {
      if (seen.add(path)) fresh += 1
      else repeats.set(path, rows)
      rows += 1
    }
    const hasNews = fresh > 0 || !answer.hasMore
    if (!hasNews) flaws.add('no-more-rows')
    if (repeats.size > 0) flaws.add('repeated')
    return hasNews
  }

  function reading(): Reading {
    if (totals === undefined) throw end ?? new Error('There is no first answer.')
    if (end !== undefined) flaws.add(end.flaw)
    return { totals, rows, repeats, flaws, end }
  }

  return {
    take,
    reading,
    end(error: AskingStopped): void {
      end = error
    },
  }
}
