import { describe, expect, it } from 'vitest'
import type { Fault } from '../../docs-service/faults/fault.ts'
import { fullPage, refusal, runReaders, scripted } from './scene.ts'

const NOW = '2026-07-27..2026-08-03'
const BEFORE = '2026-07-20..2026-07-27'
const REPORT = { 'visitors-summary': 'true' }
const ALONE = { ...REPORT, 'visitors-trend': '1' }

/** The warnings of a log. */
function warnings(log: readonly string[]): string[] {
  return log.flatMap((line) => (line.startsWith('warning: ') ? [line.slice(9)] : []))
}

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
    const inputs = { ...REPORT, 'visitors-trend': '4', 'reader-signals': 'report' }
    const { sent, log } = await runReaders({ inputs, docs: { pages: 600 } })
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
    expect(warnings(log)).toEqual([])
  })

  it.each([
    [
      1,
      'the 3 weeks before, the pages of the period after the first 250, the ratings, the searches and the questions',
    ],
    [
      3,
      '1 of the 3 weeks before, the pages of the period after the first 250, the pages of the period before after the first 250, the ratings, the searches and the questions',
    ],
    [6, 'the pages of the period before after the first 250, the ratings, the searches and the questions'],
    [10, 'the questions'],
  ])('of at most %i leave out the end of that order, and one sentence says so', async (max, left) => {
    const inputs = { ...REPORT, 'visitors-trend': '4', 'reader-signals': 'report' }
    const limited = { ...inputs, 'visitors-max-requests': `${max}` }
    const { sent, log, failure, summary } = await runReaders({ inputs: limited, docs: { pages: 600 } })
    expect(sent).toHaveLength(max)
    expect(warnings(log)).toEqual([`Not read, because \`visitors-max-requests\` is ${max}: ${left}.`])
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

  it('for what the agent is told come before all others', async () => {
    const inputs = { ...ALONE, 'reader-signals': 'agent', prompt: 'Explain.' }
    const { sent } = await runReaders({ inputs, docs: { pages: 10 } })
    expect(sent).toEqual(['feedback/by-page', 'searches', 'assistant', `${NOW} 250@0`])
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
    const { sent, pausesMs, failure, log } = await runReaders({
      inputs: REPORT,
      faults: [refusal(code)],
      random: () => draw,
    })
    expect(sent).toHaveLength(5)
    expect(pausesMs.map(Math.round)).toEqual(expected)
    expect(failure).toMatch(new RegExp(`\\(${code}\\).* It was tried 5 times\\. So there is`))
    expect(log[0]).toMatch(/^Docs readers: docs: .* Trying again in /)
    expect(`${log.join()} ${failure}`).not.toContain('not tried again')
  })

  it('waits as long as a near Retry-After says', async () => {
    const near = refusal(429, { times: 1, headers: { 'retry-after': '17' } })
    const { pausesMs, outputs } = await runReaders({ inputs: ALONE, faults: [near] })
    expect([pausesMs, outputs['visitors-complete']]).toEqual([[17_000], 'true'])
  })

  it('with a Retry-After beyond five minutes ends everything at once', async () => {
    const far = refusal(429, { match: { nth: 2 }, headers: { 'retry-after': '2400' } })
    const inputs = { ...REPORT, 'reader-signals': 'report' }
    const { sent, log, pausesMs } = await runReaders({ inputs, faults: [far], docs: { pages: 600 } })
    expect([sent.length, pausesMs]).toEqual([2, []])
    expect(warnings(log)).toHaveLength(1)
    expect(warnings(log)[0]).toMatch(
      /^Not read: the 7 weeks before, the pages of the period after the first 250, the ratings, the searches and the questions\. .*100 analytics requests.* asks to wait 40 min before the next request, which is past the 5 minutes/,
    )
  })

  it('says that no request is left, if that keeps it from being tried again', async () => {
    const inputs = { ...REPORT, 'visitors-max-requests': '2' }
    const { sent, failure } = await runReaders({ inputs, faults: [refusal(500)] })
    expect(sent).toHaveLength(2)
    expect(failure).toContain('No request is left of `visitors-max-requests` to try it again.')
  })

  it('before the period leaves the period whole, and the step green', async () => {
    const faults = [refusal(403, { times: 1, match: { nth: 3 } })]
    const { log, outputs, failure } = await runReaders({ inputs: REPORT, faults, docs: { pages: 300 } })
    expect([failure, outputs['visitors-complete']]).toEqual([undefined, 'true'])
    expect(outputs['visitors-change']).toMatch(/^[+-]?\d+\.\d$/)
    expect(warnings(log)).toEqual([expect.stringMatching(/^Not read: 6 of the 7 weeks before\. .*\(403\)/)])
  })

  it('later in the period leaves what was read, which is exported', async () => {
    const faults = [refusal(403, { match: { nth: 2 } })]
    const inputs = { ...ALONE, 'visitors-export': 'x.ndjson' }
    const { log, outputs, failure } = await runReaders({ inputs, faults, docs: { pages: 600 } })
    expect(failure).toBeUndefined()
    expect(outputs).toMatchObject({ 'visitors-complete': 'false', 'visitors-export': 'x.ndjson' })
    expect(warnings(log)).toEqual([
      expect.stringMatching(/^Not read: the pages of the period after the first 250\. .*\(403\)/),
    ])
  })

  it('ends with a cancel, at once', async () => {
    const { sent, failure } = await runReaders({ inputs: REPORT, faults: [refusal(500)], cancelAtMs: 1500 })
    expect([sent.length, failure]).toEqual([2, 'Cancelled before the readers report was complete.'])
  })
})

describe('five minutes', () => {
  it('are all that it takes', async () => {
    const slow = (nth: number): Fault =>
      refusal(429, { times: 1, match: { nth }, headers: { 'retry-after': '140' } })
    const faults = [slow(1), slow(3), slow(5)]
    const { log, pausesMs } = await runReaders({ inputs: ALONE, faults, docs: { pages: 1000 } })
    expect(pausesMs).toEqual([140_000, 140_000])
    expect(warnings(log)[0]).toMatch(
      /after the first 500\. .*asks to wait 2 min 20 s before the next request, which is past the 5 minutes/,
    )
  })
})

describe('a service that is not to be believed', () => {
  it.each([
    ['brings nothing new', [fullPage('a'), fullPage('a')], 2],
    ['sends no rows at all', [[]], 1],
  ] as const)('and announces more but %s is left alone', async (_name, pages, requests) => {
    const { sent, log } = await runReaders({ inputs: ALONE, docs: scripted(pages, () => true) })
    expect(sent).toHaveLength(requests)
    expect(warnings(log)).toEqual(['The service has more pages of the period, but sent none that were new.'])
  })

  it('and sends a page twice has the later row counted, which is no reason for anything', async () => {
    const twice = scripted([
      [['/twice', 1000], ...fullPage('a').slice(1)],
      [
        ['/twice', 5],
        ['/b', 7],
      ],
    ])
    const { log, outputs } = await runReaders({ inputs: { ...REPORT, 'visitors-trend': '2' }, docs: twice })
    expect(warnings(log)).toEqual([])
    const { top, complete } = JSON.parse(outputs['visitors'] ?? '')
    expect([complete, top.slice(0, 2)]).toMatchObject([true, [{ path: '/b' }, { path: '/twice', total: 5 }]])
  })

  it('and sends odd rows has them counted, and is read on', async () => {
    const odd = [{ path: '', human: 1, ai: 1, total: 1 }, null, 'row']
    const good = [{ path: '/good', human: 1, ai: 1, total: 1 }]
    const docs = {
      visitors: ({ offset }: { offset: number }) => ({
        status: 200,
        body: {
          totals: { human: 1, ai: 1, total: 1 },
          visitors: offset === 0 ? odd : good,
          hasMore: offset === 0,
        },
      }),
    }
    const { sent, log, outputs } = await runReaders({ inputs: ALONE, docs })
    expect(sent).toHaveLength(2)
    expect(outputs['visitors-complete']).toBe('false')
    expect(warnings(log)).toEqual([
      '3 rows of the period without a path, or with a count that is not a number, left out.',
    ])
  })

  it('and does not say whether there is more is not taken for complete', async () => {
    const faults = [
      { kind: 'body', body: { totals: { human: 1, ai: 0, total: 1 } }, times: 'always' },
    ] as const
    const { sent, log } = await runReaders({ inputs: ALONE, faults })
    expect(sent).toHaveLength(1)
    expect(warnings(log)).toEqual([
      'An answer for the period had no list of pages, or did not say whether there are more.',
    ])
  })
})
