import { code, link, MAX_LINK_LENGTH, Markdown, md, table } from '../lib/markdown.ts'
import type { Change, Range } from './compare.ts'

/** A count for people: `12,480`. */
export function formatCount(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** A count with its noun: `1 visitor`, `12,480 visitors`. */
export function countOf(value: number, thing: string): string {
  return `${formatCount(value)} ${thing}${value === 1 ? '' : 's'}`
}

/** Percent for people: `8.3%`; without a decimal from a hundred on. */
export function formatPercent(value: number): string {
  return `${Math.abs(value) < 100 ? value.toFixed(1) : formatCount(Math.round(value))}%`
}

/** A share from 0 to 1: `29.6%`, `100%`. */
export function formatShare(share: number): string {
  return formatPercent(share * 100)
}

/** A change for a table: `+8.3%`, `−3.0%`, `0.0%`, `new`, `–`. */
export function formatChange(change: Change): string {
  if (change === 'unknown') return '–'
  if (change === 'new') return 'new'
  return `${signOf(change)}${formatPercent(Math.abs(change))}`
}

/** A difference of two counts: `+312`, `−96`. */
export function formatDifference(value: number): string {
  return `${signOf(value)}${formatCount(Math.abs(value))}`
}

/** A difference of two shares: `+0.4 points`. */
export function formatPoints(difference: number): string {
  const points = Math.round(difference * 1000) / 10
  return `${signOf(points)}${Math.abs(points).toFixed(1)} points`
}

/** The whole numbers of a range: `11,350 – 12,900`. */
export function formatRange({ low, high }: Range): string {
  const [first, last] = [formatCount(Math.ceil(low)), formatCount(Math.floor(high))]
  return first === last ? first : `${first} – ${last}`
}

const BARS = '▁▂▃▄▅▆▇█'

/** Values as one bar each. The lowest bar is three quarters of the highest or less, so that noise stays flat. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(...values)
  const least = Math.min(...values, most * 0.75)
  const scale = most === 0 ? 0 : (BARS.length - 1) / (most - least)
  return values.map((value) => BARS[Math.round((value - least) * scale)] ?? '').join('')
}

/** Words and figures of ours as Markdown: nothing in them has to be made inert. */
export function trusted(text: string): Markdown {
  return Markdown.trusted(text)
}

/** A table whose texts are ours; what is not is Markdown already. */
export function trustedTable(
  head: readonly string[],
  rows: readonly (readonly (string | Markdown)[])[],
  align: string,
): Markdown {
  const cells = (row: readonly (string | Markdown)[]): Markdown[] =>
    row.map((cell) => (typeof cell === 'string' ? trusted(cell) : cell))
  return table(cells(head), rows.map(cells), align)
}

/** How the name of a page is shown. */
type PageNameOptions = {
  /** The site that it is linked to, if any. */
  readonly siteUrl: URL | undefined
  /** Maximum number of characters that are shown; the middle of longer paths is left out. */
  readonly maxLength: number
}

/** A page by its path, as code. */
export function pageName(path: string, { siteUrl, maxLength }: PageNameOptions): Markdown {
  const shown = code(shorten(path, maxLength))
  const label = shown.source === '' ? md`(a path that can't be shown)` : shown
  const url = siteUrl && pageUrl(path, siteUrl)
  return url === undefined || url.length > MAX_LINK_LENGTH ? label : link(label, url)
}

function shorten(path: string, maxLength: number): string {
  if (path.length <= maxLength) return path
  // The end of a path says more than its beginning.
  const start = Math.floor(maxLength / 3)
  const end = path.slice(start - maxLength + 1)
  return `${path.slice(0, start)}…${end}`.toWellFormed()
}

/** The address of a page; `undefined` for a path that would lead elsewhere than below the site's own. */
export function pageUrl(path: string, siteUrl: URL): string | undefined {
  const prefix = siteUrl.pathname.replace(/\/+$/, '')
  const segments = path.replace(/^\//, '').split('/')
  if (segments.some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) return undefined
  return `${siteUrl.origin}${prefix}/${segments.map(encodeSegment).join('/')}`
}

/** Encodes what is special in a path; what is encoded already stays as it is. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.toWellFormed()).replace(/%25(?=[0-9a-f]{2})/gi, '%')
}

function signOf(value: number): string {
  if (value === 0) return ''
  return value > 0 ? '+' : '−'
}
