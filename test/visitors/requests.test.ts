import { describe, expect, it } from 'vitest'
import type { Fault } from '../../docs-service/faults/fault.ts'
import { isComplete } from '../../src/visitors/read.ts'
import { VirtualClock } from '../lib/virtual-clock.ts'
import { fullPage, NOW_MS, read, scripted, status } from './reading.ts'

describe('a request that fails', () => {
  it.each<[string, Fault, RegExp]>([
    ['400 with details', status(400), /400.*Nope; dateFrom is odd/],
    ['401', status(401), /401.*expired/],
    ['403', status(403), /403.*IP addresses/],
    ['404', status(404), /404.*project-id/],
    ['an HTML page', { kind: 'html', times: 'always' }, /HTML page/],
    ['half an answer', { kind: 'truncate-clean', times: 'always' }, /not JSON/],
    ['totals that can not be read', { kind: 'body', body: { totals: {} }, times: 'always' }, /`totals`/],
    ['too much', { kind: 'huge', times: 'always' }, /larger than 16 MiB/],
    ['a redirect', { kind: 'redirect', location: 'http://127.0.0.1:9/', times: 'always' }, /Redirects/],
  ])('with %s is not tried again, and says why', async (_name, fault, says) => {
    const { sent, reading } = await read({ faults: [fault] })
    await expect(reading).rejects.toThrow(says)
    expect(sent).toHaveLength(1)
  })

  it.each<[string, Fault, RegExp]>([
    ['500', status(500), /500.*tried 5 times/],
    ['503', status(503), /503.*tried 5 times/],
    ['408', status(408), /408.*tried 5 times/],
    ['429 without Retry-After', status(429), /429.*100 analytics requests.*tried 5 times/],
    ['a connection that breaks', { kind: 'reset', times: 'always' }, /broke off.*tried 5 times/],
  ])('with %s is tried five times with growing pauses', async (_name, fault, says) => {
    const { sent, pausesMs, reading, log } = await read({ faults: [fault] })
    await expect(reading).rejects.toThrow(says)
    expect(sent).toHaveLength(5)
    expect(pausesMs).toEqual([1000, 2000, 4000, 8000])
    expect(log[0]).toMatch(/Trying again in 1 s\.$/)
  })

  it.each([
    [0, [900, 1800, 3600, 7200]],
    [0.999_999, [1100, 2200, 4400, 8800]],
  ])('waits with jitter: a draw of %d makes %j', async (draw, expected) => {
    const { pausesMs } = await read({ faults: [status(500)], random: () => draw })
    expect(pausesMs.map((ms) => Math.round(ms))).toEqual(expected)
  })

  it('waits as long as a near Retry-After says', async () => {
    const near = status(429, { times: 1, headers: { 'retry-after': '17' } })
    const { pausesMs, elapsedMs, reading } = await read({ faults: [near] })
    const { current, requests } = await reading
    expect([isComplete(current), requests]).toEqual([true, 2])
    expect([pausesMs, elapsedMs]).toEqual([[17_000], 17_000])
  })

  it.each([
    ['2400', /100 analytics requests.*asks to wait 40 min 00 s.*past the 5 minutes/],
    ['9'.repeat(400), /asks to wait a year or more before the next request, which is past the 5 minutes/],
  ])('ends at once with a Retry-After of %s, and names the limit', async (seconds, says) => {
    const far = status(429, { headers: { 'retry-after': seconds } })
    const { sent, elapsedMs, reading } = await read({ faults: [far] })
    await expect(reading).rejects.toThrow(says)
    expect([sent.length, elapsedMs]).toEqual([1, 0])
  })

  it('names the limit of requests if that keeps it from being tried again', async () => {
    const { sent, reading } = await read({ faults: [status(500)], maxRequests: 2 })
    await expect(reading).rejects.toThrow(/500.*`visitors-max-requests` is 2/)
    expect(sent).toHaveLength(2)
  })

  it('later in the period leaves what was read, and nothing more is sent', async () => {
    const late = status(401, { match: { nth: 3 } })
    const { sent, reading } = await read({ docs: { pages: 1000 }, trend: 8, faults: [late] })
    expect(sent).toHaveLength(3)
    const { current, before, previous } = await reading
    expect([isComplete(current), current.pages.size, before, previous]).toEqual([false, 500, [], undefined])
    expect(current.stopped).toMatchObject({ reason: 'failed', message: expect.stringMatching(/401/) })
  })

  it('before the period leaves the period whole, without what came before', async () => {
    const late = status(403, { match: { nth: 4 } })
    const { sent, reading } = await read({ docs: { pages: 600 }, trend: 8, faults: [late] })
    expect(sent).toHaveLength(4)
    const { current, previous, beforeStopped } = await reading
    expect([isComplete(current), previous, beforeStopped?.reason]).toEqual([true, undefined, 'failed'])
  })
})

describe('time', () => {
  it('of five minutes is all that it takes', async () => {
    const slow = (nth: number): Fault =>
      status(429, { times: 1, match: { nth }, headers: { 'retry-after': '140' } })
    const { elapsedMs, reading } = await read({
      docs: { pages: 1000 },
      faults: [slow(1), slow(4), slow(5)],
    })
    expect(elapsedMs).toBe(280_000)
    const { current } = await reading
    expect([isComplete(current), current.pages.size]).toEqual([false, 500])
    expect(current.stopped).toMatchObject({
      reason: 'failed',
      message: expect.stringMatching(
        /asks to wait 2 min 20 s before the next request, which is past the 5 minutes/,
      ),
    })
  })

  it('that is up while a request is under way leaves what was read', async () => {
    const clock = new VirtualClock(NOW_MS)
    const { visitors } = scripted([fullPage('a'), fullPage('b'), fullPage('c')])
    const { sent, reading } = await read({
      clock,
      trend: 8,
      docs: {
        visitors: (query) => {
          if (query.offset === 500) void clock.sleep(300_000)
          return visitors?.(query)
        },
      },
    })
    expect(sent).toHaveLength(3)
    const { current, before, beforeStopped } = await reading
    expect([current.pages.size, current.stopped?.reason]).toEqual([500, 'time'])
    expect([before, beforeStopped?.reason]).toEqual([[], 'time'])
  })

  it('ends with a cancel, at once', async () => {
    const cancel = new AbortController()
    let answers = 0
    const { sent, reading } = await read({
      docs: {
        pages: 1000,
        onAnswer: () => {
          answers += 1
          if (answers === 2) cancel.abort(new Error('enough'))
        },
      },
      cancel,
    })
    await expect(reading).rejects.toThrow('enough')
    expect(sent).toHaveLength(2)
  })
})
