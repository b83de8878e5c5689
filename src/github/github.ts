import type { Deps } from '../lib/deps.ts'
import { openHttp } from '../lib/http.ts'
import type { Log } from '../runner/log.ts'
import type { Runner } from '../runner/runner.ts'
import { NoTokenError, readFailure } from './failure.ts'
import type { Octokit, OctokitOptions } from './octokit.ts'

/** The repository that a run belongs to, as GitHub's calls name it. */
export type RepositoryName = { readonly owner: string; readonly repo: string }

/** Something to be asked of GitHub that a run can do without. */
export type GitHubCall<T> = {
  /** What is asked, to follow "could not be asked to": `react to the comment`. */
  readonly purpose: string
  /** The permission that the token needs for it: `issues: write`. */
  readonly permission: string
  /** How a missing permission is logged; a warning unless told. */
  readonly ifForbidden?: 'notice' | 'warning'
  readonly send: (octokit: Octokit) => Promise<T>
}

/** GitHub's API for the repository of this run. The client is loaded by the first call. */
export type GitHub = {
  readonly repository: RepositoryName
  /** Makes a call; rejects with whatever goes wrong. */
  ask<T>(send: (octokit: Octokit) => Promise<T>): Promise<T>
  /** Makes a call that may fail: that is `undefined` and a line in the log, once for each permission that is missing. */
  attempt<T>(call: GitHubCall<T>): Promise<T | undefined>
  /** Drops all connections. */
  close(): void
}

/** What code needs that runs with the runner and GitHub at hand. */
export type RunDeps = Deps & Runner & { readonly github: GitHub }

/** What asking GitHub needs from outside. */
export type GitHubOptions = Omit<OctokitOptions, 'http'> & { readonly log: Log }

/** Shorter than for the docs service: nothing here is worth waiting long for. */
const LIMITS = { timeLimitMs: 10_000, bodyLimitBytes: 16 * 1024 * 1024 }

/** Gives access to GitHub. Nothing is loaded or sent yet. */
export function openGitHub(options: GitHubOptions): GitHub {
  const { environment, log } = options
  const [owner = '', repo = ''] = environment.repository.split('/')
  const said = new Set<string>()
  const http = openHttp({ proxy: environment.proxy, clock: options.clock, sideBySide: true, ...LIMITS })
  let client: Promise<Octokit> | undefined

  function ask<T>(send: (octokit: Octokit) => Promise<T>): Promise<T> {
    if (options.token === '') return Promise.reject(new NoTokenError())
    client ??= import('./octokit.ts').then(({ openOctokit }) => openOctokit({ ...options, http }))
    return client.then(send)
  }

  async function attempt<T>({
    purpose,
    permission,
    ifForbidden,
    send,
  }: GitHubCall<T>): Promise<T | undefined> {
    try {
      return await ask(send)
    } catch (error) {
      const { lacksPermission, text } = readFailure(error)
      const advice = lacksPermission
        ? `The job's \`github-token\` needs the permission \`${permission}\` for that, unless what it is about is gone or locked.`
        : 'The run goes on without it.'
      const key = lacksPermission ? permission : text
      const words = `GitHub could not be asked to ${purpose}: ${text}. ${advice}`
      if (options.cancel.aborted) log.info(words)
      else if (!said.has(key)) log[lacksPermission ? (ifForbidden ?? 'warning') : 'warning'](words)
      said.add(key)
      return undefined
    }
  }

  return { repository: { owner, repo }, ask, attempt, close: http.close }
}
