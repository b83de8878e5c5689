import { TransportError } from '../lib/http.ts'
import { formatDuration } from '../lib/time.ts'
import { isTerminal, type Job } from '../mintlify/mintlify-client.ts'
import {
  describeFailure,
  EARLY_MS,
  hasStatus,
  isRetryable,
  limitPauseMs,
  mintlifyWord,
  retryAfterMsOf,
} from '../mintlify/mintlify-errors.ts'
import type { Run } from '../runner/run.ts'
import type { AcceptedJob } from './submit.ts'

/** How polling ended. `job` is as last observed; `durationMs` is from the start of polling to the last poll. */
export type PollEnd = {
  /** `refused`: another poll can't help. */
  readonly kind: 'finished' | 'submitted' | 'timed-out' | 'cancelled' | 'refused'
  readonly job: Job | undefined
  readonly durationMs: number
  /** Why the last poll failed; `undefined` if it did not. */
  readonly error?: unknown
}

/** The adaptive pause is between these, before jitter. */
const MIN_PAUSE_MS = 5000
const MAX_POLL_PAUSE_MS = 15_000
/** A pause is this share of the time since polling began. */
const PAUSE_SHARE = 0.02
/** Pauses are longer by up to this share, so that runs that started together don't poll together. */
const MAX_JITTER = 0.2
/** The longest pause because of polls that fail. */
const MAX_FAILURE_PAUSE_MS = 30_000
/** How many polls may fail one after another with `wait: false`. */
const MAX_FAILURES_WITHOUT_WAIT = 3
/** How long the last poll may take after the deadline. */
const LAST_POLL_MS = 5000
const UNANSWERED = `there was no response within ${formatDuration(LAST_POLL_MS)} after the deadline`
/** How long a terminal status must stay the same after a message before it is believed. */
const STABLE_MS = 30_000
/** A log without lines for longer looks like a run that hangs. */
const HEARTBEAT_MS = 60_000

/**
 * Polls a job until it has finished, the time is up, the run is canceled, or another poll can't help. A last poll at the
 * deadline decides whether the job has finished.
 */
export async function pollJob(target: AcceptedJob, run: Run): Promise<PollEnd> {
  const { id, kind, deadlineMs } = target
  const { clock, cancel, inputs, mintlify } = run
  const startedAtMs = clock.now()
  const isFinished = createCompletionCheck(kind)
  const progress = new Progress(run)
  const limit = clock.timeout(Math.max(0, deadlineMs - startedAtMs) + LAST_POLL_MS)
  const signal = AbortSignal.any([cancel, limit])
  let { job } = target
  let lastPollAtMs = startedAtMs
  // If a create or a message lasted past the deadline, the job is polled once all the same.
  let hasPolled = false
  let failures = 0
  let error: unknown
  let pauseMs = job === undefined ? 0 : (inputs['poll-interval'] ?? MIN_PAUSE_MS)
  const ended = (end: PollEnd['kind']): PollEnd => ({
    kind: end,
    job,
    error,
    durationMs: lastPollAtMs - startedAtMs,
  })
  if (job !== undefined) progress.observed(job)
  for (;;) {
    if (job !== undefined && failures === 0) {
      if (isFinished(job, lastPollAtMs)) return ended('finished')
      if (!inputs.wait && !cancel.aborted) return ended('submitted')
    }
    if (hasPolled && lastPollAtMs >= deadlineMs) return ended('timed-out')
    const sleepMs = Math.max(0, Math.min(pauseMs, deadlineMs - lastPollAtMs))
    if (failures > 0) progress.failed(error, sleepMs)
    await clock.sleep(sleepMs, cancel).catch(() => undefined)
    if (cancel.aborted) return ended('cancelled')

    const [poll] = await Promise.allSettled([mintlify.getJob(id, signal)])
    lastPollAtMs = clock.now()
    hasPolled = true
    if (poll.status === 'fulfilled') {
      job = poll.value
      failures = 0
      error = undefined
      progress.observed(job)
    } else {
      if (cancel.aborted) return ended('cancelled')
      failures += 1
      error = limit.aborted ? new TransportError(UNANSWERED, 'timeout') : poll.reason
      // Mintlify may not know a new job for a moment.
      const isEarly = kind === 'create' && lastPollAtMs - startedAtMs <= EARLY_MS
      const isPassing = isRetryable(error) || (isEarly && hasStatus(error, 404))
      const isEnough = !inputs.wait && failures >= MAX_FAILURES_WITHOUT_WAIT
      if (!isPassing || isEnough) return ended('refused')
    }
    pauseMs = nextPauseMs(error, failures, lastPollAtMs - startedAtMs, run)
  }
}

/** Returns the pause after a poll. `ageMs` is the time since this run created the job or began to wait for it. */
function nextPauseMs(
  error: unknown,
  failures: number,
  ageMs: number,
  { inputs, random }: Pick<Run, 'inputs' | 'random'>,
): number {
  const adaptiveMs = Math.min(MAX_POLL_PAUSE_MS, Math.max(MIN_PAUSE_MS, ageMs * PAUSE_SHARE))
  const usualMs = inputs['poll-interval'] ?? adaptiveMs * (1 + MAX_JITTER * random())
  const growingMs = Math.min(MAX_FAILURE_PAUSE_MS, usualMs * 2 ** (failures - 1))
  return retryAfterMsOf(error) || (limitPauseMs(error) ?? Math.max(usualMs, growingMs))
}

/**
 * Decides whether a job has finished. After a message, Mintlify may show the earlier status for a moment: a terminal one
 * is believed once the job was active since, or once it has stayed the same for 30 s.
 */
function createCompletionCheck(kind: AcceptedJob['kind']): (job: Job, atMs: number) => boolean {
  let wasActive = kind !== 'message'
  let status = ''
  let sinceMs = 0
  return (job, atMs) => {
    if (job.status !== status) [status, sinceMs] = [job.status, atMs]
    wasActive ||= !isTerminal(status)
    return isTerminal(status) && (wasActive || atMs - sinceMs >= STABLE_MS)
  }
}

/** Logs each change of a job's status, each invalid field once, and the status again after a minute. */
class Progress {
  readonly #run: Run
  readonly #startedAtMs: number
  readonly #warnings = new Set<string>()
  #status: string | undefined
  /** When a line was logged last, in milliseconds since the epoch. */
  #loggedAtMs: number

  constructor(run: Run) {
    this.#run = run
    this.#startedAtMs = run.clock.now()
    this.#loggedAtMs = this.#startedAtMs
  }

  observed({ status, invalidFields }: Job): void {
    const { log, clock } = this.#run
    const isNew = status !== this.#status
    if (isNew) this.#run.setOutputs({ status })
    this.#status = status
    if (isNew || clock.now() - this.#loggedAtMs >= HEARTBEAT_MS) {
      this.#loggedAtMs = clock.now()
      const elapsedMs = clock.now() - this.#startedAtMs
      const after = elapsedMs < 1000 ? '' : ` after ${formatDuration(elapsedMs)}`
      log.info(`The job's status is ${mintlifyWord(status)}${after}.`)
    }
    for (const field of invalidFields) {
      // The result explains the lost link.
      if (field === 'prLink' && status === 'completed') continue
      this.#warnOnce(
        `Ignored the field \`${field}\` of the job, because its value doesn't match the documentation.`,
        `Ignored an invalid field of the job: ${field}`,
      )
    }
    if (status !== 'active' && !isTerminal(status)) {
      this.#warnOnce(
        `The job has an unknown status, "${mintlifyWord(status)}". The action keeps waiting. A newer version of the action may know this status.`,
        'The job has an unknown status',
      )
    }
  }

  #warnOnce(text: string, title: string): void {
    if (!this.#warnings.has(text)) this.#run.log.warnInSummary(text, title)
    this.#warnings.add(text)
  }

  failed(error: unknown, nextInMs: number): void {
    const { title } = describeFailure(error, this.#run.mintlifyName)
    const next = `The next poll is in ${formatDuration(nextInMs)}.`
    this.#run.log.info(`Could not poll the job: ${title}. ${next}`)
  }
}
