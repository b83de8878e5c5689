import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bareEvent, pullRequest, pushTo } from '../support/events.ts'
import { startSimulation } from '../support/simulation.ts'
import { addPull, pushToPull } from '../support/world.ts'

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
  isOnPull: fc.boolean(),
  docsIn: fc.constantFrom('acme/docs', 'acme/guides'),
  steps: fc
    .tuple(fc.array(run, { minLength: 2, maxLength: 4 }), fc.array(end, { maxLength: 3 }))
    .map(([runs, ends]) => [...runs, ...ends])
    .chain((all) => fc.shuffledSubarray(all, { minLength: all.length })),
})

it('one docs pull request is open at most, whatever happens between and during the runs of a step', async () => {
  const property = fc.asyncProperty(story, async ({ isOnPull, docsIn, steps }) => {
    const simulation = await startSimulation(docsIn)
    const { world, clock } = simulation
    const pull = addPull(world, { number: 5, head: { ref: 'flag' } })
    pushTo(world)

    /** What the repository's people do; the event of it. */
    function happen(kind: string) {
      if (kind === 'schedule') return bareEvent(kind)
      if (!isOnPull) return pushTo(world)
      const head = pushToPull(world, pull, { force: kind === 'forced push' })
      return pullRequest({ action: 'synchronize', pull: { head } })
    }

    // Runs of one `concurrency` group follow one another.
    let queue: Promise<unknown> = Promise.resolve()
    for (const step of steps) {
      await clock.sleep(step.afterMs)
      if (!('isDropped' in step)) await simulation.endPulls(step.kind)
      else if (!isOnPull || step.kind !== 'schedule') {
        const event = happen(step.kind)
        const sha = isOnPull ? pull.fields.head?.sha : world.branches.get('main')
        const made = { event, sha: sha ?? '', cancelAtMs: step.cancelAtMs }
        if (!step.isDropped) queue = queue.then(() => simulation.run(made))
      }
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
