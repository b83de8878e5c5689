import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici'
import { isRecord, recordField, stringField } from './text.ts'
import type { Clock } from './time.ts'
import { type ProxySettings, TransportError, transportError } from './transport.ts'

export type HttpRequest = {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Ends the request at once; `send` then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** For requests that must not be repeated: a kept connection may be closing while something is sent on it. */
  readonly freshConnection: boolean
}

/** One response, whatever its status. Redirects are responses like any other: they are never followed. */
export type HttpResponse = {
  readonly status: number
  /** Names in lower case; of a header sent more than once, the values joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Read as UTF-8, as far as it came; empty if it is compressed or too large. */
  readonly body: string
  /** Why the body could not be read to its end, fit to follow "because"; `undefined` if it could. */
  readonly bodyProblem: string | undefined
  /** Whether the connection or the time ended before the body did: the next response may be whole. */
  readonly isCutOff: boolean
}

export type HttpOptions = {
  readonly proxy: ProxySettings
  readonly clock: Clock
  /** Maximum time for one request, from connecting to the last byte, in milliseconds. */
  readonly timeoutMs: number
  /** Gets a line on each request: method, host and path, what came, and how long it took. */
  readonly debug?: (line: string) => void
}

const BODY_LIMIT_BYTES = 16 * 1024 * 1024

/** Published right before the first byte of a request is written. Source: undici's docs, "Diagnostics Channel Support". */
const SEND_CHANNEL = 'undici:client:sendHeaders'
/** Published when a connection could not be made, first by a proxy's client. Source: the same. */
const CONNECT_ERROR_CHANNEL = 'undici:client:connectError'

/** Sends requests, through the proxies that the environment names. Nothing is made of those before the first request. */
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
      const timedOut = `the request timed out after ${timeoutMs / 1000} s`
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
  ): Promise<Pick<HttpResponse, 'body' | 'bodyProblem' | 'isCutOff'>> {
    const isPlain = /^(?:identity)?$/i.test(headers['content-encoding']?.trim() ?? '')
    const refused = (bodyProblem: string) => ({ body: '', bodyProblem, isCutOff: false })
    const chunks: Uint8Array[] = []
    let bytes = 0
    let bodyProblem: string | undefined
    try {
      for await (const chunk of stream) {
        bytes += chunk.length
        if (!isPlain) return refused('it is compressed, although no compression was requested')
        if (bytes > BODY_LIMIT_BYTES)
          return refused(`it is larger than ${BODY_LIMIT_BYTES / 1024 ** 2} MiB`)
        chunks.push(chunk)
      }
    } catch (error) {
      const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
      bodyProblem = isTimeout
        ? `the response was not complete within ${this.#options.timeoutMs / 1000} s`
        : 'the connection closed before the response was complete'
    }
    const body = Buffer.concat(chunks).toString('utf8')
    return { body, bodyProblem, isCutOff: bodyProblem !== undefined }
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
