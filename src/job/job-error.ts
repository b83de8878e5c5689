import type { Failure } from '../lib/failure.ts'
import { joinSentences } from '../lib/text.ts'
import { TransportError } from '../lib/transport-error.ts'
import { describeFailure, isRetryable } from '../service/errors.ts'

/** Why there is no job to wait for, and whether one may have been started all the same. */
export class JobError extends Error implements Failure {
  override readonly name = 'JobError'
  readonly headline: string
  readonly details: string

  constructor({ headline, details }: Failure, options?: { readonly cause: unknown }) {
    super(`${headline}. ${details}`, options)
    this.headline = headline
    this.details = details
  }
}

export const NOTHING_STARTED: Failure = { headline: '', details: 'Nothing was started.' }

/** The error where nothing runs that did not run before. That it is safe to run again is said only where it can help. */
export function nothingStarted(cause: unknown, note = ''): JobError {
  if (cause instanceof DOMException) return new JobError(NOTHING_STARTED, { cause })
  const { headline, details } = describeFailure(cause)
  const advice = isTransient(cause)
    ? 'Nothing was started, so it is safe to run this again.'
    : 'Nothing was started.'
  return new JobError({ headline, details: joinSentences(details, note, advice) }, { cause })
}

/** Whether a failure may be over by the time that the workflow runs again, with nothing changed. */
function isTransient(error: unknown): boolean {
  if (error instanceof TransportError) return error.failure !== 'tls' && error.failure !== 'proxy'
  return isRetryable(error)
}

const MAYBE_STARTED =
  'The request may have been accepted all the same: a job may be running. Look for it in the dashboard of the docs ' +
  'service, and for its pull request, before you run this again: a second run may start a second job and spend its credits.'

/** The error where the service may have accepted the request all the same. */
export function maybeStarted(cause: unknown): JobError {
  const { headline, details } =
    cause instanceof DOMException
      ? { headline: 'The docs service had not answered yet', details: '' }
      : describeFailure(cause)
  return new JobError({ headline, details: joinSentences(details, MAYBE_STARTED) }, { cause })
}
