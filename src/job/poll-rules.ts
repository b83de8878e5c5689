import { backoffMs } from '../lib/retry.ts'
import { isTerminal, type Job } from '../service/job.ts'
import { isRetryable, ServiceError } from '../service/service-error.ts'

/** What the pauses between polls depend on. */
type Pace = {
  /** Fixed pause between polls in milliseconds; `undefined`: adaptive. */
  readonly pollIntervalMs: number | undefined
  /** Uniform in [0, 1). */
  readonly random: () => number
}

const MIN_PAUSE_MS = 5000
const MAX_PAUSE_MS = 15_000
/** Pauses are this share of the time since the job's creation. */
const PAUSE_SHARE = 0.02
/** Pauses are made longer by up to this share, so that runs that started together do not poll together. */
const MAX_JITTER = 0.2
/** Pauses that grow because of 429 end here: the end of the job is to be seen all the same. */
const MAX_DOUBLED_MS = 60_000
/** Pauses that grow because polls fail end here. */
const MAX_FAILURE_PAUSE_MS = 30_000

/**
 * The pause before the first poll of a job that was just created, sent a message, or seen.
 *
 * @returns milliseconds
 */
export function firstPauseMs({ pollIntervalMs }: Pace): number {
  return pollIntervalMs ?? MIN_PAUSE_MS
}

/**
 * The pause before a further poll.
 *
 * @param ageMs time since the job's creation (or attach) by our own clock
 * @param rateLimited how many polls were answered 429: each doubles the pause, a fixed one too
 * @returns milliseconds
 */
export function nextPauseMs(ageMs: number, rateLimited: number, { pollIntervalMs, random }: Pace): number {
  const adaptiveMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, ageMs * PAUSE_SHARE))
  const pauseMs = pollIntervalMs ?? adaptiveMs * (1 + MAX_JITTER * random())
  return Math.min(pauseMs * 2 ** rateLimited, Math.max(pauseMs, MAX_DOUBLED_MS))
}

/**
 * The pause after a poll that failed, unless the service sent a `Retry-After`: the usual one, growing.
 *
 * @param failures how many polls have failed in a row
 * @returns milliseconds
 */
export function failurePauseMs(usualMs: number, failures: number, { random }: Pace): number {
  return backoffMs(failures, { baseMs: usualMs, maxMs: Math.max(usualMs, MAX_FAILURE_PAUSE_MS) }, random)
}

/** How long after its creation a job may still be unknown to the service, in milliseconds. */
const EARLY_MS = 60_000

/**
 * Whether polling goes on after a failed poll.
 *
 * @param sinceCreateMs time since the create; `undefined` for a job that this run did not create
 */
export function isRetryablePoll(error: Error, sinceCreateMs: number | undefined): boolean {
  const isEarly = sinceCreateMs !== undefined && sinceCreateMs <= EARLY_MS
  if (error instanceof ServiceError && error.status === 404) return isEarly
  return isRetryable(error)
}

/** Decides whether a job is over, from each response in turn and when it came (milliseconds since the epoch). */
export type CompletionRule = (job: Job, atMs: number) => boolean

/** For a job that nothing was sent to: a terminal status ends it. */
export function untilTerminal(job: Job): boolean {
  return isTerminal(job.status)
}

/** How long a terminal status must stay the same after a message before it counts, in milliseconds. */
const STABLE_MS = 30_000

/**
 * For a job that just got a message: the service may go on showing the status from before for a moment. A terminal
 * status counts once the job was active since the message, or once it has stayed the same for 30 s.
 */
export function afterMessage(): CompletionRule {
  let wasActive = false
  let status = ''
  let sinceMs = 0
  return (job, atMs) => {
    if (job.status !== status) [status, sinceMs] = [job.status, atMs]
    wasActive ||= !isTerminal(status)
    return isTerminal(status) && (wasActive || atMs - sinceMs >= STABLE_MS)
  }
}
