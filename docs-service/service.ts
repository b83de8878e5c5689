import { idleAgent } from './agent/agent.ts'
import { gitAgent } from './agent/git-agent.ts'
import type { AgentJob } from './agent/job.ts'
import { Jobs } from './agent/jobs.ts'
import { serviceCalls } from './api/service-calls.ts'
import { exchange, type ServiceParts } from './exchange.ts'
import { FaultList } from './faults/fault-list.ts'
import { type Listener, listen } from './http/listener.ts'
import type { RecordedRequest } from './http/recorded-request.ts'
import { type DocsServiceOptions, settingsFrom } from './options.ts'
import { visitorsReport } from './visitors/visitors-report.ts'

/** A running docs service. */
export type DocsService = {
  /** Origin, without a slash at the end: the action's `base-url`. */
  readonly url: string
  /** The admin key. */
  readonly key: string
  /** Every request so far, but for those to the control endpoints. */
  readonly requests: readonly RecordedRequest[]
  /** Every job that was really made, in order. */
  readonly jobs: readonly AgentJob[]
  /** TCP connections accepted so far. */
  readonly connections: number
  /** Folder of the agent's git repository; `null` for the agent `none`. */
  readonly repository: string | null
  readonly faults: FaultList
  /** Does the work of all jobs whose time is up, as a look at each would. */
  settle(): Promise<void>
  /** Ends all connections at once, then deletes the repository. Further calls wait for the same end. */
  close(): Promise<void>
}

/**
 * Starts a docs service on loopback. Throws a `RangeError` for options out of range, a {@link GitError} if git is
 * missing, and the system's error if the port is taken.
 */
export async function startDocsService(options: DocsServiceOptions = {}): Promise<DocsService> {
  const settings = settingsFrom(options)
  const agent = settings.agent === 'git' ? await gitAgent(settings.gitProgram) : idleAgent()
  let listener: Listener | undefined
  const jobs = new Jobs(settings, agent, () => listener?.url ?? '')
  const report = visitorsReport(settings)
  const answerCall = serviceCalls(settings, jobs, report)
  const parts: ServiceParts = { settings, agent, jobs, faults: new FaultList(), requests: [], answerCall }
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
    settle: () => jobs.settle(),
    close() {
      closing ??= listener.close().then(() => agent.close())
      return closing
    },
  }
}
