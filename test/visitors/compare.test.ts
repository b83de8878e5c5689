import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PageVisitors } from '../../src/service/visitors.ts'
import {
  aiShare,
  type Change,
  changeBetween,
  findMostlyAi,
  findMoves,
  type Moves,
  positionIn,
  sortPages,
  usualRange,
} from '../../src/visitors/compare.ts'
import { page } from './samples.ts'

const counts = fc.integer({ min: 0, max: 1_000_000 })

/** The moves between pages with these totals, as `path previous→total`. */
function moves(before: Record<string, number>, now: Record<string, number>): Record<keyof Moves, unknown> {
  const pages = (totals: Record<string, number>): Map<string, PageVisitors> =>
    new Map(Object.entries(totals).map(([path, total]) => [path, page(path, total)]))
  const found = findMoves(pages(before), pages(now))
  const shown = ({ items, more }: Moves['up']): string[] => [
    ...items.map(({ path, previous, total }) => `${path} ${previous}→${total}`),
    ...(more === 0 ? [] : [`and ${more} more`]),
  ]
  return { up: shown(found.up), down: shown(found.down), added: shown(found.added), gone: shown(found.gone) }
}

describe('a change', () => {
  it.each<[number | undefined, number, Change]>([
    [100, 112.5, 12.5],
    [200, 100, -50],
    [100, 0, -100],
    [7, 7, 0],
    [0, 0, 0],
    [0, 5, 'new'],
    [undefined, 5, 'unknown'],
    [3, 4, 33.3],
    [3, 2, -33.3],
    [1, 1000, 99_900],
    [1_000_000, 1_000_001, 0],
    [8, 9, 12.5],
    [16, 17, 6.3],
    [16, 15, -6.3],
  ])('from %s to %s is %s', (previous, current, change) => {
    expect(changeBetween(previous, current)).toBe(change)
  })

  it('has the sign of the difference, one decimal, and is never -0', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), counts, (previous, current) => {
        const change = Number(changeBetween(previous, current))
        expect(Math.abs(change - ((current - previous) / previous) * 100)).toBeLessThanOrEqual(0.0501)
        expect(change).toBe(Number(change.toFixed(1)))
        expect(Object.is(change, -0)).toBe(false)
        if (change !== 0) expect(Math.sign(change)).toBe(Math.sign(current - previous))
      }),
    )
  })
})

describe('the usual range', () => {
  it.each<[number[], number, 'usual' | 'below' | 'above']>([
    [[1000, 1000, 1000], 1030, 'usual'],
    [[1000, 1000, 1000], 1031, 'above'],
    [[1000, 1000, 1000], 970, 'usual'],
    [[1000, 1000, 1000], 969, 'below'],
    [[900, 1100, 1000], 1133, 'usual'],
    [[900, 1100, 1000], 1134, 'above'],
    [[900, 1100, 1000], 873, 'usual'],
    [[900, 1100, 1000], 872, 'below'],
    [[700, 700, 700], 721, 'usual'],
    [[0, 5, 5], 0, 'usual'],
  ])('of %j has %i %s: its ends and 3 %% beyond are included', (values, value, expected) => {
    const range = usualRange(values)
    expect(range && positionIn(value, range)).toBe(expected)
  })

  it('takes three periods', () => {
    expect(usualRange([1000, 1000])).toBeUndefined()
    expect(usualRange([])).toBeUndefined()
  })
})

describe('the share of AI', () => {
  it.each([
    [{ human: 70, ai: 30, total: 90 }, 1 / 3],
    [{ human: 0, ai: 105, total: 100 }, 1],
    [{ human: 0, ai: 5, total: 0 }, 0],
    [{ human: 0, ai: 0, total: 0 }, 0],
  ])('of %j is %d, and never above 1', (totals, share) => {
    expect(aiShare(totals)).toBe(share)
  })
})

describe('what moved', () => {
  it('is a change of at least 10 visitors and 10 %', () => {
    expect(
      moves(
        {
          '/nine': 20,
          '/ten': 20,
          '/under': 1000,
          '/tenth': 1000,
          '/less': 1000,
          '/fewer': 1000,
          '/still': 5,
        },
        { '/nine': 29, '/ten': 30, '/under': 1099, '/tenth': 1100, '/less': 900, '/fewer': 901, '/still': 5 },
      ),
    ).toEqual({ up: ['/tenth 1000→1100', '/ten 20→30'], down: ['/less 1000→900'], added: [], gone: [] })
  })

  it('is a page that is new or gone with at least 10 visitors', () => {
    expect(
      moves({ '/gone': 10, '/few': 9, '/to-zero': 12 }, { '/new': 10, '/nine': 9, '/to-zero': 0 }),
    ).toEqual({ up: [], down: [], added: ['/new 0→10'], gone: ['/to-zero 12→0', '/gone 10→0'] })
    expect(moves({ '/was-zero': 0 }, { '/was-zero': 10 })).toMatchObject({
      up: [],
      added: ['/was-zero 0→10'],
    })
  })

  it('names five of each kind, the largest change first and then by path, and counts the others', () => {
    const eight = (from: number, step: number): Record<string, number> =>
      Object.fromEntries(['h', 'g', 'f', 'e', 'd', 'c', 'b', 'a'].map((name, i) => [name, from + step * i]))
    expect(moves(eight(100, 0), eight(200, 1))).toMatchObject({
      up: ['a 100→207', 'b 100→206', 'c 100→205', 'd 100→204', 'e 100→203', 'and 3 more'],
      down: [],
    })
    expect(moves(eight(200, 0), eight(100, 0))['down']).toEqual([
      'a 200→100',
      'b 200→100',
      'c 200→100',
      'd 200→100',
      'e 200→100',
      'and 3 more',
    ])
    expect(moves({}, eight(50, 1))['added']).toHaveLength(6)
    expect(moves(eight(50, 1), {})['gone']).toHaveLength(6)
  })

  it('is never below its floor, whatever the counts', () => {
    const totals = fc.dictionary(fc.string({ maxLength: 2 }), fc.nat(200), { maxKeys: 40 })
    fc.assert(
      fc.property(totals, totals, (before, now) => {
        const pages = (from: Record<string, number>): Map<string, PageVisitors> =>
          new Map(Object.entries(from).map(([path, total]) => [path, page(path, total)]))
        const { up, down, added, gone } = findMoves(pages(before), pages(now))
        for (const { path, total, previous } of [up, down, added, gone].flatMap(({ items }) => items)) {
          expect([now[path] ?? 0, before[path] ?? 0]).toEqual([total, previous])
          expect(Math.abs(total - previous)).toBeGreaterThanOrEqual(Math.max(10, previous / 10))
        }
      }),
    )
  })
})

describe('pages', () => {
  it('that AI reads mostly have 60 % of AI or more, unrounded, and 10 visitors or more', () => {
    const pages = [
      page('/sixty', 1000, 600),
      page('/almost', 10_000, 5999),
      page('/ten', 10, 6),
      page('/nine', 9, 9),
      { path: '/over', human: 3, ai: 40, total: 20 },
    ]
    const { items, more } = findMostlyAi(sortPages(pages))
    expect(items.map(({ path }) => path)).toEqual(['/sixty', '/over', '/ten'])
    expect(more).toBe(0)
  })

  it('that AI reads mostly are five at most, the most visited first', () => {
    const pages = Array.from({ length: 7 }, (_, index) => page(`/${index}`, 20 + index, 20))
    const { items, more } = findMostlyAi(sortPages(pages))
    expect(items.map(({ path }) => path)).toEqual(['/6', '/5', '/4', '/3', '/2'])
    expect(more).toBe(2)
  })

  it('are in order of their total, then of their path', () => {
    const sorted = sortPages([page('/b', 5), page('/Z', 5), page('/a', 5), page('/c', 9), page('/é', 5)])
    expect(sorted.map(({ path }) => path)).toEqual(['/c', '/Z', '/a', '/b', '/é'])
  })
})
