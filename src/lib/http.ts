import type { Clock } from './clock.ts'
import { firstSignal } from './first-signal.ts'
import { unpack } from './http-body.ts'
import { openWay, type Way } from './http-connection.ts'
import type { HttpAnswer, HttpRequest } from './http-messages.ts'
import { type ProxySettings, proxyFor } from './proxy.ts'
import { errorMessage } from './text.ts'
import { connectError, exchangeError, TransportError, timeLimitError } from './transport-error.ts'

/** Sends requests over connections that are kept for the next one. */
export type HttpClient = {
  /**
   * Sends one request, once.
   *
   * @throws {TransportError} if no whole answer came
   */
  send(request: HttpRequest): Promise<HttpAnswer>
  /** Drops all connections, so that nothing keeps the process alive. Requests under way fail. */
  close(): void
}

/** Limits of a client and what it needs from outside. */
export type HttpOptions = {
  readonly proxy: ProxySettings
  readonly clock: Clock
  /** Longest time for one request, from connecting to the last byte, in milliseconds. */
  readonly timeLimitMs: number
  /** Largest body, unpacked, in bytes. */
  readonly bodyLimitBytes: number
  /** Whether requests to one origin may go side by side. Without it, one waits for the other. */
  readonly sideBySide?: boolean
}

/** Opens a client. No connection is made before the first request. */
export function openHttp(options: HttpOptions): HttpClient {
  const ways = new Map<string, Promise<Way>>()

  function wayTo(url: URL): Promise<Way> {
    const way =
      ways.get(url.origin) ?? openWay(url, proxyFor(url, options.proxy), options.sideBySide === true)
    ways.set(url.origin, way)
    return way
  }

  async function send(request: HttpRequest): Promise<HttpAnswer> {
    request.signal?.throwIfAborted()
    const way = await wayTo(request.url)
    const over = new AbortController()
    const limit = options.clock.timeout(options.timeLimitMs, over.signal)
    const first = firstSignal([request.signal, limit])
    try {
      return await exchange(way, { ...request, signal: first.signal }, options.bodyLimitBytes)
    } catch (error) {
      request.signal?.throwIfAborted()
      if (limit.aborted)
        throw timeLimitError(options.timeLimitMs, { maybeSent: way.connected(), cause: error })
      if (error instanceof TransportError) throw error
      throw way.failedToConnect(error) || !way.connected()
        ? connectError(error, request.url, way.proxy)
        : exchangeError(error, request.url, way.proxy)
    } finally {
      first.release()
      over.abort()
    }
  }

  function close(): void {
    for (const way of ways.values()) {
      way.then(
        (opened) => opened.close(),
        () => undefined,
      )
    }
  }

  return { send, close }
}

async function exchange(way: Way, request: HttpRequest, bodyLimitBytes: number): Promise<HttpAnswer> {
  const { status, headers, packed, bodyProblem } = await way.receive(request, bodyLimitBytes)
  if (bodyProblem !== undefined) return { status, headers, body: '', bodyProblem }
  try {
    const body = await unpack(packed, headers['content-encoding'] ?? '', bodyLimitBytes)
    return { status, headers, body, bodyProblem: undefined }
  } catch (error) {
    return { status, headers, body: '', bodyProblem: errorMessage(error) }
  }
}
