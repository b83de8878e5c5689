import { type HttpResponse, TransportError, transportAdvice } from '../lib/http.ts'
import {
  byteLength,
  capitalize,
  clip,
  docsLink,
  errorMessage,
  type Failure,
  FailureError,
  inBackticks,
  joinSentences,
  listField,
  recordField,
  stringField,
} from '../lib/text.ts'
import { formatDuration, type RetryError } from '../lib/time.ts'

/** A call of Mintlify's API, with the words that its errors need. */
export type MintlifyCall = {
  /** Path segments as they are meant; they are URL-encoded when they are sent. */
  readonly path: readonly string[]
  readonly query?: Readonly<Record<string, string | number>>
  /** The instructions for the agent: then the call is a `POST` over a fresh connection, otherwise a `GET`. */
  readonly prompt?: string
  /** To follow "when the action tried to": `create a job`. */
  readonly purpose: string
  /** What a 404 means for this call. */
  readonly notFound: Explanation
  /** The documented limit: `100 jobs per project and hour`. */
  readonly limit?: string
}

/** A title, and the likely cause and the fix as sentences. */
type Explanation = readonly [title: string, fix: string]

/** A response, without the key even if Mintlify has repeated it. */
export type MintlifyResponse = Omit<HttpResponse, 'headers'> & {
  /** What messages call Mintlify: with another `base-url` its host. */
  readonly from: string
  /** Whether the key that was sent starts like Mintlify's own. */
  readonly isKnownKey: boolean
  /** The body as JSON; `undefined` if it isn't JSON. */
  readonly json: unknown
  /** From `Location`; empty if there is none. */
  readonly location: string
  /** From `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined
}

/** A response that rejects a request or reports a failure. */
export class MintlifyError extends FailureError {
  override readonly name = 'MintlifyError'
  readonly status: number
  readonly retryAfterMs: number | undefined

  constructor(call: MintlifyCall, response: MintlifyResponse) {
    const [headline, fix] = explainStatus(call, response)
    super({ headline, details: joinSentences(answerSentence(call, response), fix) })
    this.status = response.status
    this.retryAfterMs = response.retryAfterMs
  }
}

/** A successful response whose body doesn't match the documentation. */
export class InvalidResponseError extends FailureError {
  override readonly name = 'InvalidResponseError'
  readonly isCutOff: boolean

  /** @param mismatch what the JSON is, if it is JSON */
  constructor(call: MintlifyCall, response: MintlifyResponse, mismatch?: string) {
    const { status, from, isCutOff } = response
    const unexpected: Explanation = [
      `Unexpected response from ${from} (${status})`,
      isCutOff ? '' : CHECK_RESPONSE,
    ]
    const [headline, fix] = isHtmlPage(response) ? WEB_PAGE : unexpected
    const body = describeBody(response, mismatch)
    super({ headline, details: joinSentences(answerSentence(call, response, `with ${body}`), fix) })
    this.isCutOff = isCutOff
  }
}

/**
 * Describes any failure of a request to Mintlify.
 *
 * @param mintlify its name in messages
 */
export function describeFailure(error: unknown, mintlify: string): Failure {
  if (error instanceof FailureError) return error
  if (!(error instanceof TransportError)) return { headline: errorMessage(error), details: '' }
  const { message, failure, isOfProxy, maybeSent } = error
  const headlines = {
    refused: `Could not reach ${mintlify}`,
    unresolved: `Could not find the host of ${mintlify}`,
    unreachable: `Could not connect to ${mintlify}`,
    tls: `The TLS connection to ${mintlify} failed`,
    'tls-protocol': `${mintlify} doesn't accept TLS connections`,
    proxy: `The proxy didn't connect to ${mintlify}`,
    timeout: `${mintlify} did not respond in time`,
    broken: `The connection to ${mintlify} closed too early`,
    'too-large': `The response of ${mintlify} is too large`,
  }
  const proxyHeadlines = {
    ...headlines,
    refused: 'The proxy refused the connection',
    unresolved: "The proxy's host name could not be resolved",
    unreachable: 'Could not connect to the proxy',
    tls: 'The TLS connection to the proxy failed',
    'tls-protocol': "The proxy doesn't accept TLS connections",
  }
  const isOfServer = !maybeSent && !isOfProxy && failure !== 'proxy'
  return {
    headline: isOfProxy ? proxyHeadlines[failure] : headlines[failure],
    details: joinSentences(
      `${capitalize(message)}.`,
      isOfServer ? CHECK_BASE_URL : '',
      transportAdvice(error),
    ),
  }
}

/** Describes why nothing was started. `limit`: until when it was tried. */
export function notStartedFailure(
  { reason, cause }: RetryError,
  about: { readonly limit: string; readonly note?: string; readonly mintlify: string },
): Failure & { readonly isTransient: boolean } {
  const { limit, note = '', mintlify } = about
  const { headline, details } = describeFailure(cause, mintlify)
  let lastly = ''
  if (reason === 'deadline' && cause instanceof MintlifyError) {
    lastly = cause.retryAfterMs
      ? `${mintlify} asks to wait ${formatDuration(cause.retryAfterMs)} before the next request, which is longer than ${limit}.`
      : `${mintlify} kept returning this error until ${limit} was reached.`
  }
  const isOfSetup = cause instanceof TransportError && /^(?:tls|proxy)$/.test(cause.failure)
  const isTransient = isRetryable(cause) && !isOfSetup
  return { headline, details: joinSentences(details, note, lastly), isTransient }
}

/** Returns how long Mintlify asked to wait, in milliseconds; `undefined` if it didn't. */
export function retryAfterMsOf(error: unknown): number | undefined {
  return error instanceof MintlifyError ? error.retryAfterMs : undefined
}

/** Whether a request that only reads may succeed when it is sent again. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof TransportError) return error.failure !== 'tls-protocol'
  if (error instanceof InvalidResponseError) return true
  return error instanceof MintlifyError && /^(?:408|429|5..)$/.test(`${error.status}`)
}

/** Returns the pause after a 429 without `Retry-After`, in milliseconds; `undefined` after anything else. */
export function limitPauseMs(error: unknown): number | undefined {
  return hasStatus(error, 429) && retryAfterMsOf(error) === undefined ? 60_000 : undefined
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof MintlifyError && error.status === status
}

/** Shortens a word of Mintlify's, such as a status or an ID, to what is worth showing. */
export function mintlifyWord(text: string): string {
  return clip(text, 1000)
}

const CHECK_BASE_URL = 'If you set `base-url`, check it.'
const CHECK_RESPONSE =
  'If you set `base-url`, check it. Otherwise, update the action, because it may be older than the API.'
const WEB_PAGE: Explanation = [
  'Got a web page instead of an API response',
  `A firewall or a proxy may have sent it. Check the runner's proxy (\`HTTPS_PROXY\`, \`HTTP_PROXY\`). ${CHECK_BASE_URL}`,
]
/** Shorter prompts are common. */
const LONG_PROMPT_BYTES = 64 * 1024
const KNOWN_KEY =
  'The key may be mistyped, deleted, or expired (keys last 90 days by default), or your plan may not include the API.'
const UNKNOWN_KEY =
  "Admin keys start with `mint_`, but this key doesn't. It may be incomplete or a different kind of key."

function newKeyFix(): string {
  return `Create an admin key in the dashboard and save it in the secret that \`api-key\` reads ${docsLink('manage.md#rotate-the-api-key')}.`
}

/** Lists explanations of a status together with Mintlify's words: the first pattern that matches `STATUS WORDS` decides. */
function knownReasons(from: string): readonly (readonly [RegExp, ...Explanation])[] {
  return [
    [/^4(?!04|29).*\bcredits?\b/i, ...noCredits(from)],
    [
      /^40[0-3] .*\b(?:plan|trial|subscription)\b/i,
      "Your plan doesn't include this request",
      `Pro and Enterprise include the API and analytics ${docsLink('requirements.md')}. Change the plan in the dashboard, or remove the inputs that need it.`,
    ],
    [
      /^40[13] .*\bIP\b/i,
      "The API key's IP allow list doesn't include this runner",
      "Add the runner's address to the list in the dashboard, or use a runner whose address is on it.",
    ],
    [
      /^40[13] .*(?:\bscope\b|read[- ]only)/i,
      "The API key's scope doesn't allow this request",
      `A job needs a key with full access; for a report, the scope \`read\` is enough. ${newKeyFix()}`,
    ],
    [
      /^401 (?:missing|no) .*authorization/i,
      `${from} received no API key`,
      'A proxy may be removing the `Authorization` header. Exempt this host from the proxy, or configure the proxy to keep the header.',
    ],
    [/^40[13] .*expired/i, 'The API key has expired', newKeyFix()],
    [/^40[13] .*(?:deleted|revoked)/i, 'The API key was deleted', newKeyFix()],
    [
      /^40. .*(?:\bapp\b.*\binstall|\binstall.*\bapp\b)/i,
      `${from}'s GitHub App isn't installed`,
      `Install it on the docs repository ${docsLink('requirements.md')}. The dashboard has a link to the App.`,
    ],
    [
      /^400 (?:the )?job (?:is|was|has been) (?:archived|closed|completed|failed)/i,
      "The job doesn't accept messages anymore",
      'To start a new job, run the workflow again. If you set `job-id`, remove it first; if that fails again, set `follow-up: false`.',
    ],
    [
      /^404 .*(?:(?:no such|unknown) (?:call|route|endpoint)|cannot (?:get|post) |(?:route|endpoint)\b.* not found)/i,
      `${from} has no such endpoint`,
      'Check the path in `base-url`: the action appends its own paths to it.',
    ],
  ]
}

function noCredits(from: string): Explanation {
  return [
    `Your ${from} credits are used up`,
    `Add credits in the dashboard, or wait until the next billing period ${docsLink('cost.md')}.`,
  ]
}

/** The length of text that is judged by patterns, in characters. */
const MAX_EXPLAINED_LENGTH = 1000

/** Explains a status. Sources: Mintlify's documentation (November 2026), RFC 9110. */
function explainStatus(call: MintlifyCall, response: MintlifyResponse): Explanation {
  const { status, from } = response
  const said = messageIn(response).slice(0, MAX_EXPLAINED_LENGTH)
  // The firewall sends this code in plain text or on a page.
  if (status === 403 && /error code: 1010/i.test(response.body)) {
    return [
      `A firewall in front of ${from} blocked the request`,
      `The firewall rejected the action's user agent before ${from} saw the API key. If a proxy changes the \`User-Agent\` header, exempt this host from it. Otherwise, ask ${from}'s support to allow \`docs-agent-action\`.`,
    ]
  }
  if ([401, 403, 404].includes(status) && isHtmlPage(response)) return WEB_PAGE
  const reason = knownReasons(from).find(([pattern]) => pattern.test(`${status} ${said}`))
  if (reason !== undefined) return [reason[1], reason[2]]
  if (status < 400) {
    return [
      `${from} redirected the request`,
      "A proxy in the runner's network may require a login. If you set `base-url`, use the API's own address. The action doesn't follow redirects, to protect the API key.",
    ]
  }
  if (status >= 500) {
    return [
      `${from} failed (${status})`,
      joinSentences(
        `The cause is ${from} or a proxy in front of it, not your workflow.`,
        // A create or a message may have arrived all the same.
        call.prompt === undefined ? 'Try again later.' : '',
      ),
    ]
  }
  return (
    usualReasons(call, response, said)[status] ?? [
      `Unexpected response from ${from} (${status})`,
      `This status isn't documented. ${CHECK_RESPONSE}`,
    ]
  )
}

/** Lists the usual explanations of statuses. */
function usualReasons(
  call: MintlifyCall,
  response: MintlifyResponse,
  said: string,
): Readonly<Record<number, Explanation>> {
  const { from, isKnownKey } = response
  const longPrompt = longPromptFix(call)
  const invalid = invalidRequest(call, from, said)
  const keyFix = joinSentences(isKnownKey ? KNOWN_KEY : UNKNOWN_KEY, newKeyFix())
  const payment: Explanation = [
    `${from} requires payment`,
    'Check your credits and invoices in the dashboard.',
  ]
  const fewer = `Start fewer runs, or try again later ${docsLink('cost.md')}.`
  return {
    400: invalid,
    422: invalid,
    401: [`${from} rejected the API key`, keyFix],
    402: said === '' ? noCredits(from) : payment,
    403: [`${from} denied the request`, deniedFix(said, call.prompt !== undefined)],
    404: call.notFound,
    410: [`${from} removed this endpoint`, 'Update the action.'],
    409: [`${from} can't do this right now`, 'Try again later.'],
    408: [
      `${from} timed out waiting for the request`,
      "The runner's network or its proxy may be slow.",
    ],
    413: [
      `The request is too large for ${from}`,
      longPrompt ||
        "The prompt is small, so a proxy or a wrong `base-url` is the likely cause. Check the runner's proxy (`HTTPS_PROXY`, `HTTP_PROXY`), and `base-url` if you set it.",
    ],
    429: [
      `You reached the rate limit of ${from}`,
      joinSentences(limitSentence(call, response, said), fewer),
    ],
  }
}

function invalidRequest(call: MintlifyCall, from: string, said: string): Explanation {
  const longPrompt = longPromptFix(call)
  if (longPrompt !== '') return [`The prompt may be too long for ${from}`, longPrompt]
  const names = call.prompt === undefined ? '`project-id`' : '`prompt` and `project-id`'
  const fix =
    said === ''
      ? `Check ${names}. The dashboard may show more.`
      : 'If no input of this step explains this, check the project in the dashboard, or update the action.'
  return [`${from} rejected the request as invalid`, fix]
}

/** Tells how to shorten a long prompt; empty if the prompt isn't long. */
function longPromptFix({ prompt = '' }: MintlifyCall): string {
  const promptBytes = byteLength(prompt)
  return promptBytes > LONG_PROMPT_BYTES
    ? `The prompt has ${Math.ceil(promptBytes / 1024)} KiB. Shorten \`prompt\`, \`prompt-file\`, or \`context-files\`, or set \`context: files\`.`
    : ''
}

function deniedFix(said: string, isPost: boolean): string {
  const hasReason = !/^(?:forbidden|access denied|insufficient permissions?)?\.?$/i.test(said)
  if (hasReason) return 'Check the key, its scope, and your plan in the dashboard.'
  const scope = isPost ? 'have the scope `read` (a job needs a key with full access), or ' : ''
  return `The key may ${scope}have an IP allow list that doesn't include this runner. Check the key and your plan in the dashboard.`
}

/** Names the owner of a limit: Mintlify answers with JSON for a key's own limit, with text for the organization's. */
function limitSentence({ path, limit }: MintlifyCall, { json }: MintlifyResponse, said: string) {
  const documented = limit === undefined ? '' : `The documented limit is ${limit}.`
  if (path[1] === 'analytics')
    return `This is the limit of this API key or of your organization. ${documented}`
  if (json === undefined && said !== '')
    return 'This is the limit of your organization, for all its API keys.'
  const isOfKey = json !== undefined && !/\b(?:organi[sz]ation|project)\b/i.test(said)
  return isOfKey ? 'This is the limit of this API key.' : documented
}

/** The longest piece of a response that is quoted, in characters. */
const MAX_QUOTE_LENGTH = 300

/** Describes Mintlify's answer in a sentence, with its own words as a quote. */
function answerSentence(
  { purpose }: MintlifyCall,
  response: MintlifyResponse,
  what = quoted(response),
): string {
  return `${response.from} returned ${response.status} ${what} when the action tried to ${purpose}.`
}

function quoted(response: MintlifyResponse): string {
  const { location } = response
  if (location !== '') return `with a redirect to ${inBackticks(clip(location, MAX_QUOTE_LENGTH))}`
  const said = messageIn(response)
  return said === '' ? `with ${describeBody(response)}` : `"${clip(said, MAX_QUOTE_LENGTH)}"`
}

/** Mintlify's own words on one line: from the usual fields of JSON, or the whole body if it is short and not HTML. */
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
  mismatch = "JSON that doesn't match the documentation",
): string {
  const { json, body, bodyProblem } = response
  if (bodyProblem !== undefined) return `a body that could not be read, because ${bodyProblem},`
  if (body.trim() === '') return 'an empty body'
  if (json !== undefined) return mismatch
  return isHtmlPage(response) ? 'a web page' : "text that isn't JSON"
}

function isHtmlPage({ json, body, bodyProblem }: MintlifyResponse): boolean {
  return bodyProblem === undefined && json === undefined && isHtml(body)
}

function isHtml(text: string): boolean {
  return /<(?:!doctype|\/?[a-z])/i.test(text)
}
