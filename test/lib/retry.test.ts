import { expect, it } from 'vitest'
import { parseRetryAfter, RetryError, retry } from '../../src/lib/time.ts'
import { VirtualClock } from '../support/clock.ts'

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

it.each([
  [0, [900, 1800, 3600, 7200, 14_400, 27_000]],
  [1, [1100, 2200, 4400, 8800, 17_600, 33_000]],
])(
  'the pause after failures doubles up to its limit, and varies by a tenth: %i',
  async (drawn, expected) => {
    const pauses: number[] = []
    const failing = retry(
      () => Promise.reject(new Error('No')),
      {
        maxAttempts: 7,
        isRetryable: () => true,
        retryAfterMs: () => undefined,
        deadlineMs: () => Number.POSITIVE_INFINITY,
        onRetry: (_error, pauseMs) => void pauses.push(Math.round(pauseMs)),
      },
      { clock: new VirtualClock(), random: () => drawn, cancel: new AbortController().signal },
    )
    await expect(failing).rejects.toThrow(RetryError)
    expect(pauses).toEqual(expected)
  },
)
