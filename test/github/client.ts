import type { IncomingHttpHeaders } from 'node:http'
import { vi } from 'vitest'
import { GitHub } from '../../src/github/client.ts'
import { GitHubError } from '../../src/github/github-errors.ts'
import { docsLink } from '../../src/lib/text.ts'
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
export const MOVED = { status: 302, headers: { location: '/y' } }
export const HTML = { headers: { 'content-type': 'text/html' }, body: '<html>Unicorn!' }
export const retryAfter = (status: number, s: number): Reply => ({
  status,
  headers: { 'retry-after': `${s}` },
})

export const unreadable = 'other undefined: GitHub returned 200 without a readable body'
export const failing = (type?: string, message = 'No.') => ({
  body: { data: null, errors: [{ type, message }] },
})
export const OTHER_TOKEN = `or use your GitHub App's token ${docsLink('manage.md#change-the-token')}.`
export const SAML = 'Resource protected by organization SAML enforcement.'
export const ARCHIVED = 'Repository was archived so is read-only.'
export const usedUp = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '7' }
export const EXPIRED = `Save a new personal access token in its secret. If it is an App's token, create it in the same workflow job, because it expires after one hour ${docsLink('manage.md#change-the-token')}.`
export const OUTAGE = 'GitHub may have an outage: see `githubstatus.com`.'
export const EMPTY =
  'Check that its secret exists and that the name matches, or remove the input to use `github.token`.'
export const LIMITED =
  'GitHub says: "API rate limit exceeded for installation." The limit resets within an hour.'

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
      const {
        status = 200,
        headers = {},
        body,
      } = typeof reply === 'number' ? { status: reply } : reply
      const sent = body ?? (status < 300 ? { ok: true } : {})
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(
        status === 204 ? undefined : typeof sent === 'string' ? sent : JSON.stringify(sent),
      )
    }
  })
  const lines: string[] = []
  const noteAs =
    (level: string) =>
    (text: string, title = '') =>
      void lines.push(`${level}${title && ` (${title})`}: ${text}`)
  const log = {
    debug: () => undefined,
    info: noteAs('info'),
    notice: noteAs('notice'),
    warning: noteAs('warning'),
    warnInSummary: noteAs('warnInSummary'),
  }
  const github = new GitHub({
    clock,
    random: () => 0.5,
    cancel: new AbortController().signal,
    apiUrl: `${server.origin}/`,
    serverUrl: 'https://github.com',
    repository: 'acme/docs',
    token: 'ghs_1',
    proxy: NO_PROXY,
    log,
    ...options,
  })
  return { github, arrived, headersOf, lines, clock, server }
}

/** What becomes of a call: the data, or the kind, status and message of its failure. */
export async function call(github: GitHub, route = 'GET /x'): Promise<unknown> {
  try {
    return await github.call((octokit) => octokit.request(route))
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error
    return `${error.kind} ${error.status}: ${error.message}`
  }
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

export const COMMENT = 'POST /repos/acme/docs/issues/5/comments'
