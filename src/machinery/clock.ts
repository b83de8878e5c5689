import { setTimeout as delay } from 'node:timers/promises'

/** Time as the rest of the code sees it; tests hand in one that they drive themselves. */
export type Clock = {
  /** Milliseconds since the Unix epoch; never runs backwards. */
  now(): number
  /** Waits `ms` milliseconds. Rejects with an `AbortError` as soon as `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A signal that is aborted after `ms` milliseconds and does not keep the process alive. */
  timeout(ms: number): AbortSignal
}

/** The machine's clock: the only place that reads it. Monotonic, so that a corrected system time ends no wait. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
  timeout: (ms) => AbortSignal.timeout(Math.ceil(ms)),
}
