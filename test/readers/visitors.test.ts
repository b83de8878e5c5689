import { describe, expect, it } from 'vitest'
import type { Fault } from '../../docs-service/faults/fault.ts'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { refusal, runReaders } from './scene.ts'

const NOW = '2026-07-27..2026-08-03'
const BEFORE = '2026-07-20..2026-07-27'
const REPORT = { 'visitors-summary': 'true' }
const ALONE = { ...REPORT, 'visitors-trend': '1' }
const ALL = { ...REPORT, 'visitors-trend': '4', 'reader-signals': 'report' }

describe('requests', () => {
  it.each([
    [0, 1],
    [250, 1],
    [251, 2],
    [1001, 5],
  ])('for %i pages without a trend are %i, and all pages come', async (pages, requests) => {
    const { sent, outputs, summary } = await runReaders({ inputs: ALONE, docs: { pages } })
    expect(sent).toEqual(Array.from({ length: requests }, (_, index) => `${NOW} 250@${index * 250}`))
    expect(outputs['visitors-complete']).toBe('true')
    expect(summary).toContain(pages === 0 ? 'No page had' : `of ${pages > 999 ? '1,001' : pages}</summary>`)
  })

  it('come in this order: the verdict first, then the pages, then what readers missed', async () => {
    const { sent, warnings } = await runReaders({ inputs: ALL, docs: { pages: 600 } })
    expect(sent).toEqual([
      `${NOW} 250@0`,
      `${BEFORE} 250@0`,
      '2026-07-13..2026-07-20 1@0',
      '2026-07-06..2026-07-13 1@0',
      `${NOW} 250@250`,
      `${NOW} 250@500`,
      `${BEFORE} 250@250`,
      `${BEFORE} 250@500`,
      'feedback/by-page',
      'searches',
      'assistant',
    ])
    expect(warnings).toEqual([])
  })

  it('for what the agent is told come before all others', async () => {
    const inputs = { ...ALONE, 'reader-signals': 'agent', prompt: 'Explain.' }
    const { sent } = await runReaders({ inputs, docs: { pages: 10 } })
    expect(sent).toEqual(['feedback/by-page', 'searches', 'assistant', `${NOW} 250@0`])
  })

  const MISSED = 'the ratings, the searches and the questions'
  it.each([
    [1, `the 3 weeks before, the pages of the period after the first 250, ${MISSED}`],
    [
      3,
      `1 of the 3 weeks before, the pages of the period after the first 250, the pages of the period before after the first 250, ${MISSED}`,
    ],
    [6, `the pages of the period before after the first 250, ${MISSED}`],
    [10, 'the questions'],
  ])('of at most %i leave out the end of that order, and one sentence says so', async (max, left) => {
    const inputs = { ...ALL, 'visitors-max-requests': `${max}` }
    const { sent, warnings, failure, summary } = await runReaders({ inputs, docs: { pages: 600 } })
    expect(sent).toHaveLength(max)
    expect(warnings).toEqual([`Not read, because \`visitors-max-requests\` is ${max}: ${left}.`])
    expect(failure).toBeUndefined()
    expect(summary).toContain(`Requests: ${max} of ${max} allowed.`)
  })

  it('that are tried again count', async () => {
    const inputs = { ...ALONE, 'visitors-max-requests': '3' }
    const faults = [refusal(500, { times: 1 })]
    const { sent, outputs, summary } = await runReaders({ inputs, faults, docs: { pages: 600 } })
    expect(sent).toHaveLength(3)
    expect(JSON.parse(outputs['visitors'] ?? '')).toMatchObject({ complete: false, requests: 3 })
    expect(summary).toContain('⚠️ Not complete: 500 pages could be read.')
  })
})

describe('a request that fails', () => {
  it.each<[string, Fault, RegExp]>([
    ['401', refusal(401), /\(401\).*expired/],
    ['403', refusal(403), /\(403\).*Nope.*IP addresses/],
    ['an HTML page', { kind: 'html', times: 'always' }, /HTML page/],
    ['totals that cannot be read', { kind: 'body', body: { totals: {} }, times: 'always' }, /`totals`/],
    ['too much', { kind: 'huge', times: 'always' }, /16 MiB/],
    ['a redirect', { kind: 'redirect', location: 'http://127.0.0.1:9/', times: 'always' }, /Redirects/],
  ])('with %s is not tried again, and fails the report', async (_name, fault, says) => {
    const { sent, failure, summary, outputs, log } = await runReaders({ inputs: REPORT, faults: [fault] })
    expect(failure).toMatch(says)
    expect(failure).toMatch(/ So there is no visitors report\.$/)
    expect(sent).toHaveLength(1)
    expect(summary).toMatch(/^## ❌ No visitors report\n/)
    expect([outputs, log]).toEqual([{}, []])
  })

  it.each([
    [500, 0.5, [1000, 2000, 4000, 8000]],
    [408, 0, [900, 1800, 3600, 7200]],
    [429, 0.999_999, [1100, 2200, 4400, 8800]],
  ])('with %i is tried five times, with growing pauses', async (code, draw, expected) => {
    const given = { inputs: REPORT, faults: [refusal(code)], random: () => draw }
    const { sent, pausesMs, failure, log } = await runReaders(given)
    expect(sent).toHaveLength(5)
    expect(pausesMs.map(Math.round)).toEqual(expected)
    expect(failure).toMatch(new RegExp(`\\(${code}\\).* It was tried 5 times\\. So there is`))
    expect(log[0]).toMatch(/^Docs readers: docs: .* Trying again in /)
  })

  it('says that no request is left, if that keeps it from being tried again', async () => {
    const inputs = { ...REPORT, 'visitors-max-requests': '2' }
    const { sent, failure } = await runReaders({ inputs, faults: [refusal(500)] })
    expect(sent).toHaveLength(2)
    expect(failure).toContain('No request is left of `visitors-max-requests` to try it again.')
  })

  it('before the period leaves the period whole, and the step green', async () => {
    const faults = [refusal(403, { times: 1, match: { nth: 3 } })]
    const { warnings, outputs, failure } = await runReaders({ inputs: REPORT, faults, docs: { pages: 300 } })
    expect([failure, outputs['visitors-complete']]).toEqual([undefined, 'true'])
    expect(outputs['visitors-change']).toMatch(/^[+-]?\d+\.\d$/)
    expect(warnings).toEqual([expect.stringMatching(/^Not read: 6 of the 7 weeks before\. .*\(403\)/)])
  })

  it('later in the period leaves what was read, which is exported', async () => {
    const faults = [refusal(403, { match: { nth: 2 } })]
    const inputs = { ...ALONE, 'visitors-export': 'x.ndjson' }
    const { warnings, outputs, failure } = await runReaders({ inputs, faults, docs: { pages: 600 } })
    expect(failure).toBeUndefined()
    expect(outputs).toMatchObject({ 'visitors-complete': 'false', 'visitors-export': 'x.ndjson' })
    expect(warnings).toEqual([
      expect.stringMatching(/^Not read: the pages of the period after the first 250\. .*\(403\)/),
    ])
  })

  it.each(['report', 'agent'])('ends with a cancel, at once (%s)', async (signals) => {
    const inputs = { ...REPORT, 'reader-signals': signals, prompt: 'Explain.' }
    const { sent, failure, warnings } = await runReaders({ inputs, faults: [refusal(500)], cancelAtMs: 1500 })
    expect([sent.length, warnings]).toEqual([2, []])
    expect(failure).toBe('Cancelled before the readers report was complete.')
  })
})

describe('five minutes', () => {
  const later = (seconds: number, more: Partial<Fault>): Fault =>
    refusal(429, { ...more, headers: { 'retry-after': `${seconds}` } })

  it('are all that it takes, a near Retry-After included', async () => {
    const faults = [1, 3, 5].map((nth) => later(140, { times: 1, match: { nth } }))
    const { warnings, pausesMs } = await runReaders({ inputs: ALONE, faults, docs: { pages: 1000 } })
    expect(pausesMs).toEqual([140_000, 140_000])
    expect(warnings).toEqual([
      expect.stringMatching(
        /after the first 500\. .*asks to wait 2 min 20 s before the next request, which is past the 5 minutes/,
      ),
    ])
  })

  it('end everything at once with a Retry-After beyond them', async () => {
    const faults = [later(2400, { match: { nth: 2 } })]
    const { sent, warnings, pausesMs } = await runReaders({ inputs: ALL, faults, docs: { pages: 600 } })
    expect([sent.length, pausesMs]).toEqual([2, []])
    expect(warnings).toEqual([
      expect.stringMatching(
        /^Not read: the 3 weeks before, the pages of the period after the first 250, the ratings, the searches and the questions\. .*100 analytics requests.* asks to wait 40 min before the next request, which is past the 5 minutes/,
      ),
    ])
  })
})

/** A service that gives these rows by offset, and says that more follow after all but the last. */
function scripted(pages: readonly (readonly unknown[])[], last = false): DocsServiceOptions {
  return {
    visitors: ({ offset, limit }) => {
      const index = limit === 1 ? 0 : Math.min(offset / 250, pages.length - 1)
      const hasMore = index < pages.length - 1 || last
      return { status: 200, body: { totals: { human: 9, ai: 1, total: 9 }, visitors: pages[index], hasMore } }
    },
  }
}

const row = (path: string, total = 1) => ({ path, human: total, ai: 0, total })
const FULL = Array.from({ length: 250 }, (_, index) => row(`/a/${index}`))

describe('a service that is not to be believed', () => {
  it.each([
    ['brings nothing new', [FULL, FULL], 2],
    ['sends no rows at all', [[]], 1],
  ] as const)('and announces more but %s is left alone', async (_name, pages, requests) => {
    const { sent, warnings } = await runReaders({ inputs: ALONE, docs: scripted(pages, true) })
    expect(sent).toHaveLength(requests)
    expect(warnings).toEqual(['The service has more pages of the period, but sent none that were new.'])
  })

  it('and sends a page twice has the later row counted, which is no reason for anything', async () => {
    const docs = scripted([
      [row('/twice', 1000), ...FULL.slice(1)],
      [row('/twice', 5), row('/b', 7)],
    ])
    const { warnings, outputs } = await runReaders({ inputs: { ...REPORT, 'visitors-trend': '2' }, docs })
    expect(warnings).toEqual([])
    const { top, complete } = JSON.parse(outputs['visitors'] ?? '')
    expect([complete, top.slice(0, 2)]).toMatchObject([true, [{ path: '/b' }, { path: '/twice', total: 5 }]])
  })

  it('and sends odd rows has them counted, and is read on', async () => {
    const docs = scripted([[row(''), null, 'row'], [row('/good')]])
    const { sent, warnings, outputs } = await runReaders({ inputs: ALONE, docs })
    expect([sent.length, outputs['visitors-complete']]).toEqual([2, 'false'])
    expect(warnings).toEqual([
      '3 rows of the period without a path, or with a count that is not a number, left out.',
    ])
  })

  it('and does not say whether there is more is not taken for complete', async () => {
    const body = { totals: { human: 1, ai: 0, total: 1 } }
    const { sent, warnings, outputs } = await runReaders({
      inputs: ALONE,
      faults: [{ kind: 'body', body, times: 'always' }],
    })
    expect([sent.length, outputs['visitors-complete']]).toEqual([1, 'false'])
    expect(warnings).toEqual([
      'An answer for the period had no list of pages, or did not say whether there are more.',
    ])
  })
})
