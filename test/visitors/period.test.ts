import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  DAY_MS,
  daysOf,
  fullDaysBefore,
  type Period,
  parsePeriodDate,
  periodProblem,
  periodsBefore,
  wholeDays,
} from '../../src/visitors/period.ts'

const moments = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2100, 0, 1) })

function period(from: string, to: string): Period {
  return { from: parsePeriodDate(from), to: parsePeriodDate(to) }
}

function texts({ from, to }: Period): [string, string] {
  return [from.text, to.text]
}

describe('the full days before today', () => {
  it.each<[string, string, number, [string, string]]>([
    ['a Monday reports Monday to Sunday', '2026-08-03T06:00:00Z', 7, ['2026-07-27', '2026-08-03']],
    ['the first moment of a day', '2026-08-03T00:00:00Z', 1, ['2026-08-02', '2026-08-03']],
    ['the last moment of a day', '2026-08-03T23:59:59.999Z', 1, ['2026-08-02', '2026-08-03']],
    ['over the end of a year', '2026-01-02T12:00:00Z', 7, ['2025-12-26', '2026-01-02']],
    ['over a leap day', '2028-03-01T00:00:01Z', 1, ['2028-02-29', '2028-03-01']],
    ['a whole leap year', '2029-01-01T00:00:00Z', 366, ['2028-01-01', '2029-01-01']],
  ])('%s', (_name, now, days, expected) => {
    expect(texts(fullDaysBefore(Date.parse(now), days))).toEqual(expected)
  })

  it('are as many as asked for, and end before the day that is not over', () => {
    fc.assert(
      fc.property(moments, fc.integer({ min: 1, max: 366 }), (nowMs, days) => {
        const found = fullDaysBefore(nowMs, days)
        expect(wholeDays(found)).toBe(days)
        expect(found.to.ms).toBeLessThanOrEqual(nowMs)
        expect(nowMs - found.to.ms).toBeLessThan(DAY_MS)
        expect(parsePeriodDate(found.from.text).ms).toBe(found.from.ms)
        expect(found.to.text).toMatch(/^\d{4}-\d\d-\d\d$/)
      }),
    )
  })
})

describe('the periods before one', () => {
  it('touch one another and have its length, days or not', () => {
    fc.assert(
      fc.property(
        moments,
        fc.integer({ min: 1, max: 366 * DAY_MS }),
        fc.integer({ min: 1, max: 51 }),
        (fromMs, lengthMs, count) => {
          const current: Period = {
            from: { ms: fromMs, text: 'from' },
            to: { ms: fromMs + lengthMs, text: 'to' },
          }
          const before = periodsBefore(current, count)
          expect(before).toHaveLength(count)
          let next = current
          for (const earlier of before) {
            expect(earlier.to).toEqual(next.from)
            expect(earlier.to.ms - earlier.from.ms).toBe(lengthMs)
            expect(parsePeriodDate(earlier.from.text).ms).toBe(earlier.from.ms)
            next = earlier
          }
        },
      ),
    )
  })

  it('cross the ends of months and years by days, not by the calendar', () => {
    const before = periodsBefore(period('2026-03-01', '2026-03-31'), 3).map(texts)
    expect(before).toEqual([
      ['2026-01-30', '2026-03-01'],
      ['2025-12-31', '2026-01-30'],
      ['2025-12-01', '2025-12-31'],
    ])
  })

  it('begin where an explicit period with a time begins, and are asked for in UTC', () => {
    const [before] = periodsBefore(period('2026-07-27T12:00:00+02:00', '2026-07-28T12:00:00+02:00'), 1)
    expect(before && texts(before)).toEqual(['2026-07-26T10:00:00.000Z', '2026-07-27T12:00:00+02:00'])
  })
})

describe('a date', () => {
  it.each([
    ['2026-07-27', '2026-07-27T00:00:00Z'],
    ['2026-07-27T10:30', '2026-07-27T10:30:00Z'],
    ['2026-07-27T10:30:15.25', '2026-07-27T10:30:15.250Z'],
    ['2026-07-27T00:00:00+05:30', '2026-07-26T18:30:00Z'],
    ['2028-02-29', '2028-02-29T00:00:00Z'],
  ])('%s is %s, and is sent as given', (text, moment) => {
    expect(parsePeriodDate(text)).toEqual({ ms: Date.parse(moment), text })
  })

  it.each([
    '2026-02-29',
    '2026-13-01',
    '2026-7-1',
    '27.07.2026',
    '2026-07-27 10:00',
    '2026-07-27T25:00',
    '2026-07-27Z',
    'yesterday',
    '2026-W30',
    '2026',
    '1785110400000',
  ])('%s is none', (text) => {
    expect(() => parsePeriodDate(text)).toThrow(RangeError)
  })
})

describe('two dates', () => {
  it.each<[string, string, string | undefined]>([
    ['2026-07-27', '2026-08-03', undefined],
    ['2028-01-01', '2029-01-01', undefined],
    ['2026-07-27', '2026-07-27', 'is not after'],
    ['2026-08-03', '2026-07-27', 'is not after'],
    ['2026-01-01', '2027-01-03', 'is more than 366 days after'],
    ['2026-01-01', '2027-01-02T00:00:00.001Z', 'is more than 366 days after'],
  ])('%s and %s', (from, to, problem) => {
    expect(periodProblem(period(from, to))).toBe(problem)
  })

  it('touch these days, the last of them exclusive', () => {
    expect(daysOf(period('2026-07-27', '2026-08-03'))).toEqual({ from: '2026-07-27', to: '2026-08-03' })
    expect(daysOf(period('2026-07-27T12:00Z', '2026-07-27T18:00Z'))).toEqual({
      from: '2026-07-27',
      to: '2026-07-28',
    })
  })
})
