import { describe, expect, it } from 'vitest'
import type { Fault } from '../../docs-service/faults/fault.ts'
import { gather, status } from './gathering.ts'

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
