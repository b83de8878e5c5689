import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readInputs } from '../../src/inputs/read.ts'
import {
  readVisitorsOptions,
  type VisitorsInputs,
  type VisitorsOptionsReading,
} from '../../src/visitors/options.ts'

/** A Monday morning. */
const NOW_MS = Date.UTC(2026, 7, 3, 6)

let workspace = ''

beforeEach(async () => {
  workspace = await realpath(await mkdtemp(join(tmpdir(), 'options-')))
})

afterEach(async () => {
  await rm(workspace, { recursive: true })
})

/** The options for inputs given as a workflow gives them. */
async function readOptions(
  given: Partial<Record<keyof VisitorsInputs, unknown>>,
): Promise<VisitorsOptionsReading> {
  const texts = Object.entries({ 'visitors-summary': true, ...given }).map(
    ([name, value]) => [name, String(value)] as const,
  )
  const { inputs, problems } = readInputs(new Map(texts), (text) => text)
  const read = await readVisitorsOptions(inputs, { workspace, nowMs: NOW_MS, problems })
  const further = read.problems.filter(({ input }) => !problems.some((problem) => problem.input === input))
  return { ...read, problems: [...problems, ...further] }
}

/** The problems with inputs, as a user reads them. */
async function problems(inputs: Partial<Record<keyof VisitorsInputs, unknown>>): Promise<string[]> {
  const { problems } = await readOptions(inputs)
  return problems.map(({ input, problem }) => `${input} ${problem}`)
}

describe('the defaults', () => {
  it('ask for the full days before today', async () => {
    expect(await readOptions({})).toEqual({
      problems: [],
      options: {
        period: {
          from: { ms: Date.UTC(2026, 6, 27), text: '2026-07-27' },
          to: { ms: Date.UTC(2026, 7, 3), text: '2026-08-03' },
        },
        soFar: false,
        summary: true,
        top: 10,
        trend: 8,
        maxRequests: 40,
        exportTo: undefined,
        siteUrl: undefined,
      },
    })
  })

  it('without a summary or an export ask for nothing', async () => {
    expect((await readOptions({ 'visitors-summary': false })).options).toBeUndefined()
  })
})

describe('an export alone', () => {
  it('is asked for', async () => {
    const { options } = await readOptions({ 'visitors-summary': false, 'visitors-export': 'out/x.csv' })
    expect(options).toMatchObject({
      summary: false,
      exportTo: { name: 'out/x.csv', path: join(workspace, 'out/x.csv'), format: 'csv' },
    })
  })
})

describe('an explicit period', () => {
  it.each([
    ['2026-07-27', '2026-08-03', false, 8],
    ['2026-08-02T06:00', '2026-08-03T06:00:00.000Z', false, 8],
    ['2026-08-02T06:00', '2026-08-03T06:00:00.001Z', true, 1],
    ['2026-07-27', '2026-08-04', true, 1],
    ['2026-08-03T05:59:59.999Z', '2026-09-01', true, 1],
  ])('from %s to %s is not over yet: %s, so its trend is %i', async (from, to, soFar, trend) => {
    const { options, problems } = await readOptions({ 'visitors-from': from, 'visitors-to': to })
    expect(problems).toEqual([])
    expect(options).toMatchObject({ period: { from: { text: from }, to: { text: to } }, soFar, trend })
  })

  it.each([
    ['2026-07-27', '2026-07-27', 'visitors-to ("2026-07-27") is not after visitors-from ("2026-07-27")'],
    ['2026-07-28', '2026-07-27', 'visitors-to ("2026-07-27") is not after visitors-from ("2026-07-28")'],
    [
      '2025-08-01',
      '2026-08-02T00:00:00.001Z',
      'visitors-to ("2026-08-02T00:00:00.001Z") is more than 366 days after visitors-from ("2025-08-01")',
    ],
    [
      '2026-08-03T06:00',
      '2026-08-04',
      'visitors-from ("2026-08-03T06:00") is in the future, so there are no visitors yet',
    ],
    ['', '2026-08-03', 'visitors-from is missing, though visitors-to is given'],
    ['2026-07-27', '', 'visitors-to is missing, though visitors-from is given'],
    ['2026-02-30', '2026-03-01', 'visitors-from ("2026-02-30") is no day and time of the calendar'],
    ['2026-02-20', 'tomorrow', 'visitors-to ("tomorrow") is not a date'],
    [
      '2026-02-30',
      '',
      'visitors-from ("2026-02-30") is no day and time of the calendar',
      'visitors-to is missing, though visitors-from is given',
    ],
    [
      '',
      'tomorrow',
      'visitors-to ("tomorrow") is not a date',
      'visitors-from is missing, though visitors-to is given',
    ],
  ])('from "%s" to "%s" is refused', async (from, to, ...expected) => {
    expect(await problems({ 'visitors-from': from, 'visitors-to': to })).toEqual(expected)
  })

  it('may be 366 days long', async () => {
    expect(await problems({ 'visitors-from': '2025-08-01', 'visitors-to': '2026-08-02' })).toEqual([])
  })

  it('is judged with all else, asked for or not', async () => {
    const wrong = {
      'visitors-summary': false,
      'visitors-from': '1',
      'visitors-to': '2',
      'visitors-export': 'x.xlsx',
    }
    expect(await problems(wrong)).toEqual([
      'visitors-from ("1") is not a date',
      'visitors-to ("2") is not a date',
      'visitors-export ("x.xlsx") has no known ending',
    ])
  })
})

describe('the name of an export', () => {
  it('is refused where no file can be written there', async () => {
    await symlink(tmpdir(), join(workspace, 'link'))
    await mkdir(join(workspace, 'folder.csv'))
    const long = `${'x'.repeat(252)}.csv`
    const expected = [
      ['../x.csv', 'is outside the workspace'],
      ['/elsewhere/x.csv', 'is outside the workspace'],
      ['link/x.csv', 'is outside the workspace'],
      ['folder.csv', 'is a folder, not a file'],
    ] as const
    for (const [name, problem] of expected) {
      expect(await problems({ 'visitors-export': name })).toEqual([`visitors-export ("${name}") ${problem}`])
    }
    expect(await problems({ 'visitors-export': long })).toEqual([
      `visitors-export ("${'x'.repeat(80)}… (176 more characters)") is longer than the file system allows`,
    ])
    expect(await problems({ 'visitors-export': `new/${long.slice(1)}` })).toEqual([])
  })
})
