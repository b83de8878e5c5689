import type { Deps } from '../lib/clock.ts'
import { formatDuration } from '../lib/duration.ts'
import { TransportError } from '../lib/transport-error.ts'
import type { Job } from '../service/job.ts'
import {
  describeFailure,
  type FailureText,
  failureSentences,
  isRateLimit,
  retryAfterMsOf,
} from '../service/service-error.ts'
import {
  type CompletionRule,
  failurePauseMs,
  firstPauseMs,
  isRetryablePoll,
  nextPauseMs,
} from './poll-rules.ts'
import { type OnJobEvent, startReporter } from './progress.ts'

/** A job to wait for. Times are milliseconds since the epoch. */
export type WatchedJob = {
  readonly id: string
  /** The job as the service has just shown it; `undefined` before the first poll of another run's job. */
  readonly job: Job | undefined
  /** When it was created, sent a message, or attached to. */
  readonly startedAtMs: number
  /** When the service first answered this run; `undefined` if it has not yet. */
  readonly firstAnswerAtMs: number | undefined
  /** Whether this run created it. */
  readonly created: boolean
  readonly isOver: CompletionRule
}

/** How to poll. */
export type PollOptions = Deps & {
  /** Gets the job, once. Its signal ends the request. */
  readonly getJob: (signal: AbortSignal) => Promise<Job>
  /** Fixed pause between polls in milliseconds; `undefined`: adaptive. */
  readonly pollIntervalMs: number | undefined
  /** Maximum wait from the service's first answer, in milliseconds. */
  readonly timeoutMs: number
  /** `false`: the first good poll is the last. */
  readonly wait: boolean
  readonly onEvent: OnJobEvent
}

/** How polling ended, and what the job was like at the last good poll. Its words are empty where the job says it all. */
export type PollEnd = FailureText & {
  readonly end: 'over' | 'submitted' | 'timed-out' | 'given-up' | 'cancelled'
  readonly job: Job | undefined
  readonly lastPollAtMs: number
}

/** How long polls may fail without a single good answer, in milliseconds. */
export const MAX_FAILING_MS = 600_000

/** How long the last poll may take past the deadline, in milliseconds. */
const LAST_POLL_MS = 5000

type State = {
  job: Job | undefined
  /** When the last good answer came. */
  seenAtMs: number
  lastPollAtMs: number
  firstAnswerAtMs: number | undefined
  /** How many polls were answered 429. */
  rateLimited: number
  /** Set while polls fail: the last error, how many failed in a row, and until when they may. */
  failing: { readonly error: Error; readonly count: number; readonly untilMs: number } | undefined
}

/**
 * Polls a job until it is over, the time is up, the run is cancelled, or polling makes no sense any more. At the
 * deadline comes a last poll, whatever the pause: it distinguishes a job that is over from one that goes on.
 */
export async function pollJob(watched: WatchedJob, options: PollOptions): Promise<PollEnd> {
  const { clock, cancel } = options
  const { id, startedAtMs } = watched
  const reporter = startReporter({ ...options, id, startedAtMs })
  const state: State = {
    job: watched.job,
    seenAtMs: startedAtMs,
    lastPollAtMs: startedAtMs,
    firstAnswerAtMs: watched.firstAnswerAtMs,
    rateLimited: 0,
    failing: undefined,
  }
  const endAs = (end: PollEnd['end'], text: FailureText = NO_TEXT): PollEnd => {
    const { headline, details } = text
    return { end, job: state.job, lastPollAtMs: state.lastPollAtMs, headline, details }
  }
  if (watched.job !== undefined) reporter.seen(watched.job)
  let pauseMs = watched.job === undefined ? 0 : firstPauseMs(options)
  try {
    for (;;) {
      if (state.job !== undefined) {
        if (watched.isOver(state.job, state.seenAtMs)) return endAs('over')
        if (!options.wait) return endAs('submitted')
      }
      const limit = limitOf(state, watched, options)
      if (state.lastPollAtMs >= limit.atMs) return endAs(limit.end, limit.text)
      const sleepMs = Math.max(0, Math.min(pauseMs, limit.atMs - clock.now()))
      if (state.failing !== undefined) reporter.failed(state.failing.error, sleepMs)
      await clock.sleep(sleepMs, cancel).catch(() => undefined)

      const polled = cancel.aborted ? undefined : await pollOnce(options, limit.atMs + LAST_POLL_MS)
      state.lastPollAtMs = clock.now()
      if (polled instanceof Error) {
        const sinceCreateMs = watched.created ? clock.now() - startedAtMs : undefined
        if (!isRetryablePoll(polled, sinceCreateMs)) return endAs('given-up', describeFailure(polled))
        recordFailure(state, polled)
      } else if (polled !== undefined) {
        reporter.seen(polled)
        recordJob(state, polled)
      }
      if (cancel.aborted) return endAs('cancelled')
      pauseMs = pauseAfter(state, watched, options)
    }
  } finally {
    reporter.stop()
  }
}

const NO_TEXT: FailureText = { headline: '', details: '' }

/** Polls once, until a time; `undefined` if that time or a cancel came first. */
async function pollOnce(options: PollOptions, untilMs: number): Promise<Job | Error | undefined> {
  const { clock, cancel, getJob } = options
  const done = new AbortController()
  const deadline = clock.timeout(Math.max(0, untilMs - clock.now()), done.signal)
  const signal = AbortSignal.any([cancel, deadline])
  try {
    return await getJob(signal)
  } catch (error) {
    if (signal.aborted) return undefined
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    done.abort()
  }
}

function recordJob(state: State, job: Job): void {
  state.job = job
  state.seenAtMs = state.lastPollAtMs
  state.firstAnswerAtMs ??= state.lastPollAtMs
  state.failing = undefined
}

function recordFailure(state: State, error: Error): void {
  const { failing, lastPollAtMs } = state
  const untilMs = failing?.untilMs ?? lastPollAtMs + MAX_FAILING_MS
  // A `Retry-After` of the service is not counted.
  state.failing = { error, count: (failing?.count ?? 0) + 1, untilMs: untilMs + retryAfterMsOf(error) }
  if (!(error instanceof TransportError)) state.firstAnswerAtMs ??= lastPollAtMs
  if (isRateLimit(error)) state.rateLimited++
}

function pauseAfter({ rateLimited, failing }: State, watched: WatchedJob, options: PollOptions): number {
  const usualMs = nextPauseMs(options.clock.now() - watched.startedAtMs, rateLimited, options)
  if (failing === undefined) return usualMs
  const requestedMs = retryAfterMsOf(failing.error)
  if (requestedMs > 0) return requestedMs
  // A rate limit has doubled the usual pause already.
  return isRateLimit(failing.error) ? usualMs : failurePauseMs(usualMs, failing.count, options)
}

type Limit = { readonly atMs: number; readonly end: 'timed-out' | 'given-up'; readonly text: FailureText }

/** When polling ends at the latest, as things are, and how. */
function limitOf(
  { firstAnswerAtMs, failing }: State,
  { startedAtMs }: WatchedJob,
  options: PollOptions,
): Limit {
  const deadlineMs = (firstAnswerAtMs ?? startedAtMs) + options.timeoutMs
  const details = failing === undefined ? '' : `The last poll failed. ${failureSentences(failing.error)}`
  if (failing === undefined || deadlineMs <= failing.untilMs) {
    return { atMs: deadlineMs, end: 'timed-out', text: { headline: '', details } }
  }
  const headline = `No good answer from the docs service for ${formatDuration(MAX_FAILING_MS)}`
  return { atMs: failing.untilMs, end: 'given-up', text: { headline, details } }
}
