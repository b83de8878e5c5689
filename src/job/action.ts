import type { Trigger } from '../events/trigger.ts'
import { writePermission } from '../github/comments.ts'
import type { GitHubError } from '../github/errors.ts'
import { capitalize, clip, inBackticks, joinSentences } from '../lib/text.ts'
import { formatAge, formatDuration, RetryError, retry } from '../lib/time.ts'
import { type Editors, type PullState, readPullState } from '../pull/pull-state.ts'
import type { Found, NamedJob } from '../record/found.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { type DocsService, isTerminal, type Job } from '../service/docs-service.ts'
import {
  failureSentences,
  hasStatus,
  isRetryable,
  retryAfterMsOf,
} from '../service/service-errors.ts'
import { JobError, nothingStarted } from './job-error.ts'
import { hasInstructions, type PromptParts } from './prompt.ts'

/** What a job is requested with. */
export type JobRequest = { readonly trigger: Trigger; readonly parts: PromptParts }

/** The pull request that went before, and that can't be continued. */
export type PreviousPull = {
  readonly prLink: string
  readonly state: 'merged' | 'closed' | 'invisible'
}

/** The pull request that the run continues. */
export type ContinuedPull = {
  readonly prLink: string
  /** `undefined` where it is not known. */
  readonly conflicts: boolean | undefined
  /** Such as `, open for 3 days`; empty if it is not known. */
  readonly openFor: string
  readonly editors: Editors
}

/** What is to be done about an earlier job, before there is a prompt. */
export type JobAction = CreateAction | MessageAction | WaitAction

type CreateAction = { readonly kind: 'create'; readonly previous: PreviousPull | undefined }
type MessageAction = {
  readonly kind: 'message'
  readonly id: string
  /** When the job was named first, in milliseconds since the epoch; `undefined` of one that was given. */
  readonly namedAtMs: number | undefined
  readonly pull: ContinuedPull | undefined
}
export type WaitAction = {
  readonly kind: 'wait'
  readonly id: string
  /** As it was just seen. */
  readonly job: Job | undefined
  /** When GitHub was first told of it, if it was; milliseconds since the epoch. */
  readonly namedAtMs: number | undefined
}

const NEW_JOB: CreateAction = { kind: 'create', previous: undefined }

/** How long after it was named a job may still be unknown to the service, in milliseconds. */
export const EARLY_MS = 60_000

/**
 * Decides from the inputs and from what is found of an earlier job what is to be done, and says so in the log.
 *
 * @param service `undefined` in a dry run, which asks GitHub alone
 * @throws {JobError} on a re-run that can't tell which job the first attempt started; if the job can't be looked up
 */
export async function chooseAction(
  found: Found,
  { trigger, parts }: JobRequest,
  service: DocsService | undefined,
  run: Run,
): Promise<JobAction> {
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
  const about = { isCommand: trigger.command !== undefined, service }
  switch (attempt.kind) {
    case 'forgotten':
      log.notice(
        'This is a re-run of a run that remembers no job (`comment: never`, or an event without memory), so it starts a new one.',
      )
      return NEW_JOB
    case 'maybe-started':
      throw unclearStart('an earlier attempt was interrupted while it started a job')
    case 'unknown':
      throw unclearStart(withPermission(attempt.why, attempt.error, trigger))
    case 'job':
      return await continueJob(attempt.job, { ...about, isOwn: true }, run)
  }
  if (!earlier.known) return newJobWithoutSearch(earlier.error, trigger, run)
  return earlier.value === undefined
    ? NEW_JOB
    : await continueJob(earlier.value, { ...about, isOwn: false }, run)
}

export function waitFor(id: string): WaitAction {
  return { kind: 'wait', id, job: undefined, namedAtMs: undefined }
}

function unclearStart(why: string): JobError {
  return new JobError('unknown', {
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
    throw new JobError('nothing', failure, { isTransient })
  }
  const permission = permissionToRead(error, trigger)
  const cost = 'this run starts a new job, and with it another pull request'
  run.github.report(error, { purpose: 'look for an earlier job', permission, cost })
  return NEW_JOB
}

function withPermission(why: string, error: GitHubError | undefined, trigger: Trigger): string {
  if (error?.kind !== 'permission') return why
  return `${why} (is \`${permissionToRead(error, trigger)}\` missing in \`permissions:\`?)`
}

/** The permission that a token lacks to read what a run is remembered by. */
function permissionToRead({ status, path }: GitHubError, { command }: Trigger): string {
  if (command !== undefined) return writePermission(command.source.thread)
  if (status !== undefined || path.endsWith('status')) return 'statuses: read'
  return path.startsWith('repository.pull') ? 'pull-requests: read' : 'contents: read'
}

/**
 * Decides what a run does about an earlier job, and says so in the log. A job of an earlier attempt of this run is waited
 * for or reported again; that of an earlier run is sent a message where its pull request is open.
 *
 * @param about `isOwn`: whether it is an earlier attempt's; `service`: `undefined` in a dry run, which asks GitHub alone
 * @throws {JobError} if the job can't be looked up
 */
async function continueJob(
  found: NamedJob,
  about: {
    readonly isOwn: boolean
    readonly isCommand: boolean
    readonly service: DocsService | undefined
  },
  run: Run,
): Promise<JobAction> {
  const { isOwn, isCommand, service } = about
  const { id, namedAtMs } = found
  const name = `${isOwn ? 'Job' : 'The earlier job'} ${inBackticks(id)}`
  const job = service && (await getEarlierJob(found, service, run))
  const prLink = job?.prLink ?? found.prLink
  const ending = service && endingOf(job)
  if (ending !== undefined) {
    run.log.info(`${name} ${ending}. This ${isOwn ? 'attempt' : 'run'} starts a new job.`)
    return prLink === '' ? NEW_JOB : createAfter(prLink, await readPullState(prLink, run))
  }
  if (isOwn) {
    run.log.info(
      `${name} was started by an earlier attempt of this run. This attempt waits for it.`,
    )
    return { kind: 'wait', id, job, namedAtMs }
  }
  if (prLink !== '') return continuePull(found, prLink, await readPullState(prLink, run), run)
  // A finished job without a pull request has nothing to continue, except for a person's further words.
  if (isCommand || job === undefined || !isTerminal(job.status)) {
    run.log.info(`${name} has no pull request yet. This run sends it a message.`)
    return { kind: 'message', id, namedAtMs, pull: undefined }
  }
  run.log.info(`${name} completed without a pull request. This run starts a new job.`)
  return NEW_JOB
}

/** Why nothing more comes of a job; `undefined` if something may. */
function endingOf(job: Job | undefined): string | undefined {
  if (job === undefined) return 'is unknown to the docs service (404)'
  if (job.status === 'failed') return 'failed'
  return job.status === 'archived' ? 'was archived' : undefined
}

function continuePull(
  { id, namedAtMs }: NamedJob,
  prLink: string,
  pull: PullState,
  { log, clock }: Run,
): JobAction {
  const shown = clip(prLink, 300)
  const { state, conflicts, openedAtMs, repository, why, editors } = pull
  if (state === 'merged' || state === 'closed') {
    log.info(`The earlier pull request ${shown} was ${state}. This run starts a new job.`)
    return createAfter(prLink, pull)
  }
  if (state === 'invisible') {
    log.notice(
      `The earlier pull request ${shown} is invisible to \`github-token\`, so this run starts a new job. To continue pull requests in ${repository}, set \`github-token\` to a token that can also read pull requests there, such as a GitHub App's.`,
    )
    return createAfter(prLink, pull)
  }
  const openFor =
    openedAtMs === undefined ? '' : `, open for ${formatAge(clock.now() - openedAtMs)}`
  if (state === 'unknown') {
    log.notice(
      `Failed to look up the pull request ${shown}: ${why}. The message is still sent to its job ${inBackticks(id)}.`,
    )
  } else {
    const conflict = 'It conflicts with its base branch; the agent is asked to resolve that.'
    const text = `This run continues the pull request ${shown} (job ${id}${openFor}).`
    log.info(joinSentences(text, conflicts === true ? conflict : ''))
  }
  return { kind: 'message', id, namedAtMs, pull: { prLink, conflicts, openFor, editors } }
}

/** A new job, which is told of the pull request before it. */
function createAfter(prLink: string, { state }: PullState): CreateAction {
  const isKnown = state === 'merged' || state === 'closed' || state === 'invisible'
  return isKnown ? { kind: 'create', previous: { prLink, state } } : NEW_JOB
}

/** How long looking up an earlier job is retried. */
const MAX_LOOKUP_MS = 120_000

/**
 * Gets an earlier job. Shortly after it was named, the service may not know it for a moment.
 *
 * @returns `undefined` if it is unknown to the service (404)
 * @throws {JobError} if it could not be had in time, or trying again makes no sense
 */
async function getEarlierJob(
  found: NamedJob,
  service: DocsService,
  run: Run,
): Promise<Job | undefined> {
  const { id, namedAtMs } = found
  const { clock, cancel, inputs, log } = run
  const name = inBackticks(id)
  const deadlineMs = clock.now() + Math.min(MAX_LOOKUP_MS, inputs.timeout)
  const isNew = (error: unknown): boolean =>
    hasStatus(error, 404) && clock.now() - namedAtMs < EARLY_MS
  try {
    return await retry(
      () => service.getJob(id, cancel),
      {
        backoff: { baseMs: 2000, maxMs: 30_000 },
        maxAttempts: Number.POSITIVE_INFINITY,
        isRetryable: (error) => isRetryable(error) || isNew(error),
        retryAfterMs: retryAfterMsOf,
        deadlineMs: () => deadlineMs,
        onRetry: (error, pauseMs) =>
          log.info(
            `Failed to get the earlier job ${name}. ${failureSentences(error)} Trying again in ${formatDuration(pauseMs)}.`,
          ),
      },
      run,
    )
  } catch (error) {
    if (!(error instanceof RetryError) || error.reason === 'cancelled') throw error
    if (hasStatus(error.cause, 404)) return undefined
    throw nothingStarted(error, `This was about the earlier job ${name}.`)
  }
}
