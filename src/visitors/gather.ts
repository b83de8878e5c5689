import type { DocsService } from '../service/docs-service.ts'
import type { PageVisitors } from '../service/visitors.ts'
import { type Asking, type AskingOptions, openAsking } from './asking.ts'
import { type Before, readBefore } from './before.ts'
import { type Reading, readRows } from './collect.ts'
import { changeBetween, type Moves, openComparison } from './compare.ts'
import type { Gap, VisitorsFindings } from './findings.ts'
import type { Period } from './period.ts'
import { byText, openRanking } from './ranking.ts'

/** What is to be found out. */
export type VisitorsPlan = {
  readonly period: Period
  /** Rows of each list of pages. */
  readonly top: number
  /** Periods of the trend, the current one included; 1: nothing is compared. */
  readonly trend: number
}

/** What gathering needs from outside. */
export type GatherOptions = AskingOptions & {
  /** Takes the rows of the current period as they come. */
  readonly onRows: (rows: readonly PageVisitors[]) => Promise<void>
}

/**
 * Finds out about a site's visitors, in the order in which requests are worth most: all rows of the current period, the
 * totals of the periods before, all rows of the latest of these. What a limit or a failure cuts off is in the findings.
 *
 * Memory does not grow with the number of rows where nothing is compared; else it holds one number for each path of the
 * current period.
 *
 * @throws {AskingStopped} there is not even a first answer for the current period
 * @throws the reason of `cancel`
 */
export async function gatherVisitors(
  service: DocsService,
  plan: VisitorsPlan,
  options: GatherOptions,
): Promise<VisitorsFindings> {
  const asking = openAsking(service, options)
  const { reading, top, totalByPath } = await readCurrent(asking, plan, options)
  const compared = await compareWithBefore(asking, plan, { reading, top, totalByPath })
  const { before, previousByPath, moves } = compared
  const previous = before.totals[0]?.totals
  const gaps: Gap[] = [...reading.flaws].map((flaw) => ({ part: 'current', flaw, end: reading.end }))
  return {
    period: plan.period,
    totals: reading.totals,
    previous,
    change: changeBetween(previous?.total, reading.totals.total),
    trend: [...before.totals.toReversed(), { period: plan.period, totals: reading.totals }],
    top: top.map((page) => {
      const pagePrevious = previousByPath.get(page.path) ?? (before.complete ? 0 : undefined)
      return { ...page, change: changeBetween(pagePrevious, page.total) }
    }),
    moves,
    complete: isWhole(reading),
    rows: reading.rows,
    repeats: reading.repeats,
    requests: asking.requests(),
    gaps: [...gaps, ...before.gaps],
  }
}

type Current = {
  readonly reading: Reading
  readonly top: readonly PageVisitors[]
  /** Empty where nothing is to be compared. */
  readonly totalByPath: Map<string, number>
}

async function readCurrent(asking: Asking, plan: VisitorsPlan, { onRows }: GatherOptions): Promise<Current> {
  const ranking = openRanking(byTotal, plan.top)
  const totalByPath = new Map<string, number>()
  const reading = await readRows(plan.period, {
    asking,
    async onRows(rows) {
      for (const row of rows) ranking.add(row)
      if (plan.trend > 1) for (const { path, total } of rows) totalByPath.set(path, total)
      await onRows(rows)
    },
  })
  return { reading, top: ranking.first(plan.top), totalByPath }
}

type Compared = {
  readonly before: Before
  /** Of the top pages, as far as they were met. */
  readonly previousByPath: ReadonlyMap<string, number>
  readonly moves: Moves | undefined
}

async function compareWithBefore(asking: Asking, plan: VisitorsPlan, current: Current): Promise<Compared> {
  const { reading, top, totalByPath } = current
  if (!isWhole(reading)) totalByPath.clear()
  const comparison = openComparison(totalByPath, plan.top)
  const topPaths = new Set(top.map(({ path }) => path))
  const previousByPath = new Map<string, number>()
  // A failure has already made the report red; asking on would only keep it back.
  const count = reading.end?.flaw === 'failed' ? 0 : plan.trend - 1
  const before = await readBefore(plan.period, {
    asking,
    count,
    onRows(rows) {
      for (const row of rows) {
        if (isWhole(reading)) comparison.add(row)
        if (topPaths.has(row.path)) previousByPath.set(row.path, row.total)
      }
    },
  })
  // Where a row came twice, another may not have come at all: it would be taken for one that fell to nothing.
  const moves = before.complete && reading.flaws.size === 0 ? comparison.moves() : undefined
  return { before, previousByPath, moves }
}

/** Whether all rows came; some may have come twice, of which the later ones count. */
function isWhole({ flaws }: Reading): boolean {
  return [...flaws].every((flaw) => flaw === 'repeated')
}

function byTotal(left: PageVisitors, right: PageVisitors): number {
  return right.total - left.total || byText(left.path, right.path)
}
