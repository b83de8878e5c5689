import { type GitHub, type Known, NONE, unknownBecause } from './client.ts'
import { GitHubError, graphqlError } from './errors.ts'
import { type Maybe, type Nodes, nodesOf, type Sent, type Status } from './types.ts'

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

/** How many commits are looked at: the newest ones of a branch, of a pull request, before a forced push. */
const [OF_BRANCH, OF_PULL, OF_FORCED] = [100, 100, 10]

/**
 * Reads the newest status of a name on each commit that has one: on `heads` and those before them, and on those of a
 * pull request, the newest commit first. One request. Throws as `GitHub.request` does.
 *
 * @returns `completeness`: unknown where some may be missing
 */
export async function newestStatuses(
  context: string,
  { heads, pull }: { readonly heads: readonly string[]; readonly pull: number | undefined },
  github: GitHub,
) {
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
    ...nodesOf(pulled?.commits)
      .map(({ commit }) => commit)
      .toReversed(),
    ...forced.filter(({ oid }) => !ofBase.has(oid)),
  ]
  const isMissing = heads.some((_, index) => branches[`h${index}`] == null) || (pull !== undefined && !pulled)
  let completeness: Known<undefined> = NONE
  if (isMissing) completeness = unknownBecause(new GitHubError('GitHub does not know the commit'))
  if (errors[0] !== undefined) completeness = unknownBecause(graphqlError(errors[0]))
  return {
    ofPull: commitsOfPull.flatMap(statusOf),
    ofHeads: Object.values(branches).flatMap((branch) => nodesOf(branch?.history).flatMap(statusOf)),
    completeness,
  }
}

type RawStatus = Sent<Record<'state' | 'description' | 'targetUrl' | 'createdAt', string>>

type CommitNode = Sent<{ oid: string; status: Sent<{ context: RawStatus }> }>

type History = Sent<{ history: Nodes<CommitNode> }>

type PullNode = Sent<{
  commits: Nodes<Sent<{ commit: CommitNode }>>
  timelineItems: Nodes<Sent<{ beforeCommit: History }>>
  baseRef: Sent<{ target: History }>
}>

/** `hN`: the N-th head. */
type Answer = Sent<{ repository: Readonly<Record<string, Maybe<History>>> & Sent<{ pull: PullNode }> }>

function statusOf(commit: Maybe<CommitNode>): CommitStatus[] {
  const { oid, status } = commit ?? {}
  return oid && status?.context ? [readStatus(status.context, oid)] : []
}

function readStatus({ state, description, targetUrl, createdAt }: RawStatus, sha: string): CommitStatus {
  return {
    sha,
    state: state?.toLowerCase() ?? '',
    description: description ?? '',
    targetUrl: targetUrl ?? '',
    createdAtMs: Date.parse(createdAt ?? '') || 0,
  }
}
