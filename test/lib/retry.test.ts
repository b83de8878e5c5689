import { expect, it } from 'vitest'
import { parseRetryAfter } from '../../src/lib/time.ts'

const NOW_MS = Date.parse('2026-11-21T08:00:00Z')

const A_YEAR_MS = 31_622_400_000

it.each([
  ['0', 0],
  [' 7 ', 7000],
  ['Sat, 21 Nov 2026 08:01:30 GMT', 90_000],
  ['Fri, 20 Nov 2026 08:00:00 GMT', 0],
  ['9'.repeat(400), A_YEAR_MS],
  ['Sat, 21 Nov 2099 08:01:30 GMT', A_YEAR_MS],
  ['1.5', undefined],
  ['2026-11-21', undefined],
  [undefined, undefined],
])('Retry-After %j means %j ms', (header, ms) => {
  expect(parseRetryAfter(header, NOW_MS)).toBe(ms)
})
