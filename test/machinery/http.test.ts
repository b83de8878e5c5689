import { setTimeout as delay } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { openSystemClock } from '../../src/machinery/clock.ts'
import { type HttpClient, type HttpOptions, openHttp } from '../../src/machinery/http.ts'
import type { HttpRequest } from '../../src/machinery/http-messages.ts'
import { TransportError } from '../../src/machinery/transport-error.ts'
import { selfSignedCertificate, TestServers } from './http-servers.ts'

const MIB = 1024 * 1024
const NO_PROXY = { httpProxy: '', httpsProxy: '', noProxy: '' }

const servers = new TestServers()
afterEach(() => servers.close())

function clientWith(options: Partial<HttpOptions> = {}): HttpClient {
  const limits = { timeLimitMs: 10_000, bodyLimitBytes: 16 * MIB, connections: 1 }
  const client = openHttp({ proxy: NO_PROXY, clock: openSystemClock(), ...limits, ...options })
  onTestFinished(() => client.close())
  return client
}

function get(url: URL, more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'GET', url, headers: {}, ...more }
}

/** What a request failed with, without its cause. */
async function failureOf(
  client: HttpClient,
  request: HttpRequest,
): Promise<Pick<TransportError, 'failure' | 'maybeSent' | 'message'>> {
  const error = await client.send(request).catch((error: unknown) => error)
  if (!(error instanceof TransportError)) throw new Error('No transport error', { cause: error })
  const { failure, maybeSent, message } = error
  return { failure, maybeSent, message }
}

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

describe('a proxy', () => {
  const through = (httpProxy: string): Partial<HttpOptions> => ({ proxy: { ...NO_PROXY, httpProxy } })

  it('is handed an http request as a whole, over one connection', async () => {
    const target = await servers.start((incoming, response) => response.end(incoming.headers.host))
    const proxy = await servers.startProxy()
    const client = clientWith(through(proxy.origin))
    await client.send(get(target.url))
    expect((await client.send(get(target.url))).body).toBe(target.url.host)
    expect(proxy.requests).toEqual([`GET ${target.url.href}`, `GET ${target.url.href}`])
    expect(proxy.connections()).toBe(1)
  })

  it('is told the user and password of its URL, which the target never sees', async () => {
    const target = await servers.start((incoming, response) => response.end(JSON.stringify(incoming.headers)))
    const proxy = await servers.startProxy('me:s%cret')
    const answer = await clientWith(through(proxy.origin.replace('//', '//me:s%25cret@'))).send(
      get(target.url),
    )
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).not.toHaveProperty('authorization')
  })

  it('that wants to know who asks has sent nothing on', async () => {
    const target = await servers.start((_incoming, response) => response.end())
    const proxy = await servers.startProxy('me:secret')
    expect(await failureOf(clientWith(through(proxy.origin)), get(target.url))).toEqual({
      failure: 'proxy',
      maybeSent: false,
      message: `the proxy ${proxy.url.host} did not connect to ${target.url.host}: it wants a user name and password (407)`,
    })
    expect(target.requests).toEqual([])
  })

  it('that refuses connections is named', async () => {
    const proxy = await servers.startProxy()
    await servers.close()
    expect(await failureOf(clientWith(through(proxy.origin)), get(new URL('http://127.0.0.1:9/')))).toEqual({
      failure: 'refused',
      maybeSent: false,
      message: `the connection to the proxy ${proxy.url.host} was refused (ECONNREFUSED)`,
    })
  })

  it('whose URL goes on after the host is asked for by its host alone', async () => {
    const target = await servers.start((_incoming, response) => response.end('x'))
    const proxy = await servers.startProxy()
    const client = clientWith(through(`${proxy.origin}/path?query#hash`))
    expect((await client.send(get(target.url))).body).toBe('x')
  })

  it.each(['gopher://127.0.0.1:1', 'http://'])(
    'setting that can not be used has sent nothing: %s',
    async (setting) => {
      const failure = await failureOf(clientWith(through(setting)), get(new URL('http://127.0.0.1:9/')))
      expect(failure).toMatchObject({ failure: 'proxy', maybeSent: false })
    },
  )
})

const certificate = selfSignedCertificate()

describe.skipIf(certificate === undefined)('TLS', () => {
  const through = (httpsProxy: string): Partial<HttpOptions> => ({ proxy: { ...NO_PROXY, httpsProxy } })
  const request = (url: URL): HttpRequest => ({
    method: 'POST',
    url,
    headers: { authorization: 'k' },
    body: 'x',
  })

  it('with a certificate that nobody knows fails before anything is sent', async () => {
    const { url, requests } = await servers.start((_incoming, response) => response.end(), certificate)
    const failure = await failureOf(clientWith(), request(url))
    expect(failure).toMatchObject({ failure: 'tls', maybeSent: false })
    expect(failure.message).toContain('self-signed certificate')
    expect(requests).toEqual([])
  })

  it('is asked of the target, through the tunnel of a proxy', async () => {
    const target = await servers.start((_incoming, response) => response.end(), certificate)
    const proxy = await servers.startProxy()
    const failure = await failureOf(clientWith(through(proxy.origin)), request(target.url))
    expect(failure).toMatchObject({ failure: 'tls', maybeSent: false })
    expect(failure.message).toContain(`connection to ${target.url.host} could`)
    expect(proxy.requests).toEqual([`CONNECT ${target.url.host}`])
    expect([target.connections(), target.requests]).toEqual([1, []])
  })

  it('is not begun where the proxy wants to know who asks', async () => {
    const target = await servers.start((_incoming, response) => response.end(), certificate)
    const proxy = await servers.startProxy('me:secret')
    const failure = await failureOf(clientWith(through(proxy.origin)), request(target.url))
    expect(failure).toMatchObject({ failure: 'proxy', maybeSent: false })
    expect(failure.message).toContain('(407)')
  })

  it('is not begun where the proxy does not reach the target', async () => {
    const proxy = await servers.startProxy()
    const failure = await failureOf(
      clientWith(through(proxy.origin)),
      request(new URL('https://127.0.0.1:9/')),
    )
    expect(failure).toMatchObject({ failure: 'proxy', maybeSent: false })
    expect(failure.message).toContain('it answered 502')
  })

  it('that a proxy never lets begin is cut at the time limit, with nothing sent', async () => {
    const proxy = await servers.start(() => undefined)
    proxy.server.on('connect', () => undefined)
    const client = clientWith({ timeLimitMs: 50, ...through(proxy.origin) })
    const failure = await failureOf(client, request(new URL('https://127.0.0.1:9/')))
    expect(failure).toMatchObject({ failure: 'time-limit', maybeSent: false })
  })

  function trustCertificate(): void {
    const usual = getCACertificates('default')
    setDefaultCACertificates([...usual, String(certificate?.cert)])
    onTestFinished(() => setDefaultCACertificates(usual))
  }

  it.each(['directly', 'through a tunnel', 'through a tunnel that begins with TLS'])(
    'once it stands serves many requests, though the server would rather speak HTTP/2: %s',
    async (way) => {
      trustCertificate()
      const target = await servers.start((_incoming, response) => response.end('secret'), certificate)
      const proxy = await servers.startProxy(undefined, way.endsWith('TLS') ? certificate : undefined)
      const client = clientWith(way === 'directly' ? {} : through(proxy.origin))
      for (let sent = 0; sent < 3; sent++) {
        expect((await client.send(request(target.url))).body).toBe('secret')
      }
      expect(target.connections()).toBe(1)
      expect(proxy.requests).toEqual(way === 'directly' ? [] : [`CONNECT ${target.url.host}`])
    },
  )

  it('through a SOCKS proxy may have sent something where no answer came in time', async () => {
    trustCertificate()
    const target = await servers.start(() => undefined, certificate)
    const socks = await servers.startSocks()
    const client = clientWith({ timeLimitMs: 300, ...through(socks.origin) })
    const failure = await failureOf(client, request(target.url))
    expect(failure).toMatchObject({ failure: 'time-limit', maybeSent: true })
    expect(target.requests).toHaveLength(1)
  })

  it.each([
    ['that is not there', 'socks5://127.0.0.1:9', 'refused'],
    ['that does not reach the target', undefined, 'proxy'],
  ])('through a SOCKS proxy %s is certain not to have sent anything', async (_what, origin, failure) => {
    const socks = origin ?? (await servers.startSocks()).origin
    expect(
      await failureOf(clientWith(through(socks)), request(new URL('https://127.0.0.1:9/'))),
    ).toMatchObject({ failure, maybeSent: false })
  })

  it('is spoken through a SOCKS proxy, too', async () => {
    trustCertificate()
    const target = await servers.start((_incoming, response) => response.end('secret'), certificate)
    const socks = await servers.startSocks()
    const client = clientWith(through(socks.origin))
    expect((await client.send(request(target.url))).body).toBe('secret')
    expect([socks.connections(), target.connections()]).toEqual([1, 1])
  })
})
