import type { Trigger } from '../events/trigger.ts'
import { writePermission } from '../github/comments.ts'
import type { GitHubError } from '../github/errors.ts'
import { capitalize, clip, inBackticks, joinSentences } from '../lib/text.ts'
import { formatDuration, RetryError, retry } from '../lib/time.ts'
import { type PullState, readPullState } from '../pull/pull-state.ts'
import { type Found, type NamedJob, STATUS_COST, STATUS_PERMISSION } from '../record/memory.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { type DocsService, isTerminal, type Job } from '../service/docs-service.ts'
import {
  describeFailure,
  hasStatus,
  isRetryable,
  limitPauseMs,
  retryAfterMsOf,
} from '../service/service-errors.ts'
import { JobError, nothingStarted } from './job-error.ts'
import {
  hasInstructions,
  type JobRequest,
  type JobTools,
  type Prompt,
  writePrompt,
} from './prompt.ts'

/** What a run does about its job: plain data that dry run, submit, poll and report read alike. */
export type Plan = ((CreateAction | MessageAction) & Prompt) | WaitAction

type CreateAction = {
  readonly kind: 'create'
  /** The pull request that went before, and that can't be continued. */
  readonly previous: PullState | undefined
}
type MessageAction = {
  readonly kind: 'message'
  readonly id: string
  /** When the job was named first, in milliseconds since the epoch; `undefined` of one that was given. */
  readonly namedAtMs: number | undefined
  /** The pull request that the run continues. */
  readonly pull: PullState | undefined
}
export type WaitAction = {
  readonly kind: 'wait'
  readonly id: string
  /** As it was just observed. */
  readonly job: Job | undefined
  /** When GitHub was first told of it, if it was; milliseconds since the epoch. */
  readonly namedAtMs: number | undefined
}

const NEW_JOB: CreateAction = { kind: 'create', previous: undefined }

/** How long after it was named a job may still be unknown to the service, in milliseconds. */
export const EARLY_MS = 60_000

/**
 * Makes the plan from the inputs, the command and what is found of an earlier job: looks that job up, and puts the prompt
 * together.
 *
 * @throws {JobError} on a re-run that can't tell which job the first attempt started; if the job can't be looked up
 */
export async function makePlan(
  found: Found,
  request: JobRequest,
  tools: JobTools,
  run: Run,
): Promise<Plan> {
  run.cancel.throwIfAborted()
  const action = await chooseAction(
    found,
    request,
    run.inputs['dry-run'] ? undefined : tools.service,
    run,
  )
  run.cancel.throwIfAborted()
  if (action.kind === 'wait') return action
  return { ...action, ...(await writePrompt(action, found, request, tools, run)) }
}

/**
 * Decides from the inputs and from what is found of an earlier job what is to be done, and says so in the log.
 *
 * @param service `undefined` in a dry run, which asks GitHub alone
 * @throws {JobError} on a re-run that can't tell which job the first attempt started; if the job can't be looked up
 */
async function chooseAction(
  found: Found,
  { trigger, parts }: JobRequest,
  service: DocsService | undefined,
  run: Run,
): Promise<CreateAction | MessageAction | WaitAction> {
  const { inputs, log } = run
  const { attempt, earlier } = found
  const given = inputs['job-id']
  if (given !== '') {
    if (!hasInstructions(parts)) return waitFor(given)
    if (attempt.kind === 'none')
      return { kind: 'message', id: given, namedAtMs: undefined, pull: undefined }
    log.notice(
      'An earlier attempt may have sent the message already, so this one only waits for the job.',
    )
    return waitFor(given)
  }
  switch (attempt.kind) {
    case 'forgotten':
      log.notice(
        'This is a re-run of a run that remembers no job (`comment: never`, or an event without memory), so it starts a new one.',
      )
      return NEW_JOB
    case 'maybe-started':
      throw unclearStart(
        'an earlier attempt got no answer, or was interrupted, while it started a job or sent a message',
      )
    case 'unknown':
      throw unclearStart(withPermission(attempt.why, attempt.error, trigger))
    case 'job':
      return await resumeJob(attempt.job, service, run)
    case 'none':
      if (isRerun(run.environment))
        log.notice('No earlier attempt of this run is known to have started a job.')
  }
  if (!earlier.known) return newJobWithoutSearch(earlier.error, trigger, run)
  return earlier.value === undefined
    ? NEW_JOB
    : await continueJob(earlier.value, trigger.command !== undefined, service, run)
}

export function waitFor(id: string): WaitAction {
  return { kind: 'wait', id, job: undefined, namedAtMs: undefined }
}

export function unclearStart(why: string): JobError {
  return new JobError(true, {
    headline: 'Unknown whether an earlier attempt of this run started a job',
    details: `${capitalize(why)}. Nothing was started, because a second job might run alongside the first. Look for that job in the dashboard of the docs service. To wait for it, set \`job-id\`; if there is none, start the workflow anew instead of re-running it.`,
  })
}

/** An earlier job can't be looked for: a first attempt starts a new one, a re-run none. */
function newJobWithoutSearch(error: GitHubError, trigger: Trigger, run: Run): CreateAction {
  if (isRerun(run.environment)) {
    const why = withPermission(error.message, error, trigger)
    const isTransient = ['rate-limit', 'other'].includes(error.kind)
    const anew = 'To start one all the same, start the workflow anew instead of re-running it.'
    const details = `${capitalize(why)}. A new job might do again what an earlier one does.`
    const failure = {
      headline: 'Failed to look for an earlier job',
      details: joinSentences(details, isTransient ? '' : anew),
    }
    throw new JobError(false, failure, { isTransient })
  }
  const permission = permissionToRead(error, trigger)
  const purpose = 'look for an earlier job'
  // What may not be read may not be written either: one permission is missing for both.
  if (error.kind === 'permission' && permission === 'statuses: read') {
    const call = { purpose, permission: STATUS_PERMISSION, cost: STATUS_COST }
    run.github.report(error, { ...call, consequence: 'This run starts a new job.' })
    return NEW_JOB
  }
  const cost = 'this run starts a new job, and with it another pull request'
  run.github.report(error, { purpose, permission, cost })
  return NEW_JOB
}

function withPermission(why: string, error: GitHubError | undefined, trigger: Trigger): string {
  return error === undefined ? why : askFor(permissionToRead(error, trigger), error)
}

/** Why GitHub refused something, with the permission that may be missing. */
export function askFor(permission: string, { kind, message }: GitHubError): string {
  if (kind !== 'permission') return message
  return `${message} (is \`${permission}\` missing in \`permissions:\`?)`
}

/** The permission that a token lacks to read what a run is remembered by. */
function permissionToRead({ path }: GitHubError, { command }: Trigger): string {
  if (command !== undefined) return writePermission(command.source.thread)
  if (path === '' || path.endsWith('status')) return 'statuses: read'
  return path.startsWith('repository.pull') ? 'pull-requests: read' : 'contents: read'
}

/** The job of an earlier attempt of this run is waited for, or reported again. */
async function resumeJob(
  found: NamedJob,
  service: DocsService | undefined,
  run: Run,
): Promise<CreateAction | MessageAction | WaitAction> {
  const { id, namedAtMs } = found
  const job = service && (await getEarlierJob(found, service, run))
  const ending = service && endingOf(job)
  if (ending !== undefined) {
    run.log.info(`Job ${inBackticks(id)} ${ending}. This attempt starts a new job.`)
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
  isCommand: boolean,
  service: DocsService | undefined,
  run: Run,
): Promise<CreateAction | MessageAction | WaitAction> {
  const { id, namedAtMs } = found
  const name = `The earlier job ${inBackticks(id)}`
  const job = service && (await getEarlierJob(found, service, run))
  const prLink = job?.prLink ?? found.prLink
  const ending = service && endingOf(job)
  if (ending !== undefined) {
    run.log.info(`${name} ${ending}. This run starts a new job.`)
    return await createAfter(prLink, run)
  }
  if (prLink !== '') {
    const pull = await readPullState(prLink, run)
    return canContinue(pull, id, run)
      ? { kind: 'message', id, namedAtMs, pull }
      : { kind: 'create', previous: pull }
  }
  // A finished job without a pull request has nothing to continue, except for a person's further words.
  if (isCommand || job === undefined || !isTerminal(job.status)) {
    run.log.info(`${name} has no pull request yet. This run sends it a message.`)
    return { kind: 'message', id, namedAtMs, pull: undefined }
  }
  run.log.info(`${name} completed without a pull request. This run starts a new job.`)
  return NEW_JOB
}

/** Why a job can't be continued; `undefined` if it may be. */
function endingOf(job: Job | undefined): string | undefined {
  if (job === undefined) return 'is unknown to the docs service (404)'
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
      `The earlier pull request ${shown} is invisible to \`github-token\`, so this run starts a new job. To continue pull requests in ${repository}, set \`github-token\` to a token that can also read pull requests there, such as a GitHub App's.`,
    )
    return false
  }
  if (state === 'unknown') {
    log.notice(
      `Failed to look up the pull request ${shown}: ${why}. The message is still sent to its job ${inBackticks(jobId)}.`,
    )
    return true
  }
  const conflict = 'It conflicts with its base branch.'
  const text = `This run continues the pull request ${shown} (job ${jobId}${openFor}).`
  log.info(joinSentences(text, conflicts === true ? conflict : ''))
  return true
}

/** A new job, which is told of the pull request before it. */
async function createAfter(prLink: string, run: Run): Promise<CreateAction> {
  if (prLink === '') return NEW_JOB
  const previous = await readPullState(prLink, run)
  const isToBeTold = ['merged', 'closed', 'invisible'].includes(previous.state)
  return isToBeTold ? { kind: 'create', previous } : NEW_JOB
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
  service: DocsService,
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
            `Failed to get the earlier job ${name}. ${describeFailure(error).headline}. Trying again in ${formatDuration(pauseMs)}.`,
          ),
      },
      run,
    )
  } catch (error) {
    if (!(error instanceof RetryError) || error.reason === 'cancelled') throw error
    if (hasStatus(error.cause, 404)) return undefined
    const note = `This was about the earlier job ${name}.`
    throw nothingStarted(error, `the ${formatDuration(lookupMs)} for looking it up`, note)
  }
}
