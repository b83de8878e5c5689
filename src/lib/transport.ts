import { isRecord, stringField } from './json.ts'
import { errorCode, errorMessage } from './text.ts'

/** A request without a usable response. The message is one plain sentence part, fit to follow "because". */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  /** What kept the request from being answered. */
  readonly failure: 'refused' | 'unresolved' | 'unreachable' | 'tls' | 'proxy' | 'timeout' | 'broken'
  /** Whether any of the request may have reached the other side; `false` only where that is certain. */
  readonly maybeSent: boolean

  constructor(
    message: string,
    options: Pick<TransportError, 'failure' | 'maybeSent'> & { readonly cause?: unknown },
  ) {
    super(message, { cause: options.cause })
    this.failure = options.failure
    this.maybeSent = options.maybeSent
  }
}

/** The proxy variables of the environment; empty where one is not set. */
export type ProxySettings = {
  readonly httpsProxy: string
  readonly httpProxy: string
  readonly noProxy: string
}

type ProxyInUse = { readonly variable: 'HTTPS_PROXY' | 'HTTP_PROXY'; readonly url: URL }

/** What undici's `EnvHttpProxyAgent` is given: proxies that it can't use are left out, and refused by `proxyFor`. */
export function usableProxies({ httpsProxy, httpProxy, noProxy }: ProxySettings): ProxySettings {
  const usable = (value: string): string => (proxyUrl(value) === undefined ? '' : value)
  return { httpsProxy: usable(httpsProxy), httpProxy: usable(httpProxy), noProxy }
}

/**
 * The proxy that undici's `EnvHttpProxyAgent` takes for a URL, by the same rules.
 *
 * @throws {TransportError} if it can't be used; without the proxy's URL, which may hold a password
 */
export function proxyFor(
  url: URL,
  { httpsProxy, httpProxy, noProxy }: ProxySettings,
): ProxyInUse | undefined {
  const variable = url.protocol === 'https:' && httpsProxy !== '' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const value = variable === 'HTTPS_PROXY' ? httpsProxy : httpProxy
  if (value === '' || isExempt(url, noProxy)) return undefined
  const parsed = proxyUrl(value)
  if (parsed !== undefined) return { variable, url: parsed }
  const names = `the environment variable ${variable} (or ${variable.toLowerCase()})`
  const isSocks = /^socks/i.test(value)
  const what = isSocks ? 'names a SOCKS proxy, which is not supported' : 'is not the URL of a proxy'
  const fix = 'set it to an http or https proxy (http://host:port), or exempt the host with NO_PROXY'
  throw new TransportError(`${names} ${what}; ${fix}`, { failure: 'proxy', maybeSent: false })
}

function proxyUrl(value: string): URL | undefined {
  const url = URL.parse(value)
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url : undefined
}

function isExempt({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const ownPort = port || (protocol === 'https:' ? '443' : '80')
  return noProxy.split(/[,\s]+/).some((entry) => {
    const [, name = entry, entryPort = ownPort] = /^(.+?):(\d+)$/.exec(entry) ?? []
    const exempt = name.replace(/^\*?\.|^\[|\]$|\.$/g, '').toLowerCase()
    if (exempt === '' || entryPort !== ownPort) return false
    return exempt === '*' || (host === exempt && !entry.startsWith('*.')) || host.endsWith(`.${exempt}`)
  })
}

const CONNECT_FAILURES: Readonly<Record<string, 'refused' | 'unresolved' | 'unreachable'>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unresolved',
  EAI_AGAIN: 'unresolved',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'unreachable',
}

/** Reads an error of undici's or Node's that came in place of a response. */
export function transportError(
  cause: unknown,
  sent: { readonly url: URL; readonly proxy: ProxyInUse | undefined; readonly maybeSent: boolean },
): TransportError {
  const { url, proxy, maybeSent } = sent
  const code = errorCode(cause)
  const codeNote = code === '' ? '' : ` (${code})`
  const proxyName = proxy && `the proxy of ${proxy.variable} (${proxy.url.host})`
  const refusal = proxyRefusal(cause)
  if (proxyName !== undefined && refusal !== undefined) {
    const message = `${proxyName} did not connect to ${url.host}: ${refusal}`
    return new TransportError(message, { failure: 'proxy', maybeSent: false, cause })
  }
  if (maybeSent) {
    const connection = `the connection to ${url.host}${proxyName === undefined ? '' : ` through ${proxyName}`}`
    const message = `${connection} closed before the response was complete${codeNote}`
    return new TransportError(message, { failure: 'broken', maybeSent, cause })
  }
  const failure = CONNECT_FAILURES[code] ?? (url.protocol === 'https:' ? 'tls' : 'unreachable')
  const messages = {
    refused: `the connection to ${proxyName ?? url.host} was refused`,
    unresolved: `the name ${proxy ? `${proxy.url.hostname} of the proxy in ${proxy.variable}` : url.hostname} could not be resolved`,
    unreachable: `${proxyName ?? url.host} could not be reached`,
    tls: `the TLS connection to ${url.host} failed: ${tlsProblem(cause)}`,
  }
  return new TransportError(`${messages[failure]}${codeNote}`, { failure, maybeSent, cause })
}

/** What a proxy did instead of connecting; undici puts its status into the message. */
function proxyRefusal(cause: unknown): string | undefined {
  const status = /Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(errorMessage(cause))?.[1]
  if (errorCode(cause) === 'UND_ERR_PRX_CONN') return 'it closed the connection'
  if (status === undefined) return undefined
  return status === '407' ? 'it requires a user name and password (407)' : `it returned ${status}`
}

function tlsProblem(cause: unknown): string {
  // OpenSSL's own messages are lists of codes, source files among them.
  const openSsl = isRecord(cause) && 'library' in cause ? stringField(cause, 'reason') : undefined
  const problem = openSsl ?? errorMessage(cause).replace(/; if the root CA.*/, '')
  return /certificate/.test(problem)
    ? `${problem}; for your own certificate authority, set NODE_EXTRA_CA_CERTS on the runner`
    : problem
}
