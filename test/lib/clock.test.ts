import { describe, expect, it } from 'vitest'
import { afterGrace, createSystemClock } from '../../src/lib/clock.ts'
import { VirtualClock } from '../support/clock.ts'

describe('the clock of the machine', () => {
  it('sleeps until it is over or aborted', async () => {
    const clock = createSystemClock()
    const startMs = clock.now()
    await clock.sleep(20)
    expect(clock.now() - startMs).toBeGreaterThanOrEqual(19)
    const abort = new AbortController()
    const sleep = clock.sleep(600_000, abort.signal)
    abort.abort()
    await expect(sleep).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('aborts a signal after a time, unless that is no longer wanted', async () => {
    const clock = createSystemClock()
    const done = new AbortController()
    const [late, dropped] = [clock.timeout(20), clock.timeout(1, done.signal)]
    done.abort()
    await new Promise((resolve) => late.addEventListener('abort', resolve))
    expect(late.reason).toMatchObject({ name: 'TimeoutError' })
    expect(dropped.aborted).toBe(false)
  })
})

it.each([
  ['later', 1000],
  ['before', 0],
])('a signal with a grace follows one that is aborted %s', async (_when, atMs) => {
  const clock = new VirtualClock(0)
  const abort = new AbortController()
  if (atMs === 0) abort.abort(new Error('enough'))
  else clock.at(atMs, () => abort.abort(new Error('enough')))
  const late = afterGrace(abort.signal, 3000, clock)
  await clock.sleep(atMs + 2999)
  expect(late.aborted).toBe(false)
  await clock.sleep(1)
  expect(late.reason).toEqual(new Error('enough'))
})
