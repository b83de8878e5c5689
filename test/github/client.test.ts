import { describe, expect, it, vi } from 'vitest'
import {
  ARCHIVED,
  COMMENT,
  call,
  clientFor,
  FORBIDDEN,
  failing,
  HTML,
  letTimeOut,
  MOVED,
  type Reply,
  retryAfter,
  SAML,
  said,
  servers,
  unreadable,
  usedUp,
} from './client.ts'

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
