import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type DocsService, startDocsService } from '../../docs-service/service.ts'
import type { Marker } from '../../src/comments/marker.ts'
import { HttpClient, type HttpRequest } from '../../src/lib/http.ts'
import { TransportError } from '../../src/lib/transport-error.ts'
import { runMain } from '../../src/main.ts'
import { runPost } from '../../src/post.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { Run } from '../../src/runner/run.ts'
import { VirtualClock } from '../support/clock.ts'
import { type Event, issueComment, pullRequest } from '../support/events.ts'
import { type FakeGitHub, startGitHub } from '../support/github.ts'
import { environmentOf } from '../support/run-action.ts'
import { ACTIONS, addComment, addPull, emptyWorld, person } from '../support/world.ts'

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

/** A run whose state is kept here; none is saved once it was killed. */
class SimulatedRun extends Run {
  readonly saved = new Map<string, string>()

  override saveState(name: 'job-id' | 'pending' | 'finished', value: string): void {
    if (sender.getStore()?.death.aborted !== true) this.saved.set(name, value)
  }
  override setOutputs(): void {}
  override writeSummary(): void {}
}

const folder = mkdtempSync(join(tmpdir(), 'conversations-'))
let github: FakeGitHub
let clock: VirtualClock
let docs: DocsService
/** A number from 0 to 1. */
let draw: () => number
/** Whether requests to GitHub, or their answers, get lost on the way of a main step. */
let isLossy: boolean

/** Which step sends a request; it is aborted as it is killed. */
const sender = new AsyncLocalStorage<{ readonly death: AbortSignal; readonly isPost: boolean }>()

beforeAll(async () => {
  github = await startGitHub()
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const send = HttpClient.prototype.send
  vi.spyOn(HttpClient.prototype, 'send').mockImplementation(function (this: HttpClient, sent: HttpRequest) {
    return onTheWay(sent, () => send.call(this, sent))
  })
})
afterAll(async () => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
  await github.close()
})

/** Sends a request on a way that takes its time, and on which it or its answer may be lost, or its sender killed. */
async function onTheWay<T>({ url }: HttpRequest, send: () => Promise<T>): Promise<T> {
  const step = sender.getStore()
  const mayBeLost = isLossy && step?.isPost === false && url.href.startsWith(github.url)
  const lost = mayBeLost ? ['request', 'answer'][Math.floor(draw() * 16)] : undefined
  const pass = async (): Promise<void> => {
    await clock.sleep(draw() * 1000)
    if (step?.death.aborted === true) await new Promise(() => undefined)
  }
  await pass()
  const answer = lost === 'request' ? undefined : await clock.work(send)
  await pass()
  if (answer !== undefined && lost === undefined) return answer
  throw new TransportError('the connection was reset', { failure: 'broken', maybeSent: true })
}

/** One attempt of a workflow run: the main step, which may be cancelled or killed, and the post step. */
async function simulate(event: Event, runId: number, step: Partial<Step> = {}, attempt = 1): Promise<void> {
  const path = join(folder, `${runId}.json`)
  writeFileSync(path, JSON.stringify(event.payload))
  const ids = { GITHUB_RUN_ID: `${runId}`, GITHUB_RUN_ATTEMPT: `${attempt}`, GITHUB_EVENT_PATH: path }
  const env = { ...ids, GITHUB_API_URL: github.url }
  const service = { 'api-key': docs.key, 'project-id': 'docs', 'base-url': docs.url }
  const prompt = event.name === 'pull_request' ? { prompt: `pull ${runId}`, comment: 'always' } : {}
  const inputs = { ...service, 'github-token': github.token, context: 'none', ...prompt }
  const variables = environmentOf({ event, inputs, env }, folder, folder)
  const [cancel, death, never] = [new AbortController(), new AbortController(), new AbortController()]
  const waiting = { clock, random: () => 0.5, cancel: cancel.signal }
  const run = new SimulatedRun(readEnvironment(variables), waiting)
  const died = new Promise<void>((resolve) => death.signal.addEventListener('abort', () => resolve()))
  const { cancelAfterMs, killAfterMs } = step
  if (cancelAfterMs !== undefined) clock.at(clock.now() + cancelAfterMs, () => cancel.abort())
  if (killAfterMs !== undefined) clock.at(clock.now() + killAfterMs, () => death.abort())
  const main = { death: death.signal, isPost: false }
  await sender.run(main, () => Promise.race([runMain(run), died]))
  const state = Object.fromEntries([...run.saved].map(([name, value]) => [`STATE_${name}`, value]))
  const later = { ...waiting, cancel: never.signal }
  const post = new SimulatedRun(readEnvironment({ ...variables, ...state }), later, { isPost: true })
  await sender.run({ death: never.signal, isPost: true }, () => runPost(post))
}

/** The commands that were written, by their comments' ids. */
type Commands = ReadonlyMap<number, Step>

async function play(steps: readonly Step[], isQueued: boolean): Promise<Commands> {
  const commands = new Map<number, Step>()
  let queue: Promise<void> = Promise.resolve()
  async function attempts(step: Step, event: Event, runId: number): Promise<void> {
    await simulate(event, runId, step)
    if (step.isRunAgain) await simulate(event, runId, {}, 2)
  }
  async function take(step: Step, runId: number): Promise<void> {
    await clock.sleep(step.atMs)
    if (step.kind === 'pull') return await attempts(step, pullRequest({ sender: octocat }), runId)
    if (step.kind === 'merge') {
      await clock.work(() => docs.doAllWorkDue())
      const open = docs.jobs.flatMap(({ pull }) => (pull?.state === 'open' ? [pull.number] : []))
      for (const number of open) await clock.work(() => docs.mergePull(number))
      return
    }
    const body = `/docs${step.kind === 'new' ? ' new' : ''} request ${runId}`
    const comment = addComment(github.world, { kind: 'main', number: 5, author: octocat, body })
    commands.set(comment.id, step)
    const before = isQueued ? queue : Promise.resolve()
    queue = before.then(() => attempts(step, issueComment({ ...comment, body }), runId))
    await queue
  }
  await Promise.all(steps.map((step, index) => take(step, 1000 + index)))
  return commands
}

/** Our comments as they are now, with what their markers say. */
const ours = (): readonly { readonly body: string; readonly number: number; readonly marker: Marker }[] =>
  github.world.comments
    .filter(({ author }) => author === ACTIONS)
    .map(({ history, number }) => {
      const body = history.at(-1) ?? ''
      const payload = /^<!-- docs-agent ([\w-]+)\./.exec(body)?.[1] ?? ''
      return { body, number, marker: JSON.parse(Buffer.from(payload, 'base64url').toString()) }
    })

function expectWhatWasBegunIsEnded(commands: Commands): void {
  const comments = ours()
  expect(comments.filter(({ body }) => body.includes('⏳'))).toEqual([])
  const of = (kind: Marker['kind']) => comments.filter(({ marker }) => marker.kind === kind)
  for (const [id, { cancelAfterMs, killAfterMs, isRunAgain }] of commands) {
    const replies = of('reply').filter(({ marker }) => marker.source === `issue-comment/${id}`).length
    const reactions = github.world.reactions.filter(({ commentId }) => commentId === id).length
    const isCutShort = !isRunAgain && (cancelAfterMs ?? killAfterMs) !== undefined
    // A run that ended before it began anything leaves nothing.
    const allowed = isCutShort ? ['0, 0', '0, 1', '1, 1'] : ['1, 1']
    expect(allowed).toContain(`${replies}, ${reactions}`)
  }
  expect(github.world.reactions.filter(({ content }) => content === 'eyes')).toEqual([])
  expect(of('status').length).toBeLessThanOrEqual(1)
  const announced = of('announcement').map(({ marker }) => marker.job)
  expect(new Set(announced).size).toBe(announced.length)
  expect(github.violations).toEqual([])
}

/** Queued commands have one job until its pull request is merged, as far as a comment ever named it. */
function expectOneJob(steps: readonly Step[]): void {
  const named = new Set(
    github.world.comments
      .flatMap(({ history }) => history)
      .map((body) => /^<!-- docs-agent ([\w-]+)\./.exec(body)?.[1] ?? '')
      .map((payload) => Buffer.from(payload, 'base64url').toString())
      .flatMap((json) => (json === '' ? [] : [String(JSON.parse(json).job)])),
  )
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
])('a conversation, %s', (_what, lossy) => {
  it(
    'has one reply and final reaction for each command, one status comment, one announcement for each job',
    async () => {
      const property = fc.asyncProperty(conversationArbitrary, async ({ steps, isQueued, seed }) => {
        draw = drawFrom(seed)
        isLossy = lossy
        clock = new VirtualClock()
        const now = (): number => clock.now()
        const agentPulls = () => docs.jobs.flatMap(({ pull }) => pull ?? [])
        github.world = Object.assign(emptyWorld(), { now, agentPulls })
        github.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
        addPull(github.world, { number: 5 })
        const repository = 'https://github.com/acme/docs'
        docs = await startDocsService({ agent: 'none', jobTimeMs: 20_000, repository, now })
        try {
          expectWhatWasBegunIsEnded(await play(steps, isQueued))
          if (isQueued && !isLossy) expectOneJob(steps)
        } finally {
          await docs.close()
        }
      })
      await fc.assert(property, { numRuns: RUNS })
    },
    60_000 + RUNS * 5000,
  )
})
