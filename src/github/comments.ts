import { integerField, recordField, stringField } from '../lib/json.ts'
import { type Account, readAccount } from './account.ts'
import { type GitHub, statusOf } from './github.ts'
import type { Octokit } from './octokit.ts'

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

/** The main thread of a pull request. */
export function pullRequestThread(number: number): Thread {
  return { kind: 'main', number, isPull: true, rootId: 0 }
}

/** The permission that writing into a thread needs. */
export function writePermission({ isPull }: Pick<Thread, 'isPull'>): string {
  return isPull ? 'pull-requests: write' : 'issues: write'
}

/** A comment that can be edited and reacted to. */
export type CommentRef = {
  readonly kind: Thread['kind']
  readonly id: number
  readonly url: string
}

/** A comment as GitHub answers it. */
export type Comment = CommentRef & {
  /** `undefined` if the account is gone. */
  readonly author: Account | undefined
  readonly body: string
  /** When it was written or last edited, by GitHub's clock, in milliseconds since the epoch; `NaN` if not said. */
  readonly updatedAtMs: number
}

/** As many as GitHub gives. */
const PAGE_SIZE = 100

/** Of a longer thread, the first page and the last ones are read. */
const MAX_PAGES = 5

/**
 * Writes a comment at a thread's end.
 *
 * @returns the comment; `thread-gone` if the first comment of a review thread is not there any more; `undefined`, with
 * a warning, if that failed
 */
export function createComment(
  github: GitHub,
  thread: Thread,
  { body, ...report }: { readonly body: string } & FailureReport,
): Promise<Comment | 'thread-gone' | undefined> {
  const { kind, number, rootId } = thread
  return github.attempt({
    purpose: 'write a comment',
    permission: writePermission(thread),
    ...report,
    send: async ({ rest }) => {
      const params = { ...github.repository, body }
      if (kind === 'main') {
        const { data } = await rest.issues.createComment({ ...params, issue_number: number })
        return requireComment(data, kind)
      }
      try {
        const reply = { ...params, pull_number: number, comment_id: rootId }
        const { data } = await rest.pulls.createReplyForReviewComment(reply)
        return requireComment(data, kind)
      } catch (error) {
        const status = statusOf(error)
        if (status === 404 || status === 422) return 'thread-gone'
        throw error
      }
    },
  })
}

/** How a failure to write is logged. */
export type FailureReport = { readonly consequence?: string; readonly ifForbidden?: 'notice' | 'warning' }

/** Replaces the text of a comment. Returns whether that worked; if not, there was a warning. */
export async function editComment(
  github: GitHub,
  comment: CommentRef,
  change: { readonly body: string; readonly isPull: boolean },
): Promise<boolean> {
  const answer = await github.attempt<unknown>({
    purpose: `edit the comment ${comment.url}`,
    permission: writePermission(change),
    consequence: 'It stays as it is.',
    send: ({ rest }) => {
      const params = { ...github.repository, comment_id: comment.id, body: change.body }
      return comment.kind === 'main'
        ? rest.issues.updateComment(params)
        : rest.pulls.updateReviewComment(params)
    },
  })
  return answer !== undefined
}

/** Reads a comment again. `undefined` if it is gone, or can't be read. */
export async function getComment(github: GitHub, { kind, id }: CommentRef): Promise<Comment | undefined> {
  try {
    const { data } = await github.request<{ readonly data: unknown }>(({ rest }) => {
      const params = { ...github.repository, comment_id: id }
      return kind === 'main' ? rest.issues.getComment(params) : rest.pulls.getReviewComment(params)
    })
    return readComment(data, kind)
  } catch {
    return undefined
  }
}

/** Deletes a comment on a main thread. */
export async function deleteComment(github: GitHub, { id }: CommentRef, thread: Thread): Promise<void> {
  await github.attempt<unknown>({
    purpose: 'delete a comment that is there twice',
    permission: writePermission(thread),
    send: ({ rest }) => rest.issues.deleteComment({ ...github.repository, comment_id: id }),
  })
}

/**
 * The comments of a thread, oldest first. A long thread is read from its end: at most 5 requests, which leave out what
 * lies between the first hundred comments and the last four hundred.
 *
 * @returns `undefined`, with a warning, if the comments could not be read
 */
export async function listComments(
  github: GitHub,
  thread: Thread,
  report: FailureReport = {},
): Promise<readonly Comment[] | undefined> {
  const entries = await github.attempt({
    purpose: 'list the comments',
    // Reading would do for this alone, but whoever lists our comments is about to write one.
    permission: writePermission(thread),
    ...report,
    send: (octokit) =>
      thread.kind === 'main'
        ? listMainThread(octokit, github, thread)
        : listReviewThread(octokit, github, thread),
  })
  return entries
    ?.map((entry) => readComment(entry, thread.kind))
    .filter((comment) => comment !== undefined)
    .toSorted((a, b) => a.id - b.id)
}

/** GitHub lists these oldest first, whatever order is requested; its first response says how many pages there are. */
async function listMainThread(
  { rest }: Octokit,
  { repository }: GitHub,
  { number }: Thread,
): Promise<readonly unknown[]> {
  const params = { ...repository, issue_number: number, per_page: PAGE_SIZE }
  const first = await rest.issues.listComments(params)
  const lastPage = Number(/[?&]page=(\d+)[^>]*>; rel="last"/.exec(first.headers.link ?? '')?.[1] ?? 1)
  const entries: unknown[] = [...first.data]
  for (let page = Math.max(2, lastPage - MAX_PAGES + 2); page <= lastPage; page++) {
    entries.push(...(await rest.issues.listComments({ ...params, page })).data)
  }
  return entries
}

/** GitHub lists the comments of all reviews of a pull request together. */
async function listReviewThread(
  { rest }: Octokit,
  { repository }: GitHub,
  { number, rootId }: Thread,
): Promise<readonly unknown[]> {
  const params = { ...repository, pull_number: number, per_page: PAGE_SIZE }
  const entries: unknown[] = []
  for (let page = 1; page <= MAX_PAGES; page++) {
    const { data } = await rest.pulls.listReviewComments({
      ...params,
      ...(page > 1 && { page }),
      sort: 'created',
      direction: 'desc',
    })
    entries.push(...data.filter((one) => one.id === rootId || one.in_reply_to_id === rootId))
    if (data.length < PAGE_SIZE || data.some(({ id }) => id === rootId)) break
  }
  return entries
}

function requireComment(value: unknown, kind: Thread['kind']): Comment {
  const comment = readComment(value, kind)
  if (comment === undefined) throw new Error('the answer is no comment')
  return comment
}

function readComment(value: unknown, kind: Thread['kind']): Comment | undefined {
  const id = integerField(value, 'id')
  if (id === undefined) return undefined
  return {
    kind,
    id,
    url: stringField(value, 'html_url') ?? '',
    author: readAccount(recordField(value, 'user')),
    body: stringField(value, 'body') ?? '',
    updatedAtMs: Date.parse(stringField(value, 'updated_at') ?? ''),
  }
}
