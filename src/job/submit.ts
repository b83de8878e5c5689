import type { Deps } from '../lib/deps.ts'
import { formatDuration } from '../lib/duration.ts'
import { afterGrace } from '../lib/grace.ts'
import { backoffMs } from '../lib/retry.ts'
import { TransportError } from '../lib/transport-error.ts'
import { retryAfterMsOf, ServiceError } from '../service/service-error.ts'
import type { OnJobEvent } from './progress.ts'

/** A request that was refused or did not arrive: nothing was started by it. */
export class NotSubmittedError extends Error {
  override readonly name = 'NotSubmittedError'
}

/** A request of which nobody can say whether it was accepted. It must not be sent again. */
export class UncertainError extends Error {
  override readonly name = 'UncertainError'
}

/** What a submission needs. A cancel ends pauses at once, and a request in flight after `CANCEL_GRACE_MS`. */
export type SubmitOptions = Deps & {
  /** Longest time to go on being refused for the rate limit, from the first answer, in milliseconds. */
  readonly timeoutMs: number
  readonly onEvent: OnJobEvent
}

/** How long a request in flight is still awaited once the run was cancelled, so that its job's id is not lost. */
export const CANCEL_GRACE_MS = 3000

/** How long a request that can't reach the service is tried again. */
const UNREACHABLE_LIMIT_MS = 30_000

const BACKOFF = { baseMs: 1000, maxMs: 30_000 }

/** An answer and when the service first answered at all, in milliseconds since the epoch. */
export type Submitted<T> = { readonly value: T; readonly firstAnswerAtMs: number }

/**
 * Sends a request that must take effect at most once. It is sent again only where it certainly did not arrive (the
 * connection was refused, the name not resolved, TLS failed before sending) or was not accepted (429).
 *
 * @param send sends it once; its signal ends the request
 * @throws {NotSubmittedError} nothing was started
 * @throws {UncertainError} something may have been started
 */
export async function submit<T>(
  send: (signal: AbortSignal) => Promise<T>,
  options: SubmitOptions,
): Promise<Submitted<T>> {
  const { clock, cancel } = options
  const unreachableAtMs = clock.now() + UNREACHABLE_LIMIT_MS
  let firstAnswerAtMs: number | undefined
  for (let failures = 1; ; failures++) {
    if (cancel.aborted) throw new NotSubmittedError('The run was cancelled, and nothing was started.')
    try {
      const value = await send(afterGrace(cancel, CANCEL_GRACE_MS, clock))
      return { value, firstAnswerAtMs: firstAnswerAtMs ?? clock.now() }
    } catch (error) {
      if (error instanceof ServiceError) firstAnswerAtMs ??= clock.now()
      const limitAtMs = (firstAnswerAtMs ?? Infinity) + options.timeoutMs
      const pauseMs = pauseBeforeNext(error, failures, {
        nowMs: clock.now(),
        limitAtMs,
        unreachableAtMs,
        random: options.random,
      })
      await pauseAloud(pauseMs, error as Error, options)
    }
  }
}

/** A log that says nothing for longer looks like a run that hangs. */
const SIGN_OF_LIFE_MS = 60_000

async function pauseAloud(
  ms: number,
  error: Error,
  { clock, cancel, onEvent }: SubmitOptions,
): Promise<void> {
  for (let leftMs = ms; leftMs > 0 && !cancel.aborted; leftMs -= SIGN_OF_LIFE_MS) {
    onEvent({ type: 'retry', error, retryInMs: leftMs })
    await clock.sleep(Math.min(leftMs, SIGN_OF_LIFE_MS), cancel).catch(() => undefined)
  }
}

type Limits = {
  readonly nowMs: number
  readonly limitAtMs: number
  readonly unreachableAtMs: number
  readonly random: () => number
}

function pauseBeforeNext(error: unknown, failures: number, limits: Limits): number {
  const growingMs = backoffMs(failures, BACKOFF, limits.random)
  if (error instanceof ServiceError && error.status === 429) {
    const leftMs = limits.limitAtMs - limits.nowMs
    // Where nothing else is asked for, it is tried a last time when the time is up.
    const pauseMs = retryAfterMsOf(error) || Math.min(growingMs, leftMs - 1)
    if (pauseMs > 0 && pauseMs < leftMs) return pauseMs
    throw new NotSubmittedError(`${error.message} ${farOff(retryAfterMsOf(error))} Nothing was started.`, {
      cause: error,
    })
  }
  if (error instanceof TransportError && isWorthAnotherTry(error)) {
    if (limits.nowMs + growingMs < limits.unreachableAtMs) return growingMs
  }
  throw isCertainlyRefused(error) ? notSubmitted(error) : uncertain(error)
}

function farOff(askedMs: number): string {
  return askedMs > 0
    ? `It wants to be asked again only in ${formatDuration(askedMs)}, which is past \`timeout\`.`
    : 'It kept saying so until `timeout` was used up.'
}

function isWorthAnotherTry({ maybeSent, failure }: TransportError): boolean {
  return !maybeSent && (failure === 'refused' || failure === 'unresolved' || failure === 'tls')
}

function isCertainlyRefused(error: unknown): boolean {
  if (error instanceof TransportError) return !error.maybeSent
  return error instanceof ServiceError && error.status >= 300 && error.status < 500 && error.status !== 408
}

function notSubmitted(error: unknown): NotSubmittedError {
  const message =
    error instanceof TransportError ? `The service could not be reached: ${error.message}.` : messageOf(error)
  return new NotSubmittedError(`${message} Nothing was started, so it is safe to run this again.`, {
    cause: error,
  })
}

function uncertain(error: unknown): UncertainError {
  const message =
    error instanceof TransportError ? `The service's answer was lost: ${error.message}.` : messageOf(error)
  const advice =
    "The request may have been accepted all the same: a job may be running. Look for it in the service's dashboard, " +
    'and for its pull request, before you run this again: a second run may start a second job and spend its credits.'
  return new UncertainError(`${message} ${advice}`, { cause: error })
}

function messageOf(error: unknown): string {
  if (error instanceof DOMException) return 'The run was cancelled before the service had answered.'
  return error instanceof Error ? error.message : String(error)
}
