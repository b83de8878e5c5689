import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Agent, gitAgent, idleAgent } from './agent/git-agent.ts'
import type { AgentJob } from './agent/job.ts'
import { Jobs } from './agent/jobs.ts'
import { type AnswerCall, callOf, serviceCalls } from './api/calls.ts'
import { applyFault } from './faults/apply-fault.ts'
import { answerControl, FaultList, isControlPath } from './faults/fault-list.ts'
import {
  errorReply,
  type Listener,
  listen,
  type RecordedRequest,
  type Reply,
  readBody,
  readHead,
  sendReply,
} from './http.ts'
import { type DocsServiceOptions, type Settings, settingsFrom } from './options.ts'
import { answerPage } from './pages/answer-page.ts'
import { visitorsReport } from './visitors/report.ts'

/** A running docs service. */
export type DocsService = {
  /** Origin, without a slash at the end: the action's `base-url`. */
  readonly url: string
  /** The admin key. */
  readonly key: string
  /** Every request so far, but for those to the control endpoints. */
  readonly requests: readonly RecordedRequest[]
  /** Every job that was really made, in order, with its pull request. */
  readonly jobs: readonly AgentJob[]
  /** TCP connections accepted so far. */
  readonly connections: number
  /** Folder of the agent's git repository; `null` for the agent `none`. */
  readonly repository: string | null
  readonly faults: FaultList
  /** Does the work of all jobs whose time is up, as reading each would. */
  doAllWorkDue(): Promise<void>
  /** Merges a pull request. Throws a `PullStateError` if it is not open, a `MergeConflictError` if it can't be merged. */
  mergePull(number: number): Promise<void>
  /** Closes a pull request without a merge. Throws a `PullStateError` if it is not open. */
  closePull(number: number): void
  /** Ends all connections at once, then deletes the repository. Further calls wait for the same end. */
  close(): Promise<void>
}

/** What a request meets on its way through the service. */
type ServiceParts = {
  settings: Settings
  agent: Agent
  jobs: Jobs
  faults: FaultList
  requests: RecordedRequest[]
  /** Connections that the server is closing: what comes in on them is lost. */
  closing: WeakSet<Socket>
  answerCall: AnswerCall
}

type Connection = { incoming: IncomingMessage; response: ServerResponse }

/**
 * Starts a docs service on loopback. Throws a `RangeError` for options out of range, a {@link GitError} if git is
 * missing, and the system's error if the port is taken.
 */
export async function startDocsService(options: DocsServiceOptions = {}): Promise<DocsService> {
  const settings = settingsFrom(options)
  const agent = settings.agent === 'git' ? await gitAgent(settings.gitProgram) : idleAgent()
  let listener: Listener | undefined
  const jobs = new Jobs(settings, agent, () => listener?.url ?? '')
  const answerCall = serviceCalls(settings, jobs, visitorsReport(settings))
  const faults = new FaultList(settings.faults)
  const parts: ServiceParts = {
    settings,
    agent,
    jobs,
    faults,
    requests: [],
    closing: new WeakSet(),
    answerCall,
  }
  try {
    listener = await listen(settings, (incoming, response) => void exchange({ incoming, response }, parts))
  } catch (error) {
    await agent.close()
    throw error
  }
  return serviceOf(listener, parts)
}

function serviceOf(
  listener: Listener,
  { settings, agent, jobs, faults, requests }: ServiceParts,
): DocsService {
  let closing: Promise<void> | undefined
  return {
    url: listener.url,
    key: settings.key,
    requests,
    jobs: jobs.list,
    get connections() {
      return listener.connections
    },
    repository: agent.folder,
    faults,
    doAllWorkDue: () => jobs.doAllWorkDue(),
    mergePull: (number) => jobs.merge(number),
    closePull: (number) => jobs.closePull(number),
    close() {
      closing ??= listener.close().then(() => agent.close())
      return closing
    },
  }
}

/** Takes one request from its head to its answer. Never throws: what goes wrong on the way is a 500. */
async function exchange(connection: Connection, parts: ServiceParts): Promise<void> {
  const { incoming, response } = connection
  if (parts.closing.has(incoming.socket)) return
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
    await applyFault(fault, { ...connection, handle, ignore: (socket) => parts.closing.add(socket) })
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
