import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { proxyProblem } from '../../src/lib/http.ts'
import { selfSignedCertificate } from '../support/certificate.ts'
import { TestServers, trust } from '../support/http-servers.ts'
import { clientWith, failureOf, get, KINDS, NO_PROXY } from './http-client.ts'

const servers = new TestServers()
const certificate = selfSignedCertificate()

const forHttp = (httpProxy: string) => ({ proxy: { ...NO_PROXY, httpProxy } })
const forHttps = (httpsProxy: string) => ({ proxy: { ...NO_PROXY, httpsProxy } })

describe.each(KINDS)('a proxy, for %s,', (_name, freshConnection) => {
  it.each([
    ['', undefined],
    ['me:s%25cret@', 'me:s%cret'],
    ['me@', 'me:'],
  ])(
    'passes http requests on, and the target never sees its credentials: %j',
    async (user, credentials) => {
      const target = await servers.start(({ headers }, response) => {
        response.end(`${headers.host} ${headers['proxy-authorization']}`)
      })
      const proxy = await servers.startProxy(credentials)
      const client = clientWith(forHttp(proxy.origin.replace('//', `//${user}`)))
      for (let sent = 0; sent < 2; sent++) {
        const { body } = await client.send(get(target.url, { freshConnection }))
        expect(body).toBe(`${target.url.host} undefined`)
        await setImmediate()
      }
      expect(target.requests).toEqual(['GET /path?query=1', 'GET /path?query=1'])
      expect(proxy.connections()).toBe(freshConnection ? 2 : 1)
    },
  )

  const NEEDS_NAME =
    'it requires a user name and password in its URL, `http://USER:PASSWORD@HOST` (407)'

  it.each([
    ['http', 'me:secret', NEEDS_NAME],
    ['https', 'me:secret', NEEDS_NAME],
    ['https', undefined, 'it returned 502'],
  ])(
    'that refuses never forwards the request, and is named by its host: %s, %s, %s',
    async (scheme, credentials, says) => {
      const proxy = await servers.startProxy(credentials)
      const through = scheme === 'http' ? forHttp : forHttps
      const request = get(new URL(`${scheme}://127.0.0.1:1`), { freshConnection })
      expect(await failureOf(request, through(proxy.origin))).toEqual({
        failure: 'proxy',
        maybeSent: false,
        message: `the proxy ${proxy.url.host} did not connect to ${request.url.host}, because ${says}`,
      })
    },
  )

  it('to which there is no connection is named without its password', async () => {
    const request = get(new URL('http://127.0.0.1:9'), { freshConnection })
    expect(await failureOf(request, forHttp('http://me:pw@127.0.0.1:1'))).toEqual({
      failure: 'refused',
      maybeSent: false,
      message: 'the connection to the proxy 127.0.0.1:1 was refused (ECONNREFUSED)',
    })
  })
})

it.each([
  ['*.localhost', false],
  ['other localhost:PORT', true],
])('NO_PROXY exempts a host as undici has it: %j, %s', async (value, isExempt) => {
  const target = await servers.start((_incoming, response) => response.end())
  const proxy = await servers.start((_incoming, response) => response.end())
  const url = new URL(`http://localhost:${target.url.port}/`)
  const noProxy = value.replace('PORT', url.port)
  await clientWith({ proxy: { ...NO_PROXY, httpProxy: proxy.origin, noProxy } }).send(get(url))
  expect([target.connections(), proxy.connections()]).toEqual(isExempt ? [1, 0] : [0, 1])
})

const NO_URL = "isn't the URL of an http or https proxy"
const PERCENT = 'contains a `%` that must be written as `%25`'

it.each([
  ['socks5://me:pw@proxy.example:1080', NO_URL],
  // The scheme was added to the path of a file.
  ['http:///etc/proxy.pac', NO_URL],
  ['http://user:12#ss@proxy.example:8080', NO_URL],
  ['http://', NO_URL],
  ['http://me:50%@proxy.example', PERCENT],
  ['http://m%e@proxy.example', PERCENT],
  ['', undefined],
  ['http://me:50%25@proxy.example:8080', undefined],
  ['https://proxy.example', undefined],
])('a proxy may be unusable, for a reason without its password: %s, %s', (value, problem) => {
  expect(proxyProblem(value)).toBe(problem)
})

describe.skipIf(certificate === undefined).each(KINDS)('TLS over %s', (_name, freshConnection) => {
  const request = (url: URL) => get(url, { method: 'POST', body: 'x', freshConnection })

  it('with an unknown certificate fails before anything is sent', async () => {
    const { url, requests } = await servers.start(
      (_incoming, response) => response.end(),
      certificate,
    )
    expect(await failureOf(request(url))).toEqual({
      failure: 'tls',
      maybeSent: false,
      message: `the TLS connection to ${url.host} failed: self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)`,
    })
    expect(requests).toEqual([])
  })

  it('with a proxy that has an unknown certificate fails before anything is sent, and names the proxy', async () => {
    const proxy = await servers.startProxy(undefined, certificate)
    for (const target of ['https://127.0.0.1:1', 'http://127.0.0.1:1']) {
      const settings = { proxy: { httpsProxy: proxy.origin, httpProxy: proxy.origin, noProxy: '' } }
      const failed = await failureOf(request(new URL(target)), settings)
      expect(failed).toMatchObject({ failure: 'tls', maybeSent: false })
      const told = `the TLS connection to the proxy ${proxy.url.host} failed: self-signed certificate`
      expect(failed.message.startsWith(told)).toBe(true)
    }
  })

  it.each(['directly', 'through a tunnel', 'through a tunnel that begins with TLS'])(
    'carries many requests, though the server would rather speak HTTP/2: %s',
    async (path) => {
      trust(certificate)
      const target = await servers.start((incoming, response) => {
        response.end(String(incoming.headers['proxy-authorization']))
      }, certificate)
      const proxy = await servers.startProxy(
        'me:s%cret',
        path.endsWith('TLS') ? certificate : undefined,
      )
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
