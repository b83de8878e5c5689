import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { GitHub, type GitHubCall, type Octokit } from '../../src/github/client.ts'
import { GitHubError } from '../../src/github/errors.ts'
import { isSameAccount, normalizeLogin } from '../../src/github/types.ts'
import { VirtualClock } from '../support/clock.ts'
import { TestServers } from '../support/http-servers.ts'

const servers = new TestServers()

/** An answer: a status, or what is said here; `lost` closes the connection, `hangs` leaves it open. */
type Reply =
  | number
  | 'lost'
  | 'hangs'
  | { readonly status?: number; readonly body?: unknown; readonly headers?: Record<string, string> }

type Options = {
  readonly token?: string
  readonly cancel?: AbortSignal
  readonly apiUrl?: string
  readonly isPost?: boolean
}

const DONE = { ok: true }

/** A GitHub that gives these answers in turn, of which the last goes on for ever, and a client for it. */
async function clientFor(replies: readonly Reply[], options: Options = {}) {
  const arrived: string[] = []
  const clock = new VirtualClock(0)
  let onArrival = (): void => undefined
  const server = await servers.start((incoming, response) => {
    const reply = replies[Math.min(arrived.length, replies.length - 1)] ?? 200
    arrived.push(`${clock.now() / 1000} ${incoming.method} ${incoming.url}`)
    onArrival()
    if (reply === 'lost') incoming.socket.destroy()
    else if (reply !== 'hangs') {
      const { status = 200, headers = {}, body } = typeof reply === 'number' ? { status: reply } : reply
      const sent = body ?? (status < 300 ? DONE : {})
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(status === 204 ? undefined : typeof sent === 'string' ? sent : JSON.stringify(sent))
    }
  })
  const lines: string[] = []
  const noteAs = (level: string) => (text: string) => void lines.push(`${level}: ${text}`)
  const log = { info: noteAs('info'), notice: noteAs('notice'), warning: noteAs('warning') }
  const { token = 'ghs_1', cancel = new AbortController().signal, apiUrl = server.origin } = options
  const github = new GitHub({
    clock,
    random: () => 0.5,
    cancel,
    apiUrl,
    serverUrl: 'https://github.com',
    repository: 'acme/docs',
    token,
    proxy: { httpProxy: '', httpsProxy: '', noProxy: '' },
    log,
    isPost: options.isPost === true,
  })
  const arrival = (): Promise<void> =>
    new Promise((resolve) => {
      onArrival = resolve
    })
  return { github, arrived, lines, clock, arrival, server }
}

/** What becomes of a call: the data, or the kind, status and message of its failure. */
async function call(github: GitHub, route = 'GET /x'): Promise<unknown> {
  try {
    const { data } = await github.request((octokit: Octokit) => octokit.request(route))
    return data
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error
    return `${error.kind} ${error.status}: ${error.message}`
  }
}

const said = (message: string): { readonly body: object } => ({ body: { message } })
const FORBIDDEN = { status: 403, ...said('Resource not accessible by integration') }
const retryAfter = (status: number, seconds: number): Reply => ({
  status,
  headers: { 'retry-after': String(seconds) },
})

describe('a call', () => {
  it('names the token, the version of the API and the action', async () => {
    let headers: unknown
    const { url } = await servers.start((incoming, response) => {
      headers = incoming.headers
      response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
    })
    const { github } = await clientFor([], { apiUrl: `${url.origin}/` })
    expect(await call(github)).toEqual([])
    expect(headers).toMatchObject({
      authorization: 'token ghs_1',
      'x-github-api-version': '2022-11-28',
      'user-agent': expect.stringContaining('docs-agent-action'),
      accept: 'application/vnd.github.v3+json',
    })
  })

  it('gives the data of its response, which has none where GitHub says so', async () => {
    for (const body of [{ a: 1 }, [], [1]]) {
      expect(await call((await clientFor([{ body }])).github)).toEqual(body)
    }
    expect(await call((await clientFor([204])).github, 'DELETE /x')).toBe('')
  })

  const unreadable = 'other undefined: GitHub returned 200 without a readable body'
  const compressed = 'it is compressed, although no compression was requested'
  it.each<[Reply, string]>([
    [{ headers: { 'content-type': 'text/html' }, body: '<html>Unicorn!' }, unreadable],
    [{ body: '"text"' }, unreadable],
    [{ body: 'null' }, unreadable],
    [{ body: {} }, unreadable],
    [{ body: '' }, unreadable],
    [
      { headers: { 'content-encoding': 'gzip' } },
      `other undefined: the response is unreadable: ${compressed}`,
    ],
    [{ status: 302, headers: { location: '/y' } }, 'other undefined: GitHub redirected the request (302)'],
    [401, 'token 401: GitHub returned 401'],
    [FORBIDDEN, 'permission 403: GitHub returned 403 ("Resource not accessible by integration")'],
    [{ status: 404, ...said('Not Found') }, 'permission 404: GitHub returned 404 ("Not Found")'],
    [
      { status: 404, ...said('No common ancestor.') },
      'other 404: GitHub returned 404 ("No common ancestor.")',
    ],
    [409, 'other 409: GitHub returned 409'],
  ])('that is answered %j fails', async (reply, failure) => {
    expect(await call((await clientFor([reply])).github)).toBe(failure)
  })

  it('quotes what GitHub said, cut', async () => {
    const reply = { status: 422, ...said('x'.repeat(300)) }
    expect(await call((await clientFor([reply])).github)).toMatch(
      / 422 \("x{200}… \(100 more characters\)"\)$/,
    )
  })

  it('without a token fails, and is not sent', async () => {
    const { github, arrived } = await clientFor([], { token: '' })
    expect(await call(github)).toBe('token undefined: there is no `github-token`')
    expect(arrived).toEqual([])
  })

  it('goes to GitHub’s API alone, wherever a next page may be said to be', async () => {
    const elsewhere = await servers.start((_incoming, response) => response.end('[]'))
    const link = `<${elsewhere.origin}/next>; rel="next"`
    const { github } = await clientFor([{ body: [1], headers: { link } }])
    const paged = github.request((octokit) => octokit.paginate('GET /x'))
    await expect(paged).rejects.toThrow(`${elsewhere.origin} is not GitHub's API`)
    expect(elsewhere.requests).toEqual([])
  })

  it('holds no other one up', async () => {
    const { github, arrival } = await clientFor(['hangs', { body: { a: 1 } }])
    const first = arrival()
    void call(github).catch(() => undefined)
    await first
    expect(await call(github)).toEqual({ a: 1 })
  })
})

describe('a call is made again', () => {
  const limit = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '7' }

  it.each<[Reply, number[]]>([
    [500, [0, 0.5, 1.5]],
    ['lost', [0, 0.5, 1.5]],
    [{ headers: { 'content-type': 'text/html' }, body: '<html>' }, [0, 0.5, 1.5]],
    [429, [0, 0.5, 1.5]],
    [{ status: 403, ...said('You have exceeded a secondary rate limit.') }, [0, 0.5, 1.5]],
    [retryAfter(403, 7), [0, 7, 14]],
    [retryAfter(429, 7), [0, 7, 14]],
    [retryAfter(503, 7), [0, 7, 14]],
    [{ status: 403, headers: limit }, [0, 7, 8]],
    [retryAfter(403, 16), [0]],
    [401, [0]],
    [403, [0]],
    [404, [0]],
    [422, [0]],
  ])('after %j where that can help, at %j s', async (reply, atS) => {
    const { github, arrived } = await clientFor([reply])
    expect(await call(github)).toMatch(/^(?:other|rate-limit|token|permission) /)
    expect(arrived).toEqual(atS.map((time) => `${time} GET /x`))
    const works = await clientFor([...atS.slice(1).map(() => reply), { body: { a: 1 } }])
    expect(await call(works.github)).toEqual({ a: 1 })
  })

  it.each<[string, string, Reply, number]>([
    ['a comment', 'POST /repos/acme/docs/issues/5/comments', 502, 1],
    ['a comment', 'POST /repos/acme/docs/issues/5/comments', 'lost', 1],
    ['a comment under the rate limit', 'POST /repos/acme/docs/issues/5/comments', retryAfter(403, 1), 3],
    ['an edit', 'PATCH /repos/acme/docs/issues/comments/7', 502, 3],
    ['a deletion', 'DELETE /repos/acme/docs/issues/comments/7/reactions/1', 'lost', 3],
    ['a reaction', 'POST /repos/acme/docs/issues/comments/7/reactions', 'lost', 3],
    ['a status', `POST /repos/acme/docs/statuses/${'a'.repeat(40)}`, 502, 3],
    ['a query', 'POST /graphql', 502, 3],
  ])('only where that does no harm: %s, %s', async (_what, route, reply, sent) => {
    const { github, arrived } = await clientFor([reply])
    expect(await call(github, route)).toMatch(/^(?:other|rate-limit) /)
    expect(arrived).toHaveLength(sent)
  })

  it('where it never arrived, a comment, too', async () => {
    const { github, clock } = await clientFor([], {
      apiUrl: `http://127.0.0.1:${await servers.closedPort()}`,
    })
    expect(await call(github, 'POST /repos/acme/docs/issues/5/comments')).toMatch(
      /^other undefined: the connection to 127\.0\.0\.1:\d+ was refused \(ECONNREFUSED\)$/,
    )
    expect(clock.now()).toBe(1500)
  })

  it('where it was given 10 s in vain, once, and only if that does no harm', async () => {
    for (const [route, attempts] of [
      ['GET /hangs', 2],
      ['POST /hangs', 1],
    ] as const) {
      const { github, arrived, clock, arrival } = await clientFor(['hangs', 'hangs'])
      let ended = false
      const first = arrival()
      const hanging = call(github, route).finally(() => {
        ended = true
      })
      await first
      while (!ended) {
        clock.jump()
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      expect(await hanging).toBe('other undefined: the request timed out after 10 s')
      expect(arrived.length).toBe(attempts)
    }
  })
})

it.each([
  ['GET /hangs', 0],
  ['POST /graphql', 0],
  ['POST /hangs', 4000],
  ['PATCH /hangs', 4000],
])('a cancel drops a %s in flight after %i ms', async (route, afterMs) => {
  const cancel = new AbortController()
  const { github, arrival, clock } = await clientFor(['hangs'], { cancel: cancel.signal })
  const first = arrival()
  const hanging = call(github, route)
  await first
  cancel.abort()
  if (afterMs > 0) clock.jump()
  expect(await hanging).toMatch(/^other undefined: /)
  expect(clock.now()).toBe(afterMs)
})

it('what must not be sent twice goes over a connection of its own, the rest shares one', async () => {
  const { github, server } = await clientFor([200])
  for (const route of ['GET /x', 'POST /x', 'PATCH /x', 'POST /graphql', 'POST /x', 'GET /x']) {
    await call(github, route)
    // undici takes a connection for free a moment after the end of its response.
    await setImmediate()
  }
  expect(server.connections()).toBe(3)
})

describe('a GraphQL query', () => {
  const error = (type: string) => ({ type, message: 'No.' })

  it.each<[object, string, number]>([
    [{ data: null, errors: [error('FORBIDDEN')] }, 'permission undefined: GitHub returned "No."', 1],
    [{ data: null, errors: [error('NOT_FOUND')] }, 'permission undefined: GitHub returned "No."', 1],
    [{ data: null, errors: [error('RATE_LIMITED')] }, 'rate-limit undefined: GitHub returned "No."', 3],
    [{ errors: [error('INTERNAL')] }, 'other undefined: GitHub returned "No."', 3],
    [{ data: null }, 'other undefined: GitHub returned a response without data', 3],
    [{ data: [] }, 'other undefined: GitHub returned a response without data', 3],
    [[], 'other undefined: GitHub returned a response without data', 3],
    [{}, 'other undefined: GitHub returned 200 without a readable body', 3],
  ])('without data fails, and is made again unless it was refused: %j', async (body, failure, times) => {
    const { github, arrived } = await clientFor([{ body }])
    expect(await call(github, 'POST /graphql')).toBe(failure)
    expect(arrived).toHaveLength(times)
  })
})

describe('the post step', () => {
  it.each<[string, Reply]>([
    ['PATCH', 401],
    ['PATCH', FORBIDDEN],
    ['PATCH', 404],
    ['POST', 422],
    ['PATCH', 502],
    ['GET', { body: {} }],
    ['PATCH', retryAfter(403, 1)],
  ])('sends a %s again that GitHub refuses for the moment: %j', async (method, reply) => {
    const { github, arrived } = await clientFor([...Array(6).fill(reply), 200], { isPost: true })
    expect(await call(github, `${method} /x`)).toEqual(DONE)
    expect(arrived).toHaveLength(7)
  })

  it.each<[string, Reply]>([
    ['DELETE', 404],
    ['POST', 502],
    ['POST', 'lost'],
  ])('does not send a %s again where that is no use or could do it twice: %j', async (method, reply) => {
    const { github, arrived } = await clientFor([reply, 200], { isPost: true })
    await call(github, `${method} /x`)
    expect(arrived).toHaveLength(1)
  })

  it('waits a minute for all that it sends together, and names no permission', async () => {
    const { github, clock, lines } = await clientFor([FORBIDDEN], { isPost: true })
    const edit = { purpose: 'edit the comment', permission: 'issues: write' }
    for (const path of ['/x', '/y']) {
      await github.attempt(edit, () => github.request((octokit) => octokit.request(`PATCH ${path}`)))
      expect(clock.now()).toBe(60_000)
    }
    expect(lines[0]).toBe(
      'warning: Failed to edit the comment: GitHub returned 403 ("Resource not accessible by integration").',
    )
  })
})

describe('whose token it is', () => {
  const viewer = { databaseId: 41898282, login: 'GitHub-Actions[bot]' }

  it('is asked once where it can be told', async () => {
    const { github, arrived } = await clientFor([{ body: { data: { viewer } } }])
    expect([await github.account(), await github.account()]).toEqual([viewer, viewer])
    expect(arrived).toHaveLength(1)
  })

  it('is asked again where it could not be told', async () => {
    const { github, arrived } = await clientFor([401, { body: { data: { viewer } } }])
    await expect(github.account()).rejects.toThrow('GitHub returned 401')
    expect(await github.account()).toEqual(viewer)
    expect(arrived).toHaveLength(2)
  })

  it('is not asked where another query told it', async () => {
    const { github, arrived } = await clientFor([500])
    github.knowAccount(undefined)
    github.knowAccount({ login: 'App' })
    expect(await github.account()).toEqual({ login: 'App' })
    expect(arrived).toEqual([])
  })

  it.each([{ data: { viewer: null } }, { data: { viewer: { login: '' } } }, { data: {} }])(
    'can not be told from %j',
    async (body) => {
      const { github } = await clientFor([{ body }])
      await expect(github.account()).rejects.toThrow('GitHub does not say whose token it is')
    },
  )
})

describe('a call that the run can do without', () => {
  const list: GitHubCall = { purpose: 'list the comments', permission: 'issues: write' }
  const write: GitHubCall = { ...list, purpose: 'write a comment', consequence: 'Nobody is told.' }
  const attempt = (github: GitHub, one: GitHubCall) =>
    github.attempt(one, () => github.request((octokit) => octokit.request('GET /x')))
  const NEEDS =
    "The job's `github-token` needs the permission `issues: write` for this, unless the thread was deleted or locked."

  it('gives its result, or is a warning', async () => {
    const { github, lines } = await clientFor([{ body: { a: 1 } }, 422])
    expect(await attempt(github, list)).toMatchObject({ known: true, value: { data: { a: 1 } } })
    expect(await attempt(github, write)).toEqual({ known: false, why: 'GitHub returned 422' })
    expect(lines).toEqual(['warning: Failed to write a comment: GitHub returned 422. Nobody is told.'])
    expect(github.lacks('issues: write')).toBe(false)
  })

  it('names a missing permission once', async () => {
    const { github, lines } = await clientFor([FORBIDDEN, { status: 404, ...said('Not Found') }, FORBIDDEN])
    await attempt(github, list)
    await attempt(github, { ...write, level: 'notice' })
    await attempt(github, { ...list, permission: 'statuses: write', level: 'notice' })
    expect(lines).toEqual([
      `warning: Failed to list the comments: GitHub returned 403 ("Resource not accessible by integration"). ${NEEDS}`,
      `info: Failed to write a comment: GitHub returned 404 ("Not Found"). ${NEEDS} Nobody is told.`,
      `notice: Failed to list the comments: GitHub returned 403 ("Resource not accessible by integration"). The job's \`github-token\` needs the permission \`statuses: write\` for this.`,
    ])
    expect([github.lacks('issues: write'), github.lacks('contents: read')]).toEqual([true, false])
  })

  it('takes one stray 403 for no missing permission where it has worked before, or works later', async () => {
    const before = await clientFor([200, FORBIDDEN])
    await attempt(before.github, list)
    await attempt(before.github, write)
    expect(before.lines).toEqual([
      'warning: Failed to write a comment: GitHub returned 403 ("Resource not accessible by integration"). Nobody is told.',
    ])
    expect(before.github.lacks('issues: write')).toBe(false)
    const later = await clientFor([FORBIDDEN, 200])
    await attempt(later.github, list)
    expect(later.github.lacks('issues: write')).toBe(true)
    await attempt(later.github, list)
    expect(later.github.lacks('issues: write')).toBe(false)
  })

  it('says what is wrong with a token', async () => {
    const { github, lines } = await clientFor([401])
    await attempt(github, list)
    expect(lines).toEqual([
      'warning: Failed to list the comments: GitHub returned 401. Check `github-token`: it is missing, invalid or has expired; the token of a GitHub App expires after one hour.',
    ])
  })

  it('is no annotation once the run is cancelled', async () => {
    const cancel = new AbortController()
    const { github, lines } = await clientFor([422], { cancel: cancel.signal })
    cancel.abort()
    await attempt(github, write)
    expect(lines.map((line) => line.split(':')[0])).toEqual(['info'])
  })
})

it.each([
  [{ id: 1, login: 'a' }, { id: 1, login: 'renamed' }, true],
  [{ id: 1, login: 'a' }, { id: 2, login: 'a' }, false],
  [{ databaseId: 1, login: 'a' }, { id: 1, login: 'a[bot]' }, true],
  [{ login: 'GitHub-Actions' }, { id: 41898282, login: 'github-actions[bot]' }, true],
  [{ login: 'github-actions' }, { id: 7, login: 'github-actions-fan' }, false],
  [{ login: '' }, { login: '' }, false],
  [{ id: 1, login: 'a' }, null, false],
])('%j and %j are the same account: %s', (one, other, same) => {
  expect(isSameAccount(one, other)).toBe(same)
})

it('logins are compared without case and without [bot]', () => {
  expect(['GitHub-Actions[bot]', '[bot]x'].map(normalizeLogin)).toEqual(['github-actions', '[bot]x'])
})
