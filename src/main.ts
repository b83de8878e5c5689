import { type PendingComment, RunRecord } from './act/record.ts'
import { decidePermission, readTrigger, type Skip, skipByPayload } from './decide/skip.ts'
import { NeededCallError } from './github/github-errors.ts'
import { writePermission } from './github/pull-requests.ts'
import { hasReport, InputsError, isWaitOnly } from './inputs/table.ts'
import { runJob } from './job.ts'
import { Markdown } from './lib/markdown.ts'
import { errorMessage, FailureError, inBackticks } from './lib/text.ts'
import { createSystemClock } from './lib/time.ts'
import { writeComment } from './look/comments.ts'
import { readEvent } from './look/event.ts'
import { type NewStatus, SET_STATUS, setStatus } from './look/status.ts'
import { PERMITTED, type Permission, readPermission, type Trigger } from './look/trigger.ts'
import type { RunRequest } from './prompt/prompt.ts'
import { JobError, neededCallError, notStartedWords } from './report/not-started.ts'
import { REPORT_BUG, unexpectedFailure } from './report/outcome.ts'
import { inputsErrorSummary, reportSkip, shortSummary } from './report/texts.ts'
import { loadRequest } from './request.ts'
import { Run, readEnvironment, type SummarySection } from './runner/run.ts'
import { VisitorsReporter } from './visitors/visitors-report.ts'

/** Runs the main step. Rejects only if a file of the runner can't be written. */
export async function runMain(run: Run): Promise<void> {
  try {
    await perform(run)
  } catch (error) {
    reportError(error, run, 'job')
  }
  // The post step doesn't repeat the notice.
  if (run.github.reportFailures()) run.saveState('explained', 'true')
  run.saveState('finished', 'true')
}

async function perform(run: Run): Promise<void> {
  const { environment, inputs } = run
  const event = readEvent(environment)
  const trigger = readTrigger(event, inputs, environment)
  if ('reason' in trigger) return reportSkip(trigger, run)
  const request = await loadRequest(trigger, run)
  const unneeded = skipByPayload(trigger, run)
  if (unneeded && !hasReport(inputs)) return reportSkip(unneeded, run)

  let permission: Permission
  try {
    permission = await askForPermission(trigger, run)
  } catch (error) {
    return reportError(error, run, request.wantsJob ? 'job' : 'visitors')
  }
  if (run.cancel.aborted) return reportCancelled(request, run)
  const skip = decidePermission(trigger, permission, inputs)
  if (skip !== undefined) {
    // The warning explains a reaction that fails, too.
    if (!permission.refusal.known) run.github.explain()
    await new RunRecord(trigger, run).answer(skip)
    return reportSkip(skip, run)
  }
  const visitors = hasReport(inputs) ? new VisitorsReporter(run) : undefined
  // Each requested part is tried and reported, so that one part's failure never hides the result of the other.
  const job = request.wantsJob ? startJob(request, unneeded, visitors, run) : undefined
  const [ofJob, ofReport] = await Promise.allSettled([job, visitors?.report(job)])
  if (ofJob.status === 'rejected') reportError(ofJob.reason, run, 'job')
  if (ofReport.status === 'rejected') reportError(ofReport.reason, run, 'visitors')
}

async function startJob(
  request: RunRequest,
  unneeded: Skip | undefined,
  visitors: VisitorsReporter | undefined,
  run: Run,
): Promise<string | undefined> {
  if (unneeded) return reportSkip(unneeded, run)
  const { payloadProblem } = request.trigger.event
  if (payloadProblem !== undefined && !isWaitOnly(run.inputs)) {
    throw new FailureError({
      headline: "The event's payload could not be read",
      details: `The event's payload (\`GITHUB_EVENT_PATH\`) could not be read: ${payloadProblem}. Nothing was started. The cause is the runner, so re-run this job.`,
    })
  }
  return await runJob(request, visitors, run)
}

/**
 * Reads whether the account that caused the event may start a job. A run that only waits can do without.
 *
 * @throws {FailureError} if that can't be read, except for a command
 */
async function askForPermission(trigger: Trigger, run: Run): Promise<Permission> {
  try {
    return await readPermission(trigger, run)
  } catch (error) {
    if (!(error instanceof NeededCallError)) throw error
    // A canceled run reports only that.
    if (!isWaitOnly(run.inputs) && !run.cancel.aborted)
      throw await neededCallError(error, trigger, run)
    run.github.report(error.cause, error)
    return { refusal: PERMITTED, login: '' }
  }
}

function reportCancelled({ wantsJob }: RunRequest, run: Run): void {
  const headline = `Canceled before anything was sent to ${run.mintlify}`
  if (wantsJob) run.setOutputs({ result: 'cancelled' })
  run.writeSummary('job', shortSummary('🛑', { headline, details: '' }, run))
  run.log.fail(`${headline}. Nothing was started.`, headline)
}

function reportError(error: unknown, run: Run, section: SummarySection): void {
  const isReportOnly = error instanceof InputsError && !error.wantsJob
  if (section === 'job' && !isReportOnly) run.setOutputs({ result: 'error' })
  if (error instanceof InputsError) {
    run.writeSummary('job', inputsErrorSummary(error, run))
    run.log.fail(error.details, error.headline)
    return
  }
  const failure = error instanceof FailureError ? error : unexpectedFailure(error, run)
  const { headline } = failure
  const words =
    failure instanceof JobError
      ? notStartedWords(false, failure)
      : { headline, details: failure.details, paste: '' }
  const { details, paste } = words
  run.log.fail(paste ? `${details}\n${paste}` : details, headline)
  run.writeSummary(section, shortSummary('❌', words, run))
}

/** Runs the main step; called by `dist/index.js`. */
export async function main(): Promise<void> {
  await runToEnd(runMain, false)
}

/** Runs the post step; called by `dist/post.js`. */
export async function post(): Promise<void> {
  await runToEnd(runPost, true)
}

async function runToEnd(step: (run: Run) => Promise<void>, isPost: boolean): Promise<void> {
  // Until the run has ended: Node would exit with 0 if a promise could never be settled.
  process.exitCode = 1
  const cancel = new AbortController()
  // The runner sends SIGINT, and SIGTERM 7.5 s later.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => cancel.abort())
  const waiting = { clock: createSystemClock(), random: Math.random, cancel: cancel.signal }
  const environment = readEnvironment(process.env)
  // @actions/github parses the payload when it is imported, and throws if it isn't JSON. This action reads it itself.
  delete process.env['GITHUB_EVENT_PATH']
  const run = new Run(environment, waiting, { isPost })
  const text = 'The action exited before it finished'
  process.once('beforeExit', () => run.log.fail(`${text}. ${REPORT_BUG}`, text))
  // For example, a file of the runner that can't be written.
  await step(run).catch((error: unknown) => {
    run.log.fail(
      `The action could not finish: ${errorMessage(error)}. ${REPORT_BUG}`,
      'The action could not finish',
    )
  })
  // What was written to a pipe is not in it yet; on Windows, and on Linux for more than a pipe holds.
  const streams = [process.stdout, process.stderr]
  await Promise.all(streams.map((stream) => new Promise((written) => stream.write('', written))))
  // Not left to Node: a connection that is kept or still being opened, and a name lookup that gets no answer, would
  // hold the end of the step up for seconds or minutes, and a lookup can't be canceled.
  process.exit(run.log.hasFailed() ? 1 : 0)
}

/** Reports what is known of a run that was killed, and finishes what it began on GitHub. It never calls Mintlify. */
export async function runPost(run: Run): Promise<void> {
  const { github } = run
  if (run.readState('finished') === '') reportInterruption(run)
  if (run.readState('explained') !== '') github.explain()
  // The action's own words, because only this step writes its state.
  const status = run.getPending('status') as NewStatus | undefined
  const comment = run.getPending('comment') as PendingComment | undefined
  await Promise.all([
    status && github.attemptAndReport(SET_STATUS, () => setStatus(status, run)),
    comment && finishComment(comment, run),
  ])
  github.reportFailures()
}

function reportInterruption(run: Run): void {
  const jobId = run.readState('job-id')
  let failure = {
    headline: 'The run was interrupted before it started a job',
    details: 'The run was interrupted. It started no job. To repeat it, re-run this job.',
  }
  if (jobId !== '') {
    failure = {
      headline: 'Interrupted: the job may still be running',
      details: `The run was interrupted. The job may still be running. To wait for it, run this action with ${inBackticks(`job-id: ${jobId}`)}.`,
    }
  } else if (run.readState('requested') !== '') {
    failure = {
      headline: 'Interrupted: a job may be running',
      details: `The run was interrupted before ${run.mintlify} responded, so a job may be running. Check the dashboard before you start a new run.`,
    }
  }
  run.log.warning(failure.details, failure.headline)
  run.writeSummary('job', shortSummary('🛑', failure, run))
}

async function finishComment({ marker, text, ...place }: PendingComment, run: Run): Promise<void> {
  const call = { purpose: 'finish the comment', permission: writePermission(place.thread) }
  const draft = { marker, text: Markdown.raw(text) }
  const written = await run.github.attemptAndReport(call, () =>
    writeComment(place, draft, true, run),
  )
  if (written.known) run.log.info(`Finished the comment ${written.value.url}.`)
}
