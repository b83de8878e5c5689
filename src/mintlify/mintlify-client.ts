import type { HttpClient } from '../lib/http.ts'
import type { Redact } from '../lib/markdown.ts'
import { inBackticks, isRecord, parseJson } from '../lib/text.ts'
import { type Clock, parseRetryAfter } from '../lib/time.ts'
import { type MintlifyCall, MintlifyError, type MintlifyResponse } from './mintlify-errors.ts'

/** An agent job. A field is `null` if Mintlify sent none, or one of a wrong type. */
export type Job = {
  readonly id: string
  /** `active`, one that `isTerminal`, or a word that Mintlify adds later. */
  readonly status: string
  /** URL of the pull request, http or https. */
  readonly prLink: string | null
  readonly model: string | null
  /** ISO 8601, UTC. */
  readonly createdAt: string | null
  /** Everything that Mintlify sent, unknown fields included, as JSON. */
  readonly json: string
  /** Names of the fields that were ignored, because their values don't match the documentation. */
  readonly invalidFields: readonly string[]
}

/** Whether a job with this status has finished. A status that isn't known means that it hasn't. */
export function isTerminal(status: string): boolean {
  return ['completed', 'archived', 'failed'].includes(status)
}

type BodyReader<T extends object> = (json: unknown) => T | string | undefined

type MintlifyOptions = {
  /** Its name in messages. */
  readonly name: string
  /** May have a path, which all calls keep. */
  readonly baseUrl: URL
  readonly projectId: string
  readonly apiKey: string
  readonly http: HttpClient
  readonly clock: Clock
  readonly redact: Redact
}

/**
 * Mintlify's API for one project. Each call is sent once. It throws a `MintlifyError` if Mintlify rejected the request,
 * failed, or sent a response that doesn't match the documentation (for example, another job), and a `TransportError` if
 * there was no response.
 */
export class MintlifyClient {
  readonly #options: MintlifyOptions

  constructor(options: MintlifyOptions) {
    this.#options = options
  }

  createJob(prompt: string, signal?: AbortSignal): Promise<Job> {
    const limit = '100 jobs per project and hour'
    return this.#requestJob({ path: [], purpose: 'create a job', prompt, limit }, signal)
  }

  getJob(id: string, signal?: AbortSignal): Promise<Job> {
    const limit = 'one request every 5 to 10 seconds'
    return this.#requestJob({ path: [id], purpose: 'get the job', limit }, signal)
  }

  sendMessage(id: string, prompt: string, signal?: AbortSignal): Promise<Job> {
    const limit = '100 messages per project and hour'
    const purpose = 'send a message to the job'
    return this.#requestJob({ path: [id, 'message'], purpose, prompt, limit }, signal)
  }

  /** @param path segments after `/v2/agent/{projectId}/job`; the first one is the job's ID */
  #requestJob(
    { path, ...call }: Omit<MintlifyCall, 'notFound'>,
    signal: AbortSignal | undefined,
  ): Promise<Job> {
    const { projectId } = this.#options
    const [id] = path
    const title = `Job ${inBackticks(id ?? '')} wasn't found`
    const fix = `The job isn't in the project ${inBackticks(projectId)}, or was deleted.`
    const notFound = id === undefined ? this.projectNotFound() : ([title, fix] as const)
    const job = { ...call, path: ['v2', 'agent', projectId, 'job', ...path], notFound }
    const read = (json: unknown): Job | string | undefined => {
      const found = readJob(json)
      if (found !== undefined) return found.id === (id ?? found.id) ? found : 'another job'
      return isRecord(json) ? 'JSON without a usable `id` and `status`' : undefined
    }
    return this.#request(job, read, signal)
  }

  /**
   * Requests analytics of the project.
   *
   * @param path segments after `/v1/analytics/{projectId}`
   * @param read reads the JSON of the response; returns `undefined`, or a description, if it doesn't match
   */
  getAnalytics<T extends object>(
    { path, ...call }: Pick<MintlifyCall, 'path' | 'query' | 'purpose'>,
    read: BodyReader<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const below = ['v1', 'analytics', this.#options.projectId, ...path]
    const limit = '100 analytics requests per hour for the whole organization'
    const notFound = this.projectNotFound()
    return this.#request({ ...call, path: below, limit, notFound }, read, signal)
  }

  /** Explains a 404 that means that there is no such project. */
  projectNotFound(): MintlifyCall['notFound'] {
    const { name, projectId } = this.#options
    return [
      `${name} has no project ${inBackticks(projectId)}`,
      `Compare \`project-id\` (${inBackticks(projectId)}) with the ID on the API keys page of the dashboard, and make sure that the API key belongs to the same organization. If you set \`base-url\`, check it, too.`,
    ]
  }

  async #request<T extends object>(
    call: MintlifyCall,
    read: BodyReader<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { name, apiKey, http, clock, redact } = this.#options
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
      from: name,
      status,
      body: redact(received.body),
      json: parseJson(received.body, (_name, value) =>
        typeof value === 'string' ? redact(value) : value,
      ),
      retryAfterMs: parseRetryAfter(headers['retry-after'], clock.now()),
    }
    const isRejected = status < 200 || status > 299
    const found = isRejected ? undefined : read(response.json)
    if (found === undefined || typeof found === 'string')
      throw new MintlifyError(call, response, found)
    return found
  }

  #urlOf({ path, query = {} }: MintlifyCall): URL {
    const url = new URL(this.#options.baseUrl)
    url.pathname = [url.pathname.replace(/\/+$/, ''), ...path.map(encodeURIComponent)].join('/')
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    return url
  }
}

/** Reads a job; `undefined` if the value isn't an object with a usable `id` and a `status`. */
export function readJob(value: unknown): Job | undefined {
  if (!isRecord(value)) return undefined
  const { id, status } = value
  if (typeof id !== 'string' || typeof status !== 'string') return undefined
  // It becomes one segment of a URL's path.
  if (['', '.', '..'].includes(id) || !id.isWellFormed()) return undefined
  const invalidFields: string[] = []
  const text = (field: string): string | null => {
    const found = value[field] ?? null
    if (found === null || typeof found === 'string') return found || null
    invalidFields.push(field)
    return null
  }
  const link = text('prLink')
  const prLink =
    link !== null && /^https?:\/\/[^\s\p{C}]+$/iu.test(link) && URL.canParse(link) ? link : null
  if (prLink !== link) invalidFields.push('prLink')
  return {
    id,
    status,
    prLink,
    model: text('model'),
    createdAt: text('createdAt'),
    json: JSON.stringify(value),
    invalidFields,
  }
}
