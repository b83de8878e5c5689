import { describe, expect, it } from 'vitest'
import type { Fault } from '../../docs-service/faults.ts'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { refusal, runVisitors } from './scene.ts'

const NOW = 'visitors 2026-07-27..2026-08-03'
const BEFORE = 'visitors 2026-07-20..2026-07-27'
const REPORT = { 'visitors-summary': 'true' }
const EXPORT = { 'visitors-export': 'true' }
const ALL = { ...REPORT, 'content-gaps': 'report' }
const GAPS = `feedback/by-page 2026-07-06..2026-08-03 100 pending,in_progress
assistant 2026-07-06..2026-08-03 1000
searches 2026-07-06..2026-08-03 100`
const like = (pattern: RegExp) => expect.stringMatching(pattern)

describe('requests', () => {
  it.each([
    { pages: 250, requests: 1 },
    { pages: 251, requests: 2 },
    { pages: 10_000, requests: 40 },
  ])('of an export for $pages pages are $requests, and all pages come', async (given) => {
    const { pages, requests } = given
    const { sent, visitors } = await runVisitors(EXPORT, { docs: { pages } })
    const offsets = Array.from({ length: requests }, (_, index) => index * 250)
    expect(sent).toEqual(offsets.map((offset) => `${NOW} 250 ${offset}`))
    expect(visitors).toMatchObject({ complete: true, requests })
  })

  it('come in this order: totals, reads, content gaps, the pages of the period and those before', async () => {
    const { sent, warnings, notices } = await runVisitors(ALL, { docs: { pages: 600 } })
    expect(sent.join('\n')).toBe(`${NOW} 250 0
${BEFORE} 250 0
visitors 2026-07-13..2026-07-20 1 0
visitors 2026-07-06..2026-07-13 1 0
visitors 2026-06-29..2026-07-06 1 0
visitors 2026-06-22..2026-06-29 1 0
visitors 2026-06-15..2026-06-22 1 0
visitors 2026-06-08..2026-06-15 1 0
views 2026-07-27..2026-08-03 1
${GAPS}
${NOW} 250 250
${NOW} 250 500
${BEFORE} 250 250
${BEFORE} 250 500`)
    expect([warnings.length, notices.length]).toEqual([0, 1])
  })

  it('for content gaps come first if the job waits for them', async () => {
    const inputs = { ...EXPORT, 'content-gaps': 'agent', prompt: 'Explain.' }
    const { sent } = await runVisitors(inputs, { docs: { pages: 10 } })
    expect(sent.join('\n')).toBe(`${GAPS}\n${NOW} 250 0`)
  })

  it.each([
    { what: 'pages', faults: [] },
    { what: 'retries', faults: [refusal(500, { match: { path: 'visitors', nth: 34 } })] },
  ])(
    'are at most 40, $what included, and one sentence lists the missing parts',
    async ({ faults }) => {
      const { sent, notices, summary } = await runVisitors(ALL, { faults, docs: { pages: 6000 } })
      expect(sent).toHaveLength(40)
      expect(summary).toContain('Requests: 40 of at most 40.')
      const missing = notices.filter((text) => text.includes('could not be read'))
      expect(missing).toHaveLength(1)
      expect(missing[0]).toContain('the pages of the previous period after the first')
    },
  )
})

it('a period without visitors after one with them is a warning, and its headline says that it has none', async () => {
  const body = { totals: { human: 0, ai: 0, total: 0 }, visitors: [], hasMore: false }
  const { warnings, outputs } = await runVisitors(REPORT, { faults: [{ kind: 'body', body }] })
  expect(warnings).toMatchObject([
    like(
      /^This period has no visitors, but 20 to 26 Jul had [\d,]+\. Check .*tracking.*project-id/,
    ),
  ])
  expect(outputs['visitors-headline']).toMatch(/^Docs, 27 Jul to 2 Aug: no visitors\b/)
})

describe('a request that fails', () => {
  // Which failures are retried, and after which pauses, is tested in `mintlify` and `lib`.
  it('with totals that cannot be read fails the report at once', async () => {
    const faults: Fault[] = [{ kind: 'body', body: { totals: {} }, times: 'always' }]
    const { sent, errors, visitors } = await runVisitors(REPORT, { faults })
    expect(errors).toMatchObject([like(/so the visitors could not be read\. .*`totals`/)])
    expect([sent.length, visitors]).toEqual([1, null])
  })

  it('with 500 is tried five times', async () => {
    const { sent, errors, log } = await runVisitors(REPORT, { faults: [refusal(500)] })
    expect(sent).toHaveLength(5)
    expect(errors).toMatchObject([like(/500/)])
    expect(log[0]).toMatch(/^Visitors report: .* Trying again in /)
  })

  it.each([
    { path: 'views', nth: 1, part: 'the reads', expected: { reads: null, complete: true } },
    {
      path: 'visitors',
      nth: 3,
      part: '6 of the 7 weeks before',
      expected: { change: expect.any(Number), complete: true },
    },
    {
      path: 'visitors',
      nth: 9,
      part: 'the pages of the period after the first 250',
      expected: { complete: false, risers: [] },
    },
  ] as const)('is a notice, and the report is written without $part', async (given) => {
    const { path, nth, part, expected } = given
    const faults = [refusal(path === 'views' ? 404 : 403, { times: 1, match: { path, nth } })]
    const run = await runVisitors(REPORT, { faults, docs: { pages: 300 } })
    expect(run.summary).not.toContain('the assistant')
    expect([run.hasFailed, run.warnings]).toEqual([false, []])
    expect(run.visitors).toMatchObject(expected)
    const says = like(RegExp(`, so ${part} could not be read\\. .*"Nope"`))
    expect(run.notices).toMatchObject([says, like(/^About/)])
    expect(run.summary.includes('AI made')).toBe(path !== 'views')
    expect(run.summary).toContain('The last section has the details.')
    // It has nothing folded.
    expect(run.markdown).toContain(`, so ${part} could not be read. `)
  })

  it.each(['report', 'agent'])('ends with a cancellation, at once (%s)', async (gaps) => {
    const inputs = { ...REPORT, 'content-gaps': gaps, prompt: 'Explain.' }
    const match = { path: '/v1/analytics' } as const
    const run = await runVisitors(inputs, { faults: [refusal(500, { match })], cancelAtMs: 1500 })
    expect([run.sent.length, run.visitors]).toEqual([2, null])
    expect(run.errors.join('\n')).toContain('canceled before the visitors report was complete')
    expect(run.summary).toContain('canceled before the visitors report was complete')
  })
})

describe('five minutes', () => {
  const later = (seconds: number, nth: number): Fault =>
    refusal(429, { match: { nth }, times: 1, headers: { 'retry-after': `${seconds}` } })
  const PART = 'the pages of the period after the first 500 could not be read'

  it.each([
    {
      what: 'a near Retry-After included',
      faults: [later(140, 1), later(140, 3), later(140, 5)],
      requests: 5,
    },
    {
      what: 'with a pause of our own that is cut',
      faults: [later(149, 1), later(149, 3), refusal(500, { match: { nth: 5 } })],
      requests: 6,
    },
  ])('are the most that it takes, $what', async ({ faults, requests }) => {
    const run = await runVisitors(EXPORT, { faults, docs: { pages: 1000 } })
    expect(run.sent).toHaveLength(requests)
    expect(run.tookMs).toBeLessThanOrEqual(300_000)
    expect(run.notices).toMatchObject([like(RegExp(PART)), like(/^About/)])
  })

  it.each([
    { whose: "the key's", body: { error: 'Too many requests' }, says: /limit .*key/i },
    { whose: "the organization's", body: 'Too many requests', says: /organi[sz]ation/ },
  ])('end everything at once with a Retry-After beyond them, of $whose limit', async (given) => {
    const { body, says } = given
    const faults = [{ ...later(2400, 2), body }]
    const { sent, warnings, notices } = await runVisitors(ALL, { faults, docs: { pages: 600 } })
    expect(sent).toHaveLength(2)
    const parts = [
      '7 of the 7 weeks before',
      ...['the reads', 'the page ratings', 'the questions', 'the searches'],
      ...['the pages of the period after the first 250'],
    ]
    expect(warnings).toHaveLength(1)
    for (const part of parts) expect(warnings[0]).toContain(part)
    expect(warnings[0]).toMatch(says)
    expect(notices).toHaveLength(1)
  })
})

const row = (path: string, total = 1) => ({ path, human: total, ai: 0, total })

it.each<{
  what: string
  /** Of each answer. */
  rows: readonly unknown[]
  invalid: number
  first: string[]
}>([
  {
    what: 'odd rows',
    rows: [[row(''), null, { ...row('/x'), ai: -1 }], [row('/good')]],
    invalid: 3,
    first: ['/good'],
  },
  {
    what: 'a page twice',
    rows: [[row('/b', 9), row('/c', 8)], [row('/b', 7)]],
    invalid: 0,
    first: ['/c', '/b'],
  },
])(
  'an answer with $what is read as far as possible, and counts what is left out',
  async (given) => {
    const { rows, invalid, first } = given
    const answer: DocsServiceOptions['visitors'] = ({ offset }) => {
      const hasMore = offset / 250 < rows.length - 1
      const body = { totals: row(''), visitors: rows[offset / 250], hasMore }
      return { status: 200, body }
    }
    const { sent, notices, visitors } = await runVisitors(EXPORT, { docs: { visitors: answer } })
    expect(sent).toHaveLength(rows.length)
    const counted = notices.map((text) => Number(/^(\d+) rows? of/.exec(text)?.[1] ?? 0))
    expect(counted).toEqual(invalid === 0 ? [0] : [invalid, 0])
    expect(visitors.complete).toBe(invalid === 0)
    expect(visitors.top).toMatchObject(first.map((path) => ({ path })))
  },
)
