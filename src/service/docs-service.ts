import type { Clock } from '../lib/clock.ts'
import type { HttpClient } from '../lib/http.ts'
import { isRecord, type JsonRecord, parseJson, recordField } from '../lib/json.ts'
import type { Redact } from '../lib/markdown.ts'
import { parseRetryAfter } from '../lib/retry.ts'
import { inBackticks } from '../lib/text.ts'
import {
  InvalidResponseError,
  type ServiceCall,
  ServiceError,
  type ServiceResponse,
} from './service-errors.ts'

/** An agent job as the service describes it. `null` where the service has no value or one of a wrong type. */
export type Job = {
  readonly id: string
  /** `active`, one that `isTerminal`, or a word that the service adds later. */
  readonly status: string
  /** URL of the pull request; never empty. */
  readonly prLink: string | null
  /** URL of the repository that the agent works in. */
  readonly repository: string | null
  /** The branch that the agent works on. */
  readonly ref: string | null
  readonly model: string | null
  /** ISO 8601, UTC, like `archivedAt`. */
  readonly createdAt: string | null
  readonly archivedAt: string | null
  /** Everything the service sent, unknown fields included, as JSON. */
  readonly json: string
  /** Names of the fields that had a wrong type and count as absent. */
  readonly invalidFields: readonly string[]
}

/** Whether a job with this status no longer changes by itself; all others mean "not finished yet". */
export function isTerminal(status: string): boolean {
  return ['completed', 'archived', 'failed'].includes(status)
}

type ServiceOptions = {
  /** May have a path; all calls go below it. */
  readonly baseUrl: URL
  readonly projectId: string
  readonly apiKey: string
  readonly http: HttpClient
  readonly clock: Clock
  readonly redact: Redact
}

/**
 * The docs service, for one project. Each call is sent once: whether again is for the caller to decide. It throws a
 * `ServiceError` if the service refused or failed, an `InvalidResponseError` if the response is not what the
 * documentation says, such as another job, and a `TransportError` if no response came.
 */
export class DocsService {
  readonly projectId: string
  readonly #options: ServiceOptions

  constructor(options: ServiceOptions) {
    this.projectId = options.projectId
    this.#options = options
  }

  createJob(prompt: string, signal?: AbortSignal): Promise<Job> {
    return this.#sendForJob(signal, {
      method: 'POST',
      path: [],
      body: { prompt },
      purpose: 'create a job',
      notFound: this.projectNotFound,
      limit: '100 jobs per project and hour',
    })
  }

  getJob(id: string, signal?: AbortSignal): Promise<Job> {
    return this.#sendForJob(signal, {
      method: 'GET',
      path: [id],
      purpose: 'get the job',
      notFound: this.#jobNotFound(id),
    })
  }

  sendMessage(id: string, prompt: string, signal?: AbortSignal): Promise<Job> {
    return this.#sendForJob(signal, {
      method: 'POST',
      path: [id, 'message'],
      body: { prompt },
      purpose: 'send the job a follow-up message',
      notFound: this.#jobNotFound(id),
      limit: '100 follow-up messages per project and hour',
    })
  }

  /** What a 404 means where no job is named. */
  get projectNotFound(): ServiceCall['notFound'] {
    const path =
      this.#options.baseUrl.pathname === '/' ? '' : '`base-url` (its path comes before every call), '
    const fix = `Check ${path}\`project-id\`, and that the API key belongs to the same organisation.`
    return [`No project ${inBackticks(this.projectId)}`, fix]
  }

  #jobNotFound(id: string): ServiceCall['notFound'] {
    const headline = `No job ${inBackticks(id)} in project ${inBackticks(this.projectId)}`
    return [headline, 'Check `job-id` and `project-id`; the service may also have deleted the job.']
  }

  /** @param call `path`: what follows `/v2/agent/{projectId}/job`; begins with the id of a job that there is */
  async #sendForJob(signal: AbortSignal | undefined, { path, ...rest }: ServiceCall): Promise<Job> {
    const call = { ...rest, path: ['v2', 'agent', this.projectId, 'job', ...path] }
    const response = await this.send(call, signal)
    const job = readJob(response.json)
    if (job === undefined) throw new InvalidResponseError(call, response)
    const [id = job.id] = path
    if (job.id !== id) throw new InvalidResponseError(call, response, 'another job')
    return job
  }

  async send(call: ServiceCall, signal?: AbortSignal): Promise<ServiceResponse> {
    const { apiKey, http, clock, redact } = this.#options
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    const response = await http.send({
      method: call.method,
      url: this.#urlOf(call),
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        'user-agent': 'docs-agent-action',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body,
      signal,
      freshConnection: call.method === 'POST',
    })
    const read: ServiceResponse = {
      status: response.status,
      json: parseJson(response.body, (_name, value) => (typeof value === 'string' ? redact(value) : value)),
      text: redact(response.body),
      bodyProblem: response.bodyProblem,
      isCutOff: response.isCutOff,
      location: redact(response.headers['location'] ?? ''),
      retryAfterMs: parseRetryAfter(response.headers['retry-after'], clock.now()),
    }
    if (read.status < 200 || read.status > 299) throw new ServiceError(call, read)
    return read
  }

  #urlOf({ path, query = {} }: ServiceCall): URL {
    const url = new URL(this.#options.baseUrl)
    url.pathname = [url.pathname.replace(/\/+$/, ''), ...path.map(encodeURIComponent)].join('/')
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    return url
  }
}

/** Reads a job; `undefined` if the value is none: no object, or without a usable `id` and a `status`. */
export function readJob(value: unknown): Job | undefined {
  if (!isRecord(value)) return undefined
  const { id, status, source = null } = value
  if (typeof id !== 'string' || typeof status !== 'string') return undefined
  // It must still be itself as one segment of a URL's path.
  if (['', '.', '..'].includes(id) || !id.isWellFormed()) return undefined
  const invalidFields = source === null || isRecord(source) ? [] : ['source']
  const text = (record: JsonRecord, field: string, name = field): string | null => {
    const found = record[field] ?? null
    if (found === null || typeof found === 'string') return found === '' ? null : found
    invalidFields.push(name)
    return null
  }
  const from = recordField(value, 'source')
  return {
    id,
    status,
    prLink: text(value, 'prLink'),
    repository: text(from, 'repository', 'source.repository'),
    ref: text(from, 'ref', 'source.ref'),
    model: text(value, 'model'),
    createdAt: text(value, 'createdAt'),
    archivedAt: text(value, 'archivedAt'),
    json: JSON.stringify(value),
    invalidFields,
  }
}
