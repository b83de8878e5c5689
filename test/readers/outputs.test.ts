import { describe, expect, it } from 'vitest'
import { DATE } from '../../src/inputs/formats.ts'
import { exportText, visitorsOutputs } from '../../src/readers/outputs.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { report } from './samples.ts'

const row = (path: string) => ({ path, human: 2, ai: 1, total: 3 })

describe('an export', () => {
  it.each([
    [
      'a/b.csv',
      'path,human,ai,total\r\n/,2,1,3\r\n"/a,b",2,1,3\r\n"/""q""",2,1,3\r\n',
      'path,human,ai,total\r\n',
    ],
    [
      'B.JSON',
      '[\n{"path":"/","human":2,"ai":1,"total":3},\n{"path":"/a,b","human":2,"ai":1,"total":3},\n{"path":"/\\"q\\"","human":2,"ai":1,"total":3}\n]\n',
      '[\n\n]\n',
    ],
    [
      'c.ndjson',
      '{"path":"/","human":2,"ai":1,"total":3}\n{"path":"/a,b","human":2,"ai":1,"total":3}\n{"path":"/\\"q\\"","human":2,"ai":1,"total":3}\n',
      '',
    ],
  ])('to %s has the format of its ending, with rows and without', (path, text, empty) => {
    expect(exportText([row('/'), row('/a,b'), row('/"q"')], path)).toBe(text)
    expect(exportText([], path)).toBe(empty)
  })

  it('holds any path as it is, in the formats of JSON', () => {
    const rows = HOSTILE_TEXTS.map((text) => row(text.toWellFormed()))
    expect(JSON.parse(exportText(rows, 'x.json'))).toEqual(rows)
    const lines = exportText(rows, 'x.ndjson')
      .trimEnd()
      .split(/\r\n|[\n\r\u2028\u2029]/)
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows)
  })

  it('as CSV has no path that a spreadsheet takes for a formula', () => {
    const paths = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '＝1', "=cmd|'/c calc'!A1"]
    const lines = exportText(paths.map(row), 'x.csv').split('\r\n')
    expect(lines.slice(1, -1)).toEqual(paths.map((path) => `'${path},2,1,3`))
  })
})

it('the outputs name the days that a period with times touches, and its times in the JSON', () => {
  const [from, to] = [DATE.parse('2026-07-27T12:00Z'), DATE.parse('2026-07-27T18:00Z')]
  const outputs = visitorsOutputs({ ...report([5]), period: { from, to } }, 1)
  expect(outputs).toMatchObject({ 'visitors-from': '2026-07-27', 'visitors-to': '2026-07-28' })
  expect(JSON.parse(outputs.visitors ?? '')).toMatchObject({ from: '2026-07-27T12:00:00.000Z' })
})
