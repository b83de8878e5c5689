import { isRecord, listField, stringField } from '../lib/json.ts'
import { clip, errorMessage } from '../lib/text.ts'
import { TransportError } from '../lib/transport-error.ts'
import type { ServiceCall, ServiceResponse } from './service-call.ts'

/** A failure in words. */
export type FailureText = {
  /** What happened, in a few words without a full stop: fit for a heading. Names in backticks are code. */
  readonly headline: string
  /** Sentences: what was requested, what came back, the likely cause and its cure. May be empty. */
  readonly details: string
}

/** A response that refuses a request or reports a failure. Its message is all of its words. */
export class ServiceError extends Error implements FailureText {
  override readonly name = 'ServiceError'
  readonly headline: string
  readonly details: string
  /** HTTP status. */
  readonly status: number
  /** How long the service asks to wait, in milliseconds; `undefined` if it does not say. */
  readonly retryAfterMs: number | undefined

  constructor(call: ServiceCall, response: ServiceResponse) {
    const { status } = response
    const { headline, cure } = explain(call, status)
    const titled = `${headline} (${status})`
    const details = `The docs service answered the request to ${call.purpose} ${answeredWith(response)}. ${cure}`
    super(`${titled}. ${details}`)
    this.headline = titled
    this.details = details
    this.status = status
    this.retryAfterMs = response.retryAfterMs
  }
}

/** A successful response whose body is not what the documentation says. */
export class InvalidResponseError extends Error implements FailureText {
  override readonly name = 'InvalidResponseError'
  readonly headline: string
  readonly details: string

  /** @param found what the body is, where that is known better than by its shape */
  constructor(call: ServiceCall, response: ServiceResponse, found = describeBody(response)) {
    const headline = `Unexpected response of the docs service (${response.status})`
    const what = response.bodyProblem === undefined ? `with ${found}` : unreadable(response.bodyProblem)
    const details = `The docs service answered the request to ${call.purpose} ${what}.`
    super(`${headline}. ${details}`)
    this.headline = headline
    this.details = details
  }
}

/** Describes any failure of a request to the docs service. */
export function describeFailure(error: unknown): FailureText {
  if (error instanceof ServiceError || error instanceof InvalidResponseError) return error
  if (!(error instanceof TransportError)) return { headline: errorMessage(error), details: '' }
  const headline = error.maybeSent
    ? 'No response from the docs service'
    : 'The docs service could not be reached'
  return { headline, details: `${error.message.replace(/^[a-z]/, (letter) => letter.toUpperCase())}.` }
}

/** A failure in words, as sentences. */
export function failureSentences(error: unknown): string {
  const { headline, details } = describeFailure(error)
  return details === '' ? `${headline}.` : `${headline}. ${details}`
}

/** How long the service asked to wait, in milliseconds; 0 if it did not, or that time is over. */
export function retryAfterMsOf(error: unknown): number {
  return error instanceof ServiceError ? (error.retryAfterMs ?? 0) : 0
}

/**
 * Whether a request that only reads may succeed when it is sent again: trouble with the network, a failure of the
 * service, its rate limit, a response that makes no sense.
 */
export function isRetryable(error: unknown): boolean {
  if (error instanceof TransportError || error instanceof InvalidResponseError) return true
  if (!(error instanceof ServiceError)) return false
  return error.status === 408 || isRateLimit(error) || error.status >= 500
}

/** Whether the service refused a request because of its rate limit. */
export function isRateLimit(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 429
}

/** A word of the service's own, such as a status or an id, no longer than is worth showing. */
export function serviceWord(text: string): string {
  return clip(text, 1000)
}

type Explanation = { readonly headline: string; readonly cure: string }

/** What a status means and what to do about it. Sources: the vendor's documentation (August 2026), RFC 9110. */
function explain(call: ServiceCall, status: number): Explanation {
  if (status >= 300 && status < 400) {
    return {
      headline: 'The docs service redirected the request',
      cure: 'Redirects are not followed, so that the API key goes nowhere else. Set `base-url` to the address that the service really has.',
    }
  }
  if (status >= 500) {
    return {
      headline: 'The docs service failed',
      cure: 'That is a fault of the service or of a proxy before it, not of this workflow.',
    }
  }
  if (status === 403) return { headline: 'The docs service does not allow this', cure: causesOf403(call) }
  if (status === 404) return call.notFound
  if (status === 429) {
    return {
      headline: 'The rate limit of the docs service is reached',
      cure: `The limit is ${call.limit}. Start fewer runs, or run at another time.`,
    }
  }
  return EXPLANATIONS[status] ?? UNDOCUMENTED
}

const EXPLANATIONS: Readonly<Record<number, Explanation>> = {
  400: {
    headline: 'The docs service rejected the request as invalid',
    cure: 'Check `prompt` and `project-id`.',
  },
  401: {
    headline: 'The docs service refused the API key',
    cure: 'The key may have expired (keys last 90 days unless their owner chose otherwise), have been deleted, or belong to another service. Create a new admin key in the dashboard and update the secret behind `api-key`.',
  },
  402: {
    headline: 'The credits of the docs service are used up',
    cure: 'Buy credits or wait for the next period; the dashboard shows what is left.',
  },
  408: {
    headline: 'The docs service waited too long for the request',
    cure: 'The network between this runner and the service may be slow.',
  },
  413: {
    headline: 'The prompt is too large for the docs service',
    cure: 'Shorten `prompt`, `prompt-file` or `context-files`, or set `context: files`.',
  },
}

const UNDOCUMENTED: Explanation = {
  headline: 'Unexpected response of the docs service',
  cure: 'This status is not documented; check `base-url`.',
}

/** The causes of a 403, the likeliest first. */
function causesOf403({ method }: ServiceCall): string {
  const scope =
    method === 'POST'
      ? 'the key may have the scope `read`, which cannot start jobs or send messages (use a key with the scope `admin`); '
      : ''
  return `Likely causes: the API needs the Pro or Enterprise plan; ${scope}the key may be limited to a list of IP addresses that this runner is not on.`
}

/** The longest piece of a response that is quoted, in characters. */
const MAX_QUOTE_LENGTH = 300

/** What came back, to follow "The docs service answered": the service's own words where it said something. */
function answeredWith(response: ServiceResponse): string {
  const { status, text, bodyProblem } = response
  if (bodyProblem !== undefined) return unreadable(bodyProblem)
  const said = messageIn(response).replace(/\s+/g, ' ').replaceAll('`', "'").trim()
  if (said !== '') return `with "${clip(said, MAX_QUOTE_LENGTH)}"`
  return text.trim() === '' ? `with ${status} alone` : `with ${describeBody(response)}`
}

function unreadable(bodyProblem: string): string {
  return `with a body that could not be read because ${bodyProblem}`
}

/** The service's own words: from the usual fields of JSON, or the whole body if it is short and no HTML. */
function messageIn({ json, text }: ServiceResponse): string {
  if (typeof json === 'string') return json
  const nested = isRecord(json) ? json['error'] : undefined
  const message =
    stringField(json, 'error') ??
    stringField(nested, 'message') ??
    stringField(json, 'message') ??
    stringField(json, 'detail')
  const details = listField(json, 'details').flatMap((detail) => stringField(detail, 'message') ?? [])
  const said = [message ?? '', ...details].filter((part) => part !== '')
  if (said.length > 0) return said.join('; ')
  return text.length <= MAX_QUOTE_LENGTH && !isHtml(text) ? text : ''
}

function describeBody({ json, text }: ServiceResponse): string {
  if (text.trim() === '') return 'an empty body'
  if (json !== undefined) return 'JSON of another shape than documented'
  return isHtml(text) ? 'an HTML page' : 'a text that is not JSON'
}

function isHtml(text: string): boolean {
  return /<(?:!doctype|\/?[a-z])/i.test(text)
}
