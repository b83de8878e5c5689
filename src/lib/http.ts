import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici'
import { errorCode, errorMessage, isRecord, recordField, stringField } from './text.ts'
import type { Clock } from './time.ts'

export type HttpRequest = {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Ends the request at once; `send` then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** For requests that must not be repeated, because a kept connection may close while something is sent on it. */
  readonly freshConnection?: boolean
}

/** One response, whatever its status. Redirects are responses like any other: they are never followed. */
export type HttpResponse = {
  readonly status: number
  /** Names in lower case; of a header sent more than once, the values joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Read as UTF-8, as far as it came; empty if it is compressed or too large. */
  readonly body: string
  /** Why the body could not be read to its end, to follow "because"; `undefined` if it could. */
  readonly bodyProblem: string | undefined
  /** Whether the body ended too early because of the connection or the time limit. */
  readonly isCutOff: boolean
  readonly isTooLarge: boolean
}

export type HttpOptions = {
  readonly proxy: ProxySettings
  readonly clock: Clock
  /** Maximum time for one request, from connecting to the last byte, in milliseconds. */
  readonly timeoutMs: number
  /** Gets a line for each request: method, host and path, status, and duration. */
  readonly debug?: (line: string) => void
}

const BODY_LIMIT_BYTES = 16 * 1024 * 1024

/** Published right before the first byte of a request is written. Source: undici's docs, "Diagnostics Channel Support". */
const SEND_CHANNEL = 'undici:client:sendHeaders'
/** Published when a connection could not be made, first by a proxy's client. Source: the same. */
const CONNECT_ERROR_CHANNEL = 'undici:client:connectError'

/** Sends requests, through the proxies of the environment if it names some. */
export class HttpClient {
  readonly #options: HttpOptions
  #kept: Dispatcher | undefined

  constructor(options: HttpOptions) {
    this.#options = options
  }

  /**
   * Sends one request, once. Once a status has arrived, that is the response, even if its body can't be read.
   *
   * @throws {TransportError} if no response came
   */
  async send(sent: HttpRequest): Promise<HttpResponse> {
    const { method, url, signal: cancel } = sent
    const { clock, timeoutMs, proxy, debug } = this.#options
    cancel?.throwIfAborted()
    const startMs = clock.now()
    const timeout = clock.timeout(timeoutMs)
    const signal = cancel === undefined ? timeout : AbortSignal.any([cancel, timeout])
    const kept = sent.freshConnection ? undefined : this.#kept
    const dispatcher = kept ?? createDispatcher(proxy)
    if (!sent.freshConnection) this.#kept = dispatcher
    let maybeSent = false
    const onSend = (message: unknown): void => {
      maybeSent ||= isRequest(message, sent)
    }
    const unreachable = new Map<unknown, string | undefined>()
    const onConnectError = (message: unknown): void => {
      const { error, connectParams } = isRecord(message) ? message : {}
      if (!unreachable.has(error)) unreachable.set(error, stringField(connectParams, 'host'))
    }
    subscribe(SEND_CHANNEL, onSend)
    subscribe(CONNECT_ERROR_CHANNEL, onConnectError)
    let outcome = 'cancelled'
    try {
      const response = await this.#exchange(sent, dispatcher, signal)
      outcome = String(response.status)
      return response
    } catch (cause) {
      cancel?.throwIfAborted()
      const timedOut = `no response from ${url.host} within ${timeoutMs / 1000} s`
      const error = timeout.aborted
        ? new TransportError(timedOut, { failure: 'timeout', maybeSent })
        : transportError(cause, { url, proxy, maybeSent, unreachableHost: unreachable.get(cause) })
      outcome = error.message
      throw error
    } finally {
      unsubscribe(SEND_CHANNEL, onSend)
      unsubscribe(CONNECT_ERROR_CHANNEL, onConnectError)
      if (sent.freshConnection) void dispatcher.destroy()
      debug?.(
        `${method} ${url.host}${url.pathname}: ${outcome} (${Math.round(clock.now() - startMs)} ms)`,
      )
    }
  }

  async #exchange(
    { url, method, headers: sent, body }: HttpRequest,
    dispatcher: Dispatcher,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const requested = request(url, {
      dispatcher,
      // undici's type lists the registered methods; it accepts any token.
      method: method as Dispatcher.HttpMethod,
      headers: { ...sent, 'accept-encoding': 'identity' },
      body: body ?? null,
      signal,
    })
    // undici itself rejects only once the connection is open.
    const aborted = once(signal, 'abort').then(() => Promise.reject(signal.reason))
    const response = await Promise.race([requested, aborted])
    const fields = Object.entries(response.headers)
    const headers = Object.fromEntries(
      fields.map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
    )
    return {
      status: response.statusCode,
      headers,
      ...(await this.#readBody(response.body, headers)),
    }
  }

  async #readBody(
    stream: Dispatcher.ResponseData['body'],
    headers: HttpResponse['headers'],
  ): Promise<Pick<HttpResponse, 'body' | 'bodyProblem' | 'isCutOff' | 'isTooLarge'>> {
    const isPlain = /^(?:identity)?$/i.test(headers['content-encoding']?.trim() ?? '')
    const refused = (bodyProblem: string, isTooLarge = false) => {
      return { body: '', bodyProblem, isCutOff: false, isTooLarge }
    }
    const chunks: Uint8Array[] = []
    let bytes = 0
    let bodyProblem: string | undefined
    try {
      for await (const chunk of stream) {
        bytes += chunk.length
        if (!isPlain) return refused('it is compressed, although no compression was requested')
        if (bytes > BODY_LIMIT_BYTES)
          return refused(`it is larger than ${BODY_LIMIT_BYTES / 1024 ** 2} MiB`, true)
        chunks.push(chunk)
      }
    } catch (error) {
      const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
      bodyProblem = isTimeout
        ? `the response was not complete within ${this.#options.timeoutMs / 1000} s`
        : 'the connection closed before the response was complete'
    }
    const body = Buffer.concat(chunks).toString('utf8')
    return { body, bodyProblem, isCutOff: bodyProblem !== undefined, isTooLarge: false }
  }
}

function createDispatcher(proxy: ProxySettings): Dispatcher {
  return new EnvHttpProxyAgent({
    ...proxy,
    // The bundle leaves HTTP/2 and undici's trial parser out (scripts/build.ts).
    allowH2: false,
    useMilo: false,
    proxyTls: { allowH2: false },
    requestTls: { allowH2: false },
  })
}

function isRequest(message: unknown, { method, url }: HttpRequest): boolean {
  const started = recordField(message, 'request')
  // A proxy that passes http on gets the whole address as the path.
  const address = `${started['origin']}${started['path']}`
  return (
    started['method'] === method && address.endsWith(`${url.origin}${url.pathname}${url.search}`)
  )
}

/** A request without a usable response. The message is a clause: `the connection to x.example was refused`. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly failure:
    | 'refused'
    | 'unresolved'
    | 'unreachable'
    | 'tls'
    // The server doesn't speak TLS, or no version that fits. It is never retried.
    | 'tls-protocol'
    | 'proxy'
    | 'timeout'
    | 'broken'
    // The response came, but is too large to be read.
    | 'too-large'
  /** Whether any of the request may have reached the server; `false` only if it certainly didn't. */
  readonly maybeSent: boolean
  /** Whether the connection to a proxy failed, so that the server never saw the request. */
  readonly isOfProxy: boolean

  constructor(
    message: string,
    options: Pick<TransportError, 'failure' | 'maybeSent'> & {
      readonly isOfProxy?: boolean
      readonly cause?: unknown
    },
  ) {
    super(message, { cause: options.cause })
    this.failure = options.failure
    this.maybeSent = options.maybeSent
    this.isOfProxy = options.isOfProxy ?? false
  }
}

/** Node's code for a certificate that doesn't name the host. */
const OTHER_HOST = 'ERR_TLS_CERT_ALTNAME_INVALID'

/** Advises on a request without a response, in a sentence; empty if there is no advice. */
export function transportAdvice({ failure, isOfProxy, cause }: TransportError): string {
  if (/^(?:timeout|broken|too-large)$/.test(failure)) return ''
  if (failure === 'tls') {
    if (errorCode(cause) === OTHER_HOST) return "Check the runner's firewall and proxy."
    return 'If you use your own certificate authority, set `NODE_EXTRA_CA_CERTS` on the runner. Otherwise, check its firewall and proxy.'
  }
  if (failure === 'proxy') {
    return 'Check `HTTPS_PROXY` and `HTTP_PROXY`, and make sure that the proxy may connect to this host.'
  }
  return isOfProxy
    ? 'Check `HTTPS_PROXY` and `HTTP_PROXY` on the runner, and its firewall.'
    : "Check the runner's firewall and proxy (`HTTPS_PROXY`, `HTTP_PROXY`)."
}

/** The proxy variables of the environment; empty where one is not set. */
export type ProxySettings = {
  readonly httpsProxy: string
  readonly httpProxy: string
  readonly noProxy: string
}

/** Describes why a proxy can't be used, to follow "The value". Without the URL, because it may contain a password. */
export function proxyProblem(value: string): string | undefined {
  if (value === '') return undefined
  const url = URL.parse(value)
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.pathname + url.search + url.hash !== '/'
  )
    return "isn't the URL of an http or https proxy"
  try {
    decodeURIComponent(`${url.username}:${url.password}`)
    return undefined
  } catch {
    return 'contains a `%` that must be written as `%25`'
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
 * Reads an error of undici or Node. A proxy is named by its host.
 *
 * @param request `unreachableHost`: the host, of a proxy or the server, that could not be connected to
 */
function transportError(
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
    const message = `the proxy ${used?.host} did not connect to ${url.host}, because ${refusal}`
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
    unresolved: `the host name ${isProxy ? 'of ' : ''}${host} could not be resolved to an address`,
    unreachable: `no connection to ${host} could be made`,
    tls,
    'tls-protocol': tls,
  }
  const message = `${messages[failure]}${codeNote}`
  return new TransportError(message, { failure, maybeSent, isOfProxy: isProxy, cause })
}

/** Describes why a proxy did not connect, to follow "because"; undici puts the proxy's status into its message. */
function proxyRefusal(cause: unknown): string | undefined {
  const status = /Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(
    errorMessage(cause),
  )?.[1]
  if (errorCode(cause) === 'UND_ERR_PRX_CONN') return 'it closed the connection'
  if (status === undefined) return undefined
  return status === '407'
    ? 'it requires a user name and password in its URL, `http://USER:PASSWORD@HOST` (407)'
    : `it returned ${status}`
}

function tlsProblem(cause: unknown): string {
  if (errorCode(cause) === OTHER_HOST) return 'its certificate is for other hosts'
  // OpenSSL's own messages are lists of codes and source files.
  const openSsl = isRecord(cause) && 'library' in cause ? stringField(cause, 'reason') : undefined
  return openSsl ?? errorMessage(cause).replace(/; if the root CA.*/, '')
}

/** Whether a host is this machine. `URL.hostname` has normalized numeric forms such as `127.1`. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

/** Whether what is sent to this URL can't be read on the way: https, or http that doesn't leave the machine. */
export function isPrivateTransport(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
}
