import { code, details, joinMarkdown, type Markdown, md } from '../lib/markdown.ts'
import { countOf, listOf, sumOf } from '../lib/text.ts'
import {
  type AnalyticsCall,
  type Listed,
  type PublicName,
  QUESTIONS,
  type Question,
  RATINGS,
  type Rating,
  SEARCHES,
  type Search,
} from '../mintlify/analytics.ts'
import type { OutputValues } from '../runner/run.ts'
import {
  type AnalyticsReader,
  formatPeriod,
  fullDaysBefore,
  type Period,
  pageName,
} from './analytics-reader.ts'

/** What readers missed, as far as it could be read. */
export type ContentGaps = {
  readonly period: Period
  /** The worst first. */
  readonly items: readonly ContentGapItem[]
  /** Sentences about what there is nothing to say of. */
  readonly notes: readonly string[]
  /** Whether any of the three kinds could be read, and whether all could. */
  readonly isRead: boolean
  readonly isWhole: boolean
}

/** All that is said of one page, search or category. */
type ContentGapItem = { readonly name: PublicName; readonly signals: readonly ContentGap[] }

type ContentGap = {
  readonly kind: 'rating' | 'search' | 'question'
  readonly name: PublicName
  /** Votes against the page; searches without a click; questions without an answer. */
  readonly count: number
  /** All votes; searches; questions. */
  readonly of: number
  /** Share of the same in those of the whole site. */
  readonly siteShare: number
}

/** A week has too few votes and questions to say something. */
const CONTENT_GAPS_DAYS = 28
/** Items that are named at once, and those that are named below. */
const MAX_SHOWN = 5
const MAX_GAPS = MAX_SHOWN + 20
const MIN_VOTES = 5
const MIN_DOWN_VOTES = 3
const MIN_SEARCHES = 5
const MIN_QUESTIONS = 3
const MIN_DAYS = 2
/** Standard normal quantiles of two-sided intervals. */
const Z_95 = 1.96
const Z_99 = 2.576

/** Reads what readers missed before today: three requests. */
export async function readContentGaps(
  reader: AnalyticsReader,
  nowMs: number,
): Promise<ContentGaps> {
  const period = fullDaysBefore(nowMs, CONTENT_GAPS_DAYS)
  const notes: string[] = []
  const unread: string[] = []
  let hasRows = false
  reader.releaseKept()

  // `part`: of a site, that this kind comes from.
  const read = async <T>(kind: string, part: string, call: AnalyticsCall<Listed<T>>) => {
    const listed = await reader.read(period, call, `the ${kind}`)
    if (listed === undefined) {
      unread.push(kind)
      return []
    }
    const { rows, invalidRows } = listed
    if (rows.length > 0) hasRows = true
    else notes.push(`No ${kind} in ${CONTENT_GAPS_DAYS} days: is ${part} switched on?`)
    if (invalidRows > 0)
      reader.note(`${countOf(invalidRows, 'row')} of the ${kind} could not be read.`)
    return rows
  }

  const items = findContentGaps(
    await read('ratings', 'feedback', RATINGS),
    await read('searches', 'search', SEARCHES),
    await read('questions', 'the assistant', QUESTIONS),
  )
  if (items.length === 0 && hasRows) notes.unshift('Nothing stands out.')
  if (unread.length > 0) notes.push(`The ${listOf(unread)} could not be read.`)
  return { period, items, notes, isRead: unread.length < 3, isWhole: unread.length === 0 }
}

/** Finds what stands out, the items that concern most readers first. */
export function findContentGaps(
  ratings: readonly Rating[],
  searches: readonly Search[],
  questions: readonly Question[],
): ContentGapItem[] {
  const signals = [
    ...findBadlyRated(ratings),
    ...findSearchedInVain(searches),
    ...findUnanswered(questions),
  ]
  const groups = Map.groupBy(signals, ({ name }) => name.key)
  const items = [...groups.values()].flatMap((same) => {
    const [first] = same
    return first === undefined ? [] : [{ name: first.name, signals: same }]
  })
  const readers = (item: ContentGapItem): number => sumOf(item.signals, ({ count }) => count)
  return items.sort((left, right) => readers(right) - readers(left)).slice(0, MAX_GAPS)
}

/** Pages that surely get more votes against them than the site as a whole. */
function findBadlyRated(ratings: readonly Rating[]): ContentGap[] {
  const siteShare = sumOf(ratings, ({ down }) => down) / sumOf(ratings, ({ up, down }) => up + down)
  const signals = ratings.map(({ name, up, down }): ContentGap => {
    return { kind: 'rating', name, count: down, of: up + down, siteShare }
  })
  const isEnough = ({ count, of }: ContentGap): boolean =>
    of >= MIN_VOTES && count >= MIN_DOWN_VOTES
  return signals.filter((one) => isEnough(one) && wilson(one.count, one.of, Z_99).low > siteShare)
}

/** Searches that surely lead to a click less than half as often as those of the site as a whole. */
function findSearchedInVain(searches: readonly Search[]): ContentGap[] {
  const clicks = sumOf(searches, ({ hits, clickRate }) => hits * clickRate)
  const siteRate = clicks / sumOf(searches, ({ hits }) => hits)
  return searches.flatMap(({ name, hits, clickRate }): ContentGap[] => {
    const isInVain =
      hits >= MIN_SEARCHES && wilson(hits * clickRate, hits, Z_95).high < siteRate / 2
    const count = Math.round(hits * (1 - clickRate))
    return isInVain ? [{ kind: 'search', name, count, of: hits, siteShare: 1 - siteRate }] : []
  })
}

/** Pages, or where a question names none categories, with several questions that were not answered, on more than one day. */
function findUnanswered(questions: readonly Question[]): ContentGap[] {
  const siteShare = questions.filter(({ isAnswered }) => !isAnswered).length / questions.length
  const subjects = Map.groupBy(questions, ({ name }) => name?.key)
  return [...subjects.values()].flatMap((asked): ContentGap[] => {
    const name = asked[0]?.name
    const unanswered = asked.filter(({ isAnswered }) => !isAnswered)
    const days = new Set(unanswered.map(({ day }) => day))
    const [count, of] = [unanswered.length, asked.length]
    if (name === undefined || count < MIN_QUESTIONS || days.size < MIN_DAYS) return []
    return [{ kind: 'question', name, count, of, siteShare }]
  })
}

/** The interval that a share surely lies in, after so many of so many cases (Wilson, 1927). */
function wilson(cases: number, of: number, z: number): { low: number; high: number } {
  const observed = cases / of
  const scale = 1 + z ** 2 / of
  const middle = (observed + z ** 2 / (2 * of)) / scale
  const reach = (z / scale) * Math.sqrt((observed * (1 - observed)) / of + z ** 2 / (4 * of ** 2))
  return { low: middle - reach, high: middle + reach }
}

/** Whom a list is for: an agent that writes gets less of the names. */
export type Audience = 'people' | 'agent'

/** What readers missed: what is shown at once, and what is folded. `site`: that pages are linked to, if any. */
export function contentGapsSections(
  signals: ContentGaps,
  audience: Audience,
  site: URL | undefined,
) {
  const { items, notes } = signals
  const lines = items.map((item) => lineOf(item, audience, site))
  const [first, more] = [lines.slice(0, MAX_SHOWN), lines.slice(MAX_SHOWN)]
  const shown = [joinMarkdown(first, '\n'), md`${notes.join(' ')}`]
  const title = `What readers missed: ${more.length} more`
  return { shown, folded: more.length === 0 ? md`` : details(title, joinMarkdown(more, '\n')) }
}

/** What readers missed, an entry for each kind, by count; empty where nothing of it could be read. */
export function contentGapsOutputs({ items, isRead }: ContentGaps): OutputValues {
  if (!isRead) return { 'content-gaps': '' }
  const all = items
    .flatMap(({ signals }) => signals)
    .sort((left, right) => right.count - left.count)
  const rounded = (share: number): number => Math.round(share * 1000) / 1000
  const entries = all.map(({ kind, name, count, of, siteShare }) => {
    const subject = { [name.of]: name.forPeople ?? '(withheld)' }
    const shares = { share: rounded(count / of), siteShare: rounded(siteShare) }
    return { kind, ...subject, count, of, ...shares }
  })
  return { 'content-gaps': JSON.stringify(entries) }
}

/** For the job of this run, as lines: rules in our words, and the list. None if nothing stands out. */
export function contentGapsForAgent({ period, items }: ContentGaps): readonly string[] {
  if (items.length === 0) return []
  const lines = items.map((item) => lineOf(item, 'agent').source)
  return [AGENT_RULES, `What readers missed, ${formatPeriod(period)}:`, ...lines]
}

/** The counts of an item, each with its whole and the site's average. */
function lineOf({ name, signals }: ContentGapItem, audience: Audience, site?: URL): Markdown {
  const figures = signals.map(({ kind, count, of, siteShare }) => {
    const average = `the site's average: ${Math.round(siteShare * 100)} %`
    return `${count} of ${of} ${COUNTED[kind]}; ${average}`
  })
  return md`- ${gapName(name, audience, site)}: ${figures.join(' · ')}`
}

function gapName(name: PublicName, audience: Audience, site: URL | undefined): Markdown {
  const text = audience === 'people' ? name.forPeople : name.forAgent
  if (text === undefined) return md`${WITHHELD[name.of]}`
  if (name.of === 'path') return pageName(text, site, text.length)
  if (name.of === 'category') return md`questions about ${code(text)}`
  return md`search ${audience === 'people' ? 'for' : 'with the words'} ${code(text)}`
}

const WITHHELD = {
  path: 'a page (path withheld)',
  search: 'a search (text withheld)',
  category: 'a category (name withheld)',
}
const COUNTED = {
  rating: 'ratings say no',
  search: 'searches led to no click',
  question: 'questions got no answer',
}

const AGENT_RULES =
  'The list of what readers missed has counts of demand, no proof of an error. Look at the page and at the code first. Change at most three pages for this list, and a page only where it lacks or misstates something. Add nothing that the repository does not hold. Say in the pull request which item led to which change.'

/** How to read the list, as sentences. */
export const CONTENT_GAPS_FACTS = [
  `What readers missed, in the ${CONTENT_GAPS_DAYS} days before today: pages rated worse than the site beyond chance; searches that led to a click less than half as often; ${MIN_QUESTIONS} or more questions without an answer.`,
  'Votes, searches and questions need no login, so only counts are shown, and names by strict rules.',
]
