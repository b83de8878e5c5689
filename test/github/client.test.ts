import { describe, expect, it, vi } from 'vitest'
import {
  call,
  clientFor,
  FORBIDDEN,
  failing,
  letTimeOut,
  type Reply,
  retryAfter,
  SAML,
  said,
  servers,
} from './client.ts'

const QUERY = 'POST /graphql'
const COMMENT = 'POST /repos/acme/docs/issues/5/comments'
/** When a request is made again that the run can do without, in seconds. */
const RETRIED = [0, 1, 3, 7, 12]

it('a request names the token, the version of the API, and the action, and returns the data', async () => {
  const { github, headersOf } = await clientFor([{ body: { a: 1 } }, { body: [] }])
  expect([await call(github), await call(github)]).toEqual([{ a: 1 }, []])
  expect(headersOf[0]).toMatchObject({
    authorization: 'token ghs_1',
    'x-github-api-version': '2022-11-28',
    'user-agent': expect.stringContaining('docs-agent-action'),
  })
})

it.each<{ reply: Reply; route?: string; kind: string; status?: number; says?: string }>([
  { reply: FORBIDDEN, kind: 'permission', status: 403 },
  { reply: said(404, 'Not Found'), kind: 'permission', status: 404 },
  { reply: failing('FORBIDDEN'), route: QUERY, kind: 'permission' },
  { reply: failing('NOT_FOUND'), route: QUERY, kind: 'permission', status: 404 },
  { reply: failing('FORBIDDEN', SAML), route: QUERY, kind: 'refused', says: SAML },
  { reply: said(401, 'Bad'), kind: 'refused', status: 401, says: '("Bad")' },
  { reply: { status: 302, headers: { location: '/y' } }, kind: 'refused', status: 302 },
  { reply: said(403, 'Repository was archived.'), kind: 'refused', status: 403 },
  { reply: said(403, 'It is locked.'), route: 'PATCH /x', kind: 'refused', status: 403 },
  { reply: said(404, 'No common ancestor.'), kind: 'refused', status: 404 },
  {
    reply: { status: 422, body: { message: 'Failed', errors: [{ message: 'x' }, 'y', {}] } },
    kind: 'refused',
    status: 422,
    says: 'GitHub returned 422 ("Failed: x: y")',
  },
])('a request that is answered $reply fails at once as $kind', async (row) => {
  const { reply, route = 'GET /x', kind, status, says = '' } = row
  const { github, arrived } = await clientFor([reply])
  const message = expect.stringContaining(says)
  expect(await call(github, route)).toMatchObject({ kind, status, message })
  expect(arrived).toHaveLength(1)
})

describe('a request is made again', () => {
  const usedUp = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '7' }

  it.each<{ reply: Reply; route?: string; optionalMs?: number; atS: readonly number[] }>([
    { reply: 500, atS: RETRIED },
    { reply: 'lost', atS: RETRIED },
    { reply: 429, atS: RETRIED },
    { reply: said(403, 'You have exceeded a secondary rate limit.'), atS: RETRIED },
    { reply: { body: '<html>Unicorn!' }, atS: RETRIED },
    { reply: { body: {} }, route: QUERY, atS: RETRIED },
    { reply: failing(), route: QUERY, atS: RETRIED },
    { reply: failing('RATE_LIMITED'), route: QUERY, atS: RETRIED },
    { reply: retryAfter(403, 5), atS: [0, 5, 10] },
    { reply: retryAfter(403, 12), atS: [0] },
    { reply: { status: 403, headers: usedUp }, atS: [0, 7, 9, 12] },
    { reply: retryAfter(403, 40), optionalMs: 60_000, atS: [0, 40] },
  ])('after $reply, at $atS s', async ({ reply, route = 'GET /x', optionalMs = 12_000, atS }) => {
    const { github, arrived, lines } = await clientFor([reply], { optionalMs })
    expect(await call(github, route)).toMatchObject({ name: 'GitHubError' })
    expect(arrived).toEqual(atS.map((time) => `${time} ${route}`))
    // The log says so at the first failure.
    expect(lines.filter((line) => line.includes('Trying again'))).toHaveLength(
      atS.length > 1 ? 1 : 0,
    )
  })

  it.each<{ route: string; reply: Reply; times: number }>([
    { route: COMMENT, reply: 502, times: 1 },
    { route: COMMENT, reply: 'lost', times: 1 },
    { route: COMMENT, reply: retryAfter(403, 5), times: 3 },
    { route: 'PATCH /repos/acme/docs/issues/comments/7', reply: 502, times: 5 },
    { route: 'POST /repos/acme/docs/issues/comments/7/reactions', reply: 'lost', times: 5 },
    { route: `POST /repos/acme/docs/statuses/${'a'.repeat(40)}`, reply: 502, times: 5 },
  ])('only if that does no harm: $route after $reply', async ({ route, reply, times }) => {
    const { github, arrived } = await clientFor([reply])
    await call(github, route)
    expect(arrived).toHaveLength(times)
  })

  it('if it never arrived, even if it writes a comment', async () => {
    const { github, clock } = await clientFor([], { apiUrl: 'http://127.0.0.1:1' })
    const message = expect.stringContaining('ECONNREFUSED')
    expect(await call(github, COMMENT)).toMatchObject({ kind: 'passing', message })
    expect(clock.now()).toBe(12_000)
  })

  it.each([
    { route: 'GET /x', times: 2 },
    { route: COMMENT, times: 1 },
  ])('after a timeout of 10 s, if that does no harm: $route', async ({ route, times }) => {
    const client = await clientFor(['hangs'])
    const hanging = call(client.github, route)
    await letTimeOut(client, times)
    const message = expect.stringContaining('within 10 s')
    expect(await hanging).toMatchObject({ kind: 'passing', message })
    expect(client.arrived).toHaveLength(times)
  })
})

it.each([
  { route: 'GET /x', afterMs: 0 },
  { route: QUERY, afterMs: 0 },
  { route: 'PATCH /x', afterMs: 4000 },
])('a cancel ends a $route in flight after $afterMs ms', async ({ route, afterMs }) => {
  const cancel = new AbortController()
  const { github, arrived, clock } = await clientFor(['hangs'], { cancel: cancel.signal })
  const hanging = call(github, route)
  await vi.waitUntil(() => arrived.length === 1)
  cancel.abort()
  if (afterMs > 0) clock.jump()
  expect(await hanging).toMatchObject({ kind: 'passing' })
  expect(clock.now()).toBe(afterMs)
})

it('an answer of GraphQL with errors and data is believed after the last try, or at once if nothing passes', async () => {
  const answer = (type?: string) => {
    return { body: { data: { a: null }, errors: [{ type, message: 'No.' }] } }
  }
  for (const [reply, times] of [
    [answer(), RETRIED.length],
    [answer('NOT_FOUND'), 1],
  ] as const) {
    const { github, arrived } = await clientFor([reply])
    const { data, errors } = await github.graphql('query { a }')
    expect([data, errors.length, arrived.length]).toEqual([{ a: null }, 1, times])
  }
})

it('a server with REST at /api/v3 has GraphQL at /api/graphql', async () => {
  const { arrived, server } = await clientFor([{ body: { data: { a: 1 } } }])
  const { github } = await clientFor([], { apiUrl: `${server.origin}/api/v3` })
  await github.graphql('query { a }')
  expect(arrived).toEqual(['0 POST /api/graphql'])
})

describe('a list', () => {
  const link = '</list?page=2>; rel="next", </list?page=3>; rel="last"'
  const first = { body: [1, 2], headers: { link } }

  it('continues with the page that GitHub links, up to the maximum', async () => {
    const { github, arrived } = await clientFor([first, { body: [3] }, first])
    expect([await github.list('list'), await github.list('list', 2)]).toEqual([
      [1, 2, 3],
      [1, 2],
    ])
    expect(arrived.map((line) => line.replace('/repos/acme/docs', ''))).toEqual([
      '0 GET /list?per_page=100',
      '0 GET /list?page=2',
      '0 GET /list?per_page=100',
    ])
  })

  it.each<Reply>([404, 409, { body: { entries: [] } }])(
    'is unknown, never empty, if a page is answered %j',
    async (reply) => {
      const { github } = await clientFor([first, reply])
      expect(await github.attempt(() => github.list('list'))).toMatchObject({ known: false })
    },
  )

  it('never sends the token to another server', async () => {
    const other = await servers.start((_incoming, response) => response.end('[]'))
    const headers = { link: `<${other.origin}/next>; rel="next"` }
    const { github } = await clientFor([{ body: [1], headers }])
    expect(await github.attempt(() => github.list('list'))).toMatchObject({ known: false })
    expect(other.requests).toEqual([])
  })
})
