import { details, joinMarkdown, Markdown, md } from '../lib/markdown.ts'
import type { PageVisitors } from '../service/analytics.ts'
import { aiShare } from './compare.ts'
import { formatChange, formatCount, formatDifference, formatShare, pageName, rawTable } from './format.ts'
import { MAX_NAMED, type PageChange, type PageChanges } from './page-changes.ts'
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
  const sides = [
    { name: 'Up', pages: up },
    { name: 'Down', pages: down },
  ].filter(({ pages }) => pages.length > 0)
  if (sides.length === 0) return []
  const columns = sides.map(({ pages }) => [
    ...pages
      .slice(0, MAX_NAMED)
      .map(({ path, total, previous, change }) => [
        pageName(path, site, PATH_LENGTH.besideAnother),
        `${formatDifference(total - previous)} (${formatChange(change)})`,
      ]),
    ...(pages.length > MAX_NAMED ? [[`and ${formatCount(pages.length - MAX_NAMED)} more`, '']] : []),
  ])
  const longest = Math.max(...columns.map(({ length }) => length))
  const rows = Array.from({ length: longest }, (_, row) => columns.flatMap((cells) => cells[row] ?? ['', '']))
  const head = sides.flatMap(({ name }) => [name, ''])
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
  const rows = stillAi
    .slice(0, MAX_LISTED)
    .map((page) => [
      pageName(page.path, site, PATH_LENGTH.inTable),
      formatCount(page.ai),
      formatCount(page.total),
      formatShare(aiShare(page)),
    ])
  const more = stillAi.length - MAX_LISTED
  if (more > 0) rows.push([`and ${formatCount(more)} more`, '', '', ''])
  const title = `Read mostly by AI: ${formatCount(stillAi.length)}`
  return [details(title, rawTable(['Page', 'AI', 'All', 'AI share'], rows, 'lrrr'))]
}
