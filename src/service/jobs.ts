import type { DocsService } from './docs-service.ts'
import { type Job, readJob } from './job.ts'
import { NO_SUCH_PROJECT, type ServiceCall } from './service-call.ts'
import { AnswerError } from './service-error.ts'

const NO_SUCH_JOB =
  'There is no such job in this project: check `job-id` and `project-id`; the service may also have deleted it.'

/**
 * Starts a job: `POST /v2/agent/{projectId}/job`. Sent once; whether it may be sent again is the caller's business.
 *
 * @throws {ServiceError} the service refused or failed
 * @throws {AnswerError} it accepted, but the answer is no job
 * @throws {TransportError} no whole answer came
 */
export function createJob(service: DocsService, prompt: string, signal?: AbortSignal): Promise<Job> {
  const call: ServiceCall = {
    method: 'POST',
    path: ['v2', 'agent', service.projectId, 'job'],
    body: { prompt },
    purpose: 'create the job',
    notFound: NO_SUCH_PROJECT,
    limit: '100 jobs per project and hour',
  }
  return askForJob(service, call, signal)
}

/**
 * Looks at a job: `GET /v2/agent/{projectId}/job/{id}`.
 *
 * @throws as `createJob`; an answer that is another job is an {AnswerError} too
 */
export async function getJob(service: DocsService, id: string, signal?: AbortSignal): Promise<Job> {
  const call: ServiceCall = {
    method: 'GET',
    path: ['v2', 'agent', service.projectId, 'job', id],
    purpose: 'look at the job',
    notFound: NO_SUCH_JOB,
    limit: 'none is documented for looking at a job',
  }
  return askForJob(service, call, signal, id)
}

/**
 * Sends a follow-up message: `POST /v2/agent/{projectId}/job/{id}/message`. Sent once, as `createJob`.
 *
 * @throws as `getJob`
 */
export async function sendMessage(
  service: DocsService,
  message: { readonly id: string; readonly prompt: string },
  signal?: AbortSignal,
): Promise<Job> {
  const call: ServiceCall = {
    method: 'POST',
    path: ['v2', 'agent', service.projectId, 'job', message.id, 'message'],
    body: { prompt: message.prompt },
    purpose: 'pass the follow-up message to the job',
    notFound: NO_SUCH_JOB,
    limit: '100 follow-up messages per project and hour',
  }
  return askForJob(service, call, signal, message.id)
}

async function askForJob(
  service: DocsService,
  call: ServiceCall,
  signal: AbortSignal | undefined,
  expectedId?: string,
): Promise<Job> {
  const answer = await service.ask(call, signal)
  const job = readJob(answer.json, answer.exact)
  if (job === undefined) throw new AnswerError(call, answer)
  if (expectedId !== undefined && job.id !== expectedId) throw new AnswerError(call, answer, 'another job')
  return job
}
