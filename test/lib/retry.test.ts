import { describe, expect, it } from 'vitest'
import {
  backoffMs,
  parseRetryAfter,
  RetryError,
  type RetryPolicy,
  retry,
  retryAfterNote,
} from '../../src/lib/retry.ts'
import { VirtualClock } from '../support/clock.ts'

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

it('a wait that is past a limit is said, be it ever so long', () => {
  expect(retryAfterNote(7_200_000, '`timeout`')).toBe(
    'The server asks to wait 2 h before the next request, which is past `timeout`.',
  )
  expect(retryAfterNote(A_YEAR_MS - 1, 'x')).toContain(' wait 8783 h 59 min ')
  expect(retryAfterNote(A_YEAR_MS, 'x')).toContain(' wait a year or more ')
})

it('the pause after failures in a row doubles up to its limit, and is a tenth less or more', () => {
  const pauses = (random: number): number[] =>
    [1, 2, 3, 4, 5, 2000].map((failures) =>
      Math.round(backoffMs(failures, { baseMs: 1000, maxMs: 10_000 }, () => random)),
    )
  expect(pauses(0)).toEqual([900, 1800, 3600, 7200, 9000, 9000])
  expect(pauses(1)).toEqual([1100, 2200, 4400, 8800, 11_000, 11_000])
})

describe('attempts', () => {
  /** Fails with these in turn, then succeeds; the times of the attempts are in seconds. */
  async function attempt(
    failures: readonly string[],
    policy: Partial<RetryPolicy> & { readonly cancelAtMs?: number } = {},
  ) {
    const clock = new VirtualClock(0)
    const cancel = new AbortController()
    if (policy.cancelAtMs !== undefined) clock.at(policy.cancelAtMs, () => cancel.abort())
    const atS: number[] = []
    const pauses: string[] = []
    const end = await retry(
      async () => {
        const failure = failures[atS.length]
        atS.push(clock.now() / 1000)
        if (failure !== undefined) throw failure
      },
      {
        backoff: { baseMs: 1000, maxMs: 30_000 },
        maxAttempts: 10,
        isRetryable: () => true,
        retryAfterMs: (error) => Number(error) || undefined,
        deadlineMs: () => 60_000,
        onRetry: (error, pauseMs) => pauses.push(`${error} ${pauseMs}`),
        ...policy,
      },
      { clock, random: () => 0.5, cancel: cancel.signal },
    ).then(
      () => 'done',
      (error: unknown) => (error instanceof RetryError ? `${error.reason}: ${error.cause}` : error),
    )
    return { end, atS, pauses }
  }

  it('are made until one succeeds, after growing pauses', async () => {
    expect(await attempt(['a', 'b', 'a', 'b'])).toEqual({
      end: 'done',
      atS: [0, 1, 3, 7, 15],
      pauses: ['a 1000', 'b 2000', 'a 4000', 'b 8000'],
    })
  })

  it.each<[string, Parameters<typeof attempt>[1], number[]]>([
    ['final: b', { isRetryable: (error) => error !== 'b' }, [0, 1]],
    ['attempts: b', { maxAttempts: 2 }, [0, 1]],
    ['deadline: d', { deadlineMs: () => 4000 }, [0, 1, 3, 4]],
    ['cancelled: a', { cancelAtMs: 500 }, [0]],
  ])('end with the last failure and why there was no further one: %s', async (end, policy, atS) => {
    expect(await attempt(['a', 'b', 'c', 'd', 'e'], policy)).toMatchObject({ end, atS })
  })

  it.each([
    [['7000', '52999', 'a'], 'done', [0, 7, 59.999, 60]],
    [['7000', '53000'], 'deadline: 53000', [0, 7]],
    [['0'], 'done', [0, 1]],
  ])('wait as long as the server asks, and no shorter for the deadline: %j', async (failures, end, atS) => {
    expect(await attempt(failures)).toMatchObject({ end, atS })
  })
})
