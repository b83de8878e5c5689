import type { Clock } from '../lib/clock.ts'
import type { HttpClient } from '../lib/http.ts'
import { parseJson } from '../lib/json.ts'
import type { Redact } from '../lib/redact.ts'
import { parseRetryAfter } from '../lib/retry.ts'
import { unreadableError } from '../lib/transport-error.ts'
import type { ServiceAnswer, ServiceCall } from './service-call.ts'
import { ServiceError } from './service-error.ts'

/** The docs service, for one project. */
export type DocsService = {
  readonly projectId: string
  /**
   * Makes one call, once.
   *
   * @throws {ServiceError} if the status is none of 2xx
   * @throws {TransportError} if no whole answer came
   */
  ask(call: ServiceCall, signal?: AbortSignal): Promise<ServiceAnswer>
}

/** Where the service is and how to talk to it. */
export type ServiceOptions = {
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
  async function ask(call: ServiceCall, signal?: AbortSignal): Promise<ServiceAnswer> {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    const answer = await options.http.send({
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
      // Creates and messages must not be repeated.
      freshConnection: call.method === 'POST',
    })
    if (answer.bodyProblem !== undefined && answer.status >= 200 && answer.status < 300) {
      throw unreadableError(answer.bodyProblem, answer)
    }
    const text = options.redact(answer.body)
    // Escapes could hide the key from a look at the text.
    const exact = text === answer.body && !text.includes('\\') ? text : undefined
    const clean: ServiceAnswer = {
      status: answer.status,
      json: exact === undefined ? parseRedacted(answer.body, options.redact) : parseJson(exact),
      text,
      exact,
      retryAfterMs: parseRetryAfter(answer.headers['retry-after'], options.clock.now()),
    }
    if (clean.status < 200 || clean.status > 299) throw new ServiceError(call, clean)
    return clean
  }

  return { projectId: options.projectId, ask }
}

function urlOf(baseUrl: URL, { path, query = {} }: ServiceCall): URL {
  const url = new URL(baseUrl)
  url.pathname = [url.pathname.replace(/\/+$/, ''), ...path.map(encodeURIComponent)].join('/')
  url.search = new URLSearchParams(query).toString()
  return url
}

/** Parses JSON, and takes the key out of each string that was read. */
function parseRedacted(text: string, redact: Redact): unknown {
  try {
    return JSON.parse(text, (_name, value: unknown) => (typeof value === 'string' ? redact(value) : value))
  } catch {
    return undefined
  }
}
