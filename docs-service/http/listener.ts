import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

/** An open port. */
export type Listener = {
  /** Origin, without a slash at the end. */
  readonly url: string
  /** TCP connections accepted so far. */
  readonly connections: number
  /** Ends every connection at once, hanging ones too. */
  close(): Promise<void>
}

/** Opens the port. Throws the system's error, such as `EADDRINUSE`. */
export async function listen(
  { host, port }: { host: string; port: number },
  answer: (incoming: IncomingMessage, response: ServerResponse) => void,
): Promise<Listener> {
  let connections = 0
  // An idle connection that the server closes just as it is used again would look like a fault nobody asked for.
  const server = createServer({ keepAliveTimeout: 600_000, requestTimeout: 0 }, answer)
  server.on('connection', () => {
    connections += 1
  })
  await opened(server, host, port)
  return {
    url: originOf(server, host),
    get connections() {
      return connections
    },
    close: () => closed(server),
  }
}

function opened(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function originOf(server: Server, host: string): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The docs service listens on no port')
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })
}
