import { type Account, fetchTokenAccount, isSameAccount } from '../github/account.ts'
import {
  type Comment,
  type CommentRef,
  createComment,
  deleteComment,
  editComment,
  type FailureReport,
  getComment,
  listComments,
  type Thread,
} from '../github/comments.ts'
import type { RunDeps } from '../github/github.ts'
import type { Inputs } from '../inputs/table.ts'
import { joinMarkdown, type Markdown } from '../lib/markdown.ts'
import { isNewer, type Marker, openMarkers } from './marker.ts'

/** A comment that this action wrote, for whichever step: its marker is signed, and its author is the token's account. */
export type OwnComment = { readonly comment: Comment; readonly marker: Marker }

/** A comment as it is to be written. */
export type Draft = { readonly marker: Marker; readonly text: Markdown }

/** A comment to be written: where, and what. */
type CommentToWrite = {
  readonly thread: Thread
  /** The comment, if it is known to be there already. */
  readonly existing: CommentRef | undefined
  /** Whether the comment may be there although it is not known, as an answer of GitHub's was lost. */
  readonly mayExist: boolean
  /** What it is to be. */
  readonly draft: Draft
  /** What it is to be in view of what it says by now; `undefined` if it is to stay. */
  readonly merge?: (current: Marker) => Draft | undefined
}

/** What became of a comment: `superseded` if a later run had written it in between. */
export type Written =
  | { readonly result: 'written'; readonly comment: CommentRef; readonly thread: Thread }
  | { readonly result: 'superseded' | 'failed' }

/** The comments of this action in a repository. */
export type OwnComments = {
  /** Those of a thread, oldest first; `undefined`, with a warning, if they can't be read. */
  list(thread: Thread, report?: FailureReport): Promise<readonly OwnComment[] | undefined>
  /** Those among comments that the token's account is known to have written. */
  read(comments: readonly Comment[], thread: Thread): readonly OwnComment[]
  /** One of them as it is now; `undefined` if it is gone. */
  readAgain(own: OwnComment, thread: Thread): Promise<OwnComment | undefined>
  /** Writes a comment: edits it where it is there already. Failures are logged as `report` says, by default as warnings. */
  write(comment: CommentToWrite, report?: FailureReport): Promise<Written>
}

/** Opens the comments of this action. Sends nothing yet. */
export function openOwnComments(
  inputs: Pick<Inputs, 'api-key'>,
  { github, environment, redact }: RunDeps,
): OwnComments {
  const markers = openMarkers({ apiKey: inputs['api-key'], repository: environment.repository })
  let self: Promise<Account> | undefined

  async function list(thread: Thread, report?: FailureReport): Promise<readonly OwnComment[] | undefined> {
    const comments = await listComments(github, thread, report)
    const found = comments === undefined ? undefined : read(comments, thread)
    if (found === undefined || found.length === 0) return found
    self ??= fetchTokenAccount(github)
    const account = await self
    return found.filter(({ comment }) => isSameAccount(account, comment.author))
  }

  function read(comments: readonly Comment[], thread: Thread): readonly OwnComment[] {
    return comments.flatMap((comment) => {
      const marker = markers.read(comment.body, thread)
      return marker === undefined ? [] : [{ comment, marker }]
    })
  }

  async function readAgain({ comment }: OwnComment, thread: Thread): Promise<OwnComment | undefined> {
    const now = await getComment(github, comment)
    return now === undefined ? undefined : read([now], thread)[0]
  }

  function render({ marker, text }: Draft, thread: Thread): string {
    return redact(joinMarkdown([markers.render(marker, thread), text], '\n').source)
  }

  async function write(comment: CommentToWrite, report: FailureReport = {}): Promise<Written> {
    const { thread, draft, mayExist } = comment
    if (comment.existing !== undefined) return await edit({ ...comment, existing: comment.existing })
    if (mayExist) {
      const own = await list(thread, report)
      // No comment is better than two.
      if (own === undefined) return { result: 'failed' }
      const existing = findSame(own, draft.marker)
      if (existing !== undefined) return await edit({ ...comment, existing })
    }
    const created = await createComment(github, thread, { body: render(draft, thread), ...report })
    if (created === undefined) return { result: 'failed' }
    if (created === 'thread-gone') {
      const main: Thread = { ...thread, kind: 'main', rootId: 0 }
      return await write({ ...comment, thread: main }, report)
    }
    if (created.author !== undefined) self ??= Promise.resolve(created.author)
    const first = isShared(draft.marker) ? findSame((await list(thread)) ?? [], draft.marker) : undefined
    if (first === undefined || first.id >= created.id) return { result: 'written', comment: created, thread }
    // Another run wrote it at the same time: the first one stays.
    await deleteComment(github, created, thread)
    return await edit({ ...comment, existing: first })
  }

  async function edit(comment: CommentToWrite & { readonly existing: CommentRef }): Promise<Written> {
    const { thread, existing } = comment
    let { draft } = comment
    if (isShared(draft.marker)) {
      const now = await getComment(github, existing)
      const current = now === undefined ? undefined : markers.read(now.body, thread)
      const merged = current === undefined ? draft : mergedDraft(comment, current)
      if (merged === undefined) return { result: 'superseded' }
      draft = merged
    }
    const body = render(draft, thread)
    const isWritten = await editComment(github, existing, { body, isPull: thread.isPull })
    return isWritten ? { result: 'written', comment: existing, thread } : { result: 'failed' }
  }

  return { list, read, readAgain, write }
}

/** Whether a marker belongs to this very step. */
export function isOfStep(marker: Marker, { project, step }: Pick<Marker, 'project' | 'step'>): boolean {
  return marker.project === project && marker.step === step
}

/** Whether two markers are of the comment that there is to be only one of. */
export function isSameComment(one: Marker, other: Marker): boolean {
  if (one.kind !== other.kind || one.project !== other.project) return false
  if (one.kind === 'announcement' && one.job === other.job) return true
  if (!isOfStep(one, other)) return false
  return one.kind !== 'reply' || (one.run === other.run && one.source === other.source)
}

/** The comment among our own that is the same as one to be written. */
function findSame(own: readonly OwnComment[], marker: Marker): OwnComment['comment'] | undefined {
  return own.find((one) => isSameComment(one.marker, marker))?.comment
}

/** Whether several runs write the same comment. A reply is written by one run alone. */
function isShared({ kind }: Marker): boolean {
  return kind !== 'reply'
}

function mergedDraft({ draft, merge }: CommentToWrite, current: Marker): Draft | undefined {
  if (merge !== undefined) return merge(current)
  return isNewer(current, draft.marker) ? undefined : draft
}
