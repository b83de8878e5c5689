import { setTimeout as delay } from 'node:timers/promises'

/** Time as the rest of the code sees it; tests pass in one that they drive themselves. */
export type Clock = {
  /** Milliseconds since the Unix epoch; never runs backwards. */
  now(): number
  /** Waits `ms` milliseconds. Rejects with an `AbortError` as soon as `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A signal that is aborted after `ms` milliseconds. It keeps no process alive. */
  timeout(ms: number): AbortSignal
}

/** The machine's clock: the only place that reads it. Monotonic, so that a corrected system time ends no wait. */
export function createSystemClock(): Clock {
  return {
    now: () => performance.timeOrigin + performance.now(),
    sleep: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
    timeout: (ms) => AbortSignal.timeout(Math.ceil(ms)),
  }
}

/** What code needs that waits and tries again. */
export type Waiting = {
  readonly clock: Clock
  /** Uniform in [0, 1). */
  readonly random: () => number
  /** Aborted when the runner wants the run to end. */
  readonly cancel: AbortSignal
}

/** A signal that follows another one `ms` milliseconds later, so that a request in flight may still be answered. */
export function afterGrace(signal: AbortSignal, ms: number, clock: Clock): AbortSignal {
  const late = new AbortController()
  const follow = (): void => {
    clock.timeout(ms).addEventListener('abort', () => late.abort(signal.reason))
  }
  if (signal.aborted) follow()
  else signal.addEventListener('abort', follow, { once: true })
  return late.signal
}

const UNITS_MS = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const
const PATTERN = /^(?:(?<h>\d+)h)?(?:(?<m>\d+)m(?!s))?(?:(?<s>\d+)s)?(?:(?<ms>\d+)ms)?$/

/** No runner's job may take longer than a few days, and timers hold no more than 24. */
const MAX_MS = 24 * 24 * UNITS_MS.h

/**
 * Reads a duration such as `250ms`, `45s`, `30m` or `1h30m`.
 *
 * @returns milliseconds, above zero and at most 24 days
 * @throws {RangeError} with the problem in words, if the text is anything else
 */
export function parseDuration(text: string): number {
  if (/^0*[1-9]\d*$/.test(text))
    throw new RangeError(`has no unit: did you mean ${text}s or ${text}m?`)
  const parts = PATTERN.exec(text)?.groups
  if (text === '' || parts === undefined) throw new RangeError('is not a duration')
  let totalMs = 0
  for (const [unit, unitMs] of Object.entries(UNITS_MS))
    totalMs += Number(parts[unit] ?? 0) * unitMs
  if (totalMs === 0) throw new RangeError('must be longer than zero')
  if (totalMs > MAX_MS) throw new RangeError('is longer than 24 days')
  return totalMs
}

/** For people, with its two largest units: `850 ms`, `42 s`, `30 min`, `3 min 05 s`, `1 h 20 min`. */
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

/** How long a pull request has been open: `3 days`, `5 h`. */
export function formatAge(ms: number): string {
  const days = Math.floor(ms / 86_400_000)
  if (days > 0) return `${days} ${days === 1 ? 'day' : 'days'}`
  const hours = Math.floor(ms / 3_600_000)
  return hours > 0 ? `${hours} h` : `${Math.max(1, Math.floor(ms / 60_000))} min`
}
