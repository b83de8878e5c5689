import { onTestFinished } from 'vitest'
import type { Fault } from '../../docs-service/faults/fault.ts'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { startDocsService } from '../../docs-service/service.ts'
import { openSystemClock } from '../../src/lib/clock.ts'
import { openHttp } from '../../src/lib/http.ts'
import { openDocsService } from '../../src/service/docs-service.ts'
import type { PageVisitors } from '../../src/service/visitors.ts'
import type { VisitorsFindings } from '../../src/visitors/findings.ts'
import { gatherVisitors } from '../../src/visitors/gather.ts'
import { fullDaysBefore } from '../../src/visitors/period.ts'
import { VirtualClock } from '../lib/virtual-clock.ts'

/** When a gathering begins: a Monday morning. */
export const NOW_MS = Date.UTC(2026, 7, 3, 6)

/** What differs from gathering to gathering. */
export type Ask = {
  readonly docs?: DocsServiceOptions
  readonly faults?: readonly Fault[]
  readonly top?: number
  readonly trend?: number
  readonly maxRequests?: number
  readonly cancel?: AbortController
  readonly onAnswer?: (requests: number) => void
}

/** What is seen of one. */
export type Gathered = {
  /** Each request as `dateFrom..dateTo limit@offset`. */
  readonly asked: string[]
  readonly rows: PageVisitors[]
  readonly pausesMs: number[]
  readonly elapsedMs: number
  /** Rejects as the gathering did. */
  readonly findings: Promise<VisitorsFindings>
}

/** Gathers from a real service over HTTP, by a clock that jumps over each pause. */
export async function gather(ask: Ask = {}): Promise<Gathered> {
  const docs = await startDocsService({ agent: 'none', now: () => NOW_MS, ...ask.docs })
  const clock = new VirtualClock(NOW_MS)
  const proxy = { httpsProxy: '', httpProxy: '', noProxy: '' }
  const http = openHttp({
    proxy,
    clock: openSystemClock(),
    timeLimitMs: 10_000,
    bodyLimitBytes: 16 * 1024 ** 2,
  })
  onTestFinished(async () => {
    http.close()
    await docs.close()
  })
  for (const fault of ask.faults ?? []) docs.faults.add(fault)
  const service = openDocsService({
    baseUrl: new URL(docs.url),
    projectId: 'docs',
    apiKey: docs.key,
    http,
    clock,
    redact: (text) => text,
  })
  const rows: PageVisitors[] = []
  const pausesMs: number[] = []
  const { top = 10, trend = 1, maxRequests = 40, cancel = new AbortController() } = ask
  const findings = gatherVisitors(
    service,
    { period: fullDaysBefore(clock.now(), 7), top, trend },
    {
      clock,
      random: () => 0.5,
      cancel: cancel.signal,
      maxRequests,
      onEvent(event) {
        if (event.type === 'ask-again') pausesMs.push(event.retryInMs)
        else ask.onAnswer?.(event.requests)
      },
      onRows: async (page) => void rows.push(...page),
    },
  )
  await findings.catch(() => undefined)
  const asked = docs.requests.map(
    ({ query }) => `${query['dateFrom']}..${query['dateTo']} ${query['limit']}@${query['offset']}`,
  )
  return { asked, rows, pausesMs, elapsedMs: clock.now() - NOW_MS, findings }
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
