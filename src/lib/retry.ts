import type { Waiting } from './clock.ts'
import { formatDuration } from './duration.ts'

/** When to try again. Times are in milliseconds. */
export type RetryPolicy = {
  /** The pause after the first failure, and the longest one; it doubles from one failure to the next. */
  readonly backoff: { readonly baseMs: number; readonly maxMs: number }
  readonly maxAttempts: number
  /** Whether the next attempt may succeed, and may be made at all. */
  isRetryable(error: unknown): boolean
  /** How long the server asked to wait; `undefined` or 0 if it did not say. */
  retryAfterMs(error: unknown): number | undefined
  /** No attempt is made after this time, in milliseconds since the epoch. It may depend on the failure. */
  deadlineMs(error: unknown): number
  /** Called before each pause. */
  onRetry(error: unknown, pauseMs: number): void
}

/** Why nothing was tried again. The failure itself is the `cause`. */
export class RetryError extends Error {
  override readonly name = 'RetryError'
  /** `final`: it is one that is never retried. */
  readonly reason: 'final' | 'attempts' | 'deadline' | 'cancelled'

  constructor(reason: RetryError['reason'], cause: unknown) {
    super(`not retried (${reason})`, { cause })
    this.reason = reason
  }
}

/**
 * Attempts something until it succeeds. A pause of our own is cut at the deadline, for a last attempt; one that the
 * server asks for ends the attempts where it reaches past the deadline.
 *
 * @throws {RetryError} with the last failure as its cause
 */
export async function retry<T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  { clock, random, cancel }: Waiting,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      if (cancel.aborted) throw new RetryError('cancelled', error)
      if (!policy.isRetryable(error)) throw new RetryError('final', error)
      if (attempts >= policy.maxAttempts) throw new RetryError('attempts', error)
      const leftMs = policy.deadlineMs(error) - clock.now()
      const retryAfterMs = policy.retryAfterMs(error) ?? 0
      if (leftMs <= 0 || retryAfterMs >= leftMs) throw new RetryError('deadline', error)
      const pauseMs = retryAfterMs || Math.min(backoffMs(attempts, policy.backoff, random), leftMs)
      policy.onRetry(error, pauseMs)
      await clock.sleep(pauseMs, cancel).catch(() => undefined)
      if (cancel.aborted) throw new RetryError('cancelled', error)
    }
  }
}

/** The pause after the `failures`th failure in a row, in milliseconds: the base, doubled each time, ±10 %. */
export function backoffMs(
  failures: number,
  { baseMs, maxMs }: RetryPolicy['backoff'],
  random: () => number,
): number {
  return Math.min(maxMs, baseMs * 2 ** (failures - 1)) * (0.9 + 0.2 * random())
}

/** Longer waits are past every limit anyway. */
const MAX_RETRY_AFTER_MS = 366 * 24 * 3_600_000

/**
 * Reads a `Retry-After` header (RFC 9110, 10.2.3): whole seconds or an HTTP date.
 *
 * @param nowMs milliseconds since the epoch that a date is measured from
 * @returns milliseconds to wait, at most a year, 0 for a date in the past; `undefined` for anything else
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const value = header?.trim() ?? ''
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, MAX_RETRY_AFTER_MS)
  if (!/^[A-Za-z]{3}/.test(value)) return undefined
  const dateMs = Date.parse(value)
  return Number.isNaN(dateMs) ? undefined : Math.min(Math.max(0, dateMs - nowMs), MAX_RETRY_AFTER_MS)
}

/** The sentence about a `Retry-After` that reaches past a limit, such as `` `timeout` ``. */
export function retryAfterNote(retryAfterMs: number, limit: string): string {
  const wait = retryAfterMs >= MAX_RETRY_AFTER_MS ? 'a year or more' : formatDuration(retryAfterMs)
  return `The server asks to wait ${wait} before the next request, which is past ${limit}.`
}
