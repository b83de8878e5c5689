import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bareEvent, type Event, pullRequest, pushOf, pushTo } from '../support/events.ts'
import { type SimulatedRun, type Simulation, simulationStarter } from '../support/simulation.ts'
import { addCommit, addPull, type Pull, pushToPull, resolve } from '../support/world.ts'

const newSimulation = simulationStarter()
const DAY_MS = 86_400_000

/** What a workflow listens to: pushes and schedules, or one pull request. */
type Workflow = 'branch' | 'pull-request'

/** Something that happens. A forced push replaces the commit at the tip. */
type Step = {
  readonly kind: 'push' | 'forced push' | 'schedule' | 'merge' | 'close'
  readonly afterMs: number
  /** The run, if it starts one, is cancelled. */
  readonly cancelAfterMs: number | undefined
  /** GitHub drops the run, which waited behind another one in the `concurrency` group. */
  readonly isDropped: boolean
}

const soonOrLater = fc.oneof(fc.integer({ min: 0, max: 40_000 }), fc.constant(DAY_MS))
const run = fc.record<Step>({
  kind: fc.constantFrom('push', 'push', 'forced push', 'schedule'),
  afterMs: soonOrLater,
  cancelAfterMs: fc.option(fc.integer({ min: 0, max: 30_000 }), { nil: undefined, freq: 4 }),
  isDropped: fc.integer({ min: 0, max: 5 }).map((drawn) => drawn === 0),
})
const end = fc.record<Step>({
  kind: fc.constantFrom('merge', 'close'),
  afterMs: soonOrLater,
  cancelAfterMs: fc.constant(undefined),
  isDropped: fc.constant(false),
})
const story = fc.record({
  workflow: fc.constantFrom<Workflow>('branch', 'pull-request'),
  docsIn: fc.constantFrom('acme/docs', 'acme/guides'),
  steps: fc
    .tuple(fc.array(run, { minLength: 2, maxLength: 4 }), fc.array(end, { maxLength: 3 }), fc.nat())
    .map(([runs, ends, seed]) => shuffled([...runs, ...ends], seed)),
})

function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  return items
    .map((item, index) => ({ item, at: (Math.imul(seed + index, 2_654_435_761) >>> 0) % 997 }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item)
}

/** What the repository's people do; returns the run that comes of it. */
function commit({ world }: Simulation, kind: Step['kind'], pull: Pull | undefined): SimulatedRun {
  if (kind === 'schedule') return { event: bareEvent('schedule') }
  const force = kind === 'forced push'
  if (pull !== undefined) {
    const { sha } = pushToPull(world, pull, { force })
    const event = pullRequest({ action: 'synchronize', pull: { head: { sha } } })
    return { event, sha }
  }
  const tip = resolve(world, 'main')
  const event: Event = force ? forcedPush(world, tip?.sha ?? '', tip?.parents ?? []) : pushTo(world)
  return { event }
}

function forcedPush(world: Simulation['world'], before: string, parents: readonly string[]): Event {
  addCommit(world, { parents })
  return pushOf(world, before)
}

describe('one docs pull request', () => {
  it('is open at most, whatever happens between and during the runs of a step', async () => {
    const property = fc.asyncProperty(story, async ({ workflow, docsIn, steps }) => {
      const simulation = await newSimulation(docsIn)
      const { world, clock } = simulation
      const pull = workflow === 'branch' ? undefined : addPull(world, { number: 5, head: { ref: 'flag' } })
      pushTo(world)
      // Runs of one `concurrency` group follow one another.
      let queue: Promise<unknown> = Promise.resolve()
      for (const { kind, afterMs, cancelAfterMs, isDropped } of steps) {
        await clock.sleep(afterMs)
        if (kind === 'merge' || kind === 'close') {
          await simulation.endPulls(kind)
          continue
        }
        if (kind === 'schedule' && pull !== undefined) continue
        const started = { ...commit(simulation, kind, pull), cancelAfterMs }
        const sha = started.sha ?? resolve(world, 'main')?.sha ?? ''
        // Nothing leads from a branch to what a forced push replaced, once the run of that push was dropped.
        const isLost = kind === 'forced push' && workflow === 'branch'
        if (!isDropped || isLost) queue = queue.then(() => simulation.run({ ...started, sha }))
      }
      await queue
      await clock.sleep(60_000)
      expect((await simulation.openPulls()).length).toBeLessThanOrEqual(1)
      expect(world.statuses.at(-1)?.state).not.toBe('pending')
      expect(simulation.lateMessages()).toEqual([])
    })
    await fc.assert(property, { numRuns: Number(process.env['STORIES'] ?? 25) })
  }, 300_000)
})

/** A whole year takes 40 s; `SIMULATED_DAYS=364` has all of its 1,000 pushes and 52 Mondays. */
const DAYS = Number(process.env['SIMULATED_DAYS'] ?? 42)

describe('a year of one step', () => {
  it('with three pushes a day and a schedule on Mondays has one job for each pull request', async () => {
    const simulation = await newSimulation('acme/guides')
    const { world, clock, docs } = simulation
    let runs = 0
    let merged = 0
    for (let day = 0; day < DAYS; day++) {
      const pushes = Math.round(((day + 1) * 1000) / 364) - Math.round((day * 1000) / 364)
      const events = [
        ...Array.from({ length: pushes }, () => () => pushTo(world)),
        ...(day % 7 === 0 ? [() => bareEvent('schedule')] : []),
      ]
      for (const happen of events) {
        await clock.sleep(3_600_000)
        await simulation.run({ event: happen() })
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
})
