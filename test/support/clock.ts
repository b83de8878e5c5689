import { AsyncResource } from 'node:async_hooks'
import type { Clock } from '../../src/lib/time.ts'

type Alarm = { readonly atMs: number; readonly ring: () => void }

/** Turns of the event loop before a jump: a request that is under way on this machine comes back in fewer. */
const TURNS = 10

/** A clock for tests: it stands still while anybody works, and jumps as soon as all who use it sleep. */
export class VirtualClock implements Clock {
  #nowMs: number
  #sleepers = 0
  #working = 0
  #isLooking = false
  readonly #alarms = new Set<Alarm>()

  constructor(startMs = Date.UTC(2026, 0, 5)) {
    this.#nowMs = startMs
  }

  now(): number {
    return this.#nowMs
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#sleepers++
    const alarm = this.at(this.#nowMs + ms, resolve)
    const stop = (): void => {
      this.#alarms.delete(alarm)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', stop, { once: true })
    await promise.finally(() => {
      this.#sleepers--
      signal?.removeEventListener('abort', stop)
    })
  }

  timeout(ms: number): AbortSignal {
    const limit = new AbortController()
    this.at(this.#nowMs + ms, () => limit.abort(new DOMException('The time is up', 'TimeoutError')))
    return limit.signal
  }

  /** Rings at a time, milliseconds since the epoch. */
  at(atMs: number, ring: () => void): Alarm {
    // As a timer of Node's, it rings in the context in which it was set.
    const alarm = { atMs, ring: AsyncResource.bind(ring) }
    this.#alarms.add(alarm)
    this.#look()
    return alarm
  }

  /** Does real work, such as a request: no time passes meanwhile. */
  async work<T>(work: () => Promise<T>): Promise<T> {
    this.#working++
    return await work().finally(() => {
      this.#working--
      this.#look()
    })
  }

  /** Sleeps in the middle of such work: time may pass. */
  async pause(ms: number): Promise<void> {
    this.#working--
    await this.sleep(ms).finally(() => this.#working++)
  }

  /** Jumps to the next alarm: for when something outside of this clock, such as a socket, keeps everybody waiting. */
  jump(): boolean {
    const [next] = [...this.#alarms].toSorted((one, other) => one.atMs - other.atMs)
    if (next === undefined || next.atMs === Number.POSITIVE_INFINITY) return false
    this.#alarms.delete(next)
    this.#nowMs = Math.max(this.#nowMs, next.atMs)
    next.ring()
    return true
  }

  /** Jumps once everything that can be done now is done, for as long as somebody sleeps and nobody works. */
  #look(turns = TURNS): void {
    if (this.#isLooking) return
    this.#isLooking = true
    setImmediate(() => {
      this.#isLooking = false
      if (turns > 1) this.#look(turns - 1)
      // Below zero while answers to runs that were killed wait: nobody takes part in those.
      else if (this.#sleepers > 0 && this.#working <= 0 && this.jump()) this.#look()
    })
  }
}
