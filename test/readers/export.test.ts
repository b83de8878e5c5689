import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { exportFormat, exportRows } from '../../src/readers/export.ts'
import type { PageVisitors } from '../../src/service/analytics.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'

type ExportFormat = 'csv' | 'json' | 'ndjson'

let folder = ''

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'export-')))
})

afterEach(async () => {
  await rm(folder, { recursive: true })
})

const row = (path: string, total = 3): PageVisitors => ({ path, human: 2, ai: 1, total })

async function exported(format: ExportFormat, rows: readonly PageVisitors[]): Promise<string> {
  const name = `x.${format}`
  const place = join(folder, name)
  await exportRows(rows, { name, path: place, format })
  expect(await readdir(folder)).toEqual([name])
  const text = await readFile(place, 'utf8')
  await rm(place)
  return text
}

describe('an export', () => {
  it('as CSV has a head, and lines that end as RFC 4180 wants', async () => {
    expect(await exported('csv', [row('/'), row('/a,b'), row('/"q"')])).toBe(
      'path,human,ai,total\r\n/,2,1,3\r\n"/a,b",2,1,3\r\n"/""q""",2,1,3\r\n',
    )
  })

  it('as JSON is an array, as NDJSON one object per line', async () => {
    expect(JSON.parse(await exported('json', [row('/'), row('/b')]))).toEqual([row('/'), row('/b')])
    const lines = (await exported('ndjson', [row('/'), row('/b')])).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([row('/'), row('/b')])
  })

  it.each<[ExportFormat, string]>([
    ['csv', 'path,human,ai,total\r\n'],
    ['json', '[\n\n]\n'],
    ['ndjson', ''],
  ])('without rows as %s is an empty one', async (format, text) => {
    expect(await exported(format, [])).toBe(text)
  })

  it('holds any path as it is, in the formats of JSON', async () => {
    const rows = HOSTILE_TEXTS.map((text) => row(text.toWellFormed()))
    expect(JSON.parse(await exported('json', rows))).toEqual(rows)
    const lines = (await exported('ndjson', rows)).trimEnd().split(/\r\n|[\n\r\u2028\u2029]/)
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows)
  })

  it('as CSV has no path that a spreadsheet takes for a formula', async () => {
    const paths = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '＝1', "=cmd|'/c calc'!A1"]
    const lines = (
      await exported(
        'csv',
        paths.map((path) => row(path)),
      )
    ).split('\r\n')
    expect(lines.slice(1, -1)).toEqual(paths.map((path) => `'${path},2,1,3`))
  })
})

describe('the format', () => {
  it.each([
    ['a/b.csv', 'csv'],
    ['B.JSON', 'json'],
    ['c.ndjson', 'ndjson'],
    ['d.jsonl', undefined],
    ['csv', undefined],
    ['x.csv/', undefined],
  ])('of %s is %s', (name, format) => {
    expect(exportFormat(name)).toBe(format)
  })
})
