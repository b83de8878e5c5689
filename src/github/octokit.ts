import type { getOctokit } from '@actions/github'
import { afterGrace, type Waiting } from '../lib/clock.ts'
import { HttpClient, type HttpRequest } from '../lib/http.ts'
import { type ProxySettings, TransportError } from '../lib/transport.ts'
import { asPassing, checkBody, GitHubError, type SentRequest, toGitHubError } from './errors.ts'

export type Octokit = ReturnType<typeof getOctokit>

export type OctokitOptions = Waiting & {
  readonly apiUrl: string
  /** May be empty: then every call fails. */
  readonly token: string
  readonly proxy: ProxySettings
  readonly log: { readonly debug: (text: string) => void }
  /** Until when a `Retry-After` is waited for, in milliseconds since the epoch; else 15 s each time. */
  readonly retryAfterDeadlineMs?: number | undefined
}

/** Before the second and the third try. */
const PAUSES_MS = [3000, 9000]
/** Nothing on GitHub is worth holding a job up for. */
const MAX_RETRY_AFTER_MS = 15_000

const NO_TOKEN =
  'the input `github-token` is empty: if it is taken from a secret, is that set and spelled so? Without the input, `github.token` is used'

/** Octokit with this action's transport and rules of what is retried. Nothing is loaded or sent before it is used. */
export class OctokitLoader {
  readonly #options: OctokitOptions
  readonly #http: HttpClient
  /** Ends requests that write, so that a comment may still be finished: a cancelled run has 5 s. */
  readonly #lateCancel: AbortSignal
  #octokit: Promise<Octokit> | undefined

  constructor(options: OctokitOptions) {
    this.#options = options
    this.#http = new HttpClient({ ...options, timeoutMs: 10_000, debug: options.log.debug })
    this.#lateCancel = afterGrace(options.cancel, 4000, options.clock)
  }

  /** @throws {GitHubError} if there is no token */
  async load(): Promise<Octokit> {
    if (this.#options.token === '') throw new GitHubError(NO_TOKEN, { kind: 'refused' })
    this.#octokit ??= this.#create()
    return await this.#octokit
  }

  async #create(): Promise<Octokit> {
    const { getOctokit } = await import('@actions/github')
    const { token, apiUrl } = this.#options
    const silent = (): void => undefined
    const octokit = getOctokit(token, {
      baseUrl: apiUrl.replace(/\/$/, ''),
      userAgent: 'docs-agent-action',
      // Octokit's own log goes to the console, where its text could be read as a workflow command.
      log: { debug: silent, info: silent, warn: silent, error: silent },
      request: { fetch: (url: string, init: HttpRequest) => this.#fetch(url, init) },
    })
    octokit.hook.wrap('request', (send, request) => this.#retry(request, async () => send(request)))
    return octokit
  }

  /** Sends a request up to three times. @throws {GitHubError} */
  async #retry<T extends { readonly status: number; readonly data: unknown }>(
    request: SentRequest,
    send: () => Promise<T>,
  ): Promise<T> {
    const { clock, cancel, retryAfterDeadlineMs } = this.#options
    let mayHaveArrived = false
    for (let attempt = 0; ; attempt++) {
      try {
        const response = await send()
        checkBody(response, request)
        return response
      } catch (caught) {
        const last = toGitHubError(caught, clock.now())
        // A refusal is not final for a request that may have arrived at an earlier try.
        const error: GitHubError = mayHaveArrived ? asPassing(last) : last
        mayHaveArrived ||= error.kind === 'other'
        const pauseMs = error.retryAfterMs || PAUSES_MS[attempt]
        const maxMs =
          retryAfterDeadlineMs === undefined ? MAX_RETRY_AFTER_MS : retryAfterDeadlineMs - clock.now()
        const isTooLong = error.retryAfterMs !== undefined && error.retryAfterMs > maxMs
        if (attempt >= PAUSES_MS.length || pauseMs === undefined || isTooLong) throw error
        if (!isRetryable(error, request) || cancel.aborted) throw error
        await clock.sleep(pauseMs, cancel).catch(() => undefined)
        if (cancel.aborted) throw error
      }
    }
  }

  /** What Octokit sends its requests with: this action's transport, with the platform's `Response`. */
  async #fetch(address: string, { method, headers, body }: Omit<HttpRequest, 'url'>): Promise<Response> {
    const { apiUrl, cancel } = this.#options
    const url = new URL(address)
    // The token goes to GitHub's API alone, wherever a `Link` header may point.
    if (url.origin !== new URL(apiUrl).origin) throw new Error(`${url.origin} is not GitHub's API`)
    // What was begun is ended within the grace; only what else is read ends with the cancel.
    const endsAtOnce = onlyReads(method, url.pathname) && !cancel.aborted
    const response = await this.#http.send({
      method,
      url,
      headers: { ...headers, 'x-github-api-version': '2022-11-28' },
      body,
      signal: endsAtOnce ? cancel : this.#lateCancel,
      freshConnection: !isRepeatable(method, url.pathname),
    })
    const { status, bodyProblem } = response
    if (status >= 300 && status < 400) throw new Error(`GitHub redirected the request (${status})`)
    if (bodyProblem !== undefined && status < 300)
      throw new Error(`the response is unreadable: ${bodyProblem}`)
    return new Response(status === 204 ? null : response.body, { status, headers: response.headers })
  }
}

/** Whether a failed request may be sent again: the one predicate for GitHub. */
function isRetryable({ kind, status, cause }: GitHubError, { method, url }: SentRequest): boolean {
  const isSafe = isRepeatable(method, url)
  if (cause instanceof TransportError) return cause.failure !== 'proxy' && (isSafe || !cause.maybeSent)
  if (kind === 'rate-limit') return true
  const isPassing = status === undefined || status >= 500 || status === 408 || status === 409
  return isSafe && kind === 'other' && isPassing
}

/** Whether sending a request twice does no more than sending it once; an existing reaction or status is not doubled. */
function isRepeatable(method: string, path: string): boolean {
  return onlyReads(method, path) || method !== 'POST' || /\/(?:reactions|statuses\/[^/]+)$/.test(path)
}

function onlyReads(method: string, path: string): boolean {
  return method === 'GET' || path.endsWith('/graphql')
}
