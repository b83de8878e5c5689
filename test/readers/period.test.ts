import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DATE } from '../../src/inputs/formats.ts'
import {
  DAY_MS,
  daysOf,
  formatPeriod,
  fullDaysBefore,
  type Period,
  periodName,
  periodsBefore,
  shortNames,
} from '../../src/readers/period.ts'

const moments = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2100, 0, 1) })

function period(from: string, to: string): Period {
  return { from: DATE.parse(from), to: DATE.parse(to) }
}

function texts({ from, to }: Period): [string, string] {
  return [from.text, to.text]
}

describe('the full days before today', () => {
  it.each<[string, string, number, [string, string]]>([
    ['on a Monday are Monday to Sunday', '2026-08-03T06:00:00Z', 7, ['2026-07-27', '2026-08-03']],
    ['at the first moment of a day', '2026-08-03T00:00:00Z', 1, ['2026-08-02', '2026-08-03']],
    ['at the last moment of a day', '2026-08-03T23:59:59.999Z', 1, ['2026-08-02', '2026-08-03']],
    ['over the end of a year', '2026-01-02T12:00:00Z', 7, ['2025-12-26', '2026-01-02']],
    ['over a leap day', '2028-03-01T00:00:01Z', 1, ['2028-02-29', '2028-03-01']],
    ['of a whole leap year', '2029-01-01T00:00:00Z', 366, ['2028-01-01', '2029-01-01']],
  ])('%s', (_name, now, days, expected) => {
    expect(texts(fullDaysBefore(Date.parse(now), days))).toEqual(expected)
  })
})

describe('the periods before one', () => {
  it('touch one another and have its length, days or not', () => {
    const lengths = fc.integer({ min: 1, max: 366 * DAY_MS })
    fc.assert(
      fc.property(moments, lengths, fc.integer({ min: 1, max: 51 }), (fromMs, lengthMs, count) => {
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
          expect(DATE.parse(earlier.from.text).ms).toBe(earlier.from.ms)
          next = earlier
        }
      }),
    )
  })

  it('begin where an explicit period with a time begins, and are asked for in UTC', () => {
    const [before] = periodsBefore(period('2026-07-27T12:00:00+02:00', '2026-07-28T12:00:00+02:00'), 1)
    expect(before && texts(before)).toEqual(['2026-07-26T10:00:00.000Z', '2026-07-27T12:00:00+02:00'])
  })
})

describe('a period', () => {
  it('touches these days, the last of them exclusive', () => {
    expect(daysOf(period('2026-07-27', '2026-08-03'))).toEqual({ from: '2026-07-27', to: '2026-08-03' })
    expect(daysOf(period('2026-07-27T12:00Z', '2026-07-27T18:00Z'))).toEqual({
      from: '2026-07-27',
      to: '2026-07-28',
    })
  })

  it.each([
    ['2026-07-27', '2026-08-03', '27 Jul – 2 Aug 2026', 'week', 'weeks'],
    ['2026-07-20', '2026-07-27', '20 – 26 Jul 2026', 'week', 'weeks'],
    ['2026-07-20', '2026-07-21', '20 Jul 2026', 'day', 'days'],
    ['2025-12-29', '2026-01-28', '29 Dec 2025 – 27 Jan 2026', 'period of 30 days', 'periods of 30 days'],
    ['2025-07-02', '2026-07-03', '2 Jul 2025 – 2 Jul 2026', 'period of 366 days', 'periods of 366 days'],
    ['2026-07-27T10:00', '2026-07-27T18:30', '27 Jul 2026 10:00 – 27 Jul 2026 18:30', 'period', 'periods'],
  ])('from %s to before %s is written %s', (from, to, words, one, several) => {
    expect(formatPeriod(period(from, to))).toBe(words)
    expect([periodName(period(from, to), 1), periodName(period(from, to), 2)]).toEqual([one, several])
  })

  it('has a short name that no other of a trend has', () => {
    for (const lengthMs of [1000, 7 * 3_600_000, DAY_MS, 7 * DAY_MS, 365 * DAY_MS, 366 * DAY_MS]) {
      const current = {
        from: DATE.parse('2026-07-27'),
        to: { ms: Date.UTC(2026, 6, 27) + lengthMs, text: '' },
      }
      expect(new Set(shortNames(periodsBefore(current, 52))).size).toBe(52)
    }
    const weeks = periodsBefore(period('2026-07-27', '2026-08-03'), 2)
    expect(shortNames(weeks)).toEqual(['20 Jul', '13 Jul'])
    const years = periodsBefore(period('2025-08-01', '2026-08-01'), 2)
    expect(shortNames(years)).toEqual(['1 Aug 2024', '2 Aug 2023'])
  })
})
