import type { ConversationMemory } from '../comments/earlier-job.ts'
import type { Trigger } from '../events/trigger.ts'
import { writePermission } from '../github/comments.ts'
import type { MergedPulls } from '../github/merged-pulls.ts'
import { capitalize, joinSentences } from '../lib/text.ts'
import type { Since } from '../memory/last-job.ts'
import type { Attempt, Recalled } from '../memory/recall.ts'
import { permissionToRead } from '../memory/status.ts'
import type { Readers } from '../readers/readers.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import type { DocsService } from '../service/docs-service.ts'
import { type Course, continueJob, NEW_JOB } from './course.ts'
import { createPrompt, hasInstructions, type Prompt, type PromptParts } from './prompt.ts'
import { JobError } from './submit.ts'

/** What a run does about its job: plain data that dry run, submit and poll read alike. */
export type Plan =
  | (Extract<Course, { kind: 'create' | 'message' }> & Prompt)
  | Extract<Course, { kind: 'wait' }>

/** What a job is requested with. */
export type JobRequest = { readonly trigger: Trigger; readonly parts: PromptParts }

/** What is remembered of earlier jobs. */
type JobMemory = {
  readonly recalled: Recalled
  readonly since: Since
  /** What a command's comments tell; `undefined` without a command. */
  readonly conversation: ConversationMemory | undefined
}

export type JobContext = {
  /** Of the commits of a push, as far as `decide` has read them. */
  readonly mergedPulls: MergedPulls
  /** The readers report, if any of it is requested. */
  readonly readers: Readers | undefined
  readonly service: DocsService
  readonly run: Run
}

/**
 * Makes the plan from the inputs, the command and what is remembered of an earlier job: looks that job up, and puts the
 * prompt together.
 *
 * @returns `waitFromMs`: when the first request about the job was made, where that was before the plan was made
 * @throws {JobError} as `planCourse` does
 */
export async function makePlan(
  { trigger, parts }: JobRequest,
  memory: JobMemory,
  context: JobContext,
): Promise<{ readonly plan: Plan; readonly waitFromMs: number | undefined }> {
  const { inputs, clock, cancel } = context.run
  const id = inputs['job-id']
  if (id !== '' && !hasInstructions(parts)) return { plan: waitFor(id), waitFromMs: undefined }
  const { attempt, earlier } = memory.recalled
  const startedAtMs = clock.now()
  const course =
    id === '' ? await planCourse(trigger, memory.recalled, context) : courseForJob(id, attempt, context.run)
  cancel.throwIfAborted()
  const wasLookedUp = id === '' && (attempt.kind === 'job' || (earlier.known && earlier.value !== undefined))
  const waitFromMs = wasLookedUp ? startedAtMs : undefined
  if (course.kind === 'wait') return { plan: course, waitFromMs }
  const { since, conversation } = memory
  const { mergedPulls, readers, run } = context
  const source = { trigger, parts, since, conversation, mergedPulls, readers, run }
  const prompt = await createPrompt(course, source)
  return { plan: { ...course, ...prompt }, waitFromMs }
}

/** @param isUnnamed whether the step's memory stays as it was found */
function waitFor(id: string, isUnnamed = false): Extract<Course, { kind: 'wait' }> {
  return { kind: 'wait', id, job: undefined, namedAtMs: undefined, isUnnamed }
}

/** With the input `job-id` and a prompt: a message, unless an earlier attempt may have sent it. */
function courseForJob(id: string, attempt: Attempt, { log }: Run): Course {
  if (attempt.kind === 'forgotten') {
    log.notice('This is a re-run of a run that remembers no job, so it sends the message again.')
  } else if (attempt.kind === 'maybe-started' || attempt.kind === 'unknown') {
    log.notice('An earlier attempt may have sent the message already, so this one only waits for the job.')
  }
  if (attempt.kind === 'none' || attempt.kind === 'forgotten') return { kind: 'message', id, pull: undefined }
  return waitFor(id, attempt.kind !== 'job')
}

/**
 * Decides whether a run continues an earlier job, and says so in the log.
 *
 * @throws {JobError} on a re-run that can't tell which job the first attempt started; if the job can't be looked up
 */
async function planCourse(
  trigger: Trigger,
  { attempt, earlier }: Recalled,
  { service, run }: JobContext,
): Promise<Course> {
  const { inputs, environment, github, log } = run
  if (attempt.kind === 'forgotten') {
    log.notice(
      'This is a re-run of a run that remembers no job (`follow-up: false`, `comment: never`, or an event without memory), so it starts a new one.',
    )
    return NEW_JOB
  }
  if (attempt.kind === 'maybe-started')
    throw unknownJob('an earlier attempt was interrupted while it started a job')
  if (attempt.kind === 'unknown') throw unknownJob(attempt.why)
  const { command } = trigger
  const options = { isCommand: command !== undefined, service: inputs['dry-run'] ? undefined : service }
  if (attempt.kind === 'job') return await continueJob(attempt.job, { ...options, isOwn: true }, run)
  if (earlier.known) {
    if (earlier.value === undefined) return NEW_JOB
    return await continueJob(earlier.value, { ...options, isOwn: false }, run)
  }
  if (isRerun(environment)) {
    const isTransient = ['rate-limit', 'other'].includes(earlier.error.kind)
    const anew = isTransient
      ? ''
      : 'To start one all the same, start the workflow anew instead of re-running it.'
    const details = joinSentences(
      `${capitalize(earlier.why)}. A new job might do again what that one does.`,
      anew,
    )
    const headline = 'Failed to look for an earlier job'
    throw new JobError('nothing', { headline, details }, { isTransient })
  }
  const [purpose, consequence] = ['look for an earlier job', 'This run starts a new job.']
  const permission =
    command === undefined ? permissionToRead(earlier.error) : writePermission(command.source.thread)
  const isAnnotated = github.report(earlier.error, { purpose, permission, level: 'notice', consequence })
  return { ...NEW_JOB, needsNotice: !isAnnotated }
}

function unknownJob(why: string): JobError {
  return new JobError('unknown', {
    headline: 'Unknown whether an earlier attempt of this run started a job',
    details: `${capitalize(why)}. Nothing was started, because a second job might run alongside the first. Look for that job in the dashboard of the docs service. To wait for it, set \`job-id\`; if there is none, start the workflow anew instead of re-running it.`,
  })
}
