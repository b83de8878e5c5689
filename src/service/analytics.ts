import type { Redact } from '../lib/markdown.ts'
import { isRecord, type JsonRecord } from '../lib/text.ts'
import type { DocsService } from './docs-service.ts'

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

export type Search = {
  readonly term: PublicName
  readonly hits: number
  readonly clickRate: number
}

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
  const isCounted = (row: unknown): boolean =>
    !isRecord(row) || row['responseType'] !== 'clarifying_question'
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
  const [human, ai, total] = [
    readCount(value['human']),
    readCount(value['ai']),
    readCount(value['total']),
  ]
  return human === undefined || ai === undefined || total === undefined
    ? undefined
    : { human, ai, total }
}

/** A count, rounded; the vendor's schema says `number`, so a decimal is no error. */
function readCount(value: unknown): number | undefined {
  if (typeof value !== 'number' || value < 0) return undefined
  const rounded = Math.round(value)
  return Number.isSafeInteger(rounded) ? rounded : undefined
}

/** A name that strangers may have had a hand in, since votes, searches and questions need no login. */
export type PublicName = {
  readonly of: 'path' | 'search' | 'category'
  /** As it is; `undefined` where it is withheld. */
  readonly forPeople: string | undefined
  /** For an agent that writes, which is never handed a stranger's words in their order. */
  readonly forAgent: string | undefined
}

/** Judges names, for all places that they go to. The same text is the same object, withheld or not. */
export class PublicNames {
  readonly #redact: Redact
  readonly #known = new Map<string, PublicName>()

  /** @param redact takes this run's secrets out of a text: what it would change is withheld */
  constructor(redact: Redact) {
    this.#redact = redact
  }

  /** The path of a page, percent-decoded once. */
  ofPath(path: string): PublicName {
    // What is not ASCII keeps its percent sign, and with it is withheld.
    const decoded = path.replace(/%([0-7][\da-f])/gi, (_encoded, hex) =>
      String.fromCharCode(Number(`0x${hex}`)),
    )
    const words = decoded.split(/[/._~-]+/).filter((word) => word !== '')
    const isShort = decoded.length <= 80 && words.length <= 8 && words.every(isShortWord)
    const forAgent = isShort && !/[A-Z]/.test(decoded) ? decoded : undefined
    const name = { of: 'path', forPeople: decoded, forAgent } as const
    // With a slash at its end it is the same page.
    return this.#judge(`path ${decoded.replace(/(?<=.)\/$/, '')}`, PATH.test(decoded), name)
  }

  /** The path in the address of a page on the web; a path alone is taken as it is. */
  ofPageUrl(address: string): PublicName {
    const url = URL.parse(address)
    return this.ofPath(url !== null && /^https?:$/.test(url.protocol) ? url.pathname : address)
  }

  /** A subject that the service sorts questions by. */
  ofCategory(category: string): PublicName {
    const words = category.split(/[ &-]+/).filter((word) => word !== '')
    const forAgent = words.length <= 3 ? category : undefined
    const name = { of: 'category', forPeople: category, forAgent } as const
    return this.#judge(`category ${category}`, CATEGORY.test(category), name)
  }

  /** What readers searched for; an agent gets its words in lower case and alphabetical order, each once. */
  ofSearch(term: string): PublicName {
    const words = term.trim().split(/\s+/)
    const forPeople = words.join(' ')
    const isShort = forPeople.length <= 60 && words.length <= 6
    const isPublic = isShort && words.every((word) => WORD.test(word) && isShortWord(word))
    const lowerCase = words.map((word) => word.toLowerCase())
    const sorted = [...new Set(lowerCase)].sort((left, right) => left.localeCompare(right, 'en'))
    const forAgent = words.length <= 5 ? sorted.join(' ') : undefined
    return this.#judge(`search ${term}`, isPublic, { of: 'search', forPeople, forAgent })
  }

  /** @param key the same for what is the same */
  #judge(key: string, isPublic: boolean, name: PublicName): PublicName {
    const isShown = isPublic && !this.#isSecret(name.forPeople ?? '')
    const withheld = { of: name.of, forPeople: undefined, forAgent: undefined }
    const judged = this.#known.get(key) ?? (isShown ? name : withheld)
    this.#known.set(key, judged)
    return judged
  }

  #isSecret(text: string): boolean {
    return this.#redact(text) !== text || text.split(/[\s/]+/).some((part) => KEY_PREFIX.test(part))
  }
}

const PATH = /^[A-Za-z0-9/_.~-]{1,120}$/
const CATEGORY = /^(?=.*\p{L})(?!.*\p{Default_Ignorable_Code_Point})[\p{L} &-]{1,40}$/u

/** Letters and digits, with single marks between them. Invisible characters could carry a hidden text. */
const WORD =
  /^(?!.*\p{Default_Ignorable_Code_Point})[\p{L}\p{Nd}][\p{L}\p{M}\p{Nd}]*(?:[.\-_/][\p{L}\p{Nd}][\p{L}\p{M}\p{Nd}]*)*$/u

/** How keys begin. */
const KEY_PREFIX = /^(?:gh[oprsu]_|github_pat_|AKIA|sk-|mint_)/i

/** A year or a version has fewer digits, a telephone number more; longer words are mostly keys and ids. */
function isShortWord(word: string): boolean {
  return word.length <= 20 && (word.match(/\p{Nd}/gu)?.length ?? 0) <= 4
}
