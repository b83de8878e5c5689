import { finishPending } from './comments/conversation.ts'
import { shortSummary } from './job/job-summary.ts'
import { inBackticks } from './lib/text.ts'
import { finishPendingStatus } from './memory/status.ts'
import { isRerun } from './runner/environment.ts'
import type { Run } from './runner/run.ts'

/**
 * The post step: reports what is known of a run that was killed before it could report it, and ends what was begun on
 * GitHub. It never calls the docs service.
 */
export async function runPost(run: Run): Promise<void> {
  if (run.readState('finished') === '') reportInterruption(run)
  await Promise.all([finishPending(run), finishPendingStatus(run)])
}

function reportInterruption(run: Run): void {
  const jobId = run.readState('job-id')
  // What was begun on GitHub says that a job may be running, and an earlier attempt may have started one.
  const isBegun = (['comment', 'reaction', 'status'] as const).some(
    (part) => run.getPending(part) !== undefined,
  )
  const isUnasked = run.readState('requested') === '' && !isBegun && !isRerun(run.environment)
  const notAsked = 'The run was interrupted before it had requested a job.'
  const unanswered =
    'The run was interrupted before the docs service had answered. A job may be running: look for it in the dashboard before you start the workflow anew.'
  const advice =
    jobId === ''
      ? isUnasked
        ? notAsked
        : unanswered
      : `The run was interrupted. The job is still running. To wait for it, run this action with ${inBackticks(`job-id: ${jobId}`)}.`
  run.log.warning(advice)
  run.writeSummary('job', shortSummary('interrupted', advice, run))
}
