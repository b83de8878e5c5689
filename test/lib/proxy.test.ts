import { describe, expect, it } from 'vitest'
import { proxyFor } from '../../src/lib/proxy.ts'
import { TransportError } from '../../src/lib/transport-error.ts'

const httpsProxy = 'http://proxy.example:3128'
const httpProxy = 'http://plain.example:8080'

function proxyOf(url: string, noProxy = ''): string | undefined {
  return proxyFor(new URL(url), { httpsProxy, httpProxy, noProxy })?.host
}

describe('the proxy', () => {
  it('is chosen by the scheme, for loopback hosts too', () => {
    expect(proxyOf('https://api.example')).toBe('proxy.example:3128')
    expect(proxyOf('http://127.0.0.1:4010')).toBe('plain.example:8080')
  })

  it('is none without a setting', () => {
    expect(proxyFor(new URL('https://x.example'), { httpsProxy: '', httpProxy, noProxy: '' })).toBeUndefined()
  })

  it('may be given without a scheme', () => {
    const settings = { httpsProxy: 'user:pw@proxy.example:3128', httpProxy: '', noProxy: '' }
    expect(proxyFor(new URL('https://x.example'), settings)?.href).toBe('http://user:pw@proxy.example:3128/')
  })

  it.each([
    ['http://me:50%@proxy.example', 'http://me:50%25@proxy.example/'],
    ['http://me:50%25@proxy.example', 'http://me:50%25@proxy.example/'],
  ])('%s is read as %s', (value, href) => {
    const settings = { httpsProxy: value, httpProxy: '', noProxy: '' }
    expect(proxyFor(new URL('https://x.example'), settings)?.href).toBe(href)
  })

  it.each(['http://', 'ftp://proxy.example', 'http://a b', 'http://a:%ff@proxy.example'])(
    '%s is refused without quoting it',
    (value) => {
      const settings = { httpsProxy: value, httpProxy: '', noProxy: '' }
      expect(() => proxyFor(new URL('https://x.example'), settings)).toThrow(TransportError)
      expect(() => proxyFor(new URL('https://x.example'), settings)).toThrow(/^((?!a b).)*HTTPS_PROXY/)
    },
  )
})

it.each([
  'socks5://proxy.example:1080',
  'SOCKS5H://me:pw@proxy.example',
  'socks://proxy.example',
  'socks4a://x',
])('a SOCKS proxy is refused with the name of the variable and the cure, and not quoted: %s', (value) => {
  const read = () => proxyFor(new URL('http://x.example'), { httpsProxy: '', httpProxy: value, noProxy: '' })
  expect(read).toThrow(
    'the environment variable HTTP_PROXY (or http_proxy) names a SOCKS proxy, which is not supported; set it to an http or https proxy (http://host:port), or exempt the host with NO_PROXY',
  )
})

describe('NO_PROXY, as curl reads it', () => {
  it.each([
    ['*', 'https://api.example', true],
    ['api.example', 'https://api.example', true],
    ['example', 'https://api.example', true],
    ['.example', 'https://api.example', true],
    ['API.Example', 'https://api.example', true],
    ['api.example.', 'https://api.example', true],
    ['pi.example', 'https://api.example', false],
    ['other, api.example', 'https://api.example', true],
    ['other api.example', 'https://api.example', true],
    ['127.0.0.1', 'http://127.0.0.1:80', true],
    ['127.0.0.0/8', 'http://127.9.9.9:80', true],
    ['10.0.0.0/8', 'http://127.0.0.1', false],
    ['127.0.0.1/', 'http://127.0.0.1', false],
    ['0.0.1', 'http://127.0.0.1', false],
    ['::1', 'http://[::1]:80', true],
    ['[::1]', 'http://[::1]:80', true],
    ['fe80::/10', 'http://[fe80::1]', true],
    ['', 'https://api.example', false],
  ])('%j: is %s exempt? %s', (noProxy, url, exempt) => {
    expect(proxyOf(url, noProxy) === undefined).toBe(exempt)
  })
})
