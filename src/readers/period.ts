import type { PeriodDate } from '../inputs/formats.ts'
import type { Dates } from '../service/analytics.ts'

/** A span of time; `to` is exclusive. */
export type Period = { readonly from: PeriodDate; readonly to: PeriodDate }

/** A day in milliseconds. UTC has no other. */
export const DAY_MS = 86_400_000

/** A number of full UTC days, up to the day that a moment (milliseconds since the epoch) lies in. */
export function fullDaysBefore(nowMs: number, days: number): Period {
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS
  return { from: periodDate(todayMs - days * DAY_MS), to: periodDate(todayMs) }
}

/** The periods before one: each as long as it, each ending where the later one begins, the latest first. */
export function periodsBefore({ from, to }: Period, count: number): Period[] {
  const lengthMs = to.ms - from.ms
  return Array.from({ length: count }, (_, index) => ({
    from: periodDate(from.ms - (index + 1) * lengthMs),
    to: index === 0 ? from : periodDate(from.ms - index * lengthMs),
  }))
}

/** A period as the service is asked for it. */
export function datesOf({ from, to }: Period): Dates {
  return { dateFrom: from.text, dateTo: to.text }
}

/** The days that a period touches, as YYYY-MM-DD; `to` is exclusive. */
export function daysOf({ from, to }: Period): { readonly from: string; readonly to: string } {
  return { from: isoDay(from.ms), to: isoDay(Math.ceil(to.ms / DAY_MS) * DAY_MS) }
}

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
  const forms = [...(spanMs < 365 * DAY_MS ? [dayAndMonth] : []), dayAndYear, dayAndTime, isoText]
  const tried = forms.map((form) => begins.map(form))
  return tried.find((names) => new Set(names).size === names.length) ?? []
}

/** A period's length in whole days; `undefined` if it does not begin and end at midnight (UTC). */
function wholeDays({ from, to }: Period): number | undefined {
  if (from.ms % DAY_MS !== 0 || to.ms % DAY_MS !== 0) return undefined
  return (to.ms - from.ms) / DAY_MS
}

function periodDate(ms: number): PeriodDate {
  return { ms, text: isoText(ms) }
}

function isoDay(ms: number): string {
  return new Date(ms).toISOString().replace(/T.*/, '')
}

function dayAndTime(ms: number): string {
  return `${dayAndYear(ms)} ${new Date(ms).toISOString().replace(/^.*T(\d\d:\d\d).*/, '$1')}`
}

function dayAndMonth(ms: number): string {
  return dayAndYear(ms).slice(0, -5)
}

// `Intl` says the same, but its words change with the data that a machine has.
function dayAndYear(ms: number): string {
  return new Date(ms).toUTCString().replace(/^\w+, 0?(\d+ \w+ \d+).*/, '$1')
}
