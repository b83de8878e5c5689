import type { CallName } from '../http/calls.ts'
import { errorReply, jsonReply, type RecordedRequest, type Reply } from '../http/server.ts'
import type { Fault, FaultMatch } from './fault.ts'
import { readFault } from './read-fault.ts'

/** A fault and what became of it so far. */
type ListedFault = {
  readonly fault: Fault
  /** Requests that its `match` fits, `nth` aside. */
  seen: number
  /** Requests it met. */
  used: number
}

type FaultTarget = {
  readonly method: string
  readonly path: string
  readonly call: CallName | undefined
}

/** The faults to come. Of several that fit a request, the one added first meets it. */
export class FaultList {
  #faults: ListedFault[] = []

  constructor(faults: readonly Fault[]) {
    for (const fault of faults) this.add(fault)
  }

  add(fault: Fault): void {
    this.#faults.push({ fault, seen: 0, used: 0 })
  }

  /** Forgets all faults. A request that already hangs goes on hanging. */
  clear(): void {
    this.#faults = []
  }

  /** All faults added since the last clear, used up or not. */
  list(): readonly ListedFault[] {
    return this.#faults
  }

  /** The fault that this request meets, counted as used. */
  take(target: FaultTarget): Fault | undefined {
    const fitting = this.#faults.filter(({ fault }) => fits(fault.match ?? {}, target))
    for (const listed of fitting) listed.seen += 1
    const taken = fitting.find(({ fault: { match, times = 1 }, seen, used }) => {
      return seen >= (match?.nth ?? 1) && (times === 'always' || used < times)
    })
    if (taken) taken.used += 1
    return taken?.fault
  }
}

/** Control endpoints need no key, meet no faults and are not recorded. */
export function isControlPath(path: string): boolean {
  return path === '/_faults' || path === '/_requests'
}

/** Answers `POST`, `GET` and `DELETE /_faults` and `GET /_requests`. */
export function answerControl(
  { method, path, body }: RecordedRequest,
  faults: FaultList,
  requests: readonly RecordedRequest[],
): Reply {
  switch (`${method} ${path}`) {
    case 'POST /_faults': {
      const reading = readFault(body)
      if (!reading.ok) return errorReply(400, 'Not a fault', reading.problems)
      faults.add(reading.fault)
      return jsonReply(201, faults.list())
    }
    case 'GET /_faults':
      return jsonReply(200, faults.list())
    case 'DELETE /_faults':
      faults.clear()
      return jsonReply(200, faults.list())
    case 'GET /_requests':
      // Anyone on this machine may read the list, so a real key used by mistake must not be in it.
      return jsonReply(200, JSON.stringify(requests).replaceAll(/"Bearer [^"]*"/gi, '"Bearer ***"'))
    default:
      return errorReply(405, `${path} does not allow ${method}`)
  }
}

function fits(match: FaultMatch, target: FaultTarget): boolean {
  if (match.method !== undefined && match.method.toUpperCase() !== target.method) return false
  if (match.path === undefined) return true
  return match.path.startsWith('/')
    ? target.path.startsWith(match.path)
    : match.path === target.call
}
