import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Agent } from './agent/agent.ts'
import type { Jobs } from './agent/jobs.ts'
import { callOf } from './api/call.ts'
import type { AnswerCall } from './api/service-calls.ts'
import { answerControl, isControlPath } from './faults/control.ts'
import type { FaultList } from './faults/fault-list.ts'
import { inflict } from './faults/inflict.ts'
import { readBody, readHead } from './http/incoming.ts'
import type { RecordedRequest } from './http/recorded-request.ts'
import { errorReply, type Reply, sendReply } from './http/reply.ts'
import type { Settings } from './options.ts'
import { answerPage } from './pages/answer-page.ts'

/** What a request meets on its way through the service. */
export type ServiceParts = {
  settings: Settings
  agent: Agent
  jobs: Jobs
  faults: FaultList
  requests: RecordedRequest[]
  answerCall: AnswerCall
}

type Connection = { incoming: IncomingMessage; response: ServerResponse }

/** Takes one request from its head to its answer. Never throws: what goes wrong on the way is a 500. */
export async function exchange(connection: Connection, parts: ServiceParts): Promise<void> {
  const { incoming, response } = connection
  const request = readHead(incoming, parts.settings.now())
  const controls = isControlPath(request.path)
  if (!controls) parts.requests.push(request)
  try {
    request.body = await readBody(incoming)
    if (controls) sendReply(response, answerControl(request, parts))
    else await answerRecorded(request, connection, parts)
  } catch (error) {
    // A caller that broke off is past answering, and so is an answer already begun.
    if (response.headersSent) response.destroy()
    else sendReply(response, errorReply(500, messageOf(error)))
  }
}

async function answerRecorded(
  request: RecordedRequest,
  connection: Connection,
  parts: ServiceParts,
): Promise<void> {
  const call = callOf(request.method, request.path)
  const fault = parts.faults.take({ method: request.method, path: request.path, call: call?.name })
  let reply: Reply | undefined
  const handle = async () => {
    reply = await handled(() => (call ? parts.answerCall(call, request) : answerPage(request, parts)))
    return reply
  }
  if (fault) {
    request.fault = fault.kind
    await inflict(fault, { ...connection, handle })
  } else {
    sendReply(connection.response, await handle())
  }
  parts.settings.onAnswer(request, reply)
}

/** The service's own errors, git's above all, are answers too. */
async function handled(answer: () => Promise<Reply>): Promise<Reply> {
  try {
    return await answer()
  } catch (error) {
    return errorReply(500, messageOf(error))
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
