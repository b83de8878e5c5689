import type { Known } from '../github/client.ts'
import { type PullState, readPullState } from '../github/pull-requests.ts'
import { RetryError, retry, retryAfterNote } from '../lib/retry.ts'
import { clip, inBackticks, joinSentences } from '../lib/text.ts'
import { formatAge, formatDuration } from '../lib/time.ts'
import type { EarlierJob } from '../memory/find.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import type { DocsService } from '../service/client.ts'
import { isRetryable, retryAfterMsOf, ServiceError } from '../service/errors.ts'
import { getJob, isTerminal, type Job } from '../service/job.ts'
import type { OpenPull, PreviousPull } from './plan.ts'
import { EARLY_MS } from './poll.ts'
import { JobError, nothingStarted } from './submit.ts'

/** How a run goes on with an earlier job; `create`: it does not. */
export type Continuation =
  | { readonly kind: 'create'; readonly previous?: PreviousPull }
  | { readonly kind: 'message'; readonly id: string; readonly pull?: OpenPull }
  | { readonly kind: 'wait'; readonly id: string; readonly job: Job; readonly prLink: string }

type Asking = {
  readonly isCommand: boolean
  /** `undefined` in a dry run, which asks GitHub alone. */
  readonly service: DocsService | undefined
  readonly run: Run
}

/**
 * Decides whether a run goes on with an earlier job, and says so in the log.
 *
 * @throws {JobError} on a re-run that can't tell which job the first attempt started; if the job can't be looked at
 */
export async function continueJob(
  earlier: Known<EarlierJob | undefined>,
  options: Asking,
): Promise<Continuation> {
  const { log, environment, cancel, github } = options.run
  cancel.throwIfAborted()
  if (!earlier.known) {
    if (isRerun(environment)) {
      const why = earlier.why.replace(/^[a-z]/, (letter) => letter.toUpperCase())
      const isMissing = github.lacks('statuses: write')
      const fix = isMissing
        ? 'Grant the job `statuses: write`, by which re-runs find it'
        : 'Re-run this later'
      throw new JobError({
        headline: 'Unknown which job the first attempt started',
        details: `${why}. Nothing was started, because a second job might run beside the first. ${fix}, or set \`job-id\` to wait for a job that the dashboard of the docs service shows.`,
      })
    }
    log.notice(`Failed to look for an earlier job: ${earlier.why}. This run starts a new job.`)
    return { kind: 'create' }
  }
  const found = earlier.value
  const continuation: Continuation = found === undefined ? { kind: 'create' } : await goOnWith(found, options)
  if (continuation.kind !== 'wait' && found?.kind !== 'resume' && isRerun(environment)) {
    log.notice(
      `This is attempt ${environment.runAttempt} of the run, and GitHub shows no job of an earlier attempt. If that attempt was killed while it started a job, the dashboard of the docs service shows the job; to wait for it instead, set \`job-id\`. This attempt does what the run asks for.`,
    )
  }
  return continuation
}

async function goOnWith(found: EarlierJob, { isCommand, service, run }: Asking): Promise<Continuation> {
  const { log } = run
  const job = service === undefined ? undefined : await getEarlierJob(found, service, run)
  const isOver = service !== undefined && ['failed', 'archived', undefined].includes(job?.status)
  const name = `The earlier job ${inBackticks(found.id)}`
  if (found.kind === 'resume' && !isOver && job !== undefined) {
    log.info(`${name} was started by an earlier attempt of this run; its status is ${job.status}.`)
    return { kind: 'wait', id: found.id, job, prLink: job.prLink ?? found.prLink }
  }
  const prLink = job?.prLink ?? found.prLink
  const pull = prLink === '' ? undefined : await readPullState(prLink, run.github)
  if (isOver) {
    const end = job?.status === 'failed' ? 'failed' : 'was archived'
    const why = job === undefined ? 'is unknown to the docs service (404)' : end
    log.info(`${name} ${why}. This run starts a new job.`)
    return created(pull, prLink)
  }
  if (pull === undefined) {
    // A finished job without a pull request has nothing to go on with, except for a person's further words.
    if (isCommand || job === undefined || !isTerminal(job.status)) {
      log.info(`${name} is sent a message; it has no pull request yet.`)
      return { kind: 'message', id: found.id }
    }
    log.info(`${name} completed without a pull request. This run starts a new job.`)
    return { kind: 'create' }
  }
  return withPull(found.id, prLink, pull, run)
}

function withPull(id: string, prLink: string, pull: PullState, { log, clock }: Run): Continuation {
  const shown = clip(prLink, 300)
  const { state, conflicts, openedAtMs, repository, why } = pull
  if (state === 'merged' || state === 'closed') {
    log.info(`The earlier pull request ${shown} was ${state}. This run starts a new job.`)
    return created(pull, prLink)
  }
  if (state === 'invisible') {
    log.notice(
      `The earlier pull request ${shown} is invisible to \`github-token\`, so this run starts a new job. To go on with pull requests in ${repository}, give \`github-token\` a token that can also read pull requests there, such as a GitHub App's.`,
    )
    return created(pull, prLink)
  }
  if (state === 'unknown') {
    log.notice(
      `Failed to look up the pull request ${shown}: ${why}. The message is sent to its job ${inBackticks(id)} all the same.`,
    )
  } else {
    const age = openedAtMs === undefined ? '' : `, open for ${formatAge(clock.now() - openedAtMs)}`
    const conflict = 'It conflicts with its base branch; the agent is asked to resolve that.'
    const text = `This run goes on with the pull request ${shown} (job ${id}${age}).`
    log.info(joinSentences(text, conflicts ? conflict : ''))
  }
  return { kind: 'message', id, pull: { prLink, conflicts, openedAtMs } }
}

function created(pull: PullState | undefined, prLink: string): Continuation {
  const state = pull?.state
  const isTold = state === 'merged' || state === 'closed' || state === 'invisible'
  return { kind: 'create', ...(isTold && { previous: { prLink, state } }) }
}

const BACKOFF = { baseMs: 2000, maxMs: 30_000 }

/**
 * Looks at an earlier job. For a minute after it was first named, it may be unknown to the service for a moment.
 *
 * @returns `undefined` if it is gone (404)
 * @throws {JobError} if it could not be looked at within `timeout`, or trying again makes no sense
 */
async function getEarlierJob(
  { id, namedAtMs }: EarlierJob,
  service: DocsService,
  run: Run,
): Promise<Job | undefined> {
  const { clock, cancel, inputs, log } = run
  const deadlineMs = service.sendingSinceMs + inputs.timeout
  const graceUntilMs = namedAtMs + EARLY_MS
  const isNotFound = (error: unknown): boolean => error instanceof ServiceError && error.status === 404
  try {
    return await retry(
      () => getJob(service, id, cancel),
      {
        backoff: BACKOFF,
        maxAttempts: Number.POSITIVE_INFINITY,
        isRetryable: (error) => isRetryable(error) || (isNotFound(error) && clock.now() < graceUntilMs),
        retryAfterMs: retryAfterMsOf,
        deadlineMs: (error) => (isNotFound(error) ? Math.min(graceUntilMs, deadlineMs) : deadlineMs),
        onRetry(_error, pauseMs) {
          const again = `trying again in ${formatDuration(pauseMs)}`
          log.info(`Failed to look at the earlier job ${inBackticks(id)}; ${again}.`)
        },
      },
      run,
    )
  } catch (error) {
    if (!(error instanceof RetryError)) throw error
    const { cause, reason } = error
    if (isNotFound(cause) && reason !== 'cancelled') return undefined
    const retryAfterMs = retryAfterMsOf(cause)
    const note = reason === 'deadline' && retryAfterMs > 0 ? retryAfterNote(retryAfterMs, '`timeout`') : ''
    throw nothingStarted(cause, joinSentences(`This was about the earlier job ${inBackticks(id)}.`, note))
  }
}
