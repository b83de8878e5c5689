import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DATE } from '../../src/inputs/formats.ts'
import { DAY_MS, type Period } from '../../src/readers/format.ts'
import { fullDaysBefore, periodsBefore, readReadersOptions } from '../../src/readers/options.ts'
import { runWith } from './scene.ts'

type Given = Readonly<Record<string, string>>

const VISITORS = { 'visitors-summary': 'true' }
const EXPORT = { 'visitors-export': 'x.csv' }
const SIGNALS = { 'reader-signals': 'report' }

/** The options for inputs given as a workflow gives them, and all problems as a user reads them. */
async function readOptions(given: Given) {
  const { run, workspace } = runWith(given)
  const read = await readReadersOptions(run)
  const further = read.problems.filter(({ input }) => !run.problems.some((one) => one.input === input))
  const problems = [...run.problems, ...further].map(({ input, problem }) => `${input} ${problem}`)
  return { ...read, problems, workspace }
}

function texts({ from, to }: Period): string[] {
  return [from.text, to.text]
}

describe('the options', () => {
  it('by default are of the full days before today', async () => {
    const { options, problems, unused, warnings } = await readOptions(VISITORS)
    expect([problems, unused, warnings]).toEqual([[], [], []])
    expect(options).toMatchObject({
      visitors: { isSoFar: false, exportTo: undefined, before: { length: 7 } },
    })
    expect(options?.visitors && texts(options.visitors.period)).toEqual(['2026-07-27', '2026-08-03'])
    expect(options && texts(options.signalsPeriod)).toEqual(['2026-07-06', '2026-08-03'])
  })

  it('of an export have the file', async () => {
    const { options, workspace } = await readOptions({ 'visitors-export': 'out/x.CSV' })
    expect(options?.visitors?.exportTo).toBe(join(workspace, 'out/x.CSV'))
  })
})

describe('an explicit period', () => {
  it.each([
    ['2026-07-27', '2026-08-03', false, 7],
    ['2026-08-02T06:00', '2026-08-03T06:00:00.000Z', false, 7],
    ['2026-08-02T06:00', '2026-08-03T06:00:00.001Z', true, 0],
    ['2026-08-03T05:59:59.999Z', '2026-09-01', true, 0],
    ['2025-08-01', '2026-08-02', false, 7],
  ])('from %s to %s is not over yet: %s, and is compared with %i', async (from, to, isSoFar, before) => {
    const { options, problems } = await readOptions({ ...VISITORS, 'visitors-from': from, 'visitors-to': to })
    expect(problems).toEqual([])
    expect(options?.visitors).toMatchObject({
      period: { from: { text: from }, to: { text: to } },
      isSoFar,
      before: { length: before },
    })
  })

  it.each([
    ['2026-07-27', '2026-07-27', 'visitors-to ("2026-07-27") is not after visitors-from ("2026-07-27")'],
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
    const { problems } = await readOptions({ ...VISITORS, 'visitors-from': from, 'visitors-to': to })
    expect(problems).toEqual(expected)
  })
})

it.each(['d.jsonl', 'csv', 'x.csv/', '../x.csv'])('an export to %s is refused', async (name) => {
  expect((await readOptions({ 'visitors-export': name })).problems).toEqual([
    expect.stringMatching(/^visitors-export \(".*"\) (?:has no known ending|is outside the workspace)$/),
  ])
})

describe('an input without effect', () => {
  const SITE = { 'site-url': 'https://docs.example.com' }
  const OVER = { ...VISITORS, 'visitors-from': '2026-07-01', 'visitors-to': '2026-07-08' }
  const SO_FAR = { ...VISITORS, 'visitors-from': '2026-08-01', 'visitors-to': '2026-08-08' }

  it('is warned of', async () => {
    const warned = async (given: Given) => (await readOptions(given)).warnings.join(' ')
    expect(await warned({ 'visitors-days': '14', 'visitors-top': '5' })).toBe(
      '`visitors-days` and `visitors-top` have no effect without `visitors-summary` or `visitors-export`.',
    )
    expect(await warned({ ...SIGNALS, 'visitors-trend': '4' })).toBe(
      '`visitors-trend` has no effect without `visitors-summary` or `visitors-export`.',
    )
    expect(await warned({ ...SITE, ...EXPORT })).toBe(
      '`site-url` has no effect without `visitors-summary` or `reader-signals`.',
    )
    expect(await warned({ 'visitors-max-requests': '10' })).toBe(
      '`visitors-max-requests` has no effect without a readers report.',
    )
    expect(await warned({ ...OVER, 'visitors-days': '14' })).toBe(
      '`visitors-days` has no effect beside `visitors-from`.',
    )
    expect(await warned({ ...SO_FAR, 'visitors-trend': '4' })).toBe(
      '`visitors-trend` has no effect on a period that is not over yet.',
    )
  })

  it.each<Given>([
    { 'visitors-days': '7', 'visitors-top': '10' },
    { ...SITE, ...SIGNALS, 'visitors-max-requests': '9' },
    { ...SITE, ...VISITORS, 'visitors-days': '14' },
    { ...EXPORT, 'visitors-top': '5', 'visitors-trend': '2' },
  ])('is not one of %j', async (given) => {
    expect((await readOptions(given)).warnings).toEqual([])
  })
})

describe('periods', () => {
  it('of full days end where today begins', () => {
    const fullDays = (now: string, days: number) => texts(fullDaysBefore(Date.parse(now), days))
    expect(fullDays('2026-08-03T00:00:00Z', 1)).toEqual(['2026-08-02', '2026-08-03'])
    expect(fullDays('2026-08-03T23:59:59.999Z', 1)).toEqual(['2026-08-02', '2026-08-03'])
    expect(fullDays('2026-01-02T12:00:00Z', 7)).toEqual(['2025-12-26', '2026-01-02'])
    expect(fullDays('2028-03-01T00:00:01Z', 1)).toEqual(['2028-02-29', '2028-03-01'])
    expect(fullDays('2029-01-01T00:00:00Z', 366)).toEqual(['2028-01-01', '2029-01-01'])
  })

  it('before one touch one another and have its length, days or not', () => {
    const moments = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2100, 0, 1) })
    const lengths = fc.integer({ min: 1, max: 366 * DAY_MS })
    fc.assert(
      fc.property(moments, lengths, fc.integer({ min: 1, max: 51 }), (fromMs, lengthMs, count) => {
        let next: Period = { from: { ms: fromMs, text: '' }, to: { ms: fromMs + lengthMs, text: '' } }
        const before = periodsBefore(next, count)
        expect(before).toHaveLength(count)
        for (const earlier of before) {
          expect(earlier.to).toEqual(next.from)
          expect(earlier.to.ms - earlier.from.ms).toBe(lengthMs)
          expect(DATE.parse(earlier.from.text).ms).toBe(earlier.from.ms)
          next = earlier
        }
      }),
    )
  })

  it('before one with a time begin where it begins, and are asked for in UTC', () => {
    const [from, to] = [DATE.parse('2026-07-27T12:00:00+02:00'), DATE.parse('2026-07-28T12:00:00+02:00')]
    const before = periodsBefore({ from, to }, 1).map(texts)
    expect(before).toEqual([['2026-07-26T10:00:00.000Z', '2026-07-27T12:00:00+02:00']])
  })
})
