import { type HarnessOptions, type RunOptions, startHarness } from './harness.ts'

/** A harness for stories of many runs, in which the agent's pull requests are merged and closed. */
export type Simulation = Awaited<ReturnType<typeof startSimulation>>

/** Starts a simulation. The docs are in `docsIn`, which the token can see. */
export async function startSimulation(docsIn: string, options: HarnessOptions = {}) {
  const harness = await startHarness({ ...options, docsIn, jobTimeMs: 20_000 })
  const { clock, docs, world } = harness
  world.commentsElsewhere = true
  const endedAtMs = new Map<number, number>()

  /** Runs the step, with a prompt and without a context. */
  function run(options: RunOptions) {
    const inputs = { prompt: 'Document it.', context: 'none', ...options.inputs }
    return harness.run({ ...options, inputs })
  }

  /** Numbers of the agent's pull requests that are open. */
  async function openPulls(): Promise<readonly number[]> {
    await clock.work(() => docs.doAllWorkDue())
    return docs.jobs.flatMap(({ pull }) => (pull?.state === 'open' ? [pull.number] : []))
  }

  /** Ends the open ones. */
  async function endPulls(how: 'merge' | 'close'): Promise<void> {
    for (const number of await openPulls()) {
      endedAtMs.set(number, clock.now())
      await clock.work(async () =>
        how === 'merge' ? docs.mergePull(number) : docs.closePull(number),
      )
    }
  }

  /** Messages that were sent to a job after its pull request had ended. */
  function lateMessages(): readonly string[] {
    const sent = docs.requests.filter(({ path }) => path.endsWith('/message'))
    const late = sent.filter(({ path, at }) => {
      const job = docs.jobs.find(({ id }) => path.includes(`/${id}/`))
      return at > (endedAtMs.get(job?.pull?.number ?? 0) ?? Number.POSITIVE_INFINITY)
    })
    return late.map(({ path }) => path)
  }

  return { ...harness, run, openPulls, endPulls, lateMessages }
}
