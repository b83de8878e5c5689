import type { EarlierJob } from './comments/conversation.ts'
import { openSession } from './comments/session.ts'
import { describeEvent } from './context/gather.ts'
import type { RunDeps } from './github/github.ts'
import { type EarlierPullRequest, pullRequestState } from './github/pull-requests.ts'
import { isFailure, jobOutputs, type Outcome } from './job/outcome.ts'
import { describeResult } from './job/outcome-text.ts'
import { performJob } from './job/perform.ts'
import { type JobEvent, progressLine } from './job/progress.ts'
import { assemblePrompt, type JobRequest, type PromptParts } from './job/request.ts'
import { dryRunSummary, jobSummary } from './job/summary.ts'
import type { RunRequest } from './run-request.ts'
import type { DocsService } from './service/docs-service.ts'

/**
 * Requests the job, waits for it, and reports it: in the outputs, the log, the summary and comments.
 *
 * @returns why the step fails, as sentences; `undefined` if it does not
 */
export async function performAgentJob(
  request: RunRequest,
  service: DocsService,
  deps: RunDeps,
): Promise<string | undefined> {
  const { inputs } = request
  const { setOutputs, log } = deps
  // Until there is a better one: whatever ends the run before, its result is not left empty.
  setOutputs({ result: 'error' })
  const session = await openSession(request, deps)
  const jobRequest = await jobRequestOf(request, session.earlier, deps)
  if (inputs['dry-run']) return await reportDryRun(jobRequest, request, deps)
  const outcome = await performJob(service, jobRequest, {
    ...deps,
    timeoutMs: inputs.timeout,
    pollIntervalMs: inputs['poll-interval'],
    wait: inputs.wait,
    pullRequestState: (prLink) => pullRequestState(prLink, deps),
    onEvent(event) {
      recordProgress(event, deps)
      const { level, text } = progressLine(event)
      log[level](text)
      session.onEvent(event)
    },
  })
  setOutputs(jobOutputs(outcome))
  const failure = reportOutcome(outcome, request, deps)
  await session.finish(outcome)
  return failure
}

/** The job that the inputs, the command and an earlier job come to. */
async function jobRequestOf(
  request: RunRequest,
  earlier: EarlierJob | undefined,
  deps: RunDeps,
): Promise<JobRequest> {
  const { inputs, command } = request
  const parts: PromptParts = { ...request, prompt: inputs.prompt, command: command?.instructions ?? '' }
  const createPrompt = async (previous?: EarlierPullRequest): Promise<string> => {
    if (inputs.context === 'none') return assemblePrompt(parts)
    return assemblePrompt({
      ...parts,
      eventContext: await describeEvent(request.event, { detail: inputs.context, previous }, deps),
    })
  }
  if (earlier?.kind === 'resume') return { ...earlier, kind: 'resume', createPrompt }
  if (earlier?.kind === 'continue') {
    // A command without text means the prompt of the inputs.
    const createMessage = async (): Promise<string> => parts.command || (await createPrompt())
    return { ...earlier, kind: 'continue', createMessage, createPrompt }
  }
  const id = inputs['job-id']
  if (id === '') return { kind: 'create', prompt: await createPrompt() }
  if (assemblePrompt(parts) === '') return { kind: 'attach', id }
  return { kind: 'message', id, prompt: await createPrompt() }
}

/** A run may be killed at any time: what is known by then is to be found. */
function recordProgress(event: JobEvent, { setOutputs, saveState }: RunDeps): void {
  const record = (id: string): void => {
    setOutputs({ 'job-id': id })
    saveState('job-id', id)
  }
  if (event.type === 'accepted') {
    record(event.job.id)
    setOutputs({ status: event.job.status })
  }
  if (event.type === 'status') {
    record(event.id)
    setOutputs({ status: event.status })
  }
  if (event.type === 'resolved' && event.request.kind === 'attach') record(event.request.id)
}

function reportOutcome(
  outcome: Outcome,
  { inputs }: RunRequest,
  { log, redact, writeSummary }: RunDeps,
): string | undefined {
  const facts = { projectId: inputs['project-id'], timeoutMs: inputs.timeout, failOn: inputs['fail-on'] }
  if (inputs.summary) writeSummary('job', jobSummary(outcome, facts, redact))
  const text = describeResult(outcome, facts)
  if (isFailure(outcome.result, inputs['fail-on'])) return text
  const isExpected = ['pull-request', 'no-pull-request', 'submitted'].includes(outcome.result)
  if (isExpected) log.notice(text)
  else log.warning(text)
  return undefined
}

const DRY_RUN_PURPOSES: Readonly<Record<JobRequest['kind'], string>> = {
  create: 'start a job with this prompt',
  message: 'send this message to the job that `job-id` names',
  attach: 'wait for the job that `job-id` names',
  continue: "send this message to the conversation's earlier job, or start a new one if that can't go on",
  resume: "go on with the job of this run's earlier attempt, or start a new one if that can't go on",
}

async function reportDryRun(
  jobRequest: JobRequest,
  { inputs }: RunRequest,
  { log, redact, setOutputs, writeSummary }: RunDeps,
): Promise<undefined> {
  const purpose = DRY_RUN_PURPOSES[jobRequest.kind]
  const prompt = redact(await plannedPromptOf(jobRequest))
  setOutputs({ result: 'dry-run' })
  if (prompt !== '') log.group('The prompt', prompt)
  if (inputs.summary) writeSummary('job', dryRunSummary({ purpose, prompt, projectId: inputs['project-id'] }))
  log.notice(`The docs service was not called. Without \`dry-run\`, this run would ${purpose}.`)
}

/** The prompt or message that a request would send; empty if none. */
async function plannedPromptOf(request: JobRequest): Promise<string> {
  if (request.kind === 'continue') return await request.createMessage()
  return 'prompt' in request ? request.prompt : ''
}
