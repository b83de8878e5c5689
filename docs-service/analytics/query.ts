import type { CallName } from '../http.ts'

export type AnalyticsCall = Exclude<CallName, 'create' | 'look' | 'message'>

/** What an analytics call asks for: a period (epoch milliseconds, `toMs` exclusive) and the rows wanted. */
export type AnalyticsQuery = {
  readonly fromMs: number
  readonly toMs: number
  readonly limit: number
  /** Rows to skip, from `offset` or `cursor`. */
  readonly offset: number
}

const LIMITS: Readonly<
  Record<AnalyticsCall, { readonly usual: number; readonly maximum: number }>
> = {
  visitors: { usual: 50, maximum: 250 },
  feedback: { usual: 10, maximum: 100 },
  assistant: { usual: 100, maximum: 1000 },
}
const DAY_MS = 86_400_000
const FIRST_DAY_MS = Date.UTC(2024, 0, 1)

/**
 * Reads the parameters of a call. Without `dateFrom` the period begins with the site (2024), without `dateTo` it ends
 * with today (UTC). Unknown parameters are ignored.
 */
export function readQuery(
  call: AnalyticsCall,
  parameters: Readonly<Record<string, string>>,
  nowMs: number,
): { readonly query: AnalyticsQuery; readonly problems: readonly string[] } {
  const problems: string[] = []
  const date = (name: string, missing: number): number => {
    const read = parameters[name] === undefined ? missing : dayOf(parameters[name])
    if (read === undefined) problems.push(`${name} must be a date as YYYY-MM-DD`)
    return read ?? Number.NaN
  }
  const count = (name: string, text: string, minimum: number, maximum: number): number => {
    const fits = /^\d{1,9}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
    if (!fits) problems.push(`${name} must be a whole number from ${minimum} to ${maximum}`)
    return Number(text)
  }
  const { usual, maximum } = LIMITS[call]
  const { limit = String(usual), offset = '0', cursor = cursorAt(0) } = parameters
  const skipped = /^row-(\d{1,9})$/.exec(cursor)?.[1]
  const isPaged = call === 'assistant'
  if (isPaged && skipped === undefined)
    problems.push('cursor must be the nextCursor of an earlier answer')
  const query = {
    fromMs: date('dateFrom', FIRST_DAY_MS),
    toMs: date('dateTo', (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS),
    limit: count('limit', limit, 1, maximum),
    offset:
      call === 'visitors' ? count('offset', offset, 0, 999_999_999) : Number(isPaged ? skipped : 0),
  }
  if (query.fromMs > query.toMs) problems.push('dateFrom must not be after dateTo')
  return { query, problems }
}

/** The cursor of an answer's next page. */
export function cursorAt(row: number): string {
  return `row-${row}`
}

/** The first moment of a date in UTC. */
function dayOf(text: string): number | undefined {
  const ms = Date.parse(text)
  // `Date.parse` also reads other forms, and 30 February as a day of March.
  const isDay = !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === text
  return isDay ? ms : undefined
}
