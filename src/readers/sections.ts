import { code, codeBlock, details, joinMarkdown, Markdown, md } from '../lib/markdown.ts'
import type { Counts, PageVisitors } from '../service/analytics.ts'
import {
  formatChange,
  formatCount,
  formatPeriod,
  formatShare,
  listOf,
  pageName,
  rawTable,
  shortNames,
  signed,
} from './format.ts'
import { MAX_SHOWN, MIN_QUESTIONS, type Missed, type MissedItem, type Signal } from './missed.ts'
import { SIGNALS_DAYS } from './options.ts'
import { aiShare, MAX_NAMED, type PageChange } from './page-changes.ts'
import type { PeriodTotals, VisitorsReport } from './visitors.ts'

/** Pages that AI reads mostly, below the first screen. */
const MAX_LISTED = 20

/** Maximum number of characters of a path: with two of them side by side, of five in a line, alone in a line, in a table. */
const PATH_LENGTH = { besideAnother: 38, inLine: 30, aloneInLine: 60, inTable: 80 }

/** What moved, and what AI reads mostly since this period. `site`, here and below: that pages are linked to, if any. */
export function changesSection({ pageChanges, newlyAi }: VisitorsReport, site: URL | undefined): Markdown[] {
  const figure = (page: PageVisitors): string => `${formatShare(aiShare(page))} of ${formatCount(page.total)}`
  const ofAi = pagesLine('Newly read mostly by AI', newlyAi, figure, site)
  if (pageChanges === undefined) return ofAi
  const { up, down, added, gone } = pageChanges
  const moved = [
    ...upAndDown(up, down, site),
    ...pagesLine('New', added, ({ total }) => formatCount(total), site),
    ...pagesLine('Gone', gone, ({ previous }) => formatCount(previous), site),
  ]
  const head = moved.length === 0 ? md`**What moved:** Nothing moved beyond the usual.` : md`**What moved**`
  return [head, ...moved, ...ofAi]
}

function upAndDown(up: readonly PageChange[], down: readonly PageChange[], site: URL | undefined) {
  const sides = [up, down].filter(({ length }) => length > 0)
  if (sides.length === 0) return []
  const columns = sides.map((pages) => [
    ...pages.slice(0, MAX_NAMED).map(({ path, total, previous, change }) => {
      const figure = `${signed(total - previous, formatCount)} (${formatChange(change)})`
      return [pageName(path, site, PATH_LENGTH.besideAnother), figure]
    }),
    ...(pages.length > MAX_NAMED ? [[`and ${formatCount(pages.length - MAX_NAMED)} more`, '']] : []),
  ])
  const longest = Math.max(...columns.map(({ length }) => length))
  const rows = Array.from({ length: longest }, (_, row) => columns.flatMap((cells) => cells[row] ?? ['', '']))
  const head = sides.flatMap((pages) => [pages === up ? 'Up' : 'Down', ''])
  return [rawTable(head, rows, 'lr'.repeat(sides.length))]
}

function pagesLine<T extends { readonly path: string }>(
  title: string,
  pages: readonly T[],
  figure: (page: T) => string,
  site: URL | undefined,
): Markdown[] {
  if (pages.length === 0) return []
  const named = pages
    .slice(0, MAX_NAMED)
    .map((page) => md`${pageName(page.path, site, PATH_LENGTH.inLine)} ${Markdown.raw(figure(page))}`)
  if (pages.length > MAX_NAMED) named.push(md`and ${formatCount(pages.length - MAX_NAMED)} more`)
  return [md`**${title}:** ${joinMarkdown(named, ' · ')}`]
}

export function pagesSection({ top, pages, comparable }: VisitorsReport, site: URL | undefined): Markdown {
  if (pages.length === 0) return details('Top pages', md`No page had a visitor.`)
  const isCompared = comparable.length > 0
  const rows = top.map(({ path, human, ai, total, change }, index) => [
    String(index + 1),
    pageName(path, site, PATH_LENGTH.inTable),
    formatCount(human),
    formatCount(ai),
    `**${formatCount(total)}**`,
    ...(isCompared ? [formatChange(change)] : []),
  ])
  const head = ['', 'Page', 'People', 'AI', 'All', ...(isCompared ? ['Change'] : [])]
  const title = `Top pages: ${formatCount(top.length)} of ${formatCount(pages.length)}`
  return details(title, rawTable(head, rows, `rlrrr${isCompared ? 'r' : ''}`))
}

/** The pages that AI reads mostly, now as before; nothing if there are none. */
export function stillAiSection({ stillAi }: VisitorsReport, site: URL | undefined): Markdown[] {
  if (stillAi.length === 0) return []
  const rows = stillAi.slice(0, MAX_LISTED).map((page) => {
    const figures = [formatCount(page.ai), formatCount(page.total), formatShare(aiShare(page))]
    return [pageName(page.path, site, PATH_LENGTH.inTable), ...figures]
  })
  const more = stillAi.length - MAX_LISTED
  if (more > 0) rows.push([`and ${formatCount(more)} more`, '', '', ''])
  const title = `Read mostly by AI: ${formatCount(stillAi.length)}`
  return [details(title, rawTable(['Page', 'AI', 'All', 'AI share'], rows, 'lrrr'))]
}

/** What readers missed: what is shown at once, and what is folded. */
export function missedSections({ items, notes, hasRows }: Missed, site: URL | undefined) {
  const lines = items.map((item) => md`- ${missedName(item[0], site)}: ${missedFigures(item)}`)
  if (lines.length === 0 && hasRows) lines.push(md`Nothing stands out.`)
  const [first, more] = [lines.slice(0, MAX_SHOWN), lines.slice(MAX_SHOWN)]
  const shown = first.length === 0 ? [] : [joinMarkdown(first, '\n')]
  if (notes.length > 0) shown.push(md`${notes.join(' ')}`)
  const title = `What readers missed: ${more.length} more`
  return { shown, folded: more.length === 0 ? [] : [details(title, joinMarkdown(more, '\n'))] }
}

function missedName({ on, name }: Signal, site: URL | undefined): Markdown {
  if (name === undefined) return md`${WITHHELD[on]}`
  if (on === 'path') return pageName(name.text, site, PATH_LENGTH.aloneInLine)
  return md`${NAMED[on]} ${code(name.text)}`
}

const NAMED = { path: 'page', search: 'search for', category: 'questions about' }
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

/** The counts of an item, each with its whole and the site's rate. */
function missedFigures(item: MissedItem): string {
  const figures = item.map(({ kind, count, of, siteRate }) => {
    const site = kind === 'search' ? 1 - siteRate : siteRate
    return `${count} of ${of} ${COUNTED[kind]}; the site: ${Math.round(site * 100)} %`
  })
  return figures.join(' · ')
}

/** The same for the agent: our words, and counts with names that no reader worded. Empty if nothing stands out. */
export function missedForAgent({ period, items }: Missed): string {
  const lines = items.flatMap((item) => {
    const [{ on, name }] = item
    if (name === undefined) return []
    return [`- ${NAMED[on]} ${on === 'path' ? name.text : `"${name.text}"`}: ${missedFigures(item)}`]
  })
  if (lines.length === 0) return ''
  return [`What readers missed, ${formatPeriod(period)}:`, AGENT_WORDS, ...lines].join('\n')
}

const AGENT_WORDS =
  'These are counts of demand, no proof of an error. Look at the page and at the code first. Change at most three pages for this list, and a page only where it lacks or misstates something. Add nothing that the repository does not hold. Say in the pull request which item led to which change.'

/** How to read the list, as sentences. */
export const MISSED_FACTS = [
  `What readers missed, in the ${SIGNALS_DAYS} days before today: pages rated worse than the site beyond chance; searches that led to a click less than half as often; ${MIN_QUESTIONS} or more questions without an answer.`,
  'Votes, searches and questions need no login, so only counts are shown, and names by strict rules.',
]

/** The lines of the chart. Each colour has a contrast of 3:1 or more to GitHub's light and dark pages. */
const LINES = [
  { title: 'All', name: 'all visitors (blue)', color: '#2f81f7', of: ({ total }: Counts) => total },
  { title: 'People', name: 'people (grey)', color: '#7d8590', of: ({ human }: Counts) => human },
  { title: 'AI', name: 'AI (orange)', color: '#d1570a', of: ({ ai }: Counts) => ai },
]
const COLORS = {
  backgroundColor: 'transparent',
  plotColorPalette: LINES.map(({ color }) => color).join(', '),
}
const OPTIONS = { xyChart: { width: 720, height: 260 }, themeVariables: { xyChart: COLORS } }

/** Characters that fit under the chart side by side. */
const MAX_NAMES_LENGTH = 72

/**
 * The periods as a chart that GitHub draws, and what its lines are: new versions of Mermaid show a legend, older ones
 * do not. The source has numbers and names of our own making, and keeps to what Mermaid 10.9 draws already.
 */
export function trendChart(trend: readonly PeriodTotals[]): Markdown[] {
  const latest = trend.at(-1)?.totals
  if (latest === undefined) return []
  const most = Math.max(1, ...trend.flatMap(({ totals }) => LINES.map(({ of }) => of(totals))))
  const source = [
    `%%{init: ${JSON.stringify(OPTIONS)}}%%`,
    'xychart-beta',
    `  x-axis [${axisNames(trend).join(', ')}]`,
    `  y-axis "Visitors" 0 --> ${Math.ceil(most * 1.05)}`,
    ...LINES.map(
      ({ title, of }) => `  line "${title}" [${trend.map(({ totals }) => of(totals)).join(', ')}]`,
    ),
  ]
  const fromTop = LINES.toSorted((left, right) => right.of(latest) - left.of(latest))
  return [
    codeBlock(source.join('\n'), 'mermaid'),
    md`Lines, at their right end from top to bottom: ${listOf(fromTop.map(({ name }) => name))}.`,
  ]
}

/** Names of the periods: as many as fit, the last one among them. Mermaid needs the others to differ, so they are invisible. */
function axisNames(trend: readonly PeriodTotals[]): string[] {
  const names = shortNames(trend.map(({ period }) => period))
  const longest = Math.max(...names.map((name) => name.length))
  const step = Math.ceil((names.length * (longest + 3)) / MAX_NAMES_LENGTH)
  return names.map((name, index) => {
    const isShown = (names.length - 1 - index) % step === 0
    return `"${isShown ? name : '\u200C'.repeat(index + 1)}"`
  })
}
