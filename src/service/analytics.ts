import { isRecord, type JsonRecord } from '../lib/json.ts'
import type { DocsService } from './docs-service.ts'
import type { PublicName, PublicNames } from './public-name.ts'

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
export function getVisitors(
  service: DocsService,
  { dates, signal }: AnalyticsQuery,
  rows: { readonly limit: number; readonly offset: number },
): Promise<VisitorsAnswer> {
  const call = { path: ['visitors'], query: { ...dates, ...rows }, purpose: 'list the visitors' }
  const read = (json: unknown): VisitorsAnswer | string => {
    const { totals: given, visitors, hasMore } = isRecord(json) ? json : {}
    const totals = readCounts(given)
    if (totals === undefined) return ODD_TOTALS
    const listed = readRows(visitors, ({ path, ...row }) => {
      const counts = readCounts(row)
      return counts && isText(path) ? { path, ...counts } : undefined
    })
    const isOdd = !Array.isArray(visitors) || typeof hasMore !== 'boolean'
    return { totals, ...listed, hasMore: hasMore === true, isOdd }
  }
  return service.getAnalytics(call, read, signal)
}

/** Requests how often the site's pages were read in a period, once: events, which add up. */
export function getReads(service: DocsService, { dates, signal }: AnalyticsQuery): Promise<Counts> {
  const query = { ...dates, limit: 1 }
  const call = { path: ['views'], query, purpose: 'count the reads' }
  const read = (json: unknown): Counts | string =>
    readCounts(isRecord(json) ? json['totals'] : undefined) ?? ODD_TOTALS
  return service.getAnalytics(call, read, signal)
}

const ODD_TOTALS = 'JSON whose `totals` are not numbers for human, ai and total'

export type Rating = { readonly page: PublicName; readonly up: number; readonly down: number }

/** Requests the ratings by page that are not resolved yet, once. */
export function getRatings(service: DocsService, { dates, names, signal }: AnalyticsQuery) {
  const query = { ...dates, limit: 100, status: 'pending,in_progress' }
  const call = { path: ['feedback', 'by-page'], query, purpose: 'list the ratings by page' }
  const read = listReader('feedback', ({ path, thumbsUp, thumbsDown }): Rating | undefined => {
    const [up, down] = [readCount(thumbsUp), readCount(thumbsDown)]
    if (!isText(path) || up === undefined || down === undefined) return undefined
    return { page: names.ofPath(path), up, down }
  })
  return service.getAnalytics(call, read, signal)
}

export type Search = { readonly term: PublicName; readonly hits: number; readonly clickRate: number }

/** Requests the most frequent searches, once. */
export function getSearches(service: DocsService, { dates, names, signal }: AnalyticsQuery) {
  const call = { path: ['searches'], query: { ...dates, limit: 100 }, purpose: 'list the searches' }
  const read = listReader('searches', ({ searchQuery, hits, ctr }): Search | undefined => {
    const count = readCount(hits)
    if (!isText(searchQuery) || count === undefined) return undefined
    if (typeof ctr !== 'number' || ctr < 0 || ctr > 1) return undefined
    return { term: names.ofSearch(searchQuery), hits: count, clickRate: ctr }
  })
  return service.getAnalytics(call, read, signal)
}

/** A question to the assistant, without its words and without the answer's. */
export type Question = {
  /** YYYY-MM-DD. */
  readonly day: string
  readonly isAnswered: boolean
  readonly page: PublicName | undefined
  readonly category: PublicName | undefined
}

/** Requests the questions to the assistant, once. One that got a question back is neither answered nor not. */
export function getQuestions(service: DocsService, { dates, names, signal }: AnalyticsQuery) {
  const purpose = "list the assistant's conversations"
  const call = { path: ['assistant'], query: { ...dates, limit: 1000 }, purpose }
  const readQuestion = (row: JsonRecord): Question | undefined => {
    const { timestamp, resolutionStatus, pageUrl, queryCategory } = row
    const day = isText(timestamp) ? /^\d{4}-\d{2}-\d{2}/.exec(timestamp)?.[0] : undefined
    const isAnswered = resolutionStatus === 'answered'
    if (day === undefined || (!isAnswered && resolutionStatus !== 'unanswered')) return undefined
    const page = isText(pageUrl) ? names.ofPageUrl(pageUrl) : undefined
    const category = isText(queryCategory) ? names.ofCategory(queryCategory) : undefined
    return { day, isAnswered, page, category }
  }
  const isCounted = (row: unknown): boolean => !isRecord(row) || row['responseType'] !== 'clarifying_question'
  const read = (json: unknown): Listed<Question> | undefined => {
    const list = isRecord(json) ? json['conversations'] : undefined
    const conversations = Array.isArray(list) ? list.filter(isCounted) : list
    return listReader('conversations', readQuestion)({ conversations })
  }
  return service.getAnalytics(call, read, signal)
}

/** Reads the list in a field of an answer; one of whose rows none can be read is none. */
function listReader<T>(field: string, read: (row: JsonRecord) => T | undefined) {
  return (json: unknown): Listed<T> | undefined => {
    const list = isRecord(json) ? json[field] : undefined
    const listed = readRows(list, read)
    const isOdd = listed.rows.length === 0 && listed.invalidRows > 0
    return Array.isArray(list) && !isOdd ? listed : undefined
  }
}

/** Reads the rows of a list; one that `read` does not understand is counted. What is no list has none. */
function readRows<T>(list: unknown, read: (row: JsonRecord) => T | undefined): Listed<T> {
  const all: readonly unknown[] = Array.isArray(list) ? list : []
  const rows = all.flatMap((row) => (isRecord(row) ? (read(row) ?? []) : []))
  return { rows, invalidRows: all.length - rows.length }
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
