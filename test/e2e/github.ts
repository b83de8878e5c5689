import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request that came in: `POST /repos/acme/docs/issues/7/comments`, and its body. */
export type GitHubRequest = { readonly line: string; readonly body: unknown }

/** A GitHub on loopback that knows what the examples ask of it, and answers 404 to all else. */
export type ExampleGitHub = {
  readonly url: string
  readonly requests: readonly GitHubRequest[]
  /** Text of each comment as it is now, by id. */
  readonly comments: ReadonlyMap<number, string>
  /** Reactions that are there now. */
  readonly reactions: readonly string[]
  close(): Promise<void>
}

/** What the stand-in is to say. */
export type ExampleGitHubOptions = {
  /** The commenter's role. */
  readonly role: string
  /** Who opened the merged pull request that the pushed commit came from. */
  readonly pullAuthor?: string | undefined
}

type Answer = { readonly status: number; readonly body?: unknown }
type Route = readonly [RegExp, (match: RegExpExecArray, body: Record<string, unknown>) => Answer]

const REPO = '/repos/acme/docs'
const BOT = { login: 'github-actions[bot]', id: 41898282, type: 'Bot' }
const FIRST_ID = 9000

/** Starts a GitHub for one run of an example. */
export async function startExampleGitHub(options: ExampleGitHubOptions): Promise<ExampleGitHub> {
  const requests: GitHubRequest[] = []
  const comments = new Map<number, string>()
  const reactions: string[] = []
  const routes = routesOf(options, comments, reactions)
  const server = createServer(async (incoming, response) => {
    const body = await readBody(incoming)
    const { pathname } = new URL(incoming.url ?? '/', 'http://localhost')
    const line = `${incoming.method} ${pathname}`
    requests.push({ line, body })
    const { status, body: answer } = answerTo(routes, line, body)
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    response.end(answer === undefined ? '' : JSON.stringify(answer))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    comments,
    reactions,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function routesOf(
  { role, pullAuthor }: ExampleGitHubOptions,
  comments: Map<number, string>,
  reactions: string[],
): Route[] {
  const comment = (id: number): unknown => ({
    id,
    body: comments.get(id),
    html_url: `https://github.com/acme/docs/pull/7#issuecomment-${id}`,
    user: BOT,
  })
  const write = (id: number, text: unknown): unknown => {
    comments.set(id, String(text))
    return comment(id)
  }
  const pulls =
    pullAuthor === undefined
      ? []
      : [{ number: 6, user: { login: pullAuthor }, merged_at: '2026-08-03T09:00:00Z' }]
  return [
    [/^POST \/graphql$/, () => ok({ data: { viewer: { databaseId: BOT.id } } })],
    [
      /^GET .*\/collaborators\/[^/]+\/permission$/,
      () => ok({ permission: role, role_name: role, user: { login: 'octocat', id: 583231 } }),
    ],
    [/^GET .*\/(?:issues|pulls)\/\d+\/comments$/, () => ok([...comments.keys()].map(comment))],
    [
      /^POST .*\/(?:issues|pulls)\/\d+\/comments(?:\/\d+\/replies)?$/,
      (_match, { body }) => ({ status: 201, body: write(FIRST_ID + comments.size, body) }),
    ],
    [/^PATCH .*\/comments\/(\d+)$/, ([, id], { body }) => ok(write(Number(id), body))],
    [
      /^POST .*\/reactions$/,
      (_match, { content }) => ({
        status: 201,
        body: { id: reactions.push(String(content)), content, user: BOT },
      }),
    ],
    [
      /^DELETE .*\/reactions\/(\d+)$/,
      ([, id]) => {
        reactions[Number(id) - 1] = ''
        return { status: 204 }
      },
    ],
    [/^GET .*\/reactions$/, () => ok([])],
    [/^GET .*\/commits\/[^/]+\/pulls$/, () => ok(pulls)],
    [
      /^GET .*\/compare\/[^/]+$/,
      () => ok({ total_commits: 1, commits: [], files: [{ filename: 'src/pets.ts', status: 'modified' }] }),
    ],
    [
      /^GET .*\/pulls\/\d+$/,
      () => ok({ number: 7, title: 'Add pets', state: 'open', base: { ref: 'main' }, head: { ref: 'pets' } }),
    ],
    [/^GET .*\/pulls\/\d+\/files$/, () => ok([{ filename: 'src/pets.ts', status: 'modified' }])],
  ]
}

function answerTo(routes: readonly Route[], line: string, body: unknown): Answer {
  if (!line.includes(` ${REPO}/`) && line !== 'POST /graphql') return notFound()
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  for (const [pattern, answer] of routes) {
    const match = pattern.exec(line)
    if (match !== null) return answer(match, fields)
  }
  return notFound()
}

function ok(body: unknown): Answer {
  return { status: 200, body }
}

function notFound(): Answer {
  return { status: 404, body: { message: 'Not Found' } }
}

async function readBody(incoming: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk
  return text === '' ? undefined : JSON.parse(text)
}
