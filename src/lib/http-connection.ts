import { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
// Its parts by path: its entry would load five times as much, of which nothing is used here.
import buildConnector, { type Connector } from 'undici/lib/core/connect.js'
import Client from 'undici/lib/dispatcher/client.js'
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
  /** Drops all connections, those too that are still being made: nothing of them keeps the process alive. */
  close(): void
}

/** One whole answer, its body still packed. Names of headers are in lower case. */
export type PackedAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly packed: Buffer
  readonly bodyProblem: string | undefined
}

// Longer than the longest pause between looks, shorter than the idle limits of common servers.
const KEEP_ALIVE_MS = 15_000

/** How long a proxy may take to open a tunnel; undici's own limit for connecting is the same. */
const TUNNEL_LIMIT_MS = 10_000

// The bundle leaves HTTP/2 out.
const HTTP_1 = { allowH2: false }

/**
 * Opens the way to an origin. No connection is made before the first request.
 *
 * @param sideBySide whether requests may go side by side, each over a connection of its own
 */
export async function openWay(url: URL, proxy: URL | undefined, sideBySide: boolean): Promise<Way> {
  const ClientOrPool = sideBySide ? (await import('undici/lib/dispatcher/pool.js')).default : Client
  const sockets = openSockets()
  const unsent = new WeakSet<object>()
  let connected = false

  const build = (origin: string | URL, { connect, ...options }: ClientOptions): Dispatcher =>
    new ClientOrPool(origin, { ...options, ...HTTP_1, connect: sockets.kept(connect) })

  const clientFor = (origin: string | URL, options: ClientOptions): Dispatcher =>
    build(origin, { ...options, keepAliveTimeout: KEEP_ALIVE_MS })
      .on('connect', () => {
        connected = true
      })
      .on('connectionError', (_origin, _targets, error) => unsent.add(error))

  const dispatcher = await (proxy === undefined
    ? clientFor(url.origin, { connect: buildConnector(HTTP_1) })
    : throughProxy(proxy, url, { clientFor, build, kept: sockets.kept }))
  return {
    proxy,
    receive: (request, bodyLimitBytes) => receive(dispatcher, request, bodyLimitBytes),
    connected: () => connected,
    failedToConnect: (error) => typeof error === 'object' && error !== null && unsent.has(error),
    close() {
      void dispatcher.destroy()
      sockets.destroy()
    },
  }
}

type ClientOptions = Omit<Client.Options, 'connect'> & { readonly connect: Connector }

type Parts = {
  /** Makes the client for an origin. */
  readonly clientFor: (origin: string | URL, options: ClientOptions) => Dispatcher
  /** Makes a client of which nobody wants to know whether it has connected. */
  readonly build: (origin: string | URL, options: ClientOptions) => Dispatcher
  readonly kept: (connect: Connector) => Connector
}

async function throughProxy(proxy: URL, url: URL, { clientFor, build, kept }: Parts): Promise<Dispatcher> {
  if (proxy.protocol === 'socks5:') {
    return clientFor(url.origin, { connect: await socksConnector(proxy, kept) })
  }
  const { default: ProxyAgent } = await import('undici/lib/dispatcher/proxy-agent.js')
  const { default: connect } = await import('undici/lib/api/api-connect.js')
  const clientFactory = (origin: URL, options: ClientOptions): Dispatcher =>
    Object.assign(build(origin, { ...options, headersTimeout: TUNNEL_LIMIT_MS }), { connect })
  const options = { factory: clientFor, clientFactory, proxyTunnel: false, proxyTls: HTTP_1 }
  return new ProxyAgent({ uri: proxy.href, ...options })
}

// undici's agent for SOCKS makes pools of its own, which do not tell whether they have connected.
async function socksConnector(proxy: URL, kept: Parts['kept']): Promise<Connector> {
  const { default: Socks5ProxyAgent } = await import('undici/lib/dispatcher/socks5-proxy-agent.js')
  const agent = new Socks5ProxyAgent(proxy.href, { connect: kept(buildConnector(HTTP_1)) })
  const secure = kept(buildConnector(HTTP_1))
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

/** The sockets of a way, from the first attempt to connect to the end of each. */
function openSockets() {
  const sockets = new Set<Socket>()
  return {
    /** A connector that does as another does, and whose sockets are destroyed with the others. */
    kept(connect: Connector): Connector {
      return (target, done) => {
        const socket = connect(target, done)
        if (socket instanceof Socket) sockets.add(socket.once('close', () => sockets.delete(socket)))
        return socket
      }
    },
    destroy() {
      for (const socket of sockets) socket.destroy(new Error('the connection was closed'))
    },
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
          if (size > bodyLimitBytes) {
            resolve({ ...head, packed: Buffer.alloc(0), bodyProblem: tooLarge(bodyLimitBytes).message })
            stop(tooLarge(bodyLimitBytes))
          } else chunks.push(chunk)
        },
        onResponseEnd: () => resolve({ ...head, packed: Buffer.concat(chunks), bodyProblem: undefined }),
        onResponseError(_controller, error) {
          if (head.status === 0 || signal?.aborted) reject(error)
          else resolve({ ...head, packed: Buffer.alloc(0), bodyProblem: 'the answer broke off' })
        },
      },
    )
  })
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
  )
}
