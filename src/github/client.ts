import type { getOctokit } from '@actions/github'
import { afterGrace, type Waiting } from '../lib/clock.ts'
import { HttpClient, type HttpRequest } from '../lib/http.ts'
import { RetryError, retry } from '../lib/retry.ts'
import { errorMessage, joinSentences } from '../lib/text.ts'
import type { ProxySettings } from '../lib/transport.ts'
import { checkBody, GitHubError, isRepeatable, isRetryable, onlyReads, toGitHubError } from './errors.ts'
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
  /** What follows from a failure, as sentences. */
  readonly consequence?: string
}

/** Three answers: there is one, there is none (`undefined` in `value`), or it can't be told. */
export type Known<T> =
  | { readonly known: true; readonly value: T }
  /** `why` follows a colon: `GitHub returned 502`. */
  | { readonly known: false; readonly why: string }

export type GitHubOptions = Waiting & {
  readonly apiUrl: string
  readonly serverUrl: string
  /** `owner/name`. */
  readonly repository: string
  /** May be empty: then every call fails. */
  readonly token: string
  readonly proxy: ProxySettings
  readonly log: Readonly<Record<'debug' | 'info' | 'notice' | 'warning', (text: string) => void>>
  /** The post step sends whatever GitHub refuses again, since GitHub took the same before. */
  readonly isPost: boolean
}

/** Of each request: nothing on GitHub is worth holding a job up for. */
const MAIN_RETRIES = { maxAttempts: 3, maxWaitMs: 15_000 }
/** Of all requests together: the post step has nothing else to do than to end what was begun. */
const POST_RETRIES = { maxAttempts: 100, maxWaitMs: 60_000 }

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
  readonly #startedAtMs: number
  /** Causes and consequences that the log has told, and how. */
  readonly #told = new Map<string, 'notice' | 'warning'>()
  readonly #permissions = new Map<string, 'works' | 'missing'>()
  #octokit: Promise<Octokit> | undefined
  #account: User | undefined

  constructor(options: GitHubOptions) {
    const [owner = '', repo = ''] = options.repository.split('/')
    this.repository = { owner, repo }
    this.path = `/repos/${options.repository}`
    this.serverUrl = options.serverUrl
    this.#options = options
    this.#startedAtMs = options.clock.now()
    this.#http = new HttpClient({ ...options, timeoutMs: 10_000, debug: options.log.debug })
    this.#lateCancel = afterGrace(options.cancel, 4000, options.clock)
  }

  /** @throws {GitHubError} if the call fails, after retries where those help and do no harm, or its body says nothing */
  async request<T>(send: (octokit: Octokit) => Promise<T>): Promise<T> {
    if (this.#options.token === '') throw new GitHubError(NO_TOKEN, { kind: 'setup' })
    this.#octokit ??= this.#createOctokit()
    return await send(await this.#octokit)
  }

  /** The data of one response. Throws as `request` does. */
  async call<T>(send: (octokit: Octokit) => Promise<{ readonly data: T }>): Promise<T> {
    return (await this.request(send)).data
  }

  /** The whole response to a GraphQL query: its `data`, and `errors` if there are any. Throws as `request` does. */
  graphql<T>(query: string, variables: Readonly<Record<string, string>> = {}): Promise<T> {
    // On GitHub Enterprise Server it is not below REST's address: `/api/graphql` beside `/api/v3`.
    const baseUrl = this.#options.apiUrl.replace(/(?:\/v3)?\/?$/, '')
    return this.call((octokit) => octokit.request(`POST ${baseUrl}/graphql`, { query, variables }))
  }

  /** Makes a call that the run can do without: a failure is logged. */
  async attempt<T>(call: GitHubCall, send: () => Promise<T>): Promise<Known<T>> {
    try {
      const value = await send()
      this.#permissions.set(call.permission, 'works')
      return { known: true, value }
    } catch (error) {
      this.report(error, call)
      return { known: false, why: errorMessage(error) }
    }
  }

  /** Logs a failed call. It is an annotation where its cause or what follows from it is new, or more than a notice. */
  report(error: unknown, call: GitHubCall): void {
    const { log, cancel, clock, isPost } = this.#options
    const { purpose, permission, consequence = '' } = call
    const { kind, message } = toGitHubError(error, clock.now())
    const isLasting = kind === 'setup' || kind === 'permission'
    const isDenied = isLasting && !isPost && this.#permissions.get(permission) !== 'works'
    if (isDenied) this.#permissions.set(permission, 'missing')
    const isMissing = isDenied && kind === 'permission'
    const level = (isMissing && call.levelIfMissing) || (call.level ?? 'warning')
    const cause = isMissing ? permission : kind === 'setup' ? message : `${level} ${message} ${consequence}`
    const told = this.#told.get(cause)
    const isTold = told === 'warning' || told === level
    const isNews = ![...this.#told.keys()].some((known) => known.includes(consequence))
    // A missing permission is named once.
    const why = isTold && (isMissing || !isNews) ? ', for the same reason.' : `: ${message}.`
    const advice = isMissing && !isTold ? permissionAdvice(permission) : ''
    const shown = (isTold && !isNews) || cancel.aborted ? 'info' : level
    log[shown](joinSentences(`Failed to ${purpose}${why}`, advice, told && !isNews ? '' : consequence))
    this.#told.set(cause, told === 'warning' ? told : level).set(consequence, level)
  }

  /** Whether the log has told this cause of failing calls in full. */
  hasTold(why: string): boolean {
    return this.#told.has(why)
  }

  /** Whether calls that need this permission fail for good, as far as is known: none of them has worked in this run. */
  lacks(permission: string): boolean {
    return this.#permissions.get(permission) === 'missing'
  }

  /** Whose token it is, or a GitHubError. By GraphQL, since REST's `GET /user` refuses the tokens of apps. */
  async account(): Promise<User> {
    if (this.#account === undefined) {
      type Answer = { readonly data: { readonly viewer?: Maybe<User> } }
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
    const { token, apiUrl, clock, isPost } = this.#options
    const { maxAttempts, maxWaitMs } = isPost ? POST_RETRIES : MAIN_RETRIES
    const silent = (): void => undefined
    const octokit = getOctokit(token, {
      baseUrl: apiUrl.replace(/\/$/, ''),
      userAgent: 'docs-agent-action',
      // Octokit's own log goes to the console, where its text could be read as a workflow command.
      log: { debug: silent, info: silent, warn: silent, error: silent },
      request: { fetch: (url: string, init: HttpRequest) => this.#fetch(url, init) },
    })
    octokit.hook.wrap('request', async (send, request) => {
      const untilMs = (isPost ? this.#startedAtMs : clock.now()) + maxWaitMs
      const policy = {
        backoff: { baseMs: 500, maxMs: 8000 },
        maxAttempts,
        isRetryable: (error: unknown) => isRetryable(toGitHubError(error, clock.now()), request, isPost),
        retryAfterMs: (error: unknown) => toGitHubError(error, clock.now()).retryAfterMs,
        deadlineMs: () => untilMs,
        onRetry: () => undefined,
      }
      async function sendOnce() {
        const response = await send(request)
        checkBody(response, request.url)
        return response
      }
      try {
        return await retry(sendOnce, policy, this.#options)
      } catch (error) {
        throw toGitHubError(error instanceof RetryError ? error.cause : error, clock.now())
      }
    })
    return octokit
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
  if (permission === 'statuses: write')
    return `${needs}. Until it has that, each run starts a new job and a new pull request.`
  const isAboutThread = permission === 'issues: write' || permission === 'pull-requests: write'
  return `${needs}${isAboutThread ? ', unless the thread was deleted or locked' : ''}.`
}
