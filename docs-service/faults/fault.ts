import type { CallName } from '../api/call.ts'

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
 * What goes wrong. Kinds with a `handled` field do not pass the request on to the service unless it is `true`
 * (`body`: unless it is `false`); of the others, each says here whether the service handles the request.
 */
export type FaultEffect =
  /** Answers this status in place of the service. */
  | {
      kind: 'status'
      status: number
      body?: unknown
      headers?: Record<string, string>
      contentType?: string
      handled?: boolean
    }
  /** Handled; the real answer comes `ms` later. */
  | { kind: 'delay'; ms: number }
  /** Not handled; the connection is broken off: `rst` (default) as a reset, `fin` as an end. */
  | { kind: 'reset'; end?: 'rst' | 'fin' }
  /** Handled; then the connection is broken off without an answer. */
  | { kind: 'reset-after'; end?: 'rst' | 'fin' }
  /** Handled; the real head and half of the body come, then the connection breaks. */
  | { kind: 'truncate' }
  /** Handled; half of the body comes and is ended as if it were all. */
  | { kind: 'truncate-clean' }
  /** Not handled; never answered. */
  | { kind: 'hang' }
  /** Handled; never answered. */
  | { kind: 'hang-after' }
  /** Handled; the real body comes byte by byte with `ms` between. */
  | { kind: 'drip'; ms: number }
  /** 200 with an HTML page, as of a captive portal. */
  | { kind: 'html'; body?: string; handled?: boolean }
  /** The real status with this body; a string is sent as it stands. */
  | { kind: 'body'; body: unknown; handled?: boolean }
  /** 200 with a JSON body of `bytes` (default 20 MiB, unpacked), packed as `encoding`. */
  | { kind: 'huge'; bytes?: number; encoding?: HugeEncoding; handled?: boolean }
  /** Sends the caller elsewhere; 302 by default. */
  | { kind: 'redirect'; location: string; status?: 301 | 302 | 303 | 307 | 308; handled?: boolean }
  /** An error (401 by default) whose text repeats the Authorization header. */
  | { kind: 'echo-key'; status?: number; handled?: boolean }

/** Content codings of a `huge` body. */
export type HugeEncoding = 'identity' | 'gzip' | 'deflate' | 'br'

/** The name of an effect. */
export type FaultKind = FaultEffect['kind']

/** A fault: what goes wrong, for which requests, how often (once by default). */
export type Fault = FaultEffect & { match?: FaultMatch; times?: FaultTimes }
