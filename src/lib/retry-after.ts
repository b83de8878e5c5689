/**
 * Reads a `Retry-After` header (RFC 9110, 10.2.3): whole seconds or an HTTP date.
 *
 * @param nowMs milliseconds since the epoch that a date is measured from
 * @returns milliseconds to wait, 0 for a date gone by; `undefined` if there is no such header or it says neither
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const value = header?.trim() ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1000
  if (!/^[A-Za-z]{3}/.test(value)) return undefined
  const dateMs = Date.parse(value)
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs)
}
