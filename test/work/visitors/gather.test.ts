import { describe, expect, it, onTestFinished } from 'vitest'
import type { Fault } from '../../../docs-service/faults/fault.ts'
import type { DocsServiceOptions } from '../../../docs-service/options.ts'
import { startDocsService } from '../../../docs-service/service.ts'
import { openSystemClock } from '../../../src/machinery/clock.ts'
import { openHttp } from '../../../src/machinery/http.ts'
import { openDocsService } from '../../../src/service/docs-service.ts'
import type { PageVisitors } from '../../../src/service/visitors.ts'
import type { VisitorsFindings } from '../../../src/work/visitors/findings.ts'
import { gatherVisitors } from '../../../src/work/visitors/gather.ts'
import { fullDaysBefore } from '../../../src/work/visitors/period.ts'
import { VirtualClock } from '../../machinery/virtual-clock.ts'

const NOW_MS = Date.UTC(2026, 7, 3, 6)

type Ask = {
  readonly docs?: DocsServiceOptions
  readonly faults?: readonly Fault[]
  readonly top?: number
  readonly trend?: number
  readonly maxRequests?: number
  readonly cancel?: AbortController
  readonly onAnswer?: (requests: number) => void
}

type Gathered = {
  /** Each request as `dateFrom..dateTo limit@offset`. */
  readonly asked: string[]
  readonly rows: PageVisitors[]
  readonly pausesMs: number[]
  readonly elapsedMs: number
  /** Rejects as the gathering did. */
  readonly findings: Promise<VisitorsFindings>
}

/** Gathers from a real service over HTTP, by a clock that jumps over each pause. */
async function gather(ask: Ask = {}): Promise<Gathered> {
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
    await http.close()
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
function scripted(
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

function fullPage(name: string, total = 1): [string, number][] {
  return Array.from({ length: 250 }, (_, index) => [`/${name}/${index}`, total])
}

const status = (code: number, extra: Partial<Extract<Fault, { kind: 'status' }>> = {}): Fault => ({
  kind: 'status',
  status: code,
  times: 'always',
  body: { error: 'Nope', details: [{ message: 'dateFrom is odd' }] },
  ...extra,
})

describe('requests', () => {
  it.each([
    [0, 1],
    [1, 1],
    [249, 1],
    [250, 1],
    [251, 2],
    [1000, 4],
    [1001, 5],
  ])('for %i rows without a trend are %i, and all rows come', async (pages, requests) => {
    const { asked, rows, findings } = await gather({ docs: { pages } })
    expect(asked).toEqual(
      Array.from({ length: requests }, (_, index) => `2026-07-27..2026-08-03 250@${index * 250}`),
    )
    expect(new Set(rows.map(({ path }) => path)).size).toBe(pages)
    const { complete, requests: counted, trend, previous, change, top } = await findings
    expect({ complete, counted, trend: trend.length, previous, change }).toEqual({
      complete: true,
      counted: requests,
      trend: 1,
      previous: undefined,
      change: 'unknown',
    })
    expect(top).toHaveLength(Math.min(10, pages))
  })

  it('come in the order of the contract: the period, totals before it, pages of the one before', async () => {
    const { asked, findings } = await gather({ docs: { pages: 600 }, trend: 4 })
    expect(asked).toEqual([
      '2026-07-27..2026-08-03 250@0',
      '2026-07-27..2026-08-03 250@250',
      '2026-07-27..2026-08-03 250@500',
      '2026-07-20..2026-07-27 250@0',
      '2026-07-13..2026-07-20 1@0',
      '2026-07-06..2026-07-13 1@0',
      '2026-07-20..2026-07-27 250@250',
      '2026-07-20..2026-07-27 250@500',
    ])
    const { moves, gaps, trend, previous } = await findings
    expect(gaps).toEqual([])
    expect(trend.map(({ period }) => period.from.text)).toEqual([
      '2026-07-06',
      '2026-07-13',
      '2026-07-20',
      '2026-07-27',
    ])
    expect(trend.at(-2)?.totals).toEqual(previous)
    expect(moves?.risers).toHaveLength(10)
    expect(moves?.fallers).toHaveLength(10)
  })

  it.each([
    [2, { complete: false, trend: 1, moves: false, gaps: ['current requests', 'trend requests'] }],
    [3, { complete: true, trend: 1, moves: false, gaps: ['trend requests'] }],
    [4, { complete: true, trend: 2, moves: false, gaps: ['trend requests', 'previous requests'] }],
    [7, { complete: true, trend: 4, moves: false, gaps: ['previous requests'] }],
    [8, { complete: true, trend: 4, moves: true, gaps: [] }],
  ])('of at most %i leave out the end of that order, and say so', async (maxRequests, expected) => {
    const { asked, findings } = await gather({ docs: { pages: 600 }, trend: 4, maxRequests })
    const { complete, trend, moves, gaps } = await findings
    expect(asked).toHaveLength(Math.min(maxRequests, 8))
    expect({
      complete,
      trend: trend.length,
      moves: moves !== undefined,
      gaps: gaps.map(({ part, flaw }) => `${part} ${flaw}`),
    }).toEqual(expected)
  })

  it('that are tried again count', async () => {
    const { asked, findings } = await gather({
      docs: { pages: 600 },
      maxRequests: 3,
      faults: [status(500, { times: 1 })],
    })
    expect(asked).toHaveLength(3)
    expect(await findings).toMatchObject({ complete: false, requests: 3, rows: 500 })
  })
})

describe('a service that is not to be believed', () => {
  it('is left alone once a page that announces more brings nothing new', async () => {
    const { asked, findings } = await gather({ docs: scripted([fullPage('a'), fullPage('a')], () => true) })
    expect(asked).toHaveLength(2)
    const { complete, gaps, top } = await findings
    expect(complete).toBe(false)
    expect(gaps.map(({ flaw }) => flaw)).toEqual(expect.arrayContaining(['no-more-rows', 'repeated']))
    expect(new Set(top.map(({ path }) => path)).size).toBe(10)
  })

  it('is left alone if it announces more and sends no rows at all', async () => {
    const { asked, findings } = await gather({ docs: scripted([[]], () => true) })
    expect(asked).toHaveLength(1)
    expect(await findings).toMatchObject({ complete: false, top: [] })
  })

  it('counts the later of rows that come twice; nothing is compared where that was so in the period before', async () => {
    const first: [string, number][] = [['/twice', 1000], ...fullPage('a').slice(1)]
    const { findings } = await gather({
      docs: scripted([
        first,
        [
          ['/twice', 5],
          ['/b', 7],
        ],
      ]),
      trend: 2,
      top: 3,
    })
    const { complete, top, moves, repeats } = await findings
    expect(complete).toBe(true)
    expect(moves).toBeUndefined()
    expect(top.map(({ path, total }) => [path, total])).toEqual([
      ['/b', 7],
      ['/twice', 5],
      ['/a/1', 1],
    ])
    expect([...repeats]).toEqual([['/twice', 250]])
  })

  it('compares nothing where rows came twice: another may not have come at all', async () => {
    const { findings } = await gather({
      docs: scripted([
        [
          ['/a', 5],
          ['/b', 3],
        ],
        [['/a', 5]],
      ]),
      trend: 2,
    })
    expect((await findings).moves).toBeUndefined()
  })

  it('is read on where pages are short though there is more', async () => {
    const { asked, findings } = await gather({ docs: scripted([[['/a', 1]], [['/b', 1]]]) })
    expect(asked.at(-1)).toContain('250@250')
    expect(await findings).toMatchObject({ complete: true, rows: 2, gaps: [] })
  })

  it('may end with the totals that it gave last', async () => {
    let answers = 0
    const docs: DocsServiceOptions = {
      visitors: () => {
        answers += 1
        const totals = { human: answers, ai: 0, total: answers }
        const visitors = fullPage(`${answers}`).map(([path, total]) => ({ path, human: total, ai: 0, total }))
        return { status: 200, body: { totals, visitors, hasMore: answers < 3 } }
      },
    }
    expect(await (await gather({ docs })).findings).toMatchObject({ totals: { total: 3 }, complete: true })
  })
})

describe('a request that fails', () => {
  it.each<[string, Fault, RegExp]>([
    ['400 with details', status(400), /answered 400.*list the visitors.*Nope; dateFrom is odd/],
    ['401', status(401), /answered 401.*expired/],
    ['403', status(403), /answered 403.*IP addresses/],
    ['404', status(404), /answered 404.*project-id/],
    ['an HTML page', { kind: 'html', times: 'always' }, /HTML page/],
    ['half an answer', { kind: 'truncate-clean', times: 'always' }, /not JSON/],
    ['another shape', { kind: 'body', body: { totals: {} }, times: 'always' }, /another shape.*totals/],
    ['too much', { kind: 'huge', times: 'always' }, /larger than 16 MiB/],
    ['a redirect', { kind: 'redirect', location: 'http://127.0.0.1:9/', times: 'always' }, /Redirects/],
  ])('with %s is not tried again, and says why', async (_name, fault, says) => {
    const { asked, findings } = await gather({ faults: [fault] })
    await expect(findings).rejects.toThrow(says)
    expect(asked).toHaveLength(1)
  })

  it.each<[string, Fault, RegExp]>([
    ['500', status(500), /answered 500.*asked 5 times/],
    ['503', status(503), /answered 503.*asked 5 times/],
    ['408', status(408), /answered 408/],
    ['429 without Retry-After', status(429), /answered 429.*100 analytics requests.*asked 5 times/],
    ['a connection that breaks', { kind: 'reset', times: 'always' }, /could not be asked: .*broke off/],
  ])('with %s is tried five times with growing pauses', async (_name, fault, says) => {
    const { asked, pausesMs, findings } = await gather({ faults: [fault] })
    await expect(findings).rejects.toThrow(says)
    expect(asked).toHaveLength(5)
    expect(pausesMs).toEqual([1000, 2000, 4000, 8000])
  })

  it('waits as long as a near Retry-After says', async () => {
    const near = status(429, { times: 1, headers: { 'retry-after': '17' } })
    const { pausesMs, elapsedMs, findings } = await gather({ faults: [near] })
    expect(await findings).toMatchObject({ complete: true, requests: 2 })
    expect([pausesMs, elapsedMs]).toEqual([[17_000], 17_000])
  })

  it('ends at once with a far Retry-After, and names the limit', async () => {
    const far = status(429, { headers: { 'retry-after': '2400' } })
    const { asked, elapsedMs, findings } = await gather({ faults: [far] })
    await expect(findings).rejects.toThrow(
      /100 analytics requests.*only in 40 min 00 s.*past the end of the 5 minutes/,
    )
    expect([asked.length, elapsedMs]).toEqual([1, 0])
  })

  it('names the limit of requests if that keeps it from being tried again', async () => {
    const { asked, findings } = await gather({ faults: [status(500)], maxRequests: 2 })
    await expect(findings).rejects.toThrow(/answered 500.*`visitors-max-requests` is 2/)
    expect(asked).toHaveLength(2)
  })

  it('later in the period leaves what was read, and ends the asking', async () => {
    const late = status(401, { match: { nth: 3 } })
    const { asked, findings } = await gather({ docs: { pages: 1000 }, trend: 8, faults: [late] })
    expect(asked).toHaveLength(3)
    const { complete, rows, gaps, trend } = await findings
    expect([complete, rows, trend.length]).toEqual([false, 500, 1])
    expect(gaps).toMatchObject([
      { part: 'current', flaw: 'failed', end: { message: expect.stringMatching(/answered 401/) } },
    ])
  })

  it('before the period leaves the report whole, without what came before', async () => {
    const late = status(403, { match: { nth: 4 } })
    const { asked, findings } = await gather({ docs: { pages: 600 }, trend: 8, faults: [late] })
    expect(asked).toHaveLength(4)
    const { complete, gaps, previous, moves } = await findings
    expect([complete, previous, moves]).toEqual([true, undefined, undefined])
    expect(gaps).toMatchObject([{ part: 'trend', flaw: 'failed' }])
  })
})

describe('time', () => {
  it('of five minutes is all that it takes', async () => {
    const slow = (nth: number): Fault =>
      status(429, { times: 1, match: { nth }, headers: { 'retry-after': '140' } })
    const { elapsedMs, findings } = await gather({
      docs: { pages: 1000 },
      faults: [slow(1), slow(4), slow(5)],
    })
    expect(elapsedMs).toBeLessThan(300_000)
    const { complete, gaps, rows } = await findings
    expect([complete, rows]).toEqual([false, 500])
    expect(gaps).toMatchObject([
      { part: 'current', flaw: 'failed', end: { message: expect.stringMatching(/5 minutes/) } },
    ])
  })

  it('ends with a cancel, at once', async () => {
    const cancel = new AbortController()
    const onAnswer = (requests: number): void => {
      if (requests === 2) cancel.abort(new Error('enough'))
    }
    const { asked, findings } = await gather({ docs: { pages: 1000 }, cancel, onAnswer })
    await expect(findings).rejects.toThrow('enough')
    expect(asked).toHaveLength(2)
  })
})
