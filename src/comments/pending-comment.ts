import type { CommentRef } from '../github/comments.ts'
import type { ReactionContent, ReactionsBefore } from '../github/reactions.ts'
import type { Thread } from '../github/thread.ts'
import { isRecord, parseJson } from '../lib/json.ts'
import type { Runner } from '../runner/runner.ts'

/** What the post part is to write to GitHub if the main part can't any more. */
export type PendingComment = {
  readonly thread: Thread
  /** Our comment; `null` while it has not been written. */
  readonly comment: CommentRef | null
  /** What it is to say in the end. */
  readonly body: string
  /** `null` where no comment is replied to. */
  readonly reaction: LastReaction | null
}

/** The reaction that a command gets in the end. */
export type LastReaction = {
  /** Id of the comment to react to. */
  readonly commentId: number
  readonly content: ReactionContent
  readonly before: ReactionsBefore
}

/** Saves what is pending, in place of what was before; nothing, once all of it is done. */
export function savePendingComment(pending: PendingComment | undefined, { saveState }: Runner): void {
  saveState('pending-comment', pending === undefined ? '' : JSON.stringify(pending))
}

/** What the main part left to be written; `undefined` if nothing. */
export function readPendingComment({ readState }: Runner): PendingComment | undefined {
  const pending = parseJson(readState('pending-comment'))
  // This action's own words: nobody else writes a step's state.
  return isRecord(pending) ? (pending as PendingComment) : undefined
}
