import { afterEach, describe, expect, it } from 'vitest'
import type { HttpOptions } from '../../src/lib/http.ts'
import type { HttpRequest } from '../../src/lib/http-messages.ts'
import { clientWith, failureOf, NO_PROXY } from './http-client.ts'
import { selfSignedCertificate, TestServers, trust } from './http-servers.ts'

const servers = new TestServers()
afterEach(() => servers.close())

const certificate = selfSignedCertificate()

const KINDS = [
  ['a kept connection', false],
  ['a fresh connection', true],
] as const

if (certificate === undefined) console.warn('The tests of TLS are skipped: openssl is not installed.')

describe.skipIf(certificate === undefined).each(KINDS)('TLS over %s', (_name, freshConnection) => {
  const through = (httpsProxy: string): Partial<HttpOptions> => ({ proxy: { ...NO_PROXY, httpsProxy } })
  const request = (url: URL): HttpRequest => ({
    method: 'POST',
    url,
    headers: { authorization: 'k' },
    body: 'x',
    freshConnection,
  })

  it('with a certificate that nobody knows fails before anything is sent', async () => {
    const { url, requests } = await servers.start((_incoming, response) => response.end(), certificate)
    const failure = await failureOf(clientWith(), request(url))
    expect(failure).toMatchObject({ failure: 'tls', maybeSent: false })
    expect(failure.message).toContain('self-signed certificate')
    expect(failure.message).toContain('NODE_EXTRA_CA_CERTS')
    expect(requests).toEqual([])
  })

  it('with a certificate for another host fails before anything is sent', async () => {
    trust(certificate)
    const { url, requests } = await servers.start((_incoming, response) => response.end(), certificate)
    url.hostname = 'localhost'
    const failure = await failureOf(clientWith(), request(url))
    expect(failure).toMatchObject({ failure: 'tls', maybeSent: false })
    expect(requests).toEqual([])
  })

  it('ends at the target, through the tunnel of a proxy', async () => {
    const target = await servers.start((_incoming, response) => response.end(), certificate)
    const proxy = await servers.startProxy()
    const failure = await failureOf(clientWith(through(proxy.origin)), request(target.url))
    expect(failure).toMatchObject({ failure: 'tls', maybeSent: false })
    expect(failure.message).toContain(`connection to ${target.url.host} could`)
    expect(proxy.requests).toEqual([`CONNECT ${target.url.host}`])
    expect([target.connections(), target.requests]).toEqual([1, []])
  })

  it('does not begin where the proxy requires credentials', async () => {
    const target = await servers.start((_incoming, response) => response.end(), certificate)
    const proxy = await servers.startProxy('me:secret')
    const failure = await failureOf(clientWith(through(proxy.origin)), request(target.url))
    expect(failure).toMatchObject({ failure: 'proxy', maybeSent: false })
    expect(failure.message).toContain('(407)')
  })

  it('goes through a proxy that requires credentials', async () => {
    trust(certificate)
    const target = await servers.start((incoming, response) => {
      response.end(String(incoming.headers['proxy-authorization']))
    }, certificate)
    const proxy = await servers.startProxy('me:s%cret')
    const client = clientWith(through(proxy.origin.replace('//', '//me:s%25cret@')))
    expect((await client.send(request(target.url))).body).toBe('undefined')
  })

  it('does not begin where the proxy does not reach the target', async () => {
    const proxy = await servers.startProxy()
    const client = clientWith(through(proxy.origin))
    const failure = await failureOf(client, request(new URL('https://127.0.0.1:9/')))
    expect(failure).toMatchObject({ failure: 'proxy', maybeSent: false })
    expect(failure.message).toContain('it answered 502')
  })

  it('that a proxy never lets begin ends at the time limit, with nothing sent', async () => {
    const proxy = await servers.start(() => undefined)
    proxy.server.on('connect', () => undefined)
    const client = clientWith({ timeoutMs: 200, ...through(proxy.origin) })
    const failure = await failureOf(client, request(new URL('https://127.0.0.1:9/')))
    expect(failure).toMatchObject({ failure: 'timeout', maybeSent: false })
  })

  it.each(['directly', 'through a tunnel', 'through a tunnel that begins with TLS'])(
    'carries many requests, though the server would rather speak HTTP/2: %s',
    async (path) => {
      trust(certificate)
      const target = await servers.start((_incoming, response) => response.end('secret'), certificate)
      const proxy = await servers.startProxy(undefined, path.endsWith('TLS') ? certificate : undefined)
      const client = clientWith(path === 'directly' ? {} : through(proxy.origin))
      for (let sent = 0; sent < 3; sent++) {
        expect((await client.send(request(target.url))).body).toBe('secret')
      }
      const connections = freshConnection ? 3 : 1
      expect(target.connections()).toBe(connections)
      const tunnels = Array.from({ length: connections }, () => `CONNECT ${target.url.host}`)
      expect(proxy.requests).toEqual(path === 'directly' ? [] : tunnels)
    },
  )
})

it.skipIf(certificate === undefined)(
  'a tunnel that a proxy has not opened in time is requested again by the next request',
  async () => {
    trust(certificate)
    const target = await servers.start((_incoming, response) => response.end('secret'), certificate)
    const proxy = await servers.startProxy()
    const [open] = proxy.server.listeners('connect')
    proxy.server
      .removeAllListeners('connect')
      .once('connect', () => proxy.server.on('connect', open as () => void))
    const client = clientWith({ proxy: { ...NO_PROXY, httpsProxy: proxy.origin }, connectTimeoutMs: 200 })
    const request: HttpRequest = { method: 'GET', url: target.url, headers: {} }
    const failure = await failureOf(client, request)
    expect(failure).toMatchObject({ failure: 'proxy', maybeSent: false })
    expect(failure.message).toContain('it did not answer in time')
    expect((await client.send(request)).body).toBe('secret')
  },
)
