import type { IncomingHttpHeaders } from 'node:http'
import type { FaultKind } from '../faults/fault.ts'

/** A request as it came in; recorded as soon as its head is there, so that one without an answer is seen too. */
export type RecordedRequest = {
  method: string
  /** Path as sent, still percent-encoded, without the query. */
  path: string
  query: Record<string, string>
  headers: IncomingHttpHeaders
  /** The JSON value, or the raw text if it is no JSON, or `undefined` if there is none (yet). */
  body: unknown
  /** When, in epoch milliseconds of the service's clock. */
  at: number
  /** The fault this request met. */
  fault?: FaultKind
}
