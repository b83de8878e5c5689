import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bareEvent, pullRequest, pushTo } from '../support/events.ts'
import type { RunOptions } from '../support/harness.ts'
import { type Simulation, startSimulation } from '../support/simulation.ts'
import { addPull, type Pull, pushToPull } from '../support/world.ts'

const soonOrLater = fc.oneof(fc.integer({ min: 0, max: 40_000 }), fc.constant(24 * 3_600_000))
const run = fc.record({
  /** A forced push replaces the commit at the tip of a pull request. */
  kind: fc.constantFrom('push', 'push', 'forced push', 'schedule'),
  afterMs: soonOrLater,
  cancelAtMs: fc.option(fc.integer({ min: 0, max: 30_000 }), { nil: undefined, freq: 4 }),
  /** GitHub drops the run, which waited behind another one in the `concurrency` group. */
  isDropped: fc.integer({ min: 0, max: 5 }).map((drawn) => drawn === 0),
})
const end = fc.record({ kind: fc.constantFrom('merge', 'close'), afterMs: soonOrLater })
const story = fc.record({
  /** What the workflow listens to: pushes and schedules, or one pull request. */
  workflow: fc.constantFrom('branch', 'pull-request'),
  docsIn: fc.constantFrom('acme/docs', 'acme/guides'),
  steps: fc
    .tuple(fc.array(run, { minLength: 2, maxLength: 4 }), fc.array(end, { maxLength: 3 }))
    .map(([runs, ends]) => [...runs, ...ends])
    .chain((all) => fc.shuffledSubarray(all, { minLength: all.length })),
})

/** What the repository's people do; returns the run that comes of it. */
function commit({ world }: Simulation, force: boolean, pull: Pull | undefined): RunOptions {
  if (pull !== undefined) {
    const { sha } = pushToPull(world, pull, { force })
    return { event: pullRequest({ action: 'synchronize', pull: { head: { sha } } }), sha }
  }
  return { event: pushTo(world) }
}

it('one docs pull request is open at most, whatever happens between and during the runs of a step', async () => {
  const property = fc.asyncProperty(story, async ({ workflow, docsIn, steps }) => {
    const simulation = await startSimulation(docsIn)
    const { world, clock } = simulation
    const pull =
      workflow === 'branch' ? undefined : addPull(world, { number: 5, head: { ref: 'flag' } })
    pushTo(world)
    // Runs of one `concurrency` group follow one another.
    let queue: Promise<unknown> = Promise.resolve()
    for (const step of steps) {
      await clock.sleep(step.afterMs)
      if (!('isDropped' in step)) {
        await simulation.endPulls(step.kind)
        continue
      }
      const { kind, isDropped, cancelAtMs } = step
      const isSchedule = kind === 'schedule'
      if (isSchedule && pull !== undefined) continue
      const force = kind === 'forced push'
      const started = isSchedule ? { event: bareEvent(kind) } : commit(simulation, force, pull)
      const made = { sha: world.branches.get('main') ?? '', cancelAtMs, ...started }
      if (!isDropped) queue = queue.then(() => simulation.run(made))
    }
    await queue
    await clock.sleep(60_000)
    expect((await simulation.openPulls()).length).toBeLessThanOrEqual(1)
    expect(world.statuses.at(-1)?.state).not.toBe('pending')
    expect(simulation.lateMessages()).toEqual([])
    await simulation.close()
  })
  await fc.assert(property, { numRuns: Number(process.env['STORIES'] ?? 8) })
}, 300_000)

/** A whole year (`SIMULATED_DAYS=364`) takes 40 s. */
const DAYS = Number(process.env['SIMULATED_DAYS'] ?? 14)

it('a step with three pushes a day and a schedule on Mondays has one job for each pull request', async () => {
  const simulation = await startSimulation('acme/guides')
  const { world, clock, docs } = simulation
  let [runs, merged] = [0, 0]
  for (let day = 0; day < DAYS; day++) {
    for (const kind of ['push', 'push', 'push', ...(day % 7 === 0 ? ['schedule'] : [])]) {
      await clock.sleep(3_600_000)
      await simulation.run({ event: kind === 'push' ? pushTo(world) : bareEvent(kind) })
      runs++
    }
    expect((await simulation.openPulls()).length).toBeLessThanOrEqual(1)
    // Somebody merges every few days.
    if (day % 7 !== 1 && day % 7 !== 4) continue
    merged += (await simulation.openPulls()).length
    await simulation.endPulls('merge')
  }
  expect(docs.jobs.length).toBe(merged + (await simulation.openPulls()).length)
  expect(docs.jobs.flatMap(({ messages }) => messages).length).toBe(runs - docs.jobs.length)
  expect(merged).toBeGreaterThan(DAYS / 7)
}, 300_000)
