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

/** Reads an error that came up while the connection was being made: nothing of the request has left yet. */
export function connectError(cause: unknown, url: URL): TransportError {
  const code = codeOf(cause)
  const failure = CONNECT_FAILURES[code] ?? otherConnectFailure(cause, url)
  const messages: Readonly<Record<ConnectFailure, string>> = {
    refused: `the connection to ${url.host} was refused`,
    unresolved: `the name ${url.hostname} could not be resolved`,
    unreachable: `${url.host} could not be reached`,
    tls: `no secure (TLS) connection to ${url.host} could be made: ${messageOf(cause)}`,
    proxy: `the proxy did not connect to ${url.host}: ${messageOf(cause)}`,
  }
  return new TransportError(withCode(messages[failure], code), { failure, maybeSent: false, cause })
}

function otherConnectFailure(cause: unknown, url: URL): ConnectFailure {
  if (/proxy/i.test(`${messageOf(cause)} ${cause instanceof Error ? cause.name : ''}`)) return 'proxy'
  return url.protocol === 'https:' ? 'tls' : 'unreachable'
}

/** Reads an error that came up once the connection stood: how much of the request arrived can't be known. */
export function exchangeError(cause: unknown, url: URL): TransportError {
  if (/Proxy Authentication Required/.test(messageOf(cause))) {
    const message = 'the proxy wants a user name and password (407)'
    return new TransportError(message, { failure: 'proxy', maybeSent: false, cause })
  }
  const message = withCode(
    `the connection to ${url.host} broke off before the answer was whole`,
    codeOf(cause),
  )
  return new TransportError(message, { failure: 'broken-off', maybeSent: true, cause })
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
