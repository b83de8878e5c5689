import { HttpClient } from '../../src/lib/http.ts'
import { createRedact } from '../../src/lib/markdown.ts'
import { createSystemClock } from '../../src/lib/time.ts'
import { DocsService } from '../../src/service/docs-service.ts'

/** The client of a service that listens there, for the project `docs`. */
export function serviceAt(url: string, apiKey: string): DocsService {
  const clock = createSystemClock()
  const proxy = { httpsProxy: '', httpProxy: '', noProxy: '' }
  const http = new HttpClient({ proxy, clock, timeoutMs: 10_000 })
  const baseUrl = new URL(url)
  return new DocsService({
    baseUrl,
    projectId: 'docs',
    apiKey,
    http,
    clock,
    redact: createRedact([apiKey]),
  })
}
