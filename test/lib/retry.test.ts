import { expect, it } from 'vitest'
import { parseRetryAfter, RetryError, retry } from '../../src/lib/time.ts'
import { VirtualClock } from '../support/clock.ts'
import { RETRY_AFTER } from './retry.cases.ts'

const NOW_MS = Date.parse('2026-11-21T08:00:00Z')

it.each(RETRY_AFTER)('Retry-After %j means %j ms', (header, ms) => {
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
