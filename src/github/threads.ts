import type { Comment } from './client.ts'
import {
  type FromGitHub,
  type GitHub,
  type Maybe,
  nodesOf,
  normalizeLogin,
  type Paged,
} from './client.ts'
import { GitHubError, graphqlError, isUnclear } from './github-errors.ts'

/** Where comments follow one another: an issue, the main thread of a pull request, or one thread of a review. */
export type Thread = {
  readonly kind: 'main' | 'review'
  /** `owner/name` if it isn't the run's own. */
  readonly repository?: string
  readonly number: number
  readonly isPull: boolean
  /** ID of the comment that a review thread began with; 0 in a main thread. */
  readonly rootId: number
}

export type ThreadComment = FromGitHub<{
  databaseId: number
  body: string
  createdAt: string
  /** `OWNER`, `MEMBER`, `COLLABORATOR`, `CONTRIBUTOR`, `NONE`, … */
  authorAssociation: string
  isMinimized: boolean
  viewerDidAuthor: boolean
  author: FromGitHub<{ login: string }>
}>

/** A thread on lines of a file. `line`: null if the lines have changed since. */
type ReviewThread = FromGitHub<{
  isResolved: boolean
  path: string
  line: number
  startLine: number
  originalLine: number
  root: Paged<ThreadComment>
  comments: Paged<ThreadComment>
}>

export function pullRequestThread(number: number, repository?: string): Thread {
  return { kind: 'main', number, isPull: true, rootId: 0, ...(repository && { repository }) }
}

/** Returns the permission that a thread needs, for `read` or `write`. */
export function threadPermission({ isPull }: Thread, access: 'read' | 'write') {
  return `${isPull ? 'pull-requests' : 'issues'}: ${access}`
}

/** Whether an author is one of those whose comments the agent reads. */
export function isInsider({ authorAssociation: association }: ThreadComment): boolean {
  return ['OWNER', 'MEMBER', 'COLLABORATOR'].includes(association ?? '')
}

/** Begins every comment of this action, invisibly. */
export const MARK = '<!-- docs-agent '

const PAGE = 'pageInfo { hasPreviousPage startCursor }'
const COMMENT =
  'databaseId body createdAt authorAssociation isMinimized viewerDidAuthor author { login }'
/** A comment can have 65,536 characters of four bytes each. */
const MAIN = `comments(last: 50, before: $before) { ${PAGE} nodes { ${COMMENT} } }`
const REVIEW_THREADS = `reviewThreads(last: 50, before: $before) { ${PAGE} nodes {
  isResolved path line startLine originalLine root: comments(first: 1) { nodes { databaseId } }
  comments(last: 50) { nodes { ${COMMENT} } } } }`

type ThreadAnswer = FromGitHub<{
  viewer: FromGitHub<{ login: string }>
  repository: FromGitHub<{
    thread: FromGitHub<{ comments: Paged<ThreadComment>; reviewThreads: Paged<ReviewThread> }>
  }>
}>

/** Reads one page of a thread's comments, or of all review threads. @throws {GitHubError} */
async function readPage(thread: Thread, github: GitHub, before?: string) {
  const { kind, number, repository = github.name } = thread
  const [owner = '', repo = ''] = repository.split('/')
  const main = `issueOrPullRequest(number: $number) { ... on Issue { ${MAIN} } ... on PullRequest { ${MAIN} } }`
  const field = kind === 'main' ? main : `pullRequest(number: $number) { ${REVIEW_THREADS} }`
  const query = `query Thread($owner: String!, $repo: String!, $number: Int!, $before: String) {
    viewer { login } repository(owner: $owner, name: $repo) { thread: ${field} } }`
  const variables = { owner, repo, number, ...(before && { before }) }
  const { data, errors } = await github.graphql<ThreadAnswer>(query, variables)
  const found = data.repository?.thread
  if (!found) throw errors[0] ? graphqlError(errors[0]) : new GitHubError('GitHub found no thread')
  // GitHub's documentation doesn't say whether a workflow's own token is a viewer.
  const viewer = normalizeLogin(data.viewer?.login ?? '')
  const isOwn = ({ viewerDidAuthor, author, body }: ThreadComment): boolean =>
    body?.startsWith(MARK) === true &&
    (viewerDidAuthor === true || normalizeLogin(author?.login ?? '?') === viewer)
  const { pageInfo } = found.comments ?? found.reviewThreads ?? {}
  return {
    comments: nodesOf(found.comments),
    threads: nodesOf(found.reviewThreads),
    isOwn,
    before: pageInfo?.hasPreviousPage ? pageInfo.startCursor : undefined,
  }
}

/** Reads the newest 50 threads of a pull request's reviews. @throws {GitHubError} */
export async function readReviewThreads(number: number, github: GitHub) {
  return await readPage({ ...pullRequestThread(number), kind: 'review' }, github)
}

/** How many pages are searched: 500 comments, or 500 review threads. */
const MAX_PAGES = 10

/**
 * Reads comments of a thread, oldest first.
 *
 * @param isEnough ends the search, which goes back from the newest ones
 * @returns each comment, and whether the token's account wrote it
 * @throws {GitHubError}
 */
export async function readThread(
  thread: Thread,
  isEnough: (comments: readonly OwnedComment[]) => boolean,
  github: GitHub,
) {
  let all: OwnedComment[] = []
  let before: Maybe<string>
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await readPage(thread, github, before ?? undefined)
    const isMeant = ({ root }: ReviewThread): boolean =>
      nodesOf(root)[0]?.databaseId === thread.rootId
    const own = page.threads.find(isMeant)
    const found = thread.kind === 'main' ? page.comments : nodesOf(own?.comments)
    all = [...found.map((one) => ({ ...one, isOwn: page.isOwn(one) })), ...all]
    before = page.before
    if (!before || own || isEnough(all)) break
  }
  return all
}

type OwnedComment = ThreadComment & { readonly isOwn: boolean }

/** A comment that is to be written. */
export type NewComment = {
  readonly thread: Thread
  /** Its ID, if this run wrote it. */
  readonly id?: number | undefined
  /** Whether an earlier run may have written it. */
  readonly mayExist: boolean
  /** Begins its text, invisibly: only this comment of the token's account has it. */
  readonly mark: string
  readonly body: string
}

/** Finds the token's own comment with a mark in a thread. @throws {GitHubError} */
export async function findComment(
  { thread, mark }: Pick<NewComment, 'thread' | 'mark'>,
  github: GitHub,
) {
  const fits = ({ isOwn, body }: OwnedComment): boolean => isOwn && body?.startsWith(mark) === true
  return (await readThread(thread, (some) => some.some(fits), github)).findLast(fits)
}

/**
 * Writes a comment, or edits it if it is there. One that may have arrived is looked for before it is written again.
 *
 * @returns its ID
 * @throws {GitHubError}
 */
export async function writeComment(comment: NewComment, github: GitHub): Promise<number> {
  const { thread, id, mayExist, mark, body } = comment
  const { kind, number, rootId } = thread
  const path = threadPath(thread, github)
  const text = { body: `${mark}\n${body}` }
  const find = async () => (await findComment(comment, github))?.databaseId ?? undefined
  const known = id ?? (mayExist ? await find() : undefined)
  if (known !== undefined) {
    const edited = await github.attempt(() => send(`PATCH ${path}/comments/${known}`, text, github))
    if (edited.known) return edited.value
    // Someone may have deleted it.
    if (edited.error.status !== 404) throw edited.error
  }
  const replies = kind === 'main' ? '' : `/${rootId}/replies`
  const route = `POST ${path}/${number}/comments${replies}`
  const created = await github.attempt(() => send(route, text, github))
  if (created.known) return created.value
  if (!isUnclear(created.error)) throw created.error
  return (await find()) ?? (await send(route, text, github))
}

/** Reacts to a comment. @throws {GitHubError} */
export async function react(thread: Thread, id: number, content: string, github: GitHub) {
  await send(`POST ${threadPath(thread, github)}/comments/${id}/reactions`, { content }, github)
}

function threadPath({ kind, repository }: Thread, github: GitHub): string {
  return `/repos/${repository ?? github.name}/${kind === 'main' ? 'issues' : 'pulls'}`
}

async function send(route: string, content: Record<string, string>, github: GitHub) {
  const sent = await github.call<Maybe<Comment>>((octokit) => octokit.request(route, content))
  if (!sent?.id)
    throw new GitHubError('GitHub returned something that is not a comment or reaction')
  return sent.id
}
