import { describe, expect, it } from 'vitest'
import type { Fault } from '../../docs-service/faults/fault.ts'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { refusal, runReaders } from './scene.ts'

const NOW = '2026-07-27..2026-08-03'
const BEFORE = '2026-07-20..2026-07-27'
const REPORT = { 'visitors-summary': 'true' }
const ALONE = { 'visitors-export': 'x.csv' }
const MISSED = 'the ratings, the searches and the questions'
const ALL = { ...REPORT, 'reader-signals': 'report' }

describe('requests', () => {
  it.each([
    [0, 1],
    [250, 1],
    [251, 2],
    [1001, 5],
  ])('of an export for %i pages are %i, and all pages come', async (pages, requests) => {
    const { sent, outputs } = await runReaders({ inputs: ALONE, docs: { pages } })
    expect(sent).toEqual(
      Array.from({ length: requests }, (_, index) => `${NOW} 250@${index * 250}`),
    )
    expect(JSON.parse(outputs['visitors'] ?? '')).toMatchObject({ complete: true, requests })
  })

  it('come in this order: the verdict first, then the pages, then what readers missed', async () => {
    const { sent, warned } = await runReaders({ inputs: ALL, docs: { pages: 600 } })
    expect(sent).toEqual([
      `${NOW} 250@0`,
      `${BEFORE} 250@0`,
      '2026-07-13..2026-07-20 1@0',
      ...[
        '07-06..2026-07-13',
        '06-29..2026-07-06',
        '06-22..2026-06-29',
        '06-15..2026-06-22',
        '06-08..2026-06-15',
      ].map((days) => `2026-${days} 1@0`),
      'views',
      `${NOW} 250@250`,
      `${NOW} 250@500`,
      `${BEFORE} 250@250`,
      `${BEFORE} 250@500`,
      'feedback/by-page',
      'searches',
      'assistant',
    ])
    expect(warned).toBe('')
  })

  it('for what the agent is told come before all others', async () => {
    const inputs = { ...ALONE, 'reader-signals': 'agent', prompt: 'Explain.' }
    const { sent } = await runReaders({ inputs, docs: { pages: 10 } })
    expect(sent).toEqual(['feedback/by-page', 'searches', 'assistant', `${NOW} 250@0`])
  })

  it('are 40 at most, of which three are kept for what readers missed, and one sentence says what that cut', async () => {
    const { sent, warned, summary } = await runReaders({ inputs: ALL, docs: { pages: 6000 } })
    expect([sent.length, sent.slice(-3)]).toEqual([
      40,
      ['feedback/by-page', 'searches', 'assistant'],
    ])
    const left = 'the pages of the period before after the first 1500'
    expect(warned).toBe(`Not read, because a report makes at most 40 requests: ${left}.`)
    expect(summary).toContain('Requests: 40 of 40 allowed.')
  })
})

describe('a request that fails', () => {
  // What else is not tried again, and after which pauses the rest is, has its tests in `service` and `lib`.
  it.each<[string, Fault, RegExp]>([
    ['403', refusal(403), /\(403\).*Nope.*IP addresses/],
    [
      'totals that cannot be read',
      { kind: 'body', body: { totals: {} }, times: 'always' },
      /`totals`/,
    ],
  ])('with %s is not tried again, and fails the report', async (_name, fault, says) => {
    const { sent, failure, summary, outputs, log } = await runReaders({
      inputs: REPORT,
      faults: [fault],
    })
    expect(failure).toMatch(says)
    expect(sent).toHaveLength(1)
    expect(summary).toMatch(/^## ❌ No visitors report\n/)
    expect([outputs, log]).toEqual([{}, []])
  })

  it('with 500 is tried five times, with growing pauses', async () => {
    const { sent, pausesMs, failure, log } = await runReaders({
      inputs: REPORT,
      faults: [refusal(500)],
    })
    expect([sent.length, pausesMs]).toEqual([5, [1000, 2000, 4000, 8000]])
    expect(failure).toMatch(/\(500\).* It was tried 5 times\.$/)
    expect(log[0]).toMatch(/^Docs readers: docs: .* Trying again in /)
  })

  it('for the reads is a notice, and the report goes out without them', async () => {
    const faults = [refusal(403, { match: { path: 'views' } })]
    const { sent, failure, outputs, summary, log } = await runReaders({ inputs: REPORT, faults })
    expect([failure, sent.filter((each) => each === 'views')]).toEqual([undefined, ['views']])
    expect(JSON.parse(outputs['visitors'] ?? '')).toMatchObject({ reads: null, complete: true })
    expect(summary).not.toContain('AI made')
    expect(log).toContainEqual(expect.stringMatching(/^notice: Not read: the reads\. .*\(403\)/))
  })

  it('before the period leaves the period whole, and the step green', async () => {
    const faults = [refusal(403, { times: 1, match: { nth: 3 } })]
    const { warned, outputs, failure } = await runReaders({
      inputs: REPORT,
      faults,
      docs: { pages: 300 },
    })
    expect(failure).toBeUndefined()
    const read = { complete: true, change: expect.any(Number) }
    expect(JSON.parse(outputs['visitors'] ?? '')).toMatchObject(read)
    expect(warned).toMatch(/^Not read: 6 of the 7 weeks before\. .*\(403\).*$/)
  })

  it('later in the period leaves what was read, which is exported', async () => {
    const faults = [refusal(403, { match: { nth: 2 } })]
    const { warned, outputs, failure } = await runReaders({
      inputs: ALONE,
      faults,
      docs: { pages: 600 },
    })
    expect(failure).toBeUndefined()
    expect(JSON.parse(outputs['visitors'] ?? '').complete).toBe(false)
    expect(warned).toMatch(/^Not read: the pages of the period after the first 250\. .*\(403\).*$/)
  })

  it.each(['report', 'agent'])('ends with a cancel, at once (%s)', async (signals) => {
    const inputs = { ...REPORT, 'reader-signals': signals, prompt: 'Explain.' }
    const { sent, failure, warned } = await runReaders({
      inputs,
      faults: [refusal(500)],
      cancelAtMs: 1500,
    })
    expect([sent.length, warned]).toEqual([2, ''])
    expect(failure).toBe('Cancelled before the readers report was complete.')
  })
})

describe('five minutes', () => {
  const later = (seconds: number, more: Partial<Fault>): Fault =>
    refusal(429, { ...more, headers: { 'retry-after': `${seconds}` } })

  it('are all that it takes, a near Retry-After included', async () => {
    const faults = [1, 3, 5].map((nth) => later(140, { times: 1, match: { nth } }))
    const { warned, pausesMs } = await runReaders({ inputs: ALONE, faults, docs: { pages: 1000 } })
    expect(pausesMs).toEqual([140_000, 140_000])
    expect(warned).toMatch(/^Not read: the pages of the period after the first 500\. .*$/)
    expect(warned).toContain(
      'asks to wait 2 min 20 s before the next request, which is past the 5 minutes',
    )
  })

  it('end everything at once with a Retry-After beyond them', async () => {
    const faults = [later(2400, { match: { nth: 2 } })]
    const { sent, warned, pausesMs } = await runReaders({
      inputs: ALL,
      faults,
      docs: { pages: 600 },
    })
    expect([sent.length, pausesMs]).toEqual([2, []])
    const left = `the 7 weeks before, the reads, the pages of the period after the first 250, ${MISSED}`
    expect(warned.split('. ')[0]).toBe(`Not read: ${left}`)
    expect(warned).toMatch(
      / 100 analytics requests.* asks to wait 40 min .*, which is past the 5 minutes.*$/,
    )
  })
})

const row = (path: string, total = 1) => ({ path, human: total, ai: 0, total })
const FULL = Array.from({ length: 250 }, (_, index) => row(`/a/${index}`))
const MORE = 'The service reports more pages of the period, but returned no new ones.'
const ODD =
  'A response for the period did not contain a list of pages, or did not say whether there are more.'
const LEFT_OUT =
  '3 rows of the period without a path, or with a count that is not a number, left out.'

// Its rows by offset, and whether more follow after the last.
it.each([
  ['brings nothing new', [FULL, FULL], true, MORE, ['/a/0', '/a/1']],
  ['sends no rows at all', [[]], true, MORE, []],
  ['sends odd rows', [[row(''), null, 'row'], [row('/good')]], false, LEFT_OUT, ['/good']],
  ['sends no list of pages', [undefined], false, ODD, []],
  ['does not say whether there is more', [[row('/good')]], undefined, ODD, ['/good']],
  // The later row counts, which is no reason for anything.
  ['sends a page twice', [[row('/b', 9), row('/c', 8)], [row('/b', 7)]], false, '', ['/c', '/b']],
])('a service that %s is read as far as that goes, and that is said', async (...given) => {
  const [, pages, last, expected, first] = given
  const visitors: DocsServiceOptions['visitors'] = ({ offset }) => {
    const hasMore = offset / 250 < pages.length - 1 || last
    const body = { totals: { human: 9, ai: 1, total: 9 }, visitors: pages[offset / 250], hasMore }
    return { status: 200, body }
  }
  const { sent, warned, outputs } = await runReaders({ inputs: ALONE, docs: { visitors } })
  expect([sent.length, warned]).toEqual([pages.length, expected])
  const { top, complete } = JSON.parse(outputs['visitors'] ?? '')
  expect(complete).toBe(expected === '')
  expect(top.slice(0, 2)).toMatchObject(first.map((path) => ({ path })))
})
