import { describe, expect, it } from 'vitest'
import { VirtualClock } from './clock.ts'

describe('the virtual clock', () => {
  it('jumps from one sleeper to the next, ringing what is due on the way', async () => {
    const clock = new VirtualClock(0)
    const rung: string[] = []
    const note = (name: string) => (): void => void rung.push(`${name} at ${clock.now()}`)
    clock.timeout(1500).addEventListener('abort', note('limit'))
    await Promise.all([clock.sleep(2000).then(note('second')), clock.sleep(1000).then(note('first'))])
    expect(rung).toEqual(['first at 1000', 'limit at 1500', 'second at 2000'])
  })

  it('stands still while anybody works, but for pauses in that work', async () => {
    const clock = new VirtualClock(0)
    const working = clock.work(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(clock.now()).toBe(0)
      await clock.pause(1000)
    })
    await Promise.all([working, clock.sleep(3000)])
    expect(clock.now()).toBe(3000)
  })

  it('wakes a sleeper that is cancelled, and lets limits ring for what hangs', async () => {
    const clock = new VirtualClock(0)
    const limit = clock.timeout(500)
    await expect(clock.sleep(1000, limit)).rejects.toThrow('The time is up')
    expect(clock.now()).toBe(500)
    const hanging = clock.timeout(10_000)
    const hung = clock.work(() => clock.pause(Number.POSITIVE_INFINITY, hanging))
    await expect(hung).rejects.toThrow('The time is up')
    expect(clock.now()).toBe(10_500)
  })
})
