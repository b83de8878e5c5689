import { onTestFinished } from 'vitest'
import type { JobAnswer } from '../../docs-service/agent/job.ts'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { type DocsService, startDocsService } from '../../docs-service/service.ts'
import type { VisitorsAnswer } from '../../docs-service/visitors/report.ts'

/** A service for one test, closed when the test is over; without a repository unless asked for. */
export async function startedService(options: DocsServiceOptions = {}): Promise<DocsService> {
  const service = await startDocsService({ agent: 'none', ...options })
  onTestFinished(() => service.close())
  return service
}

/** A clock that stands still until it is told to move on. */
export function virtualClock(startMs = Date.UTC(2026, 7, 3, 12)): {
  now: () => number
  pass: (ms: number) => void
} {
  let nowMs = startMs
  return {
    now: () => nowMs,
    pass(ms) {
      nowMs += ms
    },
  }
}

/** Sends a request with the service's key; `key: ''` sends none. A body that is no string is sent as JSON. */
export function send(
  service: DocsService,
  method: string,
  path: string,
  { body, key = service.key }: { body?: unknown; key?: string } = {},
): Promise<Response> {
  return fetch(`${service.url}${path}`, {
    method,
    redirect: 'manual',
    headers: key === '' ? {} : { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

/** Creates a job in the project `docs`. */
export async function create(service: DocsService, prompt: string): Promise<JobAnswer> {
  return jobIn(await send(service, 'POST', '/v2/agent/docs/job', { body: { prompt } }))
}

/** Looks at a job. */
export async function look(service: DocsService, id: string): Promise<JobAnswer> {
  return jobIn(await send(service, 'GET', `/v2/agent/docs/job/${id}`))
}

/** Sends a follow-up message. */
export async function message(service: DocsService, id: string, prompt: string): Promise<JobAnswer> {
  return jobIn(await send(service, 'POST', `/v2/agent/docs/job/${id}/message`, { body: { prompt } }))
}

/** The rows and totals of an answer. */
export async function visitorsIn(response: Response): Promise<VisitorsAnswer> {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  const answer = await response.json()
  return answer as VisitorsAnswer
}

/** What an error's details say. */
export async function problemsIn(response: Response): Promise<string[]> {
  const { details } = (await response.json()) as { details: { message: string }[] }
  return details.map(({ message }) => message)
}

async function jobIn(response: Response): Promise<JobAnswer> {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  const job = await response.json()
  return job as JobAnswer
}
