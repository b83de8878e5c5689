import { describe, expect, it } from 'vitest'
import { csvOf, headingOf, visitorsOutputs } from '../../src/readers/visitors.ts'
import { MOVED, report } from './samples.ts'

describe('an export', () => {
  it('is CSV, with rows and without, and no path that a spreadsheet takes for a formula', () => {
    const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '＝1', "=cmd|'/c calc'!A1"]
    const paths = ['/', '/a,b', '/"q"', ...formulas]
    const written = ['/', '"/a,b"', '"/""q"""', ...formulas.map((path) => `'${path}`)]
    const lines = ['path,human,ai,total', ...written.map((path) => `${path},2,1,3`), '']
    const rows = paths.map((path) => ({ path, human: 2, ai: 1, total: 3 }))
    expect([csvOf(rows), csvOf([])]).toEqual([lines.join('\r\n'), 'path,human,ai,total\r\n'])
  })
})

it('the output lists the pages that moved, at most five up and five down', () => {
  const { visitors } = visitorsOutputs(report([9, 9], MOVED), 1)
  const { risers, fallers, top } = JSON.parse(visitors ?? '')
  expect(fallers).toEqual([{ path: '/down', total: 20, previous: 100, change: -80 }])
  expect(risers).toHaveLength(5)
  expect(risers[4]).toEqual({ path: '/up/4', total: 296, previous: 96, change: 208.3 })
  expect(top).toHaveLength(10)
  const first = { path: '/up/0', human: 300, ai: 0, total: 300, change: 200 }
  expect(top[0]).toEqual(first)
})

const READS = { human: 15_702, ai: 25_620, total: 41_322 }
const AI = '; AI made 62 % of 41,322 reads'
const WEEK = '27 Jul to 2 Aug'
it.each([
  [[9000, 9100, 8900, 9200], WEEK, 'bout 9,200 visitors', ', as usual', AI],
  [[9000, 9100, 8900, 12_480], WEEK, 'bout 12,480 visitors', ', the highest of 4 weeks', ''],
  [
    [900, 910, 890, 1],
    '4 Jul to 2 Aug',
    'bout 1 visitor',
    ', the lowest of 4 periods of 30 days',
    AI,
  ],
  [[0, 0, 9000, 9100, 12_480], WEEK, 'bout 12,480 visitors', '', ''],
])('the heading and the headline after %j in %s are one line', (...given) => {
  const [totals, period, who, verdict, ai] = given
  const [days, reads] = [period === WEEK ? 7 : 30, ai === '' ? undefined : READS]
  const shown = report(totals, { days, reads })
  const outputs = visitorsOutputs(shown, 1)
  expect(headingOf(shown)).toBe(`A${who} read the docs${verdict}`)
  expect(outputs['visitors-headline']).toBe(`Docs, ${period}: a${who}${verdict}${ai}`)
  expect(JSON.parse(outputs.visitors ?? '').reads).toEqual(reads ?? null)
})
