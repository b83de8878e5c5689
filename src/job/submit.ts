import { joinSentences } from '../lib/text.ts'
import { afterGrace, formatDuration, RetryError, retry } from '../lib/time.ts'
import { TransportError } from '../lib/transport.ts'
import type { NamedJob } from '../record/memory.ts'
import type { Run } from '../runner/run.ts'
import type { DocsService, Job } from '../service/docs-service.ts'
import {
  describeFailure,
  hasStatus,
  limitPauseMs,
  retryAfterMsOf,
  ServiceError,
} from '../service/service-errors.ts'
import { JobError, nothingStarted } from './job-error.ts'
import type { Plan, WaitAction } from './plan.ts'

/** How long a request in flight is still awaited once the run was cancelled, so that its job's id is not lost. */
const CANCEL_GRACE_MS = 3000
/** How long a request that can't reach the service is sent again. */
const MAX_UNREACHABLE_MS = 30_000

/** A job that was accepted, or that is waited for. Times are by our clock, in milliseconds since the epoch. */
export type AcceptedJob = NamedJob & {
  readonly kind: Plan['kind']
  /** As the service has just shown it. */
  readonly job: Job | undefined
  /** When the request was sent, and until when the job is waited for. */
  readonly sentAtMs: number
  readonly deadlineMs: number
}

/**
 * Carries out a plan, and makes the job's id known at once: a run may be killed at any time.
 *
 * @throws {JobError} if no job was started or messaged
 */
export async function submit(
  plan: Plan,
  deadlineMs: number,
  service: DocsService,
  run: Run,
): Promise<AcceptedJob> {
  const { clock, log } = run
  const sentAtMs = clock.now()
  const { kind } = plan
  const job = kind === 'wait' ? plan.job : await send(plan, deadlineMs, service, run)
  const id = kind === 'create' ? (job?.id ?? '') : plan.id
  if (kind === 'create') log.info(`Job ${id} was accepted by the docs service.`)
  if (kind === 'message') log.info(`The message to job ${id} was accepted by the docs service.`)
  run.saveState('job-id', id)
  run.setOutputs({ 'job-id': id })
  const before = kind === 'message' ? plan.pull?.prLink : undefined
  const namedAtMs = (kind === 'wait' ? plan.namedAtMs : undefined) ?? clock.now()
  return { kind, id, job, prLink: job?.prLink ?? before ?? '', namedAtMs, sentAtMs, deadlineMs }
}

/**
 * Sends a create or a message, which must take effect at most once. It is sent again only where it certainly did not
 * arrive (the connection was refused, the name not resolved, TLS failed before sending) or was not accepted (429).
 *
 * @throws {JobError} that says whether a job may be running
 */
async function send(
  plan: Exclude<Plan, WaitAction>,
  deadlineMs: number,
  service: DocsService,
  run: Run,
): Promise<Job> {
  const { clock, cancel, log } = run
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
          const again = `Nothing was started yet; trying again in ${formatDuration(pauseMs)}.`
          log.info(`${describeFailure(error).headline}. ${again}`)
        },
      },
      run,
    )
  } catch (error) {
    if (!(error instanceof RetryError)) throw error
    throw isCertainlyRefused(error.cause)
      ? nothingStarted(error, '`timeout`')
      : maybeStarted(plan.kind, error.cause)
  }
}

/** Whether no connection was made, so that nothing was sent. */
function isUnreachable(error: unknown): boolean {
  return error instanceof TransportError && ['refused', 'unresolved', 'tls'].includes(error.failure)
}

function isCertainlyRefused(error: unknown): boolean {
  if (error instanceof TransportError) return !error.maybeSent
  return error instanceof ServiceError && error.status < 500 && ![303, 408].includes(error.status)
}

const MAYBE_STARTED = {
  create:
    'The request may still have been accepted: a job may be running. Look for it in the dashboard of the docs service, and for its pull request, before you start the workflow anew: it may start a second job and spend its credits.',
  message:
    'The message may still have been accepted: the job may be running. Look at it in the dashboard of the docs service, and at its pull request, before you start the workflow anew: it may send the message a second time and spend credits.',
}

function maybeStarted(kind: keyof typeof MAYBE_STARTED, cause: unknown): JobError {
  const { headline, details } =
    cause instanceof DOMException
      ? { headline: 'The docs service had not answered yet', details: '' }
      : describeFailure(cause)
  return new JobError(true, { headline, details: joinSentences(details, MAYBE_STARTED[kind]) })
}
