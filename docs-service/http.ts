import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { text } from 'node:stream/consumers'

const ROUTES = [
  { name: 'create', method: 'POST', path: /^\/v2\/agent\/([^/]+)\/job$/ },
  { name: 'look', method: 'GET', path: /^\/v2\/agent\/([^/]+)\/job\/([^/]+)$/ },
  { name: 'message', method: 'POST', path: /^\/v2\/agent\/([^/]+)\/job\/([^/]+)\/message$/ },
  { name: 'visitors', method: 'GET', path: /^\/v1\/analytics\/([^/]+)\/visitors$/ },
  { name: 'feedback', method: 'GET', path: /^\/v1\/analytics\/([^/]+)\/feedback\/by-page$/ },
  { name: 'assistant', method: 'GET', path: /^\/v1\/analytics\/([^/]+)\/assistant$/ },
] as const

export type CallName = (typeof ROUTES)[number]['name']

/** A call, with its path's parameters decoded; `jobId` is empty where the path has none. */
export type Call = { readonly name: CallName; readonly projectId: string; readonly jobId: string }

/** Which call a request is; `undefined` if it is none. */
export function callOf(method: string, path: string): Call | undefined {
  for (const route of ROUTES) {
    const [, projectId = '', jobId = ''] = route.path.exec(path) ?? []
    if (route.method !== method || projectId === '') continue
    try {
      return {
        name: route.name,
        projectId: decodeURIComponent(projectId),
        jobId: decodeURIComponent(jobId),
      }
    } catch {
      return undefined
    }
  }
  return undefined
}

/** A request as it came in; recorded as soon as its head is there, so that one without an answer is seen too. */
export type RecordedRequest = {
  readonly method: string
  /** Path as sent, still percent-encoded, without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
  /** The JSON value; the raw text if it is not JSON; `undefined` if there is none (yet). */
  body: unknown
  /** When, in epoch milliseconds of the service's clock. */
  readonly at: number
}

/** An answer, ready to be sent. */
export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Everything of a request but its body. */
export function readHead(incoming: IncomingMessage, at: number): RecordedRequest {
  const { method = 'GET', url = '/', headers } = incoming
  // Not `new URL`: a path such as `//x` or `/..` is recorded as it was sent.
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(url) ?? []
  return {
    method,
    path,
    query: Object.fromEntries(new URLSearchParams(query)),
    headers,
    body: undefined,
    at,
  }
}

/** @throws if the caller breaks off */
export async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const raw = await text(incoming)
  return raw === '' ? undefined : parseJson(raw)
}

/** The JSON value, or the text itself if it is not JSON. */
export function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    return raw
  }
}

/** A JSON answer. A string is sent as it stands: the wrong body that a test wants to see. */
export function jsonReply(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

/** An error in the service's form. */
export function errorReply(status: number, error: string, details?: readonly string[]): Reply {
  return jsonReply(
    status,
    details ? { error, details: details.map((message) => ({ message })) } : { error },
  )
}

export function sendReply(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

/** Listens on a port of loopback; 0 picks a free one. @throws the system's error, such as `EADDRINUSE` */
export async function listen(
  port: number,
  answer: (incoming: IncomingMessage, response: ServerResponse) => void,
) {
  // An idle connection that is closed just as it is used again would look like a fault that wasn't set.
  const server = createServer({ keepAliveTimeout: 600_000, requestTimeout: 0 }, answer)
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`,
    /** Ends every connection at once, hanging ones too. */
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
