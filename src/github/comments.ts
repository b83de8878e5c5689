import { type GitHub, GitHubError, type Lookup } from './client.ts'
import { type Comment, type FromGitHub, type Maybe, normalizeLogin, type User } from './types.ts'

/** Where comments follow one another: the main thread of a pull request or issue, or one thread of a review. */
export type Thread = {
  readonly kind: 'main' | 'review'
  /** `owner/name`, where it is not the run's own. */
  readonly repository?: string
  /** Of the pull request or issue. */
  readonly number: number
  readonly isPull: boolean
  /** Id of the comment that a review thread began with; 0 in a main thread. */
  readonly rootId: number
}

/** The main thread of a pull request. */
export function pullRequestThread(number: number): Thread {
  return { kind: 'main', number, isPull: true, rootId: 0 }
}

/** The permission that writing into a thread needs. */
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
export function isSameAccount(one: Maybe<User>, other: Maybe<User>): boolean {
  if (one?.id != null && other?.id != null) return one.id === other.id
  return !!one?.login && normalizeLogin(one.login) === normalizeLogin(other?.login ?? '')
}

/** All comments of a thread, oldest first; for a review's thread those of all reviews. Or a GitHubError. */
export async function listComments(
  github: GitHub,
  thread: Thread,
): Promise<readonly ThreadComment[]> {
  const comments = await github.list<Comment>(
    `${threadPath(github, thread)}/${thread.number}/comments`,
  )
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
  const create = async () =>
    commentRef(await sendWithAuthor<Comment>(github, route, { body }), thread)
  return await github.createOnce(create, find)
}

/** Replaces the text of a comment. Or a GitHubError. */
export async function editComment(
  github: GitHub,
  { thread, id }: CommentRef,
  body: string,
): Promise<void> {
  await sendWithAuthor<Comment>(github, `PATCH ${threadPath(github, thread)}/comments/${id}`, {
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
  // If the reply fails, that failure explains the consequence.
  const call = { purpose: 'react to the command', permission, level: 'info' } as const
  const route = `POST ${threadPath(github, thread)}/comments/${id}/reactions`
  return await github.attempt(call, () =>
    sendWithAuthor<FromGitHub<{ id: number; user: User }>>(github, route, { content }),
  )
}

/** Writes something that has an author, and takes over whose token it is from it. */
async function sendWithAuthor<T extends Pick<Comment, 'id' | 'user'>>(
  github: GitHub,
  route: string,
  content: Readonly<Record<string, string>>,
): Promise<T> {
  const sent = await github.call<T>((octokit) => octokit.request(route, content))
  if (!sent.id) throw new GitHubError('GitHub returned something that is not a comment or reaction')
  github.knowAccount(sent.user)
  return sent
}

function threadPath({ path }: GitHub, { kind, repository }: Thread): string {
  return `${repository === undefined ? path : `/repos/${repository}`}/${kind === 'main' ? 'issues' : 'pulls'}`
}

function commentRef({ id, html_url: url }: Comment, thread: Thread): CommentRef {
  return { thread, id: id ?? 0, url: url ?? '' }
}
