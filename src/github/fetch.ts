import type { Deps } from '../lib/deps.ts'
import type { HttpClient } from '../lib/http.ts'
import type { HttpAnswer, HttpRequest } from '../lib/http-messages.ts'
import { backoffMs, parseRetryAfter } from '../lib/retry.ts'
import { TransportError } from '../lib/transport-error.ts'

/** What asking GitHub needs. A cancel ends requests that only read, and pauses. */
export type GitHubFetchOptions = Deps & {
  readonly http: HttpClient
  /** Requests go to its origin only: they carry the token. */
  readonly apiUrl: URL
  /** Ends requests that write. */
  readonly lateCancel: AbortSignal
}

/** What a client made for `fetch` hands over, as far as it is looked at. */
export type FetchInit = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A request may be sent this often. */
const ATTEMPTS = 3
const BACKOFF = { baseMs: 500, maxMs: 2000 }
/** GitHub's wishes for a longer pause are not waited for, and after this time nothing is sent again. */
const PATIENCE_MS = 15_000

/** After a request without an answer in time, none is made for this long: a GitHub that hangs must not hold the job up. */
const SILENCE_MS = 60_000

/** Makes a `fetch` that has the limits of this action's HTTP client, its proxies, and a few tries. */
export function gitHubFetch(options: GitHubFetchOptions) {
  let silentUntilMs = 0
  return async function fetch(address: string, init: FetchInit = {}): Promise<Response> {
    const url = new URL(address)
    if (url.origin !== options.apiUrl.origin) {
      throw new Error(`a request to ${url.origin} was called for, which is not GitHub's API`)
    }
    if (options.clock.now() < silentUntilMs) throw new Error('it did not answer a moment ago')
    const { method = 'GET', headers = {}, body } = init
    const request = { method, url, headers, ...(typeof body === 'string' ? { body } : {}) }
    const answer = await sendPatiently(request, options).catch((error: unknown) => {
      if (isTooLate(error)) silentUntilMs = options.clock.now() + SILENCE_MS
      throw error
    })
    if (answer.status >= 300 && answer.status < 400) {
      throw new Error(`GitHub answered ${answer.status}; redirects are not followed`)
    }
    return asResponse(answer, url)
  }
}

async function sendPatiently(request: HttpRequest, options: GitHubFetchOptions): Promise<HttpAnswer> {
  const { http, clock, cancel, lateCancel } = options
  const untilMs = clock.now() + PATIENCE_MS
  const signal = onlyReads(request) ? cancel : lateCancel
  for (let failures = 1; ; failures++) {
    const end = await http.send({ ...request, signal }).catch((error: unknown) => error)
    const usualMs = backoffMs(failures, BACKOFF, options.random)
    const pauseMs = cancel.aborted
      ? undefined
      : pauseBeforeNext(end, request, { usualMs, nowMs: clock.now() })
    if (pauseMs === undefined || failures === ATTEMPTS || clock.now() + pauseMs > untilMs) {
      if (isAnswer(end)) return end
      throw end
    }
    await clock.sleep(pauseMs, cancel).catch(() => undefined)
  }
}

type Moment = { readonly usualMs: number; readonly nowMs: number }

/** How long to wait before a request is sent again; `undefined` if it must not be. */
function pauseBeforeNext(end: unknown, request: HttpRequest, { usualMs, nowMs }: Moment): number | undefined {
  if (isTooLate(end)) return undefined
  if (end instanceof TransportError) return !end.maybeSent || isRepeatable(request) ? usualMs : undefined
  if (!isAnswer(end)) return undefined
  const askedMs = parseRetryAfter(end.headers['retry-after'], nowMs)
  if (end.status === 403 || end.status === 429) return askedMs
  return end.status >= 500 && isRepeatable(request) ? (askedMs ?? usualMs) : undefined
}

function isTooLate(end: unknown): boolean {
  return end instanceof TransportError && end.failure === 'time-limit'
}

function onlyReads({ method, url }: HttpRequest): boolean {
  return method === 'GET' || url.pathname.endsWith('/graphql')
}

/** Whether sending a request twice does no more than sending it once. A reaction that is there already is no second. */
function isRepeatable(request: HttpRequest): boolean {
  return onlyReads(request) || request.method !== 'POST' || request.url.pathname.endsWith('/reactions')
}

function isAnswer(end: unknown): end is HttpAnswer {
  return typeof end === 'object' && end !== null && !(end instanceof Error) && 'status' in end
}

function asResponse({ status, headers, body }: HttpAnswer, url: URL): Response {
  const empty = status === 204 || status === 205
  const response = new Response(empty ? null : body, { status, headers: { ...headers } })
  // The client reads the address back, and a response made by hand has none.
  return Object.defineProperty(response, 'url', { value: url.href })
}
