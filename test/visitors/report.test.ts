import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aiShare } from '../../src/visitors/compare.ts'
import { makeReport, type Verdict } from '../../src/visitors/report.ts'
import { RequestsStopped } from '../../src/visitors/requests.ts'
import { visitorsSummary } from '../../src/visitors/summary.ts'
import { counts, OPTIONS, page, reading } from './samples.ts'

const stopped = (reason: RequestsStopped['reason'], message = ''): RequestsStopped =>
  new RequestsStopped(reason, message)

describe('the verdict', () => {
  it.each<[number[], Verdict | undefined]>([
    [[1000, 1000, 1000, 1030], { kind: 'usual', periods: 4 }],
    [[1000, 1000, 1000, 1031], { kind: 'highest', periods: 4 }],
    [[1000, 1000, 1000, 969], { kind: 'lowest', periods: 4 }],
    [[1000, 900, 1100, 950, 980, 1020, 1001, 1134], { kind: 'highest', periods: 8 }],
    [[1000, 1000, 2000], undefined],
    [[2000], undefined],
    [[0, 0, 1000, 1000, 1000, 1000], { kind: 'usual', periods: 4 }],
    [[0, 0, 1000, 1000, 1000], undefined],
    [[1000, 0, 1000, 5], { kind: 'usual', periods: 4 }],
    [[0, 0, 0, 0, 0], undefined],
  ])('on %j is %j', (totals, verdict) => {
    expect(makeReport(reading(totals), OPTIONS).verdict).toEqual(verdict)
  })
})

describe('a report', () => {
  it('compares with the period before where both were read whole', () => {
    const now = [page('/up', 130), page('/new', 40), page('/same', 50)]
    const before = [page('/up', 100), page('/gone', 30), page('/same', 50)]
    const { moves, top, change, previous, complete } = makeReport(
      reading([1000, 1080], { pages: now, previousPages: before }),
      { ...OPTIONS, top: 2 },
    )
    expect([change, previous?.total, complete]).toEqual([8, 1000, true])
    expect(top.map(({ path, change: each }) => [path, each])).toEqual([
      ['/up', 30],
      ['/same', 0],
    ])
    expect(moves).toMatchObject({
      up: { items: [{ path: '/up' }] },
      added: { items: [{ path: '/new' }] },
      gone: { items: [{ path: '/gone' }] },
    })
  })

  it.each([
    ['the period was not read whole', { current: { stopped: stopped('max-requests') } }],
    ['the period before was not read whole', { previous: { stopped: stopped('time') } }],
    ['a row of the period was odd', { current: { invalidRows: 1 } }],
    ['a row of the period before was odd', { previous: { invalidRows: 1 } }],
    ['rows of the period came twice', { current: { repeated: true } }],
    ['rows of the period before came twice', { previous: { repeated: true } }],
  ])('says nothing of what moved where %s', (_name, sample) => {
    const pages = [page('/up', 130)]
    const found = makeReport(reading([1000, 1080], { ...sample, pages, previousPages: [] }), OPTIONS)
    expect(found.moves).toBeUndefined()
    expect(found.leftOut.at(-1)).toBe('So what moved is not known.')
  })

  it('leaves the change of a page open that may only be missing from the rows read', () => {
    const sample = {
      pages: [page('/a', 20), page('/b', 30)],
      previousPages: [page('/a', 10)],
      previous: { stopped: stopped('max-requests') },
    }
    const { top } = makeReport(reading([100, 100], sample), OPTIONS)
    expect(top.map(({ path, change }) => [path, change])).toEqual([
      ['/b', 'unknown'],
      ['/a', 100],
    ])
  })
})

describe('what was left out', () => {
  const leftOut = (...args: Parameters<typeof reading>): readonly string[] =>
    makeReport(reading(...args), OPTIONS).leftOut

  it('is nothing where all was read', () => {
    expect(leftOut([1, 2, 3, 4, 5, 6, 7, 8])).toEqual([])
    expect(makeReport(reading([8]), { ...OPTIONS, trend: 1 }).leftOut).toEqual([])
  })

  it('is said of the period, with all causes', () => {
    const current = {
      stopped: stopped('max-requests'),
      invalidRows: 3,
      invalidAnswer: true,
      noNewRows: true,
      repeated: true,
    }
    expect(leftOut([8], { current, pages: [page('/a', 1)] })).toEqual([
      'Not all pages of the period were read; the report has 1 page: the requests that `visitors-max-requests` allows were used up; 3 rows without a path, or with a count that is no number, could not be understood; an answer of the service had no list of rows, or did not say whether there are more; the service said that there are more rows, and sent none that are new.',
      'Pages of the period came more than once, so others may not have come at all; the later row of each counts.',
      'So what moved is not known.',
    ])
  })

  it('is said of the periods before', () => {
    expect(leftOut([7, 8], { beforeStopped: stopped('time'), previous: { invalidRows: 1 } })).toEqual([
      'Only 1 of the 7 weeks before could be read: the 5 minutes that the report may take were used up.',
      'Not all pages of the period before were read: 1 row without a path, or with a count that is no number, could not be understood.',
      'So what moved is not known.',
    ])
    expect(leftOut([8], { beforeStopped: stopped('failed', 'No such key (403).') })).toEqual([
      'None of the weeks before could be read: No such key (403).',
      'So what moved is not known.',
    ])
  })

  it('is said once of a failure that ended all reading', () => {
    const failure = stopped('failed', 'No such key (403).')
    expect(leftOut([8], { current: { stopped: failure }, beforeStopped: failure })).toHaveLength(2)
  })

  it('is the comparison, of a period that is not over yet', () => {
    expect(makeReport(reading([8]), { ...OPTIONS, soFar: true, trend: 1 }).leftOut).toEqual([
      'The period is not over yet, so it is compared with nothing.',
    ])
  })
})

describe('noise of 2 %', () => {
  const RUNS = 10_000

  /** Numbers that are the same in every run (mulberry32). */
  function randomNumbers(seed: number): () => number {
    let state = seed
    return () => {
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
    }
  }

  /** Sites of ten to a million visitors, each count of each of eight weeks up to 2 % off. */
  function noisyReport(random: () => number, least: number) {
    const noisy = (value: number): number => Math.round(value * (0.98 + 0.04 * random()))
    const size = least * (1_000_000 / least) ** random()
    const base = counts(Math.round(size))
    const weeks = Array.from({ length: 8 }, () => ({
      human: noisy(base.human),
      ai: noisy(base.ai),
      total: noisy(base.total),
    }))
    const site = Array.from({ length: 12 }, (_, index) => page(`/${index}`, Math.round(size * random() ** 3)))
    const rows = (): typeof site =>
      site.map((each) => ({ ...each, total: noisy(each.total), ai: noisy(each.total) }))
    return makeReport(reading(weeks, { pages: rows(), previousPages: rows() }), OPTIONS)
  }

  it('in 10,000 reports makes no news of a page, no share above 100 %, and hardly a verdict', () => {
    const random = randomNumbers(16)
    const unusual: number[] = []
    for (let run = 0; run < RUNS; run++) {
      const report = noisyReport(random, 10)
      const { moves, verdict, totals, pages, mostlyAi } = report
      for (const { items } of Object.values(moves ?? {})) expect(items).toEqual([])
      expect(moves).toBeDefined()
      for (const each of [totals, ...pages]) expect(aiShare(each)).toBeLessThanOrEqual(1)
      expect(mostlyAi.items.every(({ total }) => total >= 10)).toBe(true)
      expect(verdict?.periods).toBe(8)
      if (verdict?.kind !== 'usual') unusual.push(totals.total)
      if (run % 50 > 0) continue
      const text = visitorsSummary(report, { ...OPTIONS, projectId: 'docs', exported: false }).source
      expect(text).toContain('Nothing moved beyond the usual.')
      for (const [, share = ''] of text.matchAll(/([\d.,]+)% of/g))
        expect(Number(share)).toBeLessThanOrEqual(100)
    }
    // One visitor is 3 % of 33: the only sites of which a verdict makes news are as small as that.
    expect([unusual.length, Math.max(...unusual)]).toEqual([17, 34])
  })
})

describe('any reading', () => {
  it('makes a report without a share above 100 %, or a number that is none', () => {
    const count = fc.oneof(fc.nat(30), fc.maxSafeNat())
    const total = fc.record({ human: count, ai: count, total: count })
    const pages = fc.array(
      fc.record({ path: fc.string({ minLength: 1 }), human: count, ai: count, total: count }),
      { maxLength: 12 },
    )
    const totals = fc.array(total, { minLength: 1, maxLength: 10 })
    fc.assert(
      fc.property(totals, pages, pages, fc.boolean(), (each, now, before, repeated) => {
        const sample = { pages: now, previousPages: before, current: { repeated } }
        const report = makeReport(reading(each, sample), OPTIONS)
        const { source } = visitorsSummary(report, { ...OPTIONS, projectId: 'docs', exported: false })
        expect(source.replaceAll(/`[^`]*`|<code>.*?<\/code>/g, '')).not.toMatch(/NaN|Infinity|undefined|null/)
        const shares = /\| AI share \|.*/.exec(source)?.[0].matchAll(/([\d.]+)%/g) ?? []
        for (const [, share] of shares) expect(Number(share)).toBeLessThanOrEqual(100)
      }),
      { numRuns: 300 },
    )
  })
})
