import { type PendingComment, RunRecord } from './act/record.ts'
import { decidePermission, readTrigger } from './decide/skip.ts'
import { writePermission } from './github/pull-requests.ts'
import { hasPrompt, hasReport, InputsError } from './inputs/table.ts'
import { runJob } from './job.ts'
import { Markdown } from './lib/markdown.ts'
import { errorMessage, inBackticks, joinSentences } from './lib/text.ts'
import { createSystemClock } from './lib/time.ts'
import { writeComment } from './look/comments.ts'
import { readEvent } from './look/event.ts'
import { type NewStatus, SET_STATUS, setStatus } from './look/status.ts'
import { readPermission } from './look/trigger.ts'
import type { RunRequest } from './prompt/prompt.ts'
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
  run.saveState('finished', 'true')
}

async function perform(run: Run): Promise<void> {
  const { environment, inputs, log } = run
  const event = readEvent(environment)
  const trigger = readTrigger(event, inputs, environment)
  if (event.payloadProblem !== undefined) {
    const effect = 'reason' in trigger ? '' : "The prompt doesn't include the event."
    log.warnInSummary(
      joinSentences(
        `Could not read the event's payload (GITHUB_EVENT_PATH): ${event.payloadProblem}.`,
        effect,
      ),
      "Could not read the event's payload",
    )
  }
  if ('reason' in trigger) return reportSkip(trigger, run)
  const request = await loadRequest(trigger, run)

  const permission = await readPermission(trigger, run)
  if (run.cancel.aborted) return reportCancelled(request, run)
  const skip = decidePermission(trigger, permission, inputs)
  if (skip !== undefined) {
    await new RunRecord(trigger, run).answer(skip)
    return reportSkip(skip, run)
  }
  const visitors = hasReport(inputs) ? new VisitorsReporter(run) : undefined
  // Each requested part is tried and reported, so that one part's failure never hides the result of the other.
  const job = request.wantsJob ? runJob(request, visitors, run) : undefined
  const [ofJob, ofReport] = await Promise.allSettled([job, visitors?.report(job)])
  if (ofJob.status === 'rejected') reportError(ofJob.reason, run, 'job')
  if (ofReport.status === 'rejected') reportError(ofReport.reason, run, 'visitors')
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
  const failure = unexpectedFailure(error, run)
  run.log.fail(failure.details, failure.headline)
  run.writeSummary(section, shortSummary('❌', failure, run))
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
  // Until the run has ended: Node would exit with 0 where nothing is left that could settle a promise.
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
      `The action could not finish: ${errorMessage(error)}`,
      'The action could not finish',
    )
  })
  // What was written to a pipe is not in it yet; on Windows, and on Linux for more than a pipe holds.
  const streams = [process.stdout, process.stderr]
  await Promise.all(streams.map((stream) => new Promise((written) => stream.write('', written))))
  // Not left to Node: a connection that is kept or still being opened, and a name lookup that gets no answer, would
  // hold the end of the step up for seconds or minutes, and nothing can cancel the lookup.
  process.exit(run.log.hasFailed() ? 1 : 0)
}

/** Reports what is known of a run that was killed, and finishes what it began on GitHub. It never calls Mintlify. */
export async function runPost(run: Run): Promise<void> {
  if (run.readState('finished') === '') reportInterruption(run)
  // Our own words: nobody else writes a step's state.
  const status = run.getPending('status') as NewStatus | undefined
  const comment = run.getPending('comment') as PendingComment | undefined
  await Promise.all([
    status && run.github.attemptAndReport(SET_STATUS, () => setStatus(status, run)),
    comment && finishComment(comment, run),
  ])
}

function reportInterruption(run: Run): void {
  const { inputs } = run
  const jobId = run.readState('job-id')
  const wantsReportOnly = hasReport(inputs) && !hasPrompt(inputs) && inputs['job-id'] === ''
  let failure = {
    headline: 'Interrupted: a job may be running',
    details: `The run was interrupted before ${run.mintlify} responded, so a job may be running. Check the dashboard before you start a new run.`,
  }
  if (jobId !== '') {
    failure = {
      headline: 'Interrupted: the job may still be running',
      details: `The run was interrupted. The job may still be running. To wait for it, run this action with ${inBackticks(`job-id: ${jobId}`)}.`,
    }
  } else if (wantsReportOnly && run.readState('requested') === '') {
    failure = {
      headline: 'The visitors report was interrupted',
      details: 'The run was interrupted. It started no job.',
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
