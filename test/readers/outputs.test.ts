import { describe, expect, it } from 'vitest'
import { exportText, visitorsOutputs } from '../../src/readers/visitors.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { page, report } from './samples.ts'

const row = (path: string) => ({ path, human: 2, ai: 1, total: 3 })

describe('an export', () => {
  const OBJECTS = [
    '{"path":"/","human":2,"ai":1,"total":3}',
    '{"path":"/a,b","human":2,"ai":1,"total":3}',
    '{"path":"/\\"q\\"","human":2,"ai":1,"total":3}',
  ]
  const HEAD = 'path,human,ai,total\r\n'
  it.each([
    ['a/b.csv', `${HEAD}/,2,1,3\r\n"/a,b",2,1,3\r\n"/""q""",2,1,3\r\n`, HEAD],
    ['B.JSON', `[\n${OBJECTS.join(',\n')}\n]\n`, '[\n\n]\n'],
    ['c.ndjson', `${OBJECTS.join('\n')}\n`, ''],
  ])('to %s has the format of its ending, with rows and without', (path, text, empty) => {
    expect(exportText([row('/'), row('/a,b'), row('/"q"')], path)).toBe(text)
    expect(exportText([], path)).toBe(empty)
  })

  it('holds any path as it is, in the formats of JSON', () => {
    const rows = HOSTILE_TEXTS.map((text) => row(text.toWellFormed()))
    expect(JSON.parse(exportText(rows, 'x.json'))).toEqual(rows)
    const lines = exportText(rows, 'x.ndjson').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows)
  })

  it('as CSV has no path that a spreadsheet takes for a formula', () => {
    const paths = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '＝1', "=cmd|'/c calc'!A1"]
    const lines = exportText(paths.map(row), 'x.csv').split('\r\n')
    expect(lines.slice(1, -1)).toEqual(paths.map((path) => `'${path},2,1,3`))
  })
})

it('the output lists the pages that moved, at most five up and five down, without new and gone ones', () => {
  const quiet = Array.from({ length: 40 }, (_, index) => page(`/quiet/${index}`, 100))
  const up = (total: number) => [0, 1, 2, 3, 4, 5, 6].map((index) => page(`/up/${index}`, total - index))
  const pages = [...quiet, ...up(400), page('/down', 200), page('/new', 100)]
  const previousPages = [...quiet, ...up(200), page('/down', 400), page('/gone', 100)]
  const shown = report([9, 9], { pages, previousPages })
  const { risers, fallers } = JSON.parse(visitorsOutputs(shown, 1).visitors ?? '')
  expect(fallers).toEqual([{ path: '/down', total: 200, previous: 400, change: -50 }])
  expect(risers).toHaveLength(5)
  expect(risers[4]).toEqual({ path: '/up/4', total: 396, previous: 196, change: 102 })
})
