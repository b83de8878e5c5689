import type { getOctokit } from '@actions/github'
import { HttpClient, type HttpRequest, type ProxySettings, TransportError } from '../lib/http.ts'
import { recordField } from '../lib/text.ts'
import { afterGrace, type Waiting } from '../lib/time.ts'
import {
  assertBody,
  canRetry,
  describeFailures,
  type FailedCall,
  failedLookup,
  type GitHubCall,
  GitHubError,
  type GraphqlError,
  isTooLarge,
  type Lookup,
  mayHaveArrived,
  mayPass,
  NeededCallError,
  onlyReads,
  passingFailure,
  type RequestLine,
  readGraphqlErrors,
  toGitHubError,
} from './github-errors.ts'

export type Octokit = ReturnType<typeof getOctokit>

export type Maybe<T> = T | null | undefined

/**
 * An object in GitHub's payloads and answers, as far as it is read here. Every field may be missing or null: servers
 * differ in age, accounts and repositories are deleted, and a local run makes its payload up.
 * Source: GitHub's documentation, "Webhook events and payloads", "REST API endpoints", "GraphQL".
 */
export type FromGitHub<T> = { readonly [Field in keyof T]?: Maybe<T[Field]> }

/** A list in GraphQL. An entry that the token may not see is null. */
export type Nodes<T> = FromGitHub<{ nodes: readonly Maybe<T>[] }>

/** One page of a list. */
export type Paged<T> = Nodes<T> &
  FromGitHub<{
    pageInfo: FromGitHub<{ hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string }>
  }>

export function nodesOf<T>(connection: Maybe<Nodes<T>>): T[] {
  return (connection?.nodes ?? []).filter((node) => node != null)
}

export type User = FromGitHub<{
  id: number
  /** `renovate[bot]` where REST and webhooks name an app; GraphQL leaves `[bot]` out. */
  login: string
  /** `User`, `Bot`, `Organization`, `Mannequin`. */
  type: string
}>

/** Returns a login in lower case and without `[bot]`, because GraphQL and REST spell the logins of apps differently. */
export function normalizeLogin(login: string): string {
  return login.toLowerCase().replace(/\[bot\]$/, '')
}

type GitHubOptions = Waiting & {
  readonly apiUrl: string
  readonly serverUrl: string
  /** `owner/name`. */
  readonly repository: string
  /** If it is empty, every call fails. */
  readonly token: string
  readonly proxy: ProxySettings
  readonly log: Readonly<
    Record<'debug' | 'info', (text: string) => void> &
      Record<'notice', (text: string, title: string) => void>
  >
  /** Until when pauses may last, in milliseconds since the epoch; without it, 15 s each. */
  readonly retryAfterDeadlineMs?: number | undefined
}

/** Before the second and the third try. */
const RETRY_PAUSES_MS = [3000, 9000]
/** How long a call is repeated that the run can't do without, and the pause after its first three tries. */
const NEEDED_MS = 120_000
const NEEDED_PAUSE_MS = 15_000
/** Of 100 entries of each list: 250 commits are all that GitHub tells of a pull request. */
const MAX_GRAPHQL_PAGES = 3
/** The longest pause that delays a job. */
const MAX_GITHUB_PAUSE_MS = 15_000

/**
 * GitHub's API for the repository of a run: Octokit with this action's transport and retries. Octokit is
 * loaded by the first call.
 */
export class GitHub {
  readonly repository: { readonly owner: string; readonly repo: string }
  /** `/repos/owner/name`. */
  readonly path: string
  readonly serverUrl: string
  readonly #options: GitHubOptions
  readonly #http: HttpClient
  /** Ends requests that write. A canceled run has 5 s, in which a comment can still be finished. */
  readonly #lateCancel: AbortSignal
  #octokit: Promise<Octokit> | undefined
  /** Whether further requests get one try: after one that timed out in all its tries, or while a call is repeated. */
  #hasTimedOut = false
  #isRepeating = false
  /** The calls that failed and that the run could do without. */
  readonly #failures: FailedCall[] = []
  /** Whether the run ends because of a failed call, which explains the others. */
  #isExplained = false
  /** Permissions that have worked in this run. */
  readonly #workingPermissions = new Set<string>()
  #account: User | undefined

  constructor(options: GitHubOptions) {
    const [owner = '', repo = ''] = options.repository.split('/')
    this.repository = { owner, repo }
    this.path = `/repos/${options.repository}`
    this.serverUrl = options.serverUrl
    this.#options = options
    this.#http = new HttpClient({ ...options, timeoutMs: 10_000, debug: options.log.debug })
    this.#lateCancel = afterGrace(options.cancel, 4000, options.clock)
  }

  /**
   * Returns the data of one response.
   *
   * @throws {GitHubError} if the call fails after retries that can help and do no harm, or if its body can't be used
   */
  async call<T>(send: (octokit: Octokit) => Promise<{ readonly data: T }>): Promise<T> {
    return (await send(await this.#load())).data
  }

  /** Returns the `data` of a GraphQL query, which may be partial, and its errors. Throws as `call` does. */
  async graphql<T>(
    query: string,
    variables: Readonly<Record<string, string | number>> = {},
  ): Promise<{ readonly data: T; readonly errors: readonly GraphqlError[] }> {
    const { graphql } = await this.#load()
    try {
      return { data: await graphql<T>(query, variables), errors: [] }
    } catch (error) {
      // Octokit throws if there are errors, with the partial data.
      const errors = readGraphqlErrors(error)
      if (errors.length === 0) throw error
      return { data: recordField(error, 'data') as T, errors }
    }
  }

  /**
   * Asks a query again for the next page of its lists, until each has ended, the next page can't be read, or some pages
   * were read. The variable with a list's name takes its cursor. Throws as `call` does.
   */
  async graphqlPages<T>(
    query: string,
    variables: Readonly<Record<string, string | number>>,
    listsOf: (data: T) => Readonly<Record<string, Maybe<Paged<unknown>>>>,
  ) {
    const first = await this.graphql<T>(query, variables)
    const pages = [first.data]
    const errors = [...first.errors]
    const cursors = { ...variables }
    let lists = Object.entries(listsOf(first.data))
    const isMore = () => lists.some(([, list]) => list?.pageInfo?.hasNextPage === true)
    while (isMore() && pages.length < MAX_GRAPHQL_PAGES) {
      for (const [name, list] of lists)
        if (list?.pageInfo?.endCursor) cursors[name] = list.pageInfo.endCursor
      const next = await this.attempt(() => this.graphql<T>(query, cursors))
      if (!next.known) break
      pages.push(next.value.data)
      errors.push(...next.value.errors)
      lists = Object.entries(listsOf(next.value.data))
    }
    return { pages, errors, isWhole: !isMore() }
  }

  /**
   * Returns all entries of a list, page after page: smaller pages if one is too large. Throws as `call` does.
   *
   * @param perPage entries of a page, at most 100
   */
  async list<T>(path: string, maxEntries = Infinity, perPage = 100): Promise<readonly T[]> {
    const { paginate } = await this.#load()
    const all: T[] = []
    const pages = (size: number) =>
      paginate.iterator(`GET ${path}`, {
        per_page: size,
        ...(all.length > 0 && { page: 1 + all.length / size }),
      })
    const read = async (size: number): Promise<readonly T[]> => {
      try {
        for await (const page of pages(size)) {
          const entries: unknown = page.data
          // Octokit turns a 409 into an empty page without a URL.
          const isList = 'url' in page && Array.isArray(entries) && !entries.includes(null)
          if (!isList) throw new GitHubError('GitHub returned something that is not a list')
          all.push(...(entries as readonly T[]))
          if (all.length >= maxEntries) break
        }
        return all
      } catch (error) {
        if (size === 1 || !isTooLarge(error)) throw error
        return await read(size % 10 === 0 ? size / 10 : 1)
      }
    }
    return await read(perPage)
  }

  /** Makes a call whose failure is a value. */
  async attempt<T>(send: () => Promise<T>, permission = ''): Promise<Lookup<T>> {
    try {
      const value = await send()
      this.#workingPermissions.add(permission)
      return { known: true, value }
    } catch (caught) {
      return failedLookup(toGitHubError(caught, this.#options.clock.now()))
    }
  }

  /** Makes a call that the run can't do without, for up to two minutes. @throws {NeededCallError} */
  async need<T>(call: GitHubCall, send: () => Promise<T>): Promise<T> {
    const { clock, cancel } = this.#options
    const deadlineMs = clock.now() + NEEDED_MS
    let result = await this.attempt(send, call.permission)
    while (!result.known) {
      const { error } = result
      const pauseMs = error.retryAfterMs || NEEDED_PAUSE_MS
      const isLate = pauseMs > MAX_GITHUB_PAUSE_MS || clock.now() + pauseMs >= deadlineMs
      if (isLate || !mayPass(error) || cancel.aborted)
        throw new NeededCallError(
          { ...call, permission: error.permission ?? call.permission },
          error,
        )
      await this.pause(pauseMs)
      this.#isRepeating = true
      result = await this.attempt(send, call.permission)
      this.#isRepeating = false
    }
    return result.value
  }

  /** Makes a call that the run can do without. */
  async attemptAndReport<T>(call: GitHubCall, send: () => Promise<T>): Promise<Lookup<T>> {
    const result = await this.attempt(send, call.permission)
    if (!result.known) this.report(result.error, call)
    return result
  }

  /**
   * Creates something that must not exist twice: if an attempt may have arrived, it is looked for before the next one.
   * Throws as `create` and `find` do.
   */
  async createOnce<T>(create: () => Promise<T>, find: () => Promise<T | undefined>): Promise<T> {
    for (const pauseMs of this.#pausesMs()) {
      try {
        return await create()
      } catch (error) {
        const isUnclear = error instanceof GitHubError && error.maybeWritten
        if (!isUnclear || this.#options.cancel.aborted) throw error
        await this.pause(pauseMs)
        const found = await find()
        if (found !== undefined) return found
      }
    }
    return await create()
  }

  /** Logs a failed call that the run can do without. All of them are one notice at the end. */
  report(error: GitHubError, call: GitHubCall): void {
    const { log, cancel } = this.#options
    log.info(`Could not ${call.purpose}: ${error.message}.`)
    if (!cancel.aborted) this.#failures.push({ error, call })
  }

  /** Leaves out the notice, because the run ends with an error about GitHub. */
  explain(): void {
    this.#isExplained = true
  }

  /**
   * Writes one notice about all calls that failed and that the run could do without.
   *
   * @returns whether there were such calls
   */
  reportFailures(): boolean {
    const [first, ...others] = this.#failures
    if (first === undefined || this.#isExplained) return false
    const { text, title } = describeFailures([first, ...others], ({ call, error }) =>
      this.#isMissing(call, error),
    )
    this.#options.log.notice(text, title)
    return true
  }

  /** Waits, unless the run is canceled. */
  async pause(ms: number): Promise<void> {
    const { clock, cancel } = this.#options
    await clock.sleep(ms, cancel).catch(() => undefined)
  }

  /** Whether another try can't help: a 403 or 404 is final if `permission` hasn't worked in this run. */
  isRefusedForGood(error: GitHubError, permission: string): boolean {
    return error.kind === 'refused' || this.#isMissing({ permission }, error)
  }

  #isMissing(
    { permission, fix }: Pick<GitHubCall, 'permission' | 'fix'>,
    { kind, message }: GitHubError,
  ): boolean {
    // With `issues: write`, a token can comment on a pull request, but not request reviews.
    const isNamed = fix !== undefined || message.includes('Resource not accessible by')
    return kind === 'permission' && (isNamed || !this.#workingPermissions.has(permission))
  }

  /** Returns the token's account. By GraphQL, because REST's `GET /user` rejects App tokens. Throws as `call` does. */
  async account(): Promise<User> {
    if (this.#account === undefined) {
      const query = 'query { viewer { id: databaseId login } }'
      this.rememberAccount((await this.graphql<{ viewer?: User }>(query)).data.viewer)
    }
    if (this.#account === undefined)
      throw new GitHubError("GitHub didn't return the account of the token")
    return this.#account
  }

  /** Remembers the token's account from another call's response. */
  rememberAccount(user: Maybe<User>): void {
    if (user?.login) this.#account = user
  }

  /** @throws {GitHubError} if there is no token */
  async #load(): Promise<Octokit> {
    if (this.#options.token === '') {
      throw new GitHubError('`github-token` is empty', {
        kind: 'refused',
        explanation:
          'Check that its secret exists and that the name matches, or remove the input to use `github.token`.',
      })
    }
    this.#octokit ??= this.#createOctokit()
    return await this.#octokit
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
      request: { fetch: (url: string, init: HttpRequest) => this.#fetch(url, init) },
    })
    octokit.hook.wrap('request', (send, request) => this.#retry(request, async () => send(request)))
    return octokit
  }

  /** Returns the pauses between tries. */
  #pausesMs(): readonly number[] {
    return this.#hasTimedOut || this.#isRepeating ? [] : RETRY_PAUSES_MS
  }

  /** Sends a request up to three times. @throws {GitHubError} */
  async #retry<T extends { readonly status: number; readonly data: unknown }>(
    request: RequestLine,
    send: () => Promise<T>,
  ): Promise<T> {
    const { clock, cancel, retryAfterDeadlineMs } = this.#options
    const pausesMs = [...this.#pausesMs()]
    let maybeWritten = false
    let hasTimedOut = true
    for (;;) {
      try {
        const response = await send()
        assertBody(response, request)
        const failure = passingFailure(response.data, request)
        // What an answer with errors contains is believed after the last try.
        if (failure === undefined || pausesMs.length === 0 || cancel.aborted) return response
        throw failure
      } catch (caught) {
        let error = toGitHubError(caught, clock.now())
        const { message, cause } = error
        hasTimedOut &&= cause instanceof TransportError && cause.failure === 'timeout'
        maybeWritten ||= !onlyReads(request) && mayHaveArrived(error)
        if (maybeWritten) {
          // An earlier try may have succeeded.
          const kind = error.kind === 'rate-limit' ? error.kind : 'other'
          error = new GitHubError(message, { ...error, cause, kind, maybeWritten })
        }
        const usualMs = canRetry(error, request) ? pausesMs.shift() : undefined
        const pauseMs = usualMs && (error.retryAfterMs || usualMs)
        const maxPauseMs =
          retryAfterDeadlineMs === undefined
            ? MAX_GITHUB_PAUSE_MS
            : retryAfterDeadlineMs - clock.now()
        const isLast = pauseMs === undefined || pauseMs > maxPauseMs
        if (!isLast) await this.pause(pauseMs)
        if (isLast || cancel.aborted) {
          this.#hasTimedOut ||= hasTimedOut
          throw error
        }
      }
    }
  }

  /** Sends Octokit's requests over this action's transport. */
  async #fetch(
    address: string,
    { method, headers, body }: Omit<HttpRequest, 'url'>,
  ): Promise<Response> {
    const { apiUrl, cancel } = this.#options
    const url = new URL(address)
    // The token is only sent to GitHub's API, wherever a `Link` header points.
    if (url.origin !== new URL(apiUrl).origin) throw new Error(`${url.origin} is not GitHub's API`)
    const request = { method, url: url.pathname }
    // A cancellation ends reads at once; writes and their follow-ups can still be finished.
    const endsAtOnce = onlyReads(request) && !cancel.aborted
    const response = await this.#http.send({
      method,
      url,
      headers: { ...headers, 'x-github-api-version': '2022-11-28' },
      body,
      signal: endsAtOnce ? cancel : this.#lateCancel,
    })
    const { status } = response
    if (response.isTooLarge) {
      const message = `the response of GitHub could not be read, because ${response.bodyProblem}`
      throw new TransportError(message, { failure: 'too-large', maybeSent: true })
    }
    return new Response(status === 204 ? null : response.body, {
      status,
      headers: response.headers,
    })
  }
}
