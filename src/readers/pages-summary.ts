import { codeBlock, details, joinMarkdown, Markdown, md } from '../lib/markdown.ts'
import type { Counts, PageVisitors } from '../service/analytics.ts'
import { aiShare, MAX_NAMED, type PageChange, type PageChanges } from './changes.ts'
import {
  formatChange,
  formatCount,
  formatDifference,
  formatShare,
  listOf,
  pageName,
  rawTable,
} from './format.ts'
import { shortNames } from './period.ts'
import type { PeriodTotals } from './read.ts'
import type { VisitorsReport } from './report.ts'

/** Pages that AI reads mostly, below the first screen. */
const MAX_LISTED = 20

/** Maximum number of characters of a path: with two of them side by side, in a line of five, and in a table. */
const PATH_LENGTH = { besideAnother: 38, inLine: 30, inTable: 80 }

/** The site that pages are linked to, if any. */
type Site = URL | undefined

export function changesSection({ up, down, added, gone }: PageChanges, site: Site): Markdown[] {
  if ([up, down, added, gone].every(({ length }) => length === 0)) {
    return [md`**What moved:** Nothing moved beyond the usual.`]
  }
  return [
    md`**What moved**`,
    ...upAndDown(up, down, site),
    ...pagesLine('New', added, ({ total }) => formatCount(total), site),
    ...pagesLine('Gone', gone, ({ previous }) => formatCount(previous), site),
  ]
}

function upAndDown(up: readonly PageChange[], down: readonly PageChange[], site: Site): Markdown[] {
  const sides = [up, down].filter(({ length }) => length > 0)
  if (sides.length === 0) return []
  const columns = sides.map((pages) => [
    ...pages.slice(0, MAX_NAMED).map(({ path, total, previous, change }) => {
      const figure = `${formatDifference(total - previous)} (${formatChange(change)})`
      return [pageName(path, site, PATH_LENGTH.besideAnother), figure]
    }),
    ...(pages.length > MAX_NAMED ? [[`and ${formatCount(pages.length - MAX_NAMED)} more`, '']] : []),
  ])
  const longest = Math.max(...columns.map(({ length }) => length))
  const rows = Array.from({ length: longest }, (_, row) => columns.flatMap((cells) => cells[row] ?? ['', '']))
  const head = sides.flatMap((pages) => [pages === up ? 'Up' : 'Down', ''])
  return [rawTable(head, rows, 'lr'.repeat(sides.length))]
}

/** The pages that AI reads mostly since this period. */
export function newlyAiLine({ newlyAi }: VisitorsReport, site: Site): Markdown[] {
  const figure = (page: PageVisitors): string => `${formatShare(aiShare(page))} of ${formatCount(page.total)}`
  return pagesLine('Newly read mostly by AI', newlyAi, figure, site)
}

function pagesLine<T extends { readonly path: string }>(
  title: string,
  pages: readonly T[],
  figure: (page: T) => string,
  site: Site,
): Markdown[] {
  if (pages.length === 0) return []
  const more = pages.length - MAX_NAMED
  const named = pages
    .slice(0, MAX_NAMED)
    .map((page) => md`${pageName(page.path, site, PATH_LENGTH.inLine)} ${Markdown.raw(figure(page))}`)
  if (more > 0) named.push(md`and ${formatCount(more)} more`)
  return [md`**${title}:** ${joinMarkdown(named, ' · ')}`]
}

export function pagesSection({ top, pages, comparable }: VisitorsReport, site: Site): Markdown {
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
export function stillAiSection({ stillAi }: VisitorsReport, site: Site): Markdown[] {
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
  const most = Math.max(1, ...trend.flatMap(({ totals }) => LINES.map(({ of }) => of(totals))))
  const lines = LINES.map(
    ({ title, of }) => `  line "${title}" [${trend.map(({ totals }) => of(totals)).join(', ')}]`,
  )
  const source = [
    `%%{init: ${JSON.stringify(OPTIONS)}}%%`,
    'xychart-beta',
    `  x-axis [${axisNames(trend).join(', ')}]`,
    `  y-axis "Visitors" 0 --> ${Math.ceil(most * 1.05)}`,
    ...lines,
  ]
  const latest = trend.at(-1)?.totals
  const fromTop = LINES.toSorted((left, right) => (latest ? right.of(latest) - left.of(latest) : 0))
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
