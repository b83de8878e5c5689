import type { CommentRef } from '../github/comments.ts'
import type { ReactionContent, ReactionsBefore } from '../github/reactions.ts'
import { isRecord, parseJson } from '../lib/json.ts'
import type { Environment } from '../runner/environment.ts'
import { readState, saveState } from '../runner/state.ts'
import type { Thread } from '../trigger/comment-event.ts'

/** What the post part is to write to GitHub if this part can't any more. */
export type LastWill = {
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

/** Writes down the last will, in place of the one before. */
export function saveWill(will: LastWill): void {
  saveState('last-will', JSON.stringify(will))
}

/** Takes the last will back: all of it is done. */
export function revokeWill(): void {
  saveState('last-will', '')
}

/** The last will of the main part; `undefined` if it left nothing undone. */
export function readWill(environment: Environment): LastWill | undefined {
  const will = parseJson(readState(environment, 'last-will'))
  // This action's own words: nobody else writes a step's state.
  return isRecord(will) ? (will as LastWill) : undefined
}
