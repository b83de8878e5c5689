import type { IncomingMessage, ServerResponse } from 'node:http'
import { gitAgent, idleAgent } from './agent/git.ts'
import { Jobs } from './agent/jobs.ts'
import { Api } from './api.ts'
import { applyFault, FaultList } from './faults.ts'
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

  async function answer(request: RecordedRequest, response: ServerResponse) {
    const call = callOf(request.method, request.path)
    const fault = faults.take(request, call?.name)
    let reply: Reply | undefined
    const handle = async (): Promise<Reply> => {
      const answered = call ? api.answer(call, request) : answerPage(request, jobs, agent)
      // The service's own errors, git's above all, are answers too.
      reply = await answered.catch(internalError)
      return reply
    }
    if (fault) {
      request.fault = fault.kind
      await applyFault(fault, response, handle)
    } else {
      sendReply(response, await handle())
    }
    settings.onAnswer(request, reply)
  }

  /** Takes one request from its head to its answer. Never throws: what goes wrong on the way is a 500. */
  async function exchange(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = readHead(incoming, settings.now())
    requests.push(request)
    try {
      request.body = await readBody(incoming)
      await answer(request, response)
    } catch (error) {
      // A caller that broke off is past answering, and so is an answer already begun.
      if (response.headersSent) response.destroy()
      else sendReply(response, internalError(error))
    }
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
    /** TCP connections accepted so far. */
    get connections() {
      return server.connections()
    },
    /** Folder of the agent's git repository; empty for the agent `none`. */
    repository: agent.folder,
    faults,
    /** Does the work of all jobs whose time is up, as reading each would. */
    doAllWorkDue: () => jobs.doAllWorkDue(),
    /** Merges a pull request. @throws a `PullError` if it is not open or can't be merged */
    mergePull: (number: number) => jobs.merge(number),
    /** Closes a pull request without a merge. @throws a `PullError` if it is not open */
    closePull: (number: number) => jobs.closePull(number),
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
