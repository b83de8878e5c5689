const DAY_MS = 86_400_000
const FIRST_DAY_MS = Date.UTC(2024, 0, 1)
const DATE = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/

/** The parameters of the visitors call: a period (epoch milliseconds, `toMs` exclusive) and the rows wanted. */
export type VisitorsQuery = { fromMs: number; toMs: number; limit: number; offset: number }

/** A query, or everything that is wrong with its parameters. */
export type QueryReading = { ok: true; query: VisitorsQuery } | { ok: false; problems: string[] }

/**
 * Reads the parameters of the visitors call. Without `dateFrom` the period begins with the site (2024), without
 * `dateTo` it ends with today (UTC). Parameters it does not know are ignored.
 */
export function readVisitorsQuery(parameters: Record<string, string>, nowMs: number): QueryReading {
  const problems: string[] = []
  const date = (name: string, missing: number): number => {
    const value = parameters[name]
    const read = value === undefined ? missing : instantOf(value)
    if (read === undefined) problems.push(`${name} must be a date as YYYY-MM-DD or ISO 8601`)
    return read ?? Number.NaN
  }
  const count = (
    name: string,
    { missing, minimum, maximum }: { missing: number; minimum: number; maximum: number },
  ) => {
    const value = parameters[name] ?? String(missing)
    const read = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    const fits = read >= minimum && read <= maximum
    if (!fits)
      problems.push(
        `${name} must be a whole number from ${minimum}${maximum < Number.MAX_SAFE_INTEGER ? ` to ${maximum}` : ''}`,
      )
    return read
  }
  const query: VisitorsQuery = {
    fromMs: date('dateFrom', FIRST_DAY_MS),
    toMs: date('dateTo', (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS),
    limit: count('limit', { missing: 50, minimum: 1, maximum: 250 }),
    offset: count('offset', { missing: 0, minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  }
  if (query.fromMs > query.toMs) problems.push('dateFrom must not be after dateTo')
  return problems.length > 0 ? { ok: false, problems } : { ok: true, query }
}

/** A date is its first moment in UTC; a time without an offset is UTC. */
function instantOf(text: string): number | undefined {
  const [, day = '', offset] = DATE.exec(text) ?? []
  if (!isCalendarDay(day)) return undefined
  const ms = Date.parse(text.includes('T') && offset === undefined ? `${text}Z` : text)
  return Number.isNaN(ms) ? undefined : ms
}

/** `Date.parse` rolls 30 February over into March. */
function isCalendarDay(day: string): boolean {
  const ms = Date.parse(day)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day)
}
