/** A count for people: `12,480`. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-GB')
}

/** A count with its noun: `1 visitor`, `12,480 visitors`. */
export function countOf(value: number, noun: string): string {
  return `${formatCount(value)} ${noun}${value === 1 ? '' : 's'}`
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

/** The difference of two shares as they are shown: `+0.4 points`. */
export function formatPoints(before: number, now: number): string {
  const tenths = Math.round(now * 1000) - Math.round(before * 1000)
  return signed(tenths / 10, (points) => `${points.toFixed(1)}\u00A0points`)
}

/** A difference, such as `+312` or `−96`. */
export function signed(value: number, format: (size: number) => string): string {
  const sign = value > 0 ? '+' : '−'
  return `${value === 0 ? '' : sign}${format(Math.abs(value))}`
}

/** Whole UTC days, by the first moments of the first one and of the one after the last; milliseconds since the epoch. */
export type Period = { readonly fromMs: number; readonly toMs: number }

/** A day in milliseconds. UTC has no other. */
export const DAY_MS = 86_400_000

/** YYYY-MM-DD. */
export function isoDay(ms: number): string {
  return new Date(ms).toISOString().replace(/T.*/, '')
}

/** A period for people: `27 Jul – 2 Aug 2026`, its last day included. */
export function formatPeriod({ fromMs, toMs }: Period): string {
  const [first, last] = [dayAndYear(fromMs), dayAndYear(toMs - DAY_MS)]
  if (first === last) return last
  // What both have in common is said once: the year, or the month and the year.
  const common = [/ \w+ \d+$/, / \d+$/].find((end) => end.exec(first)?.[0] === end.exec(last)?.[0])
  return `${common === undefined ? first : first.replace(common, '')} – ${last}`
}

/** What periods of this length are called: `week` and `weeks`, `period of 30 days` and `periods of 30 days`. */
export function periodName({ fromMs, toMs }: Period, count: number): string {
  const days = (toMs - fromMs) / DAY_MS
  const s = count === 1 ? '' : 's'
  if (days === 7) return `week${s}`
  return days === 1 ? `day${s}` : `period${s} of ${days} days`
}

/** A name for each of at most 13 periods by its beginning: `12 Jan`, or `Jan ’26` where they span a year. */
export function shortNames(periods: readonly Period[]): string[] {
  const begins = periods.map(({ fromMs }) => fromMs)
  const spansYear = Math.max(...begins) - Math.min(...begins) >= 365 * DAY_MS
  const names = begins.map(dayAndYear)
  return names.map((name) =>
    spansYear ? name.replace(/^\d+ (\w+) \d\d/, '$1 ’') : name.replace(/ \d+$/, ''),
  )
}

// `Intl` says the same, but its words change with the data that a machine has.
function dayAndYear(ms: number): string {
  return new Date(ms).toUTCString().replace(/^\w+, 0?(\d+ \w+ \d+).*/, '$1')
}
