import type { RecordedRequest } from '../http/recorded-request.ts'
import { errorReply, jsonReply, type Reply } from '../http/reply.ts'
import type { FaultList } from './fault-list.ts'
import { readFault } from './read-fault.ts'

/** What the control endpoints show and change. */
export type Controlled = { faults: FaultList; requests: readonly RecordedRequest[] }

/** Whether a path is one of the control endpoints, which need no key, meet no faults and are not recorded. */
export function isControlPath(path: string): boolean {
  return path === '/_faults' || path === '/_requests'
}

/** Answers `POST`, `GET` and `DELETE /_faults` and `GET /_requests`. */
export function answerControl(request: RecordedRequest, { faults, requests }: Controlled): Reply {
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
      return errorReply(405, `${request.path} does not know ${request.method}`)
  }
}

function addFault(body: unknown, faults: FaultList): Reply {
  const reading = readFault(body)
  if (!reading.ok) return errorReply(400, 'That is no fault', reading.problems)
  faults.add(reading.fault)
  return jsonReply(201, faults.list())
}

/** Anyone on this machine may ask for the list, so a real key used by mistake must not be in it. */
function withoutKey(request: RecordedRequest): RecordedRequest {
  if (request.headers.authorization === undefined) return request
  return { ...request, headers: { ...request.headers, authorization: 'Bearer ***' } }
}
