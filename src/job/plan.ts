import { type Skip, skip, skipPaused } from '../decide/skip.ts'
import type { GitHubError } from '../github/client.ts'
import { writePermission } from '../github/comments.ts'
import { TransportError } from '../lib/http.ts'
import {
  capitalize,
  clip,
  type Failure,
  FailureError,
  inBackticks,
  joinSentences,
} from '../lib/text.ts'
import { afterGrace, formatDuration, RetryError, retry, retryAfterNote } from '../lib/time.ts'
import type { Trigger } from '../look/command.ts'
import { isTerminal, type Job, type MintlifyClient } from '../mintlify/mintlify-client.ts'
import {
  describeFailure,
  hasStatus,
  isRetryable,
  limitPauseMs,
  MintlifyError,
  retryAfterMsOf,
} from '../mintlify/mintlify-errors.ts'
import { MAX_SEARCHED_COMMITS } from '../prompt/bases.ts'
import type { Sources } from '../prompt/gather.ts'
import { type PullState, readPullState } from '../pull/pull-state.ts'
import {
  type EarlierRuns,
  hasStatusRecord,
  type NamedJob,
  STATUS_PERMISSION,
  WITHOUT_STATUS,
} from '../record/memory.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import {
  hasInstructions,
  type JobRequest,
  type JobTools,
  type Prompt,
  readSources,
  writePrompt,
} from './prompt.ts'

/** What a run does about its job: plain data that dry run, submit, poll and report read alike. */
export type Plan = ((CreateAction | MessageAction) & Prompt) | WaitAction

type CreateAction = {
  readonly kind: 'create'
  /** The pull request that went before, and that can't be continued. */
  readonly earlierPull: PullState | undefined
}
type MessageAction = {
  readonly kind: 'message'
  readonly id: string
  /** When the job was named first, in milliseconds since the epoch; `undefined` of one that was given. */
  readonly namedAtMs: number | undefined
  /** The pull request that the run continues. */
  readonly pull: PullState | undefined
}
type WaitAction = {
  readonly kind: 'wait'
  readonly id: string
  /** As it was just observed. */
  readonly job: Job | undefined
  /** When GitHub was first told of it, if it was; milliseconds since the epoch. */
  readonly namedAtMs: number | undefined
  /** What the run is about that a re-run repeats. */
  readonly sources?: Sources
}

const NEW_JOB: CreateAction = { kind: 'create', earlierPull: undefined }

/** How long after it was named a job may still be unknown to the service, in milliseconds. */
export const EARLY_MS = 60_000

/**
 * Makes the plan from the inputs, the command and what is found of an earlier job: looks that job up, and puts the prompt
 * together.
 *
 * @throws {JobError} on a re-run that can't tell which job the first attempt started; if the job can't be looked up
 */
export async function makePlan(
  found: EarlierRuns,
  request: JobRequest,
  tools: JobTools,
  run: Run,
): Promise<Plan | Skip> {
  run.cancel.throwIfAborted()
  const action = await chooseAction(
    found,
    request,
    run.inputs['dry-run'] ? undefined : tools.service,
    run,
  )
  run.cancel.throwIfAborted()
  if (action.kind === 'skip') return action
  if (action.kind === 'wait') {
    if (found.attempt.kind !== 'job') return action
    return { ...action, sources: await readSources(found, request, tools, run) }
  }
  return { ...action, ...(await writePrompt(action, found, request, tools, run)) }
}

/**
 * Decides from the inputs and from what is found of an earlier job what is to be done, and says so in the log.
 *
 * @param service `undefined` in a dry run, which asks GitHub alone
 * @throws {JobError} on a re-run that can't tell which job the first attempt started; if the job can't be looked up
 */
async function chooseAction(
  found: EarlierRuns,
  { trigger, parts }: JobRequest,
  service: MintlifyClient | undefined,
  run: Run,
): Promise<CreateAction | MessageAction | WaitAction | Skip> {
  const { inputs, log } = run
  const isReview = trigger.command?.kind === 'review'
  const { attempt, earlierJob: earlier } = found
  const given = inputs['job-id']
  if (given !== '') {
    if (!hasInstructions(parts) && !isReview) return waitFor(given)
    if (attempt.kind === 'none')
      return { kind: 'message', id: given, namedAtMs: undefined, pull: undefined }
    log.notice(
      'An earlier attempt may have sent the message already, so this one only waits for the job.',
      'This re-run sends no second message',
    )
    return waitFor(given)
  }
  switch (attempt.kind) {
    case 'forgotten':
      if (isReview) break
      log.notice(
        "The first attempt recorded no job (`comment: never`, or an event that isn't tracked), so this re-run starts a new one.",
        'This re-run starts a new job',
      )
      noticeNewJob(found, trigger, run)
      return NEW_JOB
    case 'maybe-started':
      throw unclearStartError(
        'An earlier attempt of this run was interrupted, or got no response, while it was starting a job or sending a message.',
        'The first attempt may have started a job',
      )
    case 'unknown':
      throw unclearStartError(
        `Could not tell which job the first attempt started: ${withPermission(attempt.why, attempt.error, trigger)}.`,
        'Could not tell which job the first attempt started',
      )
    case 'job':
      if (isReview) break
      return await resumeJob(attempt.job, found, { trigger, service }, run)
    case 'none':
      if (isRerun(run.environment)) log.info('No job from an earlier attempt was found.')
  }
  if (isReview) return await planReview(found, trigger, service, run)
  if (trigger.command === undefined && !inputs['follow-up']) return NEW_JOB
  if (!earlier.known) return planWithoutLookup(earlier.error, trigger, run)
  if (found.unnamed !== '') {
    log.notice(
      `An earlier run or command (${found.unnamed}) may have started a job that its record doesn't name, so this run can't continue that one. The dashboard of ${run.mintlify} shows it.`,
      'An earlier run may have started a job',
    )
  }
  if (earlier.value !== undefined) return await continueJob(earlier.value, trigger, service, run)
  noticeNewJob(found, trigger, run)
  return NEW_JOB
}

/** Says why a run starts a new job though an earlier one may exist. */
function noticeNewJob({ reachedLimit }: EarlierRuns, { event, command }: Trigger, run: Run): void {
  const { log } = run
  if (command === undefined && !hasStatusRecord(event, run)) {
    log.infoInSummary(
      `Jobs of ${inBackticks(event.name || 'local')} events aren't recorded, so each such run starts a new job.`,
    )
  }
  if (!reachedLimit) return
  const where = event.payload.pull_request
    ? 'the newest 100 commits and forced pushes of this pull request'
    : `the newest ${MAX_SEARCHED_COMMITS} commits of this branch`
  log.infoInSummary(
    `This run starts a new job because ${where} have no record of an earlier one. If this step had a job before, run it more often, so that it finds its docs pull request.`,
  )
}

export function waitFor(id: string): WaitAction {
  return { kind: 'wait', id, job: undefined, namedAtMs: undefined }
}

export function unclearStartError(what: string, headline: string): JobError {
  const advice =
    "This attempt started nothing, so that two jobs don't run at once. Check the dashboard. If there is a job, set `job-id` to wait for it. If there is none, start a new run instead of re-running this one."
  return new JobError(true, { headline, details: joinSentences(what, advice) })
}

/** The error if a commit takes no further status of the step. */
export function fullCommitError(): JobError {
  return new JobError(false, {
    headline: 'This commit has 1,000 commit statuses of this step',
    details:
      'GitHub accepts no more of them on a commit, so a later run could not find this job. Nothing was started. On a schedule, set `skip-unchanged: true`, so that runs without new commits start no job.',
  })
}

/** Starts a new job if an earlier one can't be looked up on a first attempt; a re-run starts none. */
function planWithoutLookup(error: GitHubError, trigger: Trigger, run: Run): CreateAction {
  if (isRerun(run.environment)) {
    const why = withPermission(error.message, error, trigger)
    const isTransient = ['rate-limit', 'other'].includes(error.kind)
    const newRun = 'To start one anyway, start a new run instead of re-running this one.'
    const details = `Could not look for an earlier job: ${why}. A new job might repeat its work.`
    const failure = {
      headline: 'Could not look for an earlier job',
      details: joinSentences(details, isTransient ? '' : newRun),
    }
    throw new JobError(false, failure, { isTransient })
  }
  const permission = permissionToRead(error, trigger)
  const purpose = 'look for an earlier job'
  // What may not be read may not be written either: one permission is missing for both.
  if (error.kind === 'permission' && permission === 'statuses: read') {
    const call = { purpose, permission: STATUS_PERMISSION, effect: WITHOUT_STATUS }
    run.github.report(error, { ...call, note: 'This run starts a new job.' })
    return NEW_JOB
  }
  const effect = 'this run starts a new job, and with it another pull request'
  run.github.report(error, { purpose, permission, effect })
  return NEW_JOB
}

function withPermission(why: string, error: GitHubError | undefined, trigger: Trigger): string {
  return error === undefined ? why : withMissingPermission(permissionToRead(error, trigger), error)
}

/** Says why GitHub denied something, with the permission that may be missing. */
export function withMissingPermission(permission: string, { kind, message }: GitHubError): string {
  if (kind !== 'permission') return message
  return `${message}. The workflow may not grant \`${permission}\``
}

/** The permission that a token needs to read the record of a job. */
function permissionToRead({ path }: GitHubError, { command }: Trigger): string {
  if (command !== undefined) return writePermission(command.source.thread)
  if (path === '' || path.endsWith('status')) return 'statuses: read'
  return path.startsWith('repository.pull') ? 'pull-requests: read' : 'contents: read'
}

/** The job of an earlier attempt of this run is waited for, or reported again. */
async function resumeJob(
  found: NamedJob,
  { earlierJob }: EarlierRuns,
  { trigger, service }: { readonly trigger: Trigger; readonly service: MintlifyClient | undefined },
  run: Run,
): Promise<CreateAction | MessageAction | WaitAction | Skip> {
  const { id, namedAtMs } = found
  const earlier = earlierJob.known ? earlierJob.value : undefined
  const job = service && (await getEarlierJob(found, service, run))
  const ending = service && cannotContinueReason(job)
  if (ending !== undefined) {
    run.log.info(`Job ${inBackticks(id)} ${ending}. This attempt starts a new job.`)
    // A newer run may have opened a docs pull request in the meantime.
    if (earlier !== undefined && earlier.id !== id && run.inputs['follow-up'])
      return await continueJob(earlier, trigger, service, run)
    return await createAfter(job?.prLink ?? found.prLink, run)
  }
  run.log.info(
    `Job ${inBackticks(id)} was started by an earlier attempt of this run. This attempt waits for it.`,
  )
  return { kind: 'wait', id, job, namedAtMs }
}

/** The job of an earlier run is sent a message where its pull request is open, or where it may still open one. */
async function continueJob(
  found: NamedJob,
  { event, command }: Trigger,
  service: MintlifyClient | undefined,
  run: Run,
): Promise<CreateAction | MessageAction | WaitAction | Skip> {
  const { id, namedAtMs } = found
  const name = `The earlier job ${inBackticks(id)}`
  const job = service && (await getEarlierJob(found, service, run))
  const prLink = job?.prLink ?? found.prLink
  const ending = service && cannotContinueReason(job)
  if (ending !== undefined) {
    run.log.info(`${name} ${ending}. This run starts a new job.`)
    return await createAfter(prLink, run)
  }
  if (prLink !== '') {
    const pull = await readPullState(prLink, run)
    const pause = skipPaused(pull, run, event, run.clock.now())
    if (pause !== undefined) return pause
    return canContinue(pull, id, run)
      ? { kind: 'message', id, namedAtMs, pull }
      : { kind: 'create', earlierPull: pull }
  }
  // A finished job without a pull request has nothing to continue, except for a person's further words.
  if (command !== undefined || job === undefined || !isTerminal(job.status)) {
    run.log.info(`${name} has no pull request yet. This run sends the job a message.`)
    return { kind: 'message', id, namedAtMs, pull: undefined }
  }
  run.log.info(`${name} completed without a pull request. This run starts a new job.`)
  return NEW_JOB
}

/** Plans for a review that requests changes: a message to the docs pull request's job, and never a new job. */
async function planReview(
  { attempt, earlierJob }: EarlierRuns,
  trigger: Trigger,
  service: MintlifyClient | undefined,
  run: Run,
): Promise<MessageAction | WaitAction | Skip> {
  const { command } = run.inputs
  const refuse = (why: string): Skip => {
    const how = command === '' ? '' : `. \`${command} new …\` starts a new one`
    const reason = `the job of this docs pull request ${why}, so the review can't be sent to the agent${how}`
    return { ...skip('notice', reason, 'The review was not sent to the agent'), answer: 'reason' }
  }
  if (attempt.kind !== 'job' && !earlierJob.known) {
    const details = `${capitalize(withPermission(earlierJob.why, earlierJob.error, trigger))}. The review was not sent to the agent.`
    throw new JobError(false, {
      headline: 'Failed to look for the job of this docs pull request',
      details,
    })
  }
  const found =
    attempt.kind === 'job' ? attempt.job : earlierJob.known ? earlierJob.value : undefined
  if (found === undefined)
    return refuse(
      'is unknown, because the source comment was deleted or was signed with another API key',
    )
  const job = service && (await getEarlierJob(found, service, run))
  const ending = service && cannotContinueReason(job)
  if (ending !== undefined) return refuse(ending)
  const { id, namedAtMs, prLink } = found
  if (attempt.kind === 'job') return { kind: 'wait', id, job, namedAtMs }
  const pull = await readPullState(job?.prLink || prLink, run)
  const isEnded = pull.state === 'merged' || pull.state === 'closed'
  return isEnded
    ? refuse(`can't change it any more: it was ${pull.state}`)
    : { kind: 'message', id, namedAtMs, pull }
}

/** Why a job can't be continued; `undefined` if it may be. */
function cannotContinueReason(job: Job | undefined): string | undefined {
  if (job === undefined) return "doesn't exist anymore (404)"
  if (job.status === 'failed') return 'failed'
  return job.status === 'archived' ? 'was archived' : undefined
}

/** Whether a pull request takes further commits, as far as GitHub tells; says so in the log. */
function canContinue(pull: PullState, jobId: string, { log }: Run): boolean {
  const { state, conflicts, openFor, repository, why } = pull
  const shown = clip(pull.prLink, 300)
  if (state === 'merged' || state === 'closed') {
    log.info(`The earlier pull request ${shown} was ${state}. This run starts a new job.`)
    return false
  }
  if (state === 'invisible') {
    log.notice(
      `\`github-token\` can't read the earlier pull request ${shown}, so this run starts a new job. To update pull requests in ${repository}, use a token that can read them, for example a GitHub App's.`,
      "`github-token` can't read the earlier pull request",
    )
    return false
  }
  if (state === 'unknown') {
    log.notice(
      `Could not look up the pull request ${shown}: ${why}. The message is sent to its job ${inBackticks(jobId)} anyway.`,
      'Could not look up the earlier pull request',
    )
    return true
  }
  const conflict = 'The pull request conflicts with its base branch.'
  const text = `This run updates the pull request ${shown} (job ${jobId}${openFor}).`
  log.info(joinSentences(text, conflicts === true ? conflict : ''))
  return true
}

/** A new job, which is told of the pull request before it. */
async function createAfter(prLink: string, run: Run): Promise<CreateAction> {
  if (prLink === '') return NEW_JOB
  const earlierPull = await readPullState(prLink, run)
  const shouldMention = ['merged', 'closed', 'invisible'].includes(earlierPull.state)
  return shouldMention ? { kind: 'create', earlierPull } : NEW_JOB
}

/** How long looking up an earlier job is retried. */
const MAX_LOOKUP_MS = 120_000

/**
 * Gets an earlier job. Shortly after it was named, the service may not know it for a moment.
 *
 * @returns `undefined` if it is unknown to the service (404)
 * @throws {JobError} if the lookup timed out, or failed for good
 */
async function getEarlierJob(
  { id, namedAtMs }: NamedJob,
  service: MintlifyClient,
  run: Run,
): Promise<Job | undefined> {
  const { clock, cancel, inputs, log } = run
  const name = inBackticks(id)
  const lookupMs = Math.min(MAX_LOOKUP_MS, inputs.timeout)
  const deadlineMs = clock.now() + lookupMs
  const isNew = (error: unknown): boolean =>
    hasStatus(error, 404) && clock.now() - namedAtMs < EARLY_MS
  try {
    return await retry(
      () => service.getJob(id, cancel),
      {
        isRetryable: (error) => isRetryable(error) || isNew(error),
        retryAfterMs: retryAfterMsOf,
        pauseMs: limitPauseMs,
        deadlineMs: () => deadlineMs,
        onRetry: (error, pauseMs) =>
          log.info(
            `Could not get the earlier job ${name}: ${describeFailure(error, run.mintlify).headline}. Trying again in ${formatDuration(pauseMs)}.`,
          ),
      },
      run,
    )
  } catch (error) {
    if (!(error instanceof RetryError) || error.reason === 'cancelled') throw error
    if (hasStatus(error.cause, 404)) return undefined
    const note = `The request was about the earlier job ${name}.`
    const limit = `the limit of ${formatDuration(lookupMs)}`
    throw notStartedError(error, { limit, note, mintlify: run.mintlify })
  }
}

/** How long a request in flight is still awaited once the run was cancelled, so that its job's id is not lost. */
const CANCEL_GRACE_MS = 3000
/** How long a request that can't reach the service is sent again. */
const MAX_UNREACHABLE_MS = 30_000

/** A job that was accepted, or that is waited for. Times are by our clock, in milliseconds since the epoch. */
export type AcceptedJob = NamedJob & {
  readonly kind: Plan['kind']
  /** As the service has just shown it. */
  readonly job: Job | undefined
  /** When the request was sent, and until when the job is waited for. */
  readonly sentAtMs: number
  readonly deadlineMs: number
}

/**
 * Carries out a plan, and makes the job's id known at once: a run may be killed at any time.
 *
 * @throws {JobError} if no job was started or messaged
 */
export async function submit(
  plan: Plan,
  deadlineMs: number,
  service: MintlifyClient,
  run: Run,
): Promise<AcceptedJob> {
  const { clock, log } = run
  const sentAtMs = clock.now()
  const { kind } = plan
  const job = kind === 'wait' ? plan.job : await sendRequest(plan, deadlineMs, service, run)
  const id = kind === 'create' ? (job?.id ?? '') : plan.id
  if (kind === 'create') log.info(`${run.mintlify} accepted job ${id}.`)
  if (kind === 'message') log.info(`${run.mintlify} accepted the message to job ${id}.`)
  run.saveState('job-id', id)
  run.setOutputs({ 'job-id': id })
  const before = kind === 'message' ? plan.pull?.prLink : undefined
  const namedAtMs = (kind === 'wait' ? plan.namedAtMs : undefined) ?? clock.now()
  return { kind, id, job, prLink: job?.prLink ?? before ?? '', namedAtMs, sentAtMs, deadlineMs }
}

/**
 * Sends a create or a message, which must take effect at most once. It is sent again only where it certainly did not
 * arrive (the connection was refused, the name not resolved, TLS failed before sending) or was not accepted (429).
 *
 * @throws {JobError} that says whether a job may be running
 */
async function sendRequest(
  plan: Exclude<Plan, WaitAction>,
  deadlineMs: number,
  service: MintlifyClient,
  run: Run,
): Promise<Job> {
  const { clock, cancel, log } = run
  const { prompt } = plan
  const signal = afterGrace(cancel, CANCEL_GRACE_MS, clock)
  let unreachableUntilMs = clock.now() + MAX_UNREACHABLE_MS
  try {
    return await retry(
      () =>
        plan.kind === 'create'
          ? service.createJob(prompt, signal)
          : service.sendMessage(plan.id, prompt, signal),
      {
        isRetryable: (error) => isUnreachable(error) || hasStatus(error, 429),
        retryAfterMs: retryAfterMsOf,
        pauseMs: limitPauseMs,
        deadlineMs: (error) =>
          isUnreachable(error) ? Math.min(unreachableUntilMs, deadlineMs) : deadlineMs,
        onRetry(error, pauseMs) {
          // A response resets the limit for an unreachable host.
          if (!isUnreachable(error)) unreachableUntilMs = clock.now() + pauseMs + MAX_UNREACHABLE_MS
          const again = `Nothing was started yet. Trying again in ${formatDuration(pauseMs)}.`
          log.info(`${describeFailure(error, run.mintlify).headline}. ${again}`)
        },
      },
      run,
    )
  } catch (error) {
    if (!(error instanceof RetryError)) throw error
    throw isCertainlyRefused(error.cause)
      ? notStartedError(error, { limit: '`timeout`', mintlify: run.mintlify })
      : maybeStartedError(plan.kind, error.cause, run.mintlify)
  }
}

/** Whether no connection was made, so that nothing was sent. */
function isUnreachable(error: unknown): boolean {
  return error instanceof TransportError && ['refused', 'unresolved', 'tls'].includes(error.failure)
}

function isCertainlyRefused(error: unknown): boolean {
  if (error instanceof TransportError) return !error.maybeSent
  return error instanceof MintlifyError && error.status < 500 && ![303, 408].includes(error.status)
}

const MAYBE_STARTED = {
  create:
    'A job may have been created anyway. Before you run this workflow again, check the dashboard for a running job and for a new pull request. A second job would use credits again.',
  message:
    'The job may have received the message anyway and may be running. Before you run this workflow again, check the job in the dashboard, and its pull request. A second message would use credits again.',
}

function maybeStartedError(
  kind: keyof typeof MAYBE_STARTED,
  cause: unknown,
  mintlify: string,
): JobError {
  const { headline, details } =
    cause instanceof DOMException
      ? { headline: '', details: `${mintlify} had not responded yet.` }
      : describeFailure(cause, mintlify)
  return new JobError(true, { headline, details: joinSentences(details, MAYBE_STARTED[kind]) })
}

/** Why there is no job to wait for. */
export class JobError extends FailureError {
  override readonly name = 'JobError'
  /** Whether this run or an earlier attempt may have started a job. */
  readonly maybeStarted: boolean
  /** Whether a re-run may succeed with nothing changed. */
  readonly isTransient: boolean

  constructor(maybeStarted: boolean, failure: Failure, { isTransient = false } = {}) {
    super(failure)
    this.maybeStarted = maybeStarted
    this.isTransient = isTransient
  }
}

/** @param about `limit`: until when it was tried */
function notStartedError(
  { reason, cause }: RetryError,
  about: { readonly limit: string; readonly note?: string; readonly mintlify: string },
): JobError {
  const { limit, note = '', mintlify } = about
  const { headline, details } = describeFailure(cause, mintlify)
  let lastly = ''
  if (reason === 'deadline' && cause instanceof MintlifyError) {
    lastly = cause.retryAfterMs
      ? retryAfterNote(cause.retryAfterMs, limit)
      : `${mintlify} kept returning this error until ${limit} was reached.`
  }
  const failure = { headline, details: joinSentences(details, note, lastly) }
  return new JobError(false, failure, { isTransient: isTransient(cause) })
}

/** Whether a later run may succeed with nothing changed. */
function isTransient(error: unknown): boolean {
  if (error instanceof TransportError)
    return !['tls', 'tls-protocol', 'proxy'].includes(error.failure)
  return isRetryable(error)
}
