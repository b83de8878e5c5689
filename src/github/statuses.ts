import type { GitHub, Known } from './client.ts'
import { GitHubError, graphqlError } from './errors.ts'
import type { Maybe, Sent, Status } from './types.ts'

/** A commit status. */
export type CommitStatus = {
  readonly sha: string
  /** `pending`, `success`, `failure`, `error`. */
  readonly state: string
  readonly description: string
  /** May be empty. */
  readonly targetUrl: string
  /** Milliseconds since the epoch, by GitHub's clock. */
  readonly createdAtMs: number
}

/** The largest page that GitHub gives of a list. */
export const PAGE_SIZE = 100

/** The statuses of this name on a commit, newest first: of so many of all names at most. */
export async function listStatuses(
  { sha, context }: { readonly sha: string; readonly context: string },
  github: GitHub,
  maxEntries?: number,
): Promise<readonly CommitStatus[]> {
  const all = await github.list<Status>(`${github.path}/commits/${sha}/statuses`, maxEntries)
  return all
    .filter((one) => one.context === context)
    .map(({ state, description, target_url: targetUrl, created_at: createdAt }) =>
      readStatus({ state, description, targetUrl, createdAt }, sha),
    )
}

/** Where statuses are looked for: on commits and those before them, and on those of a pull request. */
export type StatusPlaces = {
  readonly heads: readonly string[]
  readonly pull: number | undefined
}

/** The newest status of a name on each commit that has one. */
export type NewestStatuses = {
  readonly ofPull: readonly CommitStatus[]
  readonly ofHeads: readonly CommitStatus[]
  /** Unknown where some may be missing. */
  readonly completeness: Known<undefined>
}

/** How many commits are looked at: the newest ones of a branch, of a pull request, before a forced push. */
const [OF_BRANCH, OF_PULL, OF_FORCED] = [100, 100, 10]

/** Reads the newest status of a name on each of these commits: one request. Throws as `GitHub.request` does. */
export async function newestStatuses(
  context: string,
  { heads, pull }: StatusPlaces,
  github: GitHub,
): Promise<NewestStatuses> {
  const status = `oid status { context(name: $context) { state description targetUrl createdAt } }`
  const fields = heads.map(
    (sha, index) =>
      `h${index}: object(oid: "${sha}") { ... on Commit { history(first: ${OF_BRANCH}) { nodes { ${status} } } } }`,
  )
  // What a forced push replaced goes on into the base branch, whose statuses are not this pull request's.
  const ofPull = `pull: pullRequest(number: ${pull}) {
    commits(last: ${OF_PULL}) { nodes { commit { ${status} } } }
    timelineItems(last: 20, itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT]) { nodes {
      ... on HeadRefForcePushedEvent { beforeCommit { history(first: ${OF_FORCED}) { nodes { ${status} } } } }
    } }
    baseRef { target { ... on Commit { history(first: ${OF_BRANCH}) { nodes { oid } } } } }
  }`
  const { data, errors } = await github.graphql<Answer>(
    `query StepStatuses($owner: String!, $repo: String!, $context: String!) {
      repository(owner: $owner, name: $repo) { ${[...fields, ...(pull === undefined ? [] : [ofPull])].join(' ')} }
    }`,
    { ...github.repository, context },
  )
  const { pull: pulled, ...branches } = data.repository ?? {}
  const ofBase = new Set(nodesOf(pulled?.baseRef?.target?.history).map(({ oid }) => oid))
  const forced = nodesOf(pulled?.timelineItems).flatMap(({ beforeCommit }) => nodesOf(beforeCommit?.history))
  const commitsOfPull = [
    ...nodesOf(pulled?.commits).map(({ commit }) => commit),
    ...forced.filter(({ oid }) => !ofBase.has(oid)),
  ]
  const unknown = heads.some((_, index) => branches[`h${index}`] == null) || (pull !== undefined && !pulled)
  const [error] = errors
  const problem = error
    ? graphqlError(error)
    : unknown
      ? new GitHubError('GitHub does not know the commit')
      : undefined
  return {
    ofPull: commitsOfPull.flatMap(statusOf),
    ofHeads: Object.values(branches).flatMap((branch) => nodesOf(branch?.history).flatMap(statusOf)),
    completeness:
      problem === undefined
        ? { known: true, value: undefined }
        : { known: false, why: problem.message, error: problem },
  }
}

type Nodes<T> = Sent<{ nodes: readonly Maybe<T>[] }>

type CommitNode = Sent<{
  oid: string
  status: Sent<{
    context: Sent<{ state: string; description: string; targetUrl: string; createdAt: string }>
  }>
}>

type PullNode = Sent<{
  commits: Nodes<Sent<{ commit: CommitNode }>>
  timelineItems: Nodes<Sent<{ beforeCommit: Sent<{ history: Nodes<CommitNode> }> }>>
  baseRef: Sent<{ target: Sent<{ history: Nodes<CommitNode> }> }>
}>

type Branches = Readonly<Record<string, Maybe<Sent<{ history: Nodes<CommitNode> }>>>>

type Answer = { readonly repository?: Maybe<Branches & { readonly pull?: Maybe<PullNode> }> }

function statusOf(commit: Maybe<CommitNode>): CommitStatus[] {
  const { oid, status } = commit ?? {}
  return oid && status?.context ? [readStatus(status.context, oid)] : []
}

type RawStatus = Sent<Record<'state' | 'description' | 'targetUrl' | 'createdAt', string>>

function readStatus({ state, description, targetUrl, createdAt }: RawStatus, sha: string): CommitStatus {
  return {
    sha,
    state: state?.toLowerCase() ?? '',
    description: description ?? '',
    targetUrl: targetUrl ?? '',
    createdAtMs: Date.parse(createdAt ?? '') || 0,
  }
}

function nodesOf<T>(connection: Maybe<Nodes<T>>): T[] {
  return (connection?.nodes ?? []).filter((node) => node != null)
}
