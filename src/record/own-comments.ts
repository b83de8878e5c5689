import type { Known } from '../github/client.ts'
import {
  type CommentRef,
  createComment,
  editComment,
  isSameAccount,
  listComments,
  type Thread,
  type ThreadComment,
} from '../github/comments.ts'
import { joinMarkdown, type Markdown } from '../lib/markdown.ts'
import type { Run } from '../runner/run.ts'
import { type Marker, readMarker, renderMarker } from './marker.ts'

/** A comment that this action wrote, for whichever step: its marker is signed, and its author is the token's account. */
export type OwnComment = { readonly ref: CommentRef; readonly marker: Marker }

/** The comments of a thread, oldest first, and which of them are ours. */
type ThreadComments = { readonly all: readonly ThreadComment[]; readonly own: readonly OwnComment[] }

/** A comment as it is to be written. */
export type Draft = { readonly marker: Marker; readonly text: Markdown }

/** Lists all comments of a thread. */
export async function listThread(thread: Thread, run: Run): Promise<Known<ThreadComments>> {
  const { github } = run
  return await github.read(async () => {
    const all = await listComments(github, thread)
    const signed = all.flatMap(({ ref, author, body }) => {
      const marker = readMarker(body, thread, run)
      return marker === undefined ? [] : [{ ref, author, marker }]
    })
    if (signed.length === 0) return { all, own: [] }
    const account = await github.account()
    return { all, own: signed.filter(({ author }) => isSameAccount(account, author)) }
  })
}

/** Replaces a comment's text. Or a GitHubError. */
export async function rewriteComment(ref: CommentRef, draft: Draft, run: Run): Promise<CommentRef> {
  await editComment(run.github, ref, render(draft, ref.thread, run))
  return ref
}

/** Writes a comment. One that may have arrived is looked for before it is written again. Or a GitHubError. */
export async function writeNewComment(thread: Thread, draft: Draft, run: Run): Promise<CommentRef> {
  const find = (): Promise<CommentRef | undefined> => findComment(thread, draft, run)
  return await createComment(run.github, thread, render(draft, thread, run), find)
}

/** Looks for the comment that there is to be only one of. Or a GitHubError. */
export async function findComment(thread: Thread, draft: Draft, run: Run): Promise<CommentRef | undefined> {
  const listed = await listThread(thread, run)
  if (!listed.known) throw listed.error
  return listed.value.own.findLast(({ marker }) => isSameComment(marker, draft.marker))?.ref
}

/** Whether two markers are of the comment that there is to be only one of. */
export function isSameComment(one: Marker, other: Marker): boolean {
  if (one.project !== other.project) return false
  if (one.kind === 'note' || other.kind === 'note') return one.kind === other.kind
  if (one.kind !== other.kind || one.step !== other.step) return false
  return one.kind === 'status' || (one.run === other.run && one.source === other.source)
}

function render({ marker, text }: Draft, thread: Thread, run: Run): string {
  return run.redact(joinMarkdown([renderMarker(marker, thread, run), text], '\n').source)
}
