import type { PageVisitors } from '../service/analytics.ts'
import type { Change } from './format.ts'

/** The change of a number, in percent of what it was, rounded to one decimal. */
export function changeBetween(previous: number | undefined, current: number): Change {
  if (previous === undefined) return 'unknown'
  if (previous === 0) return current === 0 ? 0 : 'new'
  const tenths = Math.round((Math.abs(current - previous) / previous) * 1000)
  if (tenths === 0) return 0
  return (current > previous ? tenths : -tenths) / 10
}

/** Periods that it takes to say what is usual. */
const MIN_PERIODS = 3
/** What is usual goes beyond the range of the earlier values by so many percent. */
export const MARGIN_PERCENT = 3

/** The usual range by earlier periods, ends included, and where a value lies; `undefined` if there are too few. */
export function compareWithUsual(value: number, earlier: readonly number[]) {
  if (earlier.length < MIN_PERIODS) return undefined
  // In hundredths: 0.97 and 1.03 have no exact binary form.
  const low = (Math.min(...earlier) * (100 - MARGIN_PERCENT)) / 100
  const high = (Math.max(...earlier) * (100 + MARGIN_PERCENT)) / 100
  const outside = value < low ? 'lowest' : 'highest'
  return { low, high, position: low <= value && value <= high ? 'usual' : outside } as const
}

export type PageChange = {
  readonly path: string
  readonly total: number
  readonly previous: number
  readonly change: Change
}

type Pages = ReadonlyMap<string, PageVisitors>

/** Pages up, and pages down, that are named. */
export const MAX_MOVED = 5
/** A change of fewer visitors than this is no news. */
const MIN_VISITORS = 10
/** News are at least so many times what counts and pages vary by chance. */
const MIN_SPREADS = 3
/** Share of a normal distribution within one standard deviation: a third of the pages may be further out, or have moved. */
const WITHIN_ONE_SPREAD = 0.683

/** How to read what is found, as a sentence. */
export const MOVED_FACT = `What moved: pages that changed by at least ${MIN_VISITORS} visitors and, beside the change of the whole site, by at least ${MIN_SPREADS} times what counts and pages vary by chance.`

/** Finds the pages whose change is more than chance, largest first. Both periods must have been read whole. */
export function findPageChanges(before: Pages, now: Pages) {
  const sizeOf = ({ total, previous }: PageChange): number => Math.abs(total - previous)
  const pages = [...now.values()].flatMap(({ path, total }): PageChange[] => {
    const previous = before.get(path)?.total ?? 0
    const isInBoth = previous > 0 && total > 0
    return isInBoth ? [{ path, total, previous, change: changeBetween(previous, total) }] : []
  })
  const moved = findMoved(pages)
    .filter((page) => sizeOf(page) >= MIN_VISITORS)
    .sort((left, right) => sizeOf(right) - sizeOf(left) || (left.path < right.path ? -1 : 1))
  return {
    up: moved.filter(({ total, previous }) => total > previous),
    down: moved.filter(({ total, previous }) => total < previous),
  }
}

/**
 * The pages that moved relative to the site's own change, which is the median of all. What a page moves by chance: counts
 * of few visitors are noisy (Poisson), and beyond that pages vary by themselves, as much as the pages of this site are
 * observed to. Of many pages some are far out by chance: the most visited page has to be out by 3 spreads, the thousandth
 * by more than 4. The simulation in the tests shows what that finds.
 */
function findMoved(pages: readonly PageChange[]): PageChange[] {
  const ratios = pages
    .map((page) => {
      // Half a visitor more on each side keeps the ratio of small counts unbiased.
      const [now, before] = [page.total + 0.5, page.previous + 0.5]
      const visitors = (page.total + page.previous) / 2
      return { page, visitors, logRatio: Math.log(now / before), variance: 1 / now + 1 / before }
    })
    .sort((left, right) => left.variance - right.variance)
  // A page of hardly any visitors says nothing about the others.
  const telling = ratios.filter(({ visitors }) => visitors >= MIN_VISITORS)
  const siteChange = quantile(
    telling.map(({ logRatio }) => logRatio),
    0.5,
  )
  // The variance that pages have by themselves: what it takes, beside that of counting, to explain their spread.
  const beyond = telling.map(({ logRatio, variance }) => (logRatio - siteChange) ** 2 - variance)
  const ownVariance = Math.max(0, quantile(beyond, WITHIN_ONE_SPREAD))
  const moved = ratios.filter(({ page, logRatio, variance }, index) => {
    const spreads = Math.max(MIN_SPREADS, Math.sqrt(2 * Math.log(index + 1) + 4))
    // A page that rose less than the whole site did not fall.
    const isUp = page.total > page.previous
    const relativeChange = isUp ? logRatio - siteChange : siteChange - logRatio
    return relativeChange > spreads * Math.sqrt(variance + ownVariance)
  })
  return moved.map(({ page }) => page)
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((left, right) => left - right)[Math.ceil(values.length * share) - 1] ?? 0
}
