import { errorCode, errorMessage, isRecord, stringField } from './text.ts'

/** A request without a usable response. The message is one plain sentence part, fit to follow "because". */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  /** What kept the request from being answered. */
  readonly failure:
    | 'refused'
    | 'unresolved'
    | 'unreachable'
    | 'tls'
    // The other side speaks no TLS, or none that fits: never retried.
    | 'tls-protocol'
    | 'proxy'
    | 'timeout'
    | 'broken'
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

const CHECK_NETWORK =
  'Check the firewall and the proxy (`HTTPS_PROXY`, `HTTP_PROXY`) of the runner.'

/** What to do about a request without a response, as a sentence; empty where nothing is known to help. */
export const TRANSPORT_ADVICE: Readonly<Record<TransportError['failure'], string>> = {
  refused: CHECK_NETWORK,
  unresolved: CHECK_NETWORK,
  unreachable: CHECK_NETWORK,
  tls: 'For your own certificate authority, set `NODE_EXTRA_CA_CERTS` on the runner; else check its firewall and proxy.',
  'tls-protocol': CHECK_NETWORK,
  proxy: 'Check `HTTPS_PROXY` and `HTTP_PROXY`, and whether the proxy may connect to this host.',
  timeout: '',
  broken: '',
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
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol)) return 'is not an http:// or https:// URL'
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

/**
 * Reads an error of undici's or Node's that came in place of a response. A proxy is named by its host.
 *
 * @param request `unreachableHost`: the one that no connection could be made to, a proxy's or the URL's, if that failed
 */
export function transportError(
  cause: unknown,
  request: {
    readonly url: URL
    readonly maybeSent: boolean
    readonly unreachableHost: string | undefined
    readonly proxy: ProxySettings
  },
): TransportError {
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
    const message = `the connection to ${url.host} closed before the response was complete${codeNote}`
    return new TransportError(message, { failure: 'broken', maybeSent, cause })
  }
  const isProxy = unreachableHost !== url.host
  const host = isProxy ? `the proxy ${unreachableHost}` : url.host
  const usesTls = url.protocol === 'https:' || isProxy
  const tlsFailure = /^(?:ERR_SSL_|EPROTO)/.test(code) ? 'tls-protocol' : 'tls'
  const failure = CONNECT_FAILURES[code] ?? (usesTls ? tlsFailure : 'unreachable')
  const tls = `the TLS connection to ${host} failed: ${tlsProblem(cause)}`
  const messages = {
    refused: `the connection to ${host} was refused`,
    unresolved: `the name ${host} could not be resolved to an address`,
    unreachable: `${host} could not be reached`,
    tls,
    'tls-protocol': tls,
  }
  return new TransportError(`${messages[failure]}${codeNote}`, { failure, maybeSent, cause })
}

/** What a proxy did instead of connecting; undici puts its status into the message. */
function proxyRefusal(cause: unknown): string | undefined {
  const status = /Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(
    errorMessage(cause),
  )?.[1]
  if (errorCode(cause) === 'UND_ERR_PRX_CONN') return 'it closed the connection'
  if (status === undefined) return undefined
  return status === '407'
    ? 'it requires a user name and password in its URL, http://USER:PASSWORD@HOST (407)'
    : `it returned ${status}`
}

function tlsProblem(cause: unknown): string {
  // OpenSSL's own messages are lists of codes, source files among them.
  const openSsl = isRecord(cause) && 'library' in cause ? stringField(cause, 'reason') : undefined
  return openSsl ?? errorMessage(cause).replace(/; if the root CA.*/, '')
}

/** Whether a host is this machine. `URL.hostname` has normalised numeric forms such as `127.1`. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

/** Whether what is sent to this URL is safe from listeners: https, or http that does not leave the machine. */
export function isPrivateTransport(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
}
