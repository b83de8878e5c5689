import type { GitHub, Known } from './client.ts'
import { GitHubError } from './errors.ts'
import { type Comment, type Maybe, normalizeLogin, type Sent, type User } from './types.ts'

/** Where comments follow one another: the main thread of a pull request or issue, or one thread of a review. */
export type Thread = {
  readonly kind: 'main' | 'review'
  /** Of the pull request or issue. */
  readonly number: number
  readonly isPull: boolean
  /** Id of the comment that a review thread began with; 0 in a main thread. */
  readonly rootId: number
}

/** What a command was written in. */
export type CommandSource = {
  readonly kind: 'issue-comment' | 'review-comment'
  readonly id: number
  readonly url: string
  /** Where it is answered. */
  readonly thread: Thread
}

export function pullRequestThread(number: number): Thread {
  return { kind: 'main', number, isPull: true, rootId: 0 }
}

/** The main thread of the pull request or issue that a thread belongs to. */
export function mainThread(thread: Thread): Thread {
  return { ...thread, kind: 'main', rootId: 0 }
}

/** The permission that writing into a thread needs. */
export function writePermission({ isPull }: Thread): string {
  return isPull ? 'pull-requests: write' : 'issues: write'
}

export type CommentRef = { readonly thread: Thread; readonly id: number; readonly url: string }

export type ThreadComment = {
  readonly ref: CommentRef
  readonly author: Maybe<User>
  readonly body: string
  /** ISO 8601. */
  readonly createdAt: string
  /** Of a review's comment: id of the comment that its thread began with. */
  readonly rootId: number
}

/** Whether two accounts are the same: by id where both are known, else by login. */
export function isSameAccount(one: Maybe<User>, other: Maybe<User>): boolean {
  const [id, otherId] = [one?.id ?? one?.databaseId, other?.id ?? other?.databaseId]
  if (id != null && otherId != null) return id === otherId
  return !!one?.login && normalizeLogin(one.login) === normalizeLogin(other?.login ?? '')
}

/** All comments of a thread, oldest first; for a review's thread those of all reviews. Or a GitHubError. */
export async function listComments(github: GitHub, thread: Thread): Promise<readonly ThreadComment[]> {
  const comments = await github.list<Comment>(`${commentsPath(github, thread)}/${thread.number}/comments`)
  return comments.map((one) => ({
    ref: refOf(one, thread),
    author: one.user,
    body: one.body ?? '',
    createdAt: one.created_at ?? '',
    rootId: one.in_reply_to_id ?? one.id ?? 0,
  }))
}

/** Writes a comment: in the main thread if the review thread was deleted. Or a GitHubError. */
export async function createComment(
  github: GitHub,
  thread: Thread,
  render: (thread: Thread) => string,
): Promise<CommentRef> {
  const { kind, number, rootId } = thread
  const path = `${commentsPath(github, thread)}/${number}/comments`
  const route = kind === 'main' ? `POST ${path}` : `POST ${path}/${rootId}/replies`
  try {
    return refOf(await send<Comment>(github, route, { body: render(thread) }), thread)
  } catch (error) {
    const isDeleted = error instanceof GitHubError && (error.status === 404 || error.status === 422)
    if (kind === 'main' || !isDeleted) throw error
    return await createComment(github, mainThread(thread), render)
  }
}

/** Replaces the text of a comment. Or a GitHubError. */
export async function editComment(github: GitHub, { thread, id }: CommentRef, body: string): Promise<void> {
  await send<Comment>(github, `PATCH ${commentsPath(github, thread)}/comments/${id}`, { body })
}

/** The reactions that this action gives, by GitHub's names: 👀 🚀 👍 😕 👎. */
const REACTIONS = ['eyes', 'rocket', '+1', 'confused', '-1'] as const

export type ReactionContent = (typeof REACTIONS)[number]

type Reaction = Sent<{ id: number; content: string; user: User }>

/** Reacts to a command. A failure is logged. */
export async function react(
  github: GitHub,
  source: CommandSource,
  content: ReactionContent,
): Promise<Known<unknown>> {
  const path = reactionsPath(github, source)
  const call = { purpose: 'react to the command', permission: writePermission(source.thread) }
  return await github.attempt(call, () => send<Reaction>(github, `POST ${path}`, { content }))
}

/** Gives a command its final reaction, and deletes the others that this action gave. Returns as `react`. */
export async function giveFinalReaction(
  github: GitHub,
  source: CommandSource,
  content: ReactionContent,
): Promise<Known<unknown>> {
  const path = reactionsPath(github, source)
  const reacted = await react(github, source, content)
  if (!reacted.known) return reacted
  const permission = writePermission(source.thread)
  return await github.attempt({ purpose: 'replace the reaction to the command', permission }, async () => {
    const all = await github.list<Reaction>(path)
    const account = await github.account()
    for (const { id, content: given, user } of all) {
      const isOurs = isSameAccount(account, user) && REACTIONS.some((one) => one === given)
      if (isOurs && given !== content) await deletePath(github, `${path}/${id}`)
    }
  })
}

/** Writes something that has an author, and takes over whose token it is from it. */
async function send<T extends Pick<Comment, 'id' | 'user'>>(
  github: GitHub,
  route: string,
  content: Readonly<Record<string, string>>,
): Promise<T> {
  const sent = await github.call<T>((octokit) => octokit.request(route, content))
  if (!sent.id) throw new GitHubError('GitHub returned something that is not a comment or reaction')
  github.knowAccount(sent.user)
  return sent
}

/** Deletes what is at a path; that it was deleted before is no failure. */
async function deletePath(github: GitHub, path: string): Promise<void> {
  try {
    const { status } = await github.request((octokit) => octokit.request(`DELETE ${path}`))
    if (status !== 204) throw new GitHubError('GitHub returned something that is not a confirmation')
  } catch (error) {
    if (!(error instanceof GitHubError && error.status === 404)) throw error
  }
}

function commentsPath({ path }: GitHub, { kind }: Thread): string {
  return `${path}/${kind === 'main' ? 'issues' : 'pulls'}`
}

function reactionsPath({ path }: GitHub, { kind, id }: CommandSource): string {
  return `${path}/${kind === 'issue-comment' ? 'issues' : 'pulls'}/comments/${id}/reactions`
}

function refOf({ id, html_url: url }: Comment, thread: Thread): CommentRef {
  return { thread, id: id ?? 0, url: url ?? '' }
}
