import { onTestFinished } from 'vitest'
import { openSystemClock } from '../../src/lib/clock.ts'
import { type HttpClient, type HttpOptions, openHttp } from '../../src/lib/http.ts'
import type { HttpRequest } from '../../src/lib/http-messages.ts'
import { TransportError } from '../../src/lib/transport-error.ts'

/** A mebibyte in bytes. */
export const MIB = 1024 * 1024
/** An environment without proxies. */
export const NO_PROXY = { httpProxy: '', httpsProxy: '', noProxy: '' }

/** A client that is closed after the test. */
export function clientWith(options: Partial<HttpOptions> = {}): HttpClient {
  const limits = { timeoutMs: 10_000, bodyLimitBytes: 16 * MIB }
  const client = openHttp({ proxy: NO_PROXY, clock: openSystemClock(), ...limits, ...options })
  onTestFinished(() => client.close())
  return client
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
  const error = await client.send(request).catch((error: unknown) => error)
  if (!(error instanceof TransportError)) throw new Error('No transport error', { cause: error })
  const { failure, maybeSent, message } = error
  return { failure, maybeSent, message }
}
