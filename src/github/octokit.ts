import { getOctokit } from '@actions/github'
import { afterGrace, type Deps } from '../lib/clock.ts'
import type { HttpClient } from '../lib/http.ts'
import type { HttpRequest, HttpResponse } from '../lib/http-messages.ts'
import { parseRetryAfter, RetryError, retry } from '../lib/retry.ts'
import { TransportError, unreadableError } from '../lib/transport-error.ts'
import type { Environment } from '../runner/environment.ts'

/** GitHub's client. */
export type Octokit = ReturnType<typeof getOctokit>

/** What GitHub's client needs from outside. */
export type OctokitOptions = Deps & {
  readonly environment: Environment
  /** May be empty: then every call fails. */
  readonly token: string
  readonly http: HttpClient
}

/** How long a comment may still be finished once the run was cancelled; the whole run has 5 s. */
const CANCEL_GRACE_MS = 4000

/** Opens GitHub's client: over this action's own connections, and with its limits. */
export function openOctokit({ environment, token, http, clock, random, cancel }: OctokitOptions): Octokit {
  const lateCancel = afterGrace(cancel, CANCEL_GRACE_MS, clock)
  const apiUrl = new URL(environment.apiUrl)
  const silent = (): void => undefined
  return getOctokit(token, {
    baseUrl: apiUrl.href.replace(/\/$/, ''),
    userAgent: 'docs-agent-action',
    // The client's own log goes to the console, where its text could be read as a workflow command.
    log: { debug: silent, info: silent, warn: silent, error: silent },
    request: { fetch: gitHubFetch({ http, apiUrl, clock, random, cancel, lateCancel }) },
  })
}

/** What requests to GitHub need. A cancel ends requests that only read, and pauses. */
type GitHubFetchOptions = Deps & {
  readonly http: HttpClient
  /** Requests go to its origin only: they carry the token. */
  readonly apiUrl: URL
  /** Ends requests that write. */
  readonly lateCancel: AbortSignal
}

/** What Octokit hands to its `fetch`, as far as it is used here. */
type FetchInit = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** What Octokit reads of a `Response`. The platform's own would load Node's copy of undici: 28 to 40 ms. */
type FetchResponse = {
  readonly status: number
  readonly ok: boolean
  readonly url: string
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  text(): Promise<string>
  json(): Promise<unknown>
  arrayBuffer(): Promise<ArrayBuffer>
}

/** Source: GitHub's documentation, "API Versions". */
const API_VERSION = '2022-11-28'

const MAX_ATTEMPTS = 3
const BACKOFF = { baseMs: 500, maxMs: 2000 }
/** After this time nothing is sent again; a longer pause that GitHub asks for is not waited for. */
const TOTAL_TIMEOUT_MS = 15_000
/** After a request that timed out, none is sent for this long: a GitHub that hangs must not hold the job up. */
const PAUSE_AFTER_TIMEOUT_MS = 60_000

/** Makes a `fetch` for Octokit with the limits and proxies of this action's HTTP client, and with retries. */
function gitHubFetch(options: GitHubFetchOptions) {
  let pausedUntilMs = 0
  return async function fetch(address: string, init: FetchInit = {}): Promise<FetchResponse> {
    const url = new URL(address)
    if (url.origin !== options.apiUrl.origin) {
      throw new Error(`a request to ${url.origin} was refused, as that is not GitHub's API`)
    }
    if (options.clock.now() < pausedUntilMs) throw new Error('the last request timed out a moment ago')
    const response = await sendWithRetries(requestOf(url, init), options).catch((error: unknown) => {
      if (isTimeout(error)) pausedUntilMs = options.clock.now() + PAUSE_AFTER_TIMEOUT_MS
      throw error
    })
    if (response.status >= 300 && response.status < 400) {
      throw new Error(`GitHub answered ${response.status}; redirects are not followed`)
    }
    return fetchResponse(response, url)
  }
}

function requestOf(url: URL, { method = 'GET', headers = {}, body }: FetchInit): HttpRequest {
  const request = { method, url, headers: { ...headers, 'x-github-api-version': API_VERSION } }
  return {
    ...request,
    ...(typeof body === 'string' ? { body } : {}),
    freshConnection: !isRepeatable(request),
  }
}

/** A response that may be another one a moment later. */
class RetryableResponse extends Error {
  override readonly name = 'RetryableResponse'
  readonly response: HttpResponse

  constructor(response: HttpResponse) {
    super(`GitHub answered ${response.status}`)
    this.response = response
  }
}

async function sendWithRetries(request: HttpRequest, options: GitHubFetchOptions): Promise<HttpResponse> {
  const { http, clock, cancel, lateCancel } = options
  const signal = onlyReads(request) ? cancel : lateCancel
  const untilMs = clock.now() + TOTAL_TIMEOUT_MS
  try {
    return await retry(
      () => sendOnce({ ...request, signal }, http),
      {
        backoff: BACKOFF,
        maxAttempts: MAX_ATTEMPTS,
        isRetryable: (error) => isRetryable(error, request),
        retryAfterMs: (error) => retryAfterMs(error, clock.now()),
        deadlineMs: () => untilMs,
        onRetry: () => undefined,
      },
      options,
    )
  } catch (error) {
    const cause = error instanceof RetryError ? error.cause : error
    if (cause instanceof RetryableResponse) return cause.response
    throw cause
  }
}

/** Sends a request. A success whose body can't be read is an error, a refusal is a refusal all the same. */
async function sendOnce(request: HttpRequest, http: HttpClient): Promise<HttpResponse> {
  const response = await http.send(request)
  if (response.bodyProblem !== undefined && isSuccess(response))
    throw unreadableError(response.bodyProblem, response)
  const { status } = response
  if (status === 403 || status === 429 || status >= 500) throw new RetryableResponse(response)
  return response
}

function isRetryable(error: unknown, request: HttpRequest): boolean {
  if (isTimeout(error)) return false
  if (error instanceof TransportError) return !error.maybeSent || isRepeatable(request)
  if (!(error instanceof RetryableResponse)) return false
  const { status, headers } = error.response
  // GitHub's limits come as 403 or 429 with the time to wait; a 403 without it is a permission.
  if (status < 500) return headers['retry-after'] !== undefined
  return isRepeatable(request)
}

function retryAfterMs(error: unknown, nowMs: number): number | undefined {
  if (!(error instanceof RetryableResponse)) return undefined
  return parseRetryAfter(error.response.headers['retry-after'], nowMs)
}

function isTimeout(error: unknown): boolean {
  return error instanceof TransportError && error.failure === 'timeout'
}

type Target = Pick<HttpRequest, 'method' | 'url'>

function onlyReads({ method, url }: Target): boolean {
  return method === 'GET' || url.pathname.endsWith('/graphql')
}

/** Whether sending a request twice does no more than sending it once. A reaction that is there already is no second. */
function isRepeatable(request: Target): boolean {
  return onlyReads(request) || request.method !== 'POST' || request.url.pathname.endsWith('/reactions')
}

function isSuccess({ status }: { readonly status: number }): boolean {
  return status >= 200 && status < 300
}

function fetchResponse({ status, headers, body }: HttpResponse, url: URL): FetchResponse {
  return {
    status,
    ok: isSuccess({ status }),
    url: url.href,
    headers: new Map(Object.entries(headers)),
    text: async () => body,
    json: async () => JSON.parse(body),
    arrayBuffer: async () => new TextEncoder().encode(body).buffer,
  }
}
