import type { Clock } from '../lib/clock.ts'
import { isKnownStatus, type Job } from '../service/job.ts'
import type { OnJobEvent } from './progress.ts'

/** Tells what is seen of a job: each change once, each oddity once, and a sign of life every minute. */
export type Telling = {
  seen(job: Job): void
  /** Sleeps until a time (milliseconds since the epoch), or until the run is cancelled. */
  pauseUntil(atMs: number): Promise<void>
}

/** What telling needs from outside. */
export type TellingOptions = {
  readonly clock: Clock
  readonly cancel: AbortSignal
  readonly onEvent: OnJobEvent
}

const SIGN_OF_LIFE_MS = 60_000

/** Begins to tell of one job. */
export function tellOf(startedAtMs: number, { clock, cancel, onEvent }: TellingOptions): Telling {
  const warned = new Set<string>()
  let status: string | undefined
  let saidAtMs = clock.now()

  function once(key: string, tell: () => void): void {
    if (!warned.has(key)) tell()
    warned.add(key)
  }

  function seen(job: Job): void {
    if (job.status !== status) {
      status = job.status
      saidAtMs = clock.now()
      onEvent({ type: 'status', id: job.id, status, elapsedMs: saidAtMs - startedAtMs })
    }
    if (!isKnownStatus(job.status)) {
      once(`status ${job.status}`, () => onEvent({ type: 'unknown-status', status: job.status }))
    }
    for (const field of job.invalidFields)
      once(`field ${field}`, () => onEvent({ type: 'invalid-field', field }))
  }

  async function pauseUntil(atMs: number): Promise<void> {
    while (!cancel.aborted && clock.now() < atMs) {
      const wakeAtMs = Math.min(atMs, saidAtMs + SIGN_OF_LIFE_MS)
      await clock.sleep(Math.max(0, wakeAtMs - clock.now()), cancel).catch(() => undefined)
      signOfLife()
    }
  }

  function signOfLife(): void {
    const nowMs = clock.now()
    if (cancel.aborted || nowMs < saidAtMs + SIGN_OF_LIFE_MS) return
    saidAtMs = nowMs
    onEvent({ type: 'still-waiting', status, elapsedMs: nowMs - startedAtMs })
  }

  return { seen, pauseUntil }
}
