import { describe, expect, it } from 'vitest'
import { proxyFor, usableProxies } from '../../src/lib/proxy.ts'

const httpsProxy = 'http://proxy.example:3128'
const httpProxy = 'http://plain.example:8080'
const api = new URL('https://api.example')

describe('the proxy of a request', () => {
  it.each([
    ['https://api.example', { httpsProxy, httpProxy }, 'HTTPS_PROXY', 'proxy.example:3128'],
    ['http://127.0.0.1:4010', { httpsProxy, httpProxy }, 'HTTP_PROXY', 'plain.example:8080'],
    // As undici does: https goes through HTTP_PROXY where that is all there is.
    ['https://api.example', { httpsProxy: '', httpProxy }, 'HTTP_PROXY', 'plain.example:8080'],
  ])('to %s is that of its variable (%#)', (url, settings, variable, host) => {
    const proxy = proxyFor(new URL(url), { ...settings, noProxy: '' })
    expect(proxy).toMatchObject({ variable, url: { host }, problem: undefined })
  })

  it('is none where no variable names one', () => {
    expect(proxyFor(new URL('http://x.example'), { httpsProxy, httpProxy: '', noProxy: '' })).toBeUndefined()
    expect(proxyFor(api, { httpsProxy: '', httpProxy: '', noProxy: '' })).toBeUndefined()
  })

  it.each(['socks5://me:pw@proxy.example:1080', 'SOCKS5H://x', 'socks://proxy.example', 'socks4a://x'])(
    '%s is refused with the name of its variable and the fix, and is not quoted',
    (value) => {
      const settings = { httpsProxy: '', httpProxy: value, noProxy: '' }
      expect(proxyFor(new URL('http://x.example'), settings)).toEqual({
        variable: 'HTTP_PROXY',
        url: undefined,
        problem:
          'the environment variable HTTP_PROXY (or http_proxy) names a SOCKS proxy, which is not supported; set it to an http or https proxy (http://host:port), or exempt the host with NO_PROXY',
      })
      expect(usableProxies(settings)).toEqual({ httpsProxy: '', httpProxy: '', noProxy: '' })
    },
  )

  it.each(['http://', 'ftp://proxy.example', 'http://a b', 'proxy.example:3128', 'user:pw@proxy.example'])(
    '%s is refused without quoting it',
    (value) => {
      const { problem } = proxyFor(api, { httpsProxy: value, httpProxy, noProxy: '' }) ?? {}
      expect(problem).toMatch(
        /^the environment variable HTTPS_PROXY \(or https_proxy\) is not the URL of a proxy; set it to an http/,
      )
    },
  )

  it('is not judged where the host is exempt', () => {
    expect(proxyFor(api, { httpsProxy: 'socks5://x', httpProxy: '', noProxy: 'api.example' })).toBeUndefined()
  })
})

it.each([
  ['https://api.example:8443', 'api.example:8443, x.example', true],
  ['https://api.example', 'api.example:443', true],
  ['http://[::1]:80', '[::1]', true],
  ['https://api.example', 'API.Example.', true],
  ['https://api.example', ',', false],
  ['https://api.example', '', false],
])('%s with NO_PROXY %j: exempt? %s', (url, noProxy, isExempt) => {
  expect(proxyFor(new URL(url), { httpsProxy, httpProxy, noProxy }) === undefined).toBe(isExempt)
})
