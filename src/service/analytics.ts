import { isRecord, type JsonRecord } from '../lib/json.ts'
import type { DocsService } from './docs-service.ts'
import type { PublicName, PublicNames } from './public-name.ts'
import { InvalidResponseError, type ServiceCall, type ServiceResponse } from './service-errors.ts'

/**
 * Distinct visitors. `total` counts those who came as a person and through AI once, so it is not `human + ai`, and
 * counts of pages or of periods do not add up to those of the whole.
 */
export type Counts = { readonly human: number; readonly ai: number; readonly total: number }

export type PageVisitors = Counts & { readonly path: string }

export type Listed<T> = {
  /** In no documented order. */
  readonly rows: readonly T[]
  /** How many rows could not be read and are not in `rows`. */
  readonly invalidRows: number
}

export type VisitorsAnswer = Listed<PageVisitors> & {
  /** Of the whole site in the whole period, whatever rows come with them. */
  readonly totals: Counts
  readonly hasMore: boolean
  /** Whether the list of rows or `hasMore` had a wrong type: there may be rows that are missing. */
  readonly isOdd: boolean
}

/** What all calls need. `names` judges what strangers wrote. */
export type AnalyticsQuery = {
  /** YYYY-MM-DD; `dateTo` is exclusive. */
  readonly dates: { readonly dateFrom: string; readonly dateTo: string }
  readonly names: PublicNames
  readonly signal?: AbortSignal
}

/** Maximum number of rows that one answer holds. Source: the specification. */
export const MAX_ROWS = 250

/** Requests rows of a period's visitors, once. `limit`: 1 to `MAX_ROWS`; `offset`: rows to skip. */
export async function getVisitors(
  service: DocsService,
  { dates, signal }: AnalyticsQuery,
  rows: { readonly limit: number; readonly offset: number },
): Promise<VisitorsAnswer> {
  const call = analyticsCall(service, ['visitors'], { ...dates, ...rows }, 'list the visitors')
  const answer = await service.send(call, signal)
  const { totals: given, visitors, hasMore } = isRecord(answer.json) ? answer.json : {}
  const totals = readCounts(given)
  if (totals === undefined) {
    const found = 'JSON whose `totals` are not numbers for human, ai and total'
    throw new InvalidResponseError(call, answer, answer.json === undefined ? undefined : found)
  }
  return {
    totals,
    ...readRows(Array.isArray(visitors) ? visitors : [], ({ path, ...row }) => {
      const counts = readCounts(row)
      return counts && isText(path) ? { path, ...counts } : undefined
    }),
    hasMore: hasMore === true,
    isOdd: !Array.isArray(visitors) || typeof hasMore !== 'boolean',
  }
}

export type Rating = { readonly page: PublicName; readonly up: number; readonly down: number }

/** Requests the ratings by page that are not resolved yet, once. */
export async function getRatings(service: DocsService, { dates, names, signal }: AnalyticsQuery) {
  const query = { ...dates, limit: 100, status: 'pending,in_progress' }
  const call = analyticsCall(service, ['feedback', 'by-page'], query, 'list the ratings by page')
  const answer = await service.send(call, signal)
  return readList<Rating>(call, answer, 'feedback', ({ path, thumbsUp, thumbsDown }) => {
    const [up, down] = [readCount(thumbsUp), readCount(thumbsDown)]
    if (!isText(path) || up === undefined || down === undefined) return undefined
    return { page: names.ofPath(path), up, down }
  })
}

export type Search = { readonly term: PublicName; readonly hits: number; readonly clickRate: number }

/** Requests the most frequent searches, once. */
export async function getSearches(service: DocsService, { dates, names, signal }: AnalyticsQuery) {
  const call = analyticsCall(service, ['searches'], { ...dates, limit: 100 }, 'list the searches')
  const answer = await service.send(call, signal)
  return readList<Search>(call, answer, 'searches', ({ searchQuery, hits, ctr }) => {
    const count = readCount(hits)
    if (!isText(searchQuery) || count === undefined) return undefined
    if (typeof ctr !== 'number' || ctr < 0 || ctr > 1) return undefined
    return { term: names.ofSearch(searchQuery), hits: count, clickRate: ctr }
  })
}

/** A question to the assistant, without its words and without the answer's. */
export type Question = {
  /** YYYY-MM-DD. */
  readonly day: string
  readonly isAnswered: boolean
  readonly page: PublicName | undefined
  readonly category: PublicName | undefined
}

/** Requests the questions to the assistant, once. */
export async function getQuestions(service: DocsService, { dates, names, signal }: AnalyticsQuery) {
  const query = { ...dates, limit: 1000 }
  const call = analyticsCall(service, ['assistant'], query, "list the assistant's conversations")
  const answer = await service.send(call, signal)
  return readList<Question>(call, answer, 'conversations', (row) => {
    const { timestamp, resolutionStatus, pageUrl, queryCategory } = row
    const day = isText(timestamp) ? /^\d{4}-\d{2}-\d{2}/.exec(timestamp)?.[0] : undefined
    const isAnswered = resolutionStatus === 'answered'
    if (day === undefined || (!isAnswered && resolutionStatus !== 'unanswered')) return undefined
    const page = isText(pageUrl) ? names.ofPageUrl(pageUrl) : undefined
    const category = isText(queryCategory) ? names.ofCategory(queryCategory) : undefined
    return { day, isAnswered, page, category }
  })
}

function analyticsCall(
  { projectId, projectNotFound: notFound }: DocsService,
  path: readonly string[],
  query: NonNullable<ServiceCall['query']>,
  purpose: string,
): ServiceCall {
  return {
    method: 'GET',
    path: ['v1', 'analytics', projectId, ...path],
    query,
    purpose,
    notFound,
    limit: '100 analytics requests per hour, shared by the whole organisation',
  }
}

/** Reads the list in a field of an answer; a row that `read` does not understand is counted. */
function readList<T>(
  call: ServiceCall,
  answer: ServiceResponse,
  field: string,
  read: (row: JsonRecord) => T | undefined,
): Listed<T> {
  const list = isRecord(answer.json) ? answer.json[field] : undefined
  const listed = Array.isArray(list) && readRows(list, read)
  if (!listed || (listed.rows.length === 0 && listed.invalidRows > 0))
    throw new InvalidResponseError(call, answer)
  return listed
}

function readRows<T>(list: readonly unknown[], read: (row: JsonRecord) => T | undefined): Listed<T> {
  const rows = list.flatMap((row) => (isRecord(row) ? (read(row) ?? []) : []))
  return { rows, invalidRows: list.length - rows.length }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function readCounts(value: unknown): Counts | undefined {
  if (!isRecord(value)) return undefined
  const [human, ai, total] = [readCount(value['human']), readCount(value['ai']), readCount(value['total'])]
  return human === undefined || ai === undefined || total === undefined ? undefined : { human, ai, total }
}

/** A count, rounded; the vendor's schema says `number`, so a decimal is no error. */
function readCount(value: unknown): number | undefined {
  if (typeof value !== 'number' || value < 0) return undefined
  const rounded = Math.round(value)
  return Number.isSafeInteger(rounded) ? rounded : undefined
}
