import { errorReply, type Reply } from '../http/server.ts'

const HOUR_MS = 3_600_000

/** Counts what was accepted in the last sixty minutes. */
export class HourlyLimit {
  readonly #maximum: number
  readonly #what: string
  #timesMs: number[] = []

  constructor(maximum: number, what: string) {
    this.#maximum = maximum
    this.#what = what
  }

  /** Counts a request, or refuses it: 429, with `Retry-After` if the service is set to send it. */
  refuse(nowMs: number, retryAfter: boolean): Reply | undefined {
    this.#timesMs = this.#timesMs.filter((timeMs) => timeMs > nowMs - HOUR_MS)
    if (this.#timesMs.length < this.#maximum) {
      this.#timesMs.push(nowMs)
      return undefined
    }
    const seconds = Math.ceil(((this.#timesMs[0] ?? nowMs) + HOUR_MS - nowMs) / 1000)
    const reply = errorReply(429, `Rate limit exceeded: ${this.#maximum} ${this.#what} per hour`)
    return retryAfter
      ? { ...reply, headers: { ...reply.headers, 'retry-after': String(seconds) } }
      : reply
  }
}
