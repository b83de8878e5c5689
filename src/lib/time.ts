import { setTimeout as delay } from 'node:timers/promises'
import { countOf } from './text.ts'

/** The source of time. Tests have one that they drive themselves. */
export type Clock = {
  /** Milliseconds since the Unix epoch; never runs backwards. */
  now(): number
  /** Waits `ms` milliseconds. Rejects with an `AbortError` as soon as `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A signal that is aborted after `ms` milliseconds. It keeps no process alive. */
  timeout(ms: number): AbortSignal
}

/** Reads the machine's clock, as the only place. It is monotonic, so that a corrected system time ends no wait. */
export function createSystemClock(): Clock {
  return {
    now: () => performance.timeOrigin + performance.now(),
    sleep: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
    timeout: (ms) => AbortSignal.timeout(Math.ceil(ms)),
  }
}

/** What code that waits and retries needs. */
export type Waiting = {
  readonly clock: Clock
  /** Uniform in [0, 1). */
  readonly random: () => number
  /** Aborted when the runner wants the run to end. */
  readonly cancel: AbortSignal
}

/** Makes a signal that follows another one after `ms` milliseconds, so that a request in flight can still be answered. */
export function afterGrace(signal: AbortSignal, ms: number, clock: Clock): AbortSignal {
  const late = new AbortController()
  const follow = (): void => {
    clock.timeout(ms).addEventListener('abort', () => late.abort(signal.reason))
  }
  if (signal.aborted) follow()
  else signal.addEventListener('abort', follow, { once: true })
  return late.signal
}

/** A UTC day in milliseconds. */
export const DAY_MS = 86_400_000
const UNITS_MS = { d: DAY_MS, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const
const DURATION_PATTERN =
  /^(?:(?<d>\d+)d)?(?:(?<h>\d+)h)?(?:(?<m>\d+)m(?!s))?(?:(?<s>\d+)s)?(?:(?<ms>\d+)ms)?$/

/** A timer can't wait longer than 24 days. */
const MAX_TIMER_MS = 24 * DAY_MS

/**
 * Reads a duration such as `250ms`, `45s`, `1h30m`, or `14d`.
 *
 * @returns milliseconds, above zero
 * @throws {RangeError} if the text isn't one, with the problem, to follow the text
 */
export function parseDuration(text: string, maxMs = MAX_TIMER_MS): number {
  const parts = DURATION_PATTERN.exec(text)?.groups
  if (text === '' || parts === undefined) throw new RangeError("isn't a duration")
  let totalMs = 0
  for (const [unit, unitMs] of Object.entries(UNITS_MS))
    totalMs += Number(parts[unit] ?? 0) * unitMs
  if (totalMs === 0) throw new RangeError("isn't longer than zero")
  if (totalMs > maxMs) throw new RangeError(`is longer than ${maxMs / DAY_MS} days`)
  return totalMs
}

/** Writes a duration with its two largest units: `850 ms`, `42 s`, `30 min`, `3 min 05 s`, `1 h 20 min`. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`
  const seconds = Math.floor(Math.round(ms) / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return twoUnits(minutes, 'min', seconds % 60, 's')
  return twoUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = small === 0 ? '' : ` ${String(small).padStart(2, '0')} ${smallUnit}`
  return `${large} ${largeUnit}${rest}`
}

/** Writes how long a pull request has been open: `3 days`, `5 h`. */
export function formatAge(ms: number): string {
  const days = Math.floor(ms / DAY_MS)
  if (days > 0) return countOf(days, 'day')
  const hours = Math.floor(ms / UNITS_MS.h)
  return hours > 0 ? `${hours} h` : `${Math.max(1, Math.floor(ms / 60_000))} min`
}

/** The pause doubles with each failure, up to the longest one, and varies by 10%. */
const FIRST_BACKOFF_MS = 1000
const MAX_BACKOFF_MS = 30_000

/** When to try again. Times are in milliseconds; `deadlineMs` is since the epoch. */
type RetryPolicy = {
  readonly maxAttempts?: number
  /** Whether another attempt is allowed and may succeed. */
  isRetryable(error: unknown): boolean
  /** How long the server asked to wait, if it did. */
  retryAfterMs(error: unknown): number | undefined
  /** Replaces the pause that doubles, if it returns one. */
  pauseMs?(error: unknown): number | undefined
  /** No attempt is made after this time. It may depend on the failure. */
  deadlineMs(error: unknown): number
  /** Called before each pause. */
  onRetry(error: unknown, pauseMs: number): void
}

/** Why the action stopped trying. The failure itself is the `cause`. */
export class RetryError extends Error {
  override readonly name = 'RetryError'
  /** `final`: a failure of this kind is never retried. */
  readonly reason: 'final' | 'attempts' | 'deadline' | 'cancelled'

  constructor(reason: RetryError['reason'], cause: unknown) {
    super(`not retried (${reason})`, { cause })
    this.reason = reason
  }
}

/**
 * Attempts something until it succeeds. The action's own pause is cut at the deadline, for a last attempt. A pause that
 * the server asks for and that ends after the deadline ends the attempts.
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
      if (attempts >= (policy.maxAttempts ?? Infinity)) throw new RetryError('attempts', error)
      const leftMs = policy.deadlineMs(error) - clock.now()
      const retryAfterMs = policy.retryAfterMs(error)
      if (leftMs <= (retryAfterMs ?? 0)) throw new RetryError('deadline', error)
      const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempts - 1))
      const variedMs = policy.pauseMs?.(error) ?? backoffMs * (0.9 + 0.2 * random())
      const pauseMs = retryAfterMs || Math.min(variedMs, leftMs)
      policy.onRetry(error, pauseMs)
      await clock.sleep(pauseMs, cancel).catch(() => undefined)
      if (cancel.aborted) throw new RetryError('cancelled', error)
    }
  }
}

/** Longer than every limit, because a server may send a number of any length. */
const MAX_RETRY_AFTER_MS = 366 * DAY_MS

/**
 * Reads a `Retry-After` header (RFC 9110, 10.2.3): whole seconds or an HTTP date.
 *
 * @returns milliseconds to wait, 0 for a date in the past; `undefined` if the header can't be read
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const value = header?.trim() ?? ''
  const dateMs = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : Number.NaN
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Math.max(0, dateMs - nowMs)
  return Number.isNaN(ms) ? undefined : Math.min(ms, MAX_RETRY_AFTER_MS)
}
