import type { CallName } from '../api/call.ts'
import type { Fault, FaultMatch } from './fault.ts'

/** A fault and what became of it so far. */
export type ListedFault = {
  readonly fault: Fault
  /** Requests that its `match` fits, `nth` aside. */
  seen: number
  /** Requests it met. */
  used: number
}

/** What a fault is matched against. */
export type FaultTarget = { method: string; path: string; call: CallName | undefined }

/** The faults to come. Of several that fit a request, the one added first meets it. */
export class FaultList {
  #faults: ListedFault[] = []

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

function fits(match: FaultMatch, { method, path, call }: FaultTarget): boolean {
  if (match.method !== undefined && match.method.toUpperCase() !== method) return false
  if (match.path === undefined) return true
  return match.path.startsWith('/') ? path.startsWith(match.path) : match.path === call
}

function isDue({ fault, seen, used }: ListedFault): boolean {
  const times = fault.times === 'always' ? Number.POSITIVE_INFINITY : (fault.times ?? 1)
  return seen >= (fault.match?.nth ?? 1) && used < times
}
