import type { Deps } from '../lib/clock.ts'
import { openHttp } from '../lib/http.ts'
import { integerField, listField, recordField, stringField } from '../lib/json.ts'
import { clip, errorMessage, joinSentences } from '../lib/text.ts'
import { TransportError } from '../lib/transport-error.ts'
import type { Log } from '../runner/log.ts'
import type { Runner } from '../runner/runner.ts'
import type { Octokit, OctokitOptions } from './octokit.ts'

/** The repository that a run belongs to, as GitHub's calls name it. */
export type RepositoryName = { readonly owner: string; readonly repo: string }

/** A call to GitHub that a run can do without. */
type GitHubCall<T> = {
  /** What the call is for, to follow "could not be asked to": `react to the comment`. */
  readonly purpose: string
  /** The permission that the token needs for it: `issues: write`. */
  readonly permission: string
  /** How a missing permission is logged; a warning by default. */
  readonly ifForbidden?: 'notice' | 'warning'
  /** How any failure is logged, where it is not worth a warning. */
  readonly ifFailed?: 'notice'
  readonly send: (octokit: Octokit) => Promise<T>
  /** What follows from a failure, as a sentence. */
  readonly consequence?: string
}

/** GitHub's API for the repository of this run. The client is loaded by the first call. */
export type GitHub = {
  readonly repository: RepositoryName
  /** Makes a call; rejects with whatever goes wrong. */
  request<T>(send: (octokit: Octokit) => Promise<T>): Promise<T>
  /** Makes a call that may fail: that is `undefined` and a line in the log, once for each permission that is missing. */
  attempt<T>(call: GitHubCall<T>): Promise<T | undefined>
  /** Whether a call has failed because the token lacks this permission. */
  lacks(permission: string): boolean
  /** Drops all connections. */
  close(): void
}

/** What code needs that runs with the runner and GitHub at hand. */
export type RunDeps = Deps & Runner & { readonly github: GitHub }

/** What requests to GitHub need from outside. */
type GitHubOptions = Omit<OctokitOptions, 'http'> & { readonly log: Log }

/** Shorter than for the docs service: nothing here is worth waiting long for. */
const LIMITS = { timeoutMs: 10_000, bodyLimitBytes: 16 * 1024 * 1024 }

/** Gives access to GitHub. Nothing is loaded or sent yet. */
export function openGitHub(options: GitHubOptions): GitHub {
  const { environment, log } = options
  const [owner = '', repo = ''] = environment.repository.split('/')
  const reported = new Set<string>()
  const missing = new Set<string>()
  const http = openHttp({ proxy: environment.proxy, clock: options.clock, connections: 6, ...LIMITS })
  let client: Promise<Octokit> | undefined

  function request<T>(send: (octokit: Octokit) => Promise<T>): Promise<T> {
    if (options.token === '') return Promise.reject(new NoTokenError())
    client ??= import('./octokit.ts').then(({ openOctokit }) => openOctokit({ ...options, http }))
    return client.then(send)
  }

  async function attempt<T>(call: GitHubCall<T>): Promise<T | undefined> {
    try {
      return await request(call.send)
    } catch (error) {
      const failure = readFailure(error)
      if (options.cancel.aborted) {
        log.info(`GitHub could not be asked to ${call.purpose}: ${failure.text}.`)
        return undefined
      }
      if (failure.cause === 'permission') missing.add(call.permission)
      const level = levelOf(failure, call)
      const text = joinSentences(
        `GitHub could not be asked to ${call.purpose}: ${failure.text}.`,
        advice(failure, call),
        call.consequence ?? (failure.cause === 'other' ? 'The run goes on without it.' : ''),
      )
      // What a failure costs is said for each call that says so; else once for a missing permission, and once for a cause.
      const cause = failure.cause === 'permission' ? call.permission : `${level} ${failure.text}`
      const key = call.ifFailed === undefined ? cause : call.purpose
      if (reported.has(key)) log.info(text)
      else log[level](text)
      reported.add(key)
      return undefined
    }
  }

  const lacks = (permission: string): boolean => missing.has(permission)
  return { repository: { owner, repo }, request, attempt, lacks, close: http.close }
}

function levelOf({ cause }: GitHubFailure, call: GitHubCall<unknown>): 'notice' | 'warning' {
  return call.ifFailed ?? (cause === 'permission' ? (call.ifForbidden ?? 'warning') : 'warning')
}

function advice({ cause }: GitHubFailure, { permission, ifFailed }: GitHubCall<unknown>): string {
  if (cause === 'token')
    return 'The `github-token` is not valid, or not any more: the token of a GitHub App expires after one hour.'
  if (cause === 'other') return ifFailed === undefined ? '' : `That needs the permission \`${permission}\`.`
  return `The job's \`github-token\` needs the permission \`${permission}\` for that, unless what it is about is gone or locked.`
}

/** No request could be made, as there is no token to authenticate it with. */
class NoTokenError extends Error {
  override readonly name = 'NoTokenError'

  constructor() {
    super('there is no `github-token`')
  }
}

/** Why a call to GitHub failed. */
type GitHubFailure = {
  /** `permission`: the token most likely lacks one; `token`: it is not valid, or not any more. */
  readonly cause: 'permission' | 'token' | 'other'
  /** What happened, to follow "GitHub could not be asked to …:". */
  readonly text: string
}

/** Reads the error of a failed call. */
export function readFailure(error: unknown): GitHubFailure {
  const status = statusOf(error)
  if (status === undefined)
    return { cause: isForbidden(error) ? 'permission' : 'other', text: messageOf(error) }
  const answer = recordField(error, 'response')
  const message = stringField(recordField(answer, 'data'), 'message') ?? ''
  const quote = message === '' ? '' : ` ("${clip(message, 200)}")`
  const headers = recordField(answer, 'headers')
  const isLimited =
    status === 429 ||
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    /rate limit/i.test(message)
  const text = `it answered ${status}${quote}${isLimited ? ', which is its rate limit' : ''}`
  if (status === 401) return { cause: 'token', text }
  return { cause: !isLimited && (status === 403 || status === 404) ? 'permission' : 'other', text }
}

/** The HTTP status that a failed call was answered with; `undefined` if there was no answer. */
export function statusOf(error: unknown): number | undefined {
  return integerField(recordField(error, 'response'), 'status')
}

/** GraphQL answers 200 all the same, and says in each error what kind it is. */
function isForbidden(error: unknown): boolean {
  const types = listField(error, 'errors').map((one) => stringField(one, 'type'))
  return types.includes('FORBIDDEN') || types.includes('NOT_FOUND')
}

function messageOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof TransportError) return cause.message
  const [first] = listField(error, 'errors')
  const said = stringField(first, 'message')
  return said === undefined ? errorMessage(error) : `it answered "${clip(said, 200)}"`
}
