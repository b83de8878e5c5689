import { findWritten } from './comments/own-comments.ts'
import { type PendingComment, readPendingComment } from './comments/pending-comment.ts'
import { createComment, editComment } from './github/comments.ts'
import { openGitHub, type RunDeps } from './github/github.ts'
import { replaceReactions } from './github/reactions.ts'
import { readInputs } from './inputs/read.ts'
import type { Inputs } from './inputs/table.ts'
import { cutOffSummary } from './job/summary.ts'
import type { Deps } from './lib/deps.ts'
import type { Environment } from './runner/environment.ts'
import { openRunner, type Runner } from './runner/runner.ts'

/**
 * The post part of the step: reports what is known of a run that was killed before it could report it, and finishes its
 * comment. It never talks to the docs service.
 *
 * @returns its exit code
 */
export async function runPost(environment: Environment, deps: Deps): Promise<number> {
  const runner = openRunner(environment)
  const { inputs } = readInputs(environment.inputs, runner.redact)
  if (runner.readState('finished') === '') reportCutOff(runner, inputs)
  const pending = readPendingComment(runner)
  if (pending !== undefined) {
    const github = openGitHub({ ...deps, ...runner, token: inputs['github-token'] })
    await finishComment(pending, { ...deps, ...runner, github })
  }
  return 0
}

function reportCutOff({ log, readState, writeSummary }: Runner, inputs: Inputs): void {
  const jobId = readState('job-id')
  const advice =
    jobId === ''
      ? 'The run was cut off before the docs service had answered; if a job was requested, it may be running. Check the dashboard before you run this again.'
      : `The run was cut off. The agent's job goes on in the background. To wait for it again, run this action with \`job-id: ${jobId}\`.`
  log.warning(advice)
  if (inputs.summary) writeSummary('job', cutOffSummary(advice, inputs['project-id']))
}

async function finishComment(pending: PendingComment, { github, redact }: RunDeps): Promise<void> {
  const { thread, reaction } = pending
  const body = redact(pending.body)
  // It may have been written although the answer was lost.
  const comment = pending.comment ?? (await findWritten(github, thread, body))
  if (comment === undefined) await createComment(github, thread, body)
  else await editComment(github, comment, { body, isPull: thread.isPull })
  if (reaction !== null) await replaceReactions(github, { id: reaction.commentId, thread }, reaction)
}
