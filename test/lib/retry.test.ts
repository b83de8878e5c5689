import { expect, it } from 'vitest'
import { backoffMs, parseRetryAfter } from '../../src/lib/retry.ts'
import { RETRY_AFTER } from './retry.cases.ts'

const NOW_MS = Date.parse('2026-11-21T08:00:00Z')

it.each(RETRY_AFTER)('Retry-After %j means %j ms', (header, ms) => {
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
