import type { FaultEffect } from '../../docs-service/faults/fault.ts'

/** A fault of a create or a follow-up message, and what is to come of it. */
export type PostRow = {
  readonly name: string
  readonly fault: FaultEffect
  /** Jobs (or messages) that the service has afterwards. */
  readonly taken: 0 | 1
  /** Requests of that kind that were sent; 1 if not given. */
  readonly sent?: number
  /** `error` if not given. */
  readonly result?: string
  /** What the log says; of an error, its first sentence where it begins with `^`. */
  readonly says: RegExp
  /** What an error says of what runs now: nothing, and it is safe to run again; nothing; something may. */
  readonly leaves?: 'safe' | 'nothing' | 'maybe'
}

/** How an error ends by what it leaves. */
export const LEAVES = {
  safe: /Nothing was started, so it is safe to run this again\.(?: The (?:agent|request)|$)/m,
  nothing: /Nothing was started\.(?: The (?:agent|request)|$)/m,
  maybe: /a job may be running.*before you run this again/,
}

/** Every fault that a create or a message is tried with. */
export const POSTS: readonly PostRow[] = [
  {
    name: 'a reset before it was handled',
    fault: { kind: 'reset' },
    taken: 0,
    says: /^No response from the docs service\. /,
    leaves: 'maybe',
  },
  {
    name: 'a reset after it was handled',
    fault: { kind: 'reset-after' },
    taken: 1,
    says: /^No response from the docs service\. /,
    leaves: 'maybe',
  },
  {
    name: 'a connection closed in order',
    fault: { kind: 'reset-after', end: 'fin' },
    taken: 1,
    says: /^No response from the docs service\. /,
    leaves: 'maybe',
  },
  {
    name: 'a truncated answer',
    fault: { kind: 'truncate' },
    taken: 1,
    says: /^Unexpected response of the docs service \(20[01]\)\. .*could not be read because/,
    leaves: 'maybe',
  },
  {
    name: 'half an answer that ends well',
    fault: { kind: 'truncate-clean' },
    taken: 1,
    says: /with a text that is not JSON/,
    leaves: 'maybe',
  },
  {
    name: 'an HTML page',
    fault: { kind: 'html' },
    taken: 0,
    says: /with an HTML page/,
    leaves: 'maybe',
  },
  {
    name: 'a body that is no job',
    fault: { kind: 'body', body: { id: 7 } },
    taken: 1,
    says: /with JSON of another shape than documented/,
    leaves: 'maybe',
  },
  {
    name: 'an oversized body',
    fault: { kind: 'huge', handled: true },
    taken: 1,
    says: /larger than 16 MiB/,
    leaves: 'maybe',
  },
  {
    name: 'a compressed body',
    fault: { kind: 'unreadable' },
    taken: 1,
    says: /could not be read because/,
    leaves: 'maybe',
  },
  {
    name: '500',
    fault: { kind: 'status', status: 500 },
    taken: 0,
    says: /^The docs service failed \(500\)\. /,
    leaves: 'maybe',
  },
  {
    name: '502 of a job that was made',
    fault: { kind: 'status', status: 502, handled: true },
    taken: 1,
    says: /^The docs service failed \(502\)\. /,
    leaves: 'maybe',
  },
  {
    name: '408',
    fault: { kind: 'status', status: 408 },
    taken: 0,
    says: /^The docs service waited too long for the request \(408\)\. /,
    leaves: 'maybe',
  },
  {
    name: '400',
    fault: {
      kind: 'status',
      status: 400,
      body: { error: 'too short', details: [{ message: 'prompt: at least 1' }] },
    },
    taken: 0,
    says: /^The docs service rejected the request as invalid \(400\)\. .*with "too short; prompt: at least 1"/,
    leaves: 'nothing',
  },
  {
    name: '401',
    fault: { kind: 'status', status: 401 },
    taken: 0,
    says: /^The docs service refused the API key \(401\)\. .*expired/,
    leaves: 'nothing',
  },
  {
    name: '401 that is compressed and empty',
    fault: { kind: 'status', status: 401, body: '', headers: { 'content-encoding': 'gzip' } },
    taken: 0,
    says: /^The docs service refused the API key \(401\)\. .*expired/,
    leaves: 'nothing',
  },
  {
    name: '401 with a wrong content-length',
    fault: { kind: 'content-length', by: 10, status: 401 },
    taken: 0,
    says: /^The docs service refused the API key \(401\)\. .*expired/,
    leaves: 'nothing',
  },
  {
    name: '402',
    fault: { kind: 'status', status: 402 },
    taken: 0,
    says: /^The credits of the docs service are used up \(402\)\. /,
    leaves: 'nothing',
  },
  {
    name: '403',
    fault: { kind: 'status', status: 403 },
    taken: 0,
    says: /^The docs service does not allow this \(403\)\. .*Pro or Enterprise plan.*scope `read`.*IP addresses/,
    leaves: 'nothing',
  },
  {
    name: '404',
    fault: { kind: 'status', status: 404 },
    taken: 0,
    says: /^No (?:project `docs`|job `.*` in project `docs`) \(404\)\. .*Check/,
    leaves: 'nothing',
  },
  {
    name: 'a redirect',
    fault: { kind: 'redirect', location: 'http://127.0.0.1:9/', status: 307 },
    taken: 0,
    says: /^The docs service redirected the request \(307\)\. .*not followed.*`base-url`/,
    leaves: 'nothing',
  },
  {
    name: '429 in plain text with a near Retry-After',
    fault: {
      kind: 'status',
      status: 429,
      body: 'Too many requests',
      contentType: 'text/plain',
      headers: { 'retry-after': '1' },
    },
    taken: 1,
    sent: 2,
    result: 'pull-request',
    says: /The rate limit of the docs service is reached \(429\)\. .*"Too many requests".*trying again in 1 s/,
  },
  {
    name: '429 with a Retry-After of no time',
    fault: { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
    taken: 1,
    sent: 2,
    result: 'pull-request',
    says: /trying again in (?:9\d\d ms|1 s)/,
  },
  {
    name: '429 with a far Retry-After',
    fault: { kind: 'status', status: 429, headers: { 'retry-after': '7200' } },
    taken: 0,
    says: /^The rate limit of the docs service is reached \(429\)\. .*2 h 00 min before the next request, which is past `timeout`/,
    leaves: 'safe',
  },
  {
    name: '429 with a Retry-After of 400 digits',
    fault: { kind: 'status', status: 429, headers: { 'retry-after': '9'.repeat(400) } },
    taken: 0,
    says: /asks to wait a year or more before the next request/,
    leaves: 'safe',
  },
  {
    name: '429 whose body can not be read',
    fault: { kind: 'unreadable', status: 429, headers: { 'retry-after': '7200' } },
    taken: 0,
    says: /^The rate limit of the docs service is reached \(429\)\. /,
    leaves: 'safe',
  },
  {
    name: 'a short delay',
    fault: { kind: 'delay', ms: 300 },
    taken: 1,
    result: 'pull-request',
    says: /accepted/,
  },
]
