import { openTalk } from './comments/open-session.ts'
import type { Earlier } from './comments/session.ts'
import { gatherFacts } from './context/gather.ts'
import { renderContext } from './context/render.ts'
import type { Inputs } from './inputs/inputs.ts'
import { isFailure, type Outcome } from './job/outcome.ts'
import { outcomeText } from './job/outcome-text.ts'
import { type JobAsk, performJob } from './job/perform.ts'
import type { JobEvent } from './job/progress.ts'
import { progressLine } from './job/progress-text.ts'
import { assemblePrompt } from './job/prompt.ts'
import { dryRunSummary, jobSummary } from './job/summary.ts'
import { clip, LONGEST_LINK } from './lib/markdown.ts'
import type { RunContext } from './run-context.ts'
import { jobOutputs } from './runner/outputs.ts'
import { saveState } from './runner/state.ts'
import { writeSummary } from './runner/summary.ts'
import type { DocsService } from './service/docs-service.ts'
import type { Task } from './trigger/task.ts'

/**
 * Does what was asked of the agent and reports it.
 *
 * @returns why the step fails, as sentences; `undefined` if it does not
 */
export async function performAsk(
  task: Task,
  service: DocsService,
  context: RunContext,
): Promise<string | undefined> {
  const { inputs } = task
  const { clock, cancel, random } = context
  // Until there is a better one: whatever ends the run before, its result is not left empty.
  context.setOutputs({ result: 'error' })
  const talk = await openTalk(task, context)
  const ask = await askOf(task, talk.earlier, context)
  if (inputs.dryRun) return await showDryRun(ask, inputs, context)
  let sent = ask
  const outcome = await performJob(service, ask, {
    clock,
    cancel,
    pace: { pollIntervalMs: inputs.job.pollIntervalMs, random },
    timeoutMs: inputs.job.timeoutMs,
    untilOver: inputs.job.wait,
    onEvent(event) {
      if (event.type === 'settled') sent = event.ask
      tell(event, context)
      talk.tell(event)
    },
  })
  context.setOutputs(jobOutputs(outcome))
  const failure = await reportOutcome(outcome, { ask: sent, inputs, context })
  await talk.finish(outcome)
  return failure
}

/** What the inputs, the command and an earlier job come to. */
async function askOf(task: Task, earlier: Earlier | undefined, context: RunContext): Promise<JobAsk> {
  const { event, inputs, command } = task
  const { job } = inputs
  const parts = { ...job, command: command?.ask ?? '' }
  const otherwise = async (): Promise<string> => {
    if (!job.context) return assemblePrompt(parts)
    return assemblePrompt({ ...parts, eventContext: renderContext(await gatherFacts(event, context)) })
  }
  if (earlier?.kind === 'resume') return { kind: 'resume', id: earlier.id, otherwise }
  if (earlier?.kind === 'continue') {
    // A bare command stands for the standing prompt.
    return { kind: 'continue', id: earlier.id, message: parts.command || (await otherwise()), otherwise }
  }
  if (job.jobId === '') return { kind: 'create', prompt: await otherwise() }
  if (assemblePrompt(parts) === '') return { kind: 'attach', id: job.jobId }
  return { kind: 'message', id: job.jobId, prompt: await otherwise() }
}

function tell(event: JobEvent, { log, setOutputs }: RunContext): void {
  if (event.type === 'accepted') {
    setOutputs({ 'job-id': event.job.id, status: event.job.status })
    saveState('job-id', event.job.id)
  }
  // A run may be killed at any time: what is known by then is to be found.
  if (event.type === 'status') {
    setOutputs({ 'job-id': event.id, status: event.status })
    saveState('job-id', event.id)
  }
  if (event.type === 'settled' && event.ask.kind === 'attach') {
    setOutputs({ 'job-id': event.ask.id })
    saveState('job-id', event.ask.id)
  }
  const { level, text } = progressLine(event)
  log[level](text)
}

/** The words that an ask sends; empty if it sends none. */
function promptOf(ask: JobAsk): string {
  if (ask.kind === 'continue') return ask.message
  return 'prompt' in ask ? ask.prompt : ''
}

type Report = { readonly ask: JobAsk; readonly inputs: Inputs; readonly context: RunContext }

async function reportOutcome(
  outcome: Outcome,
  { ask, inputs, context }: Report,
): Promise<string | undefined> {
  const { log, redact } = context
  const { headline, advice } = outcomeText(outcome, inputs.job)
  if (inputs.job.summary) {
    writeSummary(jobSummary(outcome, redact(promptOf(ask)), inputs.job), context)
  }
  const link = clip(outcome.job?.prLink ?? '', LONGEST_LINK)
  const said = [`${headline}${link === '' ? '.' : `: ${link}`}`, advice]
    .filter((part) => part !== '')
    .join(' ')
  if (isFailure(outcome.result, inputs.job.failOn)) return said
  const expected = ['pull-request', 'no-pull-request', 'submitted'].includes(outcome.result)
  if (expected) log.notice(said, 'Docs agent')
  else log.warning(said)
  return undefined
}

async function showDryRun(ask: JobAsk, inputs: Inputs, context: RunContext): Promise<undefined> {
  const purposes = {
    create: 'start a job with this prompt',
    message: 'send this message to the job that `job-id` names',
    attach: 'wait for the job that `job-id` names',
    continue: "send this message to the conversation's earlier job, or start a new one if that can't go on",
    resume: "go on with the job of this run's earlier attempt, or start a new one if that can't go on",
  }
  const purpose = purposes[ask.kind]
  const prompt = context.redact(promptOf(ask))
  context.setOutputs({ result: 'dry-run' })
  if (prompt !== '') context.log.group('The prompt', prompt)
  if (inputs.job.summary) writeSummary(dryRunSummary({ purpose, prompt }), context)
  context.log.notice(
    `The docs service was not called. Without \`dry-run\`, this run would ${purpose}.`,
    'Docs agent: dry run',
  )
}
