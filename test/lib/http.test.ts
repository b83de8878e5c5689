import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { TestServers } from '../support/http-servers.ts'
import { HALF_RESPONSES } from './http.cases.ts'
import { clientWith, clockWithEnd, failureOf, get, KINDS } from './http-client.ts'

const servers = new TestServers()
const MIB = 1024 * 1024

describe.each(KINDS)('a request over %s', (_name, freshConnection) => {
  const request = (url: URL) => get(url, { freshConnection })
  const post = (url: URL) => get(url, { method: 'POST', body: 'x', freshConnection })

  it('arrives as it was meant, and its response comes back complete', async () => {
    let received = ''
    const { url, requests } = await servers.start((incoming, response) => {
      const {
        host,
        'x-name': name,
        'content-length': length,
        'accept-encoding': encoding,
      } = incoming.headers
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        received += [host, name, length, encoding, chunk].join(' ')
      })
      response.writeHead(201, ['X-Twice', 'a', 'X-Twice', 'b'])
      incoming.on('end', () => response.end('größer'))
    })
    const answer = await clientWith().send({
      ...post(url),
      headers: { 'x-name': 'v' },
      body: 'söme',
    })
    expect(requests).toEqual(['POST /path?query=1'])
    expect(received).toBe(`${url.host} v 5 identity söme`)
    expect(answer).toMatchObject({ status: 201, body: 'größer', bodyProblem: undefined })
    expect(answer.headers).toMatchObject({ 'x-twice': 'a, b' })
  })

  it.each<[string, string | undefined, string]>([
    ['an interim 100, which nobody requested', 'HTTP/1.1 100 Continue\r\n\r\n', ''],
    ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', ''],
    ['a reset', undefined, ' (ECONNRESET)'],
  ])('may have been sent where the answer is %s', async (_what, bytes, code) => {
    const { url } = await servers.start(({ socket }) =>
      bytes === undefined ? socket.resetAndDestroy() : socket.end(bytes),
    )
    const failure = await failureOf(post(url))
    expect(failure).toMatchObject({ failure: 'broken', maybeSent: true })
    const closed = `the connection to ${url.host} closed before the response was complete${code}`
    expect(failure.message).toContain(closed)
  })

  it('may get a body of 16 MiB and not a byte more', async () => {
    const bodies = [Buffer.alloc(16 * MIB, 'x'), Buffer.alloc(16 * MIB + 1, 'x')]
    const { url } = await servers.start((_incoming, response) => response.end(bodies.shift()))
    const client = clientWith()
    expect((await client.send(request(url))).body).toHaveLength(16 * MIB)
    const tooLarge = { status: 200, body: '', bodyProblem: 'it is larger than 16 MiB' }
    expect(await client.send(request(url))).toMatchObject(tooLarge)
  })

  it.each(HALF_RESPONSES)(
    'has the status of a response that %s, and the part that can be read',
    async (_how, answer, expected) => {
      const { clock, end } = clockWithEnd()
      const { url } = await servers.start((...exchange) => answer(end, ...exchange))
      expect(await clientWith({ clock }).send(request(url))).toMatchObject(expected)
    },
  )

  it('that is never answered ends at the time limit', async () => {
    const { clock, end } = clockWithEnd()
    const { url } = await servers.start(end)
    const message = `no response from ${url.host} within 10 s`
    const failure = await failureOf(request(url), { clock })
    expect(failure).toEqual({ failure: 'timeout', maybeSent: true, message })
  })

  it('is certain not to be sent without a connection, and the error has the reason', async () => {
    const silent = (await servers.start(() => undefined)).url.host
    const wrongVersion = 'wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)'
    for (const [url, failure, says] of [
      ['http://127.0.0.1:1', 'refused', 'the connection to 127.0.0.1:1 was refused (ECONNREFUSED)'],
      [
        'http://nowhere.invalid',
        'unresolved',
        'the host name nowhere.invalid could not be resolved to an address (E',
      ],
      [
        `https://${silent}`,
        'tls-protocol',
        `the TLS connection to ${silent} failed: ${wrongVersion}`,
      ],
    ] as const) {
      const message = expect.stringContaining(says)
      const failed = await failureOf(request(new URL(url)))
      expect(failed).toEqual({ failure, maybeSent: false, message })
    }
  })

  it('ends at once with the reason of an abort, before its response and in the middle of it', async () => {
    const reason = new Error('enough')
    for (const isBegun of [false, true]) {
      const abort = new AbortController()
      const { url } = await servers.start((_incoming, response) => {
        if (isBegun) response.write('half', () => abort.abort(reason))
        else abort.abort(reason)
      })
      const sent = clientWith().send({ ...request(url), signal: abort.signal })
      await expect(sent).rejects.toBe(reason)
    }
  })

  it('is never sent where an abort came before, or comes while the connection is being opened', async () => {
    const { host, accepted } = await servers.startSilent()
    const silent = request(new URL(`https://${host}/`))
    const reason = new Error('enough')
    const before = clientWith().send({ ...silent, signal: AbortSignal.abort(reason) })
    await expect(before).rejects.toBe(reason)
    const abort = new AbortController()
    const after = clientWith().send({ ...silent, signal: abort.signal })
    await accepted
    abort.abort(reason)
    // At once, and not when the connection is given up.
    expect(
      await Promise.race([after.catch((error: unknown) => error), setImmediate('not yet')]),
    ).toBe(reason)
  })
})

it('a request is not taken for sent because another server got the same one meanwhile', async () => {
  const { host } = await servers.startSilent()
  const { url } = await servers.start((_incoming, response) => response.end())
  const silent = get(new URL(`https://${host}${url.pathname}${url.search}`))
  const { clock, end } = clockWithEnd()
  const failing = failureOf(silent, { clock })
  await clientWith().send(get(url))
  end()
  expect(await failing).toMatchObject({ failure: 'timeout', maybeSent: false })
})

it('connections are kept, but fresh for each request that asks for it, and closed after that', async () => {
  const { url, connections, server } = await servers.start((_incoming, response) =>
    response.end('{}'),
  )
  const client = clientWith()
  for (const freshConnection of [false, false, true, true, true, false, false]) {
    await client.send(get(url, { freshConnection }))
    // undici takes a connection for free a moment after the end of its response.
    await setImmediate()
  }
  expect(connections()).toBe(4)
  const open = (): Promise<number> =>
    new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
  await expect.poll(open, { timeout: 20_000 }).toBe(1)
})

it('each request has a debug line, without headers, query, and body', async () => {
  const { url } = await servers.start((_incoming, response) => response.writeHead(404).end('body'))
  url.search = '?key=secret'
  const lines: string[] = []
  const debug = (line: string) => void lines.push(line)
  await clientWith({ debug }).send(get(url, { headers: { authorization: 'secret' } }))
  const refused = get(new URL('http://127.0.0.1:1/a?b'), { method: 'POST', body: 'secret' })
  await failureOf(refused, { debug })
  expect(lines.map((line) => line.replace(/\d+ ms/, 'N ms'))).toEqual([
    `GET ${url.host}/path: 404 (N ms)`,
    'POST 127.0.0.1:1/a: the connection to 127.0.0.1:1 was refused (ECONNREFUSED) (N ms)',
  ])
})
