import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { graphqlAnswer } from './graphql.ts'
import { type Fields, isObject } from './json.ts'
import { answerProblem, readCall } from './openapi.ts'
import { type Answer, restAnswer } from './rest.ts'
import { emptyWorld, followAgent, type World } from './world.ts'

/** How a request goes wrong; `lost` ones are handled, and only their answer is lost. */
export type FaultName = keyof typeof FAULTS

/** What goes wrong with requests whose line matches. */
export type GitHubFault = {
  readonly match: RegExp
  readonly end: FaultName | Ending
  /** How many requests it meets; all without it. */
  times?: number
}

type Ending = {
  readonly status?: number
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** How the connection ends in place of an answer. */
  readonly breaks?: 'reset' | 'hang'
  /** The request is handled all the same. */
  readonly handled?: boolean
  /** The field of a GraphQL query that fails, while the rest is answered. */
  readonly broken?: string
  readonly delayMs?: number
}

const message = (text: string): object => ({
  message: text,
  documentation_url: 'https://docs.github.com/rest',
})
const HTML = '<html><body><h1>Unicorn!</h1></body></html>'
const SECONDARY = message(
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
)

/** All faults that a GitHub is tried with. */
export const FAULTS = {
  '401': { status: 401, body: message('Bad credentials') },
  '403': { status: 403, body: message('Forbidden') },
  'secondary-limit': { status: 403, body: SECONDARY, headers: { 'retry-after': '1' } },
  'primary-limit': {
    status: 403,
    body: message('API rate limit exceeded for installation ID 1.'),
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' },
  },
  '404': { status: 404, body: message('Not Found') },
  '422': { status: 422, body: message('Validation Failed') },
  '429': { status: 429, body: SECONDARY, headers: { 'retry-after': '1' } },
  '500': { status: 500, body: message('Server Error') },
  '502': { status: 502, body: message('Server Error') },
  '503': { status: 503, body: HTML, headers: { 'content-type': 'text/html' } },
  html: { status: 200, body: HTML, headers: { 'content-type': 'text/html; charset=utf-8' } },
  empty: { status: 200, body: {} },
  'data-null': {
    status: 200,
    body: { data: null, errors: [{ type: 'INTERNAL', message: 'Something went wrong' }] },
  },
  partial: { broken: 'status' },
  slow: { delayMs: 2_000 },
  reset: { breaks: 'reset' },
  lost: { breaks: 'reset', handled: true },
  hang: { breaks: 'hang' },
} satisfies Readonly<Record<string, Ending>>

/** A request that came in, with its answer's status as soon as there is one. */
export type GitHubRequest = {
  /** `POST /issues/5/comments`, without the repository if it is the world's; see {@link lineOf}. */
  readonly line: string
  readonly query: string
  readonly body: Fields
  status?: number
}

/** A GitHub on loopback, as strict as its own descriptions. */
export type FakeGitHub = {
  /** Root of the API. */
  readonly url: string
  readonly token: string
  world: World
  readonly journal: GitHubRequest[]
  /** The lines of the journal. */
  readonly requests: readonly string[]
  /** What the real GitHub would not take, or not answer: must stay empty. */
  readonly violations: readonly string[]
  readonly faults: GitHubFault[]
  close(): Promise<void>
}

export type FakeGitHubOptions = {
  /** Path that the API begins with, as on a GitHub Enterprise Server. */
  readonly root?: string
  readonly token?: string
  readonly world?: World
  /** How slow answers wait, and how long hanging ones hang. */
  readonly pause?: (ms: number) => Promise<void>
}

/** Starts a GitHub. */
export async function startGitHub(options: FakeGitHubOptions = {}): Promise<FakeGitHub> {
  const { root = '', token = 'ghs_loopbacktoken0000000000000000000000', pause = realPause } = options
  const journal: GitHubRequest[] = []
  const violations: string[] = []
  const faults: GitHubFault[] = []

  async function answerTo(
    incoming: IncomingMessage,
    url: URL,
    body: unknown,
    broken?: string,
  ): Promise<Answer> {
    const { world } = github
    const method = incoming.method ?? ''
    const refuse = (...problems: readonly string[]): Answer => {
      violations.push(...problems.map((problem) => `${method} ${url.pathname}: ${problem}`))
      return { status: 422, body: message(problems.join('; ')) }
    }
    const { authorization = '', 'user-agent': agent } = incoming.headers
    if (!/^(?:token|bearer) /i.test(authorization)) return refuse('there is no token')
    if (!authorization.endsWith(` ${token}`)) return { status: 401, body: message('Bad credentials') }
    if (agent === undefined) return refuse('there is no user agent')
    followAgent(world)
    if (url.pathname.endsWith('/graphql')) {
      const problems: string[] = []
      const answer = await graphqlAnswer(isObject(body) ? body : {}, world, problems, broken)
      return problems.length > 0 ? refuse(...problems) : answer
    }
    const call = readCall(method, url, body)
    if ('problem' in call) return refuse(call.problem)
    const answer = restAnswer(call, world)
    const problem = answerProblem(call.operation, answer.status, answer.body)
    return problem === undefined ? answer : refuse(`the fake GitHub's answer: ${problem}`)
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(incoming)
    const body: unknown = text === '' ? undefined : JSON.parse(text)
    const url = new URL((incoming.url ?? '/').replace(root, ''), 'http://localhost')
    const line = lineOf(incoming.method ?? '', url, body, github.world)
    const entry: GitHubRequest = { line, query: url.search.slice(1), body: isObject(body) ? body : {} }
    journal.push(entry)
    const fault = faults.find(({ match, times }) => match.test(line) && times !== 0)
    if (fault?.times !== undefined) fault.times -= 1
    const ending: Ending = typeof fault?.end === 'string' ? FAULTS[fault.end] : (fault?.end ?? {})
    const isAnswered = ending.status === undefined && ending.breaks === undefined
    const real =
      isAnswered || ending.handled === true ? await answerTo(incoming, url, body, ending.broken) : undefined
    if (ending.delayMs !== undefined) await pause(ending.delayMs)
    if (ending.breaks === 'reset') incoming.socket.resetAndDestroy()
    else if (ending.breaks === 'hang') await pause(Number.POSITIVE_INFINITY)
    else {
      const sent = ending.status === undefined ? paged(real ?? { status: 500, body: {} }, url) : ending
      entry.status = sent.status ?? 0
      send(response, sent, `http://${incoming.headers.host}${root}`)
    }
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      violations.push(`${incoming.method} ${incoming.url}: the fake GitHub failed: ${error}`)
      response.writeHead(500).end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const github: FakeGitHub = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${root}`,
    token,
    world: options.world ?? emptyWorld(),
    journal,
    get requests() {
      return journal.map(({ line }) => line)
    },
    violations,
    faults,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return github
}

/**
 * A request as a line: SHAs cut to seven characters, the page if one is named, the content of a reaction and the
 * state of a status, and the name of a GraphQL query if it has one.
 */
function lineOf(method: string, url: URL, body: unknown, world: World): string {
  const page = url.searchParams.get('page')
  const { content, state, query } = isObject(body) ? body : {}
  const purpose = typeof query === 'string' ? /^\s*query\s+(\w+)/.exec(query)?.[1] : undefined
  const path = decodeURIComponent(url.pathname)
    .replace(`/repos/${world.repository}`, '')
    .replace(/\b([0-9a-f]{7})[0-9a-f]{33}\b/g, '$1')
  return [`${method} ${path}${page === null ? '' : `?page=${page}`}`, content ?? state ?? purpose]
    .filter((part) => part !== undefined)
    .join(' ')
}

/** Cuts a list into a page and says where the next one is, as GitHub does. */
function paged({ status, body }: Answer, url: URL): Ending {
  if (!Array.isArray(body)) return { status, body }
  const size = Number(url.searchParams.get('per_page') ?? 30)
  const page = Number(url.searchParams.get('page') ?? 1)
  const last = Math.max(1, Math.ceil(body.length / size))
  const linkTo = (number: number, rel: string): string => {
    const there = new URL(url)
    there.searchParams.set('page', `${number}`)
    return `<{api}${there.pathname}${there.search}>; rel="${rel}"`
  }
  const link = page < last ? { link: `${linkTo(page + 1, 'next')}, ${linkTo(last, 'last')}` } : {}
  return { status, body: body.slice((page - 1) * size, page * size), headers: link }
}

function send(response: ServerResponse, { status = 200, body, headers = {} }: Ending, api: string): void {
  const ready = Object.entries(headers).map(([name, value]) => [name, value.replaceAll('{api}', api)])
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    ...Object.fromEntries(ready),
  })
  response.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body))
}

async function readText(incoming: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk
  return text
}

async function realPause(ms: number): Promise<void> {
  if (Number.isFinite(ms)) await new Promise((resolve) => setTimeout(resolve, ms))
}
