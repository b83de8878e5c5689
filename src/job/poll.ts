import { backoffMs } from '../lib/retry.ts'
import { formatDuration } from '../lib/time.ts'
import type { Run } from '../runner/run.ts'
import type { DocsService } from '../service/client.ts'
import {
  describeFailure,
  failureSentences,
  isRateLimit,
  isRetryable,
  retryAfterMsOf,
  ServiceError,
  serviceWord,
} from '../service/errors.ts'
import { getJob, isTerminal, type Job } from '../service/job.ts'

/** A job to wait for. Times are milliseconds since the epoch. */
export type Watch = {
  readonly id: string
  /** The job as the service has just shown it; `undefined` before the first look at another run's job. */
  readonly job: Job | undefined
  /** What this run did to it. */
  readonly origin: 'created' | 'messaged' | 'attached'
  /** When it was created, sent a message, or attached to. */
  readonly startedAtMs: number
  readonly deadlineMs: number
}

/** How polling ended, and what the job was like at the last look that succeeded. */
export type PollEnd = {
  /** `running`: nobody wants to wait; `refused`: looking again makes no sense. */
  readonly end: 'finished' | 'running' | 'timed-out' | 'refused' | 'cancelled'
  readonly job: Job | undefined
  readonly lastLookAtMs: number
  /** Why the last look failed; `undefined` if it did not. */
  readonly error: unknown
}

const MIN_PAUSE_MS = 5000
const MAX_PAUSE_MS = 15_000
/** Pauses are this share of the time since the job's creation. */
const PAUSE_SHARE = 0.02
/** Pauses are longer by up to this share, so that runs that started together do not look together. */
const MAX_JITTER = 0.2
/** The pause after a 429 that does not say how long to wait. */
const RATE_LIMIT_PAUSE_MS = 60_000
/** Pauses that grow because looks fail end here. */
const MAX_FAILURE_PAUSE_MS = 30_000
/** How long the last look may take past the deadline. */
const LAST_LOOK_MS = 5000
/** How long after its creation a job may still be unknown to the service. */
export const EARLY_MS = 60_000
/** How long a terminal status must stay the same after a message before it counts. */
const STABLE_MS = 30_000
/** A log that says nothing for longer looks like a run that hangs. */
const HEARTBEAT_MS = 60_000

/**
 * Looks at a job until it is finished, the time is up, the run is cancelled, or looking makes no sense any more. At the
 * deadline comes a last look, whatever the pause: it tells a job that is finished from one that is not.
 */
export async function pollJob(watch: Watch, service: DocsService, run: Run): Promise<PollEnd> {
  const { clock, cancel, inputs } = run
  const isFinished = watch.origin === 'messaged' ? afterMessage() : (job: Job) => isTerminal(job.status)
  const progress = new Progress(watch, run)
  let { job } = watch
  let lastLookAtMs = watch.startedAtMs
  let error: unknown
  let failures = 0
  const ended = (end: PollEnd['end']): PollEnd => ({ end, job, lastLookAtMs, error })
  if (job !== undefined) progress.seen(job)
  let pauseMs = job === undefined ? 0 : (inputs['poll-interval'] ?? MIN_PAUSE_MS)
  try {
    for (;;) {
      if (job !== undefined && failures === 0) {
        if (isFinished(job, lastLookAtMs)) return ended('finished')
        if (!inputs.wait) return ended('running')
      }
      if (lastLookAtMs >= watch.deadlineMs) return ended('timed-out')
      const sleepMs = Math.max(0, Math.min(pauseMs, watch.deadlineMs - clock.now()))
      if (failures > 0) progress.failed(error, sleepMs)
      await clock.sleep(sleepMs, cancel).catch(() => undefined)
      if (cancel.aborted) return ended('cancelled')

      const look = await lookOnce(watch, service, run)
      lastLookAtMs = clock.now()
      if (look === undefined) return ended(cancel.aborted ? 'cancelled' : 'timed-out')
      if (look instanceof Error) {
        error = look
        failures += 1
        if (!mayLookAgain(look, watch, lastLookAtMs)) return ended('refused')
      } else {
        job = look
        error = undefined
        failures = 0
        progress.seen(job)
      }
      if (cancel.aborted) return ended('cancelled')
      pauseMs = pauseAfter(error, failures, lastLookAtMs - watch.startedAtMs, run)
    }
  } finally {
    progress.stop()
  }
}

/** Looks once; `undefined` if a cancel or the end of the last look's time came first. */
async function lookOnce(
  { id, deadlineMs }: Watch,
  service: DocsService,
  { clock, cancel }: Run,
): Promise<Job | Error | undefined> {
  const done = new AbortController()
  const limit = clock.timeout(Math.max(0, deadlineMs + LAST_LOOK_MS - clock.now()), done.signal)
  const signal = AbortSignal.any([cancel, limit])
  try {
    return await getJob(service, id, signal)
  } catch (error) {
    if (signal.aborted) return undefined
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    done.abort()
  }
}

/** Whether a failed look is no end: a job that was just created may be unknown for a moment. */
function mayLookAgain(error: Error, { origin, startedAtMs }: Watch, nowMs: number): boolean {
  if (!(error instanceof ServiceError) || error.status !== 404) return isRetryable(error)
  return origin === 'created' && nowMs - startedAtMs <= EARLY_MS
}

/** The pause after a look, in milliseconds. `ageMs`: time since the job's creation or attach, by our own clock. */
export function pauseAfter(
  error: unknown,
  failures: number,
  ageMs: number,
  { inputs, random }: Pick<Run, 'inputs' | 'random'>,
): number {
  const adaptiveMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, ageMs * PAUSE_SHARE))
  const usualMs = inputs['poll-interval'] ?? adaptiveMs * (1 + MAX_JITTER * random())
  if (failures === 0) return usualMs
  const requestedMs = retryAfterMsOf(error)
  if (requestedMs > 0) return requestedMs
  if (isRateLimit(error)) return RATE_LIMIT_PAUSE_MS
  const backoff = { baseMs: usualMs, maxMs: Math.max(usualMs, MAX_FAILURE_PAUSE_MS) }
  return Math.max(usualMs, backoffMs(failures, backoff, random))
}

/**
 * Whether a job that just got a message is finished: the service may go on showing the status from before for a moment.
 * A terminal status counts once the job was active since the message, or once it has stayed the same for 30 s.
 */
function afterMessage(): (job: Job, atMs: number) => boolean {
  let wasActive = false
  let status = ''
  let sinceMs = 0
  return (job, atMs) => {
    if (job.status !== status) [status, sinceMs] = [job.status, atMs]
    wasActive ||= !isTerminal(status)
    return isTerminal(status) && (wasActive || atMs - sinceMs >= STABLE_MS)
  }
}

/** Logs what looks show of a job: each change, each oddity once, and a sign of life every minute. */
class Progress {
  readonly #run: Run
  readonly #name: string
  readonly #startedAtMs: number
  readonly #warned = new Set<string>()
  #status = ''
  #failure = ''
  #heartbeat = new AbortController()

  constructor({ id, startedAtMs }: Watch, run: Run) {
    this.#run = run
    this.#name = serviceWord(id)
    this.#startedAtMs = startedAtMs
    this.#restartHeartbeat()
  }

  seen({ status, invalidFields }: Job): void {
    this.#failure = ''
    if (status !== this.#status) {
      this.#status = status
      this.#run.setOutputs({ status })
      this.#info(`Job ${this.#name} is ${serviceWord(status)} (after ${this.#elapsed()}).`)
    }
    if (status !== 'active' && !isTerminal(status)) {
      this.#warnOnce(
        `Job ${this.#name} has a status that this version does not know: "${serviceWord(status)}". It counts as not finished yet.`,
      )
    }
    for (const field of invalidFields) {
      this.#warnOnce(`Job ${this.#name}: the field ${field} has an unexpected type and counts as absent.`)
    }
  }

  failed(error: unknown, nextInMs: number): void {
    this.#failure = ` The last look failed: ${describeFailure(error).headline}.`
    const next = `Next look in ${formatDuration(nextInMs)}.`
    this.#info(`Failed to look at job ${this.#name}. ${failureSentences(error)} ${next}`)
  }

  stop(): void {
    this.#heartbeat.abort()
  }

  #info(text: string): void {
    this.#restartHeartbeat()
    this.#run.log.info(text)
  }

  #warnOnce(text: string): void {
    if (!this.#warned.has(text)) this.#run.log.warning(text)
    this.#warned.add(text)
  }

  #elapsed(): string {
    return formatDuration(this.#run.clock.now() - this.#startedAtMs)
  }

  /** Does not depend on looks: one that takes long is no reason for silence. */
  #restartHeartbeat(): void {
    this.#heartbeat.abort()
    const own = new AbortController()
    this.#heartbeat = own
    this.#run.clock.timeout(HEARTBEAT_MS, own.signal).addEventListener('abort', () => {
      if (own.signal.aborted) return
      const status = this.#status === '' ? 'not known yet' : serviceWord(this.#status)
      this.#info(
        `Still waiting for job ${this.#name} after ${this.#elapsed()}; its status is ${status}.${this.#failure}`,
      )
    })
  }
}
