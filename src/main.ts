import { Conversation, finishPendingComment } from './comments/conversation.ts'
import { decide, readTrigger } from './events/decide.ts'
import { readEvent } from './events/event-table.ts'
import { InputsError } from './inputs/read.ts'
import { inputsErrorSummary, reportSkip, shortSummary } from './job/job-summary.ts'
import { performJob } from './job/perform.ts'
import { LONGEST_PAUSE_MS } from './job/poll.ts'
import { HttpClient } from './lib/http.ts'
import { errorMessage, inBackticks } from './lib/text.ts'
import { finishPendingStatus } from './memory/step-memory.ts'
import { Readers } from './readers/readers.ts'
import { loadRequest, type RunRequest } from './request.ts'
import type { SummarySection } from './runner/outputs.ts'
import type { Run } from './runner/run.ts'
import { DocsService } from './service/docs-service.ts'

/** The main step: finds out what is asked and whether it may be, and does it. Never rejects. */
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
    log.warning(`Failed to read the event's payload (GITHUB_EVENT_PATH): ${event.payloadProblem}.`)
  }
  const asked = readTrigger(event, inputs, environment)
  if (asked.kind === 'skip') return reportSkip(asked, run)
  const { trigger } = asked
  const request = await loadRequest(trigger, run)

  const decision = await decide(trigger, run)
  if (decision.kind === 'cancelled') return reportCancelled(request, run)
  if (decision.kind === 'skip') {
    if (decision.explainUsage) await new Conversation(trigger, run).explainUsage()
    return reportSkip(decision, run)
  }
  const { mergedPulls } = decision

  // Connections of its own for each part: none waits for another's requests.
  const service = createService(run)
  const readers = request.readers && new Readers(request.readers, createService(run), run)
  // Every part that was asked for is tried and reported; one part's failure never hides another's result.
  const parts = await Promise.allSettled([
    request.wantsJob ? performJob(request, { mergedPulls, readers, service, run }) : undefined,
    readers?.report(request.wantsJob),
  ])
  const [jobFailure, readersFailure] = parts.map((part, index) => {
    if (part.status === 'fulfilled') return part.value
    reportError(part.reason, run, index === 0 ? 'job' : 'visitors')
    return undefined
  })
  if (jobFailure !== undefined) log.fail(jobFailure)
  if (readersFailure !== undefined) log.fail(readersFailure, `Docs readers: ${inputs['project-id']}`)
}

function reportCancelled({ wantsJob }: RunRequest, run: Run): void {
  const text = 'Cancelled before anything was sent to the docs service.'
  if (wantsJob) run.setOutputs({ result: 'cancelled' })
  run.writeSummary('job', shortSummary('interrupted', text, run.inputs['project-id']))
  run.log.fail(text)
}

function createService({ environment, inputs, clock, redact, log }: Run): DocsService {
  const { 'api-key': apiKey, 'project-id': projectId, 'base-url': baseUrl } = inputs
  // A connection is kept from one poll to the next.
  const keepAliveMs = LONGEST_PAUSE_MS + 2000
  const { proxy } = environment
  const http = new HttpClient({ proxy, clock, timeoutMs: 30_000, keepAliveMs, debug: log.debug })
  return new DocsService({ apiKey, projectId, baseUrl, http, clock, redact })
}

function reportError(error: unknown, run: Run, section: SummarySection): void {
  const projectId = run.inputs['project-id']
  if (section === 'job') run.setOutputs({ result: 'error' })
  if (error instanceof InputsError) {
    run.writeSummary('job', inputsErrorSummary(error, projectId))
    run.log.fail(error.message)
    return
  }
  // A fault of ours: a report of it needs the place.
  const text = `The action failed unexpectedly: ${errorMessage(error)}. Please report this.`
  run.log.fail(text)
  if (error instanceof Error) run.log.info(error.stack ?? '')
  run.writeSummary(section, shortSummary('interrupted', text, projectId))
}

/**
 * The post step: reports what is known of a run that was killed before it could report it, and ends what was begun on
 * GitHub. It never calls the docs service.
 */
export async function runPost(run: Run): Promise<void> {
  if (run.readState('finished') === '') reportInterruption(run)
  await Promise.all([finishPendingComment(run), finishPendingStatus(run)])
}

function reportInterruption(run: Run): void {
  const jobId = run.readState('job-id')
  const advice =
    jobId === ''
      ? 'The run was interrupted before the docs service had answered. If a job was requested, it may be running: look for it in the dashboard before you start the workflow anew.'
      : `The run was interrupted. The job is still running. To wait for it, run this action with ${inBackticks(`job-id: ${jobId}`)}.`
  run.log.warning(advice)
  run.writeSummary('job', shortSummary('interrupted', advice, run.inputs['project-id']))
}
