import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS, parsePeriodDate } from '../../src/visitors/period.ts'
import { count, percent, periodInWords } from '../../src/visitors/words.ts'

const DAYS_UNTIL_2100 = 47_482

function day(number: number): ReturnType<typeof parsePeriodDate> {
  return parsePeriodDate(new Date(number * DAY_MS).toISOString().slice(0, 10))
}

describe('as the platform writes them in English are', () => {
  it('counts', () => {
    const platform = new Intl.NumberFormat('en')
    const counts = fc.oneof(fc.nat(10_000), fc.maxSafeNat())
    fc.assert(
      fc.property(counts, (value) => {
        expect(count(value)).toBe(platform.format(value))
      }),
    )
  })

  it('percents', () => {
    const platform = new Intl.NumberFormat('en', { minimumFractionDigits: 1 })
    fc.assert(
      fc.property(fc.nat(999), (tenths) => {
        expect(percent(tenths / 10)).toBe(`${platform.format(tenths / 10)}%`)
      }),
    )
    expect([99.96, 100, 1234.5].map(percent)).toEqual(['100.0%', '100%', '1,235%'])
  })

  it('days', () => {
    const parts = { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' } as const
    const platform = new Intl.DateTimeFormat('en-GB', parts)
    fc.assert(
      fc.property(fc.nat(DAYS_UNTIL_2100), (number) => {
        const words = platform.format(number * DAY_MS).replace('Sept', 'Sep')
        expect(periodInWords({ from: day(number), to: day(number + 1) })).toBe(words)
      }),
    )
  })
})
