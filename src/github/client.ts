import {
  HttpClient,
  type HttpRequest,
  type ProxySettings,
  TransportError,
  transportAdvice,
} from '../lib/http.ts'
import {
  clip,
  errorMessage,
  isRecord,
  joinSentences,
  listField,
  recordField,
  stringField,
} from '../lib/text.ts'
import { afterGrace, parseRetryAfter, type Waiting } from '../lib/time.ts'
import type { Maybe, Octokit, Paged, User } from './types.ts'

/** A call that a run can do without. */
export type GitHubCall = {
  /** What the call is for, to follow "Failed to": `list the comments`. */
  readonly purpose: string
  /** The permission that the token needs for it: `issues: write`. */
  readonly permission: string
  /** How a failure is annotated; by default as a warning, but a missing permission to read as a notice. */
  readonly level?: 'info' | 'notice' | 'warning'
  /** What a failure means for the user, to follow "so": `each run opens another pull request`. */
  readonly effect?: string
  /** What else follows from a failure, as sentences. */
  readonly note?: string
}

/** Three answers: there is one, there is none (`undefined` in `value`), or it is not known. */
export type Lookup<T> =
  | { readonly known: true; readonly value: T }
  /** `why` is the error's message, which follows a colon: `GitHub returned 502`. */
  | { readonly known: false; readonly why: string; readonly error: GitHubError }

/** Known that there is none; also for what is done and has no value. */
export const NOT_FOUND = { known: true, value: undefined } as const

export function failedLookup(error: GitHubError): Lookup<never> {
  return { known: false, why: error.message, error }
}

type GitHubOptions = Waiting & {
  readonly apiUrl: string
  readonly serverUrl: string
  /** `owner/name`. */
  readonly repository: string
  /** May be empty: then every call fails. */
  readonly token: string
  readonly proxy: ProxySettings
  readonly log: Readonly<
    Record<'debug' | 'info', (text: string) => void> &
      Record<'notice' | 'warning' | 'warnInSummary', (text: string, title: string) => void>
  >
  /** Until when pauses may last, in milliseconds since the epoch; else 15 s each. */
  readonly retryAfterDeadlineMs?: number | undefined
}

/** Before the second and the third try. */
const RETRY_PAUSES_MS = [3000, 9000]
/** Of 100 entries of each list: 250 commits are all that GitHub tells of a pull request. */
const MAX_GRAPHQL_PAGES = 3
/** Nothing on GitHub is worth holding a job up for. */
const MAX_GITHUB_PAUSE_MS = 15_000

/**
 * GitHub's API for the repository of a run: Octokit with this action's transport and its rule of what is retried.
 * Nothing is loaded or sent before the first call.
 */
export class GitHub {
  readonly repository: { readonly owner: string; readonly repo: string }
  /** `/repos/owner/name`. */
  readonly path: string
  readonly serverUrl: string
  readonly #options: GitHubOptions
  readonly #http: HttpClient
  /** Ends requests that write, so that a comment may still be finished: a cancelled run has 5 s. */
  readonly #lateCancel: AbortSignal
  #octokit: Promise<Octokit> | undefined
  #hasTimedOut = false
  #hasJobStarted = false
  /** What has been said of failures: each sentence once. */
  readonly #said = new Set<string>()
  /** Permissions that have worked in this run. */
  readonly #working = new Set<string>()
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
   * The data of one response.
   *
   * @throws {GitHubError} if the call fails, after retries where those help and do no harm, or its body is unusable
   */
  async call<T>(send: (octokit: Octokit) => Promise<{ readonly data: T }>): Promise<T> {
    return (await send(await this.#load())).data
  }

  /** The `data` of a GraphQL query, as far as it came, and its errors. Throws as `call` does. */
  async graphql<T>(
    query: string,
    variables: Readonly<Record<string, string | number>> = {},
  ): Promise<{ readonly data: T; readonly errors: readonly GraphqlError[] }> {
    const { graphql } = await this.#load()
    try {
      return { data: await graphql<T>(query, variables), errors: [] }
    } catch (error) {
      // Octokit throws what came in part; a response without any data is an error of ours.
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
      const next = await this.read(() => this.graphql<T>(query, cursors))
      if (!next.known) break
      pages.push(next.value.data)
      errors.push(...next.value.errors)
      lists = Object.entries(listsOf(next.value.data))
    }
    return { pages, errors, isWhole: !isMore() }
  }

  /** All entries of a list, page after page. Throws as `call` does. */
  async list<T>(path: string, maxEntries = Infinity): Promise<readonly T[]> {
    const { paginate } = await this.#load()
    const all: T[] = []
    for await (const page of paginate.iterator(`GET ${path}`, { per_page: 100 })) {
      const entries: unknown = page.data
      // Octokit makes an empty page, without a URL, of a 409.
      const isList = 'url' in page && Array.isArray(entries) && !entries.includes(null)
      if (!isList) throw new GitHubError('GitHub returned something that is not a list')
      all.push(...(entries as readonly T[]))
      if (all.length >= maxEntries) break
    }
    return all
  }

  /** Reads something, and leaves it to the caller what a failure means. */
  async read<T>(send: () => Promise<T>): Promise<Lookup<T>> {
    try {
      return { known: true, value: await send() }
    } catch (caught) {
      return failedLookup(toGitHubError(caught, this.#options.clock.now()))
    }
  }

  /** Makes a call that the run can do without: a failure is logged. */
  async attempt<T>(call: GitHubCall, send: () => Promise<T>): Promise<Lookup<T>> {
    const result = await this.read(send)
    if (result.known) this.#working.add(call.permission)
    else this.report(result.error, call)
    return result
  }

  /**
   * Creates something that must not be there twice: where an attempt may have arrived, it is looked for before the next
   * one. Throws as `create` and `find` do.
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

  /**
   * Logs a failed call: its cause first, then its effect. It is an annotation the first time that its cause or its effect is
   * met, afterwards a line; what was said of a cause is not said again.
   */
  report(error: GitHubError, call: GitHubCall): void {
    const { log, cancel } = this.#options
    const { purpose, permission, effect = '', note = '' } = call
    const isMissing = this.#isMissing(permission, error)
    // GitHub returns 404 for both.
    const other = error.status === 404 ? ' (or the item does not exist)' : ''
    // What the workflow says does not govern a person's token.
    const isOfPerson = error.message.includes('personal access token')
    const where = isOfPerson ? 'from `github-token`' : 'in `permissions:`'
    const missing = `\`${permission}\` is missing ${where}${other}`
    const failed = `Failed to ${purpose}: ${error.message}`
    if (call.level === 'info' || cancel.aborted) {
      log.info(joinSentences(isMissing ? `${missing}.` : '', `${failed}.`))
      return
    }
    // One annotation for a token without any permission.
    const isNewCause = this.#isNew(isMissing ? 'permission' : error.message)
    const isNewEffect = this.#isNew(effect)
    const isNamed = isMissing && !this.#isNew(permission)
    const message = joinSentences(
      `${isMissing ? missing : failed}${isNewEffect ? `, so ${effect}` : ''}.`,
      isMissing && !(isNamed && isNewEffect) ? `${failed}.` : '',
      ...[error.explanation, note].filter((sentence) => this.#isNew(sentence)),
    )
    const { level = isMissing && permission.endsWith(': read') ? 'notice' : 'warning' } = call
    const title = isMissing ? `Missing permission: \`${permission}\`` : error.title
    if (isNewEffect) log.warnInSummary(message, title)
    else if (isNewCause) log[level](message, title)
    else log.info(message)
  }

  #isNew(text: string): boolean {
    const isNew = text !== '' && !this.#said.has(text)
    this.#said.add(text)
    return isNew
  }

  /** Says that no job waits for GitHub any more: until then, a GitHub that hangs is asked once for each thing. */
  jobStarted(): void {
    this.#hasJobStarted = true
  }

  /** Waits, unless the run is cancelled. */
  async pause(ms: number): Promise<void> {
    const { clock, cancel } = this.#options
    await clock.sleep(ms, cancel).catch(() => undefined)
  }

  /** Whether trying again later can't help: a 403 or 404 is final where `permission` has not worked in this run. */
  isRefusedForGood(error: GitHubError, permission: string): boolean {
    return error.kind === 'refused' || this.#isMissing(permission, error)
  }

  #isMissing(permission: string, { kind }: GitHubError): boolean {
    return kind === 'permission' && !this.#working.has(permission)
  }

  /** Whose token it is, or a GitHubError. By GraphQL, since REST's `GET /user` refuses the tokens of apps. */
  async account(): Promise<User> {
    if (this.#account === undefined) {
      const query = 'query { viewer { id: databaseId login } }'
      this.knowAccount((await this.graphql<{ viewer?: User }>(query)).data.viewer)
    }
    if (this.#account === undefined) throw new GitHubError('GitHub does not say whose token it is')
    return this.#account
  }

  /** Takes over whose token it is from another call's response. */
  knowAccount(user: Maybe<User>): void {
    if (user?.login) this.#account = user
  }

  /** @throws {GitHubError} if there is no token */
  async #load(): Promise<Octokit> {
    if (this.#options.token === '') {
      throw new GitHubError('`github-token` is empty', {
        kind: 'refused',
        explanation:
          'If it is taken from a secret, is that set, and its name spelled correctly? Without the input, `github.token` is used.',
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

  /** The pauses between tries. */
  #pausesMs(): readonly number[] {
    return this.#hasTimedOut && !this.#hasJobStarted ? [] : RETRY_PAUSES_MS
  }

  /** Sends a request up to three times. @throws {GitHubError} */
  async #retry<T extends { readonly status: number; readonly data: unknown }>(
    request: RequestLine,
    send: () => Promise<T>,
  ): Promise<T> {
    const { clock, cancel, retryAfterDeadlineMs } = this.#options
    const pausesMs = [...this.#pausesMs()]
    let maybeWritten = false
    for (;;) {
      try {
        const response = await send()
        assertBody(response, request)
        return response
      } catch (caught) {
        let error = toGitHubError(caught, clock.now())
        const { message, cause } = error
        maybeWritten ||= !onlyReads(request) && mayHaveArrived(error)
        if (maybeWritten) {
          // No refusal is final for what an earlier try may have written.
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
          this.#hasTimedOut ||= cause instanceof TransportError && cause.failure === 'timeout'
          throw error
        }
      }
    }
  }

  /** What Octokit sends its requests with: this action's transport, with the platform's `Response`. */
  async #fetch(
    address: string,
    { method, headers, body }: Omit<HttpRequest, 'url'>,
  ): Promise<Response> {
    const { apiUrl, cancel } = this.#options
    const url = new URL(address)
    // The token goes to GitHub's API alone, wherever a `Link` header may point.
    if (url.origin !== new URL(apiUrl).origin) throw new Error(`${url.origin} is not GitHub's API`)
    const request = { method, url: url.pathname }
    // What was begun is ended within the grace; only what else is read ends with the cancel.
    const endsAtOnce = onlyReads(request) && !cancel.aborted
    const response = await this.#http.send({
      method,
      url,
      headers: { ...headers, 'x-github-api-version': '2022-11-28' },
      body,
      signal: endsAtOnce ? cancel : this.#lateCancel,
      freshConnection: !canRepeat(request),
    })
    const { status } = response
    return new Response(status === 204 ? null : response.body, {
      status,
      headers: response.headers,
    })
  }
}

/** Whether a failed request may be sent again: the one rule for GitHub. */
function canRetry(error: GitHubError, request: RequestLine): boolean {
  const { kind, cause } = error
  if (kind !== 'other') return kind === 'rate-limit'
  const isUnsent = cause instanceof TransportError && !cause.maybeSent
  return isUnsent || (canRepeat(request) && mayHaveArrived(error))
}

/** Whether sending a request twice does no more than sending it once; an existing reaction or status is not doubled. */
function canRepeat(request: RequestLine): boolean {
  const { method, url } = request
  return onlyReads(request) || method !== 'POST' || /\/(?:reactions|statuses\/[^/]+)$/.test(url)
}

function onlyReads({ method, url }: RequestLine): boolean {
  return method === 'GET' || url.endsWith('/graphql')
}

/** A failed call to GitHub. The message follows "Failed to …:", such as `GitHub returned 502`. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError'
  /**
   * Why: the token may lack a permission; token, proxy or server are wrong for every call; a limit of GitHub's;
   * the same request will never succeed (410, 422, a locked thread, no token).
   */
  readonly kind: 'permission' | 'setup' | 'rate-limit' | 'refused' | 'other' = 'other'
  /** The title of an annotation: the message without what GitHub says. */
  readonly title: string
  /** HTTP status; `undefined` where no usable response came. An error of GraphQL's has none but 404. */
  readonly status: number | undefined
  /** The field that GraphQL could not resolve, such as `repository.object.status`; else empty. */
  readonly path: string = ''
  /** How long GitHub asks to wait, in milliseconds; `undefined` if it does not say. */
  readonly retryAfterMs: number | undefined
  /** The likely cause and the fix, as sentences; may be empty. `GitHub.report` says it once in a run. */
  readonly explanation: string = ''
  /** Whether the request writes and may have taken effect, at this or an earlier try. */
  readonly maybeWritten: boolean = false

  constructor(
    message: string,
    { cause, ...fields }: Partial<Omit<GitHubError, keyof Error>> & ErrorOptions = {},
  ) {
    super(message, { cause })
    this.title = message
    Object.assign(this, fields)
  }
}

/** Reads what a call was rejected with: an error of Octokit's, of the transport's, or of ours. */
function toGitHubError(error: unknown, nowMs: number): GitHubError {
  if (error instanceof GitHubError) return error
  const { status, headers, data } = recordField(error, 'response')
  if (typeof status !== 'number') {
    const inner = error instanceof Error ? error.cause : undefined
    const cause = inner instanceof TransportError ? inner : error
    const isFinal =
      cause instanceof TransportError && /^(?:proxy|tls-protocol)$/.test(cause.failure)
    const explanation = cause instanceof TransportError ? transportAdvice(cause) : ''
    const kind = isFinal ? 'setup' : 'other'
    const title = 'Could not reach GitHub'
    return new GitHubError(errorMessage(cause), { kind, title, explanation, cause })
  }
  const url = stringField(recordField(error, 'request'), 'url') ?? ''
  if (url.endsWith('/graphql') && (status === 404 || status === 405)) {
    const explanation = 'This server has no GraphQL API.'
    return new GitHubError(`GitHub returned ${status}`, { kind: 'setup', status, explanation })
  }
  const retryAfter = stringField(headers, 'retry-after')
  const isUsedUp = stringField(headers, 'x-ratelimit-remaining') === '0'
  const resetMs = isUsedUp ? Number(stringField(headers, 'x-ratelimit-reset')) * 1000 - nowMs : 0
  const retryAfterMs = parseRetryAfter(retryAfter, nowMs) ?? (resetMs > 0 ? resetMs : undefined)
  const fields = describeResponse(status, readMessages(data), retryAfter !== undefined || isUsedUp)
  return new GitHubError(fields.message, { ...fields, status, retryAfterMs, cause: error })
}

/** @param text what GitHub says */
function describeResponse(status: number, text: string, isLimited: boolean) {
  const quote = text && `"${clip(text, 200)}"`
  if (status === 401) {
    const title = 'GitHub rejected `github-token`'
    const message = `GitHub refused \`github-token\` (401${quote && `, ${quote}`})`
    const explanation =
      'It is invalid or has expired; the token of a GitHub App expires after one hour.'
    return { kind: 'setup', title, message, explanation } as const
  }
  if (status === 429 || (status === 403 && (isLimited || /rate limit/i.test(text)))) {
    const message = `GitHub returned ${status}, its rate limit`
    const title = "GitHub's API rate limit was exceeded"
    const explanation = quote && `GitHub says: ${quote}`
    return { kind: 'rate-limit', title, message, explanation } as const
  }
  return {
    kind: classify(status, text),
    title: `GitHub returned ${status}`,
    message: `GitHub returned ${status}${quote && ` (${quote})`}`,
  }
}

/** Whether GitHub may have done what it did not confirm. */
function mayHaveArrived({ kind, status, cause }: GitHubError): boolean {
  if (cause instanceof TransportError) return cause.maybeSent
  return kind === 'other' && (status === undefined || status >= 500 || status === 408)
}

/** What GitHub says, with the details that it gives for a 422. */
function readMessages(data: unknown): string {
  const details = listField(data, 'errors').map((one) =>
    typeof one === 'string' ? one : stringField(one, 'message'),
  )
  return [stringField(data, 'message'), ...details].filter((text) => text).join(': ')
}

function classify(status: number, said: string): GitHubError['kind'] {
  if (status === 410 || status === 422 || (status === 403 && /\b(?:locked|archived)\b/i.test(said)))
    return 'refused'
  if (/\bSAML\b|IP allow list|\bsuspended\b/i.test(said)) return 'setup'
  // A comparison of unrelated commits is a 404, too.
  const mayBePermission = (status === 403 || status === 404) && !/no common ancestor/i.test(said)
  return mayBePermission ? 'permission' : 'other'
}

/** One entry of the `errors` of a GraphQL response. */
export type GraphqlError = {
  /** `FORBIDDEN`, `NOT_FOUND`, …; empty if it has none. */
  readonly type: string
  readonly message: string
  /** The field that could not be resolved: `repository.object.status`. */
  readonly path: string
}

function readGraphqlErrors(data: unknown): readonly GraphqlError[] {
  return listField(data, 'errors').map((entry) => ({
    type: stringField(entry, 'type') ?? '',
    message: stringField(entry, 'message') ?? '',
    path: listField(entry, 'path').join('.'),
  }))
}

export function graphqlError({ type, message, path }: GraphqlError): GitHubError {
  const other = type === 'RATE_LIMITED' ? 'rate-limit' : 'other'
  const status = type === 'NOT_FOUND' ? 404 : undefined
  const kind = type === 'FORBIDDEN' || status ? classify(status ?? 403, message) : other
  const title = 'GitHub returned an error'
  return new GitHubError(`GitHub returned "${clip(message, 200)}"`, { kind, title, status, path })
}

type RequestLine = { readonly method: string; readonly url: string }

/**
 * A response counts only with a body that says something: proxies before GitHub answer with an empty object or a page,
 * and its GraphQL at times without data.
 *
 * @throws {GitHubError}
 */
function assertBody(
  { status, data }: { status: number; data: unknown },
  request: RequestLine,
): void {
  if (status >= 300) throw new GitHubError(`GitHub redirected the request (${status})`)
  if (!Array.isArray(data) && !(isRecord(data) && Object.keys(data).length > 0)) {
    throw new GitHubError(`GitHub returned ${status} without a readable body`)
  }
  if (!request.url.endsWith('/graphql') || (isRecord(data) && isRecord(data['data']))) return
  const [first] = readGraphqlErrors(data)
  throw first === undefined
    ? new GitHubError('GitHub returned a response without data')
    : graphqlError(first)
}
