import type { GitHub } from './client.ts'
import { GitHubError } from './errors.ts'
import type { PullRequest } from './types.ts'

/** What became of a pull request. */
export type PullState = {
  /** `invisible`: GitHub knows none that the token can see (404); `elsewhere`: the link is none of this GitHub's. */
  readonly state: 'open' | 'merged' | 'closed' | 'invisible' | 'unknown' | 'elsewhere'
  /** Whether it conflicts with its base branch. */
  readonly conflicts: boolean
  /** Milliseconds since the epoch. */
  readonly openedAtMs: number | undefined
  /** `owner/name`; empty where the link is none of this GitHub's. */
  readonly repository: string
  /** Why it is unknown, to follow a colon; else empty. */
  readonly why: string
}

type Name = { readonly owner: string; readonly repo: string; readonly number: number }

export function readPullRequestUrl(prLink: string, { serverUrl }: GitHub): Name | undefined {
  const url = URL.parse(prLink)
  if (url?.origin !== URL.parse(serverUrl)?.origin) return undefined
  const pattern = /^\/([\w.-]+)\/([\w.-]+)\/pull\/(\d{1,15})(?:\/|$)/
  const [, owner = '', repo = '', digits] = pattern.exec(url?.pathname ?? '') ?? []
  return digits === undefined ? undefined : { owner, repo, number: Number(digits) }
}

/** The number of a pull request in the run's own repository; `undefined` if it is elsewhere. */
export function numberOfOwnPullRequest(prLink: string, github: GitHub): number | undefined {
  const name = readPullRequestUrl(prLink, github)
  const { owner, repo } = github.repository
  const isOwn = `${name?.owner}/${name?.repo}`.toLowerCase() === `${owner}/${repo}`.toLowerCase()
  return isOwn ? name?.number : undefined
}

/** Asks GitHub what became of a pull request, in whichever repository it is. */
export async function readPullState(prLink: string, github: GitHub): Promise<PullState> {
  const name = readPullRequestUrl(prLink, github)
  const none = { conflicts: false, openedAtMs: undefined, repository: '', why: '' }
  if (name === undefined) return { ...none, state: 'elsewhere' }
  const { owner, repo, number } = name
  const unread = { ...none, repository: `${owner}/${repo}` }
  try {
    const pull: PullRequest = await github.call(({ rest }) =>
      rest.pulls.get({ owner, repo, pull_number: number }),
    )
    const openedAtMs = Date.parse(pull.created_at ?? '') || undefined
    const read = { ...unread, conflicts: pull.mergeable_state === 'dirty', openedAtMs }
    if (pull.merged === true || pull.merged_at != null) return { ...read, state: 'merged' }
    if (pull.state === 'open' || pull.state === 'closed') return { ...read, state: pull.state }
    return { ...unread, state: 'unknown', why: 'GitHub returned something else than a pull request' }
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error
    return { ...unread, state: error.status === 404 ? 'invisible' : 'unknown', why: error.message }
  }
}
