import { expect, it } from 'vitest'
import { startHeartbeat } from '../../src/lib/clock.ts'
import { VirtualClock } from './virtual-clock.ts'

it('beats each minute without a word, begins anew with each word, and ends when it is stopped', async () => {
  const clock = new VirtualClock(0)
  const beats: number[] = []
  const heartbeat = startHeartbeat(clock, () => beats.push(clock.now() / 1000))
  await clock.sleep(59_000)
  heartbeat.reset()
  await clock.sleep(125_000)
  expect(beats).toEqual([119, 179])
  heartbeat.stop()
  await clock.sleep(600_000)
  expect(beats).toEqual([119, 179])
})
