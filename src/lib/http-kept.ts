import { type Dispatcher, Pool, ProxyAgent } from 'undici'
import { type HttpRequest, type HttpResponse, ResponseBuilder, type SendOptions } from './http-messages.ts'
import { lookupHost } from './loopback.ts'
import { proxyAuthorization } from './proxy.ts'

/** Longer than the longest pause between two polls, shorter than the idle limits of common servers. */
const KEEP_ALIVE_MS = 20_000

/** What connections are opened with. */
type ConnectionOptions = {
  readonly proxy: URL | undefined
  /** Maximum number of connections side by side. */
  readonly connections: number
  /** Maximum time for a TCP connection, a tunnel and a TLS handshake, each, in milliseconds. */
  readonly connectTimeoutMs: number
}

/** Opens undici's dispatcher for one origin. No connection is made before the first request. */
export function openDispatcher(
  url: URL,
  { proxy, connections, connectTimeoutMs }: ConnectionOptions,
): Dispatcher {
  const options = {
    connections,
    // The bundle leaves HTTP/2 out (scripts/build.ts).
    allowH2: false,
    // Nor does the bundle hold undici's trial parser, which an environment variable would turn on.
    useMilo: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectTimeout: connectTimeoutMs,
    // One time limit per request: see http.ts.
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  if (proxy === undefined) return new Pool(url.origin, { ...options, connect: { lookup: lookupHost } })
  const authorization = proxyAuthorization(proxy)
  return new ProxyAgent({
    uri: proxy.href,
    ...(authorization === undefined ? {} : { token: authorization }),
    ...options,
    // http requests are passed on by the proxy, as curl has it; only https goes through a tunnel.
    proxyTunnel: false,
    proxyTls: { allowH2: false },
    requestTls: { allowH2: false },
    factory: (origin, own: Pool.Options) => new Pool(origin, { ...own, ...options }),
    // A tunnel is opened by a request to the proxy, which has no other time limit.
    clientFactory: (origin, own: Pool.Options) =>
      new Pool(origin, { ...own, ...options, headersTimeout: connectTimeoutMs }),
  })
}

/**
 * Sends a request, once, over a connection that is kept for the next one.
 *
 * @throws whatever ended it before the headers of the response had arrived
 */
export function sendOnKeptConnection(
  dispatcher: Dispatcher,
  { url, method, headers, body }: HttpRequest,
  { signal, bodyLimitBytes, onSend }: SendOptions,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let response: ResponseBuilder | undefined
    const onAbort = (): void => end(signal.reason)
    function end(error: Error, cutOff?: string): void {
      signal.removeEventListener('abort', onAbort)
      if (response === undefined) reject(error)
      else resolve(response.end(cutOff ?? error.message))
      controller?.abort(error)
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        // undici's type lists the registered methods; it accepts any token.
        method: method as Dispatcher.HttpMethod,
        headers: { ...headers, 'accept-encoding': 'identity' },
        body: body ?? null,
      },
      {
        onRequestStart(started) {
          controller = started
          // Aborted while the connection was being opened: nothing may be sent any more.
          if (signal.aborted) return started.abort(signal.reason)
          onSend()
        },
        onResponseStart(_controller, status, responseHeaders) {
          response = new ResponseBuilder(status, responseHeaders, bodyLimitBytes)
        },
        onResponseData(_controller, chunk) {
          if (response?.add(chunk) === false) end(new Error('the rest of the body is not read'))
        },
        onResponseEnd() {
          signal.removeEventListener('abort', onAbort)
          if (response !== undefined) resolve(response.end())
        },
        onResponseError(_controller, error) {
          end(error, 'the connection broke off before the answer was complete')
        },
      },
    )
  })
}
