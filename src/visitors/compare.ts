import type { Counts, PageVisitors } from '../service/visitors.ts'
import type { PeriodTotals } from './read.ts'

/** How a number changed: percent with one decimal, `new` from zero to something, `unknown` if one side is. */
export type Change = number | 'new' | 'unknown'

/** The change of a number, in percent of what it was, rounded to one decimal. */
export function changeBetween(previous: number | undefined, current: number): Change {
  if (previous === undefined) return 'unknown'
  if (previous === 0) return current === 0 ? 0 : 'new'
  const tenths = Math.round((Math.abs(current - previous) / previous) * 1000)
  if (tenths === 0) return 0
  return (current > previous ? tenths : -tenths) / 10
}

/** AI visitors as a share of all visitors, 0 to 1, whatever the service counted. */
export function aiShare({ ai, total }: Counts): number {
  return total === 0 ? 0 : Math.min(1, ai / total)
}

/** The values that a period's own is usual between, ends included. */
export type Range = { readonly low: number; readonly high: number }

/** Periods that it takes to say what is usual. */
const MIN_PERIODS = 3

/** The range of the values of earlier periods and 3 % beyond; `undefined` if there are too few. */
export function usualRange(values: readonly number[]): Range | undefined {
  if (values.length < MIN_PERIODS) return undefined
  // In hundredths: 0.97 and 1.03 are no numbers of the machine's.
  return { low: (Math.min(...values) * 97) / 100, high: (Math.max(...values) * 103) / 100 }
}

/** The earlier periods that count for what is usual: not those of zeros before the site began. */
export function sinceSiteBegan(earlier: readonly PeriodTotals[]): readonly PeriodTotals[] {
  const first = earlier.findIndex(({ totals }) => totals.total > 0)
  return first === -1 ? [] : earlier.slice(first)
}

/** Where a value lies. Below and above the usual range, it is the lowest and the highest of all. */
export function positionIn(value: number, { low, high }: Range): 'usual' | 'below' | 'above' {
  if (value < low) return 'below'
  return value > high ? 'above' : 'usual'
}

/** A page whose number of visitors changed. */
export type Move = {
  readonly path: string
  readonly total: number
  readonly previous: number
  readonly change: Change
}

/** The first few of a list that was longer. */
export type Shortlist<T> = { readonly items: readonly T[]; readonly more: number }

/** What moved between two periods; each list with the largest change first. */
export type Moves = {
  readonly up: Shortlist<Move>
  readonly down: Shortlist<Move>
  /** Pages without visitors in the period before. */
  readonly added: Shortlist<Move>
  /** Pages without visitors now. */
  readonly gone: Shortlist<Move>
}

/** Pages that are named of each kind. */
const MAX_NAMED = 5
/** A change of fewer visitors than this is no news, nor is a page of fewer. */
const MIN_VISITORS = 10
const MIN_CHANGE = 0.1
const MOSTLY_AI = 0.6

/** Compares the pages of two periods that were both read whole. */
export function findMoves(
  before: ReadonlyMap<string, PageVisitors>,
  now: ReadonlyMap<string, PageVisitors>,
): Moves {
  const moves: Move[] = []
  for (const path of new Set([...before.keys(), ...now.keys()])) {
    const [previous, total] = [before.get(path)?.total ?? 0, now.get(path)?.total ?? 0]
    const difference = Math.abs(total - previous)
    if (difference < MIN_VISITORS || difference < previous * MIN_CHANGE) continue
    moves.push({ path, total, previous, change: changeBetween(previous, total) })
  }
  const size = ({ total, previous }: Move): number => Math.abs(total - previous)
  moves.sort((left, right) => size(right) - size(left) || compareText(left.path, right.path))
  const only = (fits: (move: Move) => boolean): Shortlist<Move> => shortlist(moves.filter(fits))
  return {
    up: only(({ total, previous }) => previous > 0 && total > previous),
    down: only(({ total, previous }) => total > 0 && total < previous),
    added: only(({ previous }) => previous === 0),
    gone: only(({ total }) => total === 0),
  }
}

/** The pages that AI visitors read most of all, the most visited first. */
export function findMostlyAi(sorted: readonly PageVisitors[]): Shortlist<PageVisitors> {
  return shortlist(sorted.filter((page) => page.total >= MIN_VISITORS && aiShare(page) >= MOSTLY_AI))
}

/** Pages by total, then path. */
export function sortPages(pages: Iterable<PageVisitors>): PageVisitors[] {
  return [...pages].sort((left, right) => right.total - left.total || compareText(left.path, right.path))
}

function shortlist<T>(items: readonly T[]): Shortlist<T> {
  return { items: items.slice(0, MAX_NAMED), more: Math.max(0, items.length - MAX_NAMED) }
}

/** By code units, whatever the language of the machine. */
function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
