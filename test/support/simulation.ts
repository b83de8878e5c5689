import { type HarnessOptions, type RunOptions, startHarness } from './harness.ts'

/** A harness for stories of many runs, in which the agent's pull requests are merged and closed. */
export type Simulation = Awaited<ReturnType<typeof startSimulation>>

/** Starts a simulation. The docs are in `docsIn`, which the token can see. */
export async function startSimulation(docsIn: string, options: HarnessOptions = {}) {
  const harness = await startHarness({ ...options, docsIn, jobTimeMs: 20_000 })
  const { clock, docs, world } = harness
  world.commentsElsewhere = true

  /** Runs the step, with a prompt and without a context. */
  function run(options: RunOptions) {
    const inputs = { prompt: 'Document it.', context: 'none', ...options.inputs }
    return harness.run({ ...options, inputs })
  }

  /** The agent's pull requests that are open. */
  async function openPulls() {
    await clock.work(() => docs.doAllWorkDue())
    return docs.jobs.flatMap(({ pull }) => (pull?.state === 'open' ? [pull] : []))
  }

  /** Merges them. */
  async function mergePulls(): Promise<void> {
    for (const pull of await openPulls()) pull.state = 'merged'
  }

  return { ...harness, run, openPulls, mergePulls }
}
