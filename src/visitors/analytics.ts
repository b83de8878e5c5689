import { isRecord, type JsonRecord, type Problem, recordField, stringField } from '../lib/text.ts'
import { retry } from '../lib/time.ts'
import { describeFailure, hasStatus, isRetryable, PAUSES } from '../mintlify/mintlify-errors.ts'
import type { Run } from '../runner/run.ts'

/** No request is sent later. The last one may take 30 s, so that all of them end within 5 minutes. */
const LAST_REQUEST_MS = 270_000
const LIMIT = { title: 'the limit of requests or time was reached', text: '' }

/** Full UTC days as YYYY-MM-DD; `to` is exclusive. */
export type Period = { readonly from: string; readonly to: string }

type Cause = Pick<Problem, 'title' | 'text'>

/** One of Mintlify's lists. */
type List<T> = {
  /** To follow "The action could not". */
  readonly purpose: string
  readonly path: readonly string[]
  /** Of the answer. */
  readonly field: string
  readonly period: Period
  readonly query: Readonly<Record<string, string | number>>
  /** How another page is requested; without it, none is. */
  readonly paging?: 'offset' | 'cursor'
  /** Reads a row; `undefined` leaves it out. */
  readRow(row: JsonRecord): T | undefined
}

type ListAnswer<T> = ReturnType<typeof readAnswer<T>>

/**
 * Starts to read Mintlify's analytics within a limit of time and requests. Mintlify allows an organization 100 an hour.
 */
export function createAnalytics(maxRequests: number, run: Run) {
  const { mintlify, clock, cancel, log, mintlifyName } = run
  const deadlineMs = clock.now() + LAST_REQUEST_MS
  /** What could not be read. */
  const missing: (Cause & { readonly purpose: string })[] = []
  let requestsLeft = maxRequests
  const policy = {
    maxAttempts: 3,
    isRetryable: (error: unknown) => requestsLeft > 0 && isRetryable(error),
    ...PAUSES,
    deadlineMs: () => deadlineMs,
    onRetry: (error: unknown) => log.info(describeFailure(error, mintlifyName).title),
  }

  /** Reads a list, page after page. @returns `undefined` if not even its first page could be read */
  async function read<T>(list: List<T>): Promise<ListAnswer<T>> {
    const { purpose, path, period, query, paging } = list
    const leaveOut = ({ title, text }: Cause): undefined => {
      missing.push({ title, text, purpose })
    }
    if (requestsLeft <= 0 || clock.now() >= deadlineMs) return leaveOut(missing[0] ?? LIMIT)
    const call = { purpose, path, query: { dateFrom: period.from, dateTo: period.to, ...query } }
    const send = () => {
      requestsLeft -= 1
      return mintlify.getAnalytics(call, (json) => readAnswer(json, list), cancel)
    }
    const answer = await retry(send, policy, run).catch(({ cause }: Error) => {
      // The limit applies to every other request, too.
      if (hasStatus(cause, 429)) requestsLeft = 0
      return leaveOut(describeFailure(cause, mintlifyName))
    })
    if (!answer?.hasMore || !paging || !answer[paging]) return answer
    const rest = await read({ ...list, query: { ...query, [paging]: answer[paging] } })
    return { ...answer, rows: [...answer.rows, ...(rest?.rows ?? [])] }
  }

  return { read, missing }
}

function readAnswer<T>(json: unknown, { field, query, readRow }: List<T>) {
  const totals = readCounts(recordField(json, 'totals'))
  const { [field]: list, hasMore } = isRecord(json) ? json : {}
  if (!Array.isArray(list) || (field === 'visitors' && !totals)) return undefined
  return {
    rows: list.flatMap((row) => (isRecord(row) ? (readRow(row) ?? []) : [])),
    /** Of visitors. */
    totals,
    hasMore: hasMore === true,
    /** Where the next page begins. */
    offset: Number(query['offset'] ?? 0) + Number(query['limit']),
    cursor: stringField(json, 'nextCursor') ?? '',
  }
}

/**
 * Reads distinct visitors. A visitor counted as both a person and AI is one in `total`, so `total` isn't `human + ai`. The
 * counts of pages or periods don't add up to those of the whole.
 */
export function readCounts({ human, ai, total }: JsonRecord) {
  const counts = { human: readCount(human), ai: readCount(ai), total: readCount(total) }
  return Object.values(counts).some(Number.isNaN) ? undefined : counts
}

/** Reads a count and rounds it: Mintlify's schema says `number`, so a decimal isn't an error. `NaN` for anything else. */
export function readCount(value: unknown): number {
  if (typeof value !== 'number' || value < 0 || value > Number.MAX_SAFE_INTEGER) return Number.NaN
  return Math.round(value)
}
