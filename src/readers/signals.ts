import type { Question, Rating, Search } from '../service/analytics.ts'
import type { PublicName } from '../service/public-name.ts'

/** One thing that readers missed: counts, and a name that is safe to show. */
export type Signal = {
  readonly kind: 'rating' | 'search' | 'question'
  /** What it is about. */
  readonly on: 'path' | 'search' | 'category'
  /** `undefined` if it must not be shown. */
  readonly name: PublicName | undefined
  /** Votes against the page; searches without a click; questions without an answer. */
  readonly count: number
  /** All votes; searches; questions. */
  readonly of: number
  /** Share of votes against; of searches with a click; of questions without an answer. */
  readonly rate: number
  /** The same share of the whole site. */
  readonly siteRate: number
}

/** A page, a search or a category with all that is said of it. */
export type MissedItem = readonly [Signal, ...Signal[]]

/** What the service lists of each kind; nothing of what could not be read. */
type SignalSources = {
  readonly ratings: readonly Rating[]
  readonly searches: readonly Search[]
  readonly questions: readonly Question[]
}

/** Items that are named at once, and those that are named below. */
export const MAX_SHOWN = 5
const MAX_ITEMS = MAX_SHOWN + 20

const MIN_VOTES = 5
const MIN_DOWN_VOTES = 3
const MIN_SEARCHES = 5
export const MIN_QUESTIONS = 3
const MIN_DAYS = 2
/** Standard normal quantiles of two-sided intervals. */
const Z_95 = 1.96
const Z_99 = 2.576

/** Finds what stands out, the items that concern most readers first. */
export function findMissed({ ratings, searches, questions }: SignalSources): MissedItem[] {
  const signals = [...findBadlyRated(ratings), ...findSearchedInVain(searches), ...findUnanswered(questions)]
  const items = new Map<string | Signal, [Signal, ...Signal[]]>()
  for (const signal of signals) {
    const key = signal.name === undefined ? signal : `${signal.on} ${signal.name.text}`
    const known = items.get(key)
    if (known === undefined) items.set(key, [signal])
    else known.push(signal)
  }
  const readers = (item: MissedItem): number => item.reduce((sum, { count }) => sum + count, 0)
  return [...items.values()].sort((left, right) => readers(right) - readers(left)).slice(0, MAX_ITEMS)
}

/** Pages that surely get more votes against them than the site as a whole. */
function findBadlyRated(ratings: readonly Rating[]): Signal[] {
  const down = sum(ratings, (rating) => rating.down)
  const siteRate = share(down, down + sum(ratings, ({ up }) => up))
  return ratings.flatMap(({ page, up, down }): Signal[] => {
    const votes = up + down
    const isBad = votes >= MIN_VOTES && down >= MIN_DOWN_VOTES && wilson(down, votes, Z_99).low > siteRate
    if (!isBad) return []
    return [{ kind: 'rating', on: 'path', name: page, count: down, of: votes, rate: down / votes, siteRate }]
  })
}

/** Searches that surely lead to a click less than half as often as those of the site as a whole. */
function findSearchedInVain(searches: readonly Search[]): Signal[] {
  const siteRate = share(
    sum(searches, ({ hits, clickRate }) => hits * clickRate),
    sum(searches, ({ hits }) => hits),
  )
  return searches.flatMap(({ term, hits, clickRate }): Signal[] => {
    const isVain = hits >= MIN_SEARCHES && wilson(hits * clickRate, hits, Z_95).high < siteRate / 2
    if (!isVain) return []
    const count = Math.round(hits * (1 - clickRate))
    return [{ kind: 'search', on: 'search', name: term, count, of: hits, rate: clickRate, siteRate }]
  })
}

/** Pages, or where a question names none categories, with several questions that were not answered, on more than one day. */
function findUnanswered(questions: readonly Question[]): Signal[] {
  const siteRate = share(questions.filter(({ isAnswered }) => !isAnswered).length, questions.length)
  const subjects = Map.groupBy(questions, ({ page, category }) =>
    page === undefined ? `category ${category?.text ?? ''}` : `path ${page.text}`,
  )
  return [...subjects.values()].flatMap((asked): Signal[] => {
    const unanswered = asked.filter(({ isAnswered }) => !isAnswered)
    const days = new Set(unanswered.map(({ day }) => day))
    if (unanswered.length < MIN_QUESTIONS || days.size < MIN_DAYS) return []
    const [count, of] = [unanswered.length, asked.length]
    const on = asked[0]?.page === undefined ? 'category' : 'path'
    const name = asked[0]?.page ?? asked[0]?.category
    if (name === undefined) return []
    return [{ kind: 'question', on, name, count, of, rate: count / of, siteRate }]
  })
}

function sum<T>(rows: readonly T[], of: (row: T) => number): number {
  return rows.reduce((total, row) => total + of(row), 0)
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

/** The interval that a share surely lies in, after so many of so many cases (Wilson, 1927). */
export function wilson(cases: number, of: number, z: number): { low: number; high: number } {
  const observed = cases / of
  const scale = 1 + z ** 2 / of
  const middle = (observed + z ** 2 / (2 * of)) / scale
  const reach = (z / scale) * Math.sqrt((observed * (1 - observed)) / of + z ** 2 / (4 * of ** 2))
  return { low: middle - reach, high: middle + reach }
}
