import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../../docs-service/http.ts'

/** What the docs service answers: a job with that status, or what is said here. */
export type Reply =
  | string
  | {
      /** HTTP status; 200 by default. */
      readonly status?: number
      /** Fields of the job; a text is sent as it is. */
      readonly body?: Readonly<Record<string, unknown>> | string
      readonly headers?: Readonly<Record<string, string>>
      /** The connection is closed without a response, or when all of it was sent but what it announced. */
      readonly breaks?: 'before' | 'after'
      /** Nobody listens on the port. */
      readonly refused?: boolean
      /** How long the answer is under way, by the virtual clock. */
      readonly takesMs?: number
    }

/** Replies in turn by method; the last one goes on for ever, and without any jobs are active. */
export type Replies = { readonly post?: readonly Reply[]; readonly get?: readonly Reply[] }

/**
 * Starts a docs service on loopback that follows a script.
 *
 * @param pause how an answer waits that takes its time
 */
export async function startScriptedService(replies: Replies, pause: (ms: number) => Promise<void>) {
  let left = scriptOf(replies)

  function take(method: string): Reply {
    const own = left[method === 'GET' ? 'GET' : 'POST']
    return (own.length > 1 ? own.shift() : own[0]) ?? 'active'
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    await text(incoming)
    const reply = take(incoming.method ?? '')
    const said: Exclude<Reply, string> =
      typeof reply === 'string' ? { body: { status: reply } } : reply
    const { status = 200, headers = {}, body = {}, breaks, takesMs = 0 } = said
    if (takesMs > 0) await pause(takesMs)
    if (breaks === 'before') {
      incoming.socket.destroy()
      return
    }
    const [, id = 'j1', isMessage] = /\/job\/([^/]+)(\/message)?/.exec(incoming.url ?? '') ?? []
    const job = {
      id,
      status: 'active',
      ...(typeof body === 'object' && body),
      ...(isMessage && { id }),
    }
    const sent = typeof body === 'string' ? body : JSON.stringify(job)
    const shown = status < 300 || typeof body === 'string' ? sent : ''
    response.writeHead(status, {
      ...headers,
      ...(breaks === 'after' && { 'content-length': 100_000 }),
    })
    if (breaks === 'after') response.write(shown, () => incoming.socket.destroy())
    else response.end(shown)
  }

  const { url, close } = await listen(0, (incoming, response) => void answer(incoming, response))
  return {
    url,
    key: 'mint_0123456789',
    /** Follows another script from now on. */
    follow(next: Replies): void {
      left = scriptOf(next)
    },
    /** Whether nobody is to listen for the next request of a method: that is its reply then. */
    refuses(method: string): boolean {
      const [next] = left[method === 'GET' ? 'GET' : 'POST']
      return typeof next === 'object' && next.refused === true && take(method) !== undefined
    },
    close,
  }
}

function scriptOf({ get = [], post = [] }: Replies) {
  return { GET: [...get], POST: [...post] }
}
