import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readVisitorsAnswer } from '../../src/service/visitors.ts'

const totals = { human: 3, ai: 2, total: 4 }
const row = { path: '/', human: 1, ai: 0, total: 1 }
const answer = { totals, visitors: [row], hasMore: true }

describe('an answer of the visitors call', () => {
  it('is read as it is, unknown fields or not', () => {
    expect(readVisitorsAnswer({ ...answer, cursor: 'x' })).toEqual({
      totals,
      rows: [row],
      invalidRows: 0,
      hasMore: true,
      invalid: false,
    })
  })

  it.each<[string, unknown]>([
    ['no object', null],
    ['a list', []],
    ['nothing in it', {}],
    ['a total that is missing', { ...answer, totals: { human: 1, ai: 1 } }],
    ['a negative total', { ...answer, totals: { ...totals, ai: -1 } }],
    ['a total as text', { ...answer, totals: { ...totals, ai: '2' } }],
    ['a total past 2^53', { ...answer, totals: { ...totals, ai: 2 ** 53 } }],
  ])('with %s can not be read', (_name, value) => {
    expect(readVisitorsAnswer(value)).toBeUndefined()
  })

  it('has its decimals rounded', () => {
    const found = readVisitorsAnswer({
      totals: { human: 2.5, ai: 0.4, total: 2.6 },
      visitors: [{ path: '/', human: 1.49, ai: 0.5, total: 1.99 }],
      hasMore: false,
    })
    expect(found).toMatchObject({
      totals: { human: 3, ai: 0, total: 3 },
      rows: [{ path: '/', human: 1, ai: 1, total: 2 }],
      invalidRows: 0,
    })
  })

  it.each<[string, unknown]>([
    ['no row at all', null],
    ['a list', ['/', 1, 0, 1]],
    ['without a path', { human: 1, ai: 0, total: 1 }],
    ['with an empty path', { ...row, path: '' }],
    ['with a path that is no text', { ...row, path: 7 }],
    ['with a count below zero', { ...row, ai: -0.6 }],
    ['with a count that is no number', { ...row, human: '1' }],
    ['without a count', { path: '/', human: 1, ai: 0 }],
    ['with a count past 2^53', { ...row, total: 1e300 }],
  ])('with a row %s leaves that out and counts it', (_name, odd) => {
    const other = { ...row, path: '/other' }
    const found = readVisitorsAnswer({ ...answer, visitors: [row, odd, other] })
    expect(found).toMatchObject({ rows: [row, other], invalidRows: 1, invalid: false })
  })

  it.each<[string, unknown]>([
    ['without hasMore', { totals, visitors: [row] }],
    ['with hasMore as text', { ...answer, hasMore: 'true' }],
    ['without rows', { totals, hasMore: false }],
    ['with rows in an object', { ...answer, visitors: { 0: row } }],
  ])('%s is odd, and read as far as it can be', (_name, value) => {
    expect(readVisitorsAnswer(value)).toMatchObject({ totals, invalid: true })
  })

  it('loses no more than the one row or field that is odd, whatever that is', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true })
    const rows = Array.from({ length: 5 }, (_, index) => ({ ...row, path: `/${index}` }))
    const place = fc.constantFrom<(odd: unknown) => unknown>(
      (odd) => ({ ...answer, visitors: rows.with(2, odd as never) }),
      ...(['path', 'human', 'ai', 'total'] as const).map((field) => (odd: unknown) => ({
        ...answer,
        visitors: rows.with(2, { ...row, [field]: odd } as never),
      })),
    )
    fc.assert(
      fc.property(place, anything, (put, odd) => {
        const found = readVisitorsAnswer(put(odd))
        expect(found?.totals).toEqual(totals)
        expect(found?.rows.map(({ path }) => path)).toEqual(expect.arrayContaining(['/0', '/1', '/3', '/4']))
        expect((found?.rows.length ?? 0) + (found?.invalidRows ?? 0)).toBe(5)
      }),
      { numRuns: 2000 },
    )
    fc.assert(
      fc.property(fc.constantFrom('visitors', 'hasMore', 'cursor'), anything, (field, odd) => {
        expect(readVisitorsAnswer({ ...answer, [field]: odd })?.totals).toEqual(totals)
      }),
    )
  })
})
