import type { FaultEffect } from '../../docs-service/faults/fault.ts'

/** A fault of a create or a follow-up message, and what is to come of it. */
export type PostRow = {
  readonly name: string
  readonly fault: FaultEffect
  /** Jobs (or messages) that the service has afterwards. */
  readonly taken: 0 | 1
  /** Requests of that kind that were sent. */
  readonly sent: number
  readonly result: string
  readonly says: RegExp
}

/** What a run says where nobody knows whether a job was started. */
export const UNCERTAIN = /a job may be running.*before you run this again/
/** What it says where nothing was. */
export const SAFE = /safe to run this again/

/** Every fault that a create or a message is tried with. */
export const POSTS: readonly PostRow[] = [
  {
    name: 'a reset before it was handled',
    fault: { kind: 'reset' },
    taken: 0,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: 'a reset after it was handled',
    fault: { kind: 'reset-after' },
    taken: 1,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: 'a connection closed in order',
    fault: { kind: 'reset-after', end: 'fin' },
    taken: 1,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: 'a truncated answer',
    fault: { kind: 'truncate' },
    taken: 1,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: 'half an answer that ends well',
    fault: { kind: 'truncate-clean' },
    taken: 1,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: 'an HTML page',
    fault: { kind: 'html' },
    taken: 0,
    sent: 1,
    result: 'error',
    says: /an HTML page.*a job may be running/,
  },
  {
    name: 'a body that is no job',
    fault: { kind: 'body', body: { id: 7 } },
    taken: 1,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: 'a body of null',
    fault: { kind: 'body', body: null },
    taken: 1,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: 'an oversized body',
    fault: { kind: 'huge', handled: true },
    taken: 1,
    sent: 1,
    result: 'error',
    says: /larger than 16 MiB.*a job may be running/,
  },
  {
    name: 'a compressed body',
    fault: { kind: 'huge', encoding: 'br', handled: true },
    taken: 1,
    sent: 1,
    result: 'error',
    says: /compressed, although no compression was requested.*a job may be running/,
  },
  {
    name: '500',
    fault: { kind: 'status', status: 500 },
    taken: 0,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: '502 of a job that was made',
    fault: { kind: 'status', status: 502, handled: true },
    taken: 1,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: '408',
    fault: { kind: 'status', status: 408 },
    taken: 0,
    sent: 1,
    result: 'error',
    says: UNCERTAIN,
  },
  {
    name: '400',
    fault: {
      kind: 'status',
      status: 400,
      body: { error: 'too short', details: [{ message: 'prompt: at least 1' }] },
    },
    taken: 0,
    sent: 1,
    result: 'error',
    says: /400.*too short; prompt: at least 1/,
  },
  {
    name: '401',
    fault: { kind: 'status', status: 401 },
    taken: 0,
    sent: 1,
    result: 'error',
    says: /401.*expired/,
  },
  {
    name: '403',
    fault: { kind: 'status', status: 403 },
    taken: 0,
    sent: 1,
    result: 'error',
    says: /403.*IP addresses.*scope `read`/,
  },
  {
    name: '404',
    fault: { kind: 'status', status: 404 },
    taken: 0,
    sent: 1,
    result: 'error',
    says: /404.*check/,
  },
  {
    name: 'a redirect',
    fault: { kind: 'redirect', location: 'http://127.0.0.1:9/', status: 307 },
    taken: 0,
    sent: 1,
    result: 'error',
    says: /307.*[Rr]edirects are not followed.*`base-url`/,
  },
  {
    name: '429 with a near Retry-After',
    fault: { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
    taken: 1,
    sent: 2,
    result: 'pull-request',
    says: /trying again in 1 s/,
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
    sent: 1,
    result: 'error',
    says: /2 h 00 min, which is past `timeout`/,
  },
  {
    name: 'a short delay',
    fault: { kind: 'delay', ms: 300 },
    taken: 1,
    sent: 1,
    result: 'pull-request',
    says: /accepted/,
  },
]
