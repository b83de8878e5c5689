import { errorCode, errorMessage } from './text.ts'

/** What kept a request from being answered. */
export type TransportFailure =
  | 'refused'
  | 'unresolved'
  | 'unreachable'
  | 'tls'
  | 'proxy'
  | 'timeout'
  | 'broken-off'
  | 'unreadable'

/** A request without a usable response. The message is one plain sentence part, fit to follow "because". */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly failure: TransportFailure
  /** Whether any of the request may have reached the other side; `false` only where that is certain. */
  readonly maybeSent: boolean

  constructor(
    message: string,
    options: { readonly failure: TransportFailure; readonly maybeSent: boolean; readonly cause?: unknown },
  ) {
    super(message, { cause: options.cause })
    this.failure = options.failure
    this.maybeSent = options.maybeSent
  }
}

/** A proxy's own response, where the target's was expected. */
export class ProxyStatusError extends Error {
  override readonly name = 'ProxyStatusError'
  readonly status: number

  constructor(status: number) {
    super(`the proxy answered ${status}`)
    this.status = status
  }
}

type ConnectFailure = Extract<TransportFailure, 'refused' | 'unresolved' | 'unreachable' | 'tls' | 'proxy'>

const CONNECT_FAILURES: Readonly<Record<string, ConnectFailure>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unresolved',
  EAI_AGAIN: 'unresolved',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'unreachable',
}

/**
 * Reads an error that came up while the connection was being made: nothing of the request has left yet.
 *
 * @param proxy the proxy on the way, if there is one
 */
export function connectError(cause: unknown, url: URL, proxy: URL | undefined): TransportError {
  const code = errorCode(cause)
  const refusal = proxy === undefined ? undefined : proxyRefusal(cause)
  const otherFailure = url.protocol === 'https:' ? 'tls' : 'unreachable'
  const failure = refusal === undefined ? (CONNECT_FAILURES[code] ?? otherFailure) : 'proxy'
  const peer = proxy ?? url
  const name = proxy === undefined ? url.host : `the proxy ${proxy.host}`
  const messages: Readonly<Record<ConnectFailure, string>> = {
    refused: `the connection to ${name} was refused`,
    unresolved: `the name ${peer.hostname} could not be resolved`,
    unreachable: `${name} could not be reached`,
    tls: `the TLS connection to ${url.host} could not be made: ${tlsProblem(cause)}`,
    proxy: `${name} did not connect to ${url.host}: ${refusal}`,
  }
  const message = failure === 'proxy' ? messages.proxy : withCode(messages[failure], code)
  return new TransportError(message, { failure, maybeSent: false, cause })
}

/** Reads an error that came up once something was being sent: how much of the request arrived can't be known. */
export function exchangeError(cause: unknown, url: URL, proxy: URL | undefined): TransportError {
  // A proxy that asks for credentials has passed nothing on.
  if (proxy !== undefined && proxyRefusal(cause) !== undefined) return connectError(cause, url, proxy)
  const message = withCode(
    `the connection to ${url.host} broke off before the answer was complete`,
    errorCode(cause),
  )
  return new TransportError(message, { failure: 'broken-off', maybeSent: true, cause })
}

/** The error for a request that took longer than it may. */
export function timeoutError(
  limitMs: number,
  options: { readonly maybeSent: boolean; readonly cause: unknown },
): TransportError {
  return new TransportError(`the request timed out after ${limitMs / 1000} s`, {
    failure: 'timeout',
    ...options,
  })
}

/** The error for a response that can't be used without its body, which could not be read. */
export function unreadableError(
  problem: string,
  { bodyCutOff }: { readonly bodyCutOff: boolean },
): TransportError {
  return new TransportError(problem, { failure: bodyCutOff ? 'broken-off' : 'unreadable', maybeSent: true })
}

/** What a proxy that can be reached did instead of connecting; undici puts the status into its message. */
function proxyRefusal(cause: unknown): string | undefined {
  // Only a request for a tunnel has such a time limit; see http-kept.ts.
  if (errorCode(cause) === 'UND_ERR_HEADERS_TIMEOUT') return 'it did not answer in time'
  const status =
    cause instanceof ProxyStatusError
      ? cause.status
      : /Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(errorMessage(cause))?.[1]
  if (status === undefined) return undefined
  return Number(status) === 407 ? 'it requires a user name and password (407)' : `it answered ${status}`
}

function tlsProblem(cause: unknown): string {
  const problem = errorMessage(cause).replace(/; if the root CA.*/, '')
  return /certificate/.test(problem)
    ? `${problem}; for your own certificate authority, set NODE_EXTRA_CA_CERTS on the runner`
    : problem
}

function withCode(message: string, code: string): string {
  return code === '' ? message : `${message} (${code})`
}
