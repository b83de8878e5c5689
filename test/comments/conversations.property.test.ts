import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Marker } from '../../src/comments/marker.ts'
import { HttpClient } from '../../src/lib/http.ts'
import { TransportError } from '../../src/lib/transport.ts'
import { issueComment, pullRequest } from '../support/events.ts'
import { type Simulation, simulationStarter } from '../support/simulation.ts'
import { ACTIONS, addComment, addPull, person } from '../support/world.ts'

const newSimulation = simulationStarter()
const octocat = person('octocat')

/** Something that happens to pull request 5. Times are virtual milliseconds. */
type Step = {
  /** `pull`: a run of `pull_request` with a status comment; `merge`: of all open pull requests of the agent. */
  readonly kind: 'command' | 'new' | 'pull' | 'merge'
  readonly atMs: number
  readonly cancelAfterMs: number | undefined
  readonly killAfterMs: number | undefined
  readonly isRunAgain: boolean
}

const stepArbitrary: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('command', 'command', 'command', 'command', 'new', 'pull', 'pull', 'merge'),
  atMs: fc.oneof(fc.integer({ min: 0, max: 8000 }), fc.integer({ min: 30_000, max: 90_000 })),
  cancelAfterMs: fc.option(fc.integer({ min: 0, max: 30_000 }), { nil: undefined, freq: 3 }),
  killAfterMs: fc.option(fc.integer({ min: 0, max: 30_000 }), { nil: undefined, freq: 5 }),
  isRunAgain: fc.boolean(),
})
const conversationArbitrary = fc.record({
  steps: fc.array(stepArbitrary, { minLength: 2, maxLength: 5 }),
  /** Whether the workflow queues the commands of a conversation, as the recipe does. */
  isQueued: fc.boolean(),
  seed: fc.nat(),
})

/**
 * Lets every request take its time on its way and back, and some requests to GitHub, or their answers, get lost.
 *
 * @returns what ends that
 */
function delayRequests({ clock, github }: Simulation, draw: () => number, isLossy: boolean): () => void {
  const send = HttpClient.prototype.send
  HttpClient.prototype.send = async function (sent) {
    const mayBeLost = isLossy && sent.url.href.startsWith(github.url)
    const lost = mayBeLost ? ['request', 'answer'][Math.floor(draw() * 16)] : undefined
    await clock.sleep(draw() * 1000)
    const answer = lost === 'request' ? undefined : await send.call(this, sent)
    await clock.sleep(draw() * 1000)
    if (answer !== undefined && lost === undefined) return answer
    throw new TransportError('the connection was reset', { failure: 'broken', maybeSent: true })
  }
  return () => {
    HttpClient.prototype.send = send
  }
}

/** The commands that were written, by their comments' ids. */
type Commands = ReadonlyMap<number, Step>

async function play(simulation: Simulation, steps: readonly Step[], isQueued: boolean): Promise<Commands> {
  const { clock, world } = simulation
  const commands = new Map<number, Step>()
  let queue: Promise<void> = Promise.resolve()
  async function attempts(step: Step, run: Parameters<Simulation['run']>[0]): Promise<void> {
    const { cancelAfterMs, killAfterMs } = step
    await simulation.run({ ...run, cancelAfterMs, killAfterMs })
    if (step.isRunAgain) await simulation.run({ ...run, attempt: 2 })
  }
  async function take(step: Step, runId: number): Promise<void> {
    await clock.sleep(step.atMs)
    if (step.kind === 'merge') return await simulation.endPulls('merge')
    if (step.kind === 'pull') {
      const event = pullRequest({ sender: octocat })
      return await attempts(step, { event, runId, inputs: { comment: 'always' } })
    }
    const body = `/docs${step.kind === 'new' ? ' new' : ''} request ${runId}`
    const comment = addComment(world, { kind: 'main', number: 5, author: octocat, body })
    commands.set(comment.id, step)
    const run = { event: issueComment({ ...comment, body }), runId, inputs: { prompt: '' } }
    queue = (isQueued ? queue : Promise.resolve()).then(() => attempts(step, run))
    await queue
  }
  await Promise.all(steps.map((step, index) => take(step, 1000 + index)))
  return commands
}

const markerIn = (body: string): Marker =>
  JSON.parse(Buffer.from(/^<!-- docs-agent ([\w-]+)\./.exec(body)?.[1] ?? '', 'base64url').toString())

function expectWhatWasBegunIsEnded(simulation: Simulation, commands: Commands, isLossy: boolean): void {
  const { comments, reactions } = simulation.world
  const bodies = comments
    .filter(({ author }) => author === ACTIONS)
    .map(({ history }) => history.at(-1) ?? '')
  expect(bodies.filter((body) => body.includes('⏳'))).toEqual([])
  const markers = bodies.map(markerIn)
  const of = (kind: Marker['kind']) => markers.filter((marker) => marker.kind === kind)
  for (const [id, { cancelAfterMs, killAfterMs, isRunAgain }] of commands) {
    const replied = of('reply').filter(({ source }) => source === `issue-comment/${id}`).length
    const reacted = reactions.filter(({ commentId }) => commentId === id).length
    const isCutShort = !isRunAgain && (cancelAfterMs ?? killAfterMs) !== undefined
    // A run that ended before it began anything leaves nothing; one that can't read the comments, a reaction alone.
    const less = [...(isCutShort ? ['0, 0'] : []), ...(isCutShort || isLossy ? ['0, 1'] : [])]
    expect([...less, '1, 1']).toContain(`${replied}, ${reacted}`)
  }
  expect(reactions.filter(({ content }) => content === 'eyes')).toEqual([])
  expect(of('status').length).toBeLessThanOrEqual(1)
  const announced = of('announcement').map(({ job }) => job)
  expect(new Set(announced).size).toBe(announced.length)
}

/** Queued commands have one job until its pull request is merged, as far as a comment ever named it. */
function expectOneJob({ world, docs }: Simulation, steps: readonly Step[]): void {
  const said = world.comments.filter(({ author }) => author === ACTIONS).flatMap(({ history }) => history)
  const named = new Set(said.map((body) => markerIn(body).job))
  const asked = steps.flatMap(({ kind }, index) => (kind === 'command' ? [`request ${1000 + index}`] : []))
  const jobs = docs.jobs.filter(({ id, prompt }) => named.has(id) && asked.includes(prompt))
  const merges = steps.filter(({ kind }) => kind === 'merge').length
  expect(jobs.length).toBeLessThanOrEqual(1 + merges)
}

/** Numbers from 0 to 1, the same for the same seed. */
function drawFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const RUNS = Number(process.env['CONVERSATION_RUNS'] ?? 40)

describe.each([
  ['whatever happens at once', false],
  ['where requests to GitHub and their answers are lost', true],
])('a conversation, %s', (_what, isLossy) => {
  it(
    'has one reply and final reaction for each command, one status comment, one announcement for each job',
    async () => {
      const property = fc.asyncProperty(conversationArbitrary, async ({ steps, isQueued, seed }) => {
        const simulation = await newSimulation('acme/docs')
        simulation.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
        addPull(simulation.world, { number: 5 })
        const calm = delayRequests(simulation, drawFrom(seed), isLossy)
        const commands = await play(simulation, steps, isQueued).finally(calm)
        expectWhatWasBegunIsEnded(simulation, commands, isLossy)
        if (isQueued && !isLossy) expectOneJob(simulation, steps)
      })
      await fc.assert(property, { numRuns: RUNS })
    },
    60_000 + RUNS * 5000,
  )
})
