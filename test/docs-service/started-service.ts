import { onTestFinished } from 'vitest'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { type DocsService, startDocsService } from '../../docs-service/service.ts'

/** A service for one test, without a repository unless asked for, and a clock that stands still until told to pass. */
export async function startService(options: DocsServiceOptions = {}) {
  let nowMs = Date.UTC(2026, 7, 3, 12)
  const service = await startDocsService({ agent: 'none', jobTimeMs: 1000, now: () => nowMs, ...options })
  onTestFinished(() => service.close())
  const pass = (ms: number): void => {
    nowMs += ms
  }
  return { service, pass }
}

/** Sends a request with the service's key, unless another is given. A body that is not text is sent as JSON. */
export function send(
  service: DocsService,
  call: string,
  { body, key = service.key }: { body?: unknown; key?: string } = {},
): Promise<Response> {
  const [method = '', path = ''] = call.split(' ')
  return fetch(`${service.url}${path}`, {
    method,
    redirect: 'manual',
    headers: key === '' ? {} : { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

export async function statusOf(service: DocsService, call: string, options = {}): Promise<number> {
  const response = await send(service, call, options)
  await response.body?.cancel()
  return response.status
}

/** An answer's JSON. @throws if it is an error */
export async function answerOf<Answer>(service: DocsService, call: string, options = {}): Promise<Answer> {
  const response = await send(service, call, options)
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  return JSON.parse(text)
}

/** What tests read of a job. */
type Job = { readonly id: string; readonly source: { readonly ref: string }; readonly prLink: string }

/** Creates a job in the project `docs`. */
export async function create(service: DocsService, prompt: string): Promise<Job> {
  return answerOf(service, 'POST /v2/agent/docs/job', { body: { prompt } })
}

export async function look(service: DocsService, id: string): Promise<Job> {
  return answerOf(service, `GET /v2/agent/docs/job/${id}`)
}

export async function message(service: DocsService, id: string, prompt: string): Promise<Job> {
  return answerOf(service, `POST /v2/agent/docs/job/${id}/message`, { body: { prompt } })
}
