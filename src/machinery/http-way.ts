import type { buildConnector, Dispatcher } from 'undici'
// Its parts by path: its entry would load five times as much, of which nothing is used here.
import Pool from 'undici/lib/dispatcher/pool.js'
import { tooLarge } from './http-body.ts'
import type { HttpRequest } from './http-messages.ts'

/** The way to one origin: its connections, and the proxy before it if there is one. */
export type Way = {
  readonly proxy: URL | undefined
  /**
   * Sends a request, once, and collects the answer.
   *
   * @throws {TransportError} if its body is larger than `bodyLimitBytes`, as it is packed
   * @throws whatever ended the request; see `failedToConnect`
   */
  receive(request: HttpRequest, bodyLimitBytes: number): Promise<PackedAnswer>
  /** Whether anything has connected yet; before that, nothing can have been sent. */
  connected(): boolean
  /** Whether an error came up while connecting. */
  failedToConnect(error: unknown): boolean
  close(): Promise<void>
}

/** One whole answer, its body still packed. Names of headers are in lower case. */
export type PackedAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly packed: Buffer
}

// Longer than the longest pause between looks, shorter than the idle limits of common servers.
const KEEP_ALIVE_MS = 15_000

// The bundle leaves HTTP/2 out.
const HTTP_1 = { allowH2: false }

/** Opens the way to an origin. No connection is made before the first request. */
export async function openWay(
  url: URL,
  { proxy, connections }: { readonly proxy: URL | undefined; readonly connections?: number },
): Promise<Way> {
  const unsent = new WeakSet<object>()
  let connected = false

  function poolFor(origin: string | URL, poolOptions: object): Pool {
    const own = { ...HTTP_1, keepAliveTimeout: KEEP_ALIVE_MS, connections: connections ?? null }
    return new Pool(origin, { ...poolOptions, ...own })
      .on('connect', () => {
        connected = true
      })
      .on('connectionError', (_origin, _targets, error) => unsent.add(error))
  }

  const dispatcher = proxy === undefined ? poolFor(url.origin, {}) : await throughProxy(proxy, url, poolFor)
  return {
    proxy,
    receive: (request, bodyLimitBytes) => receive(dispatcher, request, bodyLimitBytes),
    connected: () => connected,
    failedToConnect: (error) => typeof error === 'object' && error !== null && unsent.has(error),
    close: () => dispatcher.destroy(),
  }
}

type PoolFor = (origin: string | URL, poolOptions: object) => Pool

async function throughProxy(proxy: URL, url: URL, poolFor: PoolFor): Promise<Dispatcher> {
  if (proxy.protocol === 'socks5:') return poolFor(url.origin, { connect: await socksConnector(proxy) })
  const { default: ProxyAgent } = await import('undici/lib/dispatcher/proxy-agent.js')
  const { default: connect } = await import('undici/lib/api/api-connect.js')
  const clientFactory = (origin: URL, poolOptions: object): Dispatcher =>
    Object.assign(new Pool(origin, poolOptions), { connect })
  const options = { factory: poolFor, clientFactory, proxyTunnel: false, proxyTls: HTTP_1 }
  return new ProxyAgent({ uri: proxy.href, ...options })
}

// undici's agent for SOCKS makes pools of its own, which do not tell whether they have connected.
async function socksConnector(proxy: URL): Promise<buildConnector.connector> {
  const { default: Socks5ProxyAgent } = await import('undici/lib/dispatcher/socks5-proxy-agent.js')
  const { default: buildConnector } = await import('undici/lib/core/connect.js')
  const agent = new Socks5ProxyAgent(proxy.href)
  const secure = buildConnector(HTTP_1)
  return (target, done) => {
    const { protocol, hostname } = target
    const port = Number(target.port) || (protocol === 'https:' ? 443 : 80)
    agent.createSocks5Connection(hostname, port).then(
      (httpSocket) => {
        if (protocol === 'https:') secure({ ...target, httpSocket }, done)
        else done(null, httpSocket)
      },
      (error: Error) => done(error, null),
    )
  }
}

// Straight from the dispatcher: a stream for each answer doubles the memory that thousands of them take.
function receive(
  dispatcher: Dispatcher,
  { url, method, headers, body, signal }: HttpRequest,
  bodyLimitBytes: number,
): Promise<PackedAnswer> {
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
