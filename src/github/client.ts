import type { getOctokit } from '@actions/github'
import { HttpClient } from '../lib/http.ts'
import { integerField, isRecord, type JsonRecord, recordField, stringField } from '../lib/json.ts'
import { RetryError, retry } from '../lib/retry.ts'
import { joinSentences } from '../lib/text.ts'
import { afterGrace, type Waiting } from '../lib/time.ts'
import { type ProxySettings, TransportError } from '../lib/transport.ts'
import { checkBody, GitHubError, type GraphqlError, readGraphqlErrors, toGitHubError } from './errors.ts'

export type Octokit = ReturnType<typeof getOctokit>

/** A call that a run can do without. */
export type GitHubCall = {
  /** What the call is for, to follow "Failed to": `list the comments`. */
  readonly purpose: string
  /** The permission that the token needs for it: `issues: write`. */
  readonly permission: string
  /** How a failure is logged; a warning by default. */
  readonly level?: 'notice' | 'warning'
  /** How a missing permission is logged, where that differs. */
  readonly levelIfMissing?: 'notice'
  /** What follows from a failure, as a sentence. */
  readonly consequence?: string
}

/** Three answers: there is one, there is none (`undefined` in `value`), or it can't be told. */
export type Known<T> =
  | { readonly known: true; readonly value: T }
  /** `why` follows a colon: `GitHub returned 502`. */
  | { readonly known: false; readonly why: string }

export type Account = {
  /** `undefined` if it is not known. */
  readonly id: number | undefined
  /** As `normalizeLogin` returns it; empty if it is not known. */
  readonly login: string
}

/** A login in lower case, without `[bot]`: GraphQL and REST spell the logins of apps differently. */
export function normalizeLogin(login: string): string {
  return login.toLowerCase().replace(/\[bot\]$/, '')
}

/** Whether two accounts are the same: by id where both are known, else by login. */
export function isSameAccount(one: Account, other: Account | undefined): boolean {
  if (other === undefined) return false
  if (one.id !== undefined && other.id !== undefined) return one.id === other.id
  return one.login !== '' && one.login === other.login
}

/** What the client needs from outside. */
export type GitHubOptions = Waiting & {
  readonly apiUrl: string
  readonly serverUrl: string
  /** `owner/name`. */
  readonly repository: string
  /** May be empty: then every call fails. */
  readonly token: string
  readonly proxy: ProxySettings
  readonly log: Readonly<Record<'info' | 'notice' | 'warning', (text: string) => void>>
  /**
   * How often a request is sent at most, and for how long, in milliseconds. `isPatient`: all requests together have that
   * long, and whatever GitHub refuses is sent again; it took the same before.
   */
  readonly retries: { readonly maxAttempts: number; readonly maxWaitMs: number; readonly isPatient?: boolean }
}

const BACKOFF = { baseMs: 500, maxMs: 8000 }

/** How long a comment may still be finished once the run was cancelled, in milliseconds; the whole run has 5 s. */
const CANCEL_GRACE_MS = 4000

/** GitHub's API for the repository of a run. Nothing is loaded or sent before the first call. */
export class GitHub {
  readonly repository: { readonly owner: string; readonly repo: string }
  readonly serverUrl: string
  readonly #options: GitHubOptions
  readonly #http: HttpClient
  /** Ends requests that write. */
  readonly #lateCancel: AbortSignal
  readonly #startedAtMs: number
  readonly #reported = new Set<string>()
  readonly #missing = new Set<string>()
  readonly #worked = new Set<string>()
  #octokit: Promise<Octokit> | undefined
  #account: Promise<Account> | undefined

  constructor(options: GitHubOptions) {
    const [owner = '', repo = ''] = options.repository.split('/')
    this.repository = { owner, repo }
    this.serverUrl = options.serverUrl
    this.#options = options
    this.#startedAtMs = options.clock.now()
    this.#http = new HttpClient({ ...options, timeoutMs: 10_000 })
    this.#lateCancel = afterGrace(options.cancel, CANCEL_GRACE_MS, options.clock)
  }

  /**
   * Makes a call, with retries where that can help and does no harm.
   *
   * @throws {GitHubError} if it fails, or its response is neither an object nor a list
   */
  async request<T>(send: (octokit: Octokit) => Promise<T>): Promise<T> {
    if (this.#options.token === '') throw new GitHubError('there is no `github-token`', { kind: 'token' })
    this.#octokit ??= this.#createOctokit()
    try {
      return await send(await this.#octokit)
    } catch (error) {
      throw toGitHubError(error, this.#options.clock.now())
    }
  }

  /**
   * Makes a GraphQL query. Of a response with errors, the data that came counts.
   *
   * @returns the data, and the errors that came beside it: a field that one of them names is unknown, not empty
   * @throws {GitHubError} if it fails, or there is no data
   */
  async graphql(
    query: string,
    variables: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly data: JsonRecord; readonly errors: readonly GraphqlError[] }> {
    const { data: answer } = await this.request<{ readonly data: unknown }>((octokit) =>
      octokit.request('POST /graphql', { query, variables }),
    )
    return { data: recordField(answer, 'data'), errors: readGraphqlErrors(answer) }
  }

  /** Makes a call that the run can do without: a failure is logged, and the result `undefined`. */
  async attempt<T>(call: GitHubCall, send: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await send()
      this.#worked.add(call.permission)
      return result
    } catch (error) {
      this.report(error, call)
      return undefined
    }
  }

  /** Logs a failed call: a missing permission once for all calls that need it, any other cause once. */
  report(error: unknown, call: GitHubCall): void {
    const { log, cancel, clock, retries } = this.#options
    const failure = toGitHubError(error, clock.now())
    const mayBeMissing = retries.isPatient !== true && !this.#worked.has(call.permission)
    const isMissing = failure.kind === 'permission' && mayBeMissing
    if (isMissing) this.#missing.add(call.permission)
    const text = joinSentences(
      `Failed to ${call.purpose}: ${failure.message}.`,
      isMissing ? permissionAdvice(call.permission) : '',
      failure.kind === 'token' ? TOKEN_ADVICE : '',
      call.consequence ?? '',
    )
    const key = isMissing ? call.permission : `${call.level} ${failure.message} ${call.consequence}`
    if (cancel.aborted || this.#reported.has(key)) log.info(text)
    else log[(isMissing ? call.levelIfMissing : undefined) ?? call.level ?? 'warning'](text)
    this.#reported.add(key)
  }

  /** Whether calls fail because the token lacks this permission, and none that needs it has worked in this run. */
  lacks(permission: string): boolean {
    return this.#missing.has(permission) && !this.#worked.has(permission)
  }

  /**
   * Whose token it is; asked until it is known. By GraphQL, since REST's `GET /user` refuses the tokens of apps.
   *
   * @throws {GitHubError} if it can't be told
   */
  account(): Promise<Account> {
    if (this.#account !== undefined) return this.#account
    const answer = this.graphql('query { viewer { databaseId login } }', {})
    const asked = answer.then(({ data }) => readViewer(data['viewer']))
    this.#account = asked
    asked.catch(() => {
      if (this.#account === asked) this.#account = undefined
    })
    return asked
  }

  /** Takes over whose token it is from another query that asked for the `viewer`. */
  knowAccount(viewer: unknown): void {
    const account = isRecord(viewer) ? readViewer(viewer) : undefined
    if (account !== undefined) this.#account = Promise.resolve(account)
  }

  async #createOctokit(): Promise<Octokit> {
    const { getOctokit } = await import('@actions/github')
    const { token, apiUrl } = this.#options
    const silent = (): void => undefined
    const octokit = getOctokit(token, {
      baseUrl: apiUrl.replace(/\/$/, ''),
      userAgent: 'docs-agent-action',
      // Octokit's own log goes to the console, where its text could be read as a workflow command.
      log: { debug: silent, info: silent, warn: silent, error: silent },
      request: { fetch: (url: string, init: RequestInit) => this.#fetch(url, init) },
    })
    octokit.hook.wrap('request', (request, options) =>
      this.#withRetries(async () => {
        const response = await request(options)
        checkBody(response, options.url)
        return response
      }, options),
    )
    return octokit
  }

  /** What Octokit sends its requests with: this action's transport, with the platform's `Response`. */
  async #fetch(address: string, { method = 'GET', headers, body }: RequestInit): Promise<Response> {
    const url = new URL(address)
    // The token goes to GitHub's API alone, wherever a `Link` header may point.
    const isGitHubs = url.origin === new URL(this.#options.apiUrl).origin
    if (!isGitHubs) throw new Error(`${url.origin} is not GitHub's API`)
    const { cancel } = this.#options
    // What was begun is ended within the grace; only what else is read ends with the cancel.
    const endsAtOnce = onlyReads(method, url.pathname) && !cancel.aborted
    const response = await this.#http.send({
      method,
      url,
      headers: { ...Object.fromEntries(new Headers(headers)), 'x-github-api-version': API_VERSION },
      body: typeof body === 'string' ? body : undefined,
      signal: endsAtOnce ? cancel : this.#lateCancel,
      freshConnection: !isRepeatable(method, url.pathname),
    })
    const { status, bodyProblem } = response
    if (status >= 300 && status < 400) throw new Error(`GitHub redirected the request (${status})`)
    if (bodyProblem !== undefined && status < 300)
      throw new Error(`the response is unreadable: ${bodyProblem}`)
    return new Response(status === 204 ? null : response.body, { status, headers: response.headers })
  }

  async #withRetries<T>(
    attempt: () => Promise<T>,
    { method, url }: { readonly method: string; readonly url: string },
  ): Promise<T> {
    const { clock, retries } = this.#options
    const { isPatient = false } = retries
    const untilMs = (isPatient ? this.#startedAtMs : clock.now()) + retries.maxWaitMs
    try {
      return await retry(
        attempt,
        {
          backoff: BACKOFF,
          maxAttempts: retries.maxAttempts,
          isRetryable: (error) => isRetryable(error, { method, url, isPatient }, clock.now()),
          retryAfterMs: (error) => toGitHubError(error, clock.now()).retryAfterMs,
          deadlineMs: () => untilMs,
          onRetry: () => undefined,
        },
        this.#options,
      )
    } catch (error) {
      throw error instanceof RetryError ? error.cause : error
    }
  }
}

function permissionAdvice(permission: string): string {
  const isAboutThread = permission === 'issues: write' || permission === 'pull-requests: write'
  const unless = isAboutThread ? ', unless the thread was deleted or locked' : ''
  return `The job's \`github-token\` needs the permission \`${permission}\` for this${unless}.`
}

const TOKEN_ADVICE =
  'Check `github-token`: it is missing, invalid or has expired; the token of a GitHub App expires after one hour.'

/** Source: GitHub's documentation, "API Versions". */
const API_VERSION = '2022-11-28'

type Sent = { readonly method: string; readonly url: string; readonly isPatient: boolean }

/** Whether a failed request may be sent again: the one predicate for GitHub. */
function isRetryable(error: unknown, { method, url, isPatient }: Sent, nowMs: number): boolean {
  const isSafe = isRepeatable(method, url)
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof TransportError) {
    return cause.failure !== 'proxy' && (isSafe || !cause.maybeSent)
  }
  const { kind, status } = toGitHubError(error, nowMs)
  if (kind === 'rate-limit') return true
  // What is to be deleted and is not there is gone.
  const isRefused = status !== undefined && status >= 400 && status < 500
  if (isPatient && isRefused && !(method === 'DELETE' && status === 404)) return true
  return isSafe && kind === 'other' && (status === undefined || status >= 500)
}

function onlyReads(method: string, path: string): boolean {
  return method === 'GET' || path.endsWith('/graphql')
}

/** Whether sending a request twice does no more than sending it once; a reaction or status that is there is no second. */
function isRepeatable(method: string, path: string): boolean {
  return onlyReads(method, path) || method !== 'POST' || /\/(?:reactions|statuses\/[^/]+)$/.test(path)
}

function readViewer(viewer: unknown): Account {
  const login = stringField(viewer, 'login') ?? ''
  if (login === '') throw new GitHubError('GitHub does not say whose token it is', { kind: 'other' })
  return { id: integerField(viewer, 'databaseId'), login: normalizeLogin(login) }
}
