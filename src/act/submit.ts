import type { WaitAction } from '../decide/plan.ts'
import { TransportError } from '../lib/http.ts'
import { joinSentences } from '../lib/text.ts'
import { afterGrace, formatDuration, RetryError, retry } from '../lib/time.ts'
import { EARLY_MS } from '../look/situation.ts'
import { isTerminal, type Job } from '../mintlify/mintlify-client.ts'
import {
  describeFailure,
  hasStatus,
  isRetryable,
  limitPauseMs,
  MintlifyError,
  mintlifyWord,
  notStartedFailure,
  retryAfterMsOf,
} from '../mintlify/mintlify-errors.ts'
import type { Plan } from '../prompt/prompt.ts'
import { JobError } from '../report/not-started.ts'
import type { AcceptedJob, PollEnd } from '../report/outcome.ts'
import type { Run } from '../runner/run.ts'

/** How long a canceled run waits for a request in flight, so that the job ID isn't lost. */
const CANCEL_GRACE_MS = 3000
/** How long a request that can't reach the service is sent again. */
const MAX_UNREACHABLE_MS = 30_000

/**
 * Carries out a plan, and logs the job ID immediately, because a run can be killed at any time.
 *
 * @throws {JobError} if no job was started or messaged
 */
export async function submit(plan: Plan, deadlineMs: number, run: Run): Promise<AcceptedJob> {
  const { clock, log } = run
  const sentAtMs = clock.now()
  const { kind } = plan
  const job = kind === 'wait' ? plan.job : await sendRequest(plan, deadlineMs, run)
  const id = kind === 'create' ? (job?.id ?? '') : plan.id
  if (kind === 'create') log.info(`${run.mintlify} accepted job ${id}.`)
  if (kind === 'message') log.info(`${run.mintlify} accepted the message to job ${id}.`)
  run.saveState('job-id', id)
  run.setOutputs({ 'job-id': id })
  // While an update runs, Mintlify doesn't name the pull request.
  const prLink = job?.prLink ?? (kind === 'message' ? plan.prLink : undefined) ?? ''
  const recordedAtMs = (kind === 'wait' ? plan.recordedAtMs : undefined) ?? clock.now()
  return { kind, id, job, prLink, recordedAtMs, sentAtMs, deadlineMs }
}

/**
 * Sends a create or a message, which must take effect at most once. It is sent again only where it certainly did not
 * arrive (the connection was refused, the name not resolved, TLS failed before sending) or was not accepted (429).
 *
 * @throws {JobError} that says whether a job may be running
 */
async function sendRequest(
  plan: Exclude<Plan, WaitAction>,
  deadlineMs: number,
  run: Run,
): Promise<Job> {
  const { clock, cancel, log, service } = run
  const { prompt } = plan
  const signal = afterGrace(cancel, CANCEL_GRACE_MS, clock)
  let unreachableUntilMs = clock.now() + MAX_UNREACHABLE_MS
  try {
    return await retry(
      () =>
        plan.kind === 'create'
          ? service.createJob(prompt, signal)
          : service.sendMessage(plan.id, prompt, signal),
      {
        isRetryable: (error) => isUnreachable(error) || hasStatus(error, 429),
        retryAfterMs: retryAfterMsOf,
        pauseMs: limitPauseMs,
        deadlineMs: (error) =>
          isUnreachable(error) ? Math.min(unreachableUntilMs, deadlineMs) : deadlineMs,
        onRetry(error, pauseMs) {
          // A response resets the limit for an unreachable host.
          if (!isUnreachable(error)) unreachableUntilMs = clock.now() + pauseMs + MAX_UNREACHABLE_MS
          const again = `No job was started yet. Trying again in ${formatDuration(pauseMs)}.`
          log.info(`${describeFailure(error, run.mintlify).headline}. ${again}`)
        },
      },
      run,
    )
  } catch (error) {
    if (!(error instanceof RetryError)) throw error
    throw isCertainlyRefused(error.cause)
      ? new JobError({
          ...notStartedFailure(error, { limit: '`timeout`', mintlify: run.mintlify }),
          maybeStarted: false,
        })
      : maybeStartedError(plan.kind, error.cause, run.mintlify)
  }
}

/** Whether no connection was made, so that nothing was sent. */
function isUnreachable(error: unknown): boolean {
  return error instanceof TransportError && ['refused', 'unresolved', 'tls'].includes(error.failure)
}

function isCertainlyRefused(error: unknown): boolean {
  if (error instanceof TransportError) return !error.maybeSent
  return error instanceof MintlifyError && error.status < 500 && ![303, 408].includes(error.status)
}

const MAYBE_ARRIVED = {
  create:
    'A job may have been created anyway. Before you run this workflow again, check the dashboard for a running job and for a new pull request. A second job would use credits again.',
  message:
    'The job may have received the message anyway and may be running. Before you run this workflow again, check the job in the dashboard, and its pull request. A second message would use credits again.',
}

function maybeStartedError(
  kind: keyof typeof MAYBE_ARRIVED,
  cause: unknown,
  mintlify: string,
): JobError {
  const { headline, details } =
    cause instanceof DOMException
      ? { headline: '', details: `${mintlify} had not responded yet.` }
      : describeFailure(cause, mintlify)
  return new JobError({
    headline,
    details: joinSentences(details, MAYBE_ARRIVED[kind]),
    maybeStarted: true,
  })
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
  const { clock, cancel, inputs, service } = run
  const startedAtMs = clock.now()
  const isFinished = createCompletionCheck(kind)
  const progress = new Progress(id, run)
  const limit = clock.timeout(Math.max(0, deadlineMs - startedAtMs) + LAST_POLL_MS)
  const signal = AbortSignal.any([cancel, limit])
  let { job } = target
  let lastPollAtMs = startedAtMs
  // If a create or a message lasted past the deadline, the job is polled once all the same.
  let hasPolled = false
  let failures = 0
  let error: unknown
  let pauseMs = job === undefined ? 0 : (inputs['poll-interval'] ?? MIN_PAUSE_MS)
  const durationMs = () => lastPollAtMs - startedAtMs
  const ended = (end: 'timed-out' | 'cancelled' | 'refused'): PollEnd => ({
    kind: end,
    job,
    error,
    durationMs: durationMs(),
  })
  if (job !== undefined) progress.observed(job)
  for (;;) {
    if (job !== undefined && failures === 0) {
      if (isFinished(job, lastPollAtMs)) return { kind: 'finished', job, durationMs: durationMs() }
      if (!inputs.wait && !cancel.aborted)
        return { kind: 'submitted', job, durationMs: durationMs() }
    }
    if (hasPolled && lastPollAtMs >= deadlineMs) return ended('timed-out')
    const sleepMs = Math.max(0, Math.min(pauseMs, deadlineMs - lastPollAtMs))
    if (failures > 0) progress.failed(error, sleepMs)
    await clock.sleep(sleepMs, cancel).catch(() => undefined)
    if (cancel.aborted) return ended('cancelled')

    const [poll] = await Promise.allSettled([service.getJob(id, signal)])
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
      error = limit.aborted
        ? new TransportError(UNANSWERED, { failure: 'timeout', maybeSent: true })
        : poll.reason
      // Mintlify may not know a new job for a moment.
      const isEarly = kind === 'create' && durationMs() <= EARLY_MS
      const isPassing = isRetryable(error) || (isEarly && hasStatus(error, 404))
      const isEnough = !inputs.wait && failures >= MAX_FAILURES_WITHOUT_WAIT
      if (!isPassing || isEnough) return ended('refused')
    }
    pauseMs = pauseAfter(error, failures, durationMs(), run)
  }
}

/** Returns the pause after a poll. `ageMs` is the time since this run created the job or began to wait for it. */
function pauseAfter(
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
  readonly #name: string
  readonly #startedAtMs: number
  readonly #warnings = new Set<string>()
  #status: string | undefined
  /** When a line was logged last, in milliseconds since the epoch. */
  #loggedAtMs: number

  constructor(jobId: string, run: Run) {
    this.#run = run
    this.#name = mintlifyWord(jobId)
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
      log.info(`Job ${this.#name} is ${mintlifyWord(status)}${after}.`)
    }
    for (const field of invalidFields) {
      // The result explains the lost link.
      if (field === 'prLink' && status === 'completed') continue
      this.#warnOnce(
        `Ignored the field \`${field}\` of job ${this.#name}, because its value doesn't match the documentation.`,
        `Ignored an invalid field of the job: ${field}`,
      )
    }
    if (status !== 'active' && !isTerminal(status)) {
      this.#warnOnce(
        `Job ${this.#name} has an unknown status, "${mintlifyWord(status)}". The action keeps waiting. A newer version of the action may know this status.`,
        'The job has an unknown status',
      )
    }
  }

  #warnOnce(text: string, title: string): void {
    if (!this.#warnings.has(text)) this.#run.log.warnInSummary(text, title)
    this.#warnings.add(text)
  }

  failed(error: unknown, nextInMs: number): void {
    const { headline } = describeFailure(error, this.#run.mintlify)
    const next = `The next poll is in ${formatDuration(nextInMs)}.`
    this.#run.log.info(`Could not poll job ${this.#name}: ${headline}. ${next}`)
  }
}
