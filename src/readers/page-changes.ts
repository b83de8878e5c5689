import type { Counts, PageVisitors } from '../service/analytics.ts'
import type { Change } from './format.ts'

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
/** Pages that are named of each other kind: new, gone, newly read by AI. */
export const MAX_NAMED = 5
/** A change of fewer visitors than this is no news, nor is a page of fewer. */
const MIN_VISITORS = 10
/** A page with so many visitors is large: what it varies beyond counting shows, and it is judged by its kind. */
const LARGE = 100
/** Fewer large pages than this say nothing about their kind: one that moved would explain itself. */
const MIN_LARGE_PAGES = 10
/** A page with this share of AI visitors is read mostly by AI. */
const AI_HEAVY = 0.6
/** News are at least so many times what counts and pages vary by chance; AI's share is judged by its counts alone. */
const MIN_SPREADS = 3
const AI_SPREADS = 3.5
/** Share of a normal distribution within one standard deviation: a third of the pages may be further out, or have moved. */
const WITHIN_ONE_SPREAD = 0.683

/** How to read what is found, as sentences. */
export const PAGE_FACTS = {
  moved: `What moved: pages that changed by at least ${MIN_VISITORS} visitors and, beside the change of the whole site, by at least ${MIN_SPREADS} times what counts and pages vary by chance; new and gone pages with at least ${MIN_VISITORS} visitors.`,
  ai: `Read mostly by AI: ${AI_HEAVY * 100} % or more of at least ${MIN_VISITORS} visitors. Newly: not so in the period before, and the rise is at least ${AI_SPREADS} times what counts of that size vary by chance; the others are folded.`,
}

/** Finds the pages whose change is more than chance, largest first. Both periods must have been read whole. */
export function findPageChanges(before: Pages, now: Pages) {
  const sizeOf = ({ total, previous }: PageChange): number => Math.abs(total - previous)
  const pages = [...new Set([...before.keys(), ...now.keys()])].map((path): PageChange => {
    const [previous, total] = [before.get(path)?.total ?? 0, now.get(path)?.total ?? 0]
    return { path, total, previous, change: changeBetween(previous, total) }
  })
  pages.sort((left, right) => sizeOf(right) - sizeOf(left) || (left.path < right.path ? -1 : 1))
  const moved = findMoved(pages.filter(({ previous, total }) => previous > 0 && total > 0))
  const large = pages.filter((page) => sizeOf(page) >= MIN_VISITORS)
  return {
    up: large.filter((page) => moved.has(page) && page.total > page.previous),
    down: large.filter((page) => moved.has(page) && page.total < page.previous),
    added: large.filter(({ previous }) => previous === 0),
    gone: large.filter(({ total }) => total === 0),
  }
}

/**
 * The pages that moved relative to the site's own change, which is the median of all. What a page moves by chance: counts
 * of few visitors are noisy (Poisson), and beyond that pages vary by themselves, as much as the pages of this site are
 * observed to. Of many pages some are far out by chance: the most visited page has to be out by 3 spreads, the thousandth
 * by more than 4. The simulation in the tests shows what that finds.
 */
function findMoved(pages: readonly PageChange[]): ReadonlySet<PageChange> {
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
  const ownVariance = (of: typeof telling): number => {
    const beyond = of.map(({ logRatio, variance }) => (logRatio - siteChange) ** 2 - variance)
    return Math.max(0, quantile(beyond, WITHIN_ONE_SPREAD))
  }
  const allVariance = ownVariance(telling)
  const large = telling.filter(({ visitors }) => visitors >= LARGE)
  const largeVariance =
    large.length < MIN_LARGE_PAGES ? allVariance : Math.max(allVariance, ownVariance(large))
  const moved = ratios.filter(({ page, visitors, logRatio, variance }, index) => {
    const spreads = Math.max(MIN_SPREADS, Math.sqrt(2 * Math.log(index + 1) + 4))
    // A page that rose less than the whole site did not fall.
    const relativeChange = page.total > page.previous ? logRatio - siteChange : siteChange - logRatio
    return relativeChange > spreads * Math.sqrt(variance + (visitors < LARGE ? allVariance : largeVariance))
  })
  return new Set(moved.map(({ page }) => page))
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((left, right) => left - right)[Math.ceil(values.length * share) - 1] ?? 0
}

/** The pages that AI reads mostly: those for which that is news, where a period before is known, and the others. */
export function findAiHeavyPages(pages: readonly PageVisitors[], before: Pages | undefined) {
  const isNews = (page: PageVisitors): boolean =>
    before !== undefined && isNewlyAiHeavy(page, before.get(page.path))
  const other = pages.filter((page) => isAiHeavy(page) && !isNews(page))
  return { newAiHeavyPages: pages.filter(isNews), otherAiHeavyPages: other }
}

function isAiHeavy(page: PageVisitors): boolean {
  return page.total >= MIN_VISITORS && aiShare(page) >= AI_HEAVY
}

/** Whether AI's share of a page rose to that since the period before, by more than the chance of counting. */
export function isNewlyAiHeavy(now: PageVisitors, before: PageVisitors | undefined): boolean {
  if (!isAiHeavy(now)) return false
  if (before === undefined || before.total === 0) return true
  const share = Math.min(1, (now.ai + before.ai) / (now.total + before.total))
  const spread = Math.sqrt(share * (1 - share) * (1 / now.total + 1 / before.total))
  return aiShare(before) < AI_HEAVY && aiShare(now) - aiShare(before) > AI_SPREADS * spread
}
