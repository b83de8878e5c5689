import type { Create, Message, Wait } from '../decide/decide.ts'
import { TransportError } from '../lib/http.ts'
import { joinSentences, Problem } from '../lib/text.ts'
import { afterGrace, formatDuration, RetryError, retry } from '../lib/time.ts'
import type { Job } from '../mintlify/mintlify-client.ts'
import {
  describeFailure,
  describeLimit,
  hasStatus,
  MintlifyError,
  PAUSES,
} from '../mintlify/mintlify-errors.ts'
import type { NamedJob } from '../record/record.ts'
import type { Run } from '../runner/run.ts'

/** What is asked of Mintlify: a new job, a message to a job, or to wait for one. */
type Submission = (Create | Message | Wait) & { readonly prompt: string }

/** A job that Mintlify accepted, or that the run waits for. Times are in milliseconds since the epoch. */
export type AcceptedJob = Pick<NamedJob, 'id' | 'prLink'> & {
  readonly kind: Submission['kind']
  /** The job in Mintlify's latest answer. */
  readonly job: Job | undefined
  /** When the request was sent, and until when the run waits for the job. */
  readonly sentAtMs: number
  readonly deadlineMs: number
}

/** How long a canceled run waits for a request in flight, so that the job ID isn't lost. */
const CANCEL_GRACE_MS = 3000
/** How long a request that can't reach the service is sent again. */
const MAX_UNREACHABLE_MS = 30_000

/**
 * Starts a job or sends a message, and logs the job's ID immediately, because a run can be killed at any time.
 *
 * @throws {Problem} if no job was started or messaged
 */
export async function submit(
  asked: Submission,
  deadlineMs: number,
  run: Run,
): Promise<AcceptedJob> {
  const { clock, inputs, log, mintlifyName } = run
  const sentAtMs = clock.now()
  const { kind } = asked
  const job = kind === 'wait' ? asked.job : await sendRequest(asked, deadlineMs, run)
  const id = kind === 'create' ? (job?.id ?? '') : asked.id
  if (kind === 'create') log.info(`${mintlifyName} accepted job ${id}.`)
  if (kind === 'message') log.info(`${mintlifyName} accepted the message to job ${id}.`)
  if (kind === 'wait' && !asked.job)
    log.info(`${inputs.wait ? 'Waiting for' : 'Looking at'} job ${id}.`)
  run.saveState('job-id', id)
  run.setOutputs({ 'job-id': id })
  // While an update runs, Mintlify doesn't name the pull request.
  const prLink = job?.prLink ?? (kind === 'message' ? asked.prLink : undefined) ?? ''
  return { kind, id, job, prLink, sentAtMs, deadlineMs }
}

/**
 * Sends a create or a message, which must take effect at most once. It is sent again only if it certainly did not arrive
 * (the connection was refused, the name not resolved) or was not accepted (429).
 *
 * @throws {Problem} that says whether a job may be running
 */
async function sendRequest(
  asked: Exclude<Submission, { readonly kind: 'wait' }>,
  deadlineMs: number,
  run: Run,
): Promise<Job> {
  const { clock, cancel, log, mintlify, mintlifyName } = run
  const { prompt } = asked
  const signal = afterGrace(cancel, CANCEL_GRACE_MS, clock)
  let unreachableUntilMs = clock.now() + MAX_UNREACHABLE_MS
  const send = () =>
    asked.kind === 'create'
      ? mintlify.createJob(prompt, signal)
      : mintlify.sendMessage(asked.id, prompt, signal)
  const policy = {
    isRetryable: (error: unknown) => isUnsent(error) || hasStatus(error, 429),
    ...PAUSES,
    deadlineMs: (error: unknown) =>
      isUnsent(error) ? Math.min(unreachableUntilMs, deadlineMs) : deadlineMs,
    onRetry(error: unknown, pauseMs: number) {
      // A response resets the limit for an unreachable host.
      if (!isUnsent(error)) unreachableUntilMs = clock.now() + pauseMs + MAX_UNREACHABLE_MS
      const { title } = describeFailure(error, mintlifyName)
      log.info(`${title}. No job was started yet. Trying again in ${formatDuration(pauseMs)}.`)
    },
  }
  try {
    return await retry(send, policy, run)
  } catch (error) {
    if (!(error instanceof RetryError)) throw error
    const { cause, reason } = error
    const { title, text, isTransient } = describeFailure(cause, mintlifyName)
    if (isCertainlyRefused(cause)) {
      const lastly = reason === 'deadline' ? describeLimit(cause, '`timeout`', mintlifyName) : ''
      const again = isTransient
        ? 'Nothing was started, so it is safe to re-run this job.'
        : 'Nothing was started.'
      throw new Problem({ title, text: joinSentences(text, lastly, again), isTransient, cause })
    }
    const isCanceled = cause instanceof DOMException
    const happened = isCanceled ? `${mintlifyName} had not responded yet.` : text
    const maybe = MAYBE_ARRIVED[asked.kind]
    throw new Problem({ title, text: joinSentences(happened, maybe), maybeStarted: true, cause })
  }
}

/** Whether no connection was made, so that nothing was sent. */
function isUnsent(error: unknown): boolean {
  return error instanceof TransportError && error.failure === 'unsent'
}

function isCertainlyRefused(error: unknown): boolean {
  if (isUnsent(error)) return true
  const { status = 0 } = error instanceof MintlifyError ? error : {}
  return status >= 300 && status < 500 && ![303, 408].includes(status)
}

const MAYBE_ARRIVED = {
  create:
    'A job may have been created anyway. Before you run this workflow again, check the dashboard for a running job and for a new pull request. A second job would use credits again.',
  message:
    'The job may have received the message anyway and may be running. Before you run this workflow again, check the job in the dashboard, and its pull request. A second message would use credits again.',
}
