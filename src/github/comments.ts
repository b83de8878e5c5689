import { integerField, recordField, stringField } from '../lib/json.ts'
import { type Account, readAccount } from './account.ts'
import type { GitHub } from './github.ts'
import type { Octokit } from './octokit.ts'
import type { Thread } from './thread.ts'

/** A comment that can be edited and reacted to. */
export type CommentRef = {
  readonly kind: Thread['kind']
  readonly id: number
  readonly url: string
}

/** A comment as it is listed. */
export type ListedComment = CommentRef & {
  /** `undefined` if the account is gone. */
  readonly author: Account | undefined
  readonly body: string
}

/** The permission to write into a thread. */
export function writePermission({ isPull }: Pick<Thread, 'isPull'>): string {
  return isPull ? 'pull-requests: write' : 'issues: write'
}

/** Writes a comment at a thread's end. `undefined`, with a warning, if that failed. */
export function createComment(github: GitHub, thread: Thread, body: string): Promise<CommentRef | undefined> {
  const { kind, number, rootId } = thread
  return github.attempt({
    purpose: 'write a comment',
    permission: writePermission(thread),
    send: async ({ rest }) => {
      const there = { ...github.repository, body }
      const { data } =
        kind === 'main'
          ? await rest.issues.createComment({ ...there, issue_number: number })
          : await rest.pulls.createReplyForReviewComment({
              ...there,
              pull_number: number,
              comment_id: rootId,
            })
      const comment = readListed(data, kind)
      if (comment === undefined) throw new Error('the answer is no comment')
      return { kind, id: comment.id, url: comment.url }
    },
  })
}

/** Replaces the text of a comment. Returns whether that worked; if not, there was a warning. */
export async function editComment(
  github: GitHub,
  comment: CommentRef,
  change: { readonly body: string; readonly isPull: boolean },
): Promise<boolean> {
  const answer = await github.attempt<unknown>({
    purpose: 'edit a comment',
    permission: writePermission(change),
    send: ({ rest }) => {
      const it = { ...github.repository, comment_id: comment.id, body: change.body }
      return comment.kind === 'main' ? rest.issues.updateComment(it) : rest.pulls.updateReviewComment(it)
    },
  })
  return answer !== undefined
}

/** All comments of a thread, oldest first, through all pages. */
export async function* listComments(github: GitHub, thread: Thread): AsyncGenerator<ListedComment> {
  let pages: AsyncIterator<{ readonly data: readonly unknown[] }> | undefined
  for (;;) {
    const page = await github.attempt({
      purpose: 'list the comments',
      permission: thread.isPull ? 'pull-requests: read' : 'issues: read',
      send: async (octokit) => {
        pages ??= pagesOf(octokit, github, thread)[Symbol.asyncIterator]()
        return await pages.next()
      },
    })
    if (page === undefined || page.done === true) return
    for (const entry of page.value.data) {
      const comment = readListed(entry, thread.kind)
      if (comment !== undefined && isIn(thread, entry)) yield comment
    }
  }
}

function pagesOf(
  octokit: Octokit,
  github: GitHub,
  { kind, number }: Thread,
): AsyncIterable<{ readonly data: readonly unknown[] }> {
  const { paginate, rest } = octokit
  // As many as GitHub gives.
  const there = { ...github.repository, per_page: 100 }
  return kind === 'main'
    ? paginate.iterator(rest.issues.listComments, { ...there, issue_number: number })
    : paginate.iterator(rest.pulls.listReviewComments, { ...there, pull_number: number })
}

function isIn({ kind, rootId }: Thread, comment: unknown): boolean {
  if (kind === 'main') return true
  return integerField(comment, 'id') === rootId || integerField(comment, 'in_reply_to_id') === rootId
}

function readListed(value: unknown, kind: Thread['kind']): ListedComment | undefined {
  const id = integerField(value, 'id')
  if (id === undefined) return undefined
  const url = stringField(value, 'html_url') ?? ''
  return {
    kind,
    id,
    url,
    author: readAccount(recordField(value, 'user')),
    body: stringField(value, 'body') ?? '',
  }
}
