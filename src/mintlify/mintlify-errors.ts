import { type HttpResponse, TRANSPORT_ADVICE, TransportError } from '../lib/http.ts'
import {
  byteLength,
  capitalize,
  clip,
  errorMessage,
  type Failure,
  FailureError,
  inBackticks,
  joinSentences,
  listField,
  recordField,
  stringField,
} from '../lib/text.ts'

/** One call of the service's API, with the words that its errors need. */
export type MintlifyCall = {
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
export type MintlifyResponse = Omit<HttpResponse, 'headers'> & {
  /** The body as JSON, as far as it came; `undefined` if it is none. */
  readonly json: unknown
  /** From `Location`; empty if there is none. */
  readonly location: string
  /** From `Retry-After`, in milliseconds; `undefined` if it does not say. */
  readonly retryAfterMs: number | undefined
}

/** A response that refuses a request or reports a failure. */
export class MintlifyError extends FailureError {
  override readonly name = 'ServiceError'
  readonly status: number
  readonly retryAfterMs: number | undefined

  /** @param isKnownKey whether the key that was sent begins like those of the service */
  constructor(call: MintlifyCall, response: MintlifyResponse, isKnownKey: boolean) {
    const [headline, fix] = explainStatus(call, response, isKnownKey)
    super({
      headline: `${headline} (${response.status})`,
      details: joinSentences(answer(call, response), fix),
    })
    this.status = response.status
    this.retryAfterMs = response.retryAfterMs
  }
}

/** A successful response whose body is not what the documentation says. */
export class InvalidResponseError extends FailureError {
  override readonly name = 'InvalidResponseError'
  readonly isCutOff: boolean

  /** @param mismatch what the JSON is, if it is JSON */
  constructor(call: MintlifyCall, response: MintlifyResponse, mismatch?: string) {
    const [headline, fix] = isHtmlPage(response)
      ? WEB_PAGE
      : [UNEXPECTED, response.isCutOff ? '' : 'Check `base-url`.']
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
  const { message, maybeSent, failure } = error
  if (maybeSent) return { headline: `No response from the docs service: ${message}`, details: '' }
  const isOfProxy = failure === 'proxy'
  const details = joinSentences(isOfProxy ? '' : 'Check `base-url`.', TRANSPORT_ADVICE[failure])
  return { headline: `Failed to reach the docs service: ${message}`, details }
}

/** How long the service asked to wait, in milliseconds; `undefined` if it did not say. */
export function retryAfterMsOf(error: unknown): number | undefined {
  return error instanceof MintlifyError ? error.retryAfterMs : undefined
}

/** Whether a request that only reads may succeed when it is sent again. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof TransportError) return error.failure !== 'tls-protocol'
  if (error instanceof InvalidResponseError) return true
  if (!(error instanceof MintlifyError)) return false
  return error.status === 408 || error.status === 429 || error.status >= 500
}

/** How long to wait after a 429 that does not say, in milliseconds; `undefined` after anything else. */
export function limitPauseMs(error: unknown): number | undefined {
  const isUnsaid = hasStatus(error, 429) && retryAfterMsOf(error) === undefined
  return isUnsaid ? 60_000 : undefined
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof MintlifyError && error.status === status
}

/** A word of the service's own, such as a status or an id, no longer than is worth showing. */
export function mintlifyWord(text: string): string {
  return clip(text, 1000)
}

const UNEXPECTED = 'Unexpected response from the docs service'
const WEB_PAGE: Explanation = [
  'A web page answered, not the docs service',
  'Check `base-url`, and the proxy (`HTTPS_PROXY`, `HTTP_PROXY`) of the runner.',
]
/** Shorter prompts are common. */
const LONG_PROMPT_BYTES = 64 * 1024
const NEW_KEY = 'create an admin key in the dashboard, and put it into the secret behind `api-key`.'
const KNOWN_KEY =
  "The key is mistyped, has expired (after 90 days unless set otherwise) or was deleted, or the organisation's plan lacks the API (Pro or Enterprise has it)"
const UNKNOWN_KEY =
  'The key does not begin with `mint_`, as admin keys do, so it may be of another kind, or a part of one'
const SCOPE = ' may have the scope `read` (a job takes a key with full access), or'

const NO_CREDITS: Explanation = [
  'The credits of the docs service are used up',
  'Buy credits, or wait for the next period.',
]

const PAYMENT: Explanation = [
  'The docs service requires a payment',
  'The credits may be used up, or an invoice may be open: see the dashboard.',
]

/** What is meant by a status and the words of the service. */
const KNOWN_REASONS: readonly (readonly [pattern: RegExp, meaning: Explanation])[] = [
  [/^4(?!04|29).*\bcredits?\b/i, NO_CREDITS],
  [
    /^40[0-3] .*\b(?:plan|trial|subscription)\b/i,
    [
      "The organisation's plan does not include this",
      'Pro and Enterprise include the API and analytics: change the plan in the dashboard, or remove the inputs that ask for this.',
    ],
  ],
  [
    /^40[13] .*\bIP\b/i,
    [
      'The list of IP addresses of the API key lacks this runner',
      'Add the address to the list in the dashboard, or use a runner whose address is on it.',
    ],
  ],
  [
    /^40[13] .*(?:\bscope\b|read[- ]only)/i,
    [
      'The scope of the API key does not allow this',
      `A job takes a key with full access, a report one of scope \`read\`: ${NEW_KEY}`,
    ],
  ],
  [
    /^401 (?:missing|no) .*authorization/i,
    ['The API key did not arrive', 'Does a proxy remove the header `authorization`?'],
  ],
  [/^40[13] .*expired/i, ['The API key has expired', capitalize(NEW_KEY)]],
  [/^40[13] .*(?:deleted|revoked)/i, ['The API key was deleted', capitalize(NEW_KEY)]],
  [
    /^40. .*(?:\bapp\b.*\binstall|\binstall.*\bapp\b)/i,
    [
      'The GitHub App of the docs service is not installed where it is needed',
      'Install it on the repository of the documentation: the dashboard leads there.',
    ],
  ],
  [
    /^400 (?:the )?job (?:is|was|has been) (?:archived|closed|completed|failed)/i,
    [
      'The job takes no message any more',
      'To start a new job, leave out `job-id`, or set `follow-up: false`.',
    ],
  ],
  [
    /^404 .*(?:(?:no such|unknown) (?:call|route|endpoint)|cannot (?:get|post) |(?:route|endpoint)\b.* not found)/i,
    [
      'The docs service does not have this call',
      'Check `base-url`; its path comes before every call.',
    ],
  ],
]

/** What a status means and what to do about it. Sources: the vendor's documentation (November 2026), RFC 9110. */
function explainStatus(
  call: MintlifyCall,
  response: MintlifyResponse,
  isKnownKey: boolean,
): Explanation {
  const { status } = response
  const { prompt = '' } = call
  const said = messageIn(response)
  const bytes = byteLength(prompt)
  const shorten = `The prompt is ${Math.ceil(bytes / 1024)} KiB long: shorten \`prompt\`, \`prompt-file\` or \`context-files\`, or set \`context: files\`.`
  // It says so in plain text or on a page.
  if (status === 403 && /error code: 1010/i.test(response.body)) return FIREWALL
  if ([401, 403, 404].includes(status) && isHtmlPage(response)) return WEB_PAGE
  const known = KNOWN_REASONS.find(([pattern]) => pattern.test(`${status} ${said}`))
  if (known !== undefined) return known[1]
  const invalid: Explanation = [
    'The docs service rejected the request as invalid',
    joinSentences(
      bytes > LONG_PROMPT_BYTES ? shorten : '',
      said === '' || /\b(?:prompt|project)/i.test(said)
        ? `Check ${prompt === '' ? '' : '`prompt` and '}\`project-id\`.`
        : 'The dashboard may show what it means; check `project-id`, too.',
    ),
  ]
  const explanations: Readonly<Record<number, Explanation>> = {
    300: [
      'The docs service redirected the request',
      "Redirects are not followed, so that the API key goes nowhere else. Set `base-url` to the service's own address.",
    ],
    400: invalid,
    422: invalid,
    401: [
      'The docs service refused the API key',
      `${isKnownKey ? KNOWN_KEY : UNKNOWN_KEY}: see the dashboard, and put a valid admin key into the secret behind \`api-key\`.`,
    ],
    402: said === '' ? NO_CREDITS : PAYMENT,
    403: [
      'The docs service does not allow this',
      /^(?:forbidden|access denied|insufficient permissions?)?\.?$/i.test(said)
        ? `The dashboard shows why: the key${prompt === '' ? '' : SCOPE} may have a list of IP addresses that this runner is not on, or the plan may not include this.`
        : 'The dashboard shows the key, its scope and the plan.',
    ],
    404: call.notFound,
    409: [
      'The docs service cannot do this now',
      'Wait until the job is finished (with `job-id` and no prompt), or run this again later.',
    ],
    408: [
      'The docs service timed out waiting for the request',
      'The network of this runner may be slow.',
    ],
    413: [
      'The request is too large for the docs service',
      bytes > LONG_PROMPT_BYTES
        ? shorten
        : 'The prompt is small, so a proxy or a wrong `base-url` is likely.',
    ],
    429: ['The rate limit of the docs service is reached', limitFix(call, response.json, said)],
    500: [
      'The docs service failed',
      'The cause is the service or a proxy before it, not this workflow.',
    ],
  }
  // A redirect and a failure of the service are the same with any last digits.
  const kind = status < 400 || status >= 500 ? Math.floor(status / 100) * 100 : status
  return explanations[kind] ?? [UNEXPECTED, 'This status is not documented; check `base-url`.']
}

const FIREWALL: Explanation = [
  'A firewall in front of the docs service refused this client',
  'Error code 1010 means that the client was blocked because of its user agent, before the service has seen the API key. If a proxy of this runner changes the header `user-agent`, exempt the host from it; otherwise ask the support of the docs service to allow `docs-agent-action`.',
]

/** Whose limit it is: an organisation's is answered in plain text. */
function limitFix({ limit }: MintlifyCall, json: unknown, said: string): string {
  const ofText = said && 'It is the limit of the organisation, for all its API keys.'
  const isSaid = /\b(?:organi[sz]ation|project)\b/i.test(said)
  const ofKey = isSaid ? '' : 'It is the limit of this API key.'
  const whose = json === undefined ? ofText : ofKey
  const documented = limit === undefined ? '' : `The documented limit is ${limit}.`
  return joinSentences(whose || documented, 'Start fewer runs, or run at another time.')
}

/** The longest piece of a response that is quoted, in characters. */
const MAX_QUOTE_LENGTH = 300

/** What came back, in a sentence: the service's own words where it said something. */
function answer({ purpose }: MintlifyCall, response: MintlifyResponse): string {
  const { location } = response
  const answered = `The docs service answered the request to ${purpose}`
  if (location !== '') {
    return `${answered} with a redirect to ${inBackticks(clip(location, MAX_QUOTE_LENGTH))}.`
  }
  const said = messageIn(response)
  if (said !== '') return `${answered} with "${clip(said, MAX_QUOTE_LENGTH)}".`
  return `The request to ${purpose} was answered with ${describeBody(response)}.`
}

/** The service's own words on one line: from the usual fields of JSON, or the whole body if it is short and no HTML. */
function messageIn({ json, body }: MintlifyResponse): string {
  const messages = [
    stringField(json, 'error') ?? stringField(recordField(json, 'error'), 'message'),
    stringField(json, 'message'),
    ...[...listField(json, 'details'), ...listField(json, 'errors')].map((one) =>
      stringField(one, 'message'),
    ),
  ]
  const fields = [...new Set(messages)].filter((part) => part).join('; ')
  const isShortText = json === undefined && body.length <= MAX_QUOTE_LENGTH && !isHtml(body)
  const said = typeof json === 'string' ? json : fields || (isShortText ? body : '')
  return said.replace(/\s+/g, ' ').replaceAll('`', "'").trim()
}

function describeBody(
  response: MintlifyResponse,
  mismatch = 'JSON that does not match the documentation',
): string {
  const { json, body, bodyProblem } = response
  if (bodyProblem !== undefined) return `a body that could not be read because ${bodyProblem}`
  if (body.trim() === '') return 'an empty body'
  if (json !== undefined) return mismatch
  return isHtmlPage(response)
    ? 'an HTML page, probably of a proxy or a login'
    : 'text that is not JSON'
}

function isHtmlPage({ json, body, bodyProblem }: MintlifyResponse): boolean {
  return bodyProblem === undefined && json === undefined && isHtml(body)
}

function isHtml(text: string): boolean {
  return /<(?:!doctype|\/?[a-z])/i.test(text)
}
