import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { HttpOptions, HttpRequest } from '../../src/lib/http.ts'
import { proxyFor } from '../../src/lib/proxy.ts'
import { selfSignedCertificate, TestServers, trust } from '../support/http-servers.ts'
import { clientWith, failureOf, get, NO_PROXY } from './http-client.ts'

const servers = new TestServers()
const certificate = selfSignedCertificate()

const KINDS = [
  ['a kept connection', false],
  ['a fresh connection', true],
] as const

const forHttp = (httpProxy: string): Partial<HttpOptions> => ({ proxy: { ...NO_PROXY, httpProxy } })
const forHttps = (httpsProxy: string): Partial<HttpOptions> => ({ proxy: { ...NO_PROXY, httpsProxy } })

describe.each(KINDS)('a proxy, for %s,', (_name, freshConnection) => {
  it('passes an http request on', async () => {
    const target = await servers.start((incoming, response) => response.end(incoming.headers.host))
    const proxy = await servers.startProxy()
    const client = clientWith(forHttp(proxy.origin))
    for (let sent = 0; sent < 2; sent++) {
      expect((await client.send(get(target.url, { freshConnection }))).body).toBe(target.url.host)
      await setImmediate()
    }
    expect(target.requests).toEqual(['GET /path?query=1', 'GET /path?query=1'])
    expect(proxy.connections()).toBe(freshConnection ? 2 : 1)
  })

  it.each([
    ['me:s%25cret@', 'me:s%cret'],
    ['me@', 'me:'],
  ])(
    'is given the credentials of its URL, which the target never sees: %s',
    async (userinfo, credentials) => {
      const target = await servers.start((incoming, response) =>
        response.end(JSON.stringify(incoming.headers)),
      )
      const proxy = await servers.startProxy(credentials)
      const client = clientWith(forHttp(proxy.origin.replace('//', `//${userinfo}`)))
      const { status, body } = await client.send(get(target.url, { freshConnection }))
      expect([status, /authorization/.test(body)]).toEqual([200, false])
    },
  )

  it('that requires credentials has sent nothing on, and is named with its variable', async () => {
    const target = await servers.start((_incoming, response) => response.end())
    const proxy = await servers.startProxy('me:secret')
    const client = clientWith(forHttp(proxy.origin))
    expect(await failureOf(client, get(target.url, { freshConnection }))).toEqual({
      failure: 'proxy',
      maybeSent: false,
      message: `the proxy of HTTP_PROXY (${proxy.url.host}) did not connect to ${target.url.host}: it requires a user name and password (407)`,
    })
    expect(target.requests).toEqual([])
  })

  it('that refuses connections is named with its variable', async () => {
    const origin = `http://me:pw@127.0.0.1:${await servers.closedPort()}`
    const request = get(new URL('http://127.0.0.1:9/'), { freshConnection })
    expect(await failureOf(clientWith(forHttp(origin)), request)).toEqual({
      failure: 'refused',
      maybeSent: false,
      message: `the connection to the proxy of HTTP_PROXY (${new URL(origin).host}) was refused (ECONNREFUSED)`,
    })
  })
})

it.each([
  ['docs.localhost', true],
  ['localhost', true],
  ['.localhost', true],
  ['*.localhost', true],
  ['*.docs.localhost', false],
  ['DOCS.localhost', true],
  ['other localhost', true],
  ['docs.localhost:1', false],
  ['docs.localhost:PORT', true],
  ['ocs.localhost', false],
  ['*', true],
  ['', false],
])('a proxy is used, and said to be, unless NO_PROXY exempts the host: %j, %s', async (value, isExempt) => {
  const target = await servers.start((_incoming, response) => response.end())
  const proxy = await servers.start((_incoming, response) => response.writeHead(502).end())
  proxy.server.on('connect', (_incoming, socket) => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
  const url = new URL(`http://docs.localhost:${target.url.port}/`)
  const settings = { ...NO_PROXY, httpProxy: proxy.origin, noProxy: value.replace('PORT', url.port) }
  await clientWith({ proxy: settings })
    .send(get(url))
    .catch(() => undefined)
  expect(target.connections()).toBe(isExempt ? 1 : 0)
  expect(proxy.connections()).toBe(isExempt ? 0 : 1)
  expect(proxyFor(url, settings) === undefined).toBe(isExempt)
})

describe.skipIf(certificate === undefined).each(KINDS)('TLS over %s', (_name, freshConnection) => {
  const request = (url: URL): HttpRequest => ({
    method: 'POST',
    url,
    headers: { authorization: 'k' },
    body: 'x',
    freshConnection,
  })

  it('with a certificate that nobody knows fails before anything is sent', async () => {
    const { url, requests } = await servers.start((_incoming, response) => response.end(), certificate)
    expect(await failureOf(clientWith(), request(url))).toEqual({
      failure: 'tls',
      maybeSent: false,
      message: `the TLS connection to ${url.host} failed: self-signed certificate; for your own certificate authority, set NODE_EXTRA_CA_CERTS on the runner (DEPTH_ZERO_SELF_SIGNED_CERT)`,
    })
    expect(requests).toEqual([])
  })

  it('does not begin where the proxy requires credentials, or does not reach the target', async () => {
    const closed = new URL(`https://127.0.0.1:${await servers.closedPort()}/`)
    for (const [credentials, says] of [
      ['me:secret', 'it requires a user name and password (407)'],
      [undefined, 'it returned 502'],
    ] as const) {
      const proxy = await servers.startProxy(credentials)
      expect(await failureOf(clientWith(forHttps(proxy.origin)), request(closed))).toEqual({
        failure: 'proxy',
        maybeSent: false,
        message: `the proxy of HTTPS_PROXY (${proxy.url.host}) did not connect to ${closed.host}: ${says}`,
      })
    }
  })

  it('that a proxy never lets begin ends at the time limit, with nothing sent', async () => {
    const proxy = await servers.start(() => undefined)
    proxy.server.on('connect', () => undefined)
    const client = clientWith({ timeoutMs: 200, ...forHttps(proxy.origin) })
    const failure = await failureOf(client, request(new URL('https://127.0.0.1:9/')))
    expect(failure).toMatchObject({ failure: 'timeout', maybeSent: false })
  })

  it.each(['directly', 'through a tunnel', 'through a tunnel that begins with TLS'])(
    'carries many requests, though the server would rather speak HTTP/2: %s',
    async (path) => {
      trust(certificate)
      const target = await servers.start((incoming, response) => {
        response.end(String(incoming.headers['proxy-authorization']))
      }, certificate)
      const proxy = await servers.startProxy('me:s%cret', path.endsWith('TLS') ? certificate : undefined)
      const through = forHttps(proxy.origin.replace('//', '//me:s%25cret@'))
      const client = clientWith(path === 'directly' ? {} : through)
      for (let sent = 0; sent < 3; sent++) {
        expect((await client.send(request(target.url))).body).toBe('undefined')
        await setImmediate()
      }
      expect(target.requests).toHaveLength(3)
      expect(new Set(proxy.requests)).toEqual(
        new Set(path === 'directly' ? [] : [`CONNECT ${target.url.host}`]),
      )
      expect(target.connections()).toBe(freshConnection ? 3 : 1)
    },
  )
})
