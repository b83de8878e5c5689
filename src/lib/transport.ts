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

/** Why a proxy can't be used, to follow its variable's name. Without its URL, which may hold a password. */
export function proxyProblem(value: string): string | undefined {
  if (value === '') return undefined
  if (/^\s*socks/i.test(value)) return 'names a SOCKS proxy, which is not supported'
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol))
    return value.includes('://')
      ? 'is not the URL of a proxy'
      : 'is not a URL: `http://` is missing before it'
  try {
    decodeURIComponent(`${url.username}:${url.password}`)
    return undefined
  } catch {
    return 'has a % in its user name or password: write each % there as %25'
  }
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

/** What is known of a request that failed. */
type FailedRequest = {
  readonly url: URL
  readonly maybeSent: boolean
  /** The host that no connection could be made to, a proxy's or the URL's; `undefined` if there was another failure. */
  readonly unreachableHost: string | undefined
  readonly proxy: ProxySettings
}

/** Reads an error of undici's or Node's that came in place of a response. A proxy is named by its host. */
export function transportError(cause: unknown, request: FailedRequest): TransportError {
  const { url, maybeSent, unreachableHost = url.host, proxy } = request
  const code = errorCode(cause)
  const codeNote = code === '' ? '' : ` (${code})`
  const refusal = proxyRefusal(cause)
  if (refusal !== undefined) {
    // undici uses HTTP_PROXY for https, too, where that is all there is.
    const used = URL.parse((url.protocol === 'https:' && proxy.httpsProxy) || proxy.httpProxy)
    const message = `the proxy ${used?.host} did not connect to ${url.host}: ${refusal}`
    return new TransportError(message, { failure: 'proxy', maybeSent: false, cause })
  }
  if (maybeSent) {
    // undici's words for a 1xx that was not asked for.
    const isOdd = /^bad (?:response|upgrade)$/.test(errorMessage(cause))
    const message = isOdd
      ? `${url.host} sent an interim response (1xx) that was not asked for, so the connection was closed`
      : `the connection to ${url.host} closed before the response was complete${codeNote}`
    return new TransportError(message, { failure: 'broken', maybeSent, cause })
  }
  const isProxy = unreachableHost !== url.host
  const host = isProxy ? `the proxy ${unreachableHost}` : url.host
  const failure = CONNECT_FAILURES[code] ?? (url.protocol === 'https:' || isProxy ? 'tls' : 'unreachable')
  const messages = {
    refused: `the connection to ${host} was refused`,
    unresolved: `the name ${host} could not be resolved to an address`,
    unreachable: `${host} could not be reached`,
    tls: `the TLS connection to ${host} failed: ${tlsProblem(cause)}`,
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

/** Whether a host is this machine. `URL.hostname` has normalised numeric forms such as `127.1`. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:(?:.*\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

/** Whether what is sent to this URL is safe from listeners: https, or http that does not leave the machine. */
export function isPrivateTransport(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
}
