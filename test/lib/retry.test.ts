import { expect, it } from 'vitest'
import { parseRetryAfter } from '../../src/lib/retry.ts'

const NOW_MS = Date.parse('2026-11-21T08:00:00Z')

it.each([
  ['0', 0],
  ['120', 120_000],
  [' 7 ', 7000],
  ['Sat, 21 Nov 2026 08:01:30 GMT', 90_000],
  ['Saturday, 21-Nov-26 08:01:30 GMT', 90_000],
  ['Fri, 20 Nov 2026 08:00:00 GMT', 0],
  ['1.5', undefined],
  ['-3', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %j means %j ms', (header, ms) => {
  expect(parseRetryAfter(header, NOW_MS)).toBe(ms)
})
