import type { HttpResponse } from '../lib/http.ts'
import { listField, recordField, stringField } from '../lib/json.ts'
import {
  byteLength,
  capitalize,
  clip,
  errorMessage,
  type Failure,
  FailureError,
  failureText,
  inBackticks,
  joinSentences,
} from '../lib/text.ts'
import { TransportError } from '../lib/transport.ts'

/** One call of the service's API, with the words that its errors need. */
export type ServiceCall = {
  /** Path segments as they are meant; they are URL-encoded when they are sent. */
  readonly path: readonly string[]
  readonly query?: Readonly<Record<string, string | number>>
  /** What the agent is to do: a `POST`, over a connection of its own. Without it, a `GET`. */
  readonly prompt?: string
  /** What is requested, to follow "the request to": `create a job`. */
  readonly purpose: string
  /** What a 404 means for this call, and what to do. */
  readonly notFound: Explanation
  /** To follow "The documented limit is": `100 jobs per project and hour`. */
  readonly limit?: string
}

/** What happened, fit for a heading, and what to do about it, as sentences. */
type Explanation = readonly [headline: string, fix: string]

/** A response, without the key wherever the service may have put it. */
export type ServiceResponse = Omit<HttpResponse, 'headers'> & {
  /** The body as JSON, as far as it came; `undefined` if it is none. */
  readonly json: unknown
  /** From `Location`; empty if there is none. */
  readonly location: string
  /** From `Retry-After`, in milliseconds; `undefined` if it does not say. */
  readonly retryAfterMs: number | undefined
}

/** A response that refuses a request or reports a failure. */
export class ServiceError extends FailureError {
  override readonly name = 'ServiceError'
  readonly status: number
  readonly retryAfterMs: number | undefined

  constructor(call: ServiceCall, response: ServiceResponse) {
    const [headline, fix] = explain(call, response)
    super({ headline: `${headline} (${response.status})`, details: `${answer(call, response)} ${fix}` })
    this.status = response.status
    this.retryAfterMs = response.retryAfterMs
  }
}

/** A successful response whose body is not what the documentation says. */
export class InvalidResponseError extends FailureError {
  override readonly name = 'InvalidResponseError'
  readonly isCutOff: boolean

  /** @param mismatch what the JSON is, if it is JSON */
  constructor(call: ServiceCall, response: ServiceResponse, mismatch?: string) {
    const [headline, fix] = isHtmlPage(response) ? HTML_PAGE : [UNEXPECTED, '']
    const found = describeBody(response, mismatch)
    const details = joinSentences(`The request to ${call.purpose} was answered with ${found}.`, fix)
    super({ headline: `${headline} (${response.status})`, details })
    this.isCutOff = response.isCutOff
  }
}

/** Describes any failure of a request to the docs service. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof FailureError) return error
  if (!(error instanceof TransportError)) return { headline: errorMessage(error), details: '' }
  const headline = error.maybeSent ? 'No response from the docs service' : 'Failed to reach the docs service'
  const cause = `${capitalize(error.message)}.`
  const isExplained = error.maybeSent || error.failure === 'proxy' || error.failure === 'tls'
  return { headline, details: joinSentences(cause, isExplained ? '' : CHECK_CONNECTION) }
}

export function failureSentences(error: unknown): string {
  return failureText(describeFailure(error))
}

/** How long the service asked to wait, in milliseconds; `undefined` if it did not say. */
export function retryAfterMsOf(error: unknown): number | undefined {
  return error instanceof ServiceError ? error.retryAfterMs : undefined
}

/** Whether a request that only reads may succeed when it is sent again. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof TransportError) return error.failure !== 'tls-protocol'
  if (error instanceof InvalidResponseError) return true
  if (!(error instanceof ServiceError)) return false
  return error.status === 408 || error.status === 429 || error.status >= 500
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ServiceError && error.status === status
}

/** A word of the service's own, such as a status or an id, no longer than is worth showing. */
export function serviceWord(text: string): string {
  return clip(text, 1000)
}

const UNEXPECTED = 'Unexpected response from the docs service'
const CHECK_CONNECTION = 'Check `base-url`, and the firewall and proxy of the runner.'
const HTML_PAGE: Explanation = ['The response is an HTML page, not from the docs service', CHECK_CONNECTION]
const SHORTEN = 'Shorten `prompt`, `prompt-file` or `context-files`, or set `context: files`.'

/** What a status means and what to do about it. Sources: the vendor's documentation (November 2026), RFC 9110. */
function explain(call: ServiceCall, response: ServiceResponse): Explanation {
  const { status } = response
  // It says so in plain text or on a page.
  if (status === 403 && /error code: 1010/i.test(response.body)) return FIREWALL
  if ((status === 403 || status === 404) && isHtmlPage(response)) return HTML_PAGE
  const explanations: Readonly<Record<number, Explanation>> = {
    300: [
      'The docs service redirected the request',
      "Redirects are not followed, so that the API key goes nowhere else. Set `base-url` to the service's own address.",
    ],
    400: ['The docs service rejected the request as invalid', invalidFix(call)],
    401: [
      'The docs service refused the API key',
      "The key may have expired (keys last 90 days unless their owner chose otherwise), have been deleted, or belong to another service; or the organisation's plan does not include the API, which needs Pro or Enterprise. Check the plan in the dashboard, or create a new admin key there and update the secret behind `api-key`.",
    ],
    402: ['The credits of the docs service are used up', 'Buy credits, or wait for the next period.'],
    403: ['The docs service does not allow this', forbiddenFix(call, response)],
    404: call.notFound,
    408: ['The docs service timed out waiting for the request', 'The network of this runner may be slow.'],
    413: ['The prompt is too large for the docs service', joinSentences(lengthNote(call), SHORTEN)],
    429: ['The rate limit of the docs service is reached', limitFix(call, response)],
    500: ['The docs service failed', 'The cause is the service or a proxy before it, not this workflow.'],
  }
  // A redirect and a failure of the service are the same with any last digits.
  const kind = status < 400 || status >= 500 ? Math.floor(status / 100) * 100 : status
  return explanations[kind] ?? [UNEXPECTED, 'This status is not documented; check `base-url`.']
}

/** Shorter prompts are common. */
const LONG_PROMPT_BYTES = 64 * 1024

function lengthNote({ prompt = '' }: ServiceCall): string {
  const bytes = byteLength(prompt)
  return bytes > LONG_PROMPT_BYTES ? `The prompt is ${Math.round(bytes / 1024)} KiB long.` : ''
}

function invalidFix(call: ServiceCall): string {
  const note = lengthNote(call)
  if (note !== '') return `${note} It may be too long. ${SHORTEN} Otherwise check \`project-id\`.`
  return call.prompt === undefined ? 'Check `project-id`.' : 'Check `prompt` and `project-id`.'
}

const FIREWALL: Explanation = [
  'A firewall in front of the docs service refused this client',
  'Error code 1010 means that the client was blocked because of its user agent, before the service has seen the API key. If a proxy of this runner changes the header `user-agent`, exempt the host from it; otherwise ask the support of the docs service to allow `docs-agent-action`.',
]

function forbiddenFix({ prompt }: ServiceCall, response: ServiceResponse): string {
  if (messageIn(response) !== '') return "The dashboard shows the key's scope and its list of IP addresses."
  const addresses =
    'may be limited to a list of IP addresses that this runner is not on: the dashboard shows it.'
  if (prompt === undefined) return `The key ${addresses}`
  return `The key may have the scope \`read\`, which cannot start jobs or send messages (use a key with the scope \`admin\`), or it ${addresses}`
}

/** Whose limit it is: an organisation's is answered in plain text; analytics have no other. */
function limitFix({ path, limit }: ServiceCall, response: ServiceResponse): string {
  const documented = limit === undefined ? '' : `The documented limit is ${limit}.`
  const advice = 'Start fewer runs, or run at another time.'
  const isText = response.json === undefined
  if (path[1] === 'analytics' || (isText && messageIn(response) === ''))
    return joinSentences(documented, advice)
  if (isText) return `It is the limit of the organisation, for all its API keys. ${advice}`
  return joinSentences('It is the limit of the API key or of the project.', documented, advice)
}

/** The longest piece of a response that is quoted, in characters. */
const MAX_QUOTE_LENGTH = 300

/** What came back, in a sentence: the service's own words where it said something. */
function answer({ purpose }: ServiceCall, response: ServiceResponse): string {
  const { status, body, location, json, bodyProblem } = response
  const answered = `The docs service answered the request to ${purpose}`
  if (status < 400 && location !== '') {
    return `${answered} with a redirect to ${inBackticks(clip(location, MAX_QUOTE_LENGTH))}.`
  }
  const said = messageIn(response)
  if (said !== '') return `${answered} with "${clip(said, MAX_QUOTE_LENGTH)}".`
  const isSilent = bodyProblem === undefined && (body.trim() === '' || json !== undefined)
  if (isSilent) return `${answered} and gave no reason.`
  return `The request to ${purpose} was answered with ${describeBody(response)}.`
}

/** The service's own words on one line: from the usual fields of JSON, or the whole body if it is short and no HTML. */
function messageIn({ json, body }: ServiceResponse): string {
  const message =
    stringField(json, 'error') ??
    stringField(recordField(json, 'error'), 'message') ??
    stringField(json, 'message') ??
    stringField(json, 'detail')
  const details = [...listField(json, 'details'), ...listField(json, 'errors')].flatMap((one) =>
    typeof one === 'string' ? one : (stringField(one, 'message') ?? []),
  )
  const fields = [message, ...details].filter((part) => part).join('; ')
  const isShortText = json === undefined && body.length <= MAX_QUOTE_LENGTH && !isHtml(body)
  const said = typeof json === 'string' ? json : fields || (isShortText ? body : '')
  return said.replace(/\s+/g, ' ').replaceAll('`', "'").trim()
}

function describeBody(
  response: ServiceResponse,
  mismatch = 'JSON that does not match the documentation',
): string {
  const { json, body, bodyProblem } = response
  if (bodyProblem !== undefined) return `a body that could not be read because ${bodyProblem}`
  if (body.trim() === '') return 'an empty body'
  if (json !== undefined) return mismatch
  return isHtmlPage(response) ? "an HTML page, a proxy's or a login page" : 'text that is not JSON'
}

function isHtmlPage({ json, body, bodyProblem }: ServiceResponse): boolean {
  return bodyProblem === undefined && json === undefined && isHtml(body)
}

function isHtml(text: string): boolean {
  return /<(?:!doctype|\/?[a-z])/i.test(text)
}
