import type { Jobs } from '../agent/jobs.ts'
import { errorReply, jsonReply, type RecordedRequest, type Reply } from '../http.ts'
import type { ServiceKey, Settings } from '../options.ts'
import { readVisitorsQuery } from '../visitors/query.ts'
import type { VisitorsReport } from '../visitors/report.ts'
import { type AgentCalls, agentCalls } from './agent-calls.ts'
import { HourlyLimit, limitReply } from './hourly-limit.ts'

/** A call of the service's interface, as its path and method name it. */
export type Call =
  | { name: 'create'; projectId: string }
  | { name: 'look'; projectId: string; jobId: string }
  | { name: 'message'; projectId: string; jobId: string }
  | { name: 'visitors'; projectId: string }

/** The name of a call. */
export type CallName = Call['name']

/** Answers a call of the interface. */
export type AnswerCall = (call: Call, request: RecordedRequest) => Promise<Reply>

/** Tells which call a request is; `undefined` if it is none. Path segments are percent-decoded. */
export function callOf(method: string, path: string): Call | undefined {
  const [, version, area, projectId, kind, jobId, action, ...rest] = decodedSegments(path) ?? []
  if (!projectId || rest.length > 0) return undefined
  const route = `${method} ${version}/${area}/${kind}`
  if (route === 'GET v1/analytics/visitors' && jobId === undefined) return { name: 'visitors', projectId }
  if (route === 'POST v2/agent/job' && jobId === undefined) return { name: 'create', projectId }
  if (!jobId) return undefined
  if (route === 'GET v2/agent/job' && action === undefined) return { name: 'look', projectId, jobId }
  if (route === 'POST v2/agent/job' && action === 'message') return { name: 'message', projectId, jobId }
  return undefined
}

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

/** The visitors call. All projects belong to one organisation and share its limit; wrong queries do not count. */
function visitorsCall(
  { limits, visitors, now }: Settings,
  report: VisitorsReport,
): (call: { projectId: string }, request: RecordedRequest) => Reply {
  const limit = new HourlyLimit(limits.analyticsPerHour)
  return ({ projectId }, request) => {
    const reading = readVisitorsQuery(request.query, now())
    if (!reading.ok) return errorReply(400, 'Invalid query parameters', reading.problems)
    const waitMs = limit.take(now())
    if (waitMs > 0) {
      return limitReply(`${limits.analyticsPerHour} analytics requests per hour`, waitMs, limits.retryAfter)
    }
    const override = visitors({ ...reading.query, projectId })
    return override ? jsonReply(override.status, override.body) : jsonReply(200, report.answer(reading.query))
  }
}

/** Refuses a request whose key does not allow it; `undefined` lets it through. */
function refuseAccess(
  { method, authorization }: { method: string; authorization: string | undefined },
  settings: Pick<Settings, 'key' | 'keys'>,
): Reply | undefined {
  const sent = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (sent === undefined) return errorReply(401, 'Missing API key: send Authorization: Bearer <key>')
  const all: readonly ServiceKey[] = [{ key: settings.key }, ...settings.keys]
  const known = all.find(({ key }) => key === sent)
  if (!known) return errorReply(401, 'Invalid API key')
  if (known.expired) return errorReply(401, 'The API key has expired')
  if (known.forbiddenIp) return errorReply(403, 'This IP address is not allowed to use the API key')
  if (known.scope === 'read' && method === 'POST') {
    return errorReply(403, 'The API key has the scope read, which allows no POST')
  }
  return undefined
}

function decodedSegments(path: string): string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
}
