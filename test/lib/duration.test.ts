import { describe, expect, it } from 'vitest'
import { formatAge, formatDuration, parseDuration } from '../../src/lib/time.ts'

describe('a duration', () => {
  it.each([
    ['1h2m3s4ms', 3_723_004],
    ['1m500ms', 60_500],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each([
    ['30', "isn't a duration"],
    ['1.5h', "isn't a duration"],
    ['1m1h', "isn't a duration"],
    ['0h0m', "isn't longer than zero"],
    ['99999999999999999999999h', 'is longer than 24 days'],
  ])('%j %s', (text, problem) => {
    expect(() => parseDuration(text)).toThrow(new RangeError(problem))
  })

  it('may have no upper limit', () => {
    expect(parseDuration('400d', Infinity)).toBe(400 * 86_400_000)
  })

  it('is written with its two largest units', () => {
    const told = [0, 849.6, 999, 1000, 59_999, 60_000, 185_000, 3_600_000, 4_800_000, 7_260_000]
    expect(told.map(formatDuration).join(', ')).toBe(
      '0 ms, 850 ms, 999 ms, 1 s, 59 s, 1 min, 3 min 05 s, 1 h, 1 h 20 min, 2 h 01 min',
    )
  })

  it('of days is written with one unit, and is a minute at the least', () => {
    const told = [0, 119_000, 120_000, 3_599_000, 3_600_000, 86_399_000, 86_400_000, 172_800_000]
    expect(told.map(formatAge).join(', ')).toBe(
      '1 min, 1 min, 2 min, 59 min, 1 h, 23 h, 1 day, 2 days',
    )
  })
})
