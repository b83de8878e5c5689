import { type PullState, readPullState } from '../github/pull-requests.ts'
import { formatAge, formatDuration } from '../lib/duration.ts'
import { RetryError, retry } from '../lib/retry.ts'
import { clip, inBackticks, joinSentences } from '../lib/text.ts'
import type { EarlierJob } from '../memory/status.ts'
import type { Run } from '../runner/run.ts'
import { type DocsService, isTerminal, type Job } from '../service/docs-service.ts'
import { failureSentences, hasStatus, isRetryable, retryAfterMsOf } from '../service/service-errors.ts'
import { EARLY_MS } from './poll.ts'
import { nothingStarted } from './submit.ts'

/** The pull request that went before, and that can't be continued. */
type PreviousPull = {
  readonly prLink: string
  readonly state: 'merged' | 'closed' | 'invisible'
  /** Of a merged one; else empty. */
  readonly mergeCommit: string
}

/** The open pull request that the run continues. */
type ContinuedPull = {
  readonly prLink: string
  readonly conflicts: boolean
  /** Such as `, open for 3 days`; empty if it is not known. */
  readonly openFor: string
  /** The commit at its head before the message; empty if it is not known. */
  readonly head: string
}

/** What a run does about its job, before its prompt is put together. */
export type Course =
  | {
      readonly kind: 'create'
      readonly previous: PreviousPull | undefined
      /** Whether no annotation says yet that an earlier job could not be looked for. */
      readonly needsNotice: boolean
    }
  | { readonly kind: 'message'; readonly id: string; readonly pull: ContinuedPull | undefined }
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

export const NEW_JOB = { kind: 'create', previous: undefined, needsNotice: false } as const

/**
 * Decides what a run does about an earlier job, and says so in the log. A job of an earlier attempt of this run is waited
 * for or reported again; that of an earlier run is sent a message where its pull request is open.
 *
 * @param options `isOwn`: whether it is an earlier attempt's; `service`: `undefined` in a dry run, which asks GitHub alone
 * @throws {JobError} if the job can't be looked up
 */
export async function continueJob(
  found: EarlierJob,
  options: {
    readonly isOwn: boolean
    readonly isCommand: boolean
    readonly service: DocsService | undefined
  },
  run: Run,
): Promise<Course> {
  const { isOwn, isCommand, service } = options
  const { id, namedAtMs } = found
  const name = `${isOwn ? 'Job' : 'The earlier job'} ${inBackticks(id)}`
  const job = service && (await getEarlierJob(found, service, run))
  const prLink = job?.prLink ?? found.prLink
  const ending = service && endingOf(job)
  if (ending !== undefined) {
    const next = isOwn ? 'This attempt starts a new job.' : 'This run starts a new job.'
    run.log.info(`${name}${isOwn ? ' of an earlier attempt' : ''} ${ending}. ${next}`)
    return prLink === '' ? NEW_JOB : createAfter(prLink, await readPullState(prLink, run.github))
  }
  if (isOwn) {
    run.log.info(`${name} was started by an earlier attempt of this run. This attempt waits for it.`)
    return { kind: 'wait', id, job, namedAtMs, isUnnamed: false }
  }
  if (prLink !== '') return continuePull(id, prLink, await readPullState(prLink, run.github), run)
  // A finished job without a pull request has nothing to continue, except for a person's further words.
  if (isCommand || job === undefined || !isTerminal(job.status)) {
    run.log.info(`${name} has no pull request yet. This run sends it a message.`)
    return { kind: 'message', id, pull: undefined }
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

function continuePull(id: string, prLink: string, pull: PullState, { log, clock }: Run): Course {
  const shown = clip(prLink, 300)
  const { state, conflicts, openedAtMs, repository, why, head } = pull
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
function createAfter(prLink: string, { state, mergeCommit }: PullState): Course {
  const isKnown = state === 'merged' || state === 'closed' || state === 'invisible'
  return isKnown ? { ...NEW_JOB, previous: { prLink, state, mergeCommit } } : NEW_JOB
}

/** How long looking up an earlier job is retried. */
const MAX_LOOKUP_MS = 120_000
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
  const deadlineMs = clock.now() + Math.min(MAX_LOOKUP_MS, inputs.timeout)
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
