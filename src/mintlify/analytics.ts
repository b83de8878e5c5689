import { isRecord, type JsonRecord, stringField } from '../lib/text.ts'

/** A call for analytics of a period, and the reader of its answer. */
export type AnalyticsCall<T> = {
  /** What follows `/v1/analytics/{projectId}`. */
  readonly path: readonly string[]
  /** The query without the period. */
  readonly query: Readonly<Record<string, string | number>>
  /** What the action tries to do: `list the visitors`. */
  readonly purpose: string
  /** Reads the JSON of an answer, without this run's secrets. If it doesn't match, returns a text that describes it. */
  read(json: unknown): T | string | undefined
}

/**
 * Distinct visitors. A visitor counted as both a person and AI is one in `total`, so `total` isn't `human + ai`. The
 * counts of pages or periods don't add up to those of the whole.
 */
export type Counts = { readonly human: number; readonly ai: number; readonly total: number }

export type PageVisitors = Counts & { readonly path: string }

type Listed<T> = {
  /** In no documented order. */
  readonly rows: readonly T[]
  /** The number of rows that could not be read. They aren't in `rows`. */
  readonly invalidRows: number
}

export type VisitorsAnswer = Listed<PageVisitors> & {
  /** Of the whole site in the whole period, whichever rows come with them. */
  readonly totals: Counts
  readonly hasMore: boolean
}

/** Maximum number of rows in one answer. Source: the specification. */
export const MAX_ROWS = 250

const ODD_TOTALS = 'JSON in which `totals` has no numbers for `human`, `ai`, and `total`'

/** Requests the visitors of a period. `limit` is 1 to `MAX_ROWS`; `offset` is the number of rows to skip. */
export function visitorsCall(offset: number, limit = MAX_ROWS): AnalyticsCall<VisitorsAnswer> {
  return {
    path: ['visitors'],
    query: { limit, offset },
    purpose: 'list the visitors',
    read(json) {
      const { totals: given, visitors, hasMore } = fieldsOf(json)
      const totals = readCounts(given)
      if (totals === undefined) return ODD_TOTALS
      const listed = readListed(visitors, ({ path, ...row }) => {
        const counts = readCounts(row)
        return counts && isText(path) ? { path, ...counts } : undefined
      })
      // If it isn't known whether there are more rows, some may be missing.
      const invalidRows = listed.invalidRows + (typeof hasMore === 'boolean' ? 0 : 1)
      return { totals, rows: listed.rows, invalidRows, hasMore: hasMore === true }
    },
  }
}

/** How often the site's pages were read: events, which add up. */
export const READS: AnalyticsCall<Pick<VisitorsAnswer, 'totals' | 'invalidRows'>> = {
  path: ['views'],
  query: { limit: 1 },
  purpose: 'count the reads',
  read(json) {
    const totals = readCounts(fieldsOf(json)['totals'])
    return totals ? { totals, invalidRows: 0 } : ODD_TOTALS
  },
}

/** One page of a list of ratings, searches, or questions. */
export type ListPage<T> = Listed<T> & {
  /** Whether Mintlify has more rows than these. */
  readonly hasMore: boolean
  /** Where the next page starts; empty if the next page can't be requested. */
  readonly cursor: string
}

export type Rating = { readonly name: PublicName; readonly up: number; readonly down: number }

/** The ratings by page that aren't resolved yet. */
export const RATINGS: AnalyticsCall<ListPage<Rating>> = {
  path: ['feedback', 'by-page'],
  query: { limit: 100, status: 'pending,in_progress' },
  purpose: 'list the ratings by page',
  read: (json) =>
    readPage(json, 'feedback', ({ path, thumbsUp, thumbsDown }) => {
      const [up, down] = [readCount(thumbsUp), readCount(thumbsDown)]
      if (!isText(path) || up === undefined || down === undefined) return undefined
      return { name: publicPath(path), up, down }
    }),
}

export type Search = {
  readonly name: PublicName
  readonly hits: number
  readonly clickRate: number
}

/** The searches, the most frequent first. */
export const SEARCHES: AnalyticsCall<ListPage<Search>> = {
  path: ['searches'],
  query: { limit: 100 },
  purpose: 'list the searches',
  read: (json) =>
    readPage(json, 'searches', ({ searchQuery, hits: given, ctr }) => {
      const hits = readCount(given)
      if (!isText(searchQuery) || hits === undefined) return undefined
      if (typeof ctr !== 'number' || ctr < 0 || ctr > 1) return undefined
      return { name: publicSearch(searchQuery), hits, clickRate: ctr }
    }),
}

/** A question to the assistant, without its words and without those of the answer. */
export type Question = {
  /** Milliseconds since the epoch. */
  readonly atMs: number
  /** `clarifying`: the assistant asked a question back. */
  readonly outcome: (typeof OUTCOMES)[number]
  /** The page that it was asked on, otherwise its category, if there is one. */
  readonly name: PublicName | undefined
}

const OUTCOMES = ['answered', 'unanswered', 'clarifying'] as const

/** The questions to the assistant. */
export const QUESTIONS: AnalyticsCall<ListPage<Question>> = {
  path: ['assistant'],
  query: { limit: 1000 },
  purpose: "list the assistant's conversations",
  read: (json) =>
    readPage(json, 'conversations', ({ timestamp, pageUrl, queryCategory, ...row }) => {
      const atMs = isText(timestamp) ? Date.parse(timestamp) : Number.NaN
      const isClarifying = row['responseType'] === 'clarifying_question'
      const given = isClarifying ? 'clarifying' : row['resolutionStatus']
      const outcome = OUTCOMES.find((one) => one === given)
      const category = isText(queryCategory) ? publicCategory(queryCategory) : undefined
      const name = isText(pageUrl) ? publicPageUrl(pageUrl) : category
      return outcome && !Number.isNaN(atMs) ? { atMs, outcome, name } : undefined
    }),
}

/** Reads one page of a list. A list with rows, none of which can be read, isn't the requested list. */
function readPage<T>(
  json: unknown,
  field: string,
  read: (row: JsonRecord) => T | undefined,
): ListPage<T> | undefined {
  const { [field]: list, hasMore: given } = fieldsOf(json)
  const listed = readListed(list, read)
  if (listed.rows.length === 0 && listed.invalidRows > 0) return undefined
  const cursor = stringField(json, 'nextCursor') ?? ''
  const hasMore = typeof given === 'boolean' ? given : cursor !== ''
  return { ...listed, hasMore, cursor: hasMore ? cursor : '' }
}

/** Reads the rows of a list, and counts those that `read` can't read. A value that isn't a list is one such row. */
function readListed<T>(list: unknown, read: (row: JsonRecord) => T | undefined): Listed<T> {
  const all: readonly unknown[] = Array.isArray(list) ? list : [list]
  const rows = all.flatMap((row) => (isRecord(row) ? (read(row) ?? []) : []))
  return { rows, invalidRows: all.length - rows.length }
}

function fieldsOf(json: unknown): JsonRecord {
  return isRecord(json) ? json : {}
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function readCounts(value: unknown): Counts | undefined {
  const given = fieldsOf(value)
  const [human, ai, total] = ['human', 'ai', 'total'].map((kind) => readCount(given[kind]))
  if (human === undefined || ai === undefined || total === undefined) return undefined
  return { human, ai, total }
}

/** Reads a count and rounds it: Mintlify's schema says `number`, so a decimal isn't an error. */
function readCount(value: unknown): number | undefined {
  if (typeof value !== 'number' || value < 0) return undefined
  const rounded = Math.round(value)
  return Number.isSafeInteger(rounded) ? rounded : undefined
}

/** A name that strangers may have written, because votes, searches, and questions don't need a login. */
export type PublicName = {
  readonly of: 'path' | 'search' | 'category'
  /** The same for the same text, even if it is withheld. It is never shown. */
  readonly key: string
  /** The text as it is; `undefined` if it is withheld. */
  readonly forPeople: string | undefined
  /** For an agent that writes, which never gets a stranger's words in their order. */
  readonly forAgent: string | undefined
}

/** Reads the path of a page, percent-decoded once. A slash at its end makes no difference. */
export function publicPath(path: string): PublicName {
  // Other characters than ASCII keep their percent signs, so the path is withheld.
  const decoded = path.replace(/%([0-7][\da-f])/gi, (_encoded, hex) =>
    String.fromCharCode(Number(`0x${hex}`)),
  )
  const text = decoded.replace(/(?<=.)\/$/, '')
  const words = text.slice(0, MAX_PATH_LENGTH).match(/[^/._~-]+/g) ?? []
  const isShort = text.length <= 80 && words.length <= 8 && words.every(isShortWord)
  const forAgent = isShort && !/[A-Z]/.test(text) ? text : undefined
  return publicName('path', text, text.length <= MAX_PATH_LENGTH && PATH.test(text), forAgent)
}

/** Reads the path in the address of a page. A path alone is taken as it is. */
function publicPageUrl(address: string): PublicName {
  const url = URL.parse(address)
  const isOfWeb = url !== null && /^https?:$/.test(url.protocol)
  return publicPath(isOfWeb ? url.pathname : address)
}

/** Reads a category that Mintlify sorts questions by. */
function publicCategory(text: string): PublicName {
  const isPublic = CATEGORY.test(text.slice(0, 100)) && text.length <= 100
  const words = isPublic ? (text.match(/[^ &-]+/g) ?? []) : []
  return publicName('category', text, isPublic, words.length <= 3 ? text : undefined)
}

/** Reads the text of a search. For an agent they are in lower case and alphabetical order, each once. */
export function publicSearch(term: string): PublicName {
  const words = term.trim().split(/\s+/)
  const text = words.join(' ')
  const isShort = text.length <= 60 && words.length <= 6
  const isPublic = isShort && words.every((word) => PUBLIC_WORD.test(word) && isShortWord(word))
  if (!isPublic) return publicName('search', text, false, undefined)
  const different = [...new Set(words.map((word) => word.toLowerCase()))]
  const sorted = different.sort((left, right) => left.localeCompare(right, 'en'))
  return publicName('search', text, true, sorted.length <= 5 ? sorted.join(' ') : undefined)
}

/** @param isPublic whether the form of the text allows it to be shown */
function publicName(
  of: PublicName['of'],
  text: string,
  isPublic: boolean,
  forAgent: string | undefined,
): PublicName {
  const key = `${of} ${text}`
  if (isPublic && !KEY.test(text)) return { of, key, forPeople: text, forAgent }
  return { of, key, forPeople: undefined, forAgent: undefined }
}

const MAX_PATH_LENGTH = 120
const PATH = /^[A-Za-z0-9/_.~-]+$/
const CATEGORY = /^(?=.*\p{L})(?!.*\p{Default_Ignorable_Code_Point})[\p{L} &-]{1,40}$/u

/** Letters and digits with single marks between them. Invisible characters could contain a hidden text. */
const PUBLIC_WORD =
  /^(?!.*\p{Default_Ignorable_Code_Point})[\p{L}\p{Nd}][\p{L}\p{M}\p{Nd}]*(?:[.\-_/][\p{L}\p{Nd}][\p{L}\p{M}\p{Nd}]*)*$/u

/** How keys start, as a word or a part of a path. */
const KEY = /(?:^|[ /])(?:gh[oprsu]_|github_pat_|AKIA|sk-|mint_)/i

/** Years and versions have at most four digits. Longer words are mostly keys and IDs. */
function isShortWord(word: string): boolean {
  return word.length <= 20 && (word.match(/\p{Nd}/gu)?.length ?? 0) <= 4
}
