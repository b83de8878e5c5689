import { type CallName, jsonReply, type RecordedRequest, type Reply } from './http.ts'

/** Another answer, for which requests, and how often: once, unless it says otherwise. */
export type Fault = {
  /** Without it, that of the service's own answer. */
  readonly status?: number
  /** A string is sent as it stands, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the service handles the request all the same; by default, if there is no status. */
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

const FIELDS = ['status', 'body', 'headers', 'handled', 'times', 'match']

/** Whether a JSON value has fields of a fault only. */
export function isFault(value: unknown): value is Fault {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).every((name) => FIELDS.includes(name))
  )
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
 * Returns the answer that a fault wants.
 *
 * @param handle passes the request on to the service; without it, the request leaves no trace there
 */
export async function faultyReply(fault: Fault, handle: () => Promise<Reply>): Promise<Reply> {
  const { status, body = { error: 'A fault made this answer' }, headers } = fault
  const own = (fault.handled ?? status === undefined) ? await handle() : undefined
  return jsonReply(status ?? own?.status ?? 200, body, headers)
}
