import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { proxyFor } from '../../src/lib/transport.ts'
import { selfSignedCertificate } from '../support/certificate.ts'
import { TestServers, trust } from '../support/http-servers.ts'
import { clientWith, failureOf, get, KINDS, NO_PROXY } from './http-client.ts'

const servers = new TestServers()
const certificate = selfSignedCertificate()

const forHttp = (httpProxy: string) => ({ proxy: { ...NO_PROXY, httpProxy } })
const forHttps = (httpsProxy: string) => ({ proxy: { ...NO_PROXY, httpsProxy } })

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
  ])('is given the credentials of its URL, which the target never sees: %s', async (user, credentials) => {
    const target = await servers.start(({ headers }, response) => response.end(JSON.stringify(headers)))
    const proxy = await servers.startProxy(credentials)
    const client = clientWith(forHttp(proxy.origin.replace('//', `//${user}`)))
    const { status, body } = await client.send(get(target.url, { freshConnection }))
    expect([status, /authorization/.test(body)]).toEqual([200, false])
  })

  it('that does not let a request through has sent nothing on, and is named with its variable', async () => {
    const { url, requests } = await servers.start((_incoming, response) => response.end())
    const strict = await servers.startProxy('me:secret')
    const failed = (origin: string) => failureOf(clientWith(forHttp(origin)), get(url, { freshConnection }))
    expect(await failed(strict.origin)).toEqual({
      failure: 'proxy',
      maybeSent: false,
      message: `the proxy of HTTP_PROXY (${strict.url.host}) did not connect to ${url.host}: it requires a user name and password (407)`,
    })
    expect(await failed('http://me:pw@127.0.0.1:1')).toEqual({
      failure: 'refused',
      maybeSent: false,
      message: 'the connection to the proxy of HTTP_PROXY (127.0.0.1:1) was refused (ECONNREFUSED)',
    })
    expect(requests).toEqual([])
  })
})

it.each([
  ['docs.localhost', true],
  ['localhost', true],
  ['.localhost', true],
  ['*.localhost', true],
  ['*.docs.localhost', false],
  ['DOCS.localhost.', true],
  ['other localhost', true],
  ['docs.localhost:1, localhost', true],
  ['docs.localhost:1', false],
  ['docs.localhost:PORT', true],
  ['ocs.localhost', false],
  ['*', true],
  [',', false],
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

describe('the proxy of a request', () => {
  const plain = 'http://plain.example:8080'
  const secure = 'http://secure.example:3128'

  it.each([
    ['https://api.example', secure, plain, '', 'HTTPS_PROXY secure.example:3128'],
    ['http://127.0.0.1:4010', secure, plain, '', 'HTTP_PROXY plain.example:8080'],
    // As undici does: https goes through HTTP_PROXY where that is all there is.
    ['https://api.example', '', plain, '', 'HTTP_PROXY plain.example:8080'],
    ['http://api.example', secure, '', '', 'none'],
    ['https://api.example', secure, plain, 'api.example:443', 'none'],
    ['http://[::1]:80', secure, plain, '[::1]', 'none'],
    ['https://api.example', 'socks5://x', '', 'api.example', 'none'],
  ])('to %s is that of its variable (%#)', (url, httpsProxy, httpProxy, noProxy, expected) => {
    const proxy = proxyFor(new URL(url), { httpsProxy, httpProxy, noProxy })
    expect(proxy === undefined ? 'none' : `${proxy.variable} ${proxy.url.host}`).toBe(expected)
  })

  it.each([
    ['socks5://me:pw@proxy.example:1080', 'names a SOCKS proxy, which is not supported'],
    ['SOCKS5H://x', 'names a SOCKS proxy, which is not supported'],
    ['http://', 'is not the URL of a proxy'],
    ['ftp://proxy.example', 'is not the URL of a proxy'],
    ['http://a b', 'is not the URL of a proxy'],
    ['user:pw@proxy.example', 'is not the URL of a proxy'],
  ])('that is %s is refused with its variable and the fix, and not quoted', async (value, problem) => {
    const message = `the environment variable HTTPS_PROXY (or https_proxy) ${problem}; set it to an http or https proxy (http://host:port), or exempt the host with NO_PROXY`
    const client = clientWith({ proxy: { httpsProxy: value, httpProxy: plain, noProxy: '' } })
    const failed = await failureOf(client, get(new URL('https://api.example')))
    expect(failed).toEqual({ failure: 'proxy', maybeSent: false, message })
  })
})

describe.skipIf(certificate === undefined).each(KINDS)('TLS over %s', (_name, freshConnection) => {
  const request = (url: URL) => get(url, { method: 'POST', body: 'x', freshConnection })

  it('with a certificate that nobody knows fails before anything is sent', async () => {
    const { url, requests } = await servers.start((_incoming, response) => response.end(), certificate)
    expect(await failureOf(clientWith(), request(url))).toEqual({
      failure: 'tls',
      maybeSent: false,
      message: `the TLS connection to ${url.host} failed: self-signed certificate; for your own certificate authority, set NODE_EXTRA_CA_CERTS on the runner (DEPTH_ZERO_SELF_SIGNED_CERT)`,
    })
    expect(requests).toEqual([])
  })

  it.each([
    ['me:secret', 'it requires a user name and password (407)'],
    [undefined, 'it returned 502'],
  ])('does not begin where the proxy refuses: %s, %s', async (credentials, says) => {
    const proxy = await servers.startProxy(credentials)
    const message = `the proxy of HTTPS_PROXY (${proxy.url.host}) did not connect to 127.0.0.1:1: ${says}`
    const failed = await failureOf(
      clientWith(forHttps(proxy.origin)),
      request(new URL('https://127.0.0.1:1')),
    )
    expect(failed).toEqual({ failure: 'proxy', maybeSent: false, message })
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
      const tunnels = path === 'directly' ? [] : [`CONNECT ${target.url.host}`]
      expect([...new Set(proxy.requests)]).toEqual(tunnels)
      expect(target.requests).toHaveLength(3)
      expect(target.connections()).toBe(freshConnection ? 3 : 1)
    },
  )
})
