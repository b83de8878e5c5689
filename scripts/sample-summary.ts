import { startDocsService } from '../docs-service/service.ts'
import { openSystemClock } from '../src/lib/clock.ts'
import { openHttp } from '../src/lib/http.ts'
import { openDocsService } from '../src/service/docs-service.ts'
import type { VisitorsOptions } from '../src/visitors/options.ts'
import { fullDaysBefore } from '../src/visitors/period.ts'
import { readVisitors } from '../src/visitors/read.ts'
import { makeReport } from '../src/visitors/report.ts'
import { VisitorsRequests } from '../src/visitors/requests.ts'
import { visitorsSummary } from '../src/visitors/summary.ts'

/** A Monday morning. */
const NOW_MS = Date.UTC(2026, 7, 3, 6)

/** The visitors report of the embedded docs service, as Markdown; the same every time. */
export async function sampleSummary({ pages = 1200, top = 5, trend = 8 } = {}): Promise<string> {
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
  const options: VisitorsOptions = {
    period: fullDaysBefore(NOW_MS, 7),
    soFar: false,
    summary: true,
    top,
    trend,
    maxRequests: 40,
    exportTo: undefined,
    siteUrl: undefined,
  }
  const requests = new VisitorsRequests(service, {
    clock,
    random: Math.random,
    cancel: new AbortController().signal,
    maxRequests: options.maxRequests,
    onProgress: () => undefined,
  })
  try {
    const report = makeReport(await readVisitors(requests, options), options)
    return visitorsSummary(report, { ...options, projectId: 'docs', exported: false }).source
  } finally {
    http.close()
    await peer.close()
  }
}
