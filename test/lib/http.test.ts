import type { RequestListener } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { HttpResponse } from '../../src/lib/http.ts'
import { TestServers } from '../support/http-servers.ts'
import { clientWith, clockWithEnd, failureOf, get, KINDS } from './http-client.ts'

const servers = new TestServers()
const MIB = 1024 * 1024

type HalfResponse = {
  /** Sends it; with `endTime`, the time limit ends. */
  readonly send: (endTime: () => void, ...exchange: Parameters<RequestListener>) => void
  readonly expected: Partial<HttpResponse>
}

/** Responses whose bodies can't be read to their end. */
const HALF_RESPONSES: readonly HalfResponse[] = [
  {
    send: (_end, _, response) =>
      response.writeHead(401, { 'content-encoding': ' GZIP' }).end(gzipSync('{}')),
    expected: {
      status: 401,
      body: '',
      bodyProblem: 'it is compressed, although no compression was requested',
    },
  },
  {
    send: (_end, _, response) => {
      response.writeHead(429, { 'content-length': '100' })
      response.write('half', () => response.socket?.destroy())
    },
    expected: {
      status: 429,
      body: 'half',
      bodyProblem: 'the connection closed before the response was complete',
    },
  },
  {
    send: (endTime, _, response) =>
      response.writeHead(404).write('half', async () => {
        // A client in this process reads what was sent within so many turns of the event loop.
        for (let turn = 0; turn < 10; turn++) await setImmediate()
        endTime()
      }),
    expected: {
      status: 404,
      body: 'half',
      bodyProblem: 'the response was not complete within 10 s',
    },
  },
]

describe.each(KINDS)('a request over %s', (_name, freshConnection) => {
  const request = (url: URL) => get(url, { freshConnection })
  const post = (url: URL) => get(url, { method: 'POST', body: 'x', freshConnection })

  it('arrives as it was meant, and its response comes back complete', async () => {
    let received = ''
    const { url, requests } = await servers.start((incoming, response) => {
      const { host, 'x-name': name, 'content-length': length } = incoming.headers
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        received += [host, name, length, chunk].join(' ')
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
    expect(received).toBe(`${url.host} v 5 söme`)
    expect(answer).toMatchObject({ status: 201, body: 'größer', bodyProblem: undefined })
    expect(answer.headers).toMatchObject({ 'x-twice': 'a, b' })
  })

  it.each([
    { answer: 'an interim 100', bytes: 'HTTP/1.1 100 Continue\r\n\r\n' },
    { answer: 'something that is not HTTP', bytes: 'SSH-2.0-OpenSSH_9.6\r\n' },
    { answer: 'a reset', bytes: undefined },
  ])('may have been sent if the answer is $answer', async ({ bytes }) => {
    const { url } = await servers.start(({ socket }) =>
      bytes === undefined ? socket.resetAndDestroy() : socket.end(bytes),
    )
    const failure = { failure: 'broken' }
    expect(await failureOf(post(url))).toMatchObject(failure)
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
    'has the part of a response that can be read: $expected',
    async ({ send, expected }) => {
      const { clock, end } = clockWithEnd()
      const { url } = await servers.start((...exchange) => send(end, ...exchange))
      expect(await clientWith({ clock }).send(request(url))).toMatchObject(expected)
    },
  )

  it('that is never answered ends at the time limit', async () => {
    const { clock, end } = clockWithEnd()
    const { url } = await servers.start(end)
    const message = `no response from ${url.host} within 10 s`
    const failure = await failureOf(request(url), { clock })
    expect(failure).toEqual({ failure: 'timeout', message })
  })

  it.each([
    { url: 'http://127.0.0.1:1', says: 'ECONNREFUSED' },
    { url: 'http://nowhere.invalid', says: 'getaddrinfo' },
  ])('is certain not to be sent without a connection to $url', async ({ url, says }) => {
    const message = expect.stringContaining(says)
    expect(await failureOf(request(new URL(url)))).toEqual({ failure: 'unsent', message })
  })

  it('ends at once with the reason of an abort, in the middle of its response, too', async () => {
    const reason = new Error('enough')
    const abort = new AbortController()
    const { url } = await servers.start((_incoming, response) => {
      response.write('half', () => abort.abort(reason))
    })
    const sent = clientWith().send({ ...request(url), signal: abort.signal })
    await expect(sent).rejects.toBe(reason)
  })

  it('is never sent if an abort comes while the connection is opened', async () => {
    const { host, accepted } = await servers.startSilent()
    const silent = request(new URL(`https://${host}/`))
    const reason = new Error('enough')
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

it('connections are kept, but fresh for each request that asks for it', async () => {
  const { url, connections } = await servers.start((_incoming, response) => response.end('{}'))
  const client = clientWith()
  for (const freshConnection of [false, false, true, true, true, false, false]) {
    await client.send(get(url, { freshConnection }))
    // undici takes a connection for free a moment after the end of its response.
    await setImmediate()
  }
  expect(connections()).toBe(4)
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
    'POST 127.0.0.1:1/a: the request to 127.0.0.1:1 failed: connect ECONNREFUSED 127.0.0.1:1 (N ms)',
  ])
})
