import fc from 'fast-check'
import { expect, it } from 'vitest'
import { HttpClient, TransportError } from '../../src/lib/http.ts'
import { followAgent } from '../support/builds.ts'
import { docsReview, issueComment, pullRequest } from '../support/events.ts'
import type { RunOptions } from '../support/harness.ts'
import { type Simulation, startSimulation } from '../support/simulation.ts'
import {
  ACTIONS,
  addComment,
  addPull,
  addReview,
  type Comment,
  MAY_WRITE,
  type World,
} from '../support/world.ts'
import { markerIn, octocat } from './runs.ts'

const KINDS = [
  ...(['command', 'command', 'command', 'new', 'pull', 'pull'] as const),
  ...(['review', 'review', 'merge'] as const),
]

/** Something that happens to pull request 5, in virtual milliseconds. */
const hasty = fc.record({
  /**
   * `pull`: a run of `pull_request` with a status comment; `review`: of the agent's newest open pull request, which two
   * steps hear; `merge`: of all those that are open.
   */
  kind: fc.constantFrom(...KINDS),
  atMs: fc.oneof(fc.integer({ min: 0, max: 8000 }), fc.integer({ min: 30_000, max: 90_000 })),
  cancelAtMs: fc.option(fc.integer({ min: 0, max: 30_000 }), { nil: undefined, freq: 3 }),
  killAtMs: fc.option(fc.integer({ min: 0, max: 30_000 }), { nil: undefined, freq: 5 }),
  isRunAgain: fc.boolean(),
})
const step = fc.oneof(
  hasty,
  hasty.map((one) => ({ ...one, cancelAtMs: undefined, killAtMs: undefined })),
)
const conversation = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  /** What an admin changes while nothing runs, and what happens after that. */
  change: fc.constantFrom('nothing', 'key', 'name', 'key and name'),
  laterSteps: fc.array(step, { maxLength: 3 }),
  /** Whether the workflow queues the commands of a conversation, as the recipe does. */
  isQueued: fc.boolean(),
  /** What decides how long each request takes, and whether it gets lost. */
  draws: fc.infiniteStream(fc.noBias(fc.integer({ min: 0, max: 9999 }))),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type Conversation = typeof conversation extends fc.Arbitrary<infer T> ? T : never

/** What was written to the action, by the ID of the comment or the review. */
type Written = {
  readonly commands: Map<number, Step>
  readonly reviews: Map<number, Step & { readonly number: number; readonly isConfirmed: boolean }>
}
const NEW_KEY = 'mint_rotated'
const WHOLE = { cancelAtMs: undefined, killAtMs: undefined, isRunAgain: false }
const OPENING: Step = { kind: 'command', atMs: 0, ...WHOLE }

/**
 * Lets every request take its time on its way and back, and some requests to GitHub, or their answers, get lost.
 *
 * @returns what ends that
 */
function delayRequests(
  { clock, github, docs }: Simulation,
  draw: () => number,
  isLossy: boolean,
): () => void {
  const send = HttpClient.prototype.send
  HttpClient.prototype.send = async function (sent) {
    const mayBeLost = isLossy && sent.url.href.startsWith(github.url)
    const lost = mayBeLost ? ['request', 'answer'][Math.floor(draw() * 16)] : undefined
    await clock.sleep(draw() * 1000)
    const { authorization } = sent.headers ?? {}
    const isRotated = authorization === `Bearer ${NEW_KEY}`
    const headers = { ...sent.headers, ...(isRotated && { authorization: `Bearer ${docs.key}` }) }
    const answer = lost === 'request' ? undefined : await send.call(this, { ...sent, headers })
    await clock.sleep(draw() * 1000)
    if (answer !== undefined && lost === undefined) return answer
    throw new TransportError('the connection was reset', { failure: 'broken', maybeSent: true })
  }
  return () => {
    HttpClient.prototype.send = send
  }
}

/** Lets it all happen. */
async function play(
  simulation: Simulation,
  { steps, laterSteps, change, isQueued }: Conversation,
): Promise<Written> {
  const { clock, world, openPulls, mergePulls } = simulation
  const written: Written = { commands: new Map(), reviews: new Map() }
  let queue: Promise<void> = Promise.resolve()
  let access: RunOptions = {}
  const run = ({ inputs, env, ...options }: RunOptions) => {
    const given = { inputs: { ...access.inputs, ...inputs }, env: { ...access.env, ...env } }
    return simulation.run({ ...options, ...given })
  }
  async function attempts(step: Step, first: RunOptions): Promise<void> {
    const { cancelAtMs, killAtMs } = step
    await run({ ...first, cancelAtMs, killAtMs })
    if (step.isRunAgain) await run({ ...first, attempt: 2 })
  }
  /** The recipes queue the runs of one conversation; the action itself keeps no queue. */
  async function inTurn(attempt: () => Promise<void>): Promise<void> {
    queue = (isQueued ? queue : Promise.resolve()).then(attempt)
    await queue
  }

  async function review(step: Step, runId: number): Promise<void> {
    const number = Math.max(...(await openPulls()))
    if (!Number.isFinite(number)) return
    followAgent(world)
    const made = addReview(world, { number, author: octocat, body: `review ${runId}` })
    const first = { event: docsReview(made), runId, inputs: { prompt: '' } }
    await inTurn(async () => {
      const isConfirmed = world.comments.some((one) => one.number === number && isSource(one))
      written.reviews.set(made.id, { ...step, number, isConfirmed })
      await attempts(step, first)
      await run({ ...first, runId: runId + 100, env: { GITHUB_ACTION: 'other' } })
    })
  }

  async function take(step: Step, runId: number): Promise<void> {
    await clock.sleep(step.atMs)
    if (step.kind === 'merge') return await mergePulls()
    if (step.kind === 'review') return await review(step, runId)
    if (step.kind === 'pull') {
      const event = pullRequest({ sender: octocat, from: world.repository })
      return await inTurn(() => attempts(step, { event, runId, inputs: { comment: 'always' } }))
    }
    const body = `/docs${step.kind === 'new' ? ' new' : ''} request ${runId}`
    const comment = addComment(world, { kind: 'main', number: 5, author: octocat, body })
    written.commands.set(comment.id, step)
    const first = { event: issueComment({ ...comment, body }), runId, inputs: { prompt: '' } }
    await inTurn(() => attempts(step, first))
  }
  // A docs pull request is open before the rest happens.
  await take(OPENING, 999)
  await Promise.all(steps.map((step, index) => take(step, 1000 + index)))
  if (change.includes('name')) rename(world, 'acme/handbook')
  access = {
    inputs: change.includes('key') ? { 'api-key': NEW_KEY } : {},
    env: { GITHUB_REPOSITORY: world.repository },
  }
  await Promise.all(laterSteps.map((step, index) => take(step, 2000 + index)))
  return written
}

/** Gives the repository a new name; Mintlify's links keep the one before. */
function rename(world: World, name: string): void {
  world.renamed.set(world.repository, name)
  world.repositoryIds.set(name, world.repositoryIds.get(world.repository) ?? 0)
  Object.assign(world, { repository: name, agentRepository: name })
}

function isSource({ author, history }: Comment): boolean {
  return author === ACTIONS && markerIn(history.at(-1) ?? '').kind === 'source'
}

function expectWhatWasBegunIsEnded(
  simulation: Simulation,
  { commands, reviews }: Written,
  { isLossy, isQueued, change }: { readonly isLossy: boolean } & Conversation,
): void {
  const { comments, reactions, pulls } = simulation.world
  const ours = comments.filter(({ author }) => author === ACTIONS)
  const bodies = ours.map(({ history }) => history.at(-1) ?? '')
  expect(bodies.filter((body) => body.includes('⏳'))).toEqual([])
  const markers = bodies.map(markerIn)
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
  const requests = asked.filter((text) => /^re(?:quest|view) /.test(text))
  // Re-runs and second steps ask for nothing twice.
  expect(requests).toEqual([...new Set(requests)])
  const bodyOf = (id: number) => simulation.world.reviews.find((one) => one.id === id)?.body ?? ''
  for (const [id, { cancelAtMs, killAtMs, number, isConfirmed }] of reviews) {
    const replied = sources.filter((source) => source === `changes/${id}`).length
    expect(replied).toBeLessThanOrEqual(1)
    const isOpen = pulls.get(number)?.fields.state === 'open'
    const isWhole = isQueued && !isLossy && (cancelAtMs ?? killAtMs) === undefined
    // Whatever has changed since it was opened.
    if (isConfirmed && isOpen && isWhole)
      expect([requests.includes(bodyOf(id)), replied]).toEqual([true, 1])
  }
  // Runs at once are kept apart by `concurrency`.
  if (!isQueued) return
  const each = change.includes('key') ? 2 : 1
  expect(markers.filter(({ kind }) => kind === 'status').length).toBeLessThanOrEqual(each)
  const explained = ours.filter(isSource).map(({ number }) => number)
  const counts = [...Map.groupBy(explained, (number) => number).values()].map((all) => all.length)
  expect(counts.filter((count) => count > each)).toEqual([])
}

const RUNS = Number(process.env['CONVERSATION_RUNS'] ?? 12)

it.each([
  ['whatever happens at once', false],
  ['where requests to GitHub and their answers are lost', true],
])(
  'a conversation leaves one reply per command, one status comment, one source comment per pull request, %s',
  { timeout: 60_000 + RUNS * 5000 },
  async (_what, isLossy) => {
    const property = fc.asyncProperty(conversation, async (story) => {
      const simulation = await startSimulation('acme/docs')
      simulation.world.roles.set('octocat', MAY_WRITE)
      addPull(simulation.world, { number: 5 })
      const calm = delayRequests(simulation, () => story.draws.next().value / 10_000, isLossy)
      const written = await play(simulation, story).finally(calm)
      expectWhatWasBegunIsEnded(simulation, written, { isLossy, ...story })
      await simulation.close()
    })
    const seed = Number(process.env['CONVERSATION_SEED'] ?? 2026)
    await fc.assert(property, { numRuns: RUNS, seed })
  },
)
