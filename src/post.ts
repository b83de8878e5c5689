import { writePermission } from './github/comments.ts'
import { shortSummary } from './job/job-summary.ts'
import { Markdown } from './lib/markdown.ts'
import { inBackticks } from './lib/text.ts'
import { type NewStatus, setStatus } from './record/memory.ts'
import { writeComment } from './record/own-comments.ts'
import type { PendingComment } from './record/record.ts'
import type { Run } from './runner/run.ts'

/**
 * The post step: reports what is known of a run that was killed before it could report it, and ends what was begun on
 * GitHub. It never calls the docs service.
 */
export async function runPost(run: Run): Promise<void> {
  if (run.readState('finished') === '') reportInterruption(run)
  // Our own words: nobody else writes a step's state.
  const status = run.getPending('status') as NewStatus | undefined
  const comment = run.getPending('comment') as PendingComment | undefined
  await Promise.all([status && setStatus(status, {}, run), comment && finishComment(comment, run)])
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

async function finishComment({ marker, text, ...place }: PendingComment, run: Run): Promise<void> {
  const call = { purpose: 'finish the comment', permission: writePermission(place.thread) }
  const draft = { marker, text: Markdown.raw(text) }
  const written = await run.github.attempt(call, () => writeComment(place, draft, true, run))
  if (written.known) run.log.info(`Finished the comment ${written.value.url}.`)
}
