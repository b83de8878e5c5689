import { isRecord } from '../lib/json.ts'
import type { DocsService } from './docs-service.ts'
import { projectNotFound, type ServiceCall } from './service-call.ts'
import { InvalidResponseError } from './service-error.ts'

/**
 * Unique visitors. `total` counts those who came as a human and through an AI tool once, so it is not `human + ai`,
 * and counts of pages or of periods do not add up to those of the whole.
 */
export type Counts = { readonly human: number; readonly ai: number; readonly total: number }

/** The visitors of one page of the site. */
export type PageVisitors = Counts & { readonly path: string }

/** One answer: some of a period's rows, in no promised order. */
export type VisitorsAnswer = {
  /** Of the whole site in the whole period, whatever rows come with them. */
  readonly totals: Counts
  readonly rows: readonly PageVisitors[]
  /** Whether the service has rows past these. */
  readonly hasMore: boolean
}

/** Which rows of which period. */
export type VisitorsQuery = {
  /** YYYY-MM-DD or ISO 8601. */
  readonly dateFrom: string
  /** The same; exclusive. */
  readonly dateTo: string
  /** 1 to `MOST_ROWS`. */
  readonly limit: number
  /** Rows to skip. */
  readonly offset: number
}

/** Most rows that one answer holds. Source: the specification. */
export const MOST_ROWS = 250

/**
 * Asks for one page of a period's visitors, once: `GET /v1/analytics/{projectId}/visitors`.
 *
 * @throws {ServiceError} the service refused or failed
 * @throws {InvalidResponseError} the answer is not of the documented shape
 * @throws {TransportError} no whole answer came
 */
export async function askForVisitors(
  service: DocsService,
  query: VisitorsQuery,
  signal?: AbortSignal,
): Promise<VisitorsAnswer> {
  const { dateFrom, dateTo, limit, offset } = query
  const call: ServiceCall = {
    method: 'GET',
    path: ['v1', 'analytics', service.projectId, 'visitors'],
    query: { dateFrom, dateTo, limit: String(limit), offset: String(offset) },
    purpose: 'list the visitors',
    notFound: projectNotFound(service.projectId),
    limit: '100 analytics requests an hour, shared by all of the organisation',
  }
  const answer = await service.send(call, signal)
  const read = readVisitorsAnswer(answer.json)
  if (typeof read !== 'string') return read
  throw new InvalidResponseError(call, answer, ...(answer.json === undefined ? [] : [wrongShape(read)]))
}

/** Reads an answer; what is wrong with it, in words, if it is not of the documented shape. */
export function readVisitorsAnswer(value: unknown): VisitorsAnswer | string {
  if (!isRecord(value)) return 'it is no object'
  const { totals, visitors, hasMore } = value
  if (!isCounts(totals)) return '`totals` does not hold whole numbers for human, ai and total'
  if (typeof hasMore !== 'boolean') return '`hasMore` is neither true nor false'
  if (!Array.isArray(visitors)) return '`visitors` is no list'
  const rows: readonly unknown[] = visitors
  if (rows.every(isPageVisitors)) return { totals, rows, hasMore }
  const wrong = rows.findIndex((row) => !isPageVisitors(row))
  return `row ${wrong + 1} of \`visitors\` is no path with whole numbers for human, ai and total`
}

// Rows are checked and not copied: there may be a million of them.
function isPageVisitors(value: unknown): value is PageVisitors {
  return isRecord(value) && typeof value['path'] === 'string' && isCounts(value)
}

function isCounts(value: unknown): value is Counts {
  return isRecord(value) && isCount(value['human']) && isCount(value['ai']) && isCount(value['total'])
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function wrongShape(problem: string): string {
  return `JSON of another shape than documented: ${problem}`
}
