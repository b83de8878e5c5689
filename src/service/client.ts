import type { HttpClient } from '../lib/http.ts'
import { parseJson } from '../lib/json.ts'
import type { Redact } from '../lib/markdown.ts'
import { parseRetryAfter } from '../lib/retry.ts'
import type { Clock } from '../lib/time.ts'
import { type ServiceCall, ServiceError, type ServiceResponse } from './errors.ts'

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

/** The docs service, for one project. Nothing is sent before the first call. */
export class DocsService {
  readonly projectId: string
  readonly #options: ServiceOptions
  #sendingSinceMs: number | undefined

  constructor(options: ServiceOptions) {
    this.projectId = options.projectId
    this.#options = options
  }

  /** When the first call was made, or now; milliseconds since the epoch. */
  get sendingSinceMs(): number {
    return this.#sendingSinceMs ?? this.#options.clock.now()
  }

  /**
   * Makes one call, once.
   *
   * @throws {ServiceError} if the status is not 2xx
   * @throws {TransportError} if no response came
   */
  async send(call: ServiceCall, signal?: AbortSignal): Promise<ServiceResponse> {
    const { apiKey, http, clock, redact } = this.#options
    this.#sendingSinceMs ??= clock.now()
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    const response = await http.send({
      method: call.method,
      url: this.#urlOf(call),
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        'user-agent': 'docs-agent-action',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body,
      signal,
      freshConnection: call.method === 'POST',
    })
    const read: ServiceResponse = {
      status: response.status,
      json: redactStrings(parseJson(response.body), redact),
      text: redact(response.body),
      bodyProblem: response.bodyProblem,
      location: redact(response.headers['location'] ?? ''),
      retryAfterMs: parseRetryAfter(response.headers['retry-after'], clock.now()),
    }
    if (read.status < 200 || read.status > 299) throw new ServiceError(call, read)
    return read
  }

  #urlOf({ path, query = {} }: ServiceCall): URL {
    const url = new URL(this.#options.baseUrl)
    url.pathname = [url.pathname.replace(/\/+$/, ''), ...path.map(encodeURIComponent)].join('/')
    url.search = new URLSearchParams(query).toString()
    return url
  }
}

/** A JSON value without the key, wherever the service may have put it. */
function redactStrings(value: unknown, redact: Redact): unknown {
  const text = JSON.stringify(value)
  return text === undefined
    ? undefined
    : JSON.parse(text, (_name, part: unknown) => (typeof part === 'string' ? redact(part) : part))
}
