import {
  HttpClient,
  type HttpOptions,
  type HttpRequest,
  TransportError,
} from '../../src/lib/http.ts'
import { createSystemClock } from '../../src/lib/time.ts'

/** An environment without proxies. */
export const NO_PROXY = { httpProxy: '', httpsProxy: '', noProxy: '' }

/** What goes out on a connection that is kept, and on one of its own. */
export const KINDS = [
  ['a kept connection', false],
  ['a fresh connection', true],
] as const

export function clientWith(options: Partial<HttpOptions> = {}): HttpClient {
  return new HttpClient({
    proxy: NO_PROXY,
    clock: createSystemClock(),
    timeoutMs: 10_000,
    ...options,
  })
}

/** A clock whose time limits end when the test says so. */
export function clockWithEnd() {
  const limit = new AbortController()
  const end = (): void => limit.abort(new DOMException('The time is up', 'TimeoutError'))
  return { clock: { ...createSystemClock(), timeout: () => limit.signal }, end }
}

/** A request that reads. */
export function get(url: URL, more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'GET', url, headers: {}, freshConnection: false, ...more }
}

/** What a request failed with, without its cause. */
export async function failureOf(request: HttpRequest, options?: Partial<HttpOptions>) {
  const error = await clientWith(options)
    .send(request)
    .catch((reason: unknown) => reason)
  if (!(error instanceof TransportError)) throw error
  const { failure, message } = error
  return { failure, message }
}
