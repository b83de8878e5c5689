import { onTestFinished } from 'vitest'
import type { Fault } from '../../docs-service/faults/fault.ts'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { startDocsService } from '../../docs-service/service.ts'
import { openSystemClock } from '../../src/lib/clock.ts'
import { openHttp } from '../../src/lib/http.ts'
import { openDocsService } from '../../src/service/docs-service.ts'
import { fullDaysBefore } from '../../src/visitors/period.ts'
import { readVisitors, type VisitorsReading } from '../../src/visitors/read.ts'
import { VisitorsRequests } from '../../src/visitors/requests.ts'
import { VirtualClock } from '../lib/virtual-clock.ts'

/** When a reading begins: a Monday morning. */
export const NOW_MS = Date.UTC(2026, 7, 3, 6)

/** What differs from reading to reading. */
type ReadingOptions = {
  readonly docs?: DocsServiceOptions
  readonly faults?: readonly Fault[]
  readonly trend?: number
  readonly maxRequests?: number
  readonly cancel?: AbortController
  readonly random?: () => number
  readonly clock?: VirtualClock
}

/** What is seen of one. */
type ObservedReading = {
  /** Each request as `dateFrom..dateTo limit@offset`. */
  readonly sent: string[]
  readonly log: string[]
  readonly pausesMs: number[]
  readonly elapsedMs: number
  /** Rejects as the reading did. */
  readonly reading: Promise<VisitorsReading>
}

/** Reads from a real service over HTTP, by a clock that jumps over each pause. */
export async function read(options: ReadingOptions = {}): Promise<ObservedReading> {
  const docs = await startDocsService({ agent: 'none', now: () => NOW_MS, ...options.docs })
  const clock = options.clock ?? new VirtualClock(NOW_MS)
  const proxy = { httpsProxy: '', httpProxy: '', noProxy: '' }
  const http = openHttp({
    proxy,
    clock: openSystemClock(),
    timeoutMs: 10_000,
    bodyLimitBytes: 16 * 1024 ** 2,
  })
  onTestFinished(async () => {
    http.close()
    await docs.close()
  })
  for (const fault of options.faults ?? []) docs.faults.add(fault)
  const service = openDocsService({
    baseUrl: new URL(docs.url),
    projectId: 'docs',
    apiKey: docs.key,
    http,
    clock,
    redact: (text) => text,
  })
  const log: string[] = []
  const pausesMs: number[] = []
  const { trend = 1, maxRequests = 40, cancel = new AbortController(), random = () => 0.5 } = options
  const sleep = clock.sleep.bind(clock)
  clock.sleep = (ms, signal) => {
    pausesMs.push(ms)
    return sleep(ms, signal)
  }
  const requests = new VisitorsRequests(service, {
    clock,
    random,
    cancel: cancel.signal,
    maxRequests,
    onProgress: (line) => log.push(line),
  })
  const reading = readVisitors(requests, { period: fullDaysBefore(clock.now(), 7), trend })
  await reading.catch(() => undefined)
  const sent = docs.requests.map(
    ({ query }) => `${query['dateFrom']}..${query['dateTo']} ${query['limit']}@${query['offset']}`,
  )
  return { sent, log, pausesMs, elapsedMs: clock.now() - NOW_MS, reading }
}

/** A service that gives these pages of rows by offset, and says more follows after all but the last. */
export function scripted(
  pages: readonly (readonly [path: string, total: number][])[],
  hasMore = (index: number) => index < pages.length - 1,
): DocsServiceOptions {
  return {
    visitors: ({ offset, limit }) => {
      const index = limit === 1 ? 0 : Math.min(offset / 250, pages.length - 1)
      const visitors = (pages[index] ?? []).map(([path, total]) => ({ path, human: total, ai: 0, total }))
      return {
        status: 200,
        body: { totals: { human: 9, ai: 1, total: 9 }, visitors, hasMore: hasMore(index) },
      }
    },
  }
}

/** As many rows as one answer holds. */
export function fullPage(name: string, total = 1): [string, number][] {
  return Array.from({ length: 250 }, (_, index) => [`/${name}/${index}`, total])
}

/** A service that answers with a status. */
export const status = (code: number, extra: Partial<Extract<Fault, { kind: 'status' }>> = {}): Fault => ({
  kind: 'status',
  status: code,
  times: 'always',
  body: { error: 'Nope', details: [{ message: 'dateFrom is odd' }] },
  ...extra,
})
