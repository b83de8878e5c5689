import type { PageVisitors } from '../service/visitors.ts'
import { byText, openRanking } from './ranking.ts'

/** How a number changed: percent with one decimal, `new` from zero to something, `unknown` if one side is. */
export type Change = number | 'new' | 'unknown'

/** A page whose number of visitors changed. */
export type Move = {
  readonly path: string
  readonly total: number
  readonly previous: number
  readonly change: Change
}

/** The pages that changed most, by the number of visitors and not by percent, the largest change first. */
export type Moves = { readonly risers: readonly Move[]; readonly fallers: readonly Move[] }

/** The change of a number, in percent of what it was, rounded to one decimal. */
export function changeBetween(previous: number | undefined, current: number): Change {
  if (previous === undefined) return 'unknown'
  if (previous === 0) return current === 0 ? 0 : 'new'
  const tenths = Math.round((Math.abs(current - previous) / previous) * 1000)
  if (tenths === 0) return 0
  return (current > previous ? tenths : -tenths) / 10
}

/** Compares the pages of two periods while the rows of the earlier one come in. */
export type Comparison = {
  /** Takes a row of the earlier period in; each path once. */
  add(row: PageVisitors): void
  /** Ends the comparison, once all rows of the earlier period are in: what is left over is new. */
  moves(): Moves
}

/**
 * Opens a comparison.
 *
 * @param totals visitors by path in the later period, all of them; used up
 * @param most how many risers, and how many fallers, are wanted
 */
export function openComparison(totals: Map<string, number>, most: number): Comparison {
  const byRise = (left: Move, right: Move): number =>
    riseOf(right) - riseOf(left) || byText(left.path, right.path)
  const byFall = (left: Move, right: Move): number =>
    riseOf(left) - riseOf(right) || byText(left.path, right.path)
  const risers = openRanking(byRise, most)
  const fallers = openRanking(byFall, most)

  function compare(path: string, previous: number, total: number): void {
    const move = { path, total, previous, change: changeBetween(previous, total) }
    if (total > previous) risers.add(move)
    if (total < previous) fallers.add(move)
  }

  return {
    add({ path, total: previous }) {
      compare(path, previous, totals.get(path) ?? 0)
      totals.delete(path)
    },
    moves() {
      for (const [path, total] of totals) compare(path, 0, total)
      totals.clear()
      return { risers: risers.first(most), fallers: fallers.first(most) }
    },
  }
}

function riseOf({ total, previous }: Move): number {
  return total - previous
}
