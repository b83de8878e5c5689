import type { GitHub } from './client.ts'
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
  /** The commit at its head, and the one that it was merged as; empty where they are not known. */
  readonly head: string
  readonly mergeCommit: string
  /** Why it is unknown, to follow a colon; else empty. */
  readonly why: string
}

type PullName = { readonly owner: string; readonly repo: string; readonly number: number }

export function readPullRequestUrl(prLink: string, { serverUrl }: GitHub): PullName | undefined {
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

/** How long GitHub is given to find out whether a pull request conflicts, before it is asked once more. */
const CONFLICT_PAUSE_MS = 3000

/** Asks GitHub what became of a pull request, in whichever repository it is. */
export async function readPullState(prLink: string, github: GitHub): Promise<PullState> {
  const name = readPullRequestUrl(prLink, github)
  const none = { conflicts: false, openedAtMs: undefined, repository: '', head: '', mergeCommit: '', why: '' }
  if (name === undefined) return { ...none, state: 'elsewhere' }
  const { owner, repo, number } = name
  const unread = { ...none, repository: `${owner}/${repo}` }
  const ask = () =>
    github.read<PullRequest>(() =>
      github.call(({ rest }) => rest.pulls.get({ owner, repo, pull_number: number })),
    )
  const first = await ask()
  if (!first.known) {
    return { ...unread, state: first.error.status === 404 ? 'invisible' : 'unknown', why: first.why }
  }
  const pull = first.value
  const state = pull.merged === true || pull.merged_at != null ? 'merged' : pull.state
  if (state !== 'merged' && state !== 'closed' && state !== 'open') {
    return { ...unread, state: 'unknown', why: 'GitHub returned something that is not a pull request' }
  }
  const openedAtMs = Date.parse(pull.created_at ?? '') || undefined
  const [head, mergeCommit] = [pull.head?.sha ?? '', pull.merge_commit_sha ?? '']
  const read: PullState = { ...unread, state, openedAtMs, head, mergeCommit }
  if (state !== 'open') return read
  let mergeable = pull.mergeable_state
  if (mergeable === 'unknown') {
    await github.pause(CONFLICT_PAUSE_MS)
    const again = await ask()
    mergeable = again.known ? again.value.mergeable_state : undefined
  }
  return { ...read, conflicts: mergeable === 'dirty' }
}
