import { isRecord } from '../lib/json.ts'
import type { DocsService } from './docs-service.ts'
import { projectNotFound, type ServiceCall } from './service-call.ts'
import { InvalidResponseError } from './service-error.ts'

/**
 * Distinct visitors. `total` counts those who came as a human and through an AI tool once, so it is not `human + ai`,
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
  /** How many rows could not be understood and are not in `rows`. */
  readonly invalidRows: number
  /** Whether the service has rows past these. */
  readonly hasMore: boolean
  /** Whether the list of rows or `hasMore` was of a wrong type: there may be rows that nobody will see. */
  readonly invalid: boolean
}

/** Which rows of which period. */
export type VisitorsQuery = {
  /** YYYY-MM-DD or ISO 8601. */
  readonly dateFrom: string
  /** The same; exclusive. */
  readonly dateTo: string
  /** 1 to `MAX_ROWS`. */
  readonly limit: number
  /** Rows to skip. */
  readonly offset: number
}

/** Maximum number of rows that one answer holds. Source: the specification. */
export const MAX_ROWS = 250

/**
 * Requests one page of a period's visitors, once: `GET /v1/analytics/{projectId}/visitors`.
 *
 * @throws {ServiceError} the service refused or failed
 * @throws {InvalidResponseError} the answer has no totals that can be read
 * @throws {TransportError} no complete answer came
 */
export async function getVisitors(
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
    limit: '100 analytics requests per hour, shared by the whole organisation',
  }
  const answer = await service.send(call, signal)
  const read = readVisitorsAnswer(answer.json)
  if (read !== undefined) return read
  throw answer.json === undefined
    ? new InvalidResponseError(call, answer)
    : new InvalidResponseError(call, answer, 'JSON whose `totals` are not numbers for human, ai and total')
}

/** Reads an answer as far as it can be understood; `undefined` if not even its totals can be. */
export function readVisitorsAnswer(value: unknown): VisitorsAnswer | undefined {
  if (!isRecord(value)) return undefined
  const totals = readCounts(value['totals'])
  if (totals === undefined) return undefined
  const { visitors, hasMore } = value
  const list: readonly unknown[] = Array.isArray(visitors) ? visitors : []
  const rows = list.map(readPage).filter((row) => row !== undefined)
  return {
    totals,
    rows,
    invalidRows: list.length - rows.length,
    hasMore: hasMore === true,
    invalid: !Array.isArray(visitors) || typeof hasMore !== 'boolean',
  }
}

function readPage(value: unknown): PageVisitors | undefined {
  const counts = readCounts(value)
  if (counts === undefined || !isRecord(value)) return undefined
  const { path } = value
  return typeof path === 'string' && path !== '' ? { path, ...counts } : undefined
}

function readCounts(value: unknown): Counts | undefined {
  if (!isRecord(value)) return undefined
  const [human, ai, total] = [readCount(value['human']), readCount(value['ai']), readCount(value['total'])]
  if (human === undefined || ai === undefined || total === undefined) return undefined
  return { human, ai, total }
}

/** A count, rounded; the vendor's schema says `number`, so a decimal is no error. */
function readCount(value: unknown): number | undefined {
  if (typeof value !== 'number' || value < 0) return undefined
  const rounded = Math.round(value)
  return Number.isSafeInteger(rounded) ? rounded : undefined
}
