import { describe, expect, it } from 'vitest'
import { readVisitorsAnswer } from '../../src/service/visitors.ts'

const totals = { human: 3, ai: 2, total: 4 }
const row = { path: '/', human: 1, ai: 0, total: 1 }

describe('an answer of the visitors call', () => {
  it('is read as it is, unknown fields or not', () => {
    expect(readVisitorsAnswer({ totals, visitors: [row], hasMore: true, cursor: 'x' })).toEqual({
      totals,
      rows: [row],
      hasMore: true,
    })
    expect(readVisitorsAnswer({ totals, visitors: [], hasMore: false })).toMatchObject({ rows: [] })
  })

  it.each<[string, unknown, RegExp]>([
    ['no object', null, /no object/],
    ['a list', [], /no object/],
    ['nothing in it', {}, /totals/],
    ['a total that is missing', { totals: { human: 1, ai: 1 }, visitors: [], hasMore: false }, /totals/],
    ['a negative count', { totals: { ...totals, ai: -1 }, visitors: [], hasMore: false }, /totals/],
    ['half a visitor', { totals: { ...totals, ai: 0.5 }, visitors: [], hasMore: false }, /totals/],
    ['a count as text', { totals: { ...totals, ai: '2' }, visitors: [], hasMore: false }, /totals/],
    ['a count past 2^53', { totals: { ...totals, ai: 2 ** 53 }, visitors: [], hasMore: false }, /totals/],
    ['no hasMore', { totals, visitors: [] }, /hasMore/],
    ['hasMore as text', { totals, visitors: [], hasMore: 'false' }, /hasMore/],
    ['no rows', { totals, hasMore: false }, /visitors/],
    ['rows in an object', { totals, visitors: { 0: row }, hasMore: false }, /visitors/],
    ['a row without a path', { totals, visitors: [row, totals], hasMore: false }, /row 2/],
    ['a row with an odd count', { totals, visitors: [{ ...row, human: null }], hasMore: false }, /row 1/],
  ])('with %s is of another shape', (_name, value, problem) => {
    expect(readVisitorsAnswer(value)).toMatch(problem)
  })
})
