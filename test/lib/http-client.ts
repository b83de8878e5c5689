import { HttpClient, type HttpOptions, type HttpRequest } from '../../src/lib/http.ts'
import { createSystemClock } from '../../src/lib/time.ts'
import { TransportError } from '../../src/lib/transport-error.ts'

/** An environment without proxies. */
export const NO_PROXY = { httpProxy: '', httpsProxy: '', noProxy: '' }

export function clientWith(options: Partial<HttpOptions> = {}): HttpClient {
  const limits = { timeoutMs: 10_000, bodyLimitBytes: 16 * 1024 * 1024 }
  return new HttpClient({ proxy: NO_PROXY, clock: createSystemClock(), ...limits, ...options })
}

/** A request that reads. */
export function get(url: URL, more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'GET', url, headers: {}, ...more }
}

/** What a request failed with, without its cause. */
export async function failureOf(
  client: HttpClient,
  request: HttpRequest,
): Promise<Pick<TransportError, 'failure' | 'maybeSent' | 'message'>> {
  const error = await client.send(request).then(
    (answer) => Promise.reject(new Error(`It was answered ${answer.status}.`)),
    (reason: unknown) => reason,
  )
  if (!(error instanceof TransportError)) throw error
  const { failure, maybeSent, message } = error
  return { failure, maybeSent, message }
}
