import type { ServerResponse } from 'node:http'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import type { FaultKind } from './faults/fault.ts'

/** A request as it came in; recorded as soon as its head is there, so that one without an answer is seen too. */
export type RecordedRequest = {
  method: string
  /** Path as sent, still percent-encoded, without the query. */
  path: string
  query: Record<string, string>
  headers: IncomingHttpHeaders
  /** The JSON value, or the raw text if it is no JSON, or `undefined` if there is none (yet). */
  body: unknown
  /** When, in epoch milliseconds of the service's clock. */
  at: number
  /** The fault this request met. */
  fault?: FaultKind
}

/** An answer, ready to be sent. */
export type Reply = { status: number; headers: Record<string, string>; body: string }

/** An open port. */
export type Listener = {
  /** Origin, without a slash at the end. */
  readonly url: string
  /** TCP connections accepted so far. */
  readonly connections: number
  /** Ends every connection at once, hanging ones too. */
  close(): Promise<void>
}

/** What the request's head says; its body is still to come. */
export function readHead(incoming: IncomingMessage, at: number): RecordedRequest {
  // Cut by hand, not by `new URL`: a path such as `//x` or `/..` is recorded as it was sent.
  const url = incoming.url ?? '/'
  const queryAt = url.indexOf('?')
  return {
    method: incoming.method ?? 'GET',
    path: queryAt < 0 ? url : url.slice(0, queryAt),
    query: queryAt < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(queryAt + 1))),
    headers: incoming.headers,
    body: undefined,
    at,
  }
}

/** Reads the body: JSON where it is JSON, else its text; `undefined` if there is none. Throws if the caller breaks off. */
export async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const raw = await text(incoming)
  if (raw === '') return undefined
  try {
    return JSON.parse(raw)
  } catch {
    return raw
  }
}

/** A JSON answer. A string is taken as JSON text already made, or as the wrong body a test wants to see. */
export function jsonReply(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

/** An error in the service's form: `{error, details?}`. */
export function errorReply(status: number, error: string, details?: readonly string[]): Reply {
  return jsonReply(status, details ? { error, details: details.map((message) => ({ message })) } : { error })
}

/** An HTML page, allowed to load nothing but its own style and to send forms to the service alone. */
export function htmlReply(status: number, body: string): Reply {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
  }
  return { status, headers, body }
}

/** Sends a browser on to another page of the service. */
export function seeOther(location: string): Reply {
  return { status: 303, headers: { location }, body: '' }
}

/** Sends a reply whole. */
export function sendReply(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(reply.body) })
  response.end(reply.body)
}

/** Opens the port. Throws the system's error, such as `EADDRINUSE`. */
export async function listen(
  { host, port }: { host: string; port: number },
  answer: (incoming: IncomingMessage, response: ServerResponse) => void,
): Promise<Listener> {
  let connections = 0
  // An idle connection that the server closes just as it is used again would look like a fault that nobody set.
  const server = createServer({ keepAliveTimeout: 600_000, requestTimeout: 0 }, answer)
  server.on('connection', () => {
    connections += 1
  })
  await opened(server, host, port)
  return {
    url: originOf(server, host),
    get connections() {
      return connections
    },
    close: () => closed(server),
  }
}

function opened(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function originOf(server: Server, host: string): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The docs service listens on no port')
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })
}
