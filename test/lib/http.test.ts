import { setTimeout as delay } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { clientWith, failureOf, get, MIB } from './http-client.ts'
import { TestServers } from './http-servers.ts'

const servers = new TestServers()
afterEach(() => servers.close())

describe('a request', () => {
  it('arrives as it was meant, and its answer comes back whole', async () => {
    let received = ''
    const { url, requests } = await servers.start((incoming, response) => {
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        received += `${incoming.headers['x-name']} ${incoming.headers['content-length']} ${chunk}`
      })
      response.writeHead(201, [
        ['X-Twice', 'a'],
        ['X-Twice', 'b'],
      ])
      incoming.on('end', () => response.end('größer'))
    })
    const answer = await clientWith().send({ method: 'POST', url, headers: { 'x-name': 'v' }, body: 'söme' })
    expect(requests).toEqual(['POST /path?query=1'])
    expect(received).toBe('v 5 söme')
    expect(answer).toMatchObject({ status: 201, body: 'größer', headers: { 'x-twice': 'a, b' } })
  })

  it('is answered by a redirect, which is not followed', async () => {
    const { url, requests } = await servers.start((_incoming, response) =>
      response.writeHead(302, { location: '/elsewhere' }).end(),
    )
    expect(await clientWith().send(get(url))).toMatchObject({
      status: 302,
      headers: { location: '/elsewhere' },
    })
    expect(requests).toHaveLength(1)
  })

  it('uses the connection of the one before', async () => {
    const { url, connections } = await servers.start((_incoming, response) => response.end('{}'))
    const client = clientWith()
    for (let request = 0; request < 20; request++) await client.send(get(url))
    expect(connections()).toBe(1)
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('is unpacked if its answer is packed with %s', async (encoding, pack) => {
    const { url } = await servers.start((_incoming, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(pack('unpacked')),
    )
    expect((await clientWith().send(get(url))).body).toBe('unpacked')
  })
})

describe('an answer', () => {
  it.each([
    ['plain', undefined],
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('may have 16 MiB and not a byte more (%s)', async (encoding, pack) => {
    const bodies = [Buffer.alloc(16 * MIB, 'x'), Buffer.alloc(16 * MIB + 1, 'x')]
    const { url } = await servers.start((_incoming, response) => {
      const body = bodies.shift() ?? ''
      if (pack !== undefined) response.setHeader('content-encoding', encoding)
      response.end(pack === undefined ? body : pack(body))
    })
    const client = clientWith()
    expect((await client.send(get(url))).body).toHaveLength(16 * MIB)
    expect(await failureOf(client, get(url))).toMatchObject({ failure: 'too-large', maybeSent: true })
  })

  it('packed in a way that nobody asked for is refused', async () => {
    const { url } = await servers.start((_incoming, response) =>
      response.writeHead(200, { 'content-encoding': 'compress' }).end('x'),
    )
    expect(await failureOf(clientWith(), get(url))).toMatchObject({ failure: 'undecodable', maybeSent: true })
  })

  it('whose packing is broken is no answer', async () => {
    const { url } = await servers.start((_incoming, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip'),
    )
    expect(await failureOf(clientWith(), get(url))).toMatchObject({ failure: 'broken-off', maybeSent: true })
  })

  it('that breaks off is no answer', async () => {
    const { url } = await servers.start((_incoming, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half')
      setTimeout(() => response.socket?.destroy(), 5)
    })
    expect(await failureOf(clientWith(), get(url))).toMatchObject({ failure: 'broken-off', maybeSent: true })
  })

  it.each(['before its head', 'in its body'])('that stops %s is cut at the time limit', async (where) => {
    const { url } = await servers.start((_incoming, response) => {
      if (where === 'in its body') response.write('half')
    })
    expect(await failureOf(clientWith({ timeLimitMs: 50 }), get(url))).toEqual({
      failure: 'time-limit',
      maybeSent: true,
      message: 'no whole answer came within 0.05 s',
    })
  })
})

describe('a failure', () => {
  it('is certain not to have sent anything where the connection was refused', async () => {
    const { url } = await servers.start(() => undefined)
    await servers.close()
    expect(await failureOf(clientWith(), get(url))).toEqual({
      failure: 'refused',
      maybeSent: false,
      message: `the connection to ${url.host} was refused (ECONNREFUSED)`,
    })
  })

  it('is certain not to have sent anything where the name is not known', async () => {
    const failure = await failureOf(clientWith(), get(new URL('http://nowhere.invalid/')))
    expect(failure).toMatchObject({ failure: 'unresolved', maybeSent: false })
  })

  it('may have sent something where the connection was reset after that', async () => {
    const { url } = await servers.start((incoming) => incoming.socket.resetAndDestroy())
    expect(await failureOf(clientWith(), get(url))).toEqual({
      failure: 'broken-off',
      maybeSent: true,
      message: `the connection to ${url.host} broke off before the answer was whole (ECONNRESET)`,
    })
  })

  it('may have sent something where a kept connection was reset', async () => {
    let answers = 0
    const { url } = await servers.start((incoming, response) => {
      if (answers++ === 0) response.end()
      else incoming.socket.resetAndDestroy()
    })
    const client = clientWith()
    await client.send(get(url))
    expect(await failureOf(client, get(url))).toMatchObject({ failure: 'broken-off', maybeSent: true })
  })
})

describe('an abort', () => {
  it('ends the request at once with its own reason', async () => {
    const { url } = await servers.start(() => undefined)
    const reason = new Error('enough')
    const abort = new AbortController()
    const sent = clientWith().send(get(url, { signal: abort.signal }))
    await delay(5)
    abort.abort(reason)
    await expect(sent).rejects.toBe(reason)
  })

  it('before the request keeps it from being sent', async () => {
    const { url, requests } = await servers.start((_incoming, response) => response.end())
    const reason = new Error('enough')
    const sent = clientWith().send(get(url, { signal: AbortSignal.abort(reason) }))
    await expect(sent).rejects.toBe(reason)
    expect(requests).toEqual([])
  })
})
