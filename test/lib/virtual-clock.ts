import type { Clock } from '../../src/lib/clock.ts'

type Alarm = { readonly atMs: number; readonly ring: () => void }

/** A clock that stands still until somebody sleeps, and then jumps. */
export class VirtualClock implements Clock {
  #nowMs: number
  #alarms: Alarm[] = []

  constructor(startMs = Date.UTC(2026, 0, 5)) {
    this.#nowMs = startMs
  }

  now(): number {
    return this.#nowMs
  }

  /** Jumps to the end of the sleep, ringing what is due on the way. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    const untilMs = this.#nowMs + ms
    while (this.#ringNext(untilMs)) signal?.throwIfAborted()
    this.#nowMs = untilMs
    await Promise.resolve()
  }

  timeout(ms: number): AbortSignal {
    const controller = new AbortController()
    this.at(this.#nowMs + ms, () => controller.abort(new DOMException('The time is up', 'TimeoutError')))
    return controller.signal
  }

  /** Rings at a time, milliseconds since the epoch. */
  at(atMs: number, ring: () => void): void {
    this.#alarms.push({ atMs, ring })
  }

  /** Jumps to the next alarm: for when something outside of this clock, such as a socket, keeps everybody waiting. */
  jump(): void {
    this.#ringNext(Number.POSITIVE_INFINITY)
  }

  #ringNext(untilMs: number): boolean {
    const next = this.#alarms.toSorted((a, b) => a.atMs - b.atMs)[0]
    if (next === undefined || next.atMs > untilMs) return false
    this.#alarms = this.#alarms.filter((alarm) => alarm !== next)
    this.#nowMs = Math.max(this.#nowMs, next.atMs)
    next.ring()
    return true
  }
}
