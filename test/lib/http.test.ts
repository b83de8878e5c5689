import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { isLoopbackHost } from '../../src/lib/http.ts'
import { TestServers } from '../support/http-servers.ts'
import { clientWith, failureOf, get } from './http-client.ts'

const servers = new TestServers()
const MIB = 1024 * 1024

describe.each([
  ['a kept connection', false],
  ['a fresh connection', true],
])('a request over %s', (_name, freshConnection) => {
  it('arrives as it was meant, and its response comes back complete', async () => {
    let received = ''
    const { url, requests } = await servers.start((incoming, response) => {
      const { host, 'x-name': name, 'content-length': length, 'accept-encoding': encoding } = incoming.headers
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        received += [host, name, length, encoding, chunk].join(' ')
      })
      response.writeHead(201, ['X-Twice', 'a', 'X-Twice', 'b'])
      incoming.on('end', () => response.end('größer'))
    })
    const request = { method: 'POST', url, headers: { 'x-name': 'v' }, body: 'söme', freshConnection }
    const answer = await clientWith().send(request)
    expect(requests).toEqual(['POST /path?query=1'])
    expect(received).toBe(`${url.host} v 5 identity söme`)
    expect(answer).toMatchObject({ status: 201, body: 'größer', bodyProblem: undefined })
    expect(answer.headers).toMatchObject({ 'x-twice': 'a, b' })
  })

  it('reaches this machine by a name below localhost, which no name server is asked for', async () => {
    const { url } = await servers.start((incoming, response) => response.end(incoming.headers.host))
    const named = new URL(url)
    named.hostname = 'docs.localhost'
    const answer = await clientWith().send(get(named, { freshConnection }))
    expect(answer).toMatchObject({ status: 200, body: `docs.localhost:${url.port}` })
  })

  it.each([102, 103, 199])('is answered after an interim response %i', async (status) => {
    const { url } = await servers.startRaw(
      `HTTP/1.1 ${status} Wait\r\n\r\nHTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}`,
    )
    const request = get(url, { method: 'POST', body: 'x', freshConnection })
    expect(await clientWith().send(request)).toMatchObject({ status: 201, body: '{}' })
  })

  it.each([
    ['100, which nobody requested', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n\r\n{}'],
    ['101', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['101 without an upgrade', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['103 and nothing more', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['nothing', ''],
  ])('may have been sent where the answer is %s', async (_what, bytes) => {
    const { url } = await servers.startRaw(bytes)
    const request = get(url, { method: 'POST', body: 'x', freshConnection })
    const failure = await failureOf(clientWith(), request)
    expect(failure).toMatchObject({ failure: 'broken', maybeSent: true })
    expect(failure.message).toContain(`the connection to ${url.host} closed before the response was complete`)
  })

  it('may get a body of 16 MiB and not a byte more', async () => {
    const bodies = [Buffer.alloc(16 * MIB, 'x'), Buffer.alloc(16 * MIB + 1, 'x')]
    const { url } = await servers.start((_incoming, response) => response.end(bodies.shift()))
    const client = clientWith()
    expect((await client.send(get(url, { freshConnection }))).body).toHaveLength(16 * MIB)
    expect(await client.send(get(url, { freshConnection }))).toMatchObject({
      status: 200,
      body: '',
      bodyProblem: 'it is larger than 16 MiB',
    })
  })

  it('has the status of a response that is compressed, and no body', async () => {
    const { url } = await servers.start((_incoming, response) =>
      response.writeHead(401, { 'content-encoding': ' GZIP' }).end(gzipSync('{}')),
    )
    expect(await clientWith().send(get(url, { freshConnection }))).toMatchObject({
      status: 401,
      body: '',
      bodyProblem: 'it is compressed, although no compression was requested',
    })
  })

  it('has the status of a response that breaks off, and as much of its body as came', async () => {
    const { url } = await servers.start((_incoming, response) => {
      response.writeHead(429, { 'content-length': '100', 'retry-after': '7' })
      response.write('half', () => response.socket?.destroy())
    })
    expect(await clientWith().send(get(url, { freshConnection }))).toMatchObject({
      status: 429,
      headers: { 'retry-after': '7' },
      body: 'half',
      bodyProblem: 'the connection closed before the response was complete',
    })
  })

  it.each([
    ['longer than announced', 'content-length: 2\r\n\r\n{}trailing', '{}'],
    ['chunked, and the end of the chunks is missing', 'transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n', '{}'],
  ])('has the whole body of a response that is %s', async (_how, rest, body) => {
    const { url } = await servers.startRaw(`HTTP/1.1 200 OK\r\n${rest}`)
    expect(await clientWith().send(get(url, { freshConnection }))).toMatchObject({ status: 200, body })
  })

  it('has the status of a response whose body never ends', async () => {
    const { url } = await servers.start((_incoming, response) => {
      response.writeHead(404).write('half')
    })
    expect(await clientWith({ timeoutMs: 200 }).send(get(url, { freshConnection }))).toMatchObject({
      status: 404,
      body: 'half',
      bodyProblem: 'the response was not complete within 0.2 s',
    })
  })

  it('that is never answered ends at the time limit', async () => {
    const { url } = await servers.start(() => undefined)
    expect(await failureOf(clientWith({ timeoutMs: 200 }), get(url, { freshConnection }))).toEqual({
      failure: 'timeout',
      maybeSent: true,
      message: 'the request timed out after 0.2 s',
    })
  })

  it('is certain not to be sent where the connection is refused', async () => {
    const url = new URL(`http://127.0.0.1:${await servers.closedPort()}/`)
    expect(await failureOf(clientWith(), get(url, { freshConnection }))).toEqual({
      failure: 'refused',
      maybeSent: false,
      message: `the connection to ${url.host} was refused (ECONNREFUSED)`,
    })
  })

  it('is certain not to be sent where the name is unknown', async () => {
    const request = get(new URL('http://nowhere.invalid/'), { freshConnection })
    const failure = await failureOf(clientWith(), request)
    expect(failure).toMatchObject({ failure: 'unresolved', maybeSent: false })
    expect(failure.message).toContain('the name nowhere.invalid could not be resolved (E')
  })

  it('is certain not to be sent where TLS meets a server that does not speak it', async () => {
    const { host } = (await servers.start(() => undefined)).url
    const failure = await failureOf(clientWith(), get(new URL(`https://${host}/`), { freshConnection }))
    expect(failure).toEqual({
      failure: 'tls',
      maybeSent: false,
      message: `the TLS connection to ${host} failed: wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)`,
    })
  })

  it('may have been sent where the connection is reset after that', async () => {
    const { url } = await servers.start((incoming) => incoming.socket.resetAndDestroy())
    expect(await failureOf(clientWith(), get(url, { freshConnection }))).toEqual({
      failure: 'broken',
      maybeSent: true,
      message: `the connection to ${url.host} closed before the response was complete (ECONNRESET)`,
    })
  })

  it('ends at once with the reason of an abort, before its response and in the middle of it', async () => {
    const reason = new Error('enough')
    for (const isBegun of [false, true]) {
      const abort = new AbortController()
      const { url } = await servers.start((_incoming, response) => {
        if (isBegun) response.write('half', () => abort.abort(reason))
        else abort.abort(reason)
      })
      const sent = clientWith().send(get(url, { freshConnection, signal: abort.signal }))
      await expect(sent).rejects.toBe(reason)
    }
  })

  it('is never sent where an abort came before, or comes while the connection is being opened', async () => {
    const { host, accepted } = await servers.startSilent()
    const url = new URL(`https://${host}/`)
    const reason = new Error('enough')
    const before = clientWith().send(get(url, { freshConnection, signal: AbortSignal.abort(reason) }))
    await expect(before).rejects.toBe(reason)
    const abort = new AbortController()
    const after = clientWith().send(get(url, { freshConnection, signal: abort.signal }))
    await accepted
    abort.abort(reason)
    // At once, and not when the connection is given up.
    expect(await Promise.race([after.catch((error: unknown) => error), setImmediate('not yet')])).toBe(reason)
  })
})

describe('connections', () => {
  it('are kept for the next request', async () => {
    const { url, connections } = await servers.start((_incoming, response) => response.end('{}'))
    const client = clientWith()
    for (let request = 0; request < 20; request++) {
      await client.send(get(url))
      // undici takes a connection for free a moment after the end of its response.
      await setImmediate()
    }
    expect(connections()).toBe(1)
  })

  it('are fresh for each request that asks for it, and closed after it', async () => {
    const { url, connections, server } = await servers.start((_incoming, response) => response.end('{}'))
    const client = clientWith()
    await client.send(get(url))
    for (let request = 0; request < 3; request++) await client.send(get(url, { freshConnection: true }))
    await client.send(get(url))
    expect(connections()).toBe(4)
    const open = (): Promise<number> =>
      new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
    await expect.poll(open).toBe(1)
  })

  it('that the server resets may have carried the next request', async () => {
    let answers = 0
    const { url } = await servers.start((incoming, response) => {
      if (answers++ === 0) response.end()
      else incoming.socket.resetAndDestroy()
    })
    const client = clientWith()
    await client.send(get(url))
    expect(await failureOf(client, get(url))).toMatchObject({ failure: 'broken', maybeSent: true })
  })
})

it('this machine has a few names and addresses', () => {
  const loopback = ['localhost', 'docs.localhost', '127.0.0.1', '127.9.8.7', '[::1]']
  const others = ['localhost.example', 'notlocalhost', '128.0.0.1', '[::ffff:7f00:1]']
  expect([...loopback, ...others].filter(isLoopbackHost)).toEqual(loopback)
})
