import type { ServerResponse } from 'node:http'
import { type CallName, jsonReply, type RecordedRequest, type Reply, sendReply } from './http.ts'

/** The kinds of faults. README.md describes them. */
export const FAULT_KINDS = ['status', 'body', 'reset', 'hang'] as const

/** What goes wrong, for which requests, and how often: once, unless it says otherwise. */
export type Fault = {
  readonly kind: (typeof FAULT_KINDS)[number]
  readonly status?: number
  /** A string is sent as it stands, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the service handles the request all the same. */
  readonly handled?: boolean
  readonly times?: number | 'always'
  /** Without a field, any request. */
  readonly match?: {
    /** A call, or a path prefix that begins with `/`. */
    readonly path?: CallName | `/${string}`
    /** The fault begins with the nth request that matches, counted from 1 since it was added. */
    readonly nth?: number
  }
}

const FIELDS = ['kind', 'status', 'body', 'headers', 'handled', 'times', 'match']

/** Reads a fault from JSON; returns the problem as text if it isn't one. */
export function readFault(value: unknown): Fault | string {
  const fault = typeof value === 'object' && value !== null ? value : {}
  const unknown = Object.keys(fault).filter((name) => !FIELDS.includes(name))
  if (unknown.length > 0) return `No field of a fault: ${unknown.join(', ')}`
  if (isFault(fault)) return fault
  return `A fault is a JSON object with a kind: ${FAULT_KINDS.join(', ')}`
}

function isFault(value: object): value is Fault {
  return 'kind' in value && FAULT_KINDS.some((kind) => kind === value.kind)
}

/** A fault with its use so far: `seen` counts the requests that its `match` fits, `nth` aside. */
type ListedFault = { readonly fault: Fault; seen: number; used: number }

/** The faults to come. Of several that fit a request, the one added first meets it. */
export class FaultList {
  readonly #faults: ListedFault[] = []

  constructor(faults: readonly Fault[]) {
    for (const fault of faults) this.add(fault)
  }

  add(fault: Fault): void {
    this.#faults.push({ fault, seen: 0, used: 0 })
  }

  /** Returns the fault that a request meets, and counts it as used. */
  take({ path }: RecordedRequest, call: CallName | undefined): Fault | undefined {
    const fitting = this.#faults.filter(({ fault: { match = {} } }) => {
      const isOfPath = match.path?.startsWith('/')
        ? path.startsWith(match.path)
        : match.path === call
      return match.path === undefined || isOfPath
    })
    for (const listed of fitting) listed.seen += 1
    const taken = fitting.find(({ fault: { match, times = 1 }, seen, used }) => {
      return seen >= (match?.nth ?? 1) && (times === 'always' || used < times)
    })
    if (taken) taken.used += 1
    return taken?.fault
  }
}

/**
 * Answers a request as a fault wants it.
 *
 * @param handle passes the request on to the service; without it, the request leaves no trace there
 */
export async function applyFault(
  fault: Fault,
  response: ServerResponse,
  handle: () => Promise<Reply>,
): Promise<void> {
  const { kind, status, body = { error: 'A fault made this answer' } } = fault
  const isUsual = status === undefined && kind === 'body'
  const own = (fault.handled ?? isUsual) ? await handle() : undefined
  let reply = jsonReply(status ?? own?.status ?? 200, body, fault.headers)
  if (own !== undefined && status === undefined && kind !== 'body') reply = own
  if (kind === 'hang') return
  if (kind === 'reset') {
    response.socket?.resetAndDestroy()
    return
  }
  sendReply(response, reply)
}
