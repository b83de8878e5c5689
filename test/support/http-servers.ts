import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import {
  connect,
  createServer as createSocketServer,
  type Socket,
  type Server as SocketServer,
} from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, onTestFinished } from 'vitest'

/** A loopback server for one test. */
export type TestServer = {
  readonly origin: string
  readonly url: URL
  /** Requests as `METHOD target`. */
  readonly requests: string[]
  readonly connections: () => number
  readonly server: Server
}

/** A loopback server that never answers. */
export type SilentServer = {
  readonly host: string
  /** The first connection, as soon as it is there. */
  readonly accepted: Promise<Socket>
}

/** Starts loopback servers and proxies, and stops them all after each test of the file. */
export class TestServers {
  readonly #open: SocketServer[] = []
  readonly #sockets = new Set<Socket>()

  constructor() {
    afterEach(() => this.close())
  }

  /** A server; with `tls`, one whose certificate nobody knows, and which would rather speak HTTP/2. */
  async start(answer: RequestListener, tls?: Certificate): Promise<TestServer> {
    const requests: string[] = []
    const listener: RequestListener = (incoming, response) => {
      requests.push(`${incoming.method} ${incoming.url}`)
      answer(incoming, response)
    }
    const server =
      tls === undefined
        ? createServer(listener)
        : createSecureServer({ ...tls, ALPNProtocols: ['h2', 'http/1.1'] }, listener)
    const { port, connections } = await this.#listen(server)
    const origin = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`
    return { origin, url: new URL('/path?query=1', origin), requests, connections, server }
  }

  /** A server that speaks TLS and hands everything on to another. */
  async startTlsFront(target: string, tls: Certificate): Promise<TestServer> {
    return await this.start((incoming, response) => {
      handOn(new URL(incoming.url ?? '', target), incoming, response)
    }, tls)
  }

  /** A proxy that forwards http and tunnels https, for those who name themselves if it wants that. */
  async startProxy(credentials?: string, tls?: Certificate): Promise<TestServer> {
    const isAllowed = ({ headers }: IncomingMessage): boolean =>
      credentials === undefined ||
      headers['proxy-authorization'] === `Basic ${Buffer.from(credentials).toString('base64')}`
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

  /** A server that answers the first piece of each connection with these bytes, and closes. */
  async startRaw(answer: string | Uint8Array): Promise<Pick<TestServer, 'origin' | 'url' | 'connections'>> {
    const server = createSocketServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(answer))
    })
    const { port, connections } = await this.#listen(server)
    const origin = `http://127.0.0.1:${port}`
    return { origin, url: new URL(origin), connections }
  }

  /** A server that accepts connections and says nothing, not even in TLS. */
  async startSilent(): Promise<SilentServer> {
    // Without a reader, the end of a connection is not noticed.
    const server = createSocketServer((socket) => {
      socket.resume().on('error', () => undefined)
    })
    const accepted = once(server, 'connection').then(([socket]) => socket as Socket)
    const { port } = await this.#listen(server)
    return { host: `127.0.0.1:${port}`, accepted }
  }

  /** A port on which nobody listens. */
  async closedPort(): Promise<number> {
    const server = createSocketServer()
    const { port } = await this.#listen(server)
    await new Promise((resolve) => server.close(resolve))
    return port
  }

  async close(): Promise<void> {
    // Not `closeAllConnections`: a tunnel is no longer the server's own.
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(this.#open.splice(0).map((server) => new Promise((resolve) => server.close(resolve))))
  }

  async #listen(
    server: SocketServer,
  ): Promise<{ readonly port: number; readonly connections: () => number }> {
    let connections = 0
    server.on('connection', (socket: Socket) => {
      connections++
      this.#sockets.add(socket)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    this.#open.push(server)
    const address = server.address()
    return { port: (typeof address === 'object' && address?.port) || 0, connections: () => connections }
  }
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

/** A private key with its self-signed certificate. */
export type Certificate = { readonly key: Buffer; readonly cert: Buffer }

/** Makes a certificate for 127.0.0.1 that nobody trusts; `undefined`, with a warning, where there is no openssl. */
export function selfSignedCertificate(): Certificate | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']
  try {
    execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    return { key: readFileSync(key), cert: readFileSync(cert) }
  } catch {
    console.warn('Tests of TLS are skipped: openssl is not installed.')
    return undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Trusts a certificate until the end of the test. */
export function trust(certificate: Certificate | undefined): void {
  const usual = getCACertificates('default')
  setDefaultCACertificates([...usual, String(certificate?.cert)])
  onTestFinished(() => setDefaultCACertificates(usual))
}
