import type { Jobs } from './agent/jobs.ts'
import { conversationsOf, feedbackOf } from './analytics/content-gaps.ts'
import { type AnalyticsCall, readQuery } from './analytics/query.ts'
import { visitorsOf } from './analytics/visitors.ts'
import { type Call, errorReply, jsonReply, type RecordedRequest, type Reply } from './http.ts'
import type { Settings } from './options.ts'

/** The project that exists; any other is 404. */
const PROJECT = 'docs'
/** A key of scope read: 403 to every POST. */
const READ_KEY = 'mint_read'
const NO_PROMPT = errorReply(
  400,
  'The body must be JSON: {"prompt": string} of at least one character',
)
const NO_JOB = errorReply(404, 'Job not found')

/** The calls of the interface, behind the checks that all of them share: the key first, then the project. */
export class Api {
  readonly #settings: Settings
  readonly #jobs: Jobs

  constructor(settings: Settings, jobs: Jobs) {
    this.#settings = settings
    this.#jobs = jobs
  }

  async answer({ name, projectId, jobId }: Call, request: RecordedRequest): Promise<Reply> {
    const refusal = this.#refuseAccess(request)
    if (refusal) return refusal
    if (projectId !== PROJECT) return errorReply(404, 'Project not found')
    switch (name) {
      case 'create':
        return this.#create(request.body)
      case 'look': {
        const job = this.#jobs.find(jobId)
        return job ? jsonReply(200, await this.#jobs.answer(job)) : NO_JOB
      }
      case 'message':
        return this.#message(jobId, request.body)
      default:
        return this.#analyze(name, request.query)
    }
  }

  async #create(body: unknown): Promise<Reply> {
    const prompt = promptIn(body)
    if (prompt === undefined) return NO_PROMPT
    return jsonReply(201, await this.#jobs.answer(this.#jobs.create(prompt)))
  }

  async #message(jobId: string, body: unknown): Promise<Reply> {
    const prompt = promptIn(body)
    if (prompt === undefined) return NO_PROMPT
    const job = this.#jobs.find(jobId)
    if (!job) return NO_JOB
    // How the vendor answers a message to such a job is not documented.
    if (this.#jobs.status(job) === 'failed') return errorReply(400, 'The job takes no messages')
    await this.#jobs.message(job, prompt)
    return jsonReply(200, await this.#jobs.answer(job))
  }

  #analyze(name: AnalyticsCall, parameters: RecordedRequest['query']): Reply {
    const { now, pages, visitors } = this.#settings
    const { query, problems } = readQuery(name, parameters, now())
    if (problems.length > 0) return errorReply(400, 'Invalid query parameters', problems)
    switch (name) {
      case 'visitors': {
        const other = visitors(query)
        return jsonReply(other?.status ?? 200, other?.body ?? visitorsOf(query, pages))
      }
      case 'feedback':
        return jsonReply(200, feedbackOf(query))
      case 'assistant':
        return jsonReply(200, conversationsOf(query))
    }
  }

  #refuseAccess({ method, headers }: RecordedRequest): Reply | undefined {
    const sent = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
    if (sent === undefined)
      return errorReply(401, 'Missing API key: send Authorization: Bearer <key>')
    if (sent === this.#settings.key || (sent === READ_KEY && method !== 'POST')) return undefined
    if (sent !== READ_KEY) return errorReply(401, 'Invalid API key')
    return errorReply(403, 'The API key has the scope read, which allows no POST')
  }
}

function promptIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('prompt' in body)) return undefined
  return typeof body.prompt === 'string' && body.prompt !== '' ? body.prompt : undefined
}
