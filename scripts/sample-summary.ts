import { startDocsService } from '../docs-service/service.ts'
import { openSystemClock } from '../src/lib/clock.ts'
import { openHttp } from '../src/lib/http.ts'
import { openDocsService } from '../src/service/docs-service.ts'
import { gatherVisitors } from '../src/visitors/gather.ts'
import { fullDaysBefore } from '../src/visitors/period.ts'
import { visitorsSummary } from '../src/visitors/summary.ts'

/** A Monday morning. */
const NOW_MS = Date.UTC(2026, 7, 3, 6)
const LIMITS = { trend: 8, maxRequests: 40 }

/** The visitors report of the embedded docs service, as Markdown; the same every time. */
export async function sampleSummary({ pages = 1200, top = 5, trend = LIMITS.trend } = {}): Promise<string> {
  const clock = openSystemClock()
  const proxy = { httpsProxy: '', httpProxy: '', noProxy: '' }
  const http = openHttp({ proxy, clock, timeLimitMs: 30_000, bodyLimitBytes: 16 * 1024 ** 2 })
  const peer = await startDocsService({ agent: 'none', pages, seed: 7 })
  const service = openDocsService({
    baseUrl: new URL(peer.url),
    projectId: 'docs',
    apiKey: peer.key,
    http,
    clock,
    redact: (text) => text,
  })
  try {
    const findings = await gatherVisitors(
      service,
      { period: fullDaysBefore(NOW_MS, 7), top, trend },
      {
        clock,
        random: Math.random,
        cancel: new AbortController().signal,
        maxRequests: LIMITS.maxRequests,
        onEvent: () => undefined,
        onRows: async () => undefined,
      },
    )
    return visitorsSummary(findings, { trend, maxRequests: LIMITS.maxRequests, exported: '' }).source
  } finally {
    http.close()
    await peer.close()
  }
}
