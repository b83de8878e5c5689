import type { getOctokit } from '@actions/github'
import { afterGrace, type Waiting } from '../lib/clock.ts'
import { HttpClient, type HttpRequest } from '../lib/http.ts'
import { joinSentences } from '../lib/text.ts'
import type { ProxySettings } from '../lib/transport.ts'
import {
  asPassing,
  checkBody,
  GitHubError,
  type GraphqlError,
  isRepeatable,
  isRetryable,
  onlyReads,
  readGraphqlErrors,
  toGitHubError,
} from './errors.ts'
import type { Maybe, User } from './types.ts'

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
  /** What a failure costs the user: a sentence that the message begins with. */
  readonly cost?: string
  /** What else follows from a failure, as sentences. */
  readonly consequence?: string
}

/** Three answers: there is one, there is none (`undefined` in `value`), or it can't be told. */
export type Known<T> =
  | { readonly known: true; readonly value: T }
  /** `why` follows a colon: `GitHub returned 502`. `error`: where it comes from a failed call. */
  | { readonly known: false; readonly why: string; readonly error?: GitHubError }

/** The same of a call, whose failure is an error of GitHub's. */
export type Answer<T> =
  | { readonly known: true; readonly value: T }
  | { readonly known: false; readonly why: string; readonly error: GitHubError }

type Page = { readonly data: unknown; readonly headers: { readonly link?: string | undefined } }

export type GitHubOptions = Waiting & {
  readonly apiUrl: string
  readonly serverUrl: string
  /** `owner/name`. */
  readonly repository: string
  /** May be empty: then every call fails. */
  readonly token: string
  readonly proxy: ProxySettings
  readonly log: Readonly<Record<'debug' | 'info' | 'notice' | 'warning', (text: string) => void>>
  /** Until when a `Retry-After` is waited for, in milliseconds since the epoch; else 15 s each time. */
  readonly retryAfterDeadlineMs?: number | undefined
  /** Permissions that have worked in this run before. */
  readonly workingPermissions?: readonly string[]
}

/** Before the second and the third try. */
const PAUSES_MS = [3000, 9000]
/** Nothing on GitHub is worth holding a job up for. */
const MAX_RETRY_AFTER_MS = 15_000

const NO_TOKEN =
  'there is no `github-token`: the input is set to nothing. Leave it out, and it is `github.token`'

/** GitHub's API for the repository of a run. Nothing is loaded or sent before the first call. */
export class GitHub {
  readonly repository: { readonly owner: string; readonly repo: string }
  /** `/repos/owner/name`. */
  readonly path: string
  readonly serverUrl: string
  readonly #options: GitHubOptions
  readonly #http: HttpClient
  /** Ends requests that write, so that a comment may still be finished: a cancelled run has 5 s. */
  readonly #lateCancel: AbortSignal
  /** Level and cause of each failure that was an annotation. */
  readonly #annotated = new Set<string>()
  readonly #permissions: Map<string, 'works' | 'missing'>
  #octokit: Promise<Octokit> | undefined
  #account: User | undefined

  constructor(options: GitHubOptions) {
    const [owner = '', repo = ''] = options.repository.split('/')
    this.repository = { owner, repo }
    this.path = `/repos/${options.repository}`
    this.serverUrl = options.serverUrl
    this.#options = options
    this.#permissions = new Map(options.workingPermissions?.map((permission) => [permission, 'works']))
    this.#http = new HttpClient({ ...options, timeoutMs: 10_000, debug: options.log.debug })
    this.#lateCancel = afterGrace(options.cancel, 4000, options.clock)
  }

  /** @throws {GitHubError} if the call fails, after retries where those help and do no harm, or its body says nothing */
  async request<T>(send: (octokit: Octokit) => Promise<T>): Promise<T> {
    if (this.#options.token === '') throw new GitHubError(NO_TOKEN, { kind: 'refused' })
    this.#octokit ??= this.#createOctokit()
    return await send(await this.#octokit)
  }

  /** The data of one response. Throws as `request` does. */
  async call<T>(send: (octokit: Octokit) => Promise<{ readonly data: T }>): Promise<T> {
    return (await this.request(send)).data
  }

  /** The `data` of a GraphQL query, as far as it came, and the errors beside it. Throws as `request` does. */
  async graphql<T>(
    query: string,
    variables: Readonly<Record<string, string | number>> = {},
  ): Promise<{ readonly data: T; readonly errors: readonly GraphqlError[] }> {
    // On GitHub Enterprise Server it is not below REST's address: `/api/graphql` beside `/api/v3`.
    const baseUrl = this.#options.apiUrl.replace(/(?:\/v3)?\/?$/, '')
    const answer = await this.call<{ readonly data: T }>((octokit) =>
      octokit.request(`POST ${baseUrl}/graphql`, { query, variables }),
    )
    return { data: answer.data, errors: readGraphqlErrors(answer) }
  }

  /** All entries of a list, page after page. Throws as `request` does. */
  async list<T>(path: string, maxEntries = Infinity): Promise<readonly T[]> {
    const all: T[] = []
    let next: string | undefined = `GET ${path}${path.includes('?') ? '&' : '?'}per_page=100`
    while (next !== undefined && all.length < maxEntries) {
      const route: string = next
      const { data, headers } = await this.request<Page>((octokit) => octokit.request(route))
      const isList = Array.isArray(data) && !data.includes(null)
      if (!isList) throw new GitHubError('GitHub returned something that is not a list')
      all.push(...(data as readonly T[]))
      const [, url] = /<([^<>]+)>;\s*rel="next"/.exec(headers.link ?? '') ?? []
      next = url && `GET ${url}`
    }
    return all
  }

  /** Reads something, and leaves it to the caller what a failure means. */
  async read<T>(send: () => Promise<T>): Promise<Answer<T>> {
    try {
      return { known: true, value: await send() }
    } catch (caught) {
      const error = toGitHubError(caught, this.#options.clock.now())
      return { known: false, why: error.message, error }
    }
  }

  /** Makes a call that the run can do without: a failure is logged. */
  async attempt<T>(call: GitHubCall, send: () => Promise<T>): Promise<Answer<T>> {
    const result = await this.read(send)
    if (result.known) this.#permissions.set(call.permission, 'works')
    else this.report(result.error, call)
    return result
  }

  /** Logs a failed call: as an annotation the first time its cause is met, afterwards as a line. */
  report(error: GitHubError, call: GitHubCall): void {
    const { log, cancel } = this.#options
    const { purpose, permission, cost = '', consequence = '' } = call
    const isMissing = error.kind === 'permission' && this.#permissions.get(permission) !== 'works'
    if (isMissing) this.#permissions.set(permission, 'missing')
    const level = (isMissing && call.levelIfMissing) || (call.level ?? 'warning')
    // One annotation for a token without any permission; one more for what costs something.
    const cause = isMissing ? 'permission' : error.message
    const keys = [`${level} ${cost || cause}`, `warning ${cost || cause}`]
    const isNew = !keys.some((key) => this.#annotated.has(key)) && !cancel.aborted
    if (isNew) this.#annotated.add(`${level} ${cost}`).add(`${level} ${cause}`)
    const advice = isMissing ? permissionAdvice(permission) : ''
    const message = joinSentences(cost, `Failed to ${purpose}: ${error.message}.`, advice, consequence)
    log[isNew ? level : 'info'](message)
  }

  /** Waits, unless the run is cancelled. */
  async pause(ms: number): Promise<void> {
    const { clock, cancel } = this.#options
    await clock.sleep(ms, cancel).catch(() => undefined)
  }

  /** Whether calls that need this permission fail, as far as is known: one was refused, and none has worked in this run. */
  lacks(permission: string): boolean {
    return this.#permissions.get(permission) === 'missing'
  }

  /** The permissions that have worked in this run. */
  workingPermissions(): readonly string[] {
    return [...this.#permissions].flatMap(([permission, state]) => (state === 'works' ? [permission] : []))
  }

  /**
   * Whether trying again later can't help.
   *
   * @param permission that the call needs: a 403 or 404 is final where it has not worked in this run
   * @param isGone whether a 404 may mean that what the call is about was deleted
   */
  isRefusedForGood(
    error: GitHubError | undefined,
    permission: string,
    { isGone = false }: { readonly isGone?: boolean } = {},
  ): boolean {
    if (error?.kind === 'refused' || (isGone && error?.status === 404)) return true
    return error?.kind === 'permission' && this.#permissions.get(permission) !== 'works'
  }

  /** Whose token it is, or a GitHubError. By GraphQL, since REST's `GET /user` refuses the tokens of apps. */
  async account(): Promise<User> {
    if (this.#account === undefined) {
      type Answer = { readonly viewer?: Maybe<User> }
      this.knowAccount((await this.graphql<Answer>('query { viewer { databaseId login } }')).data.viewer)
    }
    if (this.#account === undefined) throw new GitHubError('GitHub does not say whose token it is')
    return this.#account
  }

  /** Takes over whose token it is from another call that told it. */
  knowAccount(user: Maybe<User>): void {
    if (user?.login) this.#account = user
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

  /** Sends a request up to three times. @throws {GitHubError} */
  async #retry<T extends { readonly status: number; readonly data: unknown }>(
    request: { readonly method: string; readonly url: string },
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
        // A refusal is not the last word on a request that an earlier try may have brought there.
        const error: GitHubError = mayHaveArrived ? asPassing(last) : last
        mayHaveArrived ||= error.kind === 'other'
        const pauseMs = error.retryAfterMs || PAUSES_MS[attempt]
        const maxMs =
          retryAfterDeadlineMs === undefined ? MAX_RETRY_AFTER_MS : retryAfterDeadlineMs - clock.now()
        const isTooLong = error.retryAfterMs !== undefined && error.retryAfterMs > maxMs
        if (attempt >= PAUSES_MS.length || pauseMs === undefined || isTooLong) throw error
        if (!isRetryable(error, request) || cancel.aborted) throw error
        await this.pause(pauseMs)
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

function permissionAdvice(permission: string): string {
  const needs = `The job's \`github-token\` needs the permission \`${permission}\` for this`
  const isAboutThread = permission === 'issues: write' || permission === 'pull-requests: write'
  return `${needs}${isAboutThread ? ', unless the thread was deleted or locked' : ''}.`
}
