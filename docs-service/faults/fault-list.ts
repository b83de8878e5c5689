import type { CallName } from '../api/calls.ts'
import { errorReply, jsonReply, type RecordedRequest, type Reply } from '../http.ts'
import type { Fault, FaultMatch } from './fault.ts'
import { readFault } from './read-fault.ts'

/** A fault and what became of it so far. */
export type ListedFault = {
  readonly fault: Fault
  /** Requests that its `match` fits, `nth` aside. */
  seen: number
  /** Requests it met. */
  used: number
}

/** What a fault is matched against. */
type FaultTarget = { method: string; path: string; call: CallName | undefined }

/** The faults to come. Of several that fit a request, the one added first meets it. */
export class FaultList {
  #faults: ListedFault[] = []

  constructor(faults: readonly Fault[] = []) {
    for (const fault of faults) this.add(fault)
  }

  /** Adds a fault behind those already there. */
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

  /** The fault this request meets, counted as used; `undefined` if it meets none. */
  take(target: FaultTarget): Fault | undefined {
    const fitting = this.#faults.filter(({ fault }) => fits(fault.match ?? {}, target))
    for (const listed of fitting) listed.seen += 1
    const taken = fitting.find(isDue)
    if (taken) taken.used += 1
    return taken?.fault
  }
}

/** Whether a path is one of the control endpoints, which need no key, meet no faults and are not recorded. */
export function isControlPath(path: string): boolean {
  return path === '/_faults' || path === '/_requests'
}

/** Answers `POST`, `GET` and `DELETE /_faults` and `GET /_requests`. */
export function answerControl(
  request: RecordedRequest,
  { faults, requests }: { faults: FaultList; requests: readonly RecordedRequest[] },
): Reply {
  switch (`${request.method} ${request.path}`) {
    case 'POST /_faults':
      return addFault(request.body, faults)
    case 'GET /_faults':
      return jsonReply(200, faults.list())
    case 'DELETE /_faults':
      faults.clear()
      return jsonReply(200, faults.list())
    case 'GET /_requests':
      return jsonReply(200, requests.map(withoutKey))
    default:
      return errorReply(405, `${request.path} does not allow ${request.method}`)
  }
}

function addFault(body: unknown, faults: FaultList): Reply {
  const reading = readFault(body)
  if (!reading.ok) return errorReply(400, 'That is no fault', reading.problems)
  faults.add(reading.fault)
  return jsonReply(201, faults.list())
}

/** Anyone on this machine may read the list, so a real key used by mistake must not be in it. */
function withoutKey(request: RecordedRequest): RecordedRequest {
  if (request.headers.authorization === undefined) return request
  return { ...request, headers: { ...request.headers, authorization: 'Bearer ***' } }
}

function fits(match: FaultMatch, { method, path, call }: FaultTarget): boolean {
  if (match.method !== undefined && match.method.toUpperCase() !== method) return false
  if (match.path === undefined) return true
  return match.path.startsWith('/') ? path.startsWith(match.path) : match.path === call
}

function isDue({ fault, seen, used }: ListedFault): boolean {
  const times = fault.times === 'always' ? Number.POSITIVE_INFINITY : (fault.times ?? 1)
  return seen >= (fault.match?.nth ?? 1) && used < times
}
