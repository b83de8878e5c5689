import { BlockList, isIP } from 'node:net'
import { TransportError } from './transport-error.ts'

/** The proxy variables of the environment, in the order in which they are read. */
export type ProxySettings = {
  readonly httpsProxy: string
  readonly httpProxy: string
  readonly noProxy: string
}

/**
 * The proxy that curl would use for a URL, loopback hosts included.
 * Source: curl's manual, "Environment" (`NO_PROXY`: `*`, names with all that ends in them, addresses, CIDR blocks).
 *
 * @throws {TransportError} if the variable that applies holds no usable URL; it may hold a password, so it is not quoted
 */
export function proxyFor(url: URL, settings: ProxySettings): URL | undefined {
  const [variable, value] =
    url.protocol === 'https:' ? ['HTTPS_PROXY', settings.httpsProxy] : ['HTTP_PROXY', settings.httpProxy]
  if (value === '' || isExempt(url.hostname, settings.noProxy)) return undefined
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`
  if (/^socks/i.test(text))
    throw settingError(
      `${variable} (or ${variable.toLowerCase()}) names a SOCKS proxy, which is not supported`,
    )
  const proxy = readProxy(text)
  if (proxy === undefined)
    throw settingError(`${variable} (or ${variable.toLowerCase()}) is not the URL of a proxy`)
  return proxy
}

function settingError(problem: string): TransportError {
  const cure = 'set it to an http or https proxy (http://host:port), or exempt the host with NO_PROXY'
  const message = `the environment variable ${problem}; ${cure}`
  return new TransportError(message, { failure: 'proxy', maybeSent: false })
}

function readProxy(text: string): URL | undefined {
  const proxy = URL.parse(text)
  if (proxy === null || !/^https?:$/.test(proxy.protocol) || proxy.hostname === '') return undefined
  // A proxy has no path.
  for (const part of ['pathname', 'search', 'hash'] as const) proxy[part] = ''
  try {
    proxy.username = asEscaped(proxy.username)
    proxy.password = asEscaped(proxy.password)
  } catch {
    return undefined
  }
  return proxy
}

/** The value of the `Proxy-Authorization` header for a proxy; `undefined` if its URL has none. */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  const credentials = [username, password].map(decodeURIComponent).join(':')
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

/** A user name or password that can be read back: a `%` that begins no escape stands for itself. */
function asEscaped(text: string): string {
  const escaped = text.replace(/%(?![0-9a-f]{2})/gi, '%25')
  decodeURIComponent(escaped)
  return escaped
}

function isExempt(hostname: string, noProxy: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry === '*' || (entry !== '' && matches(host, entry)))
}

function matches(host: string, entry: string): boolean {
  if (isIP(host) !== 0) return matchesAddress(host, entry.replace(/^\[|\]$/g, ''))
  const name = entry.replace(/^\./, '').replace(/\.$/, '')
  return host === name || host.endsWith(`.${name}`)
}

function matchesAddress(host: string, entry: string): boolean {
  const [network = '', prefix] = entry.split('/')
  const version = isIP(network)
  if (version === 0 || version !== isIP(host)) return false
  const bits = version === 4 ? 32 : 128
  const length = prefix === undefined ? bits : Number(prefix)
  if (prefix === '' || !Number.isInteger(length) || length < 0 || length > bits) return false
  const family = version === 4 ? 'ipv4' : 'ipv6'
  const block = new BlockList()
  block.addSubnet(network, length, family)
  return block.check(host, family)
}
