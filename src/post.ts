import { shortSummary } from './job/job-summary.ts'
import { inBackticks } from './lib/text.ts'
import { finishPending } from './record/record.ts'
import type { Run } from './runner/run.ts'

/**
 * The post step: reports what is known of a run that was killed before it could report it, and ends what was begun on
 * GitHub. It never calls the docs service.
 */
export async function runPost(run: Run): Promise<void> {
  if (run.readState('finished') === '') reportInterruption(run)
  await finishPending(run)
}

function reportInterruption(run: Run): void {
  const jobId = run.readState('job-id')
  const advice =
    jobId === ''
      ? 'The run was interrupted before the docs service had answered. If a job was requested, it may be running: look for it in the dashboard before you start the workflow anew.'
      : `The run was interrupted. The job is still running. To wait for it, run this action with ${inBackticks(`job-id: ${jobId}`)}.`
  run.log.warning(advice)
  run.writeSummary('job', shortSummary('🛑', advice, run))
}
