import type { Row } from '../lib/markdown.ts'
import { code, details, joinMarkdown, link, MAX_LINK_LENGTH, Markdown, md, table } from '../lib/markdown.ts'
import type { PageVisitors } from '../service/analytics.ts'
import { formatChange, formatCount, formatShare, signed } from './format.ts'
import { aiShare, MAX_MOVED, MAX_NAMED, type PageChange } from './page-changes.ts'
import type { VisitorsReport } from './visitors.ts'

/** Pages that AI reads mostly, below the first screen. */
const MAX_LISTED = 20

/** Maximum number of characters of a path: on the first screen, in a folded table. */
const PATH_LENGTH = { first: 34, inTable: 80 }

/** What moved, and what AI reads mostly since this period. `site`, here and below: that pages are linked to, if any. */
export function changesSection(
  { pageChanges, newAiHeavyPages }: VisitorsReport,
  site: URL | undefined,
): Markdown[] {
  const figure = (page: PageVisitors): string => `${formatShare(aiShare(page))} of ${formatCount(page.total)}`
  const newlyByAi = pagesLine('Newly read mostly by AI', newAiHeavyPages, figure, site)
  if (pageChanges === undefined) return newlyByAi
  const { up, down, added, gone } = pageChanges
  const moved = [
    ...changesTable('Up', up, site),
    ...changesTable('Down', down, site),
    ...pagesLine('New', added, ({ total }) => formatCount(total), site),
    ...pagesLine('Gone', gone, ({ previous }) => formatCount(previous), site),
  ]
  const head = moved.length === 0 ? md`**What moved:** Nothing moved beyond the usual.` : md`**What moved**`
  return [head, ...moved, ...newlyByAi]
}

function changesTable(title: string, pages: readonly PageChange[], site: URL | undefined): Markdown[] {
  if (pages.length === 0) return []
  const rows: Row[] = pages.slice(0, MAX_MOVED).map(({ path, total, previous, change }) => {
    const figure = `${signed(total - previous, formatCount)} (${formatChange(change)})`
    return [pageName(path, site, PATH_LENGTH.first), figure]
  })
  return [rawTable([title, ''], [...rows, ...moreRow(pages.length - MAX_MOVED, 2)], 'lr')]
}

function moreRow(count: number, columns: number): Row[] {
  return count > 0 ? [[`and ${formatCount(count)} more`, ...new Array(columns - 1).fill('')]] : []
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
    .map((page) => md`${pageName(page.path, site, PATH_LENGTH.first)} ${Markdown.raw(figure(page))}`)
  if (pages.length > MAX_NAMED) named.push(md`and ${formatCount(pages.length - MAX_NAMED)} more`)
  return [md`**${title}:** ${joinMarkdown(named, ' · ')}`]
}

export function topPagesSection(
  { top, pages, comparable, isComplete }: VisitorsReport,
  site: URL | undefined,
): Markdown {
  const none = isComplete ? 'No page had a visitor.' : 'No page could be read.'
  if (pages.length === 0) return details('Top pages', md`${none}`)
  // Without a comparison, no column for the change.
  const columns = comparable.length > 0 ? 6 : 5
  const rows = top.map(({ path, human, ai, total, change }, index) => {
    const name = pageName(path, site, PATH_LENGTH.inTable)
    const counts = [formatCount(human), formatCount(ai), `**${formatCount(total)}**`]
    return [String(index + 1), name, ...counts, formatChange(change)].slice(0, columns)
  })
  const head = ['', 'Page', 'People', 'AI', 'All', 'Change'].slice(0, columns)
  const title = `Top pages: ${formatCount(top.length)} of ${formatCount(pages.length)}`
  return details(title, rawTable(head, rows, 'rlrrrr'.slice(0, columns)))
}

/** The pages that AI reads mostly, but not newly beyond chance; nothing if there are none. */
export function aiHeavySection(
  { otherAiHeavyPages: pages }: VisitorsReport,
  site: URL | undefined,
): Markdown[] {
  if (pages.length === 0) return []
  const rows: Row[] = pages.slice(0, MAX_LISTED).map((page) => {
    const name = pageName(page.path, site, PATH_LENGTH.inTable)
    return [name, formatCount(page.ai), formatCount(page.total), formatShare(aiShare(page))]
  })
  const all = [...rows, ...moreRow(pages.length - MAX_LISTED, 4)]
  const title = `Read mostly by AI: ${formatCount(pages.length)}`
  return [details(title, rawTable(['Page', 'AI', 'All', 'AI share'], all, 'lrrr'))]
}

/** A table whose texts are ours; what is not is Markdown already. */
export function rawTable(head: Row, rows: readonly Row[], align: string): Markdown {
  const raw = (row: Row): Row => row.map((cell) => (typeof cell === 'string' ? Markdown.raw(cell) : cell))
  return table(raw(head), rows.map(raw), align)
}

/** A page by its path, as code; a link, if the site is known. The middle of a path beyond `maxLength` is left out. */
export function pageName(path: string, site: URL | undefined, maxLength: number): Markdown {
  const shown = code(shorten(path, maxLength))
  const label = shown.source === '' ? md`(a path that can't be shown)` : shown
  const url = site && pageUrl(path, site)
  return url === undefined || url.length > MAX_LINK_LENGTH ? label : link(label, url)
}

function shorten(path: string, maxLength: number): string {
  if (path.length <= maxLength) return path
  // The end of a path says more than its beginning.
  const start = Math.floor(maxLength / 3)
  return `${path.slice(0, start)}…${path.slice(start - maxLength + 1)}`.toWellFormed()
}

/** The address of a page; `undefined` for a path that would lead elsewhere than below the site's own. */
export function pageUrl(path: string, site: URL): string | undefined {
  const prefix = site.pathname.replace(/\/+$/, '')
  const segments = path.replace(/^\//, '').split('/')
  if (segments.some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) return undefined
  // What is encoded already stays as it is.
  const encoded = segments.map((segment) =>
    encodeURIComponent(segment.toWellFormed()).replace(/%25(?=[0-9a-f]{2})/gi, '%'),
  )
  return `${site.origin}${prefix}/${encoded.join('/')}`
}
