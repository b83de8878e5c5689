import type { DocsService } from '../service/docs-service.ts'
import type { Job } from '../service/job.ts'
import { createJob, getJob, sendMessage } from '../service/jobs.ts'
import { afterMessage, trusting } from './completion.ts'
import { getEarlierJob } from './earlier.ts'
import { type Outcome, resultOf } from './outcome.ts'
import { type Awaited, pollJob, type WaitEnd } from './poll.ts'
import type { DirectRequest } from './request.ts'
import { type SubmitOptions, submit } from './submit.ts'

/** An ask of which only a look at an earlier job tells what it comes to. */
export type JobRequest =
  | DirectRequest
  /** A message to the earlier job or, where that can't go on, a new job. */
  | {
      readonly kind: 'continue'
      readonly id: string
      readonly message: string
      readonly createPrompt: () => Promise<string>
    }
  /** The earlier job itself or, where that can't go on, a new one. */
  | { readonly kind: 'resume'; readonly id: string; readonly createPrompt: () => Promise<string> }

/** What performing an ask needs from outside. */
export type PerformOptions = SubmitOptions & {
  /** Fixed pause between polls in milliseconds; `undefined`: adaptive. */
  readonly pollIntervalMs: number | undefined
  /** `false`: return once the job is accepted. */
  readonly wait: boolean
}

/**
 * Performs an ask: starts what is to be started, once, and waits as long as asked for.
 * Never rejects for what the service or the network does: that is an outcome.
 */
export async function performJob(
  service: DocsService,
  ask: JobRequest,
  options: PerformOptions,
): Promise<Outcome> {
  let resolved: DirectRequest | undefined
  let awaited: Awaited
  try {
    resolved = await resolve(service, ask, options)
    awaited = await start(service, resolved, options)
  } catch (error) {
    const result = options.cancel.aborted ? 'cancelled' : 'error'
    const jobId = idOf(resolved ?? ask)
    const reason = messageOf(error)
    return { result, job: undefined, jobId, durationSeconds: undefined, reason, sent: promptOf(resolved) }
  }
  const id = awaited.job?.id ?? idOf(resolved)
  const end = await pollJob(awaited, {
    ...options,
    pace: options,
    untilOver: options.wait,
    look: (signal) => getJob(service, id, signal),
  })
  return {
    result: resultOfWait(end),
    job: end.job,
    jobId: id,
    durationSeconds: Math.floor((end.lastLookAtMs - awaited.startedAtMs) / 1000),
    reason: end.reason,
    sent: promptOf(resolved),
  }
}

/** Finds out whether an earlier job can go on. */
async function resolve(
  service: DocsService,
  ask: JobRequest,
  options: PerformOptions,
): Promise<DirectRequest> {
  if (ask.kind !== 'continue' && ask.kind !== 'resume') return ask
  const { id } = ask
  const seen = await getEarlierJob(service, id, { ...options, random: options.random })
  const goesOn: DirectRequest =
    ask.kind === 'continue'
      ? { kind: 'message', id, prompt: ask.message }
      : { kind: 'attach', id, ...(seen && { seen }) }
  const resolved: DirectRequest =
    seen === undefined ? { kind: 'create', prompt: await ask.createPrompt() } : goesOn
  options.onEvent({ type: 'resolved', request: resolved })
  return resolved
}

async function start(service: DocsService, ask: DirectRequest, options: PerformOptions): Promise<Awaited> {
  const { clock } = options
  const created = ask.kind === 'create'
  if (ask.kind === 'attach') {
    const startedAtMs = clock.now()
    const firstAnswerAtMs = ask.seen === undefined ? undefined : startedAtMs
    return { job: ask.seen, startedAtMs, firstAnswerAtMs, created, belief: trusting }
  }
  const send = (signal: AbortSignal): Promise<Job> =>
    ask.kind === 'create' ? createJob(service, ask.prompt, signal) : sendMessage(service, ask, signal)
  const { value: job, firstAnswerAtMs } = await submit(send, { ...options, random: options.random })
  options.onEvent({ type: 'accepted', job, created })
  return {
    job,
    startedAtMs: clock.now(),
    firstAnswerAtMs,
    created,
    belief: created ? trusting : afterMessage(),
  }
}

function promptOf(request: DirectRequest | undefined): string {
  return request !== undefined && 'prompt' in request ? request.prompt : ''
}

function idOf(ask: JobRequest): string {
  return ask.kind === 'create' ? '' : ask.id
}

function resultOfWait({ end, job }: WaitEnd): Outcome['result'] {
  if (end === 'over') return job === undefined ? 'error' : resultOf(job)
  return end === 'given-up' ? 'error' : end
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
