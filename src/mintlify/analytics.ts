import { isRecord, type JsonRecord, recordField, stringField } from '../lib/text.ts'

/** One call for figures of a period: what is asked, and how the answer is read. */
export type AnalyticsCall<T> = {
  /** What follows `/v1/analytics/{projectId}`. */
  readonly path: readonly string[]
  /** Beside the period. */
  readonly query: Readonly<Record<string, string | number>>
  /** What is requested, to follow "the request to". */
  readonly purpose: string
  /** Reads the JSON of the answer, without this run's secrets; a text says what it is instead. */
  read(json: unknown): T | string | undefined
}

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

/** Maximum number of rows that one answer holds. Source: the specification. */
export const MAX_ROWS = 250

const ODD_TOTALS = 'JSON whose `totals` are not numbers for human, ai and total'

/** Rows of a period's visitors. `limit`: 1 to `MAX_ROWS`; `offset`: rows to skip. */
export function visitorsCall(offset: number, limit = MAX_ROWS): AnalyticsCall<VisitorsAnswer> {
  return {
    path: ['visitors'],
    query: { limit, offset },
    purpose: 'list the visitors',
    read(json) {
      const { totals: given, visitors, hasMore } = isRecord(json) ? json : {}
      const totals = readCounts(given)
      if (totals === undefined) return ODD_TOTALS
      const listed = readListed(visitors, ({ path, ...row }) => {
        const counts = readCounts(row)
        return counts && isText(path) ? { path, ...counts } : undefined
      })
      const isOdd = !Array.isArray(visitors) || typeof hasMore !== 'boolean'
      return { totals, ...listed, hasMore: hasMore === true, isOdd }
    },
  }
}

/** How often the site's pages were read: events, which add up. */
export const READS: AnalyticsCall<Counts> = {
  path: ['views'],
  query: { limit: 1 },
  purpose: 'count the reads',
  read: (json) => readCounts(recordField(json, 'totals')) ?? ODD_TOTALS,
}

export type Rating = { readonly name: PublicName; readonly up: number; readonly down: number }

/** The ratings by page that are not resolved yet. */
export const RATINGS: AnalyticsCall<Listed<Rating>> = {
  path: ['feedback', 'by-page'],
  query: { limit: 100, status: 'pending,in_progress' },
  purpose: 'list the ratings by page',
  read: (json) =>
    readList(fieldOf(json, 'feedback'), ({ path, thumbsUp, thumbsDown }) => {
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

/** The most frequent searches. */
export const SEARCHES: AnalyticsCall<Listed<Search>> = {
  path: ['searches'],
  query: { limit: 100 },
  purpose: 'list the searches',
  read: (json) =>
    readList(fieldOf(json, 'searches'), ({ searchQuery, hits: given, ctr }) => {
      const hits = readCount(given)
      if (!isText(searchQuery) || hits === undefined) return undefined
      if (typeof ctr !== 'number' || ctr < 0 || ctr > 1) return undefined
      return { name: publicSearch(searchQuery), hits, clickRate: ctr }
    }),
}

/** A question to the assistant, without its words and without the answer's. */
export type Question = {
  /** YYYY-MM-DD. */
  readonly day: string
  readonly isAnswered: boolean
  /** Of the page that it was asked on, else of its category, if it has one. */
  readonly name: PublicName | undefined
}

/** The questions to the assistant. One that got a question back is neither answered nor not. */
export const QUESTIONS: AnalyticsCall<Listed<Question>> = {
  path: ['assistant'],
  query: { limit: 1000 },
  purpose: "list the assistant's conversations",
  read(json) {
    const list = fieldOf(json, 'conversations')
    const isCounted = (row: unknown): boolean =>
      stringField(row, 'responseType') !== 'clarifying_question'
    return readList(Array.isArray(list) ? list.filter(isCounted) : list, (row) => {
      const { timestamp, resolutionStatus, pageUrl, queryCategory } = row
      const day = isText(timestamp) ? /^\d{4}-\d{2}-\d{2}/.exec(timestamp)?.[0] : undefined
      const isAnswered = resolutionStatus === 'answered'
      if (day === undefined || (!isAnswered && resolutionStatus !== 'unanswered')) return undefined
      const category = isText(queryCategory) ? publicCategory(queryCategory) : undefined
      const name = isText(pageUrl) ? publicPageUrl(pageUrl) : category
      return { day, isAnswered, name }
    })
  },
}

/** Reads a list; one of whose rows none can be read is none. */
function readList<T>(
  list: unknown,
  read: (row: JsonRecord) => T | undefined,
): Listed<T> | undefined {
  const listed = readListed(list, read)
  const isOdd = listed.rows.length === 0 && listed.invalidRows > 0
  return Array.isArray(list) && !isOdd ? listed : undefined
}

/** Reads the rows of a list; one that `read` does not understand is counted. What is no list has none. */
function readListed<T>(list: unknown, read: (row: JsonRecord) => T | undefined): Listed<T> {
  const all: readonly unknown[] = Array.isArray(list) ? list : []
  const rows = all.flatMap((row) => (isRecord(row) ? (read(row) ?? []) : []))
  return { rows, invalidRows: all.length - rows.length }
}

function fieldOf(json: unknown, field: string): unknown {
  return isRecord(json) ? json[field] : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function readCounts(value: unknown): Counts | undefined {
  const [human, ai, total] = ['human', 'ai', 'total'].map((name) => readCount(fieldOf(value, name)))
  if (human === undefined || ai === undefined || total === undefined) return undefined
  return { human, ai, total }
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
  /** The same for what is the same, withheld or not. Never shown. */
  readonly key: string
  /** As it is; `undefined` where it is withheld. */
  readonly forPeople: string | undefined
  /** For an agent that writes, which is never handed a stranger's words in their order. */
  readonly forAgent: string | undefined
}

/** The path of a page, percent-decoded once. With a slash at its end it is the same page. */
export function publicPath(path: string): PublicName {
  // What is not ASCII keeps its percent sign, and with it is withheld.
  const decoded = path.replace(/%([0-7][\da-f])/gi, (_encoded, hex) =>
    String.fromCharCode(Number(`0x${hex}`)),
  )
  const text = decoded.replace(/(?<=.)\/$/, '')
  const words = text.match(/[^/._~-]+/g) ?? []
  const isShort = text.length <= 80 && words.length <= 8 && words.every(isShortWord)
  const forAgent = isShort && !/[A-Z]/.test(text) ? text : undefined
  return judge({ of: 'path', text, isPublic: PATH.test(text), forAgent })
}

/** The path in the address of a page on the web; a path alone is taken as it is. */
function publicPageUrl(address: string): PublicName {
  const url = URL.parse(address)
  const isOfWeb = url !== null && /^https?:$/.test(url.protocol)
  return publicPath(isOfWeb ? url.pathname : address)
}

/** A subject that the service sorts questions by. */
function publicCategory(text: string): PublicName {
  const words = text.match(/[^ &-]+/g) ?? []
  const forAgent = words.length <= 3 ? text : undefined
  return judge({ of: 'category', text, isPublic: CATEGORY.test(text), forAgent })
}

/** What readers searched for; an agent gets its words in lower case and alphabetical order, each once. */
export function publicSearch(term: string): PublicName {
  const words = term.trim().split(/\s+/)
  const text = words.join(' ')
  const isShort = text.length <= 60 && words.length <= 6
  const isPublic = isShort && words.every((word) => PUBLIC_WORD.test(word) && isShortWord(word))
  const lowerCase = words.map((word) => word.toLowerCase())
  const sorted = [...new Set(lowerCase)].sort((left, right) => left.localeCompare(right, 'en'))
  const forAgent = words.length <= 5 ? sorted.join(' ') : undefined
  return judge({ of: 'search', text, isPublic, forAgent })
}

/** @param name `isPublic`: whether its form allows it to be shown */
function judge({
  of,
  text,
  isPublic,
  forAgent,
}: Pick<PublicName, 'of' | 'forAgent'> & {
  readonly text: string
  readonly isPublic: boolean
}): PublicName {
  const key = `${of} ${text}`
  if (isPublic && !KEY.test(text)) return { of, key, forPeople: text, forAgent }
  return { of, key, forPeople: undefined, forAgent: undefined }
}

const PATH = /^[A-Za-z0-9/_.~-]{1,120}$/
const CATEGORY = /^(?=.*\p{L})(?!.*\p{Default_Ignorable_Code_Point})[\p{L} &-]{1,40}$/u

/** Letters and digits, with single marks between them. Invisible characters could carry a hidden text. */
const PUBLIC_WORD =
  /^(?!.*\p{Default_Ignorable_Code_Point})[\p{L}\p{Nd}][\p{L}\p{M}\p{Nd}]*(?:[.\-_/][\p{L}\p{Nd}][\p{L}\p{M}\p{Nd}]*)*$/u

/** How keys begin, as a word or a part of a path. */
const KEY = /(?:^|[ /])(?:gh[oprsu]_|github_pat_|AKIA|sk-|mint_)/i

/** A year or a version has fewer digits, a telephone number more; longer words are mostly keys and ids. */
function isShortWord(word: string): boolean {
  return word.length <= 20 && (word.match(/\p{Nd}/gu)?.length ?? 0) <= 4
}
