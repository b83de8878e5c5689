import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS, isoDay, type Period } from '../../src/readers/format.ts'
import { fullDaysBefore, periodsBefore, readReadersOptions } from '../../src/readers/options.ts'
import { UNUSED, WRONG_PERIODS } from './options.cases.ts'
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

function texts({ fromMs, toMs }: Period): string[] {
  return [isoDay(fromMs), isoDay(toMs)]
}

describe('the options', () => {
  it('by default are of the full days before today', async () => {
    const { options, problems, warnings } = await readOptions(VISITORS)
    expect([problems, warnings]).toEqual([[], []])
    expect(options).toMatchObject({
      visitors: { isSoFar: false, exportTo: undefined, before: { length: 7 } },
    })
    expect(options?.visitors && texts(options.visitors.period)).toEqual(['2026-07-27', '2026-08-03'])
  })

  it('of an export have the file', async () => {
    const { options, workspace } = await readOptions({ 'visitors-export': 'out/x.CSV' })
    expect(options?.visitors?.exportTo).toBe(join(workspace, 'out/x.CSV'))
  })
})

describe('an explicit period', () => {
  it.each([
    ['2026-07-27', '2026-08-03', false, 7],
    ['2026-08-02', '2026-08-04', true, 0],
    ['2026-08-03', '2026-09-01', true, 0],
    ['2025-08-01', '2026-08-02', false, 7],
  ])('from %s to %s has not ended yet: %s, and is compared with %i', async (from, to, isSoFar, before) => {
    const { options, problems } = await readOptions({ ...VISITORS, 'visitors-from': from, 'visitors-to': to })
    expect(problems).toEqual([])
    expect(options?.visitors && texts(options.visitors.period)).toEqual([from, to])
    expect(options?.visitors).toMatchObject({ isSoFar, before: { length: before } })
  })

  it.each(WRONG_PERIODS)('from "%s" to "%s" is refused', async (from, to, ...expected) => {
    const { problems } = await readOptions({ ...VISITORS, 'visitors-from': from, 'visitors-to': to })
    expect(problems).toEqual(expected)
  })
})

it.each(['d.jsonl', 'csv', 'x.csv/', '../x.csv'])('an export to %s is refused', async (name) => {
  expect((await readOptions({ 'visitors-export': name })).problems).toEqual([
    expect.stringMatching(/^visitors-export \(".*"\) (?:has no known ending|is outside the workspace)$/),
  ])
})

describe('inputs of a report without one', () => {
  const SITE = { 'site-url': 'https://docs.example.com' }
  it.each(UNUSED)('are warned of in one sentence: %j', async (given, sentence) => {
    expect((await readOptions(given)).warnings).toEqual([sentence])
  })

  it.each<Given>([
    { 'visitors-days': '7', 'visitors-top': '10' },
    { ...SITE, ...SIGNALS, 'visitors-max-requests': '9' },
    { ...SITE, ...VISITORS, 'visitors-days': '14' },
    { ...EXPORT, 'visitors-top': '5', 'visitors-trend': '2' },
  ])('are not warned of where a part of the report uses them: %j', async (given) => {
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

  it('before one touch one another and have its length', () => {
    const days = fc.integer({ min: 10_000, max: 40_000 })
    const counts = fc.integer({ min: 1, max: 51 })
    fc.assert(
      fc.property(days, fc.integer({ min: 1, max: 366 }), counts, (first, length, count) => {
        let next: Period = { fromMs: first * DAY_MS, toMs: (first + length) * DAY_MS }
        const before = periodsBefore(next, count)
        expect(before).toHaveLength(count)
        for (const earlier of before) {
          expect(earlier).toEqual({ fromMs: next.fromMs - length * DAY_MS, toMs: next.fromMs })
          next = earlier
        }
      }),
    )
  })
})
