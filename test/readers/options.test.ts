import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readInputs } from '../../src/inputs/read.ts'
import { readReadersOptions } from '../../src/readers/options.ts'
import { NOW_MS } from './scene.ts'

let workspace = ''

beforeEach(async () => {
  workspace = await realpath(await mkdtemp(join(tmpdir(), 'options-')))
})

afterEach(async () => {
  await rm(workspace, { recursive: true })
})

type Given = Readonly<Record<string, unknown>>

/** The options for inputs given as a workflow gives them. */
async function readOptions(given: Given) {
  const texts = Object.entries({ 'visitors-summary': true, ...given }).map(
    ([name, value]) => [name, String(value)] as const,
  )
  const { inputs, problems } = readInputs(new Map(texts), (text) => text)
  const read = await readReadersOptions(inputs, { workspace, nowMs: NOW_MS, problems })
  const further = read.problems.filter(({ input }) => !problems.some((problem) => problem.input === input))
  return { ...read, problems: [...problems, ...further] }
}

/** The problems with inputs, as a user reads them. */
async function problems(given: Given): Promise<string[]> {
  const { problems } = await readOptions(given)
  return problems.map(({ input, problem }) => `${input} ${problem}`)
}

describe('the options', () => {
  it('by default are of the full days before today', async () => {
    expect(await readOptions({})).toEqual({
      problems: [],
      isRequested: true,
      unused: [],
      warnings: [],
      options: {
        visitors: {
          period: {
            from: { ms: Date.UTC(2026, 6, 27), text: '2026-07-27' },
            to: { ms: Date.UTC(2026, 7, 3), text: '2026-08-03' },
          },
          isSoFar: false,
          summary: true,
          top: 10,
          trend: 8,
          exportTo: undefined,
        },
        signals: 'none',
        signalsPeriod: {
          from: { ms: Date.UTC(2026, 6, 6), text: '2026-07-06' },
          to: { ms: Date.UTC(2026, 7, 3), text: '2026-08-03' },
        },
        maxRequests: 40,
        siteUrl: undefined,
      },
    })
  })

  it('are none where nothing is asked for', async () => {
    const read = await readOptions({ 'visitors-summary': false })
    expect(read).toMatchObject({ options: undefined, isRequested: false, warnings: [] })
  })

  it('of an export alone have the file', async () => {
    const { options } = await readOptions({ 'visitors-summary': false, 'visitors-export': 'out/x.csv' })
    expect(options?.visitors).toMatchObject({
      summary: false,
      exportTo: { name: 'out/x.csv', path: join(workspace, 'out/x.csv'), format: 'csv' },
    })
  })

  it.each(['report', 'agent'])('of reader signals alone (%s) have no visitors', async (signals) => {
    const { options } = await readOptions({ 'visitors-summary': false, 'reader-signals': signals })
    expect(options).toMatchObject({ visitors: undefined, signals })
  })
})

describe('an explicit period', () => {
  it.each([
    ['2026-07-27', '2026-08-03', false, 8],
    ['2026-08-02T06:00', '2026-08-03T06:00:00.000Z', false, 8],
    ['2026-08-02T06:00', '2026-08-03T06:00:00.001Z', true, 1],
    ['2026-08-03T05:59:59.999Z', '2026-09-01', true, 1],
    ['2025-08-01', '2026-08-02', false, 8],
  ])('from %s to %s is not over yet: %s, so its trend is %i', async (from, to, isSoFar, trend) => {
    const { options, problems } = await readOptions({ 'visitors-from': from, 'visitors-to': to })
    expect(problems).toEqual([])
    expect(options?.visitors).toMatchObject({
      period: { from: { text: from }, to: { text: to } },
      isSoFar,
      trend,
    })
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
    ['2026-02-20', 'tomorrow', 'visitors-to ("tomorrow") is not a date'],
    [
      '',
      'tomorrow',
      'visitors-to ("tomorrow") is not a date',
      'visitors-from is missing, though visitors-to is given',
    ],
  ])('from "%s" to "%s" is refused', async (from, to, ...expected) => {
    expect(await problems({ 'visitors-from': from, 'visitors-to': to })).toEqual(expected)
  })

  it('is judged with all else, asked for or not', async () => {
    const wrong = { 'visitors-from': '1', 'visitors-to': '2', 'visitors-export': 'x.xlsx' }
    expect(await problems({ 'visitors-summary': false, ...wrong })).toEqual([
      'visitors-from ("1") is not a date',
      'visitors-to ("2") is not a date',
      'visitors-export ("x.xlsx") has no known ending',
    ])
  })
})

describe('an input without effect', () => {
  const none = { 'visitors-summary': false }

  it.each<[Given, string]>([
    [
      { ...none, 'visitors-days': 14, 'visitors-top': 5 },
      '`visitors-days` and `visitors-top` have no effect without `visitors-summary` or `visitors-export`.',
    ],
    [
      { ...none, 'reader-signals': 'report', 'visitors-trend': 4 },
      '`visitors-trend` has no effect without `visitors-summary` or `visitors-export`.',
    ],
    [
      { ...none, 'site-url': 'https://docs.example.com' },
      '`site-url` has no effect without a readers report in the summary.',
    ],
    [
      { ...none, 'visitors-export': 'x.csv', 'site-url': 'https://docs.example.com' },
      '`site-url` has no effect without a readers report in the summary.',
    ],
    [
      { ...none, 'visitors-max-requests': 10 },
      '`visitors-max-requests` has no effect without a readers report.',
    ],
    [
      { 'visitors-days': 14, 'visitors-from': '2026-07-01', 'visitors-to': '2026-07-08' },
      '`visitors-days` has no effect beside `visitors-from`.',
    ],
    [
      { 'visitors-trend': 4, 'visitors-from': '2026-08-01', 'visitors-to': '2026-08-08' },
      '`visitors-trend` has no effect on a period that is not over yet.',
    ],
  ])('of %j is warned of', async (given, warning) => {
    const { warnings, problems } = await readOptions(given)
    expect([warnings, problems]).toEqual([[warning], []])
  })

  it('is named, for a run that asks for nothing else', async () => {
    const { unused } = await readOptions({
      ...none,
      'visitors-days': 14,
      'site-url': 'https://docs.example.com',
    })
    expect(unused).toEqual(['visitors-days', 'site-url'])
  })

  it.each<Given>([
    { ...none, 'visitors-days': 7, 'visitors-top': 10 },
    {
      ...none,
      'reader-signals': 'report',
      'site-url': 'https://docs.example.com',
      'visitors-max-requests': 9,
    },
    { 'visitors-days': 14, 'site-url': 'https://docs.example.com' },
    { ...none, 'visitors-export': 'x.csv', 'visitors-top': 5, 'visitors-trend': 2 },
  ])('is not one of %j', async (given) => {
    expect((await readOptions(given)).warnings).toEqual([])
  })
})
