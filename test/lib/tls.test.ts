import { afterEach, describe, expect, it } from 'vitest'
import type { HttpOptions } from '../../src/lib/http.ts'
import type { HttpRequest } from '../../src/lib/http-messages.ts'
import { clientWith, failureOf, NO_PROXY } from './http-client.ts'
import { selfSignedCertificate, TestServers, trust } from './http-servers.ts'

const servers = new TestServers()
afterEach(() => servers.close())

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

  it('can be begun again where a proxy has not opened a tunnel within 10 s', async () => {
    trust(certificate)
    const target = await servers.start((_incoming, response) => response.end('secret'), certificate)
    const proxy = await servers.startProxy()
    const [open] = proxy.server.listeners('connect')
    proxy.server
      .removeAllListeners('connect')
      .once('connect', () => proxy.server.on('connect', open as () => void))
    const client = clientWith({ timeLimitMs: 20_000, ...through(proxy.origin) })
    const failure = await failureOf(client, request(target.url))
    expect(failure).toMatchObject({ failure: 'proxy', maybeSent: false })
    expect(failure.message).toContain('it gave no answer in time')
    expect((await client.send(request(target.url))).body).toBe('secret')
  })

  it.each(['directly', 'through a tunnel', 'through a tunnel that begins with TLS'])(
    'once it stands serves many requests, though the server would rather speak HTTP/2: %s',
    async (way) => {
      trust(certificate)
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
    trust(certificate)
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
    trust(certificate)
    const target = await servers.start((_incoming, response) => response.end('secret'), certificate)
    const socks = await servers.startSocks()
    const client = clientWith(through(socks.origin))
    expect((await client.send(request(target.url))).body).toBe('secret')
    expect([socks.connections(), target.connections()]).toEqual([1, 1])
  })
})
