import { isExpected, STAGES } from '../comments/bodies.ts'
import { Conversation } from '../comments/conversation.ts'
import { skip } from '../events/trigger.ts'
import type { Known } from '../github/client.ts'
import { capitalize } from '../lib/text.ts'
import { findUnchanged } from '../memory/last-job.ts'
import { type Attempt, recallStep } from '../memory/recall.ts'
import { StepMemory } from '../memory/status.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import type { Job } from '../service/docs-service.ts'
import { type JobQuestion, readCameOfIt, waitForPreview } from './came-of-it.ts'
import { reportDryRun, reportOutcome, reportSkip } from './job-summary.ts'
import {
  type JobEnd,
  type Outcome,
  outcomeOf,
  outcomeSentences,
  type RerunAdvice,
  withCameOfIt,
} from './outcome.ts'
import { type JobContext, type JobRequest, makePlan, type Plan } from './plan.ts'
import { pollJob } from './poll.ts'
import { JobError, submit } from './submit.ts'

/** Where a run says what it does. */
type Voices = { readonly conversation: Conversation; readonly memory: StepMemory }

/** A request for a job at its end; `plan`, `accepted`: `undefined` if it ended before. */
type Ended = {
  readonly plan: Plan | undefined
  readonly accepted: AcceptedJob | undefined
  readonly end: JobEnd
  readonly rerun: RerunAdvice
}

/**
 * Requests the job, waits for it, and reports it: in the outputs, the log, the summary, comments and a commit status.
 * Never rejects for what the service, GitHub or the network does.
 *
 * @returns why the step fails, as sentences; `undefined` if it does not
 */
export async function performJob(request: JobRequest, context: JobContext): Promise<string | undefined> {
  const { trigger } = request
  const { run } = context
  // Until there is a better one: whatever ends the run before, its result is not left empty.
  run.setOutputs({ result: 'error' })
  const remembered = await recallStep(trigger, run)
  const unchanged = await findUnchanged(trigger.event, remembered, run)
  if (unchanged !== undefined) return reportSkip(skip('notice', unchanged), run)
  const voices = { conversation: new Conversation(trigger, run), memory: new StepMemory(run, trigger) }
  const { command } = trigger
  const replyStart = command && (await voices.conversation.startReply(command))
  if (command === undefined) await voices.conversation.startStatusComment()
  const recalled = replyStart ?? remembered

  let plan: Plan | undefined
  let accepted: AcceptedJob | undefined
  let end: JobEnd
  let rerun: RerunAdvice = 'safe'
  try {
    const planned = await makePlan(
      request,
      { recalled, since: remembered, conversation: replyStart },
      context,
    )
    plan = planned.plan
    if (run.inputs['dry-run']) return reportDryRun(plan, run)
    rerun = await recordStart(plan, replyStart?.written, voices.memory, run)
    run.cancel.throwIfAborted()
    accepted = await send(plan, (planned.waitFromMs ?? run.clock.now()) + run.inputs.timeout, context)
    const shown = nameJob(plan, accepted, voices)
    end = await pollJob({ ...accepted, kind: plan.kind }, context.service, run)
    await shown
  } catch (error) {
    if (!(error instanceof JobError || run.cancel.aborted)) throw error
    const cause = error instanceof JobError ? error : undefined
    end = { kind: 'not-started', isCancelled: run.cancel.aborted, error: cause }
  }
  return await reportEnd({ plan, accepted, end, rerun }, recalled.attempt, voices, run)
}

/** Reports how a request ended, as soon as that is known, and then the preview, where it is waited for. */
async function reportEnd(ended: Ended, attempt: Attempt, voices: Voices, run: Run) {
  const { plan, accepted, end, rerun } = ended
  const endedAtMs = run.clock.now()
  let outcome = outcomeOf(plan, end, rerun, run)
  const question = end.kind === 'finished' && accepted ? questionOf(end.job, plan, accepted) : undefined
  if (question !== undefined) outcome = withCameOfIt(outcome, await readCameOfIt(question, run))
  reportOutcome(outcome, accepted?.hadPull === true, run)
  // Whatever kills the run from here on, its result is known.
  if (end.kind === 'finished') run.saveState('finished', 'true')
  const text = outcomeSentences(outcome)
  if (!outcome.isFailure) run.log[isExpected(outcome.result) ? 'notice' : 'warning'](text)
  await Promise.all([endMemory(outcome, accepted, attempt, voices), voices.conversation.finish(outcome)])
  const { cameOfIt } = outcome
  if (run.inputs['wait-for-preview'] && run.inputs.wait && question && accepted && cameOfIt) {
    const later = await waitForPreview(
      question,
      cameOfIt,
      { endedAtMs, deadlineMs: accepted.deadlineMs },
      run,
    )
    if (later !== cameOfIt) {
      outcome = withCameOfIt(outcome, later)
      reportOutcome(outcome, accepted.hadPull, run)
      await voices.conversation.update(outcome)
    }
  }
  return outcome.isFailure ? text : undefined
}

/**
 * Writes down what is about to be started, where the step remembers it: a command's reply has said so, any other run
 * says it in its commit status.
 *
 * @param reply whether a command's reply was written; `undefined` without a command
 * @returns what to say of re-runs where nothing was started
 * @throws {JobError} on a re-run that can't write: it might not have seen the first attempt's job either
 */
async function recordStart(
  plan: Plan,
  reply: Known<unknown> | undefined,
  memory: StepMemory,
  run: Run,
): Promise<RerunAdvice> {
  if (plan.kind === 'wait') return 'safe'
  const written = reply ?? (await memory.begin())
  if (written.known) {
    // Where it can't be written, the warning of that says what it costs.
    if (plan.kind === 'create' && plan.needsNotice)
      run.log.notice('This run starts a new job, as it could not look for an earlier one.')
    return 'safe'
  }
  if (!isRerun(run.environment)) return 'anew'
  throw new JobError('unknown', {
    headline: 'This re-run failed to write down what it is about to start',
    details: `${capitalize(written.why)}. Nothing was started, because the first attempt may have started a job that it could not write down either. Look for that job in the dashboard of the docs service. To wait for it, set \`job-id\`; if there is none, start the workflow anew instead of re-running it.`,
  })
}

/** A job that was accepted, or that is waited for. */
type AcceptedJob = {
  readonly jobId: string
  readonly job: Job | undefined
  /** When the request was sent, and until when the job is waited for; milliseconds since the epoch. */
  readonly atMs: number
  readonly deadlineMs: number
  /** Whether the job had a pull request before. */
  readonly hadPull: boolean
}

/** @throws {JobError} if no job was started or messaged */
async function send(plan: Plan, deadlineMs: number, { service, run }: JobContext): Promise<AcceptedJob> {
  const { clock, log } = run
  const atMs = clock.now()
  const job = plan.kind === 'wait' ? plan.job : await submit(plan, deadlineMs, service, run)
  run.github.jobStarted()
  const jobId = plan.kind === 'create' ? (job?.id ?? '') : plan.id
  // A run may be killed at any time: what is known by then must be there.
  run.setOutputs({ 'job-id': jobId })
  run.saveState('job-id', jobId)
  if (plan.kind === 'create') log.info(`Job ${jobId} was accepted by the docs service.`)
  if (plan.kind === 'message') log.info(`The message to job ${jobId} was accepted by the docs service.`)
  const hadPull = plan.kind === 'message' && (plan.pull !== undefined || job?.prLink != null)
  return { jobId, job, atMs, deadlineMs, hadPull }
}

/** Names the job where a re-run finds it. */
async function nameJob(
  plan: Plan,
  { jobId, job }: AcceptedJob,
  { memory, conversation }: Voices,
): Promise<void> {
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
  accepted: AcceptedJob | undefined,
  attempt: Attempt,
  { memory }: Voices,
): Promise<void> {
  const { headline, prLink, state, plan } = outcome
  if (attempt.kind === 'unknown') return
  if (attempt.kind === 'maybe-started') {
    // The attempt that was to end it is over.
    if (attempt.state === 'pending') await memory.end({ state: 'error', headline })
  } else if (accepted !== undefined) {
    const pull = plan?.kind === 'message' ? plan.pull?.prLink : undefined
    await memory.end({ state, headline, jobId: accepted.jobId, prLink: prLink || pull || '' })
  } else {
    // A job that was not accepted here is not named, unless it is that of an earlier attempt, which stays known.
    const isBegun = plan !== undefined && plan.kind !== 'wait'
    const { id = '', prLink: link = '' } = attempt.kind === 'job' && !isBegun ? attempt.job : {}
    await memory.end({ state, headline, jobId: id, prLink: link })
  }
}

function questionOf(job: Job, plan: Plan | undefined, { atMs }: AcceptedJob): JobQuestion {
  const previous = plan?.kind === 'create' ? plan.previous : undefined
  const { prLink = '', mergeCommit = '' } = previous?.state === 'merged' ? previous : {}
  return {
    job,
    messageAtMs: plan?.kind === 'message' ? atMs : undefined,
    headBefore: plan?.kind === 'message' ? plan.pull?.head || undefined : undefined,
    earlierPull: mergeCommit === '' ? undefined : { prLink, mergeCommit },
  }
}
