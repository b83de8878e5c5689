import { AsyncLocalStorage } from 'node:async_hooks'
import type { getOctokit } from '@actions/github'
import { HttpClient, type HttpRequest, type ProxySettings, TransportError } from '../lib/http.ts'
import { Problem, recordField } from '../lib/text.ts'
import { afterGrace, formatDuration, RetryError, retry, type Waiting } from '../lib/time.ts'
import {
  assertBody,
  canRetry,
  describeOptionalFailures,
  type GitHubCall,
  GitHubError,
  type GraphqlError,
  graphqlError,
  isTooLarge,
  type Lookup,
  notStartedProblem,
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
    pageInfo: FromGitHub<
      Record<'hasNextPage' | 'hasPreviousPage', boolean> &
        Record<'startCursor' | 'endCursor', string>
    >
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
  /** How long a call is repeated that the run can do without, in milliseconds. */
  readonly optionalMs: number
}

/** How long a call is repeated that the run can't do without. */
const NEEDED_MS = 120_000

/**
 * GitHub's API for the repository of a run: Octokit with this action's transport and retry. Octokit is loaded by the first
 * call.
 */
export class GitHub {
  readonly repository: { readonly owner: string; readonly repo: string }
  /** `owner/name`. */
  readonly name: string
  readonly serverUrl: string
  readonly #options: GitHubOptions
  readonly #http: HttpClient
  /** Ends requests that write. A canceled run has 5 s, in which a comment can still be finished. */
  readonly #lateCancel: AbortSignal
  #octokit: Promise<Octokit> | undefined
  /** Whether the requests of a call are needed. */
  readonly #isNeeded = new AsyncLocalStorage<boolean>()
  #optionalMs: number
  /** The calls that failed and that the run could do without. */
  readonly #failures: { readonly error: GitHubError; readonly call: GitHubCall }[] = []
  /** Whether the run ends because of a failed call, which explains the others. */
  #isExplained = false

  constructor(options: GitHubOptions) {
    const [owner = '', repo = ''] = options.repository.split('/')
    this.repository = { owner, repo }
    this.name = options.repository
    this.serverUrl = options.serverUrl
    this.#options = options
    this.#optionalMs = options.optionalMs
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
    variables: Readonly<Record<string, string | number>> = this.repository,
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

  /** Returns fields of the repository. @throws {GitHubError} also if a part is missing for another cause than `NOT_FOUND` */
  async askRepository<T>(fields: string): Promise<T> {
    const query = `query Repository($owner: String!, $repo: String!) { repository(owner: $owner, name: $repo) { ${fields} } }`
    const { data, errors } = await this.graphql<{ repository?: Maybe<T> }>(query)
    const error = errors.find(({ type }) => type !== 'NOT_FOUND' || data.repository == null)
    if (error) throw graphqlError(error)
    if (data.repository == null) throw new GitHubError('GitHub returned no repository')
    return data.repository
  }

  /**
   * Returns the entries of a list, page after page: smaller pages if one is too large. Throws as `call` does.
   *
   * @param path below the repository's
   */
  async list<T>(path: string, maxEntries = Infinity): Promise<readonly T[]> {
    const { paginate } = await this.#load()
    const all: T[] = []
    const pages = (size: number) =>
      paginate.iterator(`GET /repos/${this.name}/${path}`, {
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
    return await read(100)
  }

  /** Makes a call whose failure is a value. */
  async attempt<T>(send: () => Promise<T>): Promise<Lookup<T>> {
    try {
      return { known: true, value: await send() }
    } catch (caught) {
      // A needed call within an optional one.
      const cause = caught instanceof Problem ? caught.cause : caught
      return { known: false, error: toGitHubError(cause, this.#options.clock.now()) }
    }
  }

  /** Makes a call that the run can't do without, for up to two minutes. @throws {Problem} */
  async need<T>(call: GitHubCall, send: () => Promise<T>): Promise<T> {
    const result = await this.#isNeeded.run(true, () => this.attempt(send))
    if (result.known) return result.value
    throw notStartedProblem(call, result.error)
  }

  /** Makes a call as `need` does; `undefined` if GitHub answers 404. @throws {Problem} */
  async needIfFound<T>(call: GitHubCall, send: () => Promise<T>): Promise<T | undefined> {
    return await this.need(call, async () => {
      const result = await this.attempt(send)
      if (!result.known && result.error.status !== 404) throw result.error
      return result.known ? result.value : undefined
    })
  }

  /** Makes a call that the run can do without. A failure is a line in the log, and part of one notice at the end. */
  async optional<T>(call: GitHubCall, send: () => Promise<T>): Promise<Lookup<T>> {
    const { log, cancel } = this.#options
    const result = await this.attempt(send)
    if (!result.known) {
      log.info(`Could not ${call.purpose}: ${result.error.message}.`)
      if (!cancel.aborted) this.#failures.push({ error: result.error, call })
    }
    return result
  }

  /** Whether the run ends because of a failed call, or its notice has been written. */
  get isExplained(): boolean {
    return this.#isExplained
  }

  /** Leaves out the notice, because the run ends with a problem at GitHub. */
  explain(): void {
    this.#isExplained = true
  }

  /** Writes one notice about all calls that failed and that the run could do without, if there are any. */
  reportFailures(): void {
    if (this.#failures.length === 0 || this.#isExplained) return
    this.#isExplained = true
    const { text, title } = describeOptionalFailures(this.#failures)
    this.#options.log.notice(text, title)
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

  /** Sends a request until it succeeds, or the time for it is up. @throws {GitHubError} */
  async #retry<T extends { readonly status: number; readonly data: unknown }>(
    request: RequestLine,
    send: () => Promise<T>,
  ): Promise<T> {
    const { clock, log } = this.#options
    const isNeeded = this.#isNeeded.getStore() === true
    const limitMs = isNeeded ? NEEDED_MS : this.#optionalMs
    const deadlineMs = clock.now() + limitMs
    let isFirst = true
    let partial: T | undefined
    const attempt = async (): Promise<T> => {
      try {
        const response = await send()
        assertBody(response, request)
        partial = response
        const failure = passingFailure(response.data, request)
        if (failure) throw failure
        return response
      } catch (caught) {
        throw toGitHubError(caught, clock.now())
      }
    }
    const policy = {
      isRetryable: (error: unknown) => error instanceof GitHubError && canRetry(error, request),
      retryAfterMs: (error: unknown) =>
        error instanceof GitHubError ? error.retryAfterMs : undefined,
      deadlineMs: () => deadlineMs,
      onRetry: (error: unknown) => {
        if (isFirst && error instanceof GitHubError)
          log.info(`${error.message}. Trying again for up to ${formatDuration(limitMs)}.`)
        isFirst = false
      },
    }
    try {
      return await retry(attempt, policy, this.#options)
    } catch (error) {
      // What an answer with errors contains is believed after the last try.
      if (partial !== undefined) return partial
      const { cause } = error instanceof RetryError ? error : { cause: error }
      const failed = toGitHubError(cause, clock.now())
      const isSlow = failed.cause instanceof TransportError && failed.cause.failure === 'timeout'
      if (isSlow && !isNeeded) this.#optionalMs = 0
      throw failed
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
      throw new TransportError(message, 'too-large')
    }
    return new Response(status === 204 ? null : response.body, {
      status,
      headers: response.headers,
    })
  }
}

/** As `FromGitHub`, for everything within, too. */
type DeepFromGitHub<T> = T extends string
  ? string
  : T extends readonly (infer One)[]
    ? readonly DeepFromGitHub<One>[]
    : T extends object
      ? { readonly [Field in keyof T]?: Maybe<DeepFromGitHub<T[Field]>> }
      : T

type Rest = Octokit['rest']

/** The data of a response, as Octokit has it from GitHub's own description. */
export type RestData<
  Area extends keyof Rest,
  Call extends keyof Rest[Area],
> = Rest[Area][Call] extends (...options: never[]) => Promise<{ readonly data: infer Data }>
  ? DeepFromGitHub<Data>
  : never

/** `files`: 300 at most, without their number. */
export type Comparison = RestData<'repos', 'compareCommitsWithBasehead'>
export type ComparedCommit = NonNullable<NonNullable<Comparison['commits']>[number]>
/** `patch` is missing for binary files, and where GitHub withholds it. */
export type CommitFile = NonNullable<NonNullable<Comparison['files']>[number]>

/** `head.repo`: null if the fork was deleted. */
export type PullRequest = RestData<'pulls', 'get'>

/** A comment in a review, or with fewer fields on an issue or pull request. */
export type Comment = RestData<'pulls', 'getReviewComment'>
