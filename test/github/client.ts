import type { IncomingHttpHeaders } from 'node:http'
import { vi } from 'vitest'
import { GitHub } from '../../src/github/client.ts'
import type { GitHubError } from '../../src/github/github-errors.ts'
import { NO_PROXY } from '../lib/http-client.ts'
import { VirtualClock } from '../support/clock.ts'
import { TestServers } from '../support/http-servers.ts'

/** An answer: a status, or what is said here; `lost` closes the connection, `hangs` leaves it open. */
export type Reply =
  | number
  | 'lost'
  | 'hangs'
  | { readonly status?: number; readonly body?: unknown; readonly headers?: Record<string, string> }

export const said = (status: number, message: string): Reply => ({ status, body: { message } })
export const FORBIDDEN = said(403, 'Forbidden')
export const retryAfter = (status: number, s: number): Reply => ({
  status,
  headers: { 'retry-after': `${s}` },
})
/** An answer of GraphQL with one error. */
export const failing = (type?: string, message = 'No.') => ({
  body: { data: null, errors: [{ type, message }] },
})
export const SAML = 'Resource protected by organization SAML enforcement.'

export const servers = new TestServers()

export type Options = Partial<ConstructorParameters<typeof GitHub>[0]>

/** A GitHub that gives these answers in turn, of which the last goes on for ever, and a client for it. */
export async function clientFor(replies: readonly Reply[], options: Options = {}) {
  /** Each request, with the second at which it came. */
  const arrived: string[] = []
  const headersOf: IncomingHttpHeaders[] = []
  const clock = new VirtualClock(0)
  const server = await servers.start((incoming, response) => {
    const reply = replies[Math.min(arrived.length, replies.length - 1)] ?? 200
    arrived.push(`${clock.now() / 1000} ${incoming.method} ${incoming.url}`)
    headersOf.push(incoming.headers)
    if (reply === 'lost') incoming.socket.destroy()
    else if (reply !== 'hangs') {
      const { status = 200, headers, body } = typeof reply === 'number' ? { status: reply } : reply
      const sent = body ?? (status < 300 ? { ok: true } : {})
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(typeof sent === 'string' ? sent : JSON.stringify(sent))
    }
  })
  const lines: string[] = []
  const github = new GitHub({
    clock,
    random: () => 0.5,
    cancel: new AbortController().signal,
    apiUrl: `${server.origin}/`,
    serverUrl: 'https://github.com',
    repository: 'acme/docs',
    token: 'ghs_1',
    proxy: NO_PROXY,
    log: {
      debug: () => undefined,
      info: (text) => void lines.push(text),
      notice: (text, title) => void lines.push(`${title}: ${text}`),
    },
    optionalMs: 12_000,
    ...options,
  })
  return { github, arrived, headersOf, lines, clock, server }
}

/** Makes a request, and returns its data or its error. */
export async function call(github: GitHub, route = 'GET /x'): Promise<unknown> {
  return await github.call((octokit) => octokit.request(route)).catch((error: GitHubError) => error)
}

/** Lets the time limit of each of a request's tries end. */
export async function letTimeOut(
  { arrived, clock }: Awaited<ReturnType<typeof clientFor>>,
  attempts: number,
): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    await vi.waitUntil(() => arrived.length === attempt)
    clock.jump()
  }
}
