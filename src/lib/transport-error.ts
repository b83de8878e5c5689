import { isRecord, stringField } from './json.ts'
import type { ProxyInUse } from './proxy.ts'
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
  const refusal = proxyRefusal(cause)
  if (proxy !== undefined && refusal !== undefined) {
    const message = `the proxy of ${proxy.variable} (${proxy.url?.host}) did not connect to ${url.host}: ${refusal}`
    return new TransportError(message, { failure: 'proxy', maybeSent: false, cause })
  }
  if (maybeSent) {
    const way = proxy === undefined ? '' : ` through the proxy of ${proxy.variable} (${proxy.url?.host})`
    const message = `the connection to ${url.host}${way} closed before the response was complete${codeNote}`
    return new TransportError(message, { failure: 'broken', maybeSent, cause })
  }
  const failure = CONNECT_FAILURES[code] ?? (url.protocol === 'https:' ? 'tls' : 'unreachable')
  const peer = proxy?.url ?? url
  const name = proxy === undefined ? url.host : `the proxy of ${proxy.variable} (${peer.host})`
  const messages = {
    refused: `the connection to ${name} was refused${codeNote}`,
    unresolved: `the name ${peer.hostname}${proxy === undefined ? '' : ` of the proxy in ${proxy.variable}`} could not be resolved${codeNote}`,
    unreachable: `${name} could not be reached${codeNote}`,
    tls: `the TLS connection to ${url.host} failed: ${tlsProblem(cause)}${codeNote}`,
  }
  return new TransportError(messages[failure], { failure, maybeSent, cause })
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
