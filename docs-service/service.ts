import type { IncomingMessage, ServerResponse } from 'node:http'
import { gitAgent, idleAgent } from './agent/git.ts'
import { Jobs } from './agent/jobs.ts'
import { Api } from './api.ts'
import { FaultList, faultyReply } from './faults.ts'
import {
  callOf,
  errorReply,
  listen,
  type RecordedRequest,
  type Reply,
  readBody,
  readHead,
  sendReply,
} from './http.ts'
import { type DocsServiceOptions, settingsFrom } from './options.ts'
import { answerPage } from './pages.ts'

/** A running docs service. */
export type DocsService = Awaited<ReturnType<typeof startDocsService>>

/**
 * Starts a docs service on loopback.
 * @throws if git is missing, or the system's error if the port is taken
 */
export async function startDocsService(options: DocsServiceOptions = {}) {
  const settings = settingsFrom(options)
  const agent = settings.agent === 'git' ? await gitAgent() : idleAgent()
  let url = ''
  const jobs = new Jobs({ ...settings, url: () => url }, agent)
  const api = new Api(settings, jobs)
  const faults = new FaultList(settings.faults)
  const requests: RecordedRequest[] = []

  async function answer(request: RecordedRequest, incoming: IncomingMessage): Promise<Reply> {
    request.body = await readBody(incoming)
    const call = callOf(request.method, request.path)
    const handle = () => (call ? api.answer(call, request) : answerPage(request, jobs, agent))
    const fault = faults.take(request, call?.name)
    return fault ? await faultyReply(fault, handle) : await handle()
  }

  /** Takes one request from its head to its answer. Never throws: an error, of git for example, is a 500. */
  async function exchange(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = readHead(incoming, settings.now())
    requests.push(request)
    const reply = await answer(request, incoming).catch(internalError)
    sendReply(response, reply)
    settings.onAnswer(request, reply)
  }

  const server = await listen(
    settings.port,
    (incoming, response) => void exchange(incoming, response),
  ).catch(async (error) => {
    await agent.close()
    throw error
  })
  url = server.url
  let ended: Promise<void> | undefined
  return {
    /** Origin, without a slash at the end: the action's `base-url`. */
    url,
    /** The admin key. */
    key: settings.key,
    /** Every request so far. */
    requests,
    /** Every job that was really made, in order, with its pull request. */
    jobs: jobs.list,
    /** Folder of the agent's git repository; empty for the agent `none`. */
    repository: agent.folder,
    faults,
    /** Does the work of all jobs whose time is up, as reading each would. */
    doAllWorkDue: () => jobs.doAllWorkDue(),
    /** Ends all connections at once, then deletes the repository. Further calls wait for the same end. */
    close() {
      ended ??= server.close().then(() => agent.close())
      return ended
    },
  }
}

function internalError(error: unknown): Reply {
  return errorReply(500, error instanceof Error ? error.message : String(error))
}
