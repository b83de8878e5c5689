import type { DocsService } from '../service/docs-service.ts'
import type { Job } from '../service/job.ts'
import { createJob, lookAtJob, sendMessage } from '../service/jobs.ts'
import { afterMessage, trusting } from './completion.ts'
import { lookAtEarlier } from './earlier.ts'
import { type Outcome, resultOf } from './outcome.ts'
import { type Awaited, type WaitEnd, type WaitOptions, waitForJob } from './poll.ts'
import type { DirectAsk } from './request.ts'
import { type SubmitOptions, submit } from './submit.ts'

/** An ask of which only a look at an earlier job tells what it comes to. */
export type JobAsk =
  | DirectAsk
  /** A message to the earlier job or, where that can't go on, a new job. */
  | {
      readonly kind: 'continue'
      readonly id: string
      readonly message: string
      readonly otherwise: () => Promise<string>
    }
  /** The earlier job itself or, where that can't go on, a new one. */
  | { readonly kind: 'resume'; readonly id: string; readonly otherwise: () => Promise<string> }

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
  let settled: DirectAsk | undefined
  let awaited: Awaited
  try {
    settled = await settle(service, ask, options)
    awaited = await start(service, settled, options)
  } catch (error) {
    const result = options.cancel.aborted ? 'cancelled' : 'error'
    const jobId = idOf(settled ?? ask)
    return { result, job: undefined, jobId, durationSeconds: undefined, reason: messageOf(error) }
  }
  const id = awaited.job?.id ?? idOf(settled)
  const end = await waitForJob(awaited, { ...options, look: (signal) => lookAtJob(service, id, signal) })
  return {
    result: resultOfWait(end),
    job: end.job,
    jobId: id,
    durationSeconds: Math.floor((end.lastLookAtMs - awaited.startedAtMs) / 1000),
    reason: end.reason,
  }
}

/** Finds out whether an earlier job can go on. */
async function settle(service: DocsService, ask: JobAsk, options: PerformOptions): Promise<DirectAsk> {
  if (ask.kind !== 'continue' && ask.kind !== 'resume') return ask
  const { id } = ask
  const seen = await lookAtEarlier(service, id, { ...options, random: options.pace.random })
  const goesOn: DirectAsk =
    ask.kind === 'continue'
      ? { kind: 'message', id, prompt: ask.message }
      : { kind: 'attach', id, ...(seen && { seen }) }
  const settled: DirectAsk = seen === undefined ? { kind: 'create', prompt: await ask.otherwise() } : goesOn
  options.onEvent({ type: 'settled', ask: settled })
  return settled
}

async function start(service: DocsService, ask: DirectAsk, options: PerformOptions): Promise<Awaited> {
  const { clock } = options
  const created = ask.kind === 'create'
  if (ask.kind === 'attach') {
    const startedAtMs = clock.now()
    const firstAnswerAtMs = ask.seen === undefined ? undefined : startedAtMs
    return { job: ask.seen, startedAtMs, firstAnswerAtMs, created, belief: trusting }
  }
  const send = (signal: AbortSignal): Promise<Job> =>
    ask.kind === 'create' ? createJob(service, ask.prompt, signal) : sendMessage(service, ask, signal)
  const { value: job, firstAnswerAtMs } = await submit(send, { ...options, random: options.pace.random })
  options.onEvent({ type: 'accepted', job, created })
  return {
    job,
    startedAtMs: clock.now(),
    firstAnswerAtMs,
    created,
    belief: created ? trusting : afterMessage(),
  }
}

function idOf(ask: JobAsk): string {
  return ask.kind === 'create' ? '' : ask.id
}

function resultOfWait({ end, job }: WaitEnd): Outcome['result'] {
  if (end === 'over') return job === undefined ? 'error' : resultOf(job)
  return end === 'given-up' ? 'error' : end
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
