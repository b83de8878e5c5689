import { type CommentRef, type Thread, writePermission } from '../github/comments.ts'
import type { RunDeps } from '../github/github.ts'
import { type FinalReaction, giveFinalReaction } from '../github/reactions.ts'
import { isRecord, parseJson } from '../lib/json.ts'
import { Markdown } from '../lib/markdown.ts'
import type { Runner } from '../runner/runner.ts'
import type { Marker } from './marker.ts'
import type { Draft, OwnComments } from './own-comments.ts'

/** What is still to be written to GitHub; saved for the post step, should the main step be cut off. */
type PendingComment = {
  readonly thread: Thread
  /** Our comment; `null` while none is known to be written. */
  readonly comment: CommentRef | null
  readonly marker: Marker
  /** Markdown of our own making, as it is to stand there in the end. */
  readonly text: string
  /** `null` where no command is answered. */
  readonly reaction: FinalReaction | null
}

/** A comment that is edited while the job goes on, and finished by the post step if the main step is cut off. */
export type LiveComment = {
  /** Says something now; `cutOff` is what it is to say if the run is cut off after that. Resolves when that is written. */
  show(now: Draft, cutOff: Draft): Promise<void>
  /** Says the last that there is to say, and gives the final reaction. Resolves when that is done. */
  finish(end: Draft, content: FinalReaction['content']): Promise<void>
}

/** Where a comment is, and what it answers. */
type LiveCommentOptions = {
  readonly thread: Thread
  /** The comment if it is there already. */
  readonly existing: CommentRef | undefined
  /** Whether it may be there although it is not known. */
  readonly mayExist: boolean
  /** The command that is answered, and its reactions so far; `undefined` where none is. */
  readonly answered: Pick<FinalReaction, 'source' | 'replaced'> | undefined
}

/** Opens a comment. Nothing is written before it is to show something. */
export function openLiveComment(options: LiveCommentOptions, own: OwnComments, deps: RunDeps): LiveComment {
  const { answered } = options
  let { thread, existing, mayExist } = options
  let isTried = false
  let isSuperseded = false
  let queue: Promise<unknown> = Promise.resolve()

  function save({ marker, text }: Draft, content: FinalReaction['content']): PendingComment {
    const reaction = answered === undefined ? null : { ...answered, content, isGiven: false }
    const body = deps.redact(text.source)
    const pending = { thread, comment: existing ?? null, marker, text: body, reaction }
    savePendingComment(pending, deps)
    return pending
  }

  async function write(draft: Draft): Promise<boolean> {
    if (isSuperseded) return true
    // It may have been written even though its answer was lost. The post step has the time to check.
    if (existing === undefined && mayExist && deps.cancel.aborted) return false
    const written = await own.write({ thread, existing, mayExist, draft })
    isTried = true
    mayExist = true
    isSuperseded = written.result === 'superseded'
    if (isSuperseded) deps.log.info('A later run has written the comment since; this run leaves it as it is.')
    if (written.result === 'written') {
      existing = written.comment
      thread = written.thread
      deps.setOutputs({ 'comment-id': `${existing.id}`, 'comment-url': existing.url })
    }
    return written.result !== 'failed'
  }

  async function showNow(now: Draft, cutOff: Draft): Promise<void> {
    // What GitHub has refused once is asked for once more only, at the end.
    if (existing === undefined && isTried) return
    await write(now)
    if (isSuperseded) savePendingComment(undefined, deps)
    else save(cutOff, 'confused')
  }

  return {
    show(now, cutOff) {
      save(cutOff, 'confused')
      const shown = queue.then(() => showNow(now, cutOff))
      queue = shown
      return shown
    },
    async finish(end, content) {
      await queue
      save(end, content)
      const isWritten = await write(end)
      const { reaction } = save(end, content)
      const left = reaction === null ? undefined : await giveFinalReaction(deps.github, reaction)
      const isDone = (isWritten && left === undefined) || deps.github.lacks(writePermission(thread))
      savePendingComment(isDone ? undefined : { ...save(end, content), reaction: left ?? null }, deps)
    },
  }
}

/** Saves what is pending, in place of what was before; nothing, once all of it is done. */
export function savePendingComment(pending: PendingComment | undefined, { saveState }: Runner): void {
  saveState('pending-comment', pending === undefined ? '' : JSON.stringify(pending))
}

/** What the main step left to be written; `undefined` if nothing. */
export function readPendingComment({ readState }: Runner): PendingComment | undefined {
  const pending = parseJson(readState('pending-comment'))
  // This action's own words: nobody else writes a step's state.
  return isRecord(pending) ? (pending as PendingComment) : undefined
}

/** Writes what the main step left to be written, as far as GitHub lets it. */
export async function finishPendingComment(
  pending: PendingComment,
  own: OwnComments,
  { github, log }: RunDeps,
): Promise<void> {
  const { thread, comment, marker, text, reaction } = pending
  const draft: Draft = { marker, text: Markdown.trusted(text) }
  const written = await own.write({ thread, existing: comment ?? undefined, mayExist: true, draft })
  if (written.result === 'written') log.info(`The comment ${written.comment.url} has been finished.`)
  if (reaction !== null) await giveFinalReaction(github, reaction)
}
