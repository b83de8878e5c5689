import { describe, expect, it } from 'vitest'
import { aiShare, type Change, changeBetween, compareWithUsual } from '../../src/readers/changes.ts'

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
    [16, 17, 6.3],
    [16, 15, -6.3],
  ])('from %s to %s is %s', (previous, current, change) => {
    expect(changeBetween(previous, current)).toBe(change)
  })
})

describe('the usual range', () => {
  it.each<[number[], number, string]>([
    [[1000, 1000, 1000], 1030, 'usual'],
    [[1000, 1000, 1000], 1031, 'highest'],
    [[1000, 1000, 1000], 970, 'usual'],
    [[1000, 1000, 1000], 969, 'lowest'],
    [[900, 1100, 1000], 1133, 'usual'],
    [[900, 1100, 1000], 1134, 'highest'],
    [[900, 1100, 1000], 873, 'usual'],
    [[900, 1100, 1000], 872, 'lowest'],
    [[700, 700, 700], 721, 'usual'],
    [[0, 5, 5], 0, 'usual'],
  ])('of %j has %i as %s: its ends and 3 %% beyond are included', (values, value, position) => {
    expect(compareWithUsual(value, values)?.position).toBe(position)
  })

  it('takes three periods', () => {
    expect(compareWithUsual(5, [1000, 1000])).toBeUndefined()
    expect(compareWithUsual(5, [])).toBeUndefined()
  })
})

describe('the share of AI', () => {
  it.each([
    [{ human: 70, ai: 30, total: 90 }, 1 / 3],
    [{ human: 0, ai: 105, total: 100 }, 1],
    [{ human: 0, ai: 5, total: 0 }, 0],
  ])('of %j is %d, and never above 1', (totals, share) => {
    expect(aiShare(totals)).toBe(share)
  })
})
