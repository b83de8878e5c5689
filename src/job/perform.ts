import { isExpected, STAGES } from '../comments/bodies.ts'
import { Conversation } from '../comments/conversation.ts'
import { describeEvent } from '../context/gather.ts'
import type { History } from '../events/history.ts'
import type { Trigger } from '../events/trigger.ts'
import type { Known } from '../github/client.ts'
import { byteLength, inBackticks } from '../lib/text.ts'
import { type EarlierJob, findStepJob } from '../memory/find.ts'
import { StepMemory } from '../memory/step-status.ts'
import type { Readers } from '../readers/readers.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import type { DocsService } from '../service/docs-service.ts'
import { dryRunSummary, jobSummary } from './job-summary.ts'
import { jobOutputs, type Outcome, outcomeOf, outcomeSentences } from './outcome.ts'
import {
  assemblePrompt,
  type Continuation,
  continueJob,
  hasInstructions,
  type Plan,
  type PromptParts,
} from './plan.ts'
import { pollJob } from './poll.ts'
import { JobError, NOTHING_STARTED, submit } from './submit.ts'

/** What a job is requested with. */
export type JobRequest = Pick<PromptParts, 'promptFiles' | 'contextFiles'> & { readonly trigger: Trigger }

type JobContext = {
  readonly history: History
  /** The readers report, if any of it is requested. */
  readonly readers: Readers | undefined
  readonly service: DocsService
  readonly run: Run
}

/**
 * Requests the job, waits for it, and reports it: in the outputs, the log, the summary, comments and a commit status.
 * Never rejects for what the service, GitHub or the network does.
 *
 * @returns why the step fails, as sentences; `undefined` if it does not
 */
export async function performJob(request: JobRequest, context: JobContext): Promise<string | undefined> {
  const { run } = context
  const { inputs, log } = run
  // Until there is a better one: whatever ends the run before, its result is not left empty.
  run.setOutputs({ result: 'error' })
  const conversation = new Conversation(request.trigger, run)
  await conversation.start()
  const memory = new StepMemory(run, request.trigger)
  let plan: Plan | undefined
  let outcome: Outcome
  try {
    plan = await makePlan(request, conversation, context)
    if (inputs['dry-run']) return reportDryRun(plan, run)
    outcome = await carryOut(plan, conversation, memory, context)
  } catch (error) {
    if (!(error instanceof JobError || run.cancel.aborted)) throw error
    const jobId = plan?.id ?? ''
    const result = run.cancel.aborted ? 'cancelled' : 'error'
    const cause = error instanceof JobError ? error : new JobError(NOTHING_STARTED)
    outcome = outcomeOf(plan, { jobId, result, job: undefined, durationMs: undefined, error: cause }, inputs)
  }
  const text = outcomeSentences(outcome)
  run.setOutputs(jobOutputs(outcome))
  run.writeSummary('job', jobSummary(outcome, run))
  if (!outcome.isFailure) log[isExpected(outcome.result) ? 'notice' : 'warning'](text)
  await Promise.all([
    memory.end(outcome.isFailure ? 'failure' : 'success', outcome),
    conversation.finish(outcome),
  ])
  return outcome.isFailure ? text : undefined
}

/** What the inputs, the command and an earlier job come to. */
async function makePlan(request: JobRequest, conversation: Conversation, context: JobContext): Promise<Plan> {
  const { command } = request.trigger
  const { service, run } = context
  const { prompt, 'job-id': id, 'dry-run': isDry } = run.inputs
  const parts = { ...request, prompt, command: command?.instructions ?? '' }
  if (id !== '' && !hasInstructions(parts)) return { kind: 'wait', id }
  const earlier = await findEarlierJob(request, conversation, context)
  let continuation: Continuation
  if (id === '') {
    const asking = { isCommand: command !== undefined, service: isDry ? undefined : service, run }
    continuation = await continueJob(earlier, asking)
  } else {
    // The first attempt has sent the message.
    const isSent = earlier.known && earlier.value?.kind === 'resume' && earlier.value.id === id
    continuation = { kind: isSent ? 'wait' : 'message', id }
  }
  run.cancel.throwIfAborted()
  if (continuation.kind === 'wait') return continuation
  return { ...continuation, prompt: await promptFor(continuation, parts, context) }
}

/** What a message also asks for where the pull request conflicts with its base branch. */
const RESOLVE_CONFLICTS =
  'Your pull request conflicts with its base branch. Bring it up to date with the base branch and resolve the conflicts as well; keep what was merged there in the meantime.'

async function promptFor(
  continuation: Continuation,
  { trigger, ...parts }: JobRequest & PromptParts,
  { history, readers, run }: JobContext,
): Promise<string> {
  const { inputs } = run
  const isMessage = continuation.kind === 'message'
  const conflicts = isMessage && continuation.pull?.conflicts === true ? RESOLVE_CONFLICTS : ''
  const command = [parts.command, conflicts].join('\n\n').trim()
  // A message is a command's words alone: the conversation has the rest.
  if (isMessage && parts.command !== '' && inputs['job-id'] === '') return command
  const previous = continuation.kind === 'create' ? continuation.previous : undefined
  const signals = (await readers?.signals()) ?? ''
  const written = assemblePrompt({ ...parts, command }, '')
  if (inputs.context === 'none') return written
  const beside = { history, previous, signals, promptBytes: byteLength(written) }
  const { text } = await describeEvent(trigger, beside, run)
  return assemblePrompt({ ...parts, command }, text)
}

/**
 * A job that the step's commit status or the run's own comment names; unknown if either can't be read and none does. On a
 * re-run, that of the first attempt comes before any other: where one place does not tell, both must be read.
 */
async function findEarlierJob(
  { trigger }: JobRequest,
  conversation: Conversation,
  { history, run }: JobContext,
): Promise<Known<EarlierJob | undefined>> {
  const places = [await findStepJob(trigger, history, run), conversation.earlier]
  const found = places.flatMap((place) => (place.known && place.value) || [])
  const resumed = found.find(({ kind }) => kind === 'resume')
  if (resumed !== undefined) return { known: true, value: resumed }
  const unknown = places.find((place) => !place.known)
  if (unknown !== undefined && (isRerun(run.environment) || found.length === 0)) return unknown
  return { known: true, value: found[0] }
}

/** @throws {JobError} if no job was started or messaged */
async function carryOut(
  plan: Plan,
  conversation: Conversation,
  memory: StepMemory,
  { service, run }: JobContext,
): Promise<Outcome> {
  const { cancel, log, inputs } = run
  cancel.throwIfAborted()
  const job = plan.kind === 'wait' ? plan.job : await submit(plan, service, run)
  const jobId = job?.id ?? plan.id ?? ''
  // A run may be killed at any time: what is known by then must be there.
  run.setOutputs({ 'job-id': jobId })
  run.saveState('job-id', jobId)
  if (plan.kind === 'create') log.info(`Job ${jobId} was accepted by the docs service.`)
  if (plan.kind === 'message') log.info(`The message to job ${jobId} was accepted by the docs service.`)
  const prLink = job?.prLink ?? plan.pull?.prLink ?? ''
  const shown = Promise.all([
    memory.begin(jobId, prLink, STAGES[plan.kind].replace(' …', '')),
    conversation.accepted(jobId, plan.kind, prLink),
  ])
  const end = await pollJob({ jobId, job, kind: plan.kind }, service, run)
  await shown
  return outcomeOf(plan, end, inputs)
}

function reportDryRun(plan: Plan, run: Run): undefined {
  const { log } = run
  const forJob = plan.kind === 'message' ? 'send this message to' : 'wait for'
  const purpose =
    plan.kind === 'create' ? 'start a job with this prompt' : `${forJob} the job ${inBackticks(plan.id)}`
  const text = `The docs service was not called. Without \`dry-run\`, this run would ${purpose}.`
  run.setOutputs({ result: 'dry-run' })
  if (plan.kind !== 'wait') log.group('The prompt', run.redact(plan.prompt))
  run.writeSummary('job', dryRunSummary(text, plan, run))
  log.notice(text)
}
