import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { RecordedRequest } from './recorded-request.ts'

/** What the request's head says; its body is still to come. */
export function readHead(incoming: IncomingMessage, at: number): RecordedRequest {
  // Cut by hand, not by `new URL`: a path such as `//x` or `/..` is to be seen as it was sent.
  const [path = '', search = ''] = splitOnce(incoming.url ?? '/', '?')
  return {
    method: incoming.method ?? 'GET',
    path,
    query: Object.fromEntries(new URLSearchParams(search)),
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

function splitOnce(whole: string, mark: string): string[] {
  const at = whole.indexOf(mark)
  return at < 0 ? [whole] : [whole.slice(0, at), whole.slice(at + 1)]
}
