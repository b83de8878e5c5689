import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DATE } from '../../src/inputs/formats.ts'
import {
  DAY_MS,
  daysOf,
  formatPeriod,
  fullDaysBefore,
  isoText,
  nameOfPeriods,
  type Period,
  periodsBefore,
  shortNames,
} from '../../src/visitors/period.ts'

const moments = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2100, 0, 1) })

function period(from: string, to: string): Period {
  return { from: DATE.parse(from), to: DATE.parse(to) }
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
        expect(found.to.ms - found.from.ms).toBe(days * DAY_MS)
        expect(found.to.ms).toBeLessThanOrEqual(nowMs)
        expect(nowMs - found.to.ms).toBeLessThan(DAY_MS)
        expect(DATE.parse(found.from.text).ms).toBe(found.from.ms)
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
            expect(DATE.parse(earlier.from.text).ms).toBe(earlier.from.ms)
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
    expect(DATE.parse(text)).toEqual({ ms: Date.parse(moment), text })
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
    expect(() => DATE.parse(text)).toThrow(RangeError)
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
    ['2026-07-27', '2026-08-03', '27 Jul – 2 Aug 2026', 'weeks'],
    ['2026-07-20', '2026-07-27', '20 – 26 Jul 2026', 'weeks'],
    ['2026-07-20', '2026-07-21', '20 Jul 2026', 'days'],
    ['2025-12-29', '2026-01-28', '29 Dec 2025 – 27 Jan 2026', 'periods of 30 days'],
    ['2026-07-27T10:00', '2026-07-27T18:30', '27 Jul 2026 10:00 – 27 Jul 2026 18:30', 'periods'],
  ])('from %s to before %s is written %s, and several are %s', (from, to, words, name) => {
    expect(formatPeriod(period(from, to))).toBe(words)
    expect(nameOfPeriods(period(from, to))).toBe(name)
  })

  it('has its day written as the platform writes it in English', () => {
    const parts = { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' } as const
    const platform = new Intl.DateTimeFormat('en-GB', parts)
    fc.assert(
      fc.property(fc.nat(47_482), (number) => {
        const [from, to] = [number, number + 1].map((each) => isoText(each * DAY_MS))
        const words = platform.format(number * DAY_MS).replace('Sept', 'Sep')
        expect(formatPeriod(period(from ?? '', to ?? ''))).toBe(words)
      }),
    )
  })

  it('has a short name that no other of a trend has', () => {
    for (const [days, count] of [
      [1, 52],
      [7, 52],
      [365, 8],
      [366, 52],
    ] as const) {
      const names = shortNames(periodsBefore(fullDaysBefore(Date.UTC(2026, 7, 3), days), count))
      expect(new Set(names).size).toBe(count)
    }
  })
})
