import type { Clock } from '../lib/clock.ts'
import type { HttpClient } from '../lib/http.ts'
import { parseJson } from '../lib/json.ts'
import type { Redact } from '../lib/redact.ts'
import { parseRetryAfter } from '../lib/retry.ts'
import type { ServiceCall, ServiceResponse } from './service-call.ts'
import { ServiceError } from './service-error.ts'

/** The docs service, for one project. */
export type DocsService = {
  readonly projectId: string
  /**
   * Makes one call, once.
   *
   * @throws {ServiceError} if the status is not 2xx
   * @throws {TransportError} if no response came
   */
  send(call: ServiceCall, signal?: AbortSignal): Promise<ServiceResponse>
}

/** Where the service is and how to call it. */
type ServiceOptions = {
  /** May have a path; all calls go below it. */
  readonly baseUrl: URL
  readonly projectId: string
  readonly apiKey: string
  readonly http: HttpClient
  readonly clock: Clock
  readonly redact: Redact
}

/** Gives access to the service. Nothing is sent yet. */
export function openDocsService(options: ServiceOptions): DocsService {
  async function send(call: ServiceCall, signal?: AbortSignal): Promise<ServiceResponse> {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    const {
      status,
      headers,
      body: text,
      bodyProblem,
    } = await options.http.send({
      method: call.method,
      url: urlOf(options.baseUrl, call),
      headers: {
        authorization: `Bearer ${options.apiKey}`,
        accept: 'application/json',
        'user-agent': 'docs-agent-action',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      signal,
      freshConnection: call.method === 'POST',
    })
    const response: ServiceResponse = {
      status,
      ...readBody(text, options.redact),
      bodyProblem,
      retryAfterMs: parseRetryAfter(headers['retry-after'], options.clock.now()),
    }
    if (status < 200 || status > 299) throw new ServiceError(call, response)
    return response
  }

  return { projectId: options.projectId, send }
}

function urlOf(baseUrl: URL, { path, query = {} }: ServiceCall): URL {
  const url = new URL(baseUrl)
  url.pathname = [url.pathname.replace(/\/+$/, ''), ...path.map(encodeURIComponent)].join('/')
  url.search = new URLSearchParams(query).toString()
  return url
}

/** Reads a body, and takes the key out of its text and, since escapes may hide it there, of each string in its JSON. */
function readBody(body: string, redact: Redact): Pick<ServiceResponse, 'json' | 'text' | 'exact'> {
  const text = redact(body)
  const plain = withoutEscapes(body)
  if (text === body && redact(plain) === plain) return { json: parseJson(body), text, exact: body }
  const reviver = (_name: string, value: unknown): unknown =>
    typeof value === 'string' ? redact(value) : value
  return { json: parseJson(body, reviver), text, exact: undefined }
}

/** A JSON text with its escapes read back: no JSON any more, but all that its strings say is in it. */
function withoutEscapes(text: string): string {
  return text.replace(/\\(?:u([\da-f]{4})|(["\\/]))/gi, (_escape, hex: string | undefined, character = '') =>
    hex === undefined ? character : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
