import { joinSentences } from '../lib/text.ts'
import { GitHubError, type GraphqlError, readGraphqlErrors, toGitHubError } from './errors.ts'
import { type Octokit, OctokitLoader, type OctokitOptions } from './octokit.ts'
import type { Maybe, User } from './types.ts'

/** A call that a run can do without. */
export type GitHubCall = {
  /** What the call is for, to follow "Failed to": `list the comments`. */
  readonly purpose: string
  /** The permission that the token needs for it: `issues: write`. */
  readonly permission: string
  /** How any failure is logged; by default as a warning, but a missing permission to read as a notice. */
  readonly level?: 'notice' | 'warning'
  /** What a failure costs the user: a sentence that the message begins with. */
  readonly cost?: string
  /** What else follows from a failure, as sentences. */
  readonly consequence?: string
}

/** Three answers: there is one, there is none (`undefined` in `value`), or it is not known. */
export type Known<T> =
  | { readonly known: true; readonly value: T }
  /** `why` is the error's message, which follows a colon: `GitHub returned 502`. */
  | { readonly known: false; readonly why: string; readonly error: GitHubError }

/** Known that there is none; also for what is done and has no value. */
export const NONE = { known: true, value: undefined } as const

export function unknownBecause(error: GitHubError): Known<never> {
  return { known: false, why: error.message, error }
}

type Page = { readonly data: unknown; readonly headers: { readonly link?: string | undefined } }

type GitHubOptions = OctokitOptions & {
  readonly serverUrl: string
  /** `owner/name`. */
  readonly repository: string
  readonly log: Readonly<Record<'info' | 'notice' | 'warning', (text: string) => void>>
  /** Permissions that have worked in this run before. */
  readonly workingPermissions?: readonly string[]
}

/** GitHub's API for the repository of a run. Nothing is loaded or sent before the first call. */
export class GitHub {
  readonly repository: { readonly owner: string; readonly repo: string }
  /** `/repos/owner/name`. */
  readonly path: string
  readonly serverUrl: string
  readonly #options: GitHubOptions
  readonly #octokit: OctokitLoader
  /** By cause, and by cost: how a failure was annotated. */
  readonly #annotated = new Map<string, GitHubCall['level']>()
  readonly #working: Set<string>
  #account: User | undefined

  constructor(options: GitHubOptions) {
    const [owner = '', repo = ''] = options.repository.split('/')
    this.repository = { owner, repo }
    this.path = `/repos/${options.repository}`
    this.serverUrl = options.serverUrl
    this.#options = options
    this.#octokit = new OctokitLoader(options)
    this.#working = new Set(options.workingPermissions)
  }

  /** @throws {GitHubError} if the call fails, after retries where those help and do no harm, or its body says nothing */
  async request<T>(send: (octokit: Octokit) => Promise<T>): Promise<T> {
    return await send(await this.#octokit.load())
  }

  /** The data of one response. Throws as `request` does. */
  async call<T>(send: (octokit: Octokit) => Promise<{ readonly data: T }>): Promise<T> {
    return (await this.request(send)).data
  }

  /** The `data` of a GraphQL query, as far as it came, and its errors. Throws as `request` does. */
  async graphql<T>(
    query: string,
    variables: Readonly<Record<string, string | number>> = {},
  ): Promise<{ readonly data: T; readonly errors: readonly GraphqlError[] }> {
    // On GitHub Enterprise Server it is not below REST's address: `/api/graphql` and `/api/v3`.
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
  async read<T>(send: () => Promise<T>): Promise<Known<T>> {
    try {
      return { known: true, value: await send() }
    } catch (caught) {
      return unknownBecause(toGitHubError(caught, this.#options.clock.now()))
    }
  }

  /** Makes a call that the run can do without: a failure is logged. */
  async attempt<T>(call: GitHubCall, send: () => Promise<T>): Promise<Known<T>> {
    const result = await this.read(send)
    if (result.known) this.#working.add(call.permission)
    else this.report(result.error, call)
    return result
  }

  /**
   * Logs a failed call: as an annotation the first time its cause is met, afterwards as a line.
   *
   * @returns whether it was an annotation
   */
  report(error: GitHubError, call: GitHubCall): boolean {
    const { log, cancel } = this.#options
    const { purpose, permission, cost = '', consequence = '' } = call
    const isMissing = error.kind === 'permission' && !this.#working.has(permission)
    const { level = isMissing && permission.endsWith(': read') ? 'notice' : 'warning' } = call
    // One annotation for a token without any permission; one more for what costs something.
    const cause = isMissing ? 'permission' : error.message
    const before = this.#annotated.get(cost || cause)
    const isNew = before !== 'warning' && before !== level && !cancel.aborted
    if (isNew) this.#annotated.set(cause, level).set(cost || cause, level)
    const advice = isMissing ? permissionAdvice(permission) : ''
    const message = joinSentences(cost, `Failed to ${purpose}: ${error.message}.`, advice, consequence)
    log[isNew ? level : 'info'](message)
    return isNew
  }

  /** Waits, unless the run is cancelled. */
  async pause(ms: number): Promise<void> {
    const { clock, cancel } = this.#options
    await clock.sleep(ms, cancel).catch(() => undefined)
  }

  /** The permissions that have worked in this run. */
  workingPermissions(): readonly string[] {
    return [...this.#working]
  }

  /** Whether trying again later can't help: a 403 or 404 is final where `permission` has not worked in this run. */
  isRefusedForGood({ kind }: GitHubError, permission: string): boolean {
    if (kind === 'refused') return true
    return kind === 'permission' && !this.#working.has(permission)
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

  /** Takes over whose token it is from another call's response. */
  knowAccount(user: Maybe<User>): void {
    if (user?.login) this.#account = user
  }
}

function permissionAdvice(permission: string): string {
  const needs = `The job's \`github-token\` needs the permission \`${permission}\` for this`
  const isAboutThread = permission === 'issues: write' || permission === 'pull-requests: write'
  return `${needs}${isAboutThread ? ', unless the thread was deleted or locked' : ''}.`
}
