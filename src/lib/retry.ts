import { formatDuration, type Waiting } from './time.ts'

/** When to try again. Times are in milliseconds. */
export type RetryPolicy = {
  /** The pause after the first failure, and the longest one: it doubles from one failure to the next, and varies by 10 %. */
  readonly backoff: { readonly baseMs: number; readonly maxMs: number }
  readonly maxAttempts: number
  /** Whether the next attempt may succeed, and may be made at all. */
  isRetryable(error: unknown): boolean
  /** How long the server asked to wait; `undefined` if it did not say. */
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
      const retryAfterMs = policy.retryAfterMs(error)
      if (leftMs <= (retryAfterMs ?? 0)) throw new RetryError('deadline', error)
      const { baseMs, maxMs } = policy.backoff
      const backoffMs = Math.min(maxMs, baseMs * 2 ** (attempts - 1)) * (0.9 + 0.2 * random())
      const pauseMs = retryAfterMs || Math.min(backoffMs, leftMs)
      policy.onRetry(error, pauseMs)
      await clock.sleep(pauseMs, cancel).catch(() => undefined)
      if (cancel.aborted) throw new RetryError('cancelled', error)
    }
  }
}

/** Past every limit; a number of any length may be sent. */
const MAX_RETRY_AFTER_MS = 366 * 24 * 3_600_000

/**
 * Reads a `Retry-After` header (RFC 9110, 10.2.3): whole seconds or an HTTP date.
 *
 * @param nowMs milliseconds since the epoch that a date is measured from
 * @returns milliseconds to wait, 0 for a date in the past; `undefined` if the header says nothing
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const value = header?.trim() ?? ''
  const dateMs = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : Number.NaN
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Math.max(0, dateMs - nowMs)
  return Number.isNaN(ms) ? undefined : Math.min(ms, MAX_RETRY_AFTER_MS)
}

/** The sentence about a `Retry-After` that reaches past a limit, such as `` `timeout` ``. */
export function retryAfterNote(retryAfterMs: number, limit: string): string {
  const wait = formatDuration(retryAfterMs)
  return `The server asks to wait ${wait} before the next request, which is past ${limit}.`
}
