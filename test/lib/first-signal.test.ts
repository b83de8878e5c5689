import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { firstSignal } from '../../src/lib/first-signal.ts'

describe('the first of some signals', () => {
  it('ends with whichever comes first, for its reason', () => {
    const [left, right] = [new AbortController(), new AbortController()]
    const { signal } = firstSignal([left.signal, undefined, right.signal])
    expect(signal.aborted).toBe(false)
    right.abort('right')
    left.abort('left')
    expect(signal.reason).toBe('right')
  })

  it('has ended if one of them has', () => {
    expect(firstSignal([AbortSignal.abort('before')]).signal.reason).toBe('before')
  })

  it('leaves nothing on those that outlive it', () => {
    const cancel = new AbortController()
    const { signal, release } = firstSignal([cancel.signal])
    expect(getEventListeners(cancel.signal, 'abort')).toHaveLength(1)
    release()
    expect(getEventListeners(cancel.signal, 'abort')).toHaveLength(0)
    cancel.abort()
    expect(signal.aborted).toBe(false)
  })
})
