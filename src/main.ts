import { decide } from './events/decide.ts'
import { readEvent } from './events/event-table.ts'
import { readTrigger } from './events/trigger.ts'
import { hasReport, InputsError } from './inputs/table.ts'
import { runJob } from './job/job.ts'
import { inputsErrorSummary, reportSkip, shortSummary } from './job/job-summary.ts'
import { HttpClient } from './lib/http.ts'
import { errorMessage } from './lib/text.ts'
import { Readers } from './readers/readers.ts'
import { RunRecord } from './record/record.ts'
import { loadRequest, type RunRequest } from './request.ts'
import type { Run, SummarySection } from './runner/run.ts'
import { DocsService } from './service/docs-service.ts'

/**
 * The main step: finds out what is asked and whether it may be, and does it. Rejects only where a file of the runner's
 * can't be written.
 */
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
  if (event.payloadProblem !== undefined) {
    log.cost(
      `Failed to read the event's payload (GITHUB_EVENT_PATH): ${event.payloadProblem}. A job is not told what the event is about.`,
    )
  }
  const trigger = readTrigger(event, inputs, environment)
  if ('reason' in trigger) return reportSkip(trigger, run)
  const request = await loadRequest(trigger, run)

  const decision = await decide(trigger, run)
  if (decision.kind === 'cancelled') return reportCancelled(request, run)
  if (decision.kind === 'no-instructions') {
    await new RunRecord(trigger, run).explainUsage()
    return reportSkip(decision.skip, run)
  }
  if (decision.kind === 'skip') return reportSkip(decision, run)
  const { mergedPulls } = decision

  // Connections of its own for each part: none waits for another's requests.
  const service = createService(run)
  const readers = hasReport(run.inputs)
    ? new Readers(request.exportTo, createService(run), run)
    : undefined
  // Every part that was asked for is tried and reported; one part's failure never hides another's result.
  const job = request.wantsJob ? runJob(request, { mergedPulls, readers, service }, run) : undefined
  const [ofJob, ofReport] = await Promise.allSettled([job, readers?.report(job)])
  if (ofJob.status === 'rejected') reportError(ofJob.reason, run, 'job')
  if (ofReport.status === 'rejected') reportError(ofReport.reason, run, 'visitors')
  else if (ofReport.value !== undefined) log.fail(ofReport.value, `Docs readers: ${run.subject}`)
}

function reportCancelled({ wantsJob }: RunRequest, run: Run): void {
  const text = 'Cancelled before anything was sent to the docs service.'
  if (wantsJob) run.setOutputs({ result: 'cancelled' })
  run.writeSummary('job', shortSummary('🛑', text, run))
  run.log.fail(text)
}

function createService({ environment, inputs, clock, redact, log }: Run): DocsService {
  const { 'api-key': apiKey, 'project-id': projectId, 'base-url': baseUrl } = inputs
  const { proxy } = environment
  const http = new HttpClient({ proxy, clock, timeoutMs: 30_000, debug: log.debug })
  return new DocsService({ apiKey, projectId, baseUrl, http, clock, redact })
}

function reportError(error: unknown, run: Run, section: SummarySection): void {
  const isReportOnly = error instanceof InputsError && !error.wantsJob
  if (section === 'job' && !isReportOnly) run.setOutputs({ result: 'error' })
  if (error instanceof InputsError) {
    run.writeSummary('job', inputsErrorSummary(error, run))
    run.log.fail(error.message)
    return
  }
  // A fault of ours: a report of it needs the place.
  const text = `The action failed unexpectedly: ${errorMessage(error)}. Please report this.`
  run.log.fail(text)
  if (error instanceof Error) run.log.info(error.stack ?? '')
  run.writeSummary(section, shortSummary('❌', text, run))
}
