import { code, link, MAX_LINK_LENGTH, Markdown, md, type Row, table } from '../lib/markdown.ts'
import type { Change } from './changes.ts'

/** A count for people: `12,480`. */
export function formatCount(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** A count with its noun: `1 visitor`, `12,480 visitors`. */
export function countOf(value: number, noun: string): string {
  return `${formatCount(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** `a`, `a and b`, `a, b and c`. */
export function listOf(items: readonly string[]): string {
  const last = items.at(-1) ?? ''
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`
}

/** Percent for people: `8.3 %`; without a decimal from a hundred on. Figures of a table break at no space. */
function formatPercent(value: number): string {
  return `${Math.abs(value) < 100 ? value.toFixed(1) : formatCount(Math.round(value))}\u00A0%`
}

/** A share from 0 to 1: `29.6 %`, `100 %`. */
export function formatShare(share: number): string {
  return formatPercent(share * 100)
}

/** A change for a table: `+8.3 %`, `−3.0 %`, `0.0 %`, `new`, `–`. */
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
  return `${signOf(points)}${Math.abs(points).toFixed(1)}\u00A0points`
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

function signOf(value: number): string {
  if (value === 0) return ''
  return value > 0 ? '+' : '−'
}
