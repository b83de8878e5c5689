import { type HttpResponse, TransportError, transportAdvice } from '../lib/http.ts'
import {
  capitalize,
  clip,
  docsLink,
  errorMessage,
  inBackticks,
  joinSentences,
  listField,
  Problem,
  recordField,
  stringField,
} from '../lib/text.ts'

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
  readonly limit: string
}

/** A title, and the likely cause and the fix as sentences. */
type Explanation = readonly [title: string, fix: string]

/** A response, without the key even if Mintlify has repeated it. */
export type MintlifyResponse = Omit<HttpResponse, 'headers'> & {
  /** What messages call Mintlify: with another `base-url` its host. */
  readonly from: string
  /** The body as JSON; `undefined` if it isn't JSON. */
  readonly json: unknown
  /** From `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined
}

/** A response that rejects a request, or that can't be used. */
export class MintlifyError extends Problem {
  /** `undefined` of a successful response whose body doesn't match the documentation. */
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  /** Whether it is a web page, which a proxy may have sent. */
  readonly isPage: boolean

  /** @param mismatch what the JSON of a successful response is */
  constructor(call: MintlifyCall, response: MintlifyResponse, mismatch?: string) {
    const { status, from, retryAfterMs } = response
    const isRejected = status < 200 || status > 299
    const [title, fix] = explain(call, response, isRejected)
    const what = isRejected ? quoteMessage(response) : describeBody(response, mismatch)
    const happened = `${from} returned ${status}${what} when the action tried to ${call.purpose}.`
    const isTransient = !isRejected || status === 408 || status === 429 || status >= 500
    super({ title, text: joinSentences(happened, fix), isTransient })
    this.status = isRejected ? status : undefined
    this.isPage = isHtml(response.body)
    this.retryAfterMs = retryAfterMs
  }
}

/** Describes any failure of a request to Mintlify. */
export function describeFailure(error: unknown, mintlify: string): Problem {
  if (error instanceof Problem) return error
  if (!(error instanceof TransportError))
    return new Problem({ title: errorMessage(error), text: '' })
  const isTimeout = error.failure === 'timeout'
  const title = isTimeout ? `${mintlify} did not respond in time` : `Could not reach ${mintlify}`
  const text = joinSentences(`${capitalize(error.message)}.`, transportAdvice(error))
  return new Problem({ title, text, isTransient: true, cause: error })
}

/** Returns how long Mintlify asked to wait, in milliseconds; `undefined` if it didn't. */
export function retryAfterMsOf(error: unknown): number | undefined {
  return error instanceof MintlifyError ? error.retryAfterMs : undefined
}

/** Whether a request that only reads may succeed when it is sent again. */
export function isRetryable(error: unknown): boolean {
  return error instanceof TransportError || (error instanceof MintlifyError && error.isTransient)
}

/** Returns the pause after a 429 without `Retry-After`, in milliseconds; `undefined` after anything else. */
export function limitPauseMs(error: unknown): number | undefined {
  return hasStatus(error, 429) && retryAfterMsOf(error) === undefined ? 60_000 : undefined
}

/** How long to wait before a request is sent again. */
export const PAUSES = { retryAfterMs: retryAfterMsOf, pauseMs: limitPauseMs }

/** How long after it was recorded Mintlify may not know a job yet. */
export const EARLY_MS = 60_000

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof MintlifyError && error.status === status
}

/** Shortens a word of Mintlify's, such as a status or an ID, to what is worth showing. */
export function mintlifyWord(text: string): string {
  return clip(text, 1000)
}

const CHECK = 'If you set `base-url`, check it.'

/** Explains a response by its status. Sources: Mintlify's documentation (November 2026), RFC 9110. */
function explain(call: MintlifyCall, response: MintlifyResponse, isRejected: boolean): Explanation {
  const { status, from } = response
  const isPage = response.json === undefined && isHtml(response.body)
  if (isPage && (!isRejected || [401, 403, 404].includes(status)))
    return [
      'Got a web page instead of an API response',
      `A firewall or a proxy may have sent it. Check the runner's proxy (\`HTTPS_PROXY\`, \`HTTP_PROXY\`). ${CHECK}`,
    ]
  const newKey = `Create an admin key in the ${from} dashboard and save it in the secret that \`api-key\` reads ${docsLink('manage.md#rotate-the-api-key')}.`
  // The firewall in front of the API sends this code in plain text.
  const isBlocked = /error code: 1010/i.test(response.body.slice(0, 1000))
  const reasons: Readonly<Record<number, Explanation>> = {
    401: [
      `${from} rejected the API key`,
      `The key may be mistyped, deleted, or expired (keys last 90 days by default), or your plan may not include the API. ${newKey}`,
    ],
    402: [
      `${from} requires payment`,
      `Your credits may be used up. Add credits in the dashboard, or wait until the next billing period ${docsLink('cost.md')}.`,
    ],
    403: isBlocked
      ? [
          `A firewall blocked the request to ${from}`,
          `The firewall rejected the action's user agent before ${from} saw the API key. If a proxy changes the \`User-Agent\` header, exempt this host from it. Otherwise, ask ${from}'s support to allow \`docs-agent-action\`.`,
        ]
      : [
          `${from} denied the request`,
          `The key may have only the scope \`read\`, its IP list may not include this runner, or your plan may not include this request. ${newKey}`,
        ],
    404: call.notFound,
    413: [
      `The request is too large for ${from}`,
      'Shorten `prompt`, `prompt-file`, or `context-files`, or set `context: files`.',
    ],
    429: [
      `You reached the rate limit of ${from}`,
      `The documented limit is ${call.limit}. Start fewer runs, or try again later ${docsLink('cost.md')}.`,
    ],
  }
  const known = reasons[status]
  if (known) return known
  if (status >= 500) {
    // A create or a message may have arrived all the same.
    const again = call.prompt === undefined ? ' Try again later.' : ''
    const fix = `The cause is ${from} or a proxy in front of it, not your workflow.${again}`
    return [`${from} failed (${status})`, fix]
  }
  if (status >= 300 && status < 400)
    return [
      `${from} redirected the request`,
      "A proxy in the runner's network may require a login. If you set `base-url`, use the API's own address. The action doesn't follow redirects, to protect the API key.",
    ]
  const fix = `${CHECK} Otherwise, update the action, because it may be older than the API.`
  return [`Unexpected response from ${from} (${status})`, response.isCutOff ? '' : fix]
}

/** The longest piece of a response that is quoted, in characters. */
const MAX_QUOTE = 300

/** Quotes Mintlify's own words: from the usual fields of JSON, or the whole body if it is short and not HTML. */
function quoteMessage({ json, body, bodyProblem }: MintlifyResponse): string {
  const messages = [
    stringField(json, 'error') ?? stringField(recordField(json, 'error'), 'message'),
    stringField(json, 'message'),
    ...listField(json, 'details').map((one) => stringField(one, 'message')),
  ]
  const fields = [...new Set(messages)].filter((part) => part).join('; ')
  const isShort = json === undefined && bodyProblem === undefined && body.length <= MAX_QUOTE
  const said = (fields || (isShort && !isHtml(body) ? body : '')).replace(/\s+/g, ' ').trim()
  return said && ` "${clip(said.replaceAll('`', "'"), MAX_QUOTE)}"`
}

function describeBody({ json, body, bodyProblem }: MintlifyResponse, mismatch?: string): string {
  if (bodyProblem !== undefined)
    return ` with a body that could not be read, because ${bodyProblem},`
  if (json !== undefined) return ` with ${mismatch ?? "JSON that doesn't match the documentation"}`
  if (body.trim() === '') return ' with an empty body'
  return isHtml(body) ? ' with a web page' : " with text that isn't JSON"
}

function isHtml(text: string): boolean {
  return /<(?:!doctype|\/?[a-z])/i.test(text.slice(0, 1000))
}

/** Says until when a read was tried, after it was given up. */
export function describeLimit(error: unknown, limit: string, mintlify: string): string {
  if (!(error instanceof MintlifyError)) return ''
  const { retryAfterMs } = error
  return retryAfterMs === undefined
    ? `${mintlify} kept returning this error until ${limit} was reached.`
    : `${mintlify} asks to wait longer than ${limit}: ${inBackticks(`Retry-After: ${Math.round(retryAfterMs / 1000)}`)}.`
}
