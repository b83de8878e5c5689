import { isRecord, type JsonRecord, recordField } from '../lib/json.ts'
import { inBackticks } from '../lib/text.ts'
import type { DocsService } from './client.ts'
import { InvalidResponseError, projectNotFound, type ServiceCall } from './errors.ts'

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
  /** ISO 8601, UTC. */
  readonly createdAt: string | null
  /** ISO 8601, UTC. */
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

/** Whether a text can be a job's id: not empty, and still itself as one segment of a URL's path. */
function isJobId(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && text.isWellFormed()
}

/** Reads a job; `undefined` if the value is none: no object, or without a usable `id` and a `status`. */
export function readJob(value: unknown): Job | undefined {
  if (!isRecord(value)) return undefined
  const { id, status, source = null } = value
  if (typeof id !== 'string' || !isJobId(id) || typeof status !== 'string') return undefined
  const invalidFields: string[] = []
  const text = (record: JsonRecord, field: string, name = field): string | null => {
    const found = record[field] ?? null
    if (found === null || typeof found === 'string') return found === '' ? null : found
    invalidFields.push(name)
    return null
  }
  if (source !== null && !isRecord(source)) invalidFields.push('source')
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

/**
 * Starts a job: `POST /v2/agent/{projectId}/job`. Sent once; whether it may be sent again is for the caller to decide.
 *
 * @throws {ServiceError} the service refused or failed
 * @throws {InvalidResponseError} it accepted, but the response is no job
 * @throws {TransportError} no response came
 */
export async function createJob(service: DocsService, prompt: string, signal?: AbortSignal): Promise<Job> {
  const call: ServiceCall = {
    method: 'POST',
    path: ['v2', 'agent', service.projectId, 'job'],
    body: { prompt },
    purpose: 'create a job',
    notFound: projectNotFound(service.projectId),
    limit: '100 jobs per project and hour',
  }
  return await sendForJob(service, call, { signal })
}

/**
 * Gets a job: `GET /v2/agent/{projectId}/job/{id}`.
 *
 * @throws as `createJob`; another job in the response is an {InvalidResponseError}, too
 */
export async function getJob(service: DocsService, id: string, signal?: AbortSignal): Promise<Job> {
  const call: ServiceCall = {
    method: 'GET',
    path: ['v2', 'agent', service.projectId, 'job', id],
    purpose: 'get the job',
    notFound: jobNotFound(service, id),
    limit: 'not documented for getting a job',
  }
  return await sendForJob(service, call, { signal, id })
}

/**
 * Sends a follow-up message: `POST /v2/agent/{projectId}/job/{id}/message`. Sent once, as `createJob`.
 *
 * @throws as `getJob`
 */
export async function sendMessage(
  service: DocsService,
  { id, prompt }: { readonly id: string; readonly prompt: string },
  signal?: AbortSignal,
): Promise<Job> {
  const call: ServiceCall = {
    method: 'POST',
    path: ['v2', 'agent', service.projectId, 'job', id, 'message'],
    body: { prompt },
    purpose: 'send the job a follow-up message',
    notFound: jobNotFound(service, id),
    limit: '100 follow-up messages per project and hour',
  }
  return await sendForJob(service, call, { signal, id })
}

function jobNotFound({ projectId }: DocsService, id: string): ServiceCall['notFound'] {
  return {
    headline: `No job ${inBackticks(id)} in project ${inBackticks(projectId)}`,
    fix: 'Check `job-id` and `project-id`; the service may also have deleted the job.',
  }
}

/** @param options `id`: of the job that the response must be about */
async function sendForJob(
  service: DocsService,
  call: ServiceCall,
  { signal, id }: { readonly signal: AbortSignal | undefined; readonly id?: string },
): Promise<Job> {
  const response = await service.send(call, signal)
  const job = readJob(response.json)
  if (job === undefined) throw new InvalidResponseError(call, response)
  if (id !== undefined && job.id !== id) throw new InvalidResponseError(call, response, 'another job')
  return job
}
