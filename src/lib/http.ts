import type { Dispatcher } from 'undici'
import type { Clock } from './clock.ts'
import type { HttpRequest, HttpResponse, SendOptions } from './http-messages.ts'
import { type ProxySettings, proxyFor } from './proxy.ts'
import { connectError, exchangeError, timeoutError } from './transport-error.ts'

/** Sends requests over connections that are kept for the next one. */
export type HttpClient = {
  /**
   * Sends one request, once. Once a status has arrived, that is the response, even if its body can't be read.
   *
   * @throws {TransportError} if no response came
   */
  send(request: HttpRequest): Promise<HttpResponse>
  /** Drops all kept connections. Requests under way fail. */
  close(): void
}

/** Limits of a client and what it needs from outside. */
export type HttpOptions = {
  readonly proxy: ProxySettings
  readonly clock: Clock
  /** Maximum time for one request, from connecting to the last byte, in milliseconds. */
  readonly timeoutMs: number
  /** Largest body in bytes. */
  readonly bodyLimitBytes: number
  /** Maximum number of connections to one origin; 1 without it, so that one request waits for the other. */
  readonly connections?: number
  /** Maximum time for opening a connection that is kept; 10 s without it. */
  readonly connectTimeoutMs?: number
}

const CONNECT_TIMEOUT_MS = 10_000

/** Opens a client. No connection is made, and no transport loaded, before the first request. */
export function openHttp(options: HttpOptions): HttpClient {
  const { clock, timeoutMs, bodyLimitBytes } = options
  const dispatchers = new Map<string, Promise<Dispatcher>>()

  function dispatcherFor(url: URL, proxy: URL | undefined): Promise<Dispatcher> {
    const { connections = 1, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options
    const opened =
      dispatchers.get(url.origin) ??
      import('./http-kept.ts').then(({ openDispatcher }) =>
        openDispatcher(url, { proxy, connections, connectTimeoutMs }),
      )
    dispatchers.set(url.origin, opened)
    return opened
  }

  async function exchange(
    request: HttpRequest,
    sendOptions: SendOptions & { readonly proxy: URL | undefined },
  ): Promise<HttpResponse> {
    if (request.freshConnection === true) {
      const { sendOnFreshConnection } = await import('./http-once.ts')
      return await sendOnFreshConnection(request, sendOptions)
    }
    const dispatcher = await dispatcherFor(request.url, sendOptions.proxy)
    const { sendOnKeptConnection } = await import('./http-kept.ts')
    return await sendOnKeptConnection(dispatcher, request, sendOptions)
  }

  async function send(request: HttpRequest): Promise<HttpResponse> {
    const { url, signal: cancel } = request
    cancel?.throwIfAborted()
    const proxy = proxyFor(url, options.proxy)
    let sent = false
    const onSend = (): void => {
      sent = true
    }
    const done = new AbortController()
    const timeout = clock.timeout(timeoutMs, done.signal)
    const signal = cancel === undefined ? timeout : AbortSignal.any([cancel, timeout])
    try {
      const response = await exchange(request, { proxy, signal, bodyLimitBytes, onSend })
      cancel?.throwIfAborted()
      if (response.bodyProblem === undefined || !timeout.aborted) return response
      return { ...response, bodyProblem: `the answer was not complete within ${timeoutMs / 1000} s` }
    } catch (error) {
      cancel?.throwIfAborted()
      if (timeout.aborted) throw timeoutError(timeoutMs, { maybeSent: sent, cause: error })
      throw sent ? exchangeError(error, url, proxy) : connectError(error, url, proxy)
    } finally {
      done.abort()
    }
  }

  function close(): void {
    for (const opened of dispatchers.values()) void opened.then((dispatcher) => dispatcher.destroy())
  }

  return { send, close }
}
