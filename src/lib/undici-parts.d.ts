// undici's types speak of its entry alone; these are its parts.

declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici'
}

declare module 'undici/lib/dispatcher/proxy-agent.js' {
  export { ProxyAgent as default } from 'undici'
}

declare module 'undici/lib/dispatcher/socks5-proxy-agent.js' {
  import type { Socket } from 'node:net'
  import { Socks5ProxyAgent as Agent } from 'undici'

  export default class Socks5ProxyAgent extends Agent {
    /** Connects to a target through the proxy; without TLS. */
    createSocks5Connection(hostname: string, port: number): Promise<Socket>
  }
}

declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici'
}

declare module 'undici/lib/core/connect.js' {
  import type { Socket } from 'node:net'
  import type { buildConnector as Builder } from 'undici'

  /** Connects; what it returns is the socket, unless that comes only in the end. */
  export type Connector = (target: Builder.Options, done: Builder.Callback) => Socket | Promise<void> | void

  export default function buildConnector(options: Builder.BuildOptions): Connector
}

declare module 'undici/lib/api/api-connect.js' {
  import type { Dispatcher } from 'undici'

  const connect: (this: Dispatcher, options: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>

  export { connect as default }
}
