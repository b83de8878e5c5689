import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LoopbackGitHub, startGitHub } from './github.ts'
import { SimulatedClock } from './simulated-clock.ts'
import { commandOn, pushed, type Simulation, startSimulation } from './simulated-runs.ts'
import { ACTIONS } from './world.ts'

/** Something that happens in the conversation on pull request 5. Times are virtual milliseconds. */
type Step = {
  /** `merge`: of all pull requests of the agent that are open. */
  readonly kind: 'command' | 'new' | 'push' | 'merge'
  readonly atMs: number
  readonly cancelAfterMs: number | undefined
  readonly killAfterMs: number | undefined
  /** Whether the run is started again once it is over. */
  readonly isRunAgain: boolean
}

const stepArbitrary: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('command', 'command', 'command', 'command', 'new', 'push', 'merge'),
  atMs: fc.oneof(fc.integer({ min: 0, max: 8000 }), fc.integer({ min: 30_000, max: 90_000 })),
  cancelAfterMs: fc.option(fc.integer({ min: 0, max: 30_000 }), { nil: undefined, freq: 3 }),
  killAfterMs: fc.option(fc.integer({ min: 0, max: 30_000 }), { nil: undefined, freq: 5 }),
  isRunAgain: fc.boolean(),
})

const conversationArbitrary = fc.record({
  steps: fc.array(stepArbitrary, { minLength: 2, maxLength: 4 }),
  seed: fc.nat(),
})

let github: LoopbackGitHub
beforeAll(async () => {
  github = await startGitHub()
})
afterAll(() => github.close())

/** Numbers from 0 to 1, the same for the same seed. */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

type Told = { readonly step: Step; readonly commandId: number | undefined }

/** When the pull request of a job was merged, in virtual milliseconds since the start. */
const mergedAtMs = new WeakMap<object, number>()

async function mergeAll({ docs, clock }: Simulation): Promise<void> {
  await docs.doAllWorkDue()
  for (const job of docs.jobs) {
    if (job.pull?.state !== 'open') continue
    await docs.mergePull(job.pull.number)
    mergedAtMs.set(job, clock.now())
  }
}

async function play(simulation: Simulation, steps: readonly Step[]): Promise<readonly Told[]> {
  const { clock } = simulation
  const runs = steps.map(async (step, index): Promise<Told> => {
    await clock.sleep(step.atMs)
    if (step.kind === 'merge') {
      await clock.work(() => mergeAll(simulation))
      return { step, commandId: undefined }
    }
    const event =
      step.kind === 'push'
        ? pushed()
        : commandOn(simulation, `/docs${step.kind === 'new' ? ' new' : ''} request ${index}`)
    const commandId = step.kind === 'push' ? undefined : github.world.comments.at(-1)?.id
    const run = {
      event,
      runId: 1000 + index,
      ...(step.kind === 'push' && { inputs: { prompt: `request ${index}` } }),
    }
    const { cancelAfterMs, killAfterMs } = step
    await simulation.run({ ...run, cancelAfterMs, killAfterMs })
    if (step.isRunAgain) await simulation.run({ ...run, attempt: 2 })
    return { step, commandId }
  })
  return await clock.runUntil(Promise.all(runs))
}

/**
 * The jobs that commands other than `new` have started, as far as a comment ever named them: of the job of a run that was
 * killed before its create was answered nobody knows.
 */
function knownJobs({ docs }: Simulation, steps: readonly Step[]): readonly string[] {
  const said = github.world.comments.flatMap(({ history }) => history).join('\n')
  const requests = steps.flatMap(({ kind }, index) => (kind === 'command' ? [`request ${index}`] : []))
  return docs.jobs
    .filter(({ id, prompt }) => requests.includes(prompt) && said.includes(` job=${id} `))
    .map(({ prompt }) => prompt)
}

/** What was asked after a merge is no message to the job whose pull request was merged. */
function expectNothingSentToTheDead({ docs }: Simulation, steps: readonly Step[]): void {
  for (const job of docs.jobs) {
    const deadSinceMs = mergedAtMs.get(job) ?? Infinity
    const late = steps.flatMap(({ atMs }, index) =>
      START_MS + atMs > deadSinceMs ? [`request ${index}`] : [],
    )
    expect(job.messages.filter((text) => late.includes(text))).toEqual([])
  }
}

function repliesTo(commandId: number): readonly string[] {
  const mark = `source=issue-comment%2F${commandId} `
  return github.world.comments
    .map(({ history }) => history.at(-1) ?? '')
    .filter((body) => body.includes(mark))
}

function expectOneAnswerEach(told: readonly Told[]): void {
  for (const { commandId } of told) {
    if (commandId === undefined) continue
    const replies = repliesTo(commandId)
    expect(replies).toHaveLength(1)
    expect(replies[0]).toMatch(/ state=ended /)
    expect(replies[0]).not.toContain('⏳')
    const reactions = github.world.reactions.filter((one) => one.commentId === commandId)
    expect(reactions.map(({ author }) => author)).toEqual([ACTIONS])
    expect(reactions[0]?.content).not.toBe('eyes')
  }
}

const START_MS = new SimulatedClock().now()
const RUNS = Number(process.env['CONVERSATION_RUNS'] ?? 60)

describe('a conversation, whatever happens at once', () => {
  it('has one job, one reply to each command, and one final reaction to each', async () => {
    await fc.assert(
      fc.asyncProperty(conversationArbitrary, async ({ steps, seed }) => {
        const draw = random(seed)
        const simulation = await startSimulation(github, { latencyMs: () => draw() * 1000 })
        try {
          const told = await play(simulation, steps)
          expectOneAnswerEach(told)
          expectNothingSentToTheDead(simulation, steps)
          const merges = steps.filter(({ kind }) => kind === 'merge').length
          expect(knownJobs(simulation, steps).length).toBeLessThanOrEqual(1 + merges)
          const sent = simulation.docs.jobs.flatMap(({ prompt, messages }) => [prompt, ...messages])
          if (steps.every(({ isRunAgain }) => !isRunAgain)) expect(new Set(sent).size).toBe(sent.length)
          expect(github.violations).toEqual([])
        } finally {
          await simulation.close()
        }
      }),
      { numRuns: RUNS },
    )
  }, 300_000)

  it('has one reply to each command, and one final reaction, where requests and answers are lost', async () => {
    await fc.assert(
      fc.asyncProperty(conversationArbitrary, async ({ steps, seed }) => {
        const draw = random(seed)
        const simulation = await startSimulation(github, {
          latencyMs: () => draw() * 1000,
          lost: () => (['request', 'answer'] as const)[Math.floor(draw() * 16)],
        })
        try {
          expectOneAnswerEach(await play(simulation, steps))
          expect(github.violations).toEqual([])
        } finally {
          await simulation.close()
        }
      }),
      { numRuns: RUNS },
    )
  }, 300_000)
})
