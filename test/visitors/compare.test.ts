import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Change, changeBetween, type Move, openComparison } from '../../src/visitors/compare.ts'

const counts = fc.integer({ min: 0, max: 1_000_000 })
const totals = fc.dictionary(fc.string({ maxLength: 2 }), counts, { maxKeys: 40 })

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

describe('a comparison by path', () => {
  it('finds the pages that changed most, new and gone ones included', () => {
    fc.assert(
      fc.property(totals, totals, fc.integer({ min: 1, max: 20 }), (before, now, most) => {
        const comparison = openComparison(new Map(Object.entries(now)), most)
        for (const [path, total] of Object.entries(before)) comparison.add({ path, human: 0, ai: 0, total })
        const { risers, fallers } = comparison.moves()
        const differences = [...new Set([...Object.keys(before), ...Object.keys(now)])]
          .map((path) => (now[path] ?? 0) - (before[path] ?? 0))
          .sort((left, right) => right - left)
        const difference = ({ total, previous }: Move): number => total - previous
        expect(risers.map(difference)).toEqual(differences.filter((value) => value > 0).slice(0, most))
        expect(fallers.map(difference)).toEqual(
          differences
            .filter((value) => value < 0)
            .reverse()
            .slice(0, most),
        )
        for (const { path, total, previous, change } of [...risers, ...fallers]) {
          expect([now[path] ?? 0, before[path] ?? 0]).toEqual([total, previous])
          expect(change).toBe(changeBetween(previous, total))
        }
      }),
    )
  })
})
