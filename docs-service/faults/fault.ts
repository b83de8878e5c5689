import type { CallName } from '../api/calls.ts'

/** Which requests a fault meets. Without a field, any. */
export type FaultMatch = {
  method?: string
  /** A kind of call, or a path prefix that begins with `/`. */
  path?: CallName | `/${string}`
  /** The fault begins with the nth request that matches, counted from 1 since it was added. */
  nth?: number
}

/** How many requests a fault meets before it is used up. */
export type FaultTimes = number | 'always'

/**
 * An answer in place of the service's own. With a `status` the request is not passed on to the service unless
 * `handled` is `true`; without one it is handled, and its real answer is sent.
 */
export type InPlace = {
  status?: number
  /** A string is sent as it stands, anything else as JSON. */
  body?: unknown
  headers?: Record<string, string>
  contentType?: string
  handled?: boolean
}

/**
 * What goes wrong. Kinds with a `handled` field of their own do not pass the request on to the service unless it is
 * `true` (`body`: unless it is `false`); of the others, each says here whether the service handles the request.
 */
export type FaultEffect =
  /** Answers this status in place of the service. */
  | ({ kind: 'status'; status: number } & InPlace)
  /** The answer comes `ms` later. */
  | ({ kind: 'delay'; ms: number } & InPlace)
  /** Not handled; the connection is broken off: `rst` (default) as a reset, `fin` as an end. */
  | { kind: 'reset'; end?: 'rst' | 'fin' }
  /** Handled; then the connection is broken off without an answer. */
  | { kind: 'reset-after'; end?: 'rst' | 'fin' }
  /** The head and half of the body come, then the connection breaks. */
  | ({ kind: 'truncate' } & InPlace)
  /** Half of the body comes and is ended as if it were all. */
  | ({ kind: 'truncate-clean' } & InPlace)
  /** The answer says a `content-length` that is wrong by so many bytes; then the connection ends. */
  | ({ kind: 'content-length'; by: number } & InPlace)
  /** The body can't be read: it is said to be packed as `encoding` (gzip) and is not. */
  | ({ kind: 'unreadable'; encoding?: Exclude<Encoding, 'identity'> } & InPlace)
  /** A head of its own comes before the answer: `100 Continue`, or another from 100 to 199 but 101. */
  | ({ kind: 'interim'; interim?: number } & InPlace)
  /** The answer comes whole, and `ms` (0) later the server closes the connection: what is sent on it then is lost. */
  | ({ kind: 'close-after'; ms?: number; end?: 'rst' | 'fin' } & InPlace)
  /** Not handled; never answered. */
  | { kind: 'hang' }
  /** Handled; never answered. */
  | { kind: 'hang-after' }
  /** The body comes byte by byte with `ms` between. */
  | ({ kind: 'drip'; ms: number } & InPlace)
  /** 200 with an HTML page, as of a captive portal. */
  | { kind: 'html'; body?: string; handled?: boolean }
  /** The real status with this body; a string is sent as it stands. */
  | { kind: 'body'; body: unknown; handled?: boolean }
  /** Handled; the real answer to a visitors call, with counts that have decimals and with these rows put first. */
  | { kind: 'odd-visitors'; decimals?: boolean; rows?: readonly unknown[] }
  /** 200 with a JSON body of `bytes` (default 20 MiB, unpacked), packed as `encoding`. */
  | { kind: 'huge'; bytes?: number; encoding?: Encoding; handled?: boolean }
  /** Sends the caller elsewhere; 302 by default. */
  | { kind: 'redirect'; location: string; status?: 301 | 302 | 303 | 307 | 308; handled?: boolean }
  /** An error (401 by default) whose text repeats the Authorization header. */
  | { kind: 'echo-key'; status?: number; handled?: boolean }

/** Content codings of a body. */
export type Encoding = 'identity' | 'gzip' | 'deflate' | 'br'

/** The name of an effect. */
export type FaultKind = FaultEffect['kind']

/** A fault: what goes wrong, for which requests, how often (once by default). */
export type Fault = FaultEffect & { match?: FaultMatch; times?: FaultTimes }

const ALWAYS = { times: 'always' } as const

/** Answers that the vendor's service may give, under the names that `--fault` and the control endpoint take. */
export const NAMED_FAULTS = {
  'no-credits': {
    kind: 'status',
    status: 402,
    body: { error: 'Insufficient credits' },
    match: { method: 'POST' },
    ...ALWAYS,
  },
  'no-plan': {
    kind: 'status',
    status: 403,
    body: { error: 'Your plan does not include API access' },
    ...ALWAYS,
  },
  'rate-limit-text': {
    kind: 'status',
    status: 429,
    body: 'Too many requests, please try again later.\n',
    contentType: 'text/plain; charset=utf-8',
    ...ALWAYS,
  },
  'error-text': {
    kind: 'status',
    status: 500,
    body: 'Internal Server Error',
    contentType: 'text/plain',
    ...ALWAYS,
  },
  'error-json': {
    kind: 'status',
    status: 500,
    body: { error: 'Something went wrong', details: [{ message: 'The agent could not be reached' }] },
    ...ALWAYS,
  },
  'empty-gzip-401': {
    kind: 'status',
    status: 401,
    body: '',
    headers: { 'content-encoding': 'gzip' },
    ...ALWAYS,
  },
  'retry-in-an-hour': {
    kind: 'status',
    status: 503,
    body: { error: 'Service unavailable' },
    headers: { 'retry-after': '3600' },
  },
  'retry-after-400-digits': {
    kind: 'status',
    status: 503,
    body: { error: 'Service unavailable' },
    headers: { 'retry-after': '9'.repeat(400) },
  },
  decimals: { kind: 'odd-visitors', decimals: true, match: { path: 'visitors' }, ...ALWAYS },
  'odd-rows': {
    kind: 'odd-visitors',
    rows: [
      { path: '', human: 3, ai: 1, total: 4 },
      { human: 3, ai: 1, total: 4 },
      { path: '/no-counts' },
      { path: '/below-zero', human: -3, ai: 1, total: 2 },
      { path: '/words', human: 'three', ai: 1, total: 4 },
      null,
    ],
    match: { path: 'visitors' },
    ...ALWAYS,
  },
} as const satisfies Record<string, Fault>
