import type { Dispatcher } from 'undici'
// Its parts by path: its entry would load five times as much, of which nothing is used here.
import Pool from 'undici/lib/dispatcher/pool.js'
import type { Clock } from './clock.ts'
import { firstSignal } from './first-signal.ts'
import { tooLarge, unpack } from './http-body.ts'
import { type ProxySettings, proxyFor } from './proxy.ts'
import { connectError, exchangeError, TransportError, timeLimitError } from './transport-error.ts'

/** One request. */
export type HttpRequest = {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Ends the request at once; `send` then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** One whole answer, whatever its status. Redirects are answers like any other: they are never followed. */
export type HttpAnswer = {
  readonly status: number
  /** Names in lower case; of a header sent more than once, the values joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Unpacked and read as UTF-8. */
  readonly body: string
}

/** Sends requests over connections that are kept for the next one. */
export type HttpClient = {
  /**
   * Sends one request, once.
   *
   * @throws {TransportError} if no whole answer came
   */
  send(request: HttpRequest): Promise<HttpAnswer>
  /** Drops all connections, so that nothing keeps the process alive. Requests under way fail. */
  close(): Promise<void>
}

/** Limits of a client and what it needs from outside. */
export type HttpOptions = {
  readonly proxy: ProxySettings
  readonly clock: Clock
  /** Longest time for one request, from connecting to the last byte, in milliseconds. */
  readonly timeLimitMs: number
  /** Largest body, unpacked, in bytes. */
  readonly bodyLimitBytes: number
  /** Most connections to one origin at a time; without it, as many as there are requests. */
  readonly connections?: number
}

/** The way to one origin. */
type Way = {
  readonly dispatcher: Dispatcher
  readonly proxy: URL | undefined
  /** Whether anything has connected yet; before that, nothing can have been sent. */
  connected: boolean
  /** Errors that came up while connecting. */
  readonly unsent: WeakSet<object>
}

// Longer than the longest pause between looks, shorter than the idle limits of common servers.
const KEEP_ALIVE_MS = 15_000

// The bundle leaves HTTP/2 out.
const HTTP_1 = { allowH2: false }

/** Opens a client. No connection is made before the first request. */
export function openHttp(options: HttpOptions): HttpClient {
  const ways = new Map<string, Promise<Way>>()

  function wayTo(url: URL): Promise<Way> {
    const way = ways.get(url.origin) ?? openWay(url, options)
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
      return await exchange(way.dispatcher, { ...request, signal: first.signal }, options.bodyLimitBytes)
    } catch (error) {
      request.signal?.throwIfAborted()
      if (limit.aborted) throw timeLimitError(options.timeLimitMs, { maybeSent: way.connected, cause: error })
      if (error instanceof TransportError) throw error
      const early = typeof error === 'object' && error !== null && way.unsent.has(error)
      throw early ? connectError(error, request.url, way.proxy) : exchangeError(error, request.url, way.proxy)
    } finally {
      first.release()
      over.abort()
    }
  }

  async function close(): Promise<void> {
    for (const opened of await Promise.allSettled(ways.values())) {
      if (opened.status === 'fulfilled') await opened.value.dispatcher.destroy()
    }
  }

  return { send, close }
}

async function openWay(url: URL, options: HttpOptions): Promise<Way> {
  const proxy = proxyFor(url, options.proxy)
  const unsent = new WeakSet<object>()

  function poolFor(origin: string | URL, poolOptions: object): Pool {
    const own = { ...HTTP_1, keepAliveTimeout: KEEP_ALIVE_MS, connections: options.connections ?? null }
    return new Pool(origin, { ...poolOptions, ...own })
      .on('connect', () => (way.connected = true))
      .on('connectionError', (_origin, _targets, error) => unsent.add(error))
  }

  async function throughProxy({ href, protocol }: URL): Promise<Dispatcher> {
    const { default: ProxyAgent } = await import('undici/lib/dispatcher/proxy-agent.js')
    const { default: connect } = await import('undici/lib/api/api-connect.js')
    const clientFactory = (origin: URL, poolOptions: object): Dispatcher =>
      Object.assign(new Pool(origin, poolOptions), { connect })
    // With it, a SOCKS proxy would be spoken to in TLS.
    const tls = protocol === 'https:' ? { proxyTls: HTTP_1 } : {}
    return new ProxyAgent({ uri: href, factory: poolFor, clientFactory, proxyTunnel: false, ...tls })
  }

  const dispatcher = proxy === undefined ? poolFor(url.origin, {}) : await throughProxy(proxy)
  const way: Way = { dispatcher, proxy, connected: false, unsent }
  return way
}

async function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  bodyLimitBytes: number,
): Promise<HttpAnswer> {
  const { status, headers, packed } = await receive(dispatcher, request, bodyLimitBytes)
  return { status, headers, body: await unpack(packed, headers['content-encoding'] ?? '', bodyLimitBytes) }
}

type Received = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly packed: Buffer
}

// Straight from the dispatcher: a stream for each answer doubles the memory that thousands of them take.
function receive(
  dispatcher: Dispatcher,
  { url, method, headers, body, signal }: HttpRequest,
  bodyLimitBytes: number,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let head = { status: 0, headers: {} }
    let controller: Dispatcher.DispatchController | undefined
    const stop = (reason: Error): void => {
      reject(reason)
      controller?.abort(reason)
    }
    signal?.addEventListener('abort', () => stop(signal.reason), { once: true })
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: method as Dispatcher.HttpMethod,
        headers: { ...headers, 'accept-encoding': 'gzip, deflate, br' },
        body: body ?? null,
        // The time limit is one for all.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart(started) {
          controller = started
          if (signal?.aborted) started.abort(signal.reason)
        },
        onResponseStart(_controller, status, responseHeaders) {
          head = { status, headers: flatten(responseHeaders) }
        },
        onResponseData(_controller, chunk) {
          size += chunk.length
          if (size > bodyLimitBytes) stop(tooLarge(bodyLimitBytes))
          else chunks.push(chunk)
        },
        onResponseEnd: () => resolve({ ...head, packed: Buffer.concat(chunks) }),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
  )
}
