import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request that came in: `POST /repos/acme/docs/issues/7/comments`, its query and its body. */
export type GitHubRequest = { readonly line: string; readonly query: string; readonly body: unknown }

/** A GitHub on loopback with the calls that the workflows make. It answers 404 to any other. */
export type LoopbackGitHub = {
  readonly url: string
  readonly requests: readonly GitHubRequest[]
  /** Current text of each comment by id. */
  readonly comments: ReadonlyMap<number, string>
  /** Reactions that were not removed. */
  readonly reactions: readonly string[]
  close(): Promise<void>
}

export type LoopbackGitHubOptions = {
  /** Role of everybody in the repository. */
  readonly role: string
  /** Who opened the merged pull request that the pushed commit came from. */
  readonly pullAuthor?: string | undefined
  /** The commit that the workflow last succeeded on. */
  readonly lastSuccess?: string | undefined
  /** Commit statuses named `docs agent`: the commit, and its job's id. All of them are pending. */
  readonly pendingJobs?: readonly { readonly sha: string; readonly job: string }[] | undefined
}

type Answer = { readonly status: number; readonly body?: unknown }
type Route = readonly [RegExp, (match: RegExpExecArray, body: Record<string, unknown>) => Answer]

const REPO = '/repos/acme/docs'
const BOT = { login: 'github-actions[bot]', id: 41898282, type: 'Bot' }
const FIRST_ID = 9000
const RUN = { created_at: '2026-08-03T09:00:00Z', html_url: 'https://github.com/acme/docs/actions/runs/1' }
const FILES = [{ filename: 'src/pets.ts', status: 'modified', patch: '@@ -1 +1 @@\n-cats\n+cats and dogs' }]

/** Starts a GitHub for one run of a workflow. */
export async function startLoopbackGitHub(options: LoopbackGitHubOptions): Promise<LoopbackGitHub> {
  const requests: GitHubRequest[] = []
  const comments = new Map<number, string>()
  const reactions: string[] = []
  const routes = [...commentRoutes(comments, reactions), ...repositoryRoutes(options)]
  const server = createServer(async (incoming, response) => {
    const body = await readBody(incoming)
    const { pathname, search } = new URL(incoming.url ?? '/', 'http://localhost')
    const line = `${incoming.method} ${pathname}`
    requests.push({ line, query: search.slice(1), body })
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

function commentRoutes(comments: Map<number, string>, reactions: string[]): Route[] {
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
  return [
    [/^GET .*\/(?:issues|pulls)\/\d+\/comments$/, () => ok([...comments.keys()].map(comment))],
    [
      /^GET .*\/comments\/(\d+)$/,
      ([, id]) => (comments.has(Number(id)) ? ok(comment(Number(id))) : notFound()),
    ],
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
  ]
}

function repositoryRoutes({
  role,
  pullAuthor,
  lastSuccess,
  pendingJobs = [],
}: LoopbackGitHubOptions): Route[] {
  const permission = {
    permission: role,
    role_name: role,
    user: { login: 'octocat', id: 583231, permissions: { pull: true, push: role === 'write' } },
  }
  const mergedPulls =
    pullAuthor === undefined
      ? []
      : [{ number: 6, user: { login: pullAuthor }, merged_at: '2026-08-03T09:00:00Z' }]
  const runs =
    lastSuccess === undefined ? [] : [{ id: 1, head_sha: lastSuccess, conclusion: 'success', ...RUN }]
  return [
    [/^POST \/graphql$/, () => ok({ data: graphData(pendingJobs) })],
    [/^GET .*\/collaborators\/[^/]+\/permission$/, () => ok(permission)],
    [/^GET .*\/commits\/[^/]+\/pulls$/, () => ok(mergedPulls)],
    [/^GET .*\/compare\/([^/]+)$/, ([, range]) => ok(comparison(decodeURIComponent(range ?? '')))],
    [/^GET .*\/pulls\/(\d+)$/, ([, number]) => ok(pull(Number(number)))],
    [/^GET .*\/pulls\/\d+\/files$/, () => ok(FILES)],
    [/^GET .*\/releases$/, () => ok([])],
    [
      /^GET .*\/actions\/workflows\/[^/]+\/runs$/,
      () => ok({ total_count: runs.length, workflow_runs: runs }),
    ],
    [/^POST .*\/(?:labels|requested_reviewers|statuses\/[0-9a-f]{40})$/, () => ({ status: 201, body: {} })],
  ]
}

/** The fields that the queries ask for. */
function graphData(pendingJobs: NonNullable<LoopbackGitHubOptions['pendingJobs']>): unknown {
  const commits = [
    ...pendingJobs.map(({ sha, job }) => ({
      oid: sha,
      status: { context: { state: 'PENDING', description: job } },
    })),
    { oid: 'c'.repeat(40), status: { context: { state: 'SUCCESS', description: 'pull-request' } } },
    { oid: 'd'.repeat(40), status: null },
  ]
  return {
    viewer: { login: BOT.login, databaseId: BOT.id },
    repository: { pullRequests: { nodes: [] }, ref: { target: { history: { nodes: commits } } } },
  }
}

function comparison(range: string): unknown {
  const url = `https://github.com/acme/docs/compare/${range}`
  const commit = { sha: 'f'.repeat(40), commit: { message: 'Add pets' }, author: { login: 'octocat' } }
  return { html_url: url, status: 'ahead', total_commits: 1, commits: [commit], files: FILES }
}

function pull(number: number): unknown {
  return { number, title: 'Add pets', state: 'open', base: { ref: 'main' }, head: { ref: 'pets' } }
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
