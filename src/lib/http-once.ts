import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { isIP, connect as openTcp, type Socket } from 'node:net'
import { connect as openTls } from 'node:tls'
import { type HttpRequest, type HttpResponse, ResponseBuilder, type SendOptions } from './http-messages.ts'
import { lookupHost } from './loopback.ts'
import { proxyAuthorization } from './proxy.ts'
import { ProxyStatusError } from './transport-error.ts'

/**
 * Sends a request over a connection of its own, which ends with the response.
 *
 * Node's own client and not undici's, which takes an unrequested `100 Continue` for an error: the answer that follows
 * would be lost, and with it the id of a job that runs. RFC 9110, 15.2 wants such a response read past.
 *
 * @throws whatever ended it before the headers of the response had arrived
 */
export async function sendOnFreshConnection(
  { url, method, headers, body }: HttpRequest,
  { proxy, signal, bodyLimitBytes, onSend }: SendOptions & { readonly proxy: URL | undefined },
): Promise<HttpResponse> {
  const socket = await openConnection(url, proxy, signal)
  try {
    onSend()
    // A proxy is given the whole address; through a tunnel, it does not see the request at all.
    const forwarded = proxy !== undefined && url.protocol === 'http:'
    const outgoing = request({
      createConnection: () => socket,
      method,
      path: forwarded ? url.href : `${url.pathname}${url.search}`,
      headers: {
        ...headers,
        host: url.host,
        'accept-encoding': 'identity',
        ...(forwarded ? proxyHeaders(proxy) : {}),
      },
      signal,
    })
    outgoing.on('error', ignore).end(body)
    const [incoming]: IncomingMessage[] = await once(outgoing, 'response', { signal })
    if (incoming === undefined) throw new Error('no response came')
    if (forwarded && incoming.statusCode === 407) throw new ProxyStatusError(407)
    return await readResponse(incoming, bodyLimitBytes)
  } finally {
    socket.destroy()
  }
}

async function readResponse(incoming: IncomingMessage, bodyLimitBytes: number): Promise<HttpResponse> {
  const response = new ResponseBuilder(incoming.statusCode ?? 0, incoming.headers, bodyLimitBytes)
  try {
    for await (const chunk of incoming) {
      if (!response.add(chunk)) break
    }
    return response.end()
  } catch {
    return response.end('the connection broke off before the answer was complete')
  }
}

async function openConnection(url: URL, proxy: URL | undefined, signal: AbortSignal): Promise<Socket> {
  if (proxy === undefined) return await openSocket(url, signal)
  const socket = await openSocket(proxy, signal)
  if (url.protocol === 'http:') return socket
  try {
    await openTunnel(socket, { url, proxy, signal })
    return await openSocket(url, signal, socket)
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** Connects to a host, with TLS if its URL says so; through `tunnel` if there is one. */
async function openSocket(url: URL, signal: AbortSignal, tunnel?: Socket): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isTls = url.protocol === 'https:'
  const target = { host, port: portOf(url), lookup: lookupHost }
  const socket = isTls
    ? openTls({ ...target, servername: isIP(host) === 0 ? host : '', ...(tunnel && { socket: tunnel }) })
    : openTcp(target)
  socket.on('error', ignore)
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

type Tunnel = { readonly url: URL; readonly proxy: URL; readonly signal: AbortSignal }

async function openTunnel(socket: Socket, { url, proxy, signal }: Tunnel): Promise<void> {
  const host = `${url.hostname}:${portOf(url)}`
  const headers = { host, ...proxyHeaders(proxy) }
  const connect = request({ createConnection: () => socket, method: 'CONNECT', path: host, headers, signal })
  connect.on('error', ignore).end()
  const [response]: IncomingMessage[] = await once(connect, 'connect', { signal })
  if (response?.statusCode !== 200) throw new ProxyStatusError(response?.statusCode ?? 0)
}

function proxyHeaders(proxy: URL): Record<string, string> {
  const authorization = proxyAuthorization(proxy)
  return authorization === undefined ? {} : { 'proxy-authorization': authorization }
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80)
}

/** For errors that come up when nobody waits any more; who waits hears of them from `once` or the body. */
function ignore(): void {}
