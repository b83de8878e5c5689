import type { ServerResponse } from 'node:http'

/** An answer, ready to be sent. */
export type Reply = { status: number; headers: Record<string, string>; body: string }

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

/** An HTML page, allowed to load nothing but its own style. */
export function htmlReply(status: number, body: string): Reply {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  }
  return { status, headers, body }
}

/** Sends a reply whole. */
export function sendReply(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(reply.body) })
  response.end(reply.body)
}
