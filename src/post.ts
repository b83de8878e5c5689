import { type NewComment, threadPermission, writeComment } from './github/threads.ts'
import { inBackticks } from './lib/text.ts'
import { type NewStatus, SET_STATUS } from './record/recorder.ts'
import type { Run } from './runner/run.ts'
import { problemSummary } from './words/summary.ts'

/** Reports what is known of a run that was killed, and finishes what it began on GitHub. It never calls Mintlify. */
export async function runPost(run: Run): Promise<void> {
  const { github } = run
  if (run.readState('finished') === '') reportInterruption(run)
  if (run.readState('explained') !== '') github.explain()
  // The action's own words, because only this step writes its state.
  const status = run.getPending('status') as NewStatus | undefined
  const comment = run.getPending('comment') as NewComment | undefined
  const purpose = 'finish the comment'
  await Promise.all([
    status &&
      github.optional(SET_STATUS, () =>
        github.call(({ rest }) => rest.repos.createCommitStatus(status)),
      ),
    comment &&
      github.optional({ purpose, permission: threadPermission(comment.thread, 'write') }, () =>
        writeComment(comment, github),
      ),
  ])
  github.reportFailures()
}

function reportInterruption(run: Run): void {
  const jobId = run.readState('job-id')
  let title = 'The run was interrupted before it started a job'
  let text = 'The run was interrupted. It started no job. To repeat it, re-run this job.'
  if (jobId !== '') {
    title = 'Interrupted: the job may still be running'
    text = `The run was interrupted. The job may still be running. To wait for it, run this action with ${inBackticks(`job-id: ${jobId}`)}.`
  } else if (run.readState('requested') !== '') {
    title = 'Interrupted: a job may be running'
    text = `The run was interrupted before ${run.mintlifyName} responded, so a job may be running. Check the dashboard before you start a new run.`
  }
  run.log.warning(text, title)
  run.writeSummary('job', problemSummary('🛑', { title, text }, run))
}
