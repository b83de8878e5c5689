import { onTestFinished } from 'vitest'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { type DocsService, startDocsService } from '../../docs-service/service.ts'

export const JOB = '/v2/agent/docs/job'

/** A service for one test, without a repository unless asked for, and a clock that stands still until told to pass. */
export async function startService(options: DocsServiceOptions = {}) {
  let nowMs = Date.UTC(2026, 7, 3, 12)
  const service = await startDocsService({
    agent: 'none',
    jobTimeMs: 1000,
    now: () => nowMs,
    ...options,
  })
  onTestFinished(() => service.close())
  const pass = (ms: number): void => {
    nowMs += ms
  }
  return { service, pass }
}

type Content = { readonly body?: unknown; readonly key?: string }

/** Sends a request with the service's key, unless another is given. A body that is not text is sent as JSON. */
function send(
  service: DocsService,
  call: string,
  { body, key = service.key }: Content = {},
): Promise<Response> {
  const [method = '', path = ''] = call.split(' ')
  return fetch(`${service.url}${path}`, {
    method,
    redirect: 'manual',
    headers: key === '' ? {} : { authorization: `Bearer ${key}` },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  })
}

export async function statusOf(
  service: DocsService,
  call: string,
  content?: Content,
): Promise<number> {
  const response = await send(service, call, content)
  await response.body?.cancel()
  return response.status
}

/** An answer's JSON. @throws if it is an error */
export async function answerOf(service: DocsService, call: string, body?: unknown) {
  const response = await send(service, call, { body })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json()) as { readonly id: string }
}

/** Creates a job in the project `docs`. */
export function create(service: DocsService, prompt: string) {
  return answerOf(service, `POST ${JOB}`, { prompt })
}

export function look(service: DocsService, id: string) {
  return answerOf(service, `GET ${JOB}/${id}`)
}
