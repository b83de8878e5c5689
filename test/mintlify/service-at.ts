import { HttpClient } from '../../src/lib/http.ts'
import { createRedact } from '../../src/lib/markdown.ts'
import { createSystemClock } from '../../src/lib/time.ts'
import { MintlifyClient } from '../../src/mintlify/mintlify-client.ts'

/** The client of a service that listens there, for the project `docs`. */
export function serviceAt(url: string, apiKey: string, name = 'Mintlify'): MintlifyClient {
  const clock = createSystemClock()
  const proxy = { httpsProxy: '', httpProxy: '', noProxy: '' }
  const http = new HttpClient({ proxy, clock, timeoutMs: 10_000 })
  const baseUrl = new URL(url)
  return new MintlifyClient({
    name,
    baseUrl,
    projectId: 'docs',
    apiKey,
    http,
    clock,
    redact: createRedact([apiKey]),
  })
}
