import { createComment, editComment } from '../edges/github/comments.ts'
import { findWritten } from '../edges/github/own-comments.ts'
import { settleReactions } from '../edges/github/reactions.ts'
import { wantsSummary } from '../edges/runner/job-inputs.ts'
import { readState } from '../edges/runner/state.ts'
import { writeSummary } from '../edges/runner/summary.ts'
import { cutOffSummary } from '../report/job-summary.ts'
import { type LastWill, readWill } from './last-will.ts'
import type { RunContext } from './run-context.ts'

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
