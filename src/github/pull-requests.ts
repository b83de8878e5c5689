import { isLoopbackHost } from '../lib/http.ts'
import {
  type FromGitHub,
  type GitHub,
  type Maybe,
  type Nodes,
  nodesOf,
  normalizeLogin,
  type Octokit,
  type User,
} from './client.ts'
import { GitHubError, graphqlError, type Lookup } from './github-errors.ts'

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

/** Who wrote a commit, in GraphQL. `user`: null where no account has the e-mail address. */
export type GitActor = FromGitHub<{ email: string; user: FromGitHub<{ login: string }> }>

/** `status`: `ahead`, `behind`, `diverged`, `identical`. `files`: 300 at most, without their number. */
export type Comparison = RestData<'repos', 'compareCommitsWithBasehead'>
export type ComparedCommit = NonNullable<NonNullable<Comparison['commits']>[number]>
/** `patch` is missing for binary files, and where GitHub withholds it. */
export type CommitFile = NonNullable<NonNullable<Comparison['files']>[number]>

/** `mergeable_state`: `dirty` where it conflicts with its base branch. `head.repo`: null where the fork was deleted. */
export type PullRequest = RestData<'pulls', 'get'>

/** A comment in a review, or with fewer fields on an issue or pull request. `side`: `LEFT` for the old version. */
export type Comment = RestData<'pulls', 'getReviewComment'>

/** Where comments follow one another: the main thread of a pull request or issue, or one thread of a review. */
export type Thread = {
  readonly kind: 'main' | 'review'
  /** `owner/name` where it is not the run's own, and its ID; empty if that is unknown. */
  readonly repository?: string
  readonly repositoryId?: string
  /** Of the pull request or issue. */
  readonly number: number
  readonly isPull: boolean
  /** Id of the comment that a review thread began with; 0 in a main thread. */
  readonly rootId: number
}

/** Returns the main thread of a pull request. */
export function pullRequestThread(number: number): Thread {
  return { kind: 'main', number, isPull: true, rootId: 0 }
}

/** Returns the permission that reading a thread needs. */
export function readPermissionOf({ isPull }: Pick<Thread, 'isPull'>): string {
  return isPull ? 'pull-requests: read' : 'issues: read'
}

/** Returns the permission that writing into a thread needs. */
export function writePermission({ isPull }: Thread): string {
  return isPull ? 'pull-requests: write' : 'issues: write'
}

export type CommentRef = { readonly thread: Thread; readonly id: number; readonly url: string }

export type ThreadComment = {
  readonly ref: CommentRef
  readonly author: Maybe<User>
  /** What GitHub says of the author: `MEMBER`, `CONTRIBUTOR`, `NONE`, … */
  readonly association: string
  readonly body: string
  /** ISO 8601. */
  readonly createdAt: string
  /** ID of the first comment in the thread, if this is a review's comment. */
  readonly rootId: number
}

/** Compares the account IDs if both are known, otherwise the logins. */
export function isSameAccount(one: Maybe<Pick<User, 'id' | 'login'>>, other: Maybe<User>): boolean {
  if (one?.id != null && other?.id != null) return one.id === other.id
  return !!one?.login && normalizeLogin(one.login) === normalizeLogin(other?.login ?? '')
}

/** A comment can have 65,536 characters of four bytes each. */
export const COMMENTS_A_PAGE = 30

/** Lists all comments of a thread, oldest first; for a review's thread those of all reviews. Or a GitHubError. */
export async function listComments(
  github: GitHub,
  thread: Thread,
): Promise<readonly ThreadComment[]> {
  const path = `${threadPath(github, thread)}/${thread.number}/comments`
  const comments = await github.list<Comment>(path, Infinity, COMMENTS_A_PAGE)
  return comments.map((one) => ({
    ref: commentRef(one, thread),
    author: one.user,
    association: one.author_association ?? '',
    body: one.body ?? '',
    createdAt: one.created_at ?? '',
    rootId: one.in_reply_to_id ?? one.id ?? 0,
  }))
}

/**
 * Writes a comment, once. Or a GitHubError.
 *
 * @param find looks for the comment where an attempt may have arrived
 */
export async function createComment(
  github: GitHub,
  thread: Thread,
  body: string,
  find: () => Promise<CommentRef | undefined>,
): Promise<CommentRef> {
  const path = `${threadPath(github, thread)}/${thread.number}/comments`
  const route = thread.kind === 'main' ? `POST ${path}` : `POST ${path}/${thread.rootId}/replies`
  const create = async () => commentRef(await sendWithAuthor(github, route, { body }), thread)
  return await github.createOnce(create, find)
}

const COMMENTS = 'nodes { databaseId isMinimized }'
const HIDDEN = `query HiddenComments($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { thread: issueOrPullRequest(number: $number) {
    ... on Issue { comments(last: 100) { ${COMMENTS} } }
    ... on PullRequest { comments(last: 100) { ${COMMENTS} } } } } }`
const HIDDEN_IN_REVIEWS = `query HiddenReviewComments($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { thread: pullRequest(number: $number) {
    reviewThreads(last: 100) { nodes { comments(last: 50) { ${COMMENTS} } } } } } }`

type CommentNodes = Nodes<FromGitHub<{ databaseId: number; isMinimized: boolean }>>
type HiddenAnswer = FromGitHub<{
  repository: FromGitHub<{
    thread: FromGitHub<{
      comments: CommentNodes
      reviewThreads: Nodes<FromGitHub<{ comments: CommentNodes }>>
    }>
  }>
}>

/** Reads the IDs of a thread's newest comments that weren't hidden; `undefined` if that can't be read. */
export async function readVisible(
  thread: Pick<Thread, 'kind' | 'number' | 'isPull'>,
  github: GitHub,
): Promise<ReadonlySet<number> | undefined> {
  const { kind, number } = thread
  const query = kind === 'main' ? HIDDEN : HIDDEN_IN_REVIEWS
  const purpose = 'read which comments were hidden'
  const call = { purpose, permission: readPermissionOf(thread) }
  const answer = await github.attemptAndReport(call, async () => {
    const variables = { ...github.repository, number }
    const { data, errors } = await github.graphql<HiddenAnswer>(query, variables)
    if (errors[0]) throw graphqlError(errors[0])
    return data.repository?.thread ?? {}
  })
  if (!answer.known) return undefined
  const found = answer.value
  const all = [found.comments, ...nodesOf(found.reviewThreads).map(({ comments }) => comments)]
  const visible = all.flatMap(nodesOf).filter(({ isMinimized }) => isMinimized === false)
  return new Set(visible.map(({ databaseId }) => databaseId ?? 0))
}

/** Replaces the text of a comment. Or a GitHubError. */
export async function editComment(
  github: GitHub,
  { thread, id }: CommentRef,
  body: string,
): Promise<void> {
  await sendWithAuthor(github, `PATCH ${threadPath(github, thread)}/comments/${id}`, {
    body,
  })
}

/** Reacts to a command: 👀, 😕 or 👎. A failure is logged. */
export async function react(
  github: GitHub,
  { thread, id }: CommentRef,
  content: 'eyes' | 'confused' | '-1',
): Promise<Lookup<unknown>> {
  const permission = writePermission(thread)
  const call = { purpose: 'react to the command', permission }
  const route = `POST ${threadPath(github, thread)}/comments/${id}/reactions`
  return await github.attemptAndReport(call, () => sendWithAuthor(github, route, { content }))
}

/** Writes a comment or reaction, and learns from its author which account the token belongs to. */
async function sendWithAuthor(
  github: GitHub,
  route: string,
  content: Readonly<Record<string, string>>,
): Promise<Comment> {
  const sent = await github.call<Comment>((octokit) => octokit.request(route, content))
  if (!sent.id) throw new GitHubError('GitHub returned something that is not a comment or reaction')
  github.rememberAccount(sent.user)
  return sent
}

function threadPath({ path }: GitHub, { kind, repository }: Thread): string {
  return `${repository === undefined ? path : `/repos/${repository}`}/${kind === 'main' ? 'issues' : 'pulls'}`
}

function commentRef({ id, html_url: url }: Comment, thread: Thread): CommentRef {
  return { thread, id: id ?? 0, url: url ?? '' }
}

/** The path of a pull request (GitHub, Gitea, Bitbucket, Azure) or a merge request (GitLab). */
const PULL_REQUEST_PATH =
  /^\/(.+?)\/(?:-\/)?(?:pull|pulls|pull-requests|pullrequest|merge_requests)\/(\d+)(?:\/|$)/

/**
 * Reads the URL of a pull request or merge request.
 *
 * @returns `number`: empty if the URL has none; `name`: short, such as `acme/docs#12`, with the host before it unless that
 * is well known, or the URL's host and path if the form of the URL is unknown
 */
export function parsePullRequest(prLink: string) {
  const url = URL.parse(prLink)
  if (url === null) return { number: '', name: prLink, project: '' }
  const { host, hostname, pathname } = url
  const [, project = '', number = ''] = PULL_REQUEST_PATH.exec(pathname) ?? []
  if (number === '') return { number, name: `${host}${pathname}`, project }
  // Another host could have the same repository's name.
  const isKnown =
    ['github.com', 'gitlab.com', 'bitbucket.org'].includes(hostname) || isLoopbackHost(hostname)
  const mark = pathname.includes('/merge_requests/') ? '!' : '#'
  return { number, name: `${isKnown ? '' : `${host}/`}${project}${mark}${number}`, project }
}

/** GitHub's numbers are GraphQL integers. */
const MAX_NUMBER = 2 ** 31 - 1

/** Reads a link to a pull request of this GitHub; `undefined` if it isn't one. `repository`: `owner/name`. */
export function locatePullRequest(prLink: string, { serverUrl }: Pick<GitHub, 'serverUrl'>) {
  if (URL.parse(prLink)?.origin !== URL.parse(serverUrl)?.origin) return undefined
  const { project, number } = parsePullRequest(prLink)
  const [, owner, repo] = /^([\w.-]+)\/([\w.-]+)$/.exec(project) ?? []
  if (!owner || !repo || Number(number) > MAX_NUMBER) return undefined
  return { owner, repo, repository: project, number: Number(number) }
}

/** Source: GitHub's REST API, "Compare two commits": without paging the newest 250 commits, oldest first. Or a GitHubError. */
export async function requestComparison(
  base: string,
  head: string,
  github: GitHub,
): Promise<Comparison> {
  const basehead = `${base}...${head}`
  const compared = await github.call<Maybe<Comparison>>(({ rest }) =>
    rest.repos.compareCommitsWithBasehead({ ...github.repository, basehead }),
  )
  // Without them it would look like a comparison without changes.
  if (!Array.isArray(compared?.commits)) throw new GitHubError('GitHub returned no comparison')
  return compared
}

/** A merged pull request. */
export type MergedPull = {
  readonly number: number
  readonly url: string
  /** Null if the account was deleted. */
  readonly author: Maybe<User>
  readonly assignees: readonly User[]
  readonly title: string
  readonly labels: readonly string[]
  readonly body: string
  /** Paths of its changed files, if they were asked for and are at most 100; otherwise `undefined`. */
  readonly paths: readonly string[] | undefined
}

/** The merged pull requests that commits came in, by SHA. */
type MergedPulls = ReadonlyMap<string, readonly MergedPull[]>

type NamedCommit = { readonly sha: string; readonly message: string }

/** How many commits are asked about in one request. */
const MAX_COMMITS_A_REQUEST = 100

/**
 * Reads the merged pull requests of commits: the one that a commit's subject names, since GitHub's index lags behind a
 * merge, and those of the index.
 *
 * @param withPaths whether their changed files are asked for
 * @throws {NeededCallError}
 */
export async function readMergedPulls(
  commits: readonly NamedCommit[],
  withPaths: boolean,
  github: GitHub,
): Promise<MergedPulls> {
  const found = new Map<string, readonly MergedPull[]>()
  for (let start = 0; start < commits.length; start += MAX_COMMITS_A_REQUEST) {
    const some = commits.slice(start, start + MAX_COMMITS_A_REQUEST)
    for (const [sha, pulls] of await askForPulls(some, withPaths, github)) found.set(sha, pulls)
  }
  return found
}

async function askForPulls(
  commits: readonly NamedCommit[],
  withPaths: boolean,
  github: GitHub,
): Promise<MergedPulls> {
  // GitHub allows 100 labels and 10 assignees.
  const pull = `number url merged mergeCommit { oid } author { __typename login }
    assignees(first: 10) { nodes { login } } labels(first: 100) { nodes { name } } title body
    ${withPaths ? 'files(first: 100) { totalCount nodes { path } }' : ''}`
  const fields = commits.map(({ sha, message }, index) => {
    const number = numberInSubject(message)
    const named = number && `p${index}: pullRequest(number: ${number}) { ${pull} }`
    const associated = `associatedPullRequests(first: 10) { nodes { ${pull} } pageInfo { hasNextPage } }`
    return `c${index}: object(oid: "${sha}") { ... on Commit { ${associated} } } ${named}`
  })
  const query = `query MergedPulls($owner: String!, $repo: String!) {
    repository(owner: $owner, name: $repo) { ${fields.join(' ')} }
  }`
  const call = { purpose: "read the commits' pull requests", permission: 'pull-requests: read' }
  return await github.need(call, async () => {
    const { data, errors } = await github.graphql<MergedPullsAnswer>(query, github.repository)
    const aliases = data.repository ?? {}
    const pulls = readAliases(aliases, commits)
    // A number in a commit's subject may not be a pull request's.
    const error = errors.find(({ type }) => data.repository == null || type !== 'NOT_FOUND')
    const isLabelMissing = error?.path.includes('labels') === true
    if (error === undefined || (!isLabelMissing && pulls.size === commits.length)) return pulls
    // Objects that the token can't read are null.
    const seesCommits = commits.some((_, index) => aliases[`c${index}`] != null)
    throw graphqlError(error, seesCommits ? call.permission : 'contents: read')
  })
}

/** Reads the number that GitHub's merge button adds to a subject; empty if there is none. */
export function numberInSubject(message: string): string {
  const subject = message.trimStart().split('\n', 1)[0]?.trimEnd() ?? ''
  const [, merged, squashed] =
    /^Merge pull request #(\d{1,9}) from |\(#(\d{1,9})\)$/.exec(subject) ?? []
  return merged ?? squashed ?? ''
}

type MergedNode = FromGitHub<{
  number: number
  url: string
  merged: boolean
  mergeCommit: FromGitHub<{ oid: string }>
  author: FromGitHub<{ __typename: string; login: string }>
  assignees: Nodes<FromGitHub<{ login: string }>>
  title: string
  labels: Nodes<FromGitHub<{ name: string }>>
  body: string
  files: Nodes<FromGitHub<{ path: string }>> & FromGitHub<{ totalCount: number }>
}>

/** `cN`: the N-th commit. `pN`: the pull request that its subject names. */
type Aliases = Readonly<
  Record<string, Maybe<MergedNode & FromGitHub<{ associatedPullRequests: Associated }>>>
>
type Associated = Nodes<MergedNode> & FromGitHub<{ pageInfo: FromGitHub<{ hasNextPage: boolean }> }>

type MergedPullsAnswer = FromGitHub<{ repository: Aliases }>

function readAliases(aliases: Aliases, commits: readonly NamedCommit[]): MergedPulls {
  const pulls = new Map<string, readonly MergedPull[]>()
  for (const [index, { sha }] of commits.entries()) {
    const named = aliases[`p${index}`]
    const isNamed = named?.merged === true && named.mergeCommit?.oid === sha
    const associated = aliases[`c${index}`]?.associatedPullRequests
    if (!isNamed && associated?.nodes == null) continue
    const found = isNamed ? [named] : nodesOf(associated).filter(({ merged }) => merged === true)
    // The merged one may be behind many that are not.
    if (found.length === 0 && associated?.pageInfo?.hasNextPage === true) continue
    pulls.set(sha, found.map(readMergedPull))
  }
  return pulls
}

function readMergedPull({ number, url, author, title, body, ...pull }: MergedNode): MergedPull {
  const { assignees, labels, files } = pull
  const paths = nodesOf(files).map(({ path }) => path ?? '')
  return {
    number: number ?? 0,
    url: url ?? '',
    author: author && { login: author.login, type: author.__typename },
    assignees: nodesOf(assignees).map(({ login }) => ({ login, type: 'User' })),
    title: title ?? '',
    labels: nodesOf(labels).map(({ name }) => name ?? ''),
    body: body ?? '',
    paths: paths.length > 0 && paths.length === files?.totalCount ? paths : undefined,
  }
}
