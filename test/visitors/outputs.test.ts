import { expect, it } from 'vitest'
import { csvOf, headingOf, visitorsOutputs } from '../../src/visitors/visitors.ts'
import { CHANGED, report } from './samples.ts'

it('the CSV file has all rows, and no path that a spreadsheet takes for a formula', () => {
  const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '＝1']
  const paths = ['/', '/a,b', '/"q"', ...formulas]
  const written = ['/', '"/a,b"', '"/""q"""', ...formulas.map((path) => `'${path}`)]
  const lines = ['path,human,ai,total', ...written.map((path) => `${path},2,1,3`), '']
  const rows = paths.map((path) => ({ path, human: 2, ai: 1, total: 3 }))
  expect([csvOf(rows), csvOf([])]).toEqual([lines.join('\r\n'), 'path,human,ai,total\r\n'])
})

it('the output lists the unusual pages, at most five up and five down', () => {
  const { visitors } = visitorsOutputs(report([9, 9], CHANGED), 1)
  const { risers, fallers, top } = JSON.parse(visitors ?? '')
  expect(fallers).toEqual([{ path: '/down', total: 20, previous: 100, change: -80 }])
  expect(risers).toHaveLength(5)
  expect(risers[4]).toEqual({ path: '/up/4', total: 296, previous: 96, change: 208.3 })
  expect(top).toHaveLength(10)
  expect(top[0]).toEqual({ path: '/up/0', human: 300, ai: 0, total: 300, change: 200 })
})

const READS = { human: 15_702, ai: 25_620, total: 41_322 }
const WEEK = '27 Jul to 2 Aug'
it.each([
  {
    totals: [9000, 9100, 8900, 9200],
    says: 'bout 9,200 visitors, within the usual range',
    reads: READS,
    ending: '; AI made 62% of 41,322 reads',
  },
  {
    totals: [9000, 9100, 8900, 9999],
    says: 'bout 9,999 visitors, the highest of the last 4 weeks',
  },
  {
    totals: [900, 910, 890, 1],
    days: 30,
    period: '4 Jul to 2 Aug',
    says: 'bout 1 visitor, the lowest of the last 4 periods of 30 days',
  },
  { totals: [0, 0, 9000, 9100, 9999], says: 'bout 9,999 visitors' },
  { totals: [0, 0, 0], first: 'n', says: 'o visitors' },
])('after $totals heading and headline say "$says"', (given) => {
  const { totals, first = 'a', says, reads, days = 7, period = WEEK, ending = '' } = given
  const shown = report(totals, { days, reads })
  const outputs = visitorsOutputs(shown, 1)
  expect(headingOf(shown)).toBe(`${first.toUpperCase()}${says}`)
  expect(outputs['visitors-headline']).toBe(`Docs, ${period}: ${first}${says}${ending}`)
  expect(JSON.parse(outputs.visitors ?? '').reads).toEqual(reads ?? null)
})
