import { type CommentRef, createComment, editComment } from '../github/comments.ts'
import type { RunDeps } from '../github/github.ts'
import { type ReactionContent, type ReactionsBefore, replaceReactions } from '../github/reactions.ts'
import type { Thread } from '../github/thread.ts'
import type { Markdown } from '../lib/markdown.ts'
import { findWritten } from './own-comments.ts'
import { type PendingComment, savePendingComment } from './pending-comment.ts'

/** A comment of ours that is edited while there is news, and finished by the post part if this part is cut off. */
export type LiveComment = {
  /** Says something now; `lastWords` is what it is to say if the run is cut off after that. */
  show(now: Markdown, lastWords: Markdown): void
  /** Says the last that there is to say, and reacts where a comment is answered. Resolves when that is written. */
  finish(end: Markdown, content: ReactionContent): Promise<void>
}

/** Where a comment stands and what it answers. */
export type LiveCommentOptions = {
  readonly thread: Thread
  /** The comment if it is there already. */
  readonly existing: CommentRef | undefined
  /** `undefined` where no comment is answered. */
  readonly answered: Answered | undefined
}

/** A comment that is answered. */
export type Answered = {
  readonly commentId: number
  readonly before: ReactionsBefore
}

/** Opens a comment. Nothing is written before it is to show something. */
export function openLiveComment(options: LiveCommentOptions, context: RunDeps): LiveComment {
  const { thread, answered } = options
  const { github, redact, setOutputs } = context
  let comment = options.existing
  let tried = false
  let written = Promise.resolve(true)

  function will(lastWords: Markdown, content: ReactionContent): PendingComment {
    const reaction = answered === undefined ? null : { ...answered, content }
    return { thread, comment: comment ?? null, body: redact(lastWords.source), reaction }
  }

  async function write(markdown: Markdown): Promise<boolean> {
    const body = redact(markdown.source)
    // It may have been written even though its answer was lost. The post part has the time to look.
    if (comment === undefined && tried) {
      if (context.cancel.aborted) return false
      comment = await findWritten(github, thread, body)
    }
    tried = true
    if (comment !== undefined) return await editComment(github, comment, { body, isPull: thread.isPull })
    comment = await createComment(github, thread, body)
    return comment !== undefined
  }

  async function showNow(now: Markdown, lastWords: Markdown): Promise<boolean> {
    // What GitHub has refused once it is asked for once more only, at the end.
    if (comment === undefined && tried) return false
    const done = await write(now)
    tellOutputs()
    savePendingComment(will(lastWords, 'confused'), context)
    return done
  }

  function tellOutputs(): void {
    if (comment !== undefined) setOutputs({ 'comment-id': `${comment.id}`, 'comment-url': comment.url })
  }

  return {
    show(now, lastWords) {
      savePendingComment(will(lastWords, 'confused'), context)
      written = written.then(() => showNow(now, lastWords))
    },
    async finish(end, content) {
      await written
      savePendingComment(will(end, content), context)
      const done = await write(end)
      tellOutputs()
      if (done && (await resolve(content))) savePendingComment(undefined, context)
    },
  }

  async function resolve(content: ReactionContent): Promise<boolean> {
    if (answered === undefined) return true
    const { commentId, before } = answered
    return await replaceReactions(github, { id: commentId, thread }, { content, before })
  }
}
