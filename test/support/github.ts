import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../../docs-service/http.ts'
import type { HttpRequest } from '../../src/lib/http.ts'
import { followAgent } from './builds.ts'
import { graphqlAnswer } from './graphql.ts'
import { type Fields, isObject } from './json.ts'
import { answerProblem, type Call, readCall } from './openapi.ts'
import { type Answer, failure, restAnswer } from './rest.ts'
import { emptyWorld, type World } from './world.ts'

/** How a request goes wrong; `lost` ones are handled, and only their answer is lost. */
export type FaultName = keyof typeof FAULTS

/** What goes wrong with requests whose line matches. */
export type GitHubFault = {
  readonly match: RegExp
  readonly end: FaultName | Ending
  /** How many of those it lets pass first. */
  after?: number
  /** How many requests it meets; all without it. */
  times?: number
}

type Ending = {
  readonly status?: number
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** How the connection ends in place of an answer, in its middle (`cut`), or before the request is sent (`refused`). */
  readonly breaks?: 'reset' | 'hang' | 'cut' | 'refused'
  /** The request is handled all the same. */
  readonly handled?: boolean
  /** The field of a GraphQL query that fails, while the rest is answered. */
  readonly broken?: string
  readonly delayMs?: number
}

const HTML = '<html><body><h1>Unicorn!</h1></body></html>'
const SECONDARY =
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'
const WAIT = { 'retry-after': '1' }

/** All faults that a GitHub is tried with. */
export const FAULTS = {
  '401': failure(401, 'Bad credentials'),
  '403': failure(403, 'Forbidden'),
  'secondary-limit': { ...failure(403, SECONDARY), headers: WAIT },
  'primary-limit': {
    ...failure(403, 'API rate limit exceeded for installation ID 1.'),
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' },
  },
  '404': failure(404, 'Not Found'),
  '422': failure(422, 'Validation Failed'),
  '502': failure(502, 'Server Error'),
  '503': { status: 503, body: HTML, headers: { 'content-type': 'text/html' } },
  html: { status: 200, body: HTML, headers: { 'content-type': 'text/html; charset=utf-8' } },
  empty: { status: 200, body: {} },
  'data-null': {
    status: 200,
    body: { data: null, errors: [{ type: 'INTERNAL', message: 'Something went wrong' }] },
  },
  slow: { delayMs: 2_000 },
  reset: { breaks: 'reset' },
  lost: { breaks: 'reset', handled: true },
  cut: { breaks: 'cut', handled: true },
  refused: { breaks: 'refused' },
  hang: { breaks: 'hang' },
} satisfies Readonly<Record<string, Ending>>

/** A request that came in, with its answer's status as soon as there is one. */
export type GitHubRequest = {
  /** `POST /issues/5/comments`, without the repository if it is the world's; see {@link lineOf}. */
  readonly line: string
  readonly body: Fields
  status?: number
}

/** A GitHub on loopback, as strict as its own descriptions. */
export type FakeGitHub = Awaited<ReturnType<typeof startGitHub>>

/**
 * @param root path that REST begins with: `/api/v3` on a GitHub Enterprise Server, whose GraphQL is at `/api/graphql`
 * @param pause how slow answers wait, and hanging ones hang
 */
export async function startGitHub({ root = '', world = emptyWorld(), pause = realPause } = {}) {
  const token = 'ghs_loopbacktoken0000000000000000000000'
  const journal: GitHubRequest[] = []
  const violations: string[] = []
  const faults: GitHubFault[] = []

  /** How a request ends: by the first fault that meets it. */
  function takeFault(line: string): Ending {
    for (const fault of faults) {
      if (!fault.match.test(line) || fault.times === 0) continue
      if (fault.after) {
        fault.after -= 1
        continue
      }
      if (fault.times !== undefined) fault.times -= 1
      return typeof fault.end === 'string' ? FAULTS[fault.end] : fault.end
    }
    return {}
  }

  /** Whether nobody listens for a request. */
  function refuses({ method, url, body }: Pick<HttpRequest, 'method' | 'url' | 'body'>): boolean {
    const path = new URL(url.pathname.replace(root, '') + url.search, 'http://localhost')
    const line = lineOf(method, path, body && JSON.parse(body), world)
    const isRefused = ({ match, end, after, times }: GitHubFault): boolean =>
      end === 'refused' && match.test(line) && times !== 0 && !after
    const fault = faults.find(isRefused)
    if (fault?.times !== undefined) fault.times -= 1
    return fault !== undefined
  }

  async function answerTo(
    incoming: IncomingMessage,
    url: URL,
    body: unknown,
    broken?: string,
  ): Promise<Answer> {
    const { method = '', headers } = incoming
    const refuse = (...problems: readonly string[]): Answer => {
      violations.push(...problems.map((problem) => `${method} ${url.pathname}: ${problem}`))
      return failure(422, problems.join('; '))
    }
    const { authorization = '', 'user-agent': agent } = headers
    if (!/^(?:token|bearer) /i.test(authorization)) return refuse('there is no token')
    if (!authorization.endsWith(` ${token}`)) return FAULTS['401']
    if (agent === undefined) return refuse('there is no user agent')
    followAgent(world)
    if (url.pathname === '/graphql') {
      const problems: string[] = []
      const answer = await graphqlAnswer(isObject(body) ? body : {}, world, problems, broken)
      return problems.length > 0 ? refuse(...problems) : answer
    }
    const call = readCall(method, url, body)
    if ('problem' in call) return refuse(call.problem)
    const api = `http://${headers.host}${root}`
    const answer = restAnswer(call, world)
    const problem = answerProblem(call.operation, answer)
    if (problem !== undefined) return refuse(`the fake GitHub's answer: ${problem}`)
    return paged(answer, call, url, api)
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(incoming)
    const body: unknown = sent === '' ? undefined : JSON.parse(sent)
    const asked = incoming.url ?? '/'
    const isGraphql = asked === `${root.replace('/v3', '')}/graphql`
    const path = asked.startsWith(`${root}/`) ? asked.slice(root.length) : `/not-found${asked}`
    const url = new URL(isGraphql ? '/graphql' : path, 'http://localhost')
    const line = lineOf(incoming.method ?? '', url, body, world)
    const entry: GitHubRequest = { line, body: isObject(body) ? body : {} }
    journal.push(entry)
    const ending = takeFault(line)
    const { status, breaks, handled, broken, delayMs } = ending
    const isAnswered = handled === true || (status === undefined && breaks === undefined)
    const real = isAnswered ? await answerTo(incoming, url, body, broken) : undefined
    if (delayMs !== undefined) await pause(delayMs)
    if (breaks === 'reset') incoming.socket.resetAndDestroy()
    else if (breaks === 'hang') await pause(Number.POSITIVE_INFINITY)
    else if (breaks === 'cut') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100_000 })
      response.write(JSON.stringify(real?.body).slice(0, -1), () => incoming.socket.destroy())
    } else {
      const answer = real === undefined || status !== undefined ? ending : real
      entry.status = answer.status ?? 0
      send(response, answer)
    }
  }

  const { url, close } = await listen(0, (incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      violations.push(`${incoming.method} ${incoming.url}: the fake GitHub failed: ${error}`)
      response.writeHead(500).end()
    })
  })
  return {
    /** Root of the API. */
    url: `${url}${root}`,
    token,
    world,
    journal: journal as readonly GitHubRequest[],
    /** The lines of the journal. */
    get requests(): readonly string[] {
      return journal.map(({ line }) => line)
    },
    /** What the real GitHub would not take, or not answer: must stay empty. */
    violations: violations as readonly string[],
    faults,
    refuses,
    close,
  }
}

/**
 * A request as a line: SHAs cut to seven characters, the page if one is named, the content of a reaction, the state that
 * a commit status records, and the name of a GraphQL query if it has one.
 */
function lineOf(method: string, url: URL, body: unknown, world: World): string {
  const page = url.searchParams.get('page')
  const { content, target_url: target, query } = isObject(body) ? body : {}
  const [, state] = /[#&]state=(\w+)/.exec(String(target)) ?? []
  const purpose = content ?? state ?? /^\s*query\s+(\w+)/.exec(String(query))?.[1]
  const path = decodeURIComponent(url.pathname)
    .replace(`/repos/${world.repository}`, '')
    .replace(/\b([0-9a-f]{7})[0-9a-f]{33}\b/g, '$1')
  const asked = `${method} ${path}${page === null ? '' : `?page=${page}`}`
  return purpose === undefined ? asked : `${asked} ${purpose}`
}

/** Cuts a list into a page and says where the next one is, as GitHub does. */
function paged(answer: Answer, { operation, parameters }: Call, url: URL, api: string): Answer {
  const { status, body } = answer
  const isPaged = operation.parameters.some(({ name }) => name === 'per_page')
  if (!isPaged || !Array.isArray(body)) return answer
  const size = Number(parameters['per_page'] ?? 30)
  const page = Number(parameters['page'] ?? 1)
  const shown = body.slice((page - 1) * size, page * size)
  if (page * size >= body.length) return { status, body: shown }
  const next = new URL(url)
  next.searchParams.set('page', `${page + 1}`)
  const link = `<${api}${next.pathname}${next.search}>; rel="next"`
  return { status, body: shown, headers: { link } }
}

function send(response: ServerResponse, { status = 200, body, headers }: Ending): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  response.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body))
}

async function realPause(ms: number): Promise<void> {
  if (Number.isFinite(ms)) await new Promise((resolve) => setTimeout(resolve, ms))
}
