import { MINTLIFY_KEY } from '../inputs/formats.ts'
import type { HttpClient } from '../lib/http.ts'
import type { Redact } from '../lib/markdown.ts'
import { inBackticks, isRecord, type JsonRecord, parseJson, recordField } from '../lib/text.ts'
import { type Clock, parseRetryAfter } from '../lib/time.ts'
import {
  InvalidResponseError,
  type MintlifyCall,
  MintlifyError,
  type MintlifyResponse,
} from './mintlify-errors.ts'

/** An agent job as the service describes it. `null` where the service has no value or one of a wrong type. */
export type Job = {
  readonly id: string
  /** `active`, one that `isTerminal`, or a word that the service adds later. */
  readonly status: string
  /** URL of the pull request, http or https. */
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
  /** Names of the fields that were not what the documentation says and count as absent. */
  readonly invalidFields: readonly string[]
}

/** Whether a job with this status no longer changes by itself; all others mean "not finished yet". */
export function isTerminal(status: string): boolean {
  return ['completed', 'archived', 'failed'].includes(status)
}

type CallWords = Pick<MintlifyCall, 'prompt' | 'purpose' | 'limit'>
type BodyReader<T extends object> = (json: unknown) => T | string | undefined

type MintlifyOptions = {
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
export class MintlifyClient {
  readonly #options: MintlifyOptions

  constructor(options: MintlifyOptions) {
    this.#options = options
  }

  createJob(prompt: string, signal?: AbortSignal): Promise<Job> {
    const call = { purpose: 'create a job', prompt, limit: '100 jobs per project and hour' }
    return this.#requestJob([], call, signal)
  }

  getJob(id: string, signal?: AbortSignal): Promise<Job> {
    return this.#requestJob([id], { purpose: 'get the job' }, signal)
  }

  sendMessage(id: string, prompt: string, signal?: AbortSignal): Promise<Job> {
    const purpose = 'send the job a follow-up message'
    const call = { purpose, prompt, limit: '100 follow-up messages per project and hour' }
    return this.#requestJob([id, 'message'], call, signal)
  }

  /** @param path what follows `/v2/agent/{projectId}/job`; empty for a create, else it begins with a job's id */
  #requestJob(
    path: readonly string[],
    call: CallWords,
    signal: AbortSignal | undefined,
  ): Promise<Job> {
    const { projectId } = this.#options
    const [id] = path
    const headline = `No job ${inBackticks(id ?? '')} in project ${inBackticks(projectId)}`
    const fix = 'The service may have deleted it. Check `project-id`, and `job-id` if it is set.'
    const notFound = id === undefined ? this.#projectNotFound() : ([headline, fix] as const)
    const job = { ...call, path: ['v2', 'agent', projectId, 'job', ...path], notFound }
    const read = (json: unknown): Job | string | undefined => {
      const found = readJob(json)
      return found === undefined || found.id === (id ?? found.id) ? found : 'another job'
    }
    return this.#request(job, read, signal)
  }

  /**
   * Requests figures of the project.
   *
   * @param path what follows `/v1/analytics/{projectId}`
   * @param read reads the JSON of the answer; a text says what it is instead
   */
  getAnalytics<T extends object>(
    { path, ...call }: Pick<MintlifyCall, 'path' | 'query' | 'purpose'>,
    read: BodyReader<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const below = ['v1', 'analytics', this.#options.projectId, ...path]
    const limit = '100 analytics requests per hour, shared by the whole organisation'
    const notFound = path.includes('visitors') ? this.#projectNotFound() : NO_FIGURES
    return this.#request({ ...call, path: below, limit, notFound }, read, signal)
  }

  #projectNotFound(): MintlifyCall['notFound'] {
    const headline = `No project ${inBackticks(this.#options.projectId)}`
    return [
      headline,
      'Check `project-id` and `base-url`, and that the API key belongs to the same organisation.',
    ]
  }

  async #request<T extends object>(
    call: MintlifyCall,
    read: BodyReader<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { apiKey, http, clock, redact } = this.#options
    const body = call.prompt === undefined ? undefined : JSON.stringify({ prompt: call.prompt })
    const { status, headers, ...received } = await http.send({
      method: body === undefined ? 'GET' : 'POST',
      url: this.#urlOf(call),
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        'user-agent': 'docs-agent-action',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body,
      signal,
      freshConnection: body !== undefined,
    })
    const response: MintlifyResponse = {
      ...received,
      status,
      body: redact(received.body),
      json: parseJson(received.body, (_name, value) =>
        typeof value === 'string' ? redact(value) : value,
      ),
      location: redact(headers['location'] ?? ''),
      retryAfterMs: parseRetryAfter(headers['retry-after'], clock.now()),
    }
    if (status < 200 || status > 299)
      throw new MintlifyError(call, response, MINTLIFY_KEY.test(apiKey))
    const found = read(response.json)
    if (found === undefined || typeof found === 'string')
      throw new InvalidResponseError(call, response, found)
    return found
  }

  #urlOf({ path, query = {} }: MintlifyCall): URL {
    const url = new URL(this.#options.baseUrl)
    url.pathname = [url.pathname.replace(/\/+$/, ''), ...path.map(encodeURIComponent)].join('/')
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    return url
  }
}

const NO_FIGURES = [
  'The docs service has no such figures for this project',
  'Are these parts (feedback, search, assistant, reads) switched on, and in the plan?',
] as const

/** Reads a job; `undefined` if the value is none: no object, or without a usable `id` and a `status`. */
export function readJob(value: unknown): Job | undefined {
  if (!isRecord(value)) return undefined
  const { id, status, source = null } = value
  if (typeof id !== 'string' || typeof status !== 'string') return undefined
  // It must still be itself as one segment of a URL's path.
  if (['', '.', '..'].includes(id) || !id.isWellFormed()) return undefined
  const invalidFields = source === null || isRecord(source) ? [] : ['source']
  const text = (record: JsonRecord, field: string): string | null => {
    const found = record[field] ?? null
    if (found === null || typeof found === 'string') return found || null
    invalidFields.push(field)
    return null
  }
  const link = text(value, 'prLink')
  const prLink =
    link !== null && /^https?:\/\/[^\s\p{C}]+$/iu.test(link) && URL.canParse(link) ? link : null
  if (prLink !== link) invalidFields.push('prLink')
  const from = recordField(value, 'source')
  return {
    id,
    status,
    prLink,
    repository: text(from, 'repository'),
    ref: text(from, 'ref'),
    model: text(value, 'model'),
    createdAt: text(value, 'createdAt'),
    archivedAt: text(value, 'archivedAt'),
    json: JSON.stringify(value),
    invalidFields,
  }
}
