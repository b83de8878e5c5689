import type { Clock } from './clock.ts'

/** A log that says nothing for longer looks like a run that hangs, in milliseconds. */
const HEARTBEAT_MS = 60_000

/** Speaks up where nothing has been said for a minute. */
export type Heartbeat = {
  /** Tells that something has been said. */
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
