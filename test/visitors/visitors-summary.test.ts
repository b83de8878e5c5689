import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Counts } from '../../src/service/visitors.ts'
import { type Change, changeBetween } from '../../src/visitors/compare.ts'
import type { VisitorsFindings } from '../../src/visitors/findings.ts'
import { gapsInWords } from '../../src/visitors/gaps.ts'
import { fullDaysBefore, periodsBefore } from '../../src/visitors/period.ts'
import { visitorsHeading } from '../../src/visitors/sentence.ts'
import { visitorsSummary } from '../../src/visitors/summary.ts'
import { HOSTILE_TEXTS } from '../hostile-texts.ts'
import { alive } from '../rendered.ts'

const NOW_MS = Date.UTC(2026, 7, 3, 6)
const options = { trend: 8, maxRequests: 40, exported: '' }

function counts(total: number): Counts {
  return { human: Math.round(total * 0.8), ai: Math.round(total * 0.3), total }
}

/** Findings with a trend of these totals, the earliest first. */
function findings(
  totals: readonly number[],
  overrides: Partial<VisitorsFindings> = {},
  days = 7,
): VisitorsFindings {
  const period = fullDaysBefore(NOW_MS, days)
  const periods = [period, ...periodsBefore(period, totals.length - 1)].toReversed()
  const trend = periods.map((each, index) => ({ period: each, totals: counts(totals[index] ?? 0) }))
  const now = counts(totals.at(-1) ?? 0)
  const previous = trend.at(-2)?.totals
  return {
    period,
    totals: now,
    previous,
    change: changeBetween(previous?.total, now.total),
    trend,
    top: [
      { path: '/quickstart', human: 3201, ai: 412, total: 3540, change: 12.5 },
      { path: '/new', human: 20, ai: 4, total: 22, change: 'new' },
    ],
    moves: {
      risers: [{ path: '/quickstart', total: 3540, previous: 3147, change: 12.5 }],
      fallers: [{ path: '/old', total: 0, previous: 1204, change: -100 }],
    },
    complete: true,
    rows: 2,
    repeats: new Map(),
    requests: 11,
    gaps: [],
    ...overrides,
  }
}

function summary(found: VisitorsFindings, more: Partial<typeof options> = {}): string {
  return visitorsSummary(found, { ...options, ...more }).source
}

describe('the heading', () => {
  it.each<[readonly number[], number, string]>([
    [[11520, 12480], 7, '📈 12,480 visitors read the docs, 8.3% more than the week before'],
    [[12480, 11520], 30, '📉 11,520 visitors read the docs, 7.7% fewer than the 30 days before'],
    [[7, 7], 1, '📊 7 visitors read the docs, as many as the day before'],
    [[0, 1], 7, '📈 1 visitor read the docs, none the week before'],
    [[5, 0], 7, '📊 No visitors read the docs, 5 the week before'],
    [[0, 0], 7, '📊 No visitors read the docs'],
    [[5], 7, '📊 5 visitors read the docs'],
    [[10, 1000], 7, '📈 1,000 visitors read the docs, 9,900% more than the week before'],
  ])('after %j is a sentence', (totals, days, heading) => {
    expect(visitorsHeading(findings(totals, {}, days))).toBe(heading)
  })
})

describe('the report', () => {
  const text = summary(findings([9000, 11520, 12480]))

  it('says in a sentence who came and what moved', () => {
    expect(text).toContain(
      '**27 Jul – 2 Aug 2026**: **9,984** people and **3,744** AI visitors, who are 30.0% of all. Most read was `/quickstart`. `/quickstart` gained most (+393). `/old` lost most (−1,204).',
    )
  })

  it('compares the totals with the period before', () => {
    expect(text).toContain('|  | 27 Jul – 2 Aug 2026 | 20 – 26 Jul 2026 | Change |')
    expect(text).toContain('| **All visitors** | **12,480** | 11,520 | ▲ 8.3% |')
    expect(text).toMatch(/\| AI share \| 30\.0% \| 30\.0% \| 0\.0 points \|/)
  })

  it('draws the trend, and has the same figures as a table', () => {
    expect(text).toContain('x-axis ["13 Jul", "20 Jul", "27 Jul"]')
    expect(text).toContain('bar [9000, 11520, 12480]')
    expect(text).toContain('line [2700, 3456, 3744]')
    expect(text).toContain('| 13 – 19 Jul 2026 | 7,200 | 2,700 | 9,000 | – |')
    expect(text).toContain('| 27 Jul – 2 Aug 2026 | 9,984 | 3,744 | 12,480 | ▲ 8.3% |')
  })

  it('lists pages, risers and fallers', () => {
    expect(text).toContain('| 1 | `/quickstart` | 3,201 | 412 | **3,540** | ▲ 12.5% |')
    expect(text).toContain('| 2 | `/new` | 20 | 4 | **22** | new |')
    expect(text).toContain('| `/old` | 1,204 | 0 | **−1,204** | ▼ 100% |')
  })

  it('ends with the period and the requests', () => {
    expect(text.split('\n').at(-1)).toMatch(
      /^Period: 27 Jul – 2 Aug 2026, in UTC.*Requests: 11 of 40 allowed\./,
    )
    expect(summary(findings([1]), { exported: 'out/x.csv' })).toContain('All rows: `out/x.csv`.')
  })

  it('without a trend has no chart and compares nothing', () => {
    const alone = summary(findings([12480], { moves: undefined }))
    expect(alone).not.toMatch(/mermaid|Change|Risers|Fallers/)
    expect(alone).toContain('| **All visitors** | **12,480** |')
  })

  it('without data says so, with zeros', () => {
    const empty = summary(findings([0, 0], { top: [], moves: { risers: [], fallers: [] }, rows: 0 }))
    expect(empty).toContain('nobody came')
    expect(empty).toContain('| **All visitors** | **0** | 0 | 0.0% |')
    expect(empty).toContain('No page was visited.')
    expect(empty).not.toMatch(/NaN|Infinity|undefined/)
  })

  it('names no period twice in a chart, since Mermaid would draw them as one', () => {
    for (const [days, periods] of [
      [1, 52],
      [7, 13],
      [365, 8],
      [366, 13],
    ] as const) {
      const chart = summary(
        findings(
          Array.from({ length: periods }, () => 5),
          {},
          days,
        ),
      )
      const names = [...(/x-axis \[(.*)\]/.exec(chart)?.[1] ?? '').matchAll(/"([^"]*)"/g)].map(
        ([name]) => name,
      )
      expect(new Set(names).size).toBe(names.length)
    }
  })
})

describe('what was left out', () => {
  it('is said for each part with its causes', () => {
    const said = gapsInWords(
      findings([1, 2], {
        rows: 10_000,
        gaps: [
          { part: 'current', flaw: 'requests', end: undefined },
          { part: 'current', flaw: 'repeated', end: undefined },
          { part: 'trend', flaw: 'time', end: undefined },
          { part: 'previous', flaw: 'no-more-rows', end: undefined },
        ],
      }),
      options,
    )
    expect(said).toEqual([
      expect.stringMatching(
        /10,000 rows that came.*`visitors-max-requests` allows no more than 40 requests; pages came more than once/,
      ),
      expect.stringMatching(/^The trend has 2 of 8 periods: the 5 minutes/),
      expect.stringMatching(/risers and fallers are left out.*none that were new/),
    ])
  })

  it('stands at the end of the report', () => {
    const text = summary(findings([1], { gaps: [{ part: 'trend', flaw: 'requests', end: undefined }] }))
    expect(text).toContain('**Left out**\n\n- The periods before are left out: `visitors-max-requests`')
  })
})

describe('page paths', () => {
  const page = (path: string): Partial<VisitorsFindings> => ({
    top: [{ path, human: 1, ai: 1, total: 1, change: 0 }],
    moves: {
      risers: [{ path, total: 2, previous: 1, change: 100 }],
      fallers: [{ path, total: 1, previous: 2, change: -50 }],
    },
  })
  const plain = alive(summary(findings([1, 2], page('/plain'))))

  it.each(HOSTILE_TEXTS)('are inert: %j', (path) => {
    const shown = alive(summary(findings([1, 2], page(path))))
    expect(shown.cells).toEqual(plain.cells)
    expect([shown.links, shown.images, shown.mentions]).toEqual([[], [], []])
    expect(shown.html.filter((tag) => !/^<\/?code>$/.test(tag))).toEqual(plain.html)
  })

  it('are inert, whatever they are', () => {
    const changes = fc.constantFrom<Change>(0, 12.5, -3, 'new', 'unknown')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), changes, (path, change) => {
        const found = page(path)
        const shown = alive(summary(findings([1, 2], { ...found, change })))
        expect(shown.cells).toEqual(plain.cells)
        expect([shown.links, shown.mentions]).toEqual([[], []])
      }),
    )
  })
})

describe('the size', () => {
  it('stays far below 1 MiB whatever the data; the tables are cut first, and say so', () => {
    const path = '`|<>'.repeat(100_000)
    const many = <T>(value: T): T[] => Array.from({ length: 100 }, () => value)
    const found = findings(
      Array.from({ length: 52 }, () => Number.MAX_SAFE_INTEGER),
      {
        top: many({ path, human: 1, ai: 1, total: 1, change: 0 as Change }),
        moves: {
          risers: many({ path, total: 2, previous: 1, change: 100 as Change }),
          fallers: many({ path, total: 1, previous: 2, change: -50 as Change }),
        },
      },
    )
    const text = summary(found)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(256 * 1024)
    expect(text).toContain('more characters')
    const worse = summary({
      ...found,
      top: many({ path: '𐏿'.repeat(200), human: 1, ai: 1, total: 1, change: 0 }),
    })
    expect(Buffer.byteLength(worse)).toBeLessThanOrEqual(256 * 1024)
  })
})
