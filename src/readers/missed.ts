import { code, details, joinMarkdown, type Markdown, md } from '../lib/markdown.ts'
import { getQuestions, getRatings, getSearches, type Listed } from '../service/analytics.ts'
import { countOf, listOf, pageName } from './format.ts'
import { SIGNALS_DAYS } from './options.ts'
import { datesOf, formatPeriod, type Period } from './period.ts'
import { orNotRead, type ReadingTools } from './read.ts'
import { NotRead } from './requests.ts'
import { findMissed, MAX_SHOWN, MIN_QUESTIONS, type MissedItem, type Signal } from './signals.ts'

/** What readers missed, as far as it could be read. */
export type Missed = {
  readonly period: Period
  /** The worst first. */
  readonly items: readonly MissedItem[]
  /** Sentences about the kinds that there is nothing to judge of. */
  readonly notes: readonly string[]
  /** How many of the three kinds could be read. */
  readonly readKinds: number
  /** How many of those have anything to judge. */
  readonly filledKinds: number
}

/** Reads what readers missed: three requests. What can't be read is told to `leftOut`. */
export async function readMissed(tools: ReadingTools, period: Period): Promise<Missed> {
  const { service, requests, leftOut } = tools
  const dates = datesOf(period)
  const notes: string[] = []
  const unread: string[] = []
  let [readKinds, filledKinds] = [0, 0]

  /** @param part of a site that this kind comes from */
  async function read<T>(
    name: string,
    part: string,
    request: (signal: AbortSignal) => Promise<Listed<T>>,
  ): Promise<readonly T[]> {
    const listed = await orNotRead(() => requests.send(request))
    if (listed instanceof NotRead) {
      leftOut.notRead(`the ${name}`, listed)
      unread.push(name)
      return []
    }
    readKinds += 1
    if (listed.rows.length > 0) filledKinds += 1
    else notes.push(`No ${name} in ${SIGNALS_DAYS} days: is ${part} switched on?`)
    if (listed.invalidRows > 0)
      leftOut.note(`${countOf(listed.invalidRows, 'row')} of the ${name} could not be read.`)
    return listed.rows
  }

  const items = findMissed({
    ratings: await read('ratings', 'feedback', (signal) => getRatings(service, dates, signal)),
    searches: await read('searches', 'search', (signal) => getSearches(service, dates, signal)),
    questions: await read('questions', 'the assistant', (signal) => getQuestions(service, dates, signal)),
  })
  if (unread.length > 0) notes.push(`The ${listOf(unread)} could not be read.`)
  return { period, items, notes, readKinds, filledKinds }
}

/** Maximum number of characters of a path in a line of the list. */
const PATH_LENGTH = 60

/** What is shown at once. `site`: that pages are linked to, if any. */
export function missedSection({ items, notes, filledKinds }: Missed, site: URL | undefined): Markdown[] {
  const nothing = filledKinds > 0 ? [md`Nothing stands out.`] : []
  return [
    ...(items.length > 0 ? [listOfItems(items.slice(0, MAX_SHOWN), site)] : nothing),
    ...(notes.length > 0 ? [md`${notes.join(' ')}`] : []),
  ]
}

/** What is folded of it; nothing if all is shown at once. */
export function furtherMissedSection({ items }: Missed, site: URL | undefined): Markdown[] {
  const further = items.slice(MAX_SHOWN)
  if (further.length === 0) return []
  return [details(`What readers missed: ${further.length} more`, listOfItems(further, site))]
}

function listOfItems(items: readonly MissedItem[], site: URL | undefined): Markdown {
  const lines = items.map((item) => md`- ${nameOf(item[0], site)}: ${figuresOf(item)}`)
  return joinMarkdown(lines, '\n')
}

function nameOf({ on, name }: Signal, site: URL | undefined): Markdown {
  if (name === undefined) return md`${WITHHELD[on]}`
  if (on === 'path') return pageName(name.text, site, PATH_LENGTH)
  return md`${KIND_OF_NAME[on]} ${code(name.text)}`
}

const KIND_OF_NAME = { path: 'page', search: 'search for', category: 'questions about' }
const WITHHELD = {
  path: 'a page (path withheld)',
  search: 'a search (text withheld)',
  category: 'a category (name withheld)',
}

/** The counts of an item, each with its whole and the site's rate. */
function figuresOf(item: MissedItem): string {
  const words = {
    rating: 'ratings say no',
    search: 'searches led to no click',
    question: 'questions got no answer',
  }
  const figures = item.map(({ kind, count, of, siteRate }) => {
    const site = kind === 'search' ? 1 - siteRate : siteRate
    return `${count} of ${of} ${words[kind]}; the site: ${Math.round(site * 100)} %`
  })
  return figures.join(' · ')
}

/**
 * What the agent is told of it, as the text of a section: our words, and counts with names that no reader worded. Empty
 * if nothing stands out.
 */
export function missedForAgent({ period, items }: Missed): string {
  const named = items.filter(([{ name }]) => name !== undefined)
  if (named.length === 0) return ''
  const lines = named.map((item) => {
    const [{ on, name }] = item
    const text = name?.text ?? ''
    return `- ${KIND_OF_NAME[on]} ${on === 'path' ? text : `"${text}"`}: ${figuresOf(item)}`
  })
  return [`What readers missed, ${formatPeriod(period)}:`, AGENT_WORDS, ...lines].join('\n')
}

const AGENT_WORDS =
  'These are counts of demand, no proof of an error. Look at the page and at the code first. Change at most three pages for this list, and a page only where it lacks or misstates something. Add nothing that the repository does not hold. Say in the pull request which item led to which change.'

/** How to read the list, as sentences. */
export const MISSED_FACTS = [
  `What readers missed, in the ${SIGNALS_DAYS} days before today: pages rated worse than the site beyond chance; searches that led to a click less than half as often; ${MIN_QUESTIONS} or more questions without an answer.`,
  'Votes, searches and questions need no login, so only counts are shown, and names by strict rules.',
]
