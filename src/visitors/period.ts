/** A moment that bounds a period. */
export type PeriodDate = {
  /** Milliseconds since the Unix epoch. */
  readonly ms: number
  /** As the service is asked: YYYY-MM-DD, or what the user gave. */
  readonly text: string
}

/** A span of time; `to` is exclusive. */
export type Period = { readonly from: PeriodDate; readonly to: PeriodDate }

/** A day in milliseconds. UTC has no other. */
export const DAY_MS = 86_400_000

/** The longest period that may be asked for, in days. */
export const LONGEST_DAYS = 366

const PATTERN = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/

/**
 * Reads YYYY-MM-DD or ISO 8601 with a time. A date is its first moment in UTC, and a time without an offset is UTC.
 *
 * @throws {RangeError} with the problem in words, if the text is anything else or no day of the calendar
 */
export function parsePeriodDate(text: string): PeriodDate {
  const [matched, day = '', offset] = PATTERN.exec(text) ?? []
  if (matched === undefined) throw new RangeError('is not a date')
  const ms = Date.parse(text.includes('T') && offset === undefined ? `${text}Z` : text)
  // Date.parse takes 30 February for a day in March.
  const dayMs = Date.parse(day)
  const exists = !Number.isNaN(dayMs) && new Date(dayMs).toISOString().startsWith(day)
  if (!exists || Number.isNaN(ms)) throw new RangeError('is no day and time of the calendar')
  return { ms, text }
}

/** The so many full UTC days before the day that a moment (milliseconds since the epoch) lies in. */
export function fullDaysBefore(nowMs: number, days: number): Period {
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS
  return { from: periodDate(todayMs - days * DAY_MS), to: periodDate(todayMs) }
}

/** Why two dates bound no period that may be asked for, to stand between the second and the first; `undefined` if they do. */
export function periodProblem({ from, to }: Period): string | undefined {
  if (from.ms >= to.ms) return 'is not after'
  if (to.ms - from.ms > LONGEST_DAYS * DAY_MS) return `is more than ${LONGEST_DAYS} days after`
  return undefined
}

/** The periods before one: each as long as it, each ending where the later one begins, the latest first. */
export function periodsBefore({ from, to }: Period, count: number): Period[] {
  const lengthMs = to.ms - from.ms
  return Array.from({ length: count }, (_, index) => ({
    from: periodDate(from.ms - (index + 1) * lengthMs),
    to: index === 0 ? from : periodDate(from.ms - index * lengthMs),
  }))
}

/** A period's length in whole days; `undefined` if it does not begin and end at midnight (UTC). */
export function wholeDays({ from, to }: Period): number | undefined {
  if (from.ms % DAY_MS !== 0 || to.ms % DAY_MS !== 0) return undefined
  return (to.ms - from.ms) / DAY_MS
}

/** The days that a period touches, as YYYY-MM-DD; `to` is exclusive. */
export function daysOf({ from, to }: Period): { readonly from: string; readonly to: string } {
  const lastMs = Math.ceil(to.ms / DAY_MS) * DAY_MS
  return { from: isoDay(from.ms), to: isoDay(lastMs) }
}

/** A moment as YYYY-MM-DD, or with its time in UTC where it is not midnight. */
export function isoText(ms: number): string {
  return ms % DAY_MS === 0 ? isoDay(ms) : new Date(ms).toISOString()
}

function periodDate(ms: number): PeriodDate {
  return { ms, text: isoText(ms) }
}

function isoDay(ms: number): string {
  return new Date(ms).toISOString().replace(/T.*/, '')
}
