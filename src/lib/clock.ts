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
