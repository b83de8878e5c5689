import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import {
  type AddressInfo,
  connect,
  createServer as createSocketServer,
  type Socket,
  type Server as SocketServer,
} from 'node:net'
import { onTestFinished } from 'vitest'
import type { Certificate } from './certificate.ts'

/** A loopback server for one test; `requests` as `METHOD target`. */
export type TestServer = Awaited<ReturnType<TestServers['start']>>

/** Starts loopback servers and proxies for a test, and stops them after it. */
export class TestServers {
  /** A server; with `tls`, one whose certificate nobody knows, and which would rather speak HTTP/2. */
  async start(answer: RequestListener, tls?: Certificate) {
    const requests: string[] = []
    const listener: RequestListener = (incoming, response) => {
      requests.push(`${incoming.method} ${incoming.url}`)
      answer(incoming, response)
    }
    const protocols = { ALPNProtocols: ['h2', 'http/1.1'] }
    const server = tls
      ? createSecureServer({ ...protocols, ...tls }, listener)
      : createServer(listener)
    const { port, connections } = await listenForTest(server)
    const origin = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`
    return { origin, url: new URL('/path?query=1', origin), requests, connections, server }
  }

  /** A server that speaks TLS and hands everything on to another. */
  startTlsFront(target: string, tls: Certificate) {
    return this.start((incoming, response) => {
      handOn(new URL(incoming.url ?? '', target), incoming, response)
    }, tls)
  }

  /** A proxy that forwards http and tunnels https, for those who name themselves if it wants that. */
  async startProxy(credentials?: string, tls?: Certificate) {
    const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`
    const isAllowed = ({ headers }: IncomingMessage): boolean =>
      wanted === undefined || headers['proxy-authorization'] === wanted
    const proxy = await this.start((incoming, response) => {
      if (isAllowed(incoming)) handOn(new URL(incoming.url ?? ''), incoming, response)
      else response.writeHead(407).end()
    }, tls)
    proxy.server.on('connect', (incoming, socket) => {
      proxy.requests.push(`CONNECT ${incoming.url}`)
      if (!isAllowed(incoming)) {
        socket.end('HTTP/1.1 407 Who is asking\r\n\r\n')
        return
      }
      const [host, port] = (incoming.url ?? '').split(':')
      const onward = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connected\r\n\r\n')
        socket.pipe(onward).pipe(socket)
      })
      onward.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
      socket.on('error', () => onward.destroy())
    })
    return proxy
  }

  /** A server that accepts connections and says nothing, not even in TLS; `accepted` is the first of them. */
  async startSilent() {
    // Without a reader, the end of a connection is not noticed.
    const server = createSocketServer((socket) => {
      socket.resume().on('error', () => undefined)
    })
    const accepted = once(server, 'connection')
    const { port } = await listenForTest(server)
    return { host: `127.0.0.1:${port}`, accepted }
  }
}

async function listenForTest(server: SocketServer) {
  const sockets: Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    // Not `closeAllConnections`: a tunnel is no longer the server's own.
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return { port: (server.address() as AddressInfo).port, connections: () => sockets.length }
}

/** Asks the same of another server, and answers what that answers. */
function handOn(url: URL, incoming: IncomingMessage, response: ServerResponse): void {
  const { method } = incoming
  const { 'proxy-authorization': _, ...headers } = incoming.headers
  const onward = request(url, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 0, answer.headers)
    answer.pipe(response)
  })
  onward.on('error', () => response.writeHead(502).end())
  incoming.pipe(onward)
}
