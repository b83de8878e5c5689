import { readState } from '../edges/runner/state.ts'
import { writeSummary } from '../edges/runner/summary.ts'
import { cutOffSummary } from '../report/job-summary.ts'
import type { RunContext } from './run-context.ts'

/** The post part: says what is known of a run that was killed before it could say so itself. */
export async function finishCutOffRun(context: RunContext): Promise<void> {
  const { environment, log } = context
  if (readState(environment, 'finished') !== '') return
  const jobId = readState(environment, 'job-id')
  const advice =
    jobId === ''
      ? 'The run was cut off before the docs service had answered; if a job was asked for, it may be running. Look for it in the dashboard before you run this again.'
      : `The run was cut off. The agent's job goes on in the background. To pick it up, run this action with \`job-id: ${jobId}\`.`
  log.warning(advice)
  if (environment.inputs.get('summary') !== 'false') await writeSummary(cutOffSummary(advice), context)
}
