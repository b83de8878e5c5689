import type { Clock } from './clock.ts'

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
