import { errorReply, type Reply } from '../http.ts'

const HOUR_MS = 3_600_000

/** Counts what was accepted in the last sixty minutes, so that no hour holds more than `maximum`. */
export class HourlyLimit {
  readonly #maximum: number
  #timesMs: number[] = []

  constructor(maximum: number) {
    this.#maximum = maximum
  }

  /** Takes one of the hour's places: 0 if there was one, else the milliseconds until one is free. */
  take(nowMs: number): number {
    if (this.#maximum === Number.POSITIVE_INFINITY) return 0
    this.#timesMs = this.#timesMs.filter((timeMs) => timeMs > nowMs - HOUR_MS)
    const oldestMs = this.#timesMs[0]
    if (this.#timesMs.length < this.#maximum) {
      this.#timesMs.push(nowMs)
      return 0
    }
    return oldestMs === undefined ? HOUR_MS : oldestMs + HOUR_MS - nowMs
  }
}

/** The 429 of a limit, with `Retry-After` in whole seconds if the service is set to send it. */
export function limitReply(what: string, waitMs: number, retryAfter: boolean): Reply {
  const seconds = Math.ceil(waitMs / 1000)
  const reply = errorReply(429, `Rate limit exceeded: ${what}`)
  if (retryAfter) reply.headers['retry-after'] = String(seconds)
  return reply
}
