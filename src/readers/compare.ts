import type { Counts } from '../service/analytics.ts'

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

/** Periods that it takes to say what is usual. */
const MIN_PERIODS = 3
/** What is usual goes beyond the range of the earlier values by so many percent. */
export const MARGIN_PERCENT = 3

/** The usual range, ends included, and where a value lies: above and below, it is the highest and lowest of all. */
export type Usual = {
  readonly low: number
  readonly high: number
  readonly position: 'usual' | 'highest' | 'lowest'
}

/** Compares a value with those of earlier periods; `undefined` if there are too few. */
export function compareWithUsual(value: number, earlier: readonly number[]): Usual | undefined {
  if (earlier.length < MIN_PERIODS) return undefined
  // In hundredths: 0.97 and 1.03 have no exact binary form.
  const low = (Math.min(...earlier) * (100 - MARGIN_PERCENT)) / 100
  const high = (Math.max(...earlier) * (100 + MARGIN_PERCENT)) / 100
  if (value < low) return { low, high, position: 'lowest' }
  return { low, high, position: value > high ? 'highest' : 'usual' }
}
