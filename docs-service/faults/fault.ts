import type { CallName } from '../http/calls.ts'

/** Which requests a fault meets. Without a field, any. */
export type FaultMatch = {
  readonly method?: string
  /** A call, or a path prefix that begins with `/`. */
  readonly path?: CallName | `/${string}`
  /** The fault begins with the nth request that matches, counted from 1 since it was added. */
  readonly nth?: number
}

const IN_PLACE = 'status body headers contentType handled'

/** The kinds of faults, each with its fields; one with a star is needed. README.md says what each does. */
export const FAULT_KINDS = {
  status: `status* ${IN_PLACE}`,
  delay: `ms* ${IN_PLACE}`,
  reset: 'end',
  'reset-after': 'end',
  truncate: IN_PLACE,
  'truncate-clean': IN_PLACE,
  'content-length': `by* ${IN_PLACE}`,
  unreadable: `encoding ${IN_PLACE}`,
  interim: `interim ${IN_PLACE}`,
  'close-after': `ms end ${IN_PLACE}`,
  hang: '',
  'hang-after': '',
  drip: `ms* ${IN_PLACE}`,
  html: 'body handled',
  body: 'body* handled',
  huge: 'bytes encoding handled',
  redirect: 'location* status handled',
  'echo-key': 'status handled',
} as const

/**
 * What goes wrong. `status`, `body`, `headers` and `contentType` are an answer in place of the service's own: with a
 * `status`, the service does not handle the request unless `handled` is `true`.
 */
export type FaultEffect = {
  readonly kind: keyof typeof FAULT_KINDS
  readonly status?: number
  /** A string is sent as it stands, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly contentType?: string
  readonly handled?: boolean
  readonly ms?: number
  readonly end?: 'rst' | 'fin'
  readonly by?: number
  readonly encoding?: 'identity' | 'gzip' | 'deflate' | 'br'
  readonly interim?: number
  readonly bytes?: number
  readonly location?: string
}

/** A fault: what goes wrong, for which requests, how often (once by default). */
export type Fault = FaultEffect & {
  readonly match?: FaultMatch
  readonly times?: number | 'always'
}

/** Answers that the vendor's service may give, under the names that `--fault` and the control endpoint take. */
export const NAMED_FAULTS = {
  'no-credits': { ...refusal(402, { error: 'Insufficient credits' }), match: { method: 'POST' } },
  'no-plan': refusal(403, { error: 'Your plan does not include API access' }),
  'rate-limit-text': {
    ...refusal(429, 'Too many requests, please try again later.\n'),
    contentType: 'text/plain',
  },
  'error-text': { ...refusal(500, 'Internal Server Error'), contentType: 'text/plain' },
  'error-json': refusal(500, {
    error: 'Something went wrong',
    details: [{ message: 'No agent is available' }],
  }),
  'retry-in-an-hour': {
    ...refusal(503, { error: 'Service unavailable' }),
    headers: { 'retry-after': '3600' },
    times: 1,
  },
} as const satisfies Record<string, Fault>

function refusal<Body>(status: number, body: Body) {
  return { kind: 'status', status, body, times: 'always' } as const
}
