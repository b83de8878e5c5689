import { backoffMs, jitter } from '../lib/retry.ts'

const SHORTEST_MS = 2000
const LONGEST_MS = 10_000
/** Doubling ends here: the end of the job is to be seen all the same. */
const LONGEST_DOUBLED_MS = 60_000
/** Pauses are this share of the time since creation. */
const SHARE = 0.02

/** When to look next. */
export type Pace = {
  /** Fixed pause between looks in milliseconds; `undefined`: adaptive. */
  readonly pollIntervalMs: number | undefined
  /** Uniform in [0, 1). */
  readonly random: () => number
}

/**
 * The pause before the first look at a job that has just been created or told something.
 *
 * @returns milliseconds
 */
export function firstPauseMs({ pollIntervalMs }: Pace): number {
  return pollIntervalMs ?? SHORTEST_MS
}

/**
 * The pause before a further look.
 *
 * @param ageMs time since the job's creation (or attach) by our own clock
 * @param rateLimited how many looks were answered 429: each doubles the pause
 * @returns milliseconds
 */
export function nextPauseMs(ageMs: number, rateLimited: number, { pollIntervalMs, random }: Pace): number {
  const adaptiveMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ageMs * SHARE))
  const pauseMs = pollIntervalMs ?? jitter(adaptiveMs, random)
  return Math.min(pauseMs * 2 ** rateLimited, Math.max(pauseMs, LONGEST_DOUBLED_MS))
}

/**
 * The pause after looks that failed in a row: the usual one, growing.
 *
 * @returns milliseconds
 */
export function failurePauseMs(usualMs: number, failures: number, random: () => number): number {
  return backoffMs(failures, { baseMs: usualMs, maxMs: Math.max(usualMs, LONGEST_MS) }, random)
}
