import { type Deps, startHeartbeat } from './clock.ts'
import { formatDuration } from './duration.ts'

/** How pauses between attempts grow. */
type Backoff = {
  /** Pause after the first failure, in milliseconds. */
  readonly baseMs: number
  /** No pause is longer than this (before jitter), in milliseconds. */
  readonly maxMs: number
}

/** When to try again. */
type RetryPolicy = {
  readonly backoff: Backoff
  readonly maxAttempts: number
  /** Whether a failure may be gone with the next attempt, and may be tried again at all. */
  isRetryable(error: unknown): boolean
  /** How long the server asked to wait, in milliseconds; `undefined` if it did not say. */
  retryAfterMs(error: unknown): number | undefined
  /** Nothing is tried after this time, in milliseconds since the epoch. It may depend on the failure. */
  deadlineMs(error: unknown): number
  /** Called before each pause, and once a minute while it lasts, with the milliseconds that are left of it. */
  onRetry(error: unknown, pauseMs: number): void
}

/** Why nothing was tried again. The failure itself is the `cause`. */
export class RetryError extends Error {
  override readonly name = 'RetryError'
  /** `final`: the failure is one that is never tried again. */
  readonly reason: 'final' | 'attempts' | 'deadline' | 'cancelled'

  constructor(reason: RetryError['reason'], cause: unknown) {
    super(`not tried again (${reason})`, { cause })
    this.reason = reason
  }
}

/**
 * Attempts something until it succeeds, with growing pauses or those that the server asks for. A pause of our own is
 * cut at the deadline, for a last attempt; one that the server asks for is kept or, where it reaches past the deadline,
 * ends the attempts.
 *
 * @throws {RetryError} with the last failure as its cause
 */
export async function retry<T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  { clock, random, cancel }: Deps,
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
      const untilMs = clock.now() + pauseMs
      policy.onRetry(error, pauseMs)
      const heartbeat = startHeartbeat(clock, () => {
        const restMs = untilMs - clock.now()
        if (restMs >= 1000) policy.onRetry(error, restMs)
      })
      await clock.sleep(pauseMs, cancel).catch(() => undefined)
      heartbeat.stop()
      if (cancel.aborted) throw new RetryError('cancelled', error)
    }
  }
}

/**
 * The pause after the `failures`th failure in a row: the base, doubled each time, with jitter of ±10 %.
 *
 * @param random uniform in [0, 1)
 * @returns milliseconds
 */
export function backoffMs(failures: number, backoff: Backoff, random: () => number): number {
  return jitter(Math.min(backoff.maxMs, backoff.baseMs * 2 ** (failures - 1)), random)
}

/** Spreads a pause by ±10 %, so that runs that started together do not send together. */
export function jitter(ms: number, random: () => number): number {
  return ms * (0.9 + 0.2 * random())
}

/** Maximum wait that `Retry-After` is understood to ask for: what is longer reaches past every limit anyway. */
const MAX_RETRY_AFTER_MS = 366 * 24 * 3_600_000

/**
 * Reads a `Retry-After` header (RFC 9110, 10.2.3): whole seconds or an HTTP date.
 *
 * @param nowMs milliseconds since the epoch that a date is measured from
 * @returns milliseconds to wait, at most a year, 0 for a date in the past; `undefined` if the header is missing or says
 * neither
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const value = header?.trim() ?? ''
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, MAX_RETRY_AFTER_MS)
  if (!/^[A-Za-z]{3}/.test(value)) return undefined
  const dateMs = Date.parse(value)
  return Number.isNaN(dateMs) ? undefined : Math.min(Math.max(0, dateMs - nowMs), MAX_RETRY_AFTER_MS)
}

/**
 * The one sentence about a `Retry-After` that reaches past a limit.
 *
 * @param limit what it reaches past: `` `timeout` ``
 */
export function retryAfterNote(retryAfterMs: number, limit: string): string {
  const wait = retryAfterMs >= MAX_RETRY_AFTER_MS ? 'a year or more' : formatDuration(retryAfterMs)
  return `The server asks to wait ${wait} before the next request, which is past ${limit}.`
}
