import type { GitHub, GitHubCall } from './client.ts'
import { graphqlError } from './errors.ts'
import { type Maybe, type Nodes, nodesOf, type PullRequest, type Sent } from './types.ts'

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

/** A commit with its author. */
export type CommitOrigin = {
  readonly sha: string
  readonly message: string
  /** Of its author; not known where GitHub knows no account of that e-mail address. */
  readonly login: Maybe<string>
  readonly email: Maybe<string>
}

/** A merged pull request. Title, labels and body are empty unless they were asked for. */
export type MergedPull = {
  readonly number: number
  readonly url: string
  /** The login of its author; empty if the account was deleted. */
  readonly author: string
  /** `User`, `Bot`, …: that account's; empty if it was deleted. */
  readonly authorType: string
  readonly title: string
  readonly labels: readonly string[]
  readonly body: string
}

/** The merged pull requests that commits came in, by SHA. A commit without an entry is unknown. */
export type MergedPulls = ReadonlyMap<string, readonly MergedPull[]>

/**
 * Asks for the merged pull requests of commits, in one request: for the one that a commit's subject names, since
 * GitHub's index lags behind a merge, and for those of the index. A failure is logged.
 *
 * @param withText whether titles, labels and bodies are read, too
 */
export async function readMergedPulls(
  commits: readonly Pick<CommitOrigin, 'sha' | 'message'>[],
  {
    withText = false,
    ...logging
  }: { readonly withText?: boolean } & Pick<GitHubCall, 'level' | 'consequence'>,
  github: GitHub,
): Promise<MergedPulls> {
  const text = withText ? 'title labels(first: 20) { nodes { name } } body' : ''
  const pull = `number url merged mergeCommit { oid } author { login __typename } ${text}`
  const fields = commits.map(({ sha, message }, index) => {
    const number = numberInSubject(message)
    const named = number && `p${index}: pullRequest(number: ${number}) { ${pull} }`
    const associated = `associatedPullRequests(first: 5) { nodes { ${pull} } }`
    return `c${index}: object(oid: "${sha}") { ... on Commit { ${associated} } } ${named}`
  })
  const query = `query MergedPulls($owner: String!, $repo: String!) {
    repository(owner: $owner, name: $repo) { ${fields.join(' ')} }
  }`
  const call = { purpose: "read the commits' pull requests", permission: 'pull-requests: read', ...logging }
  const answer = await github.read(() => github.graphql<Answer>(query, github.repository))
  if (!answer.known) {
    github.report(answer.error, call)
    return new Map()
  }
  const { data, errors } = answer.value
  const aliases = data.repository ?? {}
  const pulls = readAliases(aliases, commits)
  // A number in a commit's message need not be a pull request's.
  const error = errors.find(({ type }) => data.repository == null || type !== 'NOT_FOUND')
  if (error !== undefined && pulls.size < commits.length) {
    // What a token may not read is null.
    const seesCommits = commits.some((_, index) => aliases[`c${index}`] != null)
    const permission = seesCommits ? 'pull-requests: read' : 'contents: read'
    github.report(graphqlError(error), { ...call, permission })
  }
  return pulls
}

/** As GitHub's merge button writes it; empty if a subject names none. */
export function numberInSubject(message: string): string {
  const subject = message.trimStart().split('\n', 1)[0]?.trimEnd() ?? ''
  const [, merged, squashed] = /^Merge pull request #(\d{1,9}) from |\(#(\d{1,9})\)$/.exec(subject) ?? []
  return merged ?? squashed ?? ''
}

type MergedNode = Sent<{
  number: number
  url: string
  merged: boolean
  mergeCommit: Sent<{ oid: string }>
  author: Sent<{ login: string; __typename: string }>
  title: string
  labels: Nodes<Sent<{ name: string }>>
  body: string
}>

/** `cN`: the N-th commit. `pN`: the pull request that its subject names. */
type Aliases = Readonly<
  Record<string, Maybe<MergedNode & Sent<{ associatedPullRequests: Nodes<MergedNode> }>>>
>

type Answer = Sent<{ repository: Aliases }>

function readAliases(aliases: Aliases, commits: readonly Pick<CommitOrigin, 'sha'>[]): MergedPulls {
  const pulls = new Map<string, readonly MergedPull[]>()
  for (const [index, { sha }] of commits.entries()) {
    const named = aliases[`p${index}`]
    const isNamed = named?.merged === true && named.mergeCommit?.oid === sha
    const associated = aliases[`c${index}`]?.associatedPullRequests
    if (!isNamed && associated?.nodes == null) continue
    const found = isNamed ? [named] : nodesOf(associated).filter(({ merged }) => merged === true)
    pulls.set(sha, found.map(readMerged))
  }
  return pulls
}

function readMerged({ number, url, author, title, labels, body }: MergedNode): MergedPull {
  return {
    number: number ?? 0,
    url: url ?? '',
    author: author?.login ?? '',
    authorType: author?.__typename ?? '',
    title: title ?? '',
    labels: nodesOf(labels).map(({ name }) => name ?? ''),
    body: body ?? '',
  }
}
