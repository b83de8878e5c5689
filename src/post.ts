import { findWritten } from './comments/own-comments.ts'
import { type LastWill, readWill } from './comments/pending-comment.ts'
import { createComment, editComment } from './github/comments.ts'
import { settleReactions } from './github/reactions.ts'
import { wantsSummary } from './inputs/job-inputs.ts'
import { cutOffSummary } from './job/summary.ts'
import type { RunContext } from './run-context.ts'
import { readState } from './runner/state.ts'
import { writeSummary } from './runner/summary.ts'

/** The post part: says what is known of a run that was killed before it could say so itself, and finishes its comment. */
export async function finishCutOffRun(context: RunContext): Promise<void> {
  if (readState(context.environment, 'finished') === '') await tellCutOff(context)
  const will = readWill(context.environment)
  if (will !== undefined) await carryOut(will, context)
}

async function tellCutOff(context: RunContext): Promise<void> {
  const { environment, log } = context
  const jobId = readState(environment, 'job-id')
  const advice =
    jobId === ''
      ? 'The run was cut off before the docs service had answered; if a job was asked for, it may be running. Look for it in the dashboard before you run this again.'
      : `The run was cut off. The agent's job goes on in the background. To pick it up, run this action with \`job-id: ${jobId}\`.`
  log.warning(advice)
  if (wantsSummary(environment)) writeSummary(cutOffSummary(advice), context)
}

async function carryOut(will: LastWill, context: RunContext): Promise<void> {
  const { github, redact } = context
  const { thread, reaction } = will
  const body = redact(will.body)
  // It may have been written even though nobody was left to hear of it.
  const comment = will.comment ?? (await findWritten(github, thread, body))
  if (comment === undefined) await createComment(github, thread, body)
  else await editComment(github, comment, { body, isPull: thread.isPull })
  if (reaction !== null) await settleReactions(github, { id: reaction.commentId, thread }, reaction)
}
