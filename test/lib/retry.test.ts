import { expect, it } from 'vitest'
import { backoffMs, parseRetryAfter } from '../../src/lib/retry.ts'

const NOW_MS = Date.parse('2026-11-21T08:00:00Z')
const A_YEAR_MS = 31_622_400_000

it.each([
  ['0', 0],
  ['120', 120_000],
  [' 7 ', 7000],
  ['Sat, 21 Nov 2026 08:01:30 GMT', 90_000],
  ['Saturday, 21-Nov-26 08:01:30 GMT', 90_000],
  ['Fri, 20 Nov 2026 08:00:00 GMT', 0],
  ['9'.repeat(400), A_YEAR_MS],
  ['Sat, 21 Nov 2099 08:01:30 GMT', A_YEAR_MS],
  ['1.5', undefined],
  ['-3', undefined],
  ['soon', undefined],
  ['2026-11-21', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %j means %j ms', (header, ms) => {
  expect(parseRetryAfter(header, NOW_MS)).toBe(ms)
})

it('the pause after failures in a row doubles up to its limit, and is a tenth less or more', () => {
  const pauses = (random: number): number[] =>
    [1, 2, 3, 4, 5, 2000].map((failures) =>
      Math.round(backoffMs(failures, { baseMs: 1000, maxMs: 10_000 }, () => random)),
    )
  expect(pauses(0)).toEqual([900, 1800, 3600, 7200, 9000, 9000])
  expect(pauses(1)).toEqual([1100, 2200, 4400, 8800, 11_000, 11_000])
})
