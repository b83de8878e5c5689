import { isRecord, stringField } from '../lib/json.ts'
import { clip } from '../lib/text.ts'
import { TransportError } from '../lib/transport-error.ts'
import type { ServiceAnswer, ServiceCall } from './service-call.ts'

/** An answer of the service that is a refusal or a failure. The message says what was asked, what came, and the cure. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  /** HTTP status. */
  readonly status: number
  /** How long the service wants to be left alone, in milliseconds; `undefined` if it does not say. */
  readonly retryAfterMs: number | undefined

  constructor(call: ServiceCall, answer: ServiceAnswer) {
    const said = quotedAnswer(answer)
    super(
      `The service answered ${answer.status} when asked to ${call.purpose}${said}. ${cureFor(call, answer.status)}`,
    )
    this.status = answer.status
    this.retryAfterMs = answer.retryAfterMs
  }
}

/** How long the service asked to be left alone, in milliseconds; 0 if it did not, or the time is gone by. */
export function retryAfterMsOf(error: unknown): number {
  return error instanceof ServiceError ? (error.retryAfterMs ?? 0) : 0
}

/** What went wrong with a question, as sentences. */
export function inWords(error: Error): string {
  return error instanceof TransportError ? `The service could not be asked: ${error.message}.` : error.message
}

/** A successful answer whose body is not what the interface says. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'

  /** @param found what the body is, where that is known better than by its shape */
  constructor(call: ServiceCall, answer: ServiceAnswer, found = describeBody(answer)) {
    super(`The service answered ${answer.status} when asked to ${call.purpose}, but with ${found}.`)
  }
}

const CURES: Readonly<Record<number, string>> = {
  400: 'It takes the request to be wrong.',
  401: 'It does not accept the API key: it may have expired (keys last 90 days unless their owner chose createPrompt), have been deleted, or belong to another service. Make a new admin key in the dashboard and update the secret behind `api-key`.',
  408: 'It waited too long for the request to arrive; try again.',
  413: 'The prompt is too large for it; shorten `prompt`, `prompt-file` or `context-files`.',
}

function cureFor(call: ServiceCall, status: number): string {
  if (status >= 300 && status < 400) {
    return 'Redirects are not followed, so that the key goes nowhere else. Set `base-url` to the address that the service really has.'
  }
  if (status >= 500)
    return 'That is a fault of the service or of a proxy before it, not of this workflow; try again later.'
  if (status === 403)
    return `The key may be limited to a list of IP addresses that this runner is not on${scopeCause(call)}.`
  if (status === 404) return call.notFound
  if (status === 429)
    return `That is its rate limit: ${call.limit}. Start fewer runs, or run at another time.`
  return CURES[status] ?? 'That answer is not documented; check `base-url`.'
}

function scopeCause(call: ServiceCall): string {
  return call.method === 'POST'
    ? ', or have the scope `read`, which may not start jobs; use an admin key that may write'
    : ''
}

/** The longest piece of an answer that is quoted, in characters. */
const QUOTE_LENGTH = 300

function quotedAnswer({ json, text }: ServiceAnswer): string {
  const error = stringField(json, 'error') ?? stringField(json, 'message') ?? ''
  const details = isRecord(json) && Array.isArray(json['details']) ? json['details'] : []
  const said = [error, ...details.map((detail) => stringField(detail, 'message') ?? '')].filter(
    (part) => part !== '',
  )
  if (said.length > 0) return ` ("${clip(said.join('; '), QUOTE_LENGTH)}")`
  if (json === undefined && text.trim() !== '')
    return ` with ${isHtml(text) ? 'an HTML page' : 'a text that is not JSON'}`
  return ''
}

function describeBody({ json, text }: ServiceAnswer): string {
  if (text.trim() === '') return 'an empty body'
  if (json !== undefined) return 'JSON of another shape than documented'
  return isHtml(text) ? 'an HTML page' : 'a text that is not JSON'
}

function isHtml(text: string): boolean {
  return /^\s*(?:<!doctype html|<html)/i.test(text)
}
