import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../src/lib/clock.ts'

type Alarm = { readonly atMs: number; readonly ring: () => void }

/** A clock for several runs side by side: it stands still while anybody works, and jumps when all of them sleep. */
export class SimulatedClock implements Clock {
  #nowMs = Date.UTC(2026, 7, 3, 12)
  #working = 0
  readonly #alarms = new Set<Alarm>()

  now(): number {
    return this.#nowMs
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#alarms.delete(alarm)
        reject(signal?.reason)
      }
      const ring = (): void => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }
      const alarm = this.#add(ms, ring)
      if (signal?.aborted) stop()
      else signal?.addEventListener('abort', stop, { once: true })
    })
  }

  timeout(ms: number, until?: AbortSignal): AbortSignal {
    const limit = new AbortController()
    const alarm = this.#add(ms, () => limit.abort(new DOMException('the time is up', 'TimeoutError')))
    until?.addEventListener('abort', () => this.#alarms.delete(alarm), { once: true })
    return limit.signal
  }

  /** Does something after so many milliseconds. */
  after(ms: number, ring: () => void): void {
    this.#add(ms, ring)
  }

  /** Does real work, such as a request: no time passes meanwhile. */
  async work<T>(work: () => Promise<T>): Promise<T> {
    this.#working++
    try {
      return await work()
    } finally {
      this.#working--
    }
  }

  /** Sleeps in the middle of such work: time may pass. */
  async pause(ms: number, signal?: AbortSignal): Promise<void> {
    this.#working--
    try {
      await this.sleep(ms, signal)
    } finally {
      this.#working++
    }
  }

  /** Lets time pass until something is done. */
  async runUntil<T>(done: Promise<T>): Promise<T> {
    let isDone = false
    const stop = (): void => {
      isDone = true
    }
    done.then(stop, stop)
    while (!isDone) {
      await nextTurn()
      if (this.#working === 0 && !isDone) this.#jump()
    }
    return await done
  }

  #add(ms: number, ring: () => void): Alarm {
    const alarm = { atMs: this.#nowMs + ms, ring }
    this.#alarms.add(alarm)
    return alarm
  }

  #jump(): void {
    let next: Alarm | undefined
    for (const alarm of this.#alarms) if (next === undefined || alarm.atMs < next.atMs) next = alarm
    if (next === undefined) return
    this.#alarms.delete(next)
    this.#nowMs = Math.max(this.#nowMs, next.atMs)
    next.ring()
  }
}
