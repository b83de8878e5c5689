import type { Jobs } from '../agent/jobs.ts'
import { conversationsOf, feedbackOf, searchesOf } from '../analytics/content-gaps.ts'
import { type AnalyticsCall, readQuery } from '../analytics/query.ts'
import { viewsOf, visitorsOf } from '../analytics/visitors.ts'
import type { Call } from '../http/calls.ts'
import { errorReply, jsonReply, type RecordedRequest, type Reply } from '../http/server.ts'
import type { ServiceKey, Settings } from '../options.ts'
import { HourlyLimit } from './hourly-limit.ts'

const NO_PROMPT = errorReply(
  400,
  'The body must be JSON: {"prompt": string} of at least one character',
)
const NO_JOB = errorReply(404, 'Job not found')

/** The calls of the interface, behind the checks that all of them share: the key first, then the project. */
export class Api {
  readonly #settings: Settings
  readonly #jobs: Jobs
  readonly #creates: ReadonlyMap<string, HourlyLimit>
  readonly #messages: ReadonlyMap<string, HourlyLimit>
  readonly #analytics: HourlyLimit

  constructor(settings: Settings, jobs: Jobs) {
    const { limits, projects } = settings
    const perProject = (maximum: number, what: string) =>
      new Map(projects.map((project) => [project, new HourlyLimit(maximum, what)]))
    this.#settings = settings
    this.#jobs = jobs
    this.#creates = perProject(limits.jobsPerHour, 'jobs')
    this.#messages = perProject(limits.messagesPerHour, 'messages')
    this.#analytics = new HourlyLimit(limits.analyticsPerHour, 'analytics requests')
  }

  async answer(call: Call, request: RecordedRequest): Promise<Reply> {
    const refusal = this.#refuseAccess(request)
    if (refusal) return refusal
    if (!this.#settings.projects.includes(call.projectId))
      return errorReply(404, 'Project not found')
    switch (call.name) {
      case 'create':
        return this.#create(call, request.body)
      case 'look':
        return this.#look(call)
      case 'message':
        return this.#message(call, request.body)
      default:
        return this.#analyse(call.name, call.projectId, request.query)
    }
  }

  async #create({ projectId }: Call, body: unknown): Promise<Reply> {
    const prompt = promptIn(body)
    if (prompt === undefined) return NO_PROMPT
    const refusal = this.#overLimit(this.#creates.get(projectId))
    return refusal ?? jsonReply(201, await this.#jobs.answer(this.#jobs.create(projectId, prompt)))
  }

  async #look({ projectId, jobId }: Call): Promise<Reply> {
    const job = this.#jobs.find(projectId, jobId)
    return job ? jsonReply(200, await this.#jobs.answer(job)) : NO_JOB
  }

  async #message({ projectId, jobId }: Call, body: unknown): Promise<Reply> {
    const prompt = promptIn(body)
    if (prompt === undefined) return NO_PROMPT
    const job = this.#jobs.find(projectId, jobId)
    if (!job) return NO_JOB
    // What a message to such a job meets is not documented.
    if (/failed|archived/.test(this.#jobs.status(job)))
      return errorReply(400, 'The job takes no messages')
    const refusal = this.#overLimit(this.#messages.get(projectId))
    if (refusal) return refusal
    await this.#jobs.message(job, prompt)
    return jsonReply(200, await this.#jobs.answer(job))
  }

  /** All projects belong to one organisation and share the limit of all analytics calls; invalid queries don't count. */
  #analyse(name: AnalyticsCall, projectId: string, parameters: RecordedRequest['query']): Reply {
    const { now, pages, seed, visitors } = this.#settings
    const { query, problems } = readQuery(name, parameters, now())
    if (problems.length > 0) return errorReply(400, 'Invalid query parameters', problems)
    const refusal = this.#overLimit(this.#analytics)
    if (refusal) return refusal
    switch (name) {
      case 'visitors': {
        const override = visitors({ ...query, projectId })
        return jsonReply(
          override?.status ?? 200,
          override?.body ?? visitorsOf(query, { pages, seed }),
        )
      }
      case 'views':
        return jsonReply(200, viewsOf(query, { pages, seed }))
      case 'feedback':
        return jsonReply(200, feedbackOf(query, seed))
      case 'searches':
        return jsonReply(200, searchesOf(query, seed))
      case 'assistant':
        return jsonReply(200, conversationsOf(query, seed))
    }
  }

  #overLimit(limit: HourlyLimit | undefined): Reply | undefined {
    return limit?.refuse(this.#settings.now(), this.#settings.limits.retryAfter)
  }

  #refuseAccess({ method, headers }: RecordedRequest): Reply | undefined {
    const sent = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
    if (sent === undefined)
      return errorReply(401, 'Missing API key: send Authorization: Bearer <key>')
    const keys: readonly ServiceKey[] = [{ key: this.#settings.key }, ...this.#settings.keys]
    const known = keys.find(({ key }) => key === sent)
    if (!known) return errorReply(401, 'Invalid API key')
    if (known.expired) return errorReply(401, 'The API key has expired')
    if (known.scope !== 'read' || method !== 'POST') return undefined
    return errorReply(403, 'The API key has the scope read, which allows no POST')
  }
}

function promptIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('prompt' in body)) return undefined
  return typeof body.prompt === 'string' && body.prompt !== '' ? body.prompt : undefined
}
