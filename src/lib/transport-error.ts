/** What kept a request from being answered. */
export type TransportFailure =
  | 'refused'
  | 'unresolved'
  | 'unreachable'
  | 'tls'
  | 'proxy'
  | 'time-limit'
  | 'broken-off'
  | 'too-large'
  | 'undecodable'

/** A request that got no whole answer. The message is one plain sentence part, fit to follow "because". */
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
  const code = codeOf(cause)
  const refusal = proxy === undefined ? undefined : proxyRefusal(cause)
  const otherFailure = url.protocol === 'https:' ? 'tls' : 'unreachable'
  const failure = refusal === undefined ? (CONNECT_FAILURES[code] ?? otherFailure) : 'proxy'
  const peer = proxy ?? url
  const name = proxy === undefined ? url.host : `the proxy ${proxy.host}`
  const messages: Readonly<Record<ConnectFailure, string>> = {
    refused: `the connection to ${name} was refused`,
    unresolved: `the name ${peer.hostname} could not be resolved`,
    unreachable: `${name} could not be reached`,
    tls: `no secure (TLS) connection to ${url.host} could be made: ${tlsProblem(cause)}`,
    proxy: `${name} did not connect to ${url.host}: ${refusal}`,
  }
  const message = failure === 'proxy' ? messages.proxy : withCode(messages[failure], code)
  return new TransportError(message, { failure, maybeSent: false, cause })
}

/** Reads an error that came up once the connection stood: how much of the request arrived can't be known. */
export function exchangeError(cause: unknown, url: URL, proxy: URL | undefined): TransportError {
  // A proxy that wants to know who asks has passed nothing on.
  if (proxy !== undefined && proxyRefusal(cause) !== undefined) return connectError(cause, url, proxy)
  const message = withCode(
    `the connection to ${url.host} broke off before the answer was whole`,
    codeOf(cause),
  )
  return new TransportError(message, { failure: 'broken-off', maybeSent: true, cause })
}

/** Reads an error that came up because the time for a request was over. */
export function timeLimitError(
  limitMs: number,
  options: { readonly maybeSent: boolean; readonly cause: unknown },
): TransportError {
  return new TransportError(`no whole answer came within ${limitMs / 1000} s`, {
    failure: 'time-limit',
    ...options,
  })
}

/** What a proxy that can be reached does instead of connecting, in words; undici puts a status into its message. */
function proxyRefusal(cause: unknown): string | undefined {
  // Of a request for a tunnel: for all others, undici is given no time limit.
  if (codeOf(cause) === 'UND_ERR_HEADERS_TIMEOUT') return 'it gave no answer in time'
  const status = /Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(messageOf(cause))?.[1]
  if (status === undefined)
    return /^UND_ERR_(?:SOCKS5|INVALID_ARG)/.test(codeOf(cause)) ? messageOf(cause) : undefined
  return status === '407' ? 'it wants a user name and password (407)' : `it answered ${status}`
}

function tlsProblem(cause: unknown): string {
  const problem = messageOf(cause).replace(/; if the root CA.*/, '')
  return /certificate/.test(problem)
    ? `${problem}; for a certificate authority of your own, set NODE_EXTRA_CA_CERTS on the runner`
    : problem
}

function withCode(message: string, code: string): string {
  return code === '' ? message : `${message} (${code})`
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
