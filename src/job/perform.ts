import { findAnnouncedJob } from '../comments/announcement.ts'
import { isExpected, STAGES } from '../comments/bodies.ts'
import { Conversation, type ConversationStart } from '../comments/conversation.ts'
import { skip, type Trigger } from '../events/trigger.ts'
import { writePermission } from '../github/comments.ts'
import type { MergedPulls } from '../github/pull-requests.ts'
import { capitalize, inBackticks } from '../lib/text.ts'
import { findUnchanged, type Since } from '../memory/last-job.ts'
import { type Attempt, type Recalled, recallStep } from '../memory/recall.ts'
import { STATUS_PERMISSION, StepMemory } from '../memory/status.ts'
import type { Readers } from '../readers/readers.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import type { DocsService, Job } from '../service/docs-service.ts'
import { type JobQuestion, readCameOfIt, waitForPreview } from './came-of-it.ts'
import { dryRunSummary, jobSummary, reportSkip } from './job-summary.ts'
import {
  type JobEnd,
  jobOutputs,
  type Outcome,
  outcomeOf,
  outcomeSentences,
  type RerunAdvice,
  withCameOfIt,
} from './outcome.ts'
import { type Course, type Plan, planCourse } from './plan.ts'
import { pollJob } from './poll.ts'
import { createPrompt, hasInstructions, type PromptParts } from './prompt.ts'
import { JobError, submit } from './submit.ts'

/** What a job is requested with. */
export type JobRequest = Pick<PromptParts, 'promptFiles' | 'contextFiles'> & { readonly trigger: Trigger }

type JobContext = {
  /** Of the commits of a push, as the loop guard has read them. */
  readonly mergedPulls: MergedPulls
  /** The readers report, if any of it is requested. */
  readonly readers: Readers | undefined
  readonly service: DocsService
  readonly run: Run
}

/** What a run knows before it plans. */
type Before = { readonly recalled: Recalled; readonly since: Since; readonly start: ConversationStart }

/** Where a run says what it does. */
type Voices = { readonly conversation: Conversation; readonly memory: StepMemory }

/**
 * Requests the job, waits for it, and reports it: in the outputs, the log, the summary, comments and a commit status.
 * Never rejects for what the service, GitHub or the network does.
 *
 * @returns why the step fails, as sentences; `undefined` if it does not
 */
export async function performJob(request: JobRequest, context: JobContext): Promise<string | undefined> {
  const { trigger } = request
  const { run } = context
  const { inputs, log } = run
  // Until there is a better one: whatever ends the run before, its result is not left empty.
  run.setOutputs({ result: 'error' })
  const history = await recallStep(trigger, run)
  const unchanged = await findUnchanged(trigger.event, history, run)
  if (unchanged !== undefined) return reportSkip(skip('notice', unchanged), run)
  const voices = { conversation: new Conversation(trigger, run), memory: new StepMemory(run, trigger) }
  const start = await voices.conversation.start()
  const before: Before = { recalled: trigger.command === undefined ? history : start, since: history, start }

  let plan: Plan | undefined
  let sent: Sent | undefined
  let end: JobEnd
  let rerun: RerunAdvice = 'safe'
  try {
    const planned = await makePlan(request, before, context)
    plan = planned.plan
    if (inputs['dry-run']) return reportDryRun(plan, run)
    rerun = await recordStart(plan, before, voices, run)
    run.cancel.throwIfAborted()
    const deadlineMs = planned.deadlineMs ?? run.clock.now() + inputs.timeout
    sent = await send(plan, deadlineMs, context)
    const shown = nameJob(plan, sent, voices)
    end = await pollJob(
      { jobId: sent.jobId, job: sent.job, kind: plan.kind, deadlineMs },
      context.service,
      run,
    )
    await shown
  } catch (error) {
    if (!(error instanceof JobError || run.cancel.aborted)) throw error
    const cause = error instanceof JobError ? error : undefined
    end = { kind: 'not-started', isCancelled: run.cancel.aborted, error: cause }
  }

  const endedAtMs = run.clock.now()
  let outcome = outcomeOf(plan, end, rerun, run)
  const question = end.kind === 'finished' && sent ? questionOf(end.job, outcome.plan, sent) : undefined
  if (question !== undefined) outcome = withCameOfIt(outcome, await readCameOfIt(question, run))
  report(outcome, sent, run)
  // Whatever kills the run from here on, its result is known.
  if (end.kind === 'finished') run.saveState('finished', 'true')
  const text = outcomeSentences(outcome)
  if (!outcome.isFailure) log[isExpected(outcome.result) ? 'notice' : 'warning'](text)
  await Promise.all([endMemory(outcome, sent, before, voices), voices.conversation.finish(outcome)])
  if (question !== undefined && inputs['wait-for-preview'] && inputs.wait && outcome.cameOfIt !== undefined) {
    const times = { endedAtMs, deadlineMs: sent?.deadlineMs ?? 0 }
    const later = await waitForPreview(question, outcome.cameOfIt, times, run)
    if (later !== outcome.cameOfIt) {
      outcome = withCameOfIt(outcome, later)
      report(outcome, sent, run)
      await voices.conversation.update(outcome)
    }
  }
  return outcome.isFailure ? text : undefined
}

function report(outcome: Outcome, sent: Sent | undefined, run: Run): void {
  run.setOutputs({ ...jobOutputs(outcome), 'pr-operation': operationOf(outcome, sent) })
  run.writeSummary('job', jobSummary(outcome, run))
}

/** Whether this run's job opened the pull request, or continued one that was there. */
function operationOf({ prLink, plan }: Outcome, sent: Sent | undefined): '' | 'created' | 'updated' {
  if (prLink === '' || sent === undefined || plan === undefined || plan.kind === 'wait') return ''
  return plan.kind === 'message' && sent.hadPull ? 'updated' : 'created'
}

type Planned = {
  readonly plan: Plan
  /** Where the job was looked at before; else the time begins with the first request about it. */
  readonly deadlineMs: number | undefined
}

/** What the inputs, the command and an earlier job come to. */
async function makePlan(request: JobRequest, before: Before, context: JobContext): Promise<Planned> {
  const { trigger } = request
  const { service, run } = context
  const { prompt, 'job-id': id, 'dry-run': isDry, timeout } = run.inputs
  const parts = { ...request, prompt, command: trigger.command?.instructions ?? '' }
  if (id !== '' && !hasInstructions(parts)) {
    return {
      plan: { kind: 'wait', id, job: undefined, namedAtMs: undefined, isUnnamed: false },
      deadlineMs: undefined,
    }
  }
  const { attempt } = before.recalled
  let { earlier } = before.recalled
  if (before.recalled.mayBeAnnounced && earlier.known && earlier.value === undefined) {
    earlier = await findAnnouncedJob(trigger, run)
  }
  const startedAtMs = run.clock.now()
  const course =
    id === ''
      ? await planCourse(
          { attempt, earlier, ...askerOf(trigger, run), service: isDry ? undefined : service },
          run,
        )
      : courseForJob(id, attempt, run)
  run.cancel.throwIfAborted()
  const wasObserved = attempt.kind === 'job' || (earlier.known && earlier.value !== undefined)
  const deadlineMs = wasObserved && id === '' ? startedAtMs + timeout : undefined
  if (course.kind === 'wait') return { plan: course, deadlineMs }
  return {
    plan: { ...course, ...(await createPrompt(course, { ...parts, ...before, ...context })) },
    deadlineMs,
  }
}

function askerOf({ command }: Trigger, { environment }: Run) {
  const permission = command === undefined ? STATUS_PERMISSION : writePermission(command.source.thread)
  return { isCommand: command !== undefined, isRerun: isRerun(environment), permission }
}

/** With the input `job-id` and a prompt: a message, unless an earlier attempt may have sent it. */
function courseForJob(id: string, attempt: Attempt, { log }: Run): Course {
  if (attempt.kind === 'forgotten') {
    log.notice('This is a re-run of a run that remembers no job, so it sends the message again.')
  } else if (attempt.kind === 'maybe-started' || attempt.kind === 'unknown') {
    log.notice('An earlier attempt may have sent the message already, so this one only waits for the job.')
  }
  if (attempt.kind === 'none' || attempt.kind === 'forgotten') return { kind: 'message', id, pull: undefined }
  return { kind: 'wait', id, job: undefined, namedAtMs: undefined, isUnnamed: attempt.kind !== 'job' }
}

/**
 * Writes down what is about to be started: a command's reply has said so, any other run says it in its commit status.
 *
 * @returns what to say of re-runs where nothing was started
 * @throws {JobError} on a re-run that can't write: it might not have seen the first attempt's job either
 */
async function recordStart(
  plan: Plan,
  { start }: Before,
  { memory }: Voices,
  run: Run,
): Promise<RerunAdvice> {
  if (plan.kind === 'wait') return 'safe'
  const written = start.written.known ? await memory.begin() : start.written
  if (written.known) return 'safe'
  if (!isRerun(run.environment)) return 'anew'
  throw new JobError('unknown', {
    headline: 'This re-run failed to write down what it is about to start',
    details: `${capitalize(written.why)}. Nothing was started, because the first attempt may have started a job that it could not write down either. Look for that job in the dashboard of the docs service. To wait for it, set \`job-id\`; if there is none, start the workflow anew instead of re-running it.`,
  })
}

/** A job that was accepted, or that is waited for. */
type Sent = {
  readonly jobId: string
  readonly job: Job | undefined
  /** When the request was sent, and until when the job is waited for; milliseconds since the epoch. */
  readonly atMs: number
  readonly deadlineMs: number
  /** Whether the job had a pull request before. */
  readonly hadPull: boolean
}

/** @throws {JobError} if no job was started or messaged */
async function send(plan: Plan, deadlineMs: number, { service, run }: JobContext): Promise<Sent> {
  const { clock, log } = run
  const atMs = clock.now()
  const id = plan.kind === 'create' ? undefined : plan.id
  const job =
    plan.kind === 'wait' ? plan.job : await submit({ id, prompt: plan.prompt }, deadlineMs, service, run)
  const jobId = job?.id ?? id ?? ''
  // A run may be killed at any time: what is known by then must be there.
  run.setOutputs({ 'job-id': jobId })
  run.saveState('job-id', jobId)
  if (plan.kind === 'create') log.info(`Job ${jobId} was accepted by the docs service.`)
  if (plan.kind === 'message') log.info(`The message to job ${jobId} was accepted by the docs service.`)
  const hadPull = plan.kind === 'message' && (plan.pull !== undefined || job?.prLink != null)
  return { jobId, job, atMs, deadlineMs, hadPull }
}

/** Names the job where a re-run finds it. */
async function nameJob(plan: Plan, { jobId, job }: Sent, { memory, conversation }: Voices): Promise<void> {
  if (plan.kind === 'wait' && plan.isUnnamed) return
  const pull = plan.kind === 'message' ? plan.pull?.prLink : undefined
  const prLink = job?.prLink ?? pull ?? ''
  const namedAtMs = plan.kind === 'wait' ? plan.namedAtMs : undefined
  await Promise.all([
    memory.accepted(jobId, prLink, STAGES[plan.kind]),
    conversation.accepted(jobId, plan.kind, prLink, namedAtMs),
  ])
}

/** Says in the commit status how the run ended; one that could not tell what an earlier attempt did leaves it as it is. */
async function endMemory(
  outcome: Outcome,
  sent: Sent | undefined,
  { recalled: { attempt } }: Before,
  { memory }: Voices,
): Promise<void> {
  const { headline, prLink, state, plan } = outcome
  if (attempt.kind === 'unknown') return
  if (attempt.kind === 'maybe-started') {
    // The attempt that was to end it is over.
    if (attempt.state === 'pending') await memory.end({ state: 'error', headline })
  } else if (sent !== undefined) {
    const pull = plan?.kind === 'message' ? plan.pull?.prLink : undefined
    await memory.end({ state, headline, jobId: sent.jobId, prLink: prLink || pull || '' })
  } else {
    // A job that was not accepted here is not named, unless it is that of an earlier attempt, which stays known.
    const isBegun = plan !== undefined && plan.kind !== 'wait'
    const { id = '', prLink: link = '' } = attempt.kind === 'job' && !isBegun ? attempt.job : {}
    await memory.end({ state, headline, jobId: id, prLink: link })
  }
}

function questionOf(job: Job, plan: Plan | undefined, { atMs }: Sent): JobQuestion {
  const previous = plan?.kind === 'create' ? plan.previous : undefined
  const { prLink = '', mergeCommit = '' } = previous?.state === 'merged' ? previous : {}
  return {
    job,
    messageAtMs: plan?.kind === 'message' ? atMs : undefined,
    headBefore: plan?.kind === 'message' ? plan.pull?.head || undefined : undefined,
    earlierPull: mergeCommit === '' ? undefined : { prLink, mergeCommit },
  }
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
