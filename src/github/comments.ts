import { type Account, type GitHub, normalizeLogin } from './client.ts'
import { GitHubError } from './errors.ts'
import type { Comment, User } from './types.ts'

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
  readonly kind: 'issue-comment' | 'review-comment' | 'review' | 'issue'
  /** Of the comment or review; an issue's is its number. */
  readonly id: number
  readonly url: string
  /** Where it is answered: a review and an issue have the main thread. */
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
export function writePermission({ isPull }: Pick<Thread, 'isPull'>): string {
  return isPull ? 'pull-requests: write' : 'issues: write'
}

export type CommentRef = { readonly thread: Thread; readonly id: number; readonly url: string }

export type ThreadComment = {
  readonly ref: CommentRef
  /** `undefined` if the account was deleted. */
  readonly author: Account | undefined
  readonly body: string
}

/**
 * The comments of a thread, oldest first, however many; for a thread of a review those of all reviews of the pull
 * request, as GitHub lists them.
 *
 * @throws {GitHubError}
 */
export async function listComments(github: GitHub, thread: Thread): Promise<readonly ThreadComment[]> {
  const comments = await listAll<Comment>(github, `${basePath(github, thread)}/${thread.number}/comments`)
  return comments.map((one) => {
    return { ref: refOf(one, thread), author: readAccount(one.user), body: one.body ?? '' }
  })
}

/**
 * Writes a comment at a thread's end; in the main thread where a review thread was deleted.
 *
 * @param render what the comment says in the thread that it is written to
 * @returns `undefined`, with a line in the log, if that failed
 */
export function createComment(
  github: GitHub,
  thread: Thread,
  render: (thread: Thread) => string,
): Promise<CommentRef | undefined> {
  async function create(there: Thread): Promise<CommentRef> {
    const path = `${basePath(github, there)}/${there.number}/comments`
    const route = there.kind === 'main' ? `POST ${path}` : `POST ${path}/${there.rootId}/replies`
    return refOf(await send<Comment>(github, route, { body: render(there) }), there)
  }
  return github.attempt({ purpose: 'write a comment', permission: writePermission(thread) }, () =>
    create(thread).catch((error: unknown) => {
      const isGone = error instanceof GitHubError && (error.status === 404 || error.status === 422)
      if (thread.kind === 'review' && isGone) return create(mainThread(thread))
      throw error
    }),
  )
}

/** Replaces the text of a comment. Returns whether that worked; if not, there is a line in the log. */
export async function editComment(github: GitHub, ref: CommentRef, body: string): Promise<boolean> {
  const { thread, id, url } = ref
  const call = { purpose: `edit the comment ${url}`, permission: writePermission(thread) }
  const route = `PATCH ${basePath(github, thread)}/comments/${id}`
  return (await github.attempt(call, () => send<Comment>(github, route, { body }))) !== undefined
}

/** Deletes a comment. Returns whether it is deleted now; if not, there is a line in the log. */
export async function deleteComment(github: GitHub, { thread, id, url }: CommentRef): Promise<boolean> {
  const call = { purpose: `delete the duplicate comment ${url}`, permission: writePermission(thread) }
  const path = `${basePath(github, thread)}/comments/${id}`
  return (await github.attempt(call, () => deletePath(github, path))) !== undefined
}

/** Deletes what is at a path; that it was deleted before is no failure. */
export async function deletePath(github: GitHub, path: string): Promise<true> {
  try {
    const { status } = await github.request((octokit) => octokit.request(`DELETE ${path}`))
    if (status !== 204) throw notWhat('confirmation')
  } catch (error) {
    if (!(error instanceof GitHubError && error.status === 404)) throw error
  }
  return true
}

/**
 * All entries of a list, page after page.
 *
 * @throws {GitHubError}
 */
export function listAll<T>(github: GitHub, path: string, maxEntries = Infinity): Promise<readonly T[]> {
  return github.request(async ({ paginate }) => {
    const all: T[] = []
    for await (const { data } of paginate.iterator(`GET ${path}`, { per_page: 100 })) {
      if (!Array.isArray(data)) throw notWhat('list')
      all.push(...(data as readonly T[]))
      if (all.length >= maxEntries) break
    }
    return all
  })
}

/** An account as REST shows it; `undefined` if there is none, or it was deleted. */
export function readAccount(user: User | null | undefined): Account | undefined {
  if (!user?.login) return undefined
  return { id: user.id ?? undefined, login: normalizeLogin(user.login) }
}

function basePath({ repository: { owner, repo } }: GitHub, { kind }: Thread): string {
  return `/repos/${owner}/${repo}/${kind === 'main' ? 'issues' : 'pulls'}`
}

function refOf({ id, html_url: url }: Comment, thread: Thread): CommentRef {
  return { thread, id: id ?? 0, url: url ?? '' }
}

/**
 * Writes something, and takes over whose token it is from who has written it.
 *
 * @throws {GitHubError}
 */
export async function send<T extends Pick<Comment, 'id' | 'user'>>(
  github: GitHub,
  route: string,
  content: Readonly<Record<string, string>>,
): Promise<T> {
  const { data } = await github.request<{ readonly data: T }>((octokit) => octokit.request(route, content))
  const { id, user } = data
  if (!id) throw notWhat('comment or reaction')
  if (user?.login) github.knowAccount({ databaseId: user.id, login: user.login })
  return data
}

function notWhat(what: string): GitHubError {
  return new GitHubError(`GitHub returned something that is not a ${what}`, { kind: 'other' })
}
