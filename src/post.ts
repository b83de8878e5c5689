import { finishPendingComment, readPendingComment } from './comments/live-comment.ts'
import { openOwnComments } from './comments/own-comments.ts'
import { openGitHub, type RunDeps } from './github/github.ts'
import { readInputs } from './inputs/read.ts'
import type { Inputs } from './inputs/table.ts'
import { cutOffSummary } from './job/summary.ts'
import type { Deps } from './lib/clock.ts'
import type { Environment } from './runner/environment.ts'
import { openRunner, type Runner } from './runner/runner.ts'

/**
 * The post part of the step: reports what is known of a run that was killed before it could report it, and finishes its
 * comment. It never calls the docs service.
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
    const runDeps: RunDeps = { ...deps, ...runner, github }
    await finishPendingComment(pending, openOwnComments(inputs, runDeps), runDeps)
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
