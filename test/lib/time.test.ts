import { describe, expect, it } from 'vitest'
import { formatAge, formatDuration, parseDuration, parseRetryAfter } from '../../src/lib/time.ts'

describe('a duration', () => {
  it.each([
    { text: '1h2m3s4ms', ms: 3_723_004 },
    { text: '1m500ms', ms: 60_500 },
  ])('$text is $ms ms', ({ text, ms }) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each([
    { text: '30', problem: "isn't a duration" },
    { text: '1.5h', problem: "isn't a duration" },
    { text: '1m1h', problem: "isn't a duration" },
    { text: '0h0m', problem: "isn't longer than zero" },
    { text: '99999999999999999999999h', problem: 'is longer than 24 days' },
  ])('$text $problem', ({ text, problem }) => {
    expect(() => parseDuration(text)).toThrow(new RangeError(problem))
  })

  it('is written with its two largest units', () => {
    const durations = [849.6, 999, 1000, 59_999, 60_000, 185_000, 3_600_000, 4_800_000, 7_260_000]
    expect(durations.map(formatDuration).join(', ')).toBe(
      '850 ms, 999 ms, 1 s, 59 s, 1 min, 3 min 05 s, 1 h, 1 h 20 min, 2 h 01 min',
    )
  })

  it('of days is written with one unit, and is a minute at least', () => {
    const ages = [0, 120_000, 3_599_000, 3_600_000, 86_399_000, 86_400_000, 172_800_000]
    expect(ages.map(formatAge).join(', ')).toBe('1 min, 2 min, 59 min, 1 h, 23 h, 1 day, 2 days')
  })
})

const NOW_MS = Date.parse('2026-11-21T08:00:00Z')
const A_YEAR_MS = 31_622_400_000

it.each([
  { header: '0', ms: 0 },
  { header: ' 7 ', ms: 7000 },
  { header: 'Sat, 21 Nov 2026 08:01:30 GMT', ms: 90_000 },
  { header: 'Fri, 20 Nov 2026 08:00:00 GMT', ms: 0 },
  { header: '9'.repeat(400), ms: A_YEAR_MS },
  { header: 'Sat, 21 Nov 2099 08:01:30 GMT', ms: A_YEAR_MS },
  { header: '1.5', ms: undefined },
  { header: '2026-11-21', ms: undefined },
  { header: undefined, ms: undefined },
])('Retry-After $header means $ms ms', ({ header, ms }) => {
  expect(parseRetryAfter(header, NOW_MS)).toBe(ms)
})
