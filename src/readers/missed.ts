import {
  getQuestions,
  getRatings,
  getSearches,
  type Listed,
  type Question,
  type Rating,
  type Search,
} from '../service/analytics.ts'
import type { PublicName } from '../service/public-name.ts'
import { countOf, listOf, type Period } from './format.ts'
import { SIGNALS_DAYS } from './options.ts'
import { type AnalyticsReader, type AnalyticsRequest, NotRead } from './requests.ts'

/** What readers missed, as far as it could be read. */
export type Missed = {
  readonly period: Period
  /** The worst first. */
  readonly items: readonly MissedItem[]
  /** Sentences about the kinds that there is nothing to judge of. */
  readonly notes: readonly string[]
  /** Whether any of the three kinds could be read. */
  readonly isRead: boolean
  /** Whether any of them has something to judge. */
  readonly hasRows: boolean
}

/** A page, a search or a category with all that is said of it. */
export type MissedItem = readonly [Signal, ...Signal[]]

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

/** Reads what readers missed: three requests. */
export async function readMissed(reader: AnalyticsReader, period: Period): Promise<Missed> {
  const notes: string[] = []
  const unread: string[] = []
  let hasRows = false

  // `part`: of a site, that this kind comes from.
  const read = async <T>(name: string, part: string, request: AnalyticsRequest<Listed<T>>) => {
    const listed = await reader.send(period, request)
    if (listed instanceof NotRead) {
      reader.noteNotRead(`the ${name}`, listed)
      unread.push(name)
      return []
    }
    if (listed.rows.length > 0) hasRows = true
    else notes.push(`No ${name} in ${SIGNALS_DAYS} days: is ${part} switched on?`)
    if (listed.invalidRows > 0)
      reader.note(`${countOf(listed.invalidRows, 'row')} of the ${name} could not be read.`)
    return listed.rows
  }

  const items = findMissed(
    await read('ratings', 'feedback', getRatings),
    await read('searches', 'search', getSearches),
    await read('questions', 'the assistant', getQuestions),
  )
  if (unread.length > 0) notes.push(`The ${listOf(unread)} could not be read.`)
  return { period, items, notes, isRead: unread.length < 3, hasRows }
}

/** Finds what stands out, the items that concern most readers first. */
export function findMissed(
  ratings: readonly Rating[],
  searches: readonly Search[],
  questions: readonly Question[],
): MissedItem[] {
  const signals = [...findBadlyRated(ratings), ...findSearchedInVain(searches), ...findUnanswered(questions)]
  const items = new Map<string | Signal, [Signal, ...Signal[]]>()
  for (const signal of signals) {
    const key = signal.name === undefined ? signal : `${signal.on} ${signal.name.text}`
    const known = items.get(key)
    if (known === undefined) items.set(key, [signal])
    else known.push(signal)
  }
  const readers = (item: MissedItem): number => sum(item, ({ count }) => count)
  return [...items.values()].sort((left, right) => readers(right) - readers(left)).slice(0, MAX_ITEMS)
}

/** Pages that surely get more votes against them than the site as a whole. */
function findBadlyRated(ratings: readonly Rating[]): Signal[] {
  const siteRate = sum(ratings, ({ down }) => down) / sum(ratings, ({ up, down }) => up + down)
  return ratings.flatMap(({ page, up, down }): Signal[] => {
    const of = up + down
    const isBad = of >= MIN_VOTES && down >= MIN_DOWN_VOTES && wilson(down, of, Z_99).low > siteRate
    if (!isBad) return []
    return [{ kind: 'rating', on: 'path', name: page, count: down, of, rate: down / of, siteRate }]
  })
}

/** Searches that surely lead to a click less than half as often as those of the site as a whole. */
function findSearchedInVain(searches: readonly Search[]): Signal[] {
  const clicks = sum(searches, ({ hits, clickRate }) => hits * clickRate)
  const siteRate = clicks / sum(searches, ({ hits }) => hits)
  return searches.flatMap(({ term, hits, clickRate }): Signal[] => {
    const isVain = hits >= MIN_SEARCHES && wilson(hits * clickRate, hits, Z_95).high < siteRate / 2
    if (!isVain) return []
    const count = Math.round(hits * (1 - clickRate))
    return [{ kind: 'search', on: 'search', name: term, count, of: hits, rate: clickRate, siteRate }]
  })
}

/** Pages, or where a question names none categories, with several questions that were not answered, on more than one day. */
function findUnanswered(questions: readonly Question[]): Signal[] {
  const siteRate = questions.filter(({ isAnswered }) => !isAnswered).length / questions.length
  const subjects = Map.groupBy(questions, ({ page, category }) =>
    page === undefined ? `category ${category?.text ?? ''}` : `path ${page.text}`,
  )
  return [...subjects.values()].flatMap((asked): Signal[] => {
    const unanswered = asked.filter(({ isAnswered }) => !isAnswered)
    const days = new Set(unanswered.map(({ day }) => day))
    const { page, category } = asked[0] ?? {}
    const name = page ?? category
    if (unanswered.length < MIN_QUESTIONS || days.size < MIN_DAYS || name === undefined) return []
    const [count, of] = [unanswered.length, asked.length]
    const on = page === undefined ? 'category' : 'path'
    return [{ kind: 'question', on, name, count, of, rate: count / of, siteRate }]
  })
}

function sum<T>(rows: readonly T[], of: (row: T) => number): number {
  return rows.reduce((total, row) => total + of(row), 0)
}

/** The interval that a share surely lies in, after so many of so many cases (Wilson, 1927). */
export function wilson(cases: number, of: number, z: number): { low: number; high: number } {
  const observed = cases / of
  const scale = 1 + z ** 2 / of
  const middle = (observed + z ** 2 / (2 * of)) / scale
  const reach = (z / scale) * Math.sqrt((observed * (1 - observed)) / of + z ** 2 / (4 * of ** 2))
  return { low: middle - reach, high: middle + reach }
}
