import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { GitHub } from '../../src/github/client.ts'
import { type GitHubCall, GitHubError } from '../../src/github/github-errors.ts'
import { docsLink } from '../../src/lib/text.ts'
import { NO_PROXY } from '../lib/http-client.ts'
import { VirtualClock } from '../support/clock.ts'
import { TestServers } from '../support/http-servers.ts'

/** An answer: a status, or what is said here; `lost` closes the connection, `hangs` leaves it open. */
type Reply =
  | number
  | 'lost'
  | 'hangs'
  | { readonly status?: number; readonly body?: unknown; readonly headers?: Record<string, string> }

const said = (status: number, message: string): Reply => ({ status, body: { message } })
const FORBIDDEN = said(403, 'Forbidden')
const MOVED = { status: 302, headers: { location: '/y' } }
const HTML = { headers: { 'content-type': 'text/html' }, body: '<html>Unicorn!' }
const retryAfter = (status: number, s: number): Reply => ({
  status,
  headers: { 'retry-after': `${s}` },
})

const unreadable = 'other undefined: GitHub returned 200 without a readable body'
const failing = (type?: string, message = 'No.') => ({
  body: { data: null, errors: [{ type, message }] },
})
const OTHER_TOKEN = `or use your GitHub App's token ${docsLink('manage.md#change-the-token')}.`
const SAML = 'Resource protected by organization SAML enforcement.'
const ARCHIVED = 'Repository was archived so is read-only.'
const usedUp = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '7' }
const EXPIRED = `Save a new personal access token in its secret. If it is an App's token, create it in the same workflow job, because it expires after one hour ${docsLink('manage.md#change-the-token')}.`
const OUTAGE = 'GitHub may have an outage: see `githubstatus.com`.'
const EMPTY =
  'Check that its secret exists and that the name matches, or remove the input to use `github.token`.'
const LIMITED =
  'GitHub says: "API rate limit exceeded for installation." The limit resets within an hour.'

const servers = new TestServers()

type Options = Partial<ConstructorParameters<typeof GitHub>[0]>

/** A GitHub that gives these answers in turn, of which the last goes on for ever, and a client for it. */
async function clientFor(replies: readonly Reply[], options: Options = {}) {
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
async function call(github: GitHub, route = 'GET /x'): Promise<unknown> {
  try {
    return await github.call((octokit) => octokit.request(route))
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error
    return `${error.kind} ${error.status}: ${error.message}`
  }
}

/** Lets the time limit of each of a request's tries end. */
async function letTimeOut(
  { arrived, clock }: Awaited<ReturnType<typeof clientFor>>,
  attempts: number,
): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    await vi.waitUntil(() => arrived.length === attempt)
    clock.jump()
  }
}

const COMMENT = 'POST /repos/acme/docs/issues/5/comments'

describe('a call', () => {
  it('names the token, the version of the API and the action, and gives the data of its response', async () => {
    const { github, headersOf } = await clientFor([{ body: { a: 1 } }, { body: [] }, { body: [1] }])
    expect([await call(github), await call(github), await call(github)]).toEqual([
      { a: 1 },
      [],
      [1],
    ])
    expect(headersOf[0]).toMatchObject({
      authorization: 'token ghs_1',
      'x-github-api-version': '2022-11-28',
      'user-agent': expect.stringContaining('docs-agent-action'),
      accept: 'application/vnd.github.v3+json',
    })
  })

  it.each<[string, Reply, number, string]>([
    ['POST /graphql', HTML, 3, unreadable],
    ['POST /graphql', { body: {} }, 3, unreadable],
    ['POST /graphql', failing(), 3, 'other undefined: GitHub returned "No."'],
    ['POST /graphql', failing('RATE_LIMITED'), 3, 'rate-limit undefined: GitHub returned "No."'],
    ['POST /graphql', failing('NOT_FOUND'), 1, 'permission 404: GitHub returned "No."'],
    ['POST /graphql', failing('FORBIDDEN'), 1, 'permission undefined: GitHub returned "No."'],
    ['POST /graphql', failing('FORBIDDEN', SAML), 1, `setup undefined: GitHub returned "${SAML}"`],
    ['GET /x', said(403, ARCHIVED), 1, `refused 403: GitHub returned 403 ("${ARCHIVED}")`],
    ['POST /graphql', said(404, 'Not Found'), 1, 'setup 404: GitHub returned 404'],
    ['GET /x', MOVED, 1, 'refused 302: GitHub redirected the request (302)'],
    ['POST /graphql', said(401, 'Bad'), 1, 'setup 401: GitHub rejected `github-token` (401 "Bad")'],
    ['GET /x', FORBIDDEN, 1, 'permission 403: GitHub returned 403 ("Forbidden")'],
    ['GET /x', said(404, 'Not Found'), 1, 'permission 404: GitHub returned 404 ("Not Found")'],
    [
      'GET /x',
      said(404, 'No common ancestor.'),
      1,
      'other 404: GitHub returned 404 ("No common ancestor.")',
    ],
    [
      'PATCH /x',
      said(403, 'It is locked.'),
      1,
      'refused 403: GitHub returned 403 ("It is locked.")',
    ],
    [
      'POST /x',
      { status: 422, body: { message: 'Failed', errors: [{ message: 'x' }, 'y', {}] } },
      1,
      'refused 422: GitHub returned 422 ("Failed: x: y")',
    ],
  ])('%s that is answered %j is made %i times, and fails', async (route, reply, times, failure) => {
    const { github, arrived } = await clientFor([reply])
    expect(await call(github, route)).toBe(failure)
    expect(arrived).toHaveLength(times)
  })

  it('goes to GitHub’s API alone, wherever a next page may be said to be', async () => {
    const elsewhere = await servers.start((_incoming, response) => response.end('[]'))
    const link = `<${elsewhere.origin}/next>; rel="next"`
    const { github } = await clientFor([{ body: [1], headers: { link } }])
    const paged = github.list('/x')
    await expect(paged).rejects.toThrow(`${elsewhere.origin} is not GitHub's API`)
    expect(elsewhere.requests).toEqual([])
  })
})

describe('a call is made again', () => {
  it.each<[Reply, number[]]>([
    [500, [0, 3, 12]],
    ['lost', [0, 3, 12]],
    [429, [0, 3, 12]],
    [said(403, 'You have exceeded a secondary rate limit.'), [0, 3, 12]],
    [retryAfter(403, 7), [0, 7, 14]],
    [{ status: 403, headers: usedUp }, [0, 7, 16]],
    [retryAfter(403, 15), [0, 15, 30]],
    [retryAfter(403, 16), [0]],
  ])('after %j where that can help, at %j s', async (reply, atS) => {
    const { github, arrived } = await clientFor([reply])
    expect(await call(github)).toMatch(/^(?:other|rate-limit) /)
    expect(arrived).toEqual(atS.map((time) => `${time} GET /x`))
    const works = await clientFor([...atS.slice(1).map(() => reply), { body: { a: 1 } }])
    expect(await call(works.github)).toEqual({ a: 1 })
  })

  it.each<[string, string, Reply, number]>([
    ['a comment', COMMENT, 502, 1],
    ['a comment', COMMENT, 'lost', 1],
    ['a comment under the rate limit', COMMENT, retryAfter(403, 1), 3],
    ['an edit', 'PATCH /repos/acme/docs/issues/comments/7', 502, 3],
    ['a reaction', 'POST /repos/acme/docs/issues/comments/7/reactions', 'lost', 3],
    ['a status', `POST /repos/acme/docs/statuses/${'a'.repeat(40)}`, 502, 3],
    ['a query', 'POST /graphql', 502, 3],
  ])('only where that does no harm: %s, %s', async (_what, route, reply, sent) => {
    const { github, arrived } = await clientFor([reply])
    expect(await call(github, route)).toMatch(/^(?:other|rate-limit) /)
    expect(arrived).toHaveLength(sent)
  })

  it.each<[string, readonly Reply[], unknown, boolean?]>([
    ['GET /x', [502, retryAfter(403, 5), 200], { ok: true }],
    ['GET /x', [502, 404], 'permission 404: GitHub returned 404', false],
    [
      'POST /graphql',
      ['lost', failing('FORBIDDEN')],
      'permission undefined: GitHub returned "No."',
      false,
    ],
    ['PATCH /x', [502, 404], 'other 404: GitHub returned 404', true],
    ['PATCH /x', [429, 404], 'permission 404: GitHub returned 404', false],
    ['POST /x', [502], 'other 502: GitHub returned 502', true],
  ])(
    'and only a refusal after a write that may have arrived is not final: %s, %j',
    async (route, replies, expected, maybeWritten) => {
      const { github, arrived } = await clientFor(replies)
      const result = await github.attempt(() => github.call((octokit) => octokit.request(route)))
      const { kind, status, message } = result.known ? {} : result.error
      expect(result.known ? result.value : `${kind} ${status}: ${message}`).toEqual(expected)
      expect(arrived).toHaveLength(replies.length)
      expect(result.known ? undefined : result.error.maybeWritten).toBe(maybeWritten)
    },
  )

  it('where it never arrived, even if it writes a comment', async () => {
    const apiUrl = 'http://127.0.0.1:1'
    const { github, clock } = await clientFor([], { apiUrl })
    expect(await call(github, COMMENT)).toMatch(
      /^other undefined: the connection to 127\.0\.0\.1:\d+ was refused \(ECONNREFUSED\)$/,
    )
    expect(clock.now()).toBe(12_000)
  })

  it.each([
    ['GET /x', 3],
    ['POST /x', 1],
  ])('after a timeout of 10 s, and only if that does no harm: %s', async (route, attempts) => {
    const client = await clientFor(['hangs'])
    const hanging = call(client.github, route)
    await letTimeOut(client, attempts)
    expect(await hanging).toMatch(/^other undefined: no response from .* within 10 s$/)
    expect(client.arrived).toHaveLength(attempts)
  })

  it('once where an earlier request timed out in all its tries', async () => {
    const client = await clientFor(['hangs', 'hangs', 'hangs', 502])
    const { github, arrived } = client
    const hanging = call(github)
    await letTimeOut(client, 3)
    await hanging
    await call(github)
    expect(arrived).toHaveLength(4)
  })
})

it('what must not be there twice is looked for before it is created again, where it may have arrived', async () => {
  const create = async (replies: readonly Reply[], found: readonly (string | undefined)[]) => {
    const { github, arrived } = await clientFor(replies)
    const left = [...found]
    const created = github.createOnce(
      () => github.call<unknown>((octokit) => octokit.request(COMMENT)),
      async () => left.shift(),
    )
    const outcome = await created.catch((error: Error) => error.message)
    return [outcome, arrived.map((request) => request.split(' ')[0]), left.length]
  }
  expect(await create(['lost'], ['found'])).toEqual(['found', ['0'], 0])
  expect(await create([502, 200], [undefined])).toEqual([{ ok: true }, ['0', '3'], 0])
  const failed = ['GitHub returned 502', ['0', '3', '12'], 0]
  expect(await create([502], [undefined, undefined])).toEqual(failed)
  expect(await create([422], ['found'])).toEqual(['GitHub returned 422', ['0'], 1])
})

it.each([
  ['GET /x', 0],
  ['POST /graphql', 0],
  ['PATCH /x', 4000],
])('a cancel drops a %s in flight after %i ms', async (route, afterMs) => {
  const cancel = new AbortController()
  const { github, arrived, clock } = await clientFor(['hangs'], { cancel: cancel.signal })
  const hanging = call(github, route)
  await vi.waitUntil(() => arrived.length === 1)
  cancel.abort()
  if (afterMs > 0) clock.jump()
  expect(await hanging).toMatch(/^other undefined: /)
  expect(clock.now()).toBe(afterMs)
})

it('with a deadline, as the post step has one, the client waits for a Retry-After until then', async () => {
  const replies = [retryAfter(403, 40), 200, retryAfter(503, 20), 200, retryAfter(403, 1)]
  const { github, arrived } = await clientFor(replies, { retryAfterDeadlineMs: 60_000 })
  for (const route of ['PATCH /x', 'PATCH /y', 'PATCH /z']) await call(github, route)
  expect(arrived).toEqual([
    '0 PATCH /x',
    '40 PATCH /x',
    '40 PATCH /y',
    '60 PATCH /y',
    '60 PATCH /z',
  ])
})

describe('a list', () => {
  const next = { link: '</list?page=2>; rel="next", </list?page=3>; rel="last"' }
  const pages = [{ body: [1, 2], headers: next }, { body: [3] }]

  it('continues with the page that GitHub links, up to as many entries as are wanted', async () => {
    const whole = await clientFor(pages)
    expect(await whole.github.list('/list')).toEqual([1, 2, 3])
    expect(whole.arrived).toEqual(['0 GET /list?per_page=100', '0 GET /list?page=2'])
    const first = await clientFor(pages)
    expect(await first.github.list('/list?state=open', 2)).toEqual([1, 2])
    expect(first.arrived).toEqual(['0 GET /list?state=open&per_page=100'])
  })

  it.each<[Reply, string]>([
    [404, 'GitHub returned 404'],
    [204, 'GitHub returned 204 without a readable body'],
    [{ body: { entries: [] } }, 'GitHub returned something that is not a list'],
  ])('is unknown, never empty, where a page is answered %j', async (reply, why) => {
    const { github } = await clientFor([pages[0] ?? 200, reply])
    expect(await github.attempt(() => github.list('/list'))).toMatchObject({ known: false, why })
  })
})

describe('whose token it is', () => {
  const viewer = { databaseId: 41898282, login: 'github-actions' }

  it('is asked until it is known', async () => {
    const { github, arrived } = await clientFor([401, { body: { data: { viewer } } }])
    await expect(github.account()).rejects.toThrow('GitHub rejected `github-token` (401)')
    expect([await github.account(), await github.account()]).toEqual([viewer, viewer])
    expect(arrived).toHaveLength(2)
  })

  it.each([
    ['/', '/graphql'],
    ['/api/v3', '/api/graphql'],
  ])('is asked by GraphQL, which a server with REST at %s has at %s', async (rest, graphql) => {
    const replies = [{ body: { data: { viewer } } }]
    const { arrived, server } = await clientFor(replies)
    const { github } = await clientFor(replies, { apiUrl: `${server.origin}${rest}` })
    await github.account()
    expect(arrived).toEqual([`0 POST ${graphql}`])
  })
})

it('an answer of GraphQL with errors and data is believed after three tries', async () => {
  const partial = { body: { data: { a: 1 }, errors: [{ message: 'Something went wrong.' }] } }
  const { github, arrived } = await clientFor([partial])
  const errors = [{ type: '', message: 'Something went wrong.', path: '' }]
  expect(await github.graphql('query { a }')).toEqual({ data: { a: 1 }, errors })
  expect(arrived).toHaveLength(3)
  const hidden = { body: { data: { a: null }, errors: [{ type: 'NOT_FOUND', message: 'No.' }] } }
  const once = await clientFor([hidden])
  await once.github.graphql('query { a }')
  expect(once.arrived).toHaveLength(1)
})

const patch = (github: GitHub) => github.call((octokit) => octokit.request('PATCH /x'))

describe('a call that the run can not do without', () => {
  const needed: GitHubCall = { purpose: 'list the tags', permission: 'contents: read' }
  const every15s = [27, 42, 57, 72, 87, 102, 117]

  it.each<{ reply: Reply; atS: readonly number[] }>([
    { reply: 502, atS: [0, 3, 12, ...every15s] },
    { reply: failing(), atS: [0, 3, 12, ...every15s] },
    { reply: retryAfter(429, 15), atS: [0, 15, 30, 45, 60, 75, 90, 105] },
    { reply: retryAfter(429, 16), atS: [0] },
    { reply: FORBIDDEN, atS: [0] },
    { reply: 422, atS: [0] },
    { reply: 401, atS: [0] },
  ])('is made for up to two minutes, if it is answered $reply', async ({ reply, atS }) => {
    const { github, arrived } = await clientFor([reply])
    const query = reply === 502 ? 'GET /x' : 'POST /graphql'
    const made = github.need(needed, () => github.call((octokit) => octokit.request(query)))
    await expect(made).rejects.toThrow(/^Could not list the tags: GitHub/)
    expect(arrived).toEqual(atS.map((time) => `${time} ${query}`))
  })

  it('gives its result as soon as GitHub answers', async () => {
    const { github, clock, lines } = await clientFor([502, 502, 502, 502, { body: { a: 1 } }])
    expect(await github.need(needed, () => patch(github))).toEqual({ a: 1 })
    expect([clock.now(), lines]).toEqual([42_000, []])
  })

  it('is given up if the run is canceled', async () => {
    const cancel = new AbortController()
    const { github, clock } = await clientFor([502], { cancel: cancel.signal })
    clock.at(20_000, () => cancel.abort())
    const made = github.need(needed, () => patch(github))
    await expect(made).rejects.toThrow('Could not list the tags')
    expect(clock.now()).toBe(20_000)
  })
})

describe('calls that the run can do without', () => {
  const list: GitHubCall = { purpose: 'list the comments', permission: 'issues: write' }
  const write: GitHubCall = { ...list, purpose: 'write a comment' }
  const other: GitHubCall = { ...write, permission: 'contents: read' }
  const attempt = (github: GitHub, one: GitHubCall) =>
    github.attemptAndReport(one, () => patch(github))
  /** The lines that these calls log; the last one is the notice, if there is one. */
  async function logOf(replies: readonly Reply[], calls: readonly GitHubCall[], options?: Options) {
    const { github, lines } = await clientFor(replies, options)
    for (const one of calls) await attempt(github, one)
    github.reportFailures()
    return lines
  }

  it('give their result, or are a line each and one notice together', async () => {
    const { github, lines } = await clientFor([{ body: { a: 1 } }, 422, 409])
    expect(await attempt(github, list)).toEqual({ known: true, value: { a: 1 } })
    expect(github.reportFailures()).toBe(false)
    const failed = { known: false, why: 'GitHub returned 422', error: { status: 422 } }
    expect(await attempt(github, write)).toMatchObject(failed)
    await attempt(github, list)
    expect(github.reportFailures()).toBe(true)
    expect(lines).toEqual([
      'info: Could not write a comment: GitHub returned 422.',
      'info: Could not list the comments: GitHub returned 409.',
      'notice (GitHub rejected a request (422)): The run continued, but the action could not write a comment and list the comments: GitHub returned 422.',
    ])
  })

  it('have no notice if the run was canceled, or if an error explains them', async () => {
    const cancel = new AbortController()
    cancel.abort()
    const canceled = await logOf([409], [list], { cancel: cancel.signal })
    expect(canceled).toEqual(['info: Could not list the comments: GitHub returned 409.'])
    const { github, lines } = await clientFor([409])
    await attempt(github, list)
    github.explain()
    expect([github.reportFailures(), lines]).toEqual([false, canceled])
  })

  it.each([
    { reply: 200, options: { token: '' }, cause: '`github-token` is empty', why: EMPTY },
    {
      reply: 401,
      cause: 'GitHub rejected `github-token` (401)',
      title: '`github-token` is invalid or expired',
      why: EXPIRED,
    },
    {
      reply: said(403, 'API rate limit exceeded for installation.'),
      cause: "GitHub's API rate limit was exceeded (403)",
      title: "GitHub's API rate limit was exceeded",
      why: LIMITED,
    },
    {
      reply: said(502, 'Oh no'),
      cause: 'GitHub returned 502 ("Oh no")',
      title: 'GitHub is unavailable (502)',
      why: OUTAGE,
    },
    {
      reply: said(403, SAML),
      cause: `GitHub returned 403 ("${SAML}")`,
      title: 'The organization requires SSO for `github-token`',
      why: `Authorize the token under Settings → Developer settings → Personal access tokens → Configure SSO, ${OTHER_TOKEN}`,
    },
    {
      reply: said(403, '`acme` forbids access via a personal access token (classic).'),
      cause: 'GitHub returned 403 ("`acme` forbids access via a personal access token (classic).")',
      title: 'The organization forbids this kind of `github-token`',
      why: `Use a kind of token that the organization allows, ${OTHER_TOKEN}`,
    },
    {
      reply: said(403, 'The `acme` organization has an IP allow list enabled.'),
      cause: 'GitHub returned 403 ("The `acme` organization has an IP allow list enabled.")',
      title: "The organization's IP allow list blocks this runner",
      why: 'Use a runner whose address is on the list, or add its address.',
    },
    {
      reply: said(403, 'This installation has been suspended'),
      cause: 'GitHub returned 403 ("This installation has been suspended")',
      title: 'The account or App of `github-token` is suspended',
      why: `An owner can end the suspension. Until then, use another token ${docsLink('manage.md#change-the-token')}.`,
    },
    {
      reply: FORBIDDEN,
      cause: 'GitHub returned 403 ("Forbidden")',
      title: 'Missing permission: `issues: write`',
      why: "The workflow doesn't grant `issues: write`. Add `issues: write` under `permissions:`.",
    },
    {
      reply: said(403, 'Resource not accessible by personal access token'),
      cause: 'GitHub returned 403 ("Resource not accessible by personal access token")',
      title: 'Missing permission: `issues: write`',
      why: "`github-token` doesn't have `issues: write`. Add `issues: write` to the token.",
    },
  ])('have one notice which explains that $cause', async ({ reply, options, cause, ...notice }) => {
    const { title = cause, why } = notice
    expect(title.length).toBeLessThanOrEqual(60)
    const lines = await logOf([reply], [list, write, list], options)
    expect(lines.at(-1)).toBe(
      `notice (${title}): The run continued, but the action could not list the comments and write a comment: ${cause}. ${why}`,
    )
    expect(lines.filter((line) => line.includes(why))).toHaveLength(1)
  })

  it('have one notice with all missing permissions', async () => {
    const [notice] = (await logOf([FORBIDDEN], [list, other, write])).slice(-1)
    expect(notice).toMatch(/^notice \(Missing permission: `issues: write`\): /)
    expect(notice).toContain(
      "doesn't grant `issues: write` and `contents: read`. Add `issues: write` and",
    )
  })

  it('miss no permission that has worked before', async () => {
    const [notice] = (await logOf([200, FORBIDDEN], [list, write])).slice(-1)
    expect(notice).toMatch(/^notice \(GitHub rejected a request \(403\)\): /)
    expect(notice).not.toContain('permission')
  })

  it.each<[Reply, [boolean, boolean]]>([
    [404, [true, false]],
    [FORBIDDEN, [true, false]],
    [said(403, 'Unable to create comment because issue is locked.'), [true, true]],
    [422, [true, true]],
    [401, [false, false]],
    [retryAfter(403, 99), [false, false]],
    [502, [false, false]],
  ])('that is answered %j is refused for good: %j', async (reply, expected) => {
    const { github } = await clientFor([200, reply])
    await attempt(github, { ...write, permission: 'works' })
    const asked = await github.attempt(() => github.call((octokit) => octokit.request('PATCH /x')))
    const isRefused = (one: string) => !asked.known && github.isRefusedForGood(asked.error, one)
    expect(['never worked', 'works'].map(isRefused)).toEqual(expected)
  })
})
