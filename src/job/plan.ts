import type { ContextStats } from '../context/render.ts'
import type { Known } from '../github/client.ts'
import { type PullState, readPullState } from '../github/pull-requests.ts'
import { formatAge, formatDuration } from '../lib/duration.ts'
import { RetryError, retry } from '../lib/retry.ts'
import { capitalize, clip, inBackticks, joinSentences } from '../lib/text.ts'
import type { Attempt } from '../memory/recall.ts'
import type { EarlierJob } from '../memory/status.ts'
import type { Run } from '../runner/run.ts'
import { type DocsService, isTerminal, type Job } from '../service/docs-service.ts'
import { failureSentences, hasStatus, isRetryable, retryAfterMsOf } from '../service/service-errors.ts'
import { EARLY_MS } from './poll.ts'
import { JobError, nothingStarted } from './submit.ts'

/** The pull request that went before, and that can't be continued. */
export type PreviousPull = {
  readonly prLink: string
  readonly state: 'merged' | 'closed' | 'invisible'
  /** Of a merged one; else empty. */
  readonly mergeCommit: string
}

/** The open pull request that the run continues. */
export type ContinuedPull = {
  readonly prLink: string
  readonly conflicts: boolean
  /** Such as `, open for 3 days`; empty if it is not known. */
  readonly openFor: string
  /** The commit at its head before the message; empty if it is not known. */
  readonly head: string
}

export type Prompt = {
  readonly prompt: string
  /** What the agent is told of the event; `undefined` if nothing. */
  readonly contextCounts: ContextStats | undefined
}

/** What a run does about its job: plain data that dry run, submit and poll read alike. */
export type Plan =
  | ({ readonly kind: 'create'; readonly previous: PreviousPull | undefined } & Prompt)
  | ({ readonly kind: 'message'; readonly id: string; readonly pull: ContinuedPull | undefined } & Prompt)
  | {
      readonly kind: 'wait'
      readonly id: string
      /** As it was just seen. */
      readonly job: Job | undefined
      /** When GitHub was first told of it, if it was; milliseconds since the epoch. */
      readonly namedAtMs: number | undefined
      /** Whether the step's memory stays as it was found. */
      readonly isUnnamed: boolean
    }

/** A plan before its prompt is put together. */
export type Course =
  | Omit<Extract<Plan, { kind: 'create' }>, keyof Prompt>
  | Omit<Extract<Plan, { kind: 'message' }>, keyof Prompt>
  | Extract<Plan, { kind: 'wait' }>

export const NEW_JOB: Course = { kind: 'create', previous: undefined }

/** What a run without the input `job-id` may do. */
export type PlanRequest = {
  readonly attempt: Attempt
  readonly earlier: Known<EarlierJob | undefined>
  readonly isCommand: boolean
  readonly isRerun: boolean
  /** The permission that the earlier job is found with. */
  readonly permission: string
  /** `undefined` in a dry run, which asks GitHub alone. */
  readonly service: DocsService | undefined
}

/**
 * Decides whether a run continues an earlier job, and says so in the log.
 *
 * @throws {JobError} on a re-run that can't tell which job the first attempt started; if the job can't be looked at
 */
export async function planCourse(request: PlanRequest, run: Run): Promise<Course> {
  const { attempt, earlier, isRerun } = request
  const { github, log } = run
  if (attempt.kind === 'forgotten') {
    log.notice(
      'This is a re-run of a run that remembers no job (`follow-up: false`, `comment: never`, or an event without memory), so it starts a new one.',
    )
    return NEW_JOB
  }
  if (attempt.kind === 'job') return await resume(attempt.job, request, run)
  if (attempt.kind === 'maybe-started')
    throw unknownJob('an earlier attempt was interrupted while it started a job')
  if (attempt.kind === 'unknown') throw unknownJob(attempt.why)
  if (!earlier.known) {
    if (isRerun) {
      const details = `${capitalize(earlier.why)}. A new job might do again what that one does.`
      throw new JobError(
        'nothing',
        { headline: 'Failed to look for an earlier job', details },
        { isTransient: true },
      )
    }
    const [purpose, consequence] = ['look for an earlier job', 'This run starts a new job.']
    github.report(earlier.error, { purpose, permission: request.permission, level: 'notice', consequence })
    return NEW_JOB
  }
  return earlier.value === undefined ? NEW_JOB : await continueJob(earlier.value, request, run)
}

function unknownJob(why: string): JobError {
  return new JobError('unknown', {
    headline: 'Unknown whether an earlier attempt of this run started a job',
    details: `${capitalize(why)}. Nothing was started, because a second job might run alongside the first. Look for that job in the dashboard of the docs service. To wait for it, set \`job-id\`; if there is none, start the workflow anew instead of re-running it.`,
  })
}

/** An earlier attempt's job: it is waited for or reported again, unless it is one that nothing more comes of. */
async function resume(found: EarlierJob, { service }: PlanRequest, run: Run): Promise<Course> {
  const { id, namedAtMs } = found
  const name = `Job ${inBackticks(id)}`
  const job = service && (await getEarlierJob(found, service, run))
  const isOver = job === undefined || job.status === 'failed' || job.status === 'archived'
  if (service === undefined || !isOver) {
    run.log.info(`${name} was started by an earlier attempt of this run. This attempt waits for it.`)
    return { kind: 'wait', id, job, namedAtMs, isUnnamed: false }
  }
  run.log.info(`${name} of an earlier attempt ${endOf(job)}. This attempt starts a new job.`)
  return await createAfter(job?.prLink ?? found.prLink, run)
}

function endOf(job: Job | undefined): string {
  if (job === undefined) return 'is unknown to the docs service (404)'
  return job.status === 'failed' ? 'failed' : 'was archived'
}

async function continueJob(
  found: EarlierJob,
  { isCommand, service }: PlanRequest,
  run: Run,
): Promise<Course> {
  const { log } = run
  const { id } = found
  const name = `The earlier job ${inBackticks(id)}`
  const job = service && (await getEarlierJob(found, service, run))
  const isOver = job === undefined || job.status === 'failed' || job.status === 'archived'
  const prLink = job?.prLink ?? found.prLink
  if (service !== undefined && isOver) {
    log.info(`${name} ${endOf(job)}. This run starts a new job.`)
    return await createAfter(prLink, run)
  }
  if (prLink !== '') return continuePull(id, prLink, await readPullState(prLink, run.github), run)
  // A finished job without a pull request has nothing to continue, except for a person's further words.
  if (isCommand || job === undefined || !isTerminal(job.status)) {
    log.info(`${name} has no pull request yet. This run sends it a message.`)
    return { kind: 'message', id, pull: undefined }
  }
  log.info(`${name} completed without a pull request. This run starts a new job.`)
  return NEW_JOB
}

function continuePull(id: string, prLink: string, pull: PullState, { log, clock }: Run): Course {
  const shown = clip(prLink, 300)
  const { state, conflicts, openedAtMs, repository, why, head } = pull
  if (state === 'merged' || state === 'closed') {
    log.info(`The earlier pull request ${shown} was ${state}. This run starts a new job.`)
    return createAfterPull(prLink, pull)
  }
  if (state === 'invisible') {
    log.notice(
      `The earlier pull request ${shown} is invisible to \`github-token\`, so this run starts a new job. To continue pull requests in ${repository}, set \`github-token\` to a token that can also read pull requests there, such as a GitHub App's.`,
    )
    return createAfterPull(prLink, pull)
  }
  const openFor = openedAtMs === undefined ? '' : `, open for ${formatAge(clock.now() - openedAtMs)}`
  if (state === 'unknown') {
    log.notice(
      `Failed to look up the pull request ${shown}: ${why}. The message is still sent to its job ${inBackticks(id)}.`,
    )
  } else {
    const conflict = 'It conflicts with its base branch; the agent is asked to resolve that.'
    const text = `This run continues the pull request ${shown} (job ${id}${openFor}).`
    log.info(joinSentences(text, conflicts ? conflict : ''))
  }
  return { kind: 'message', id, pull: { prLink, conflicts, openFor, head } }
}

/** A new job, which is told of the pull request before it. */
async function createAfter(prLink: string, run: Run): Promise<Course> {
  return prLink === '' ? NEW_JOB : createAfterPull(prLink, await readPullState(prLink, run.github))
}

function createAfterPull(prLink: string, { state, mergeCommit }: PullState): Course {
  const isKnown = state === 'merged' || state === 'closed' || state === 'invisible'
  return isKnown ? { kind: 'create', previous: { prLink, state, mergeCommit } } : NEW_JOB
}

/** How long the look at an earlier job is retried. */
const MAX_LOOK_MS = 120_000
/** A job that GitHub was told of longer ago than this is known to the service, or gone. */
const YOUNG_MS = 600_000

/**
 * Gets an earlier job. Shortly after it was named, the service may not know it for a moment.
 *
 * @returns `undefined` if it is gone (404)
 * @throws {JobError} if it could not be had in time, or trying again makes no sense
 */
async function getEarlierJob(found: EarlierJob, service: DocsService, run: Run): Promise<Job | undefined> {
  const { id, namedAtMs } = found
  const { clock, cancel, inputs, log } = run
  const name = inBackticks(id)
  const deadlineMs = clock.now() + Math.min(MAX_LOOK_MS, inputs.timeout)
  const isYoung = clock.now() - namedAtMs < YOUNG_MS
  let unknownSinceMs: number | undefined
  try {
    return await retry(
      () => service.getJob(id, cancel),
      {
        backoff: { baseMs: 2000, maxMs: 30_000 },
        maxAttempts: Number.POSITIVE_INFINITY,
        isRetryable: (error) => isRetryable(error) || (isYoung && hasStatus(error, 404)),
        retryAfterMs: retryAfterMsOf,
        deadlineMs(error) {
          if (!hasStatus(error, 404)) return deadlineMs
          unknownSinceMs ??= clock.now()
          return Math.min(unknownSinceMs + EARLY_MS, deadlineMs)
        },
        onRetry: (error, pauseMs) =>
          log.info(
            `Failed to get the earlier job ${name}. ${failureSentences(error)} Trying again in ${formatDuration(pauseMs)}.`,
          ),
      },
      run,
    )
  } catch (error) {
    if (!(error instanceof RetryError) || error.reason === 'cancelled') throw error
    const unknownForMs = clock.now() - (unknownSinceMs ?? clock.now())
    if (hasStatus(error.cause, 404) && (!isYoung || unknownForMs >= EARLY_MS)) return undefined
    throw nothingStarted(error, `This was about the earlier job ${name}.`)
  }
}
