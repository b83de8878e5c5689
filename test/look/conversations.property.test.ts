import fc from 'fast-check'
import { expect, it } from 'vitest'
import { HttpClient, TransportError } from '../../src/lib/http.ts'
import { issueComment, pullRequest } from '../support/events.ts'
import { type Simulation, startSimulation } from '../support/simulation.ts'
import { ACTIONS, addComment, addPull, MAY_WRITE } from '../support/world.ts'
import { markerIn, octocat } from './runs.ts'

/** Something that happens to pull request 5, in virtual milliseconds. */
const step = fc.record({
  /** `pull`: a run of `pull_request` with a status comment; `merge`: of all open pull requests of the agent. */
  kind: fc.constantFrom('command', 'command', 'command', 'command', 'new', 'pull', 'pull', 'merge'),
  atMs: fc.oneof(fc.integer({ min: 0, max: 8000 }), fc.integer({ min: 30_000, max: 90_000 })),
  cancelAtMs: fc.option(fc.integer({ min: 0, max: 30_000 }), { nil: undefined, freq: 3 }),
  killAtMs: fc.option(fc.integer({ min: 0, max: 30_000 }), { nil: undefined, freq: 5 }),
  isRunAgain: fc.boolean(),
})
const conversation = fc.record({
  steps: fc.array(step, { minLength: 2, maxLength: 5 }),
  /** Whether the workflow queues the commands of a conversation, as the recipe does. */
  isQueued: fc.boolean(),
  /** What decides how long each request takes, and whether it gets lost. */
  draws: fc.infiniteStream(fc.noBias(fc.integer({ min: 0, max: 9999 }))),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/**
 * Lets every request take its time on its way and back, and some requests to GitHub, or their answers, get lost.
 *
 * @returns what ends that
 */
function delayRequests(
  { clock, github }: Simulation,
  draw: () => number,
  isLossy: boolean,
): () => void {
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

/** Lets it all happen; returns the commands by their comments' ids. */
async function play(
  { clock, world, run, endPulls }: Simulation,
  steps: readonly Step[],
  isQueued: boolean,
) {
  const commands = new Map<number, Step>()
  let queue: Promise<void> = Promise.resolve()
  async function attempts(step: Step, first: Parameters<typeof run>[0]): Promise<void> {
    const { cancelAtMs, killAtMs } = step
    await run({ ...first, cancelAtMs, killAtMs })
    if (step.isRunAgain) await run({ ...first, attempt: 2 })
  }
  /** The recipes queue the runs of one conversation; the action itself keeps no queue. */
  async function inTurn(attempt: () => Promise<void>): Promise<void> {
    queue = (isQueued ? queue : Promise.resolve()).then(attempt)
    await queue
  }

  async function take(step: Step, runId: number): Promise<void> {
    await clock.sleep(step.atMs)
    if (step.kind === 'merge') return await endPulls('merge')
    if (step.kind === 'pull') {
      const event = pullRequest({ sender: octocat })
      return await inTurn(() => attempts(step, { event, runId, inputs: { comment: 'always' } }))
    }
    const body = `/docs${step.kind === 'new' ? ' new' : ''} request ${runId}`
    const comment = addComment(world, { kind: 'main', number: 5, author: octocat, body })
    commands.set(comment.id, step)
    const first = { event: issueComment({ ...comment, body }), runId, inputs: { prompt: '' } }
    await inTurn(() => attempts(step, first))
  }
  await Promise.all(steps.map((step, index) => take(step, 1000 + index)))
  return commands
}

function expectWhatWasBegunIsEnded(
  simulation: Simulation,
  commands: ReadonlyMap<number, Step>,
  { isLossy, isQueued }: { readonly isLossy: boolean; readonly isQueued: boolean },
): void {
  const { comments, reactions } = simulation.world
  const ours = comments.filter(({ author }) => author === ACTIONS)
  const bodies = ours.map(({ history }) => history.at(-1) ?? '')
  expect(bodies.filter((body) => body.includes('⏳'))).toEqual([])
  const markers = bodies.map(markerIn)
  const statuses = markers.filter(({ kind }) => kind === 'status')
  const sources = markers.flatMap((one) => (one.kind === 'reply' ? [one.source] : []))
  for (const [id, { cancelAtMs, killAtMs, isRunAgain }] of commands) {
    const replied = sources.filter((source) => source === `main/${id}`).length
    // An attempt that can't read the permission says so by a reaction of its own.
    const reacted = reactions.some(({ commentId }) => commentId === id) ? 1 : 0
    const isCutShort = !isRunAgain && (cancelAtMs ?? killAtMs) !== undefined
    // A run that ended before it began anything leaves nothing; one that can't read the comments, a reaction alone; a
    // reaction that got lost in all its tries is not given later.
    const less = [
      ...(isCutShort ? ['0, 0'] : []),
      ...(isCutShort || isLossy ? ['0, 1'] : []),
      ...(isLossy ? ['1, 0'] : []),
    ]
    expect([...less, '1, 1']).toContain(`${replied}, ${reacted}`)
  }
  const asked = simulation.docs.jobs.flatMap(({ prompt, messages }) => [prompt, ...messages])
  const requests = asked.filter((text) => text.startsWith('request '))
  // Re-runs ask for nothing twice.
  expect(requests).toEqual([...new Set(requests)])
  // Runs at once are kept apart by `concurrency`.
  if (!isQueued) return
  expect(statuses.length).toBeLessThanOrEqual(1)
  const explained = ours.flatMap(({ number }, index) =>
    markers[index]?.kind === 'source' ? [number] : [],
  )
  expect(explained).toEqual([...new Set(explained)])
}

const RUNS = Number(process.env['CONVERSATION_RUNS'] ?? 12)

it.each([
  ['whatever happens at once', false],
  ['where requests to GitHub and their answers are lost', true],
])(
  'a conversation leaves one reply per command, one status comment, one source comment per pull request, %s',
  { timeout: 60_000 + RUNS * 5000 },
  async (_what, isLossy) => {
    const property = fc.asyncProperty(conversation, async ({ steps, isQueued, draws }) => {
      const simulation = await startSimulation('acme/docs')
      simulation.world.roles.set('octocat', MAY_WRITE)
      addPull(simulation.world, { number: 5 })
      const calm = delayRequests(simulation, () => draws.next().value / 10_000, isLossy)
      const commands = await play(simulation, steps, isQueued).finally(calm)
      expectWhatWasBegunIsEnded(simulation, commands, { isLossy, isQueued })
      await simulation.close()
    })
    const seed = Number(process.env['CONVERSATION_SEED'] ?? 2026)
    await fc.assert(property, { numRuns: RUNS, seed })
  },
)
