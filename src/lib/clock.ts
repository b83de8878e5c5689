import { setTimeout as delay } from 'node:timers/promises'

/** Time as the rest of the code sees it; tests hand in one that they drive themselves. */
export type Clock = {
  /** Milliseconds since the Unix epoch; never runs backwards. */
  now(): number
  /** Waits `ms` milliseconds. Rejects with an `AbortError` as soon as `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * A signal that is aborted after `ms` milliseconds and does not keep the process alive. Once `until` is aborted it
   * may be forgotten: it need not be aborted any more.
   */
  timeout(ms: number, until?: AbortSignal): AbortSignal
}

/** The machine's clock: the only place that reads it. Monotonic, so that a corrected system time ends no wait. */
export function openSystemClock(): Clock {
  const upMs = (): number => process.uptime() * 1000
  const startedAt = Date.now() - upMs()
  return {
    now: () => startedAt + upMs(),
    sleep: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
    timeout(ms, until) {
      const limit = new AbortController()
      const timer = setTimeout(
        () => limit.abort(new DOMException('the time is up', 'TimeoutError')),
        Math.ceil(ms),
      )
      until?.addEventListener('abort', () => clearTimeout(timer), { once: true })
      timer.unref()
      return limit.signal
    },
  }
}
