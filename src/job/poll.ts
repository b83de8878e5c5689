import type { Clock } from '../lib/clock.ts'
import { formatDuration } from '../lib/duration.ts'
import { firstSignal } from '../lib/first-signal.ts'
import { TransportError } from '../lib/transport-error.ts'
import type { Job } from '../service/job.ts'
import { inWords, retryAfterMsOf } from '../service/service-error.ts'
import type { Belief } from './completion.ts'
import { isRateLimit, isRetryable } from './look-failure.ts'
import { failurePauseMs, firstPauseMs, nextPauseMs, type Pace } from './pace.ts'
import { type TellingOptions, tellOf } from './reporter.ts'

/** A job to wait for. Times are milliseconds since the epoch. */
export type Awaited = {
  /** The job as the create or the message was answered; `undefined` before the first look at another's job. */
  readonly job: Job | undefined
  /** When it was created, told something, or attached to. */
  readonly startedAtMs: number
  /** When the service first answered this run; `undefined` if it has not yet. */
  readonly firstAnswerAtMs: number | undefined
  /** Whether this run created it. */
  readonly created: boolean
  readonly belief: Belief
}

/** What a wait needs from outside. */
export type WaitOptions = TellingOptions & {
  readonly look: (signal: AbortSignal) => Promise<Job>
  readonly pace: Pace
  /** Longest wait from the service's first answer, in milliseconds. */
  readonly timeoutMs: number
  /** `false`: the first good look ends the wait. */
  readonly untilOver: boolean
}

/** How a wait ended, and what the job was like at the last good look. */
export type WaitEnd = {
  readonly end: 'over' | 'submitted' | 'timed-out' | 'given-up' | 'cancelled'
  readonly job: Job | undefined
  readonly lastLookAtMs: number
  /** Why, where the job does not say it, as sentences. */
  readonly reason: string
}

/** How long looks may fail without a single good answer, in milliseconds. */
export const MAX_FAILING_MS = 600_000

type State = {
  readonly job: Job | undefined
  readonly lastLookAtMs: number
  readonly firstAnswerAtMs: number | undefined
  readonly rateLimited: number
  /** Failed looks in a row. */
  readonly failures: number
  /** When the first of them failed. */
  readonly failingSinceMs: number
  readonly lastError: Error | undefined
}

/** Looks at a job until it is over, the time is up, the run is cancelled, or looking makes no sense any more. */
export async function pollJob(awaited: Awaited, options: WaitOptions): Promise<WaitEnd> {
  const { clock, cancel } = options
  const telling = tellOf(awaited.startedAtMs, options)
  let state: State = {
    ...awaited,
    lastLookAtMs: awaited.startedAtMs,
    rateLimited: 0,
    failures: 0,
    failingSinceMs: awaited.startedAtMs,
    lastError: undefined,
  }
  if (awaited.job !== undefined) telling.seen(awaited.job)
  let pauseMs = awaited.job === undefined ? 0 : firstPauseMs(options.pace)
  let failed: Error | undefined
  for (;;) {
    const { job, lastLookAtMs } = state
    if (job !== undefined && state.failures === 0) {
      if (awaited.belief.isOver(job, lastLookAtMs)) return { end: 'over', job, lastLookAtMs, reason: '' }
      if (!options.untilOver) return { end: 'submitted', job, lastLookAtMs, reason: '' }
    }
    const limit = limitOf(state, awaited, options)
    const nextLookAtMs = clock.now() + pauseMs
    // What the service wants to be asked only after the end need not be waited for.
    if (retryAfterMsOf(state.lastError) > 0 && nextLookAtMs >= limit.atMs) return limit.end
    if (failed !== undefined) options.onEvent({ type: 'poll-failed', error: failed, retryInMs: pauseMs })
    failed = undefined
    await telling.pauseUntil(Math.min(nextLookAtMs, limit.atMs))
    if (!cancel.aborted && clock.now() >= limit.atMs) return limit.end

    const seen = cancel.aborted ? undefined : await lookOnce(options, limit.atMs)
    if (cancel.aborted) return { end: 'cancelled', job, lastLookAtMs, reason: '' }
    if (seen === undefined) continue
    if (seen instanceof Error) {
      const sinceCreateMs = awaited.created ? clock.now() - awaited.startedAtMs : undefined
      if (!isRetryable(seen, sinceCreateMs))
        return { end: 'given-up', job, lastLookAtMs, reason: inWords(seen) }
      state = afterFailure(state, seen, clock)
    } else {
      telling.seen(seen)
      state = afterLook(state, seen, clock)
    }
    pauseMs = pauseAfter(state, awaited, options)
    failed = seen instanceof Error ? seen : undefined
  }
}

/** Looks once, until a time; `undefined` if that time or a cancel came first. */
async function lookOnce(options: WaitOptions, untilMs: number): Promise<Job | Error | undefined> {
  const { clock, cancel, look } = options
  const over = new AbortController()
  const deadline = clock.timeout(Math.max(0, untilMs - clock.now()), over.signal)
  const { signal, release } = firstSignal([cancel, deadline])
  try {
    return await look(signal)
  } catch (error) {
    if (signal.aborted) return undefined
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    release()
    over.abort()
  }
}

function afterLook(state: State, job: Job, clock: Clock): State {
  const nowMs = clock.now()
  const firstAnswerAtMs = state.firstAnswerAtMs ?? nowMs
  return { ...state, job, lastLookAtMs: nowMs, firstAnswerAtMs, failures: 0, lastError: undefined }
}

function afterFailure(state: State, lastError: Error, clock: Clock): State {
  const nowMs = clock.now()
  const answered = !(lastError instanceof TransportError)
  return {
    ...state,
    lastError,
    lastLookAtMs: nowMs,
    firstAnswerAtMs: state.firstAnswerAtMs ?? (answered ? nowMs : undefined),
    failures: state.failures + 1,
    failingSinceMs: state.failures === 0 ? nowMs : state.failingSinceMs,
    rateLimited: state.rateLimited + (isRateLimit(lastError) ? 1 : 0),
  }
}

function pauseAfter(state: State, awaited: Awaited, { clock, pace }: WaitOptions): number {
  const usualMs = nextPauseMs(clock.now() - awaited.startedAtMs, state.rateLimited, pace)
  if (state.failures === 0) return usualMs
  const askedMs = retryAfterMsOf(state.lastError)
  return askedMs > 0 ? askedMs : failurePauseMs(usualMs, state.failures, pace.random)
}

function farOff(error: Error): string {
  const askedMs = retryAfterMsOf(error)
  return askedMs > 0 ? ` It wants to be asked again only in ${formatDuration(askedMs)}.` : ''
}

type Limit = { readonly atMs: number; readonly end: WaitEnd }

function limitOf(state: State, awaited: Awaited, options: WaitOptions): Limit {
  const { job, lastLookAtMs, lastError } = state
  const deadlineAtMs = (state.firstAnswerAtMs ?? awaited.startedAtMs) + options.timeoutMs
  const giveUpAtMs = state.failures === 0 ? Infinity : state.failingSinceMs + MAX_FAILING_MS
  const last =
    lastError === undefined ? '' : `The last look failed: ${inWords(lastError)}${farOff(lastError)}`
  if (deadlineAtMs <= giveUpAtMs) {
    return { atMs: deadlineAtMs, end: { end: 'timed-out', job, lastLookAtMs, reason: last } }
  }
  const reason = `A wait ends after ${formatDuration(MAX_FAILING_MS)} without a good answer. ${last}`
  return { atMs: giveUpAtMs, end: { end: 'given-up', job, lastLookAtMs, reason } }
}
