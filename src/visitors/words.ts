import { code, Markdown, md, table } from '../lib/markdown.ts'
import { clip } from '../lib/text.ts'
import type { Change } from './compare.ts'
import { DAY_MS, type Period, wholeDays } from './period.ts'

/** A count for people: `12,480`. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** So many of a thing: `1 visitor`, `12,480 visitors`. */
export function countOf(value: number, thing: string): string {
  return `${count(value)} ${thing}${value === 1 ? '' : 's'}`
}

/** Percent for people: `8.3%`; without a decimal from a hundred on. */
export function percent(value: number): string {
  return `${Math.abs(value) < 100 ? value.toFixed(1) : count(Math.round(value))}%`
}

/** A change for a table: `▲ 8.3%`, `▼ 3.0%`, `new`, `–`. The sign says it without a colour. */
export function changeSign(change: Change): string {
  if (change === 'unknown') return '–'
  if (change === 'new') return 'new'
  if (change === 0) return '0.0%'
  return `${change > 0 ? '▲' : '▼'} ${percent(Math.abs(change))}`
}

/** A difference of two counts for a table: `+312`, `−96`. */
export function difference(value: number): string {
  if (value === 0) return '0'
  return `${value > 0 ? '+' : '−'}${count(Math.abs(value))}`
}

/** A period for people: `27 Jul – 2 Aug 2026`, its last day included; with times where it has any. */
export function periodInWords(period: Period): string {
  const { from, to } = period
  if (wholeDays(period) === undefined) return `${moment(from.ms)} – ${moment(to.ms)}`
  const lastMs = to.ms - DAY_MS
  if (lastMs === from.ms) return dayAndYear(lastMs)
  const [first, last] = [new Date(from.ms), new Date(lastMs)]
  const until = dayAndYear(lastMs)
  if (first.getUTCFullYear() !== last.getUTCFullYear()) return `${dayAndYear(from.ms)} – ${until}`
  return first.getUTCMonth() === last.getUTCMonth()
    ? `${first.getUTCDate()} – ${until}`
    : `${dayAndMonth(from.ms)} – ${until}`
}

/** Words and figures of ours as Markdown: nothing in them has to be made inert. */
export function ours(text: string): Markdown {
  return Markdown.trusted(text)
}

/** A table whose texts are ours; what is not is Markdown already. */
export function figures(
  head: readonly string[],
  rows: readonly (readonly (string | Markdown)[])[],
  align: string,
): Markdown {
  const cells = (row: readonly (string | Markdown)[]): Markdown[] =>
    row.map((cell) => (typeof cell === 'string' ? ours(cell) : cell))
  return table(cells(head), rows.map(cells), align)
}

/** Most characters of a page's path that are shown. */
const PATH_LENGTH = 100

/** A page by its path, as code; long ones are cut. */
export function pageName(path: string): Markdown {
  const shown = code(clip(path, PATH_LENGTH))
  return shown.source === '' ? md`(empty path)` : shown
}

/** What a period of this length is called, to follow "the" or "this": `week`, `day`, `30 days`. */
export function lengthInWords(period: Period): string {
  const days = wholeDays(period)
  if (days === undefined) return 'period'
  if (days === 7) return 'week'
  return days === 1 ? 'day' : `${days} days`
}

/** A short name for each period by its beginning, no two of them the same. */
export function shortNames(periods: readonly Period[]): string[] {
  const forms = [
    dayAndMonth,
    dayAndYear,
    (ms: number) => `${dayAndMonth(ms)} ${timeOf(ms)}`,
    moment,
    (ms: number) => new Date(ms).toISOString(),
  ]
  const tried = forms.map((form) => periods.map(({ from }) => form(from.ms)))
  return (
    tried.find((names) => new Set(names).size === names.length) ?? periods.map((_, index) => `${index + 1}`)
  )
}

function moment(ms: number): string {
  return `${dayAndYear(ms)} ${timeOf(ms)}`
}

function dayAndMonth(ms: number): string {
  return dayAndYear(ms).slice(0, -5)
}

// `Intl` says the same, but takes longer to load than all else that a short run does.
function dayAndYear(ms: number): string {
  return new Date(ms).toUTCString().replace(/^\w+, 0?(\d+ \w+ \d+).*/, '$1')
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace(/^.*T(\d\d:\d\d).*/, '$1')
}
