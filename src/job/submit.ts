import type { CreateAction, MessageAction, WaitAction } from '../decide/plan.ts'
import { TransportError } from '../lib/http.ts'
import { type Failure, FailureError, joinSentences } from '../lib/text.ts'
import { afterGrace, formatDuration, RetryError, retry } from '../lib/time.ts'
import type { NamedJob } from '../look/earlier-runs.ts'
import type { Job, MintlifyClient } from '../mintlify/mintlify-client.ts'
import {
  describeFailure,
  hasStatus,
  limitPauseMs,
  MintlifyError,
  notStartedFailure,
  retryAfterMsOf,
} from '../mintlify/mintlify-errors.ts'
import type { Sources } from '../prompt/gather.ts'
import type { Run } from '../runner/run.ts'
import type { Prompt } from './prompt.ts'

/** What a run does about its job, with the prompt that it sends. `sources`: what a re-run repeats. */
export type Plan =
  | ((CreateAction | MessageAction) & Prompt)
  | (WaitAction & { readonly sources?: Sources })

/** How long a canceled run waits for a request in flight, so that the job ID isn't lost. */
const CANCEL_GRACE_MS = 3000
/** How long a request that can't reach the service is sent again. */
const MAX_UNREACHABLE_MS = 30_000

/** A job that Mintlify accepted, or that the run waits for. Times are in milliseconds since the epoch. */
export type AcceptedJob = NamedJob & {
  readonly kind: Plan['kind']
  /** The job in Mintlify's latest answer. */
  readonly job: Job | undefined
  /** When the request was sent, and until when the run waits for the job. */
  readonly sentAtMs: number
  readonly deadlineMs: number
}

/**
 * Carries out a plan, and logs the job ID immediately, because a run can be killed at any time.
 *
 * @throws {JobError} if no job was started or messaged
 */
export async function submit(
  plan: Plan,
  deadlineMs: number,
  service: MintlifyClient,
  run: Run,
): Promise<AcceptedJob> {
  const { clock, log } = run
  const sentAtMs = clock.now()
  const { kind } = plan
  const job = kind === 'wait' ? plan.job : await sendRequest(plan, deadlineMs, service, run)
  const id = kind === 'create' ? (job?.id ?? '') : plan.id
  if (kind === 'create') log.info(`${run.mintlify} accepted job ${id}.`)
  if (kind === 'message') log.info(`${run.mintlify} accepted the message to job ${id}.`)
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
async function sendRequest(
  plan: Exclude<Plan, WaitAction>,
  deadlineMs: number,
  service: MintlifyClient,
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

const MAYBE_STARTED = {
  create:
    'A job may have been created anyway. Before you run this workflow again, check the dashboard for a running job and for a new pull request. A second job would use credits again.',
  message:
    'The job may have received the message anyway and may be running. Before you run this workflow again, check the job in the dashboard, and its pull request. A second message would use credits again.',
}

function maybeStartedError(
  kind: keyof typeof MAYBE_STARTED,
  cause: unknown,
  mintlify: string,
): JobError {
  const { headline, details } =
    cause instanceof DOMException
      ? { headline: '', details: `${mintlify} had not responded yet.` }
      : describeFailure(cause, mintlify)
  return new JobError({
    headline,
    details: joinSentences(details, MAYBE_STARTED[kind]),
    maybeStarted: true,
  })
}

/** Why there is no job to wait for. */
export class JobError extends FailureError {
  override readonly name = 'JobError'
  /** Whether this run or an earlier attempt may have started a job. */
  readonly maybeStarted: boolean
  /** Whether a re-run may succeed with nothing changed. */
  readonly isTransient: boolean

  constructor(
    failure: Failure & { readonly maybeStarted: boolean; readonly isTransient?: boolean },
  ) {
    super(failure)
    this.maybeStarted = failure.maybeStarted
    this.isTransient = failure.isTransient === true
  }
}
