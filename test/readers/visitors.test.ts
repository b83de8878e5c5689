import { describe, expect, it } from 'vitest'
import type { Fault } from '../../docs-service/faults.ts'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { refusal, runReaders } from './scene.ts'

const NOW = 'visitors 2026-07-27..2026-08-03'
const BEFORE = 'visitors 2026-07-20..2026-07-27'
const REPORT = { 'visitors-summary': 'true' }
const ALONE = { 'visitors-export': 'true' }
const ALL = { ...REPORT, 'content-gaps': 'report' }
const CALLS = `feedback/by-page 2026-07-06..2026-08-03 100 pending,in_progress
searches 2026-07-06..2026-08-03 100
assistant 2026-07-06..2026-08-03 1000`
const parsed = ({ visitors = '' }: Readonly<Record<string, string>>) => JSON.parse(visitors)

describe('requests', () => {
  it.each([
    [0, 1],
    [250, 1],
    [251, 2],
    [1001, 5],
  ])('of an export for %i pages are %i, and all pages come', async (pages, requests) => {
    const { sent, outputs } = await runReaders({ inputs: ALONE, docs: { pages } })
    const offsets = Array.from({ length: requests }, (_, index) => index * 250)
    expect(sent).toEqual(offsets.map((offset) => `${NOW} 250 ${offset}`))
    expect(parsed(outputs)).toMatchObject({ complete: true, requests })
  })

  it('come in this order: the verdict first, then the pages, then what readers missed', async () => {
    const { sent, warned } = await runReaders({ inputs: ALL, docs: { pages: 600 } })
    expect(sent.join('\n')).toBe(`${NOW} 250 0
${BEFORE} 250 0
visitors 2026-07-13..2026-07-20 1 0
visitors 2026-07-06..2026-07-13 1 0
visitors 2026-06-29..2026-07-06 1 0
visitors 2026-06-22..2026-06-29 1 0
visitors 2026-06-15..2026-06-22 1 0
visitors 2026-06-08..2026-06-15 1 0
views 2026-07-27..2026-08-03 1
${NOW} 250 250
${NOW} 250 500
${BEFORE} 250 250
${BEFORE} 250 500
${CALLS}`)
    expect(warned).toBe('')
  })

  it('for what the agent is told come before all others', async () => {
    const inputs = { ...ALONE, 'content-gaps': 'agent', prompt: 'Explain.' }
    const { sent } = await runReaders({ inputs, docs: { pages: 10 } })
    expect(sent.join('\n')).toBe(`${CALLS}\n${NOW} 250 0`)
  })

  it.each([
    ['', 99, 1500],
    [', retries too', 34, 0],
  ])('are 40 at most%s, of which three are kept for what readers missed', async (...given) => {
    const [, nth, read] = given
    const faults = [refusal(500, { match: { path: 'visitors', nth } })]
    const run = await runReaders({ inputs: ALL, faults, docs: { pages: 6000 } })
    expect([run.sent.length, run.costs]).toEqual([40, []])
    expect(run.sent.slice(-3).join('\n')).toBe(CALLS)
    expect(run.summary).toContain('Requests: 40 of 40 allowed.')
    const left = `the pages of the period before after the first ${read}`
    const cut = `A readers report makes at most 40 requests; not read: ${left}.`
    expect(run.warned === cut).toBe(read > 0)
  })
})

it('nobody after a period with visitors is a warning, and the headline is empty', async () => {
  const body = { totals: { human: 0, ai: 0, total: 0 }, visitors: [], hasMore: false }
  const faults: Fault[] = [{ kind: 'body', body }]
  const { log, outputs } = await runReaders({ inputs: REPORT, faults })
  expect(log[0]).toMatch(/^warning: No visitors at all, after [\d,]+ in 20 to 26 Jul: /)
  expect(outputs['visitors-headline']).toBe('')
})

describe('a request that fails', () => {
  // What else is not tried again, and after which pauses the rest is, has its tests in `service` and `lib`.
  it('with totals that cannot be read is not tried again, and fails the report', async () => {
    const faults: Fault[] = [{ kind: 'body', body: { totals: {} }, times: 'always' }]
    const { sent, failure, outputs } = await runReaders({ inputs: REPORT, faults })
    expect(failure).toMatch(/; not read: the visitors\. .*`totals`/)
    expect([sent.length, outputs]).toEqual([1, {}])
  })

  it('with 500 is tried five times', async () => {
    const run = await runReaders({ inputs: REPORT, faults: [refusal(500)] })
    expect(run.sent).toHaveLength(5)
    expect(run.failure).toMatch(/\(500\).* It was tried 5 times\.$/)
    expect(run.log[0]).toMatch(/^Docs readers: docs: .* Trying again in /)
  })

  it.each<['views' | 'visitors', nth: number, part: string, expected: object]>([
    ['views', 1, 'the reads', { reads: null, complete: true }],
    ['visitors', 3, '6 of the 7 weeks before', { change: expect.any(Number), complete: true }],
    ['visitors', 9, 'the pages of the period after the first 250', { complete: false, risers: [] }],
  ])('(%s %i) is a notice, and the report goes out without %s', async (...given) => {
    const [path, nth, part, expected] = given
    const faults = [refusal(403, { times: 1, match: { path, nth } })]
    const run = await runReaders({ inputs: REPORT, faults, docs: { pages: 300 } })
    expect([run.failure, run.costs]).toEqual([undefined, []])
    expect(parsed(run.outputs)).toMatchObject(expected)
    expect(run.warned).toMatch(new RegExp(`^The docs .*\\(403\\); not read: ${part}\\. .*$`))
    expect(run.summary.includes('AI made')).toBe(path !== 'views')
    // It has nothing folded.
    expect(run.outputs['visitors-markdown']).toContain(`; not read: ${part}. `)
  })

  it.each(['report', 'agent'])('ends with a cancel, at once (%s)', async (signals) => {
    const inputs = { ...REPORT, 'content-gaps': signals, prompt: 'Explain.' }
    const faults = [refusal(500)]
    const run = await runReaders({ inputs, faults, cancelAtMs: 1500 })
    const { sent, failure, warned, outputs, summary } = run
    expect([sent.length, warned, outputs]).toEqual([2, '', {}])
    expect(failure).toBe('Cancelled before the readers report was complete.')
    expect(summary).toContain(failure)
  })
})

describe('five minutes', () => {
  const later = (seconds: number, nth: number): Fault =>
    refusal(429, { match: { nth }, times: 1, headers: { 'retry-after': `${seconds}` } })

  it.each<[string, Fault[], number, RegExp]>([
    [
      'a near Retry-After included',
      [later(140, 1), later(140, 3), later(140, 5)],
      5,
      /; not read: the pages of the period after the first 500\. .* asks to wait 2 min 20 s .*, which is past the 5 minutes/,
    ],
    [
      'a pause of ours is cut',
      [later(149, 1), later(149, 3), refusal(500, { match: { nth: 5 } })],
      6,
      /^A readers report takes at most 5 minutes; not read: the pages of the period after the first 500\.$/,
    ],
  ])('are all that it takes: %s', async (_how, faults, requests, says) => {
    const { sent, warned } = await runReaders({ inputs: ALONE, faults, docs: { pages: 1000 } })
    expect(sent).toHaveLength(requests)
    expect(warned).toMatch(says)
  })

  it('end everything at once with a Retry-After beyond them, in one sentence', async () => {
    const faults = [later(2400, 2)]
    const { sent, warned } = await runReaders({ inputs: ALL, faults, docs: { pages: 600 } })
    expect(sent).toHaveLength(2)
    const left =
      '7 of the 7 weeks before, the reads, the pages of the period after the first 250, the ratings, the searches and the questions'
    expect(warned).toContain(`; not read: ${left}. `)
    expect(warned).toMatch(
      / limit of this API key.* asks to wait 40 min .*, which is past the 5 minutes.*$/,
    )
  })
})

const row = (path: string, total = 1) => ({ path, human: total, ai: 0, total })
const ODD =
  'A response for the period did not contain a list of pages, or did not say whether there are more.'
const LEFT_OUT =
  '3 rows of the period without a path, or with a count that is not a number, left out.'

const REPEATED = 'The service repeated pages of the period, so that the next ones are not known.'

// Its rows by offset, and whether more follow after the last.
it.each([
  ['sends odd rows', [[row(''), null, 'row'], [row('/good')]], false, LEFT_OUT, ['/good']],
  ['sends no list of pages', [undefined], false, ODD, []],
  ['does not say whether there is more', [[row('/good')]], undefined, ODD, ['/good']],
  ['never ends', [[row('/a')], [row('/a')]], true, REPEATED, ['/a']],
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
  const { top, complete } = parsed(outputs)
  expect(complete).toBe(expected === '')
  expect(top.slice(0, 2)).toMatchObject(first.map((path) => ({ path })))
})
