import type { Jobs } from '../agent/jobs.ts'
import type { RecordedRequest } from '../http/recorded-request.ts'
import { errorReply, type Reply } from '../http/reply.ts'
import type { Settings } from '../options.ts'
import type { VisitorsReport } from '../visitors/visitors-report.ts'
import { refuseAccess } from './access.ts'
import { type AgentCalls, agentCalls } from './agent-calls.ts'
import type { Call } from './call.ts'
import { visitorsCall } from './visitors-call.ts'

/** Answers a call of the interface. */
export type AnswerCall = (call: Call, request: RecordedRequest) => Promise<Reply>

/** The four calls behind the checks all of them share: the key first, then the project. */
export function serviceCalls(settings: Settings, jobs: Jobs, report: VisitorsReport): AnswerCall {
  const agent = agentCalls(settings, jobs)
  const visitors = visitorsCall(settings, report)
  return async (call, request) => {
    const { authorization } = request.headers
    const refusal = refuseAccess({ method: request.method, authorization }, settings)
    if (refusal) return refusal
    if (!settings.projects.includes(call.projectId)) return errorReply(404, 'Project not found')
    return call.name === 'visitors' ? visitors(call, request) : answerAgentCall(agent, call, request)
  }
}

function answerAgentCall(
  agent: AgentCalls,
  call: Exclude<Call, { name: 'visitors' }>,
  request: RecordedRequest,
): Promise<Reply> {
  switch (call.name) {
    case 'create':
      return agent.create(call, request.body)
    case 'look':
      return agent.look(call)
    case 'message':
      return agent.message(call, request.body)
  }
}
