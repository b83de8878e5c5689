import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Answer, answer, graphqlAnswer } from './answers.ts'
import { requestCheck } from './request-check.ts'
import { emptyWorld, type World } from './world.ts'

/** What goes wrong with requests whose line matches: `POST /issues/5/comments`. */
export type GitHubFault = {
  readonly match: RegExp
  readonly end: (Answer & { readonly headers?: Readonly<Record<string, string>> }) | 'hang' | 'reset'
  /** How many requests it meets; all without it. */
  times?: number
  /** Whether the request is handled all the same, and only its answer is lost. */
  readonly handled?: boolean
}

/** A GitHub on loopback, as strict as its own description. */
export type LoopbackGitHub = {
  /** Root of the API. */
  readonly url: string
  readonly token: string
  readonly world: World
  /** Each request as `POST /issues/5/comments`, without the repository; reactions with their content. */
  readonly requests: readonly string[]
  /** Requests that the real GitHub would not take: must stay empty. */
  readonly violations: readonly string[]
  readonly faults: GitHubFault[]
  close(): Promise<void>
}

const REPOSITORY = '/repos/acme/docs'
const TOKEN = 'ghs_loopbacktoken0000000000000000000000'

/** Starts a GitHub with the repository `acme/docs`. `root`: path that the API begins with, as on a GitHub Enterprise Server. */
export async function startGitHub({ root = '' }: { root?: string } = {}): Promise<LoopbackGitHub> {
  const world = emptyWorld()
  const requests: string[] = []
  const violations: string[] = []
  const faults: GitHubFault[] = []
  const check = requestCheck()

  function answerTo(incoming: IncomingMessage, url: URL, body: unknown): Answer {
    const refuse = (problem: string): Answer => {
      violations.push(`${incoming.method} ${url.pathname}: ${problem}`)
      return { status: 422, body: { message: problem } }
    }
    if (!/^(?:token|bearer) /i.test(incoming.headers.authorization ?? '')) return refuse('there is no token')
    if (!incoming.headers.authorization?.endsWith(` ${TOKEN}`)) {
      return { status: 401, body: { message: 'Bad credentials' } }
    }
    if (incoming.headers['user-agent'] === undefined) return refuse('there is no user agent')
    if (url.pathname.endsWith('/graphql')) return graphqlAnswer((body ?? {}) as { query?: string }, world)
    if (!url.pathname.startsWith(`${REPOSITORY}/`)) return refuse('that is another repository')
    const call = check(incoming.method ?? '', url, body)
    return 'problem' in call
      ? refuse(call.problem)
      : answer(call, (body ?? {}) as Record<string, unknown>, world)
  }

  const server = createServer(async (incoming, response) => {
    const body = await readBody(incoming)
    const url = new URL((incoming.url ?? '/').replace(root, ''), 'http://localhost')
    const line = lineOf(incoming, url, body)
    requests.push(line)
    const fault = faults.find(({ match, times }) => match.test(line) && times !== 0)
    if (fault?.times !== undefined) fault.times -= 1
    const real = fault === undefined || fault.handled === true ? answerTo(incoming, url, body) : undefined
    if (fault === undefined && real !== undefined) return send(response, paged(real, url, root))
    if (fault?.end === 'reset') return incoming.socket.resetAndDestroy()
    if (fault !== undefined && fault.end !== 'hang') send(response, fault.end)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${root}`,
    token: TOKEN,
    world,
    requests,
    violations,
    faults,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function lineOf({ method }: IncomingMessage, url: URL, body: unknown): string {
  const page = url.searchParams.get('page')
  const content = (body as { content?: string } | undefined)?.content
  const path = `${url.pathname.replace(REPOSITORY, '')}${page === null ? '' : `?page=${page}`}`
  return [method, path, content].filter((part) => part !== undefined).join(' ')
}

/** Cuts a list into a page and says where the next one is, as GitHub does. */
function paged({ status, body }: Answer, url: URL, root: string): Sent {
  if (!Array.isArray(body)) return { status, body }
  const size = Number(url.searchParams.get('per_page') ?? 30)
  const page = Number(url.searchParams.get('page') ?? 1)
  const last = Math.max(1, Math.ceil(body.length / size))
  const linkTo = (number: number, rel: string): string => {
    const there = new URL(url)
    there.searchParams.set('page', `${number}`)
    return `<{origin}${root}${there.pathname}${there.search}>; rel="${rel}"`
  }
  const link = page < last ? `${linkTo(page + 1, 'next')}, ${linkTo(last, 'last')}` : ''
  return {
    status,
    body: body.slice((page - 1) * size, page * size),
    ...(link !== '' && { headers: { link } }),
  }
}

type Sent = {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

function send(response: ServerResponse, { status, body, headers = {} }: Sent): void {
  const origin = `http://${response.req.headers.host}`
  const ready = Object.entries(headers).map(([name, value]) => [name, value.replaceAll('{origin}', origin)])
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    ...Object.fromEntries(ready),
  })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}

async function readBody(incoming: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk
  return text === '' ? undefined : JSON.parse(text)
}
