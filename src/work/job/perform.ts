import type { DocsService } from '../../service/docs-service.ts'
import type { Job } from '../../service/job.ts'
import { createJob, lookAtJob, sendMessage } from '../../service/jobs.ts'
import { afterMessage, trusting } from './belief.ts'
import { type Outcome, resultOf } from './outcome.ts'
import { type SubmitOptions, submit } from './submit.ts'
import { type Awaited, type WaitEnd, type WaitOptions, waitForJob } from './wait.ts'

/** What is asked of the service: a new job, word to an existing one, or just to see one through. */
export type JobAsk =
  | { readonly kind: 'create'; readonly prompt: string }
  | { readonly kind: 'message'; readonly id: string; readonly prompt: string }
  | { readonly kind: 'attach'; readonly id: string }

/** What performing an ask needs from outside. */
export type PerformOptions = Omit<WaitOptions, 'look'> & Omit<SubmitOptions, 'random'>

/**
 * Performs an ask: starts what is to be started, once, and waits as long as asked for.
 * Never rejects for what the service or the network does: that is an outcome.
 */
export async function performJob(
  service: DocsService,
  ask: JobAsk,
  options: PerformOptions,
): Promise<Outcome> {
  let awaited: Awaited
  try {
    awaited = await start(service, ask, options)
  } catch (error) {
    const result = options.cancel.aborted ? 'cancelled' : 'error'
    const jobId = ask.kind === 'create' ? '' : ask.id
    return { result, job: undefined, jobId, durationSeconds: undefined, reason: messageOf(error) }
  }
  const id = awaited.job?.id ?? (ask.kind === 'create' ? '' : ask.id)
  const end = await waitForJob(awaited, { ...options, look: (signal) => lookAtJob(service, id, signal) })
  return {
    result: resultOfWait(end),
    job: end.job,
    jobId: id,
    durationSeconds: Math.floor((end.lastLookAtMs - awaited.startedAtMs) / 1000),
    reason: end.reason,
  }
}

async function start(service: DocsService, ask: JobAsk, options: PerformOptions): Promise<Awaited> {
  const { clock } = options
  const created = ask.kind === 'create'
  if (ask.kind === 'attach') {
    return { job: undefined, startedAtMs: clock.now(), firstAnswerAtMs: undefined, created, belief: trusting }
  }
  const send = (signal: AbortSignal): Promise<Job> =>
    ask.kind === 'create' ? createJob(service, ask.prompt, signal) : sendMessage(service, ask, signal)
  const { value: job, firstAnswerAtMs } = await submit(send, { ...options, random: options.pace.random })
  options.onEvent({ type: 'accepted', job })
  return {
    job,
    startedAtMs: clock.now(),
    firstAnswerAtMs,
    created,
    belief: created ? trusting : afterMessage(),
  }
}

function resultOfWait({ end, job }: WaitEnd): Outcome['result'] {
  if (end === 'over') return job === undefined ? 'error' : resultOf(job)
  return end === 'given-up' ? 'error' : end
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
