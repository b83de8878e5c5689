import type { Inputs } from '../edges/runner/inputs.ts'
import { jobOutputs } from '../edges/runner/outputs.ts'
import { saveState } from '../edges/runner/state.ts'
import { writeSummary } from '../edges/runner/summary.ts'
import { dryRunSummary, jobSummary } from '../report/job-summary.ts'
import { outcomeText } from '../report/outcome-text.ts'
import { progressLine } from '../report/progress-text.ts'
import type { DocsService } from '../service/docs-service.ts'
import { isFailure, type Outcome } from '../work/job/outcome.ts'
import { type JobAsk, performJob } from '../work/job/perform.ts'
import type { JobEvent } from '../work/job/progress.ts'
import { assemblePrompt } from '../work/job/prompt.ts'
import type { RunContext } from './run-context.ts'

/**
 * Does what was asked of the agent and reports it.
 *
 * @returns why the step fails, as sentences; `undefined` if it does not
 */
export async function performAsk(
  inputs: Inputs,
  service: DocsService,
  context: RunContext,
): Promise<string | undefined> {
  const ask = askOf(inputs)
  if (inputs.dryRun) return showDryRun(ask, inputs, context)
  const { clock, cancel, random } = context
  const outcome = await performJob(service, ask, {
    clock,
    cancel,
    pace: { pollIntervalMs: inputs.job.pollIntervalMs, random },
    timeoutMs: inputs.job.timeoutMs,
    untilOver: inputs.job.wait,
    onEvent: (event) => tell(event, context),
  })
  context.setOutputs(jobOutputs(outcome))
  return await reportOutcome(outcome, { ask, inputs, context })
}

function askOf({ job }: Inputs): JobAsk {
  const instructions = assemblePrompt({ ...job, contextFiles: [] })
  const prompt = instructions === '' ? '' : assemblePrompt(job)
  if (job.jobId === '') return { kind: 'create', prompt }
  return prompt === '' ? { kind: 'attach', id: job.jobId } : { kind: 'message', id: job.jobId, prompt }
}

function tell(event: JobEvent, { log, setOutputs }: RunContext): void {
  if (event.type === 'accepted') {
    setOutputs({ 'job-id': event.job.id, status: event.job.status })
    saveState('job-id', event.job.id)
  }
  const { level, text } = progressLine(event)
  log[level](text)
}

type Report = { readonly ask: JobAsk; readonly inputs: Inputs; readonly context: RunContext }

async function reportOutcome(
  outcome: Outcome,
  { ask, inputs, context }: Report,
): Promise<string | undefined> {
  const { log, redact } = context
  const { headline, advice } = outcomeText(outcome, inputs.job)
  if (inputs.job.summary) {
    const prompt = ask.kind === 'attach' ? '' : redact(ask.prompt)
    await writeSummary(jobSummary(outcome, prompt, inputs.job), context)
  }
  const link = outcome.job?.prLink ?? ''
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
  }
  const purpose = purposes[ask.kind]
  const prompt = ask.kind === 'attach' ? '' : context.redact(ask.prompt)
  context.setOutputs({ result: 'dry-run' })
  if (prompt !== '') context.log.group('The prompt', prompt)
  if (inputs.job.summary) await writeSummary(dryRunSummary({ purpose, prompt }), context)
  context.log.notice(
    `The docs service was not called. Without \`dry-run\`, this run would ${purpose}.`,
    'Docs agent: dry run',
  )
}
