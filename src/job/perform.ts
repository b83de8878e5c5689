import { STAGES } from '../comments/bodies.ts'
import { type Conversation, startConversation } from '../comments/conversation.ts'
import { describeEvent } from '../context/gather.ts'
import type { History } from '../events/history.ts'
import type { Trigger } from '../events/trigger.ts'
import type { Known } from '../github/client.ts'
import { inBackticks } from '../lib/text.ts'
import type { TextFile } from '../lib/workspace.ts'
import { type EarlierJob, findStepJob } from '../memory/find.ts'
import { StepMemory } from '../memory/step-status.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import type { DocsService } from '../service/client.ts'
import { type Continuation, continueJob } from './continue.ts'
import {
  isFailure,
  jobOutputs,
  type Outcome,
  outcomeOf,
  outcomeSentences,
  outcomeWithoutJob,
} from './outcome.ts'
import { assemblePrompt, hasInstructions, type Plan } from './plan.ts'
import { pollJob } from './poll.ts'
import { JobError, NOTHING_STARTED, submit } from './submit.ts'
import { dryRunSummary, jobSummary } from './summary.ts'

/** What a job is requested with. */
export type JobRequest = {
  readonly trigger: Trigger
  readonly promptFiles: readonly TextFile[]
  readonly contextFiles: readonly TextFile[]
}

type Outside = {
  readonly history: History
  /** What readers missed, as a section for the prompt's context; empty if it is not wanted or can't be read. */
  readonly readSignals: () => Promise<string>
  readonly service: DocsService
  readonly run: Run
}

/**
 * Requests the job, waits for it, and reports it: in the outputs, the log, the summary, comments and a commit status.
 * Never rejects for what the service, GitHub or the network does.
 *
 * @returns why the step fails, as sentences; `undefined` if it does not
 */
export async function performJob(request: JobRequest, outside: Outside): Promise<string | undefined> {
  const { run } = outside
  const { inputs } = run
  // Until there is a better one: whatever ends the run before, its result is not left empty.
  run.setOutputs({ result: 'error' })
  const conversation = await startConversation(request.trigger, run)
  const memory = new StepMemory(run, request.trigger)
  let plan: Plan | undefined
  let outcome: Outcome
  try {
    plan = await makePlan(request, conversation, outside)
    if (inputs['dry-run']) return reportDryRun(plan, run)
    outcome = await carryOut(plan, { ...outside, conversation, memory })
  } catch (error) {
    if (!(error instanceof JobError || run.cancel.aborted)) throw error
    const failure = error instanceof JobError ? error : NOTHING_STARTED
    outcome = outcomeWithoutJob(failure, { plan, isCancelled: run.cancel.aborted })
  }
  const failed = reportOutcome(outcome, run)
  await Promise.all([
    memory.end(failed === undefined ? 'success' : 'failure', outcome),
    conversation.finish(outcome),
  ])
  return failed
}

/** What a message also asks for where the pull request conflicts with its base branch. */
const RESOLVE_CONFLICTS =
  'Your pull request conflicts with its base branch. Bring it up to date with the base branch and resolve the conflicts as well; keep what was merged there in the meantime.'

/** What the inputs, the command and an earlier job come to. */
async function makePlan(request: JobRequest, conversation: Conversation, outside: Outside): Promise<Plan> {
  const { trigger } = request
  const { history, service, run } = outside
  const { inputs } = run
  const parts = { ...request, prompt: inputs.prompt, command: trigger.command?.instructions ?? '' }
  const promptFor = async (continuation: Continuation): Promise<string> => {
    const isDirty = continuation.kind === 'message' && continuation.pull?.conflicts === true
    const command = [parts.command, isDirty ? RESOLVE_CONFLICTS : ''].join('\n\n').trim()
    // A message is a command's words alone: the conversation has the rest.
    if (continuation.kind === 'message' && parts.command !== '' && inputs['job-id'] === '') return command
    const previous = continuation.kind === 'create' ? continuation.previous : undefined
    const signals = inputs['reader-signals'] === 'agent' ? await outside.readSignals() : ''
    const context =
      inputs.context === 'none' ? '' : await describeEvent(trigger, { history, previous, signals }, run)
    return assemblePrompt({ ...parts, command, context })
  }
  const id = inputs['job-id']
  if (id !== '' && !hasInstructions(parts)) return { kind: 'wait', id }
  const earlier = await findEarlierJob(request, conversation, outside)
  if (id !== '') {
    // The first attempt has sent the message.
    const isSent = earlier.known && earlier.value?.kind === 'resume' && earlier.value.id === id
    return isSent
      ? { kind: 'wait', id }
      : { kind: 'message', id, prompt: await promptFor({ kind: 'message', id }) }
  }
  const continuation = await continueJob(earlier, {
    isCommand: trigger.command !== undefined,
    service: inputs['dry-run'] ? undefined : service,
    run,
  })
  run.cancel.throwIfAborted()
  if (continuation.kind === 'wait') return continuation
  return { ...continuation, prompt: await promptFor(continuation) }
}

/**
 * A job that the step's commit status or the run's own comment names; unknown if either can't be read and none does. On a
 * re-run, that of the first attempt comes before any other: where one place does not tell, both must be read.
 */
async function findEarlierJob(
  { trigger }: JobRequest,
  conversation: Conversation,
  { history, run }: Outside,
): Promise<Known<EarlierJob | undefined>> {
  const places = [await findStepJob(trigger, history, run), conversation.earlier]
  const found = places.filter((place) => place.known && place.value !== undefined)
  const resumed = found.find((place) => place.known && place.value?.kind === 'resume')
  const unknown = places.find((place) => !place.known)
  const other = isRerun(run.environment) ? (unknown ?? found[0]) : (found[0] ?? unknown)
  return resumed ?? other ?? { known: true, value: undefined }
}

/** @throws {JobError} if no job was started or messaged */
async function carryOut(
  plan: Plan,
  outside: Outside & { readonly conversation: Conversation; readonly memory: StepMemory },
): Promise<Outcome> {
  const { service, run, conversation, memory } = outside
  const { clock, cancel, log, inputs } = run
  cancel.throwIfAborted()
  const deadlineMs = service.sendingSinceMs + inputs.timeout
  const job = plan.kind === 'wait' ? plan.job : await submit(plan, { service, run, deadlineMs })
  const jobId = job?.id ?? ('id' in plan ? plan.id : '')
  // A run may be killed at any time: what is known by then must be there.
  run.setOutputs({ 'job-id': jobId })
  run.saveState('job-id', jobId)
  if (plan.kind !== 'wait') {
    const what = plan.kind === 'create' ? 'Job' : 'The message to job'
    log.info(`${what} ${jobId} was accepted by the docs service.`)
  }
  const startedAtMs = clock.now()
  const known = plan.kind === 'message' ? plan.pull?.prLink : plan.kind === 'wait' ? plan.prLink : undefined
  const prLink = job?.prLink ?? known ?? ''
  const shown = Promise.all([
    memory.begin(jobId, prLink, STAGES[plan.kind].replace(' …', '')),
    conversation.accepted(jobId, plan.kind, prLink),
  ])
  const origin = ({ create: 'created', message: 'messaged', wait: 'attached' } as const)[plan.kind]
  const end = await pollJob({ id: jobId, job, origin, startedAtMs, deadlineMs }, service, run)
  await shown
  return outcomeOf(plan, { ...end, jobId, startedAtMs }, inputs)
}

function reportOutcome(outcome: Outcome, run: Run): string | undefined {
  const { inputs, log } = run
  run.setOutputs(jobOutputs(outcome))
  run.writeSummary('job', jobSummary(outcome, run))
  const text = outcomeSentences(outcome, inputs['fail-on'])
  if (isFailure(outcome.result, inputs['fail-on'])) return text
  const isExpected = ['pull-request', 'no-pull-request', 'submitted'].includes(outcome.result)
  log[isExpected ? 'notice' : 'warning'](text)
  return undefined
}

function reportDryRun(plan: Plan, run: Run): undefined {
  const { log } = run
  const forJob = plan.kind === 'message' ? 'send this message to' : 'wait for'
  const purpose =
    plan.kind === 'create' ? 'start a job with this prompt' : `${forJob} the job ${inBackticks(plan.id)}`
  run.setOutputs({ result: 'dry-run' })
  if (plan.kind !== 'wait') log.group('The prompt', run.redact(plan.prompt))
  run.writeSummary('job', dryRunSummary(purpose, plan, run))
  log.notice(`The docs service was not called. Without \`dry-run\`, this run would ${purpose}.`)
}
