import type { PeriodDate } from '../inputs/formats.ts'
import { code, link, MAX_LINK_LENGTH, Markdown, md, type Row, table } from '../lib/markdown.ts'

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

/** A share from 0 to 1: `29.6 %`; without a decimal from 100 % on. Figures of a table break at no space. */
export function formatShare(share: number): string {
  const percent = share * 100
  return `${percent < 100 ? percent.toFixed(1) : formatCount(Math.round(percent))}\u00A0%`
}

/** How a number changed: percent with one decimal, `new` from zero to something, `unknown` if one side is. */
export type Change = number | 'new' | 'unknown'

/** A change for a table: `+8.3 %`, `−3.0 %`, `0.0 %`, `new`, `–`. */
export function formatChange(change: Change): string {
  if (change === 'unknown') return '–'
  if (change === 'new') return 'new'
  return signed(change / 100, formatShare)
}

/** A difference of two shares: `+0.4 points`. */
export function formatPoints(difference: number): string {
  return signed(Math.round(difference * 1000) / 10, (points) => `${points.toFixed(1)}\u00A0points`)
}

/** A difference, such as `+312` or `−96`. */
export function signed(value: number, format: (size: number) => string): string {
  const sign = value > 0 ? '+' : '−'
  return `${value === 0 ? '' : sign}${format(Math.abs(value))}`
}

/** A span of time; `to` is exclusive. */
export type Period = { readonly from: PeriodDate; readonly to: PeriodDate }

/** A day in milliseconds. UTC has no other. */
export const DAY_MS = 86_400_000

/** A moment as YYYY-MM-DD, or with its time in UTC where it is not midnight. */
export function isoText(ms: number): string {
  return ms % DAY_MS === 0 ? isoDay(ms) : new Date(ms).toISOString()
}

/** A period for people: `27 Jul – 2 Aug 2026`, its last day included; with times where it has any. */
export function formatPeriod(period: Period): string {
  const { from, to } = period
  if (wholeDays(period) === undefined) return `${dayAndTime(from.ms)} – ${dayAndTime(to.ms)}`
  const [first, last] = [dayAndYear(from.ms), dayAndYear(to.ms - DAY_MS)]
  if (first === last) return last
  // What both have in common is said once: the year, or the month and the year.
  const common = [/ \w+ \d+$/, / \d+$/].find((end) => end.exec(first)?.[0] === end.exec(last)?.[0])
  return `${common === undefined ? first : first.replace(common, '')} – ${last}`
}

/** What periods of this length are called: `week` and `weeks`, `period of 30 days` and `periods of 30 days`. */
export function periodName(period: Period, count: number): string {
  const s = count === 1 ? '' : 's'
  const days = wholeDays(period)
  if (days === undefined) return `period${s}`
  if (days === 7) return `week${s}`
  return days === 1 ? `day${s}` : `period${s} of ${days} days`
}

/** A short name for each period by its beginning, no two of them the same; with its year where they span a year. */
export function shortNames(periods: readonly Period[]): string[] {
  const begins = periods.map(({ from }) => from.ms)
  const spanMs = Math.max(...begins) - Math.min(...begins)
  const dayAndMonth = (ms: number): string => dayAndYear(ms).slice(0, -5)
  const forms = [...(spanMs < 365 * DAY_MS ? [dayAndMonth] : []), dayAndYear, dayAndTime, isoText]
  const tried = forms.map((form) => begins.map(form))
  return tried.find((names) => new Set(names).size === names.length) ?? []
}

/** A period's length in whole days; `undefined` if it does not begin and end at midnight (UTC). */
function wholeDays({ from, to }: Period): number | undefined {
  if (from.ms % DAY_MS !== 0 || to.ms % DAY_MS !== 0) return undefined
  return (to.ms - from.ms) / DAY_MS
}

export function isoDay(ms: number): string {
  return new Date(ms).toISOString().replace(/T.*/, '')
}

function dayAndTime(ms: number): string {
  return `${dayAndYear(ms)} ${new Date(ms).toISOString().replace(/^.*T(\d\d:\d\d).*/, '$1')}`
}

// `Intl` says the same, but its words change with the data that a machine has.
function dayAndYear(ms: number): string {
  return new Date(ms).toUTCString().replace(/^\w+, 0?(\d+ \w+ \d+).*/, '$1')
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
