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

/** What code that waits and tries again needs from outside. */
export type Deps = {
  readonly clock: Clock
  /** Uniform in [0, 1). */
  readonly random: () => number
  /** Aborted when the runner wants the run to end. */
  readonly cancel: AbortSignal
}

/** A signal that follows another one `ms` milliseconds later: what is on its way when the first comes may still arrive. */
export function afterGrace(signal: AbortSignal, ms: number, clock: Clock): AbortSignal {
  const late = new AbortController()
  const follow = (): void => {
    const timeout = clock.timeout(ms)
    timeout.addEventListener('abort', () => late.abort(timeout.reason), { once: true })
  }
  if (signal.aborted) follow()
  else signal.addEventListener('abort', follow, { once: true })
  return late.signal
}

/** A log that says nothing for longer looks like a run that hangs, in milliseconds. */
const HEARTBEAT_MS = 60_000

/** Calls back after each minute without a `reset`. */
type Heartbeat = {
  /** Starts the minute again. */
  reset(): void
  stop(): void
}

/** Calls `onBeat` whenever a minute has passed since the last beat or reset, whatever else is being waited for. */
export function startHeartbeat(clock: Clock, onBeat: () => void): Heartbeat {
  let current = new AbortController()

  function reset(): void {
    current.abort()
    const own = new AbortController()
    current = own
    clock.timeout(HEARTBEAT_MS, own.signal).addEventListener('abort', () => {
      if (own.signal.aborted) return
      reset()
      onBeat()
    })
  }

  reset()
  return { reset, stop: () => current.abort() }
}
