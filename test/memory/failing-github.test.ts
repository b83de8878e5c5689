import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bareEvent, type Event, issueComment, pullRequest, pushTo, reviewComment } from '../support/events.ts'
import { type RunEnd, type SimulatedRun, type Simulation, simulationStarter } from '../support/simulation.ts'
import { ACTIONS, addComment, addPull, person, pushToPull, resolve } from '../support/world.ts'
import { causesOf, faultOf, type Trouble, troubles } from './troubles.ts'

const newSimulation = simulationStarter()
const octocat = person('octocat')
const PULL = 5
const ISSUE = 8

const EVENTS = ['push', 'schedule', 'pull_request', 'issue', 'pull', 'review'] as const
type Kind = (typeof EVENTS)[number]

function isCommand(kind: Kind): boolean {
  return kind === 'issue' || kind === 'pull' || kind === 'review'
}

/** One attempt: of a new run, which goes on with what is there, or of the run before. */
type Attempt = {
  readonly isAgain: boolean
  /** Before it, the agent's pull requests are merged. */
  readonly isMerged: boolean
  readonly pauseMs: number
  readonly troubles: readonly Trouble[]
  /** When GitHub recovers, if it does. */
  readonly recoversAfterMs: number | undefined
  readonly cancelAfterMs: number | undefined
  readonly killAfterMs: number | undefined
}

const within = (max: number, freq: number) => fc.option(fc.integer({ min: 0, max }), { nil: undefined, freq })
const attempt = fc.record<Attempt>({
  isAgain: fc.boolean(),
  isMerged: fc.boolean(),
  pauseMs: fc.constantFrom(0, 10_000, 120_000),
  troubles,
  recoversAfterMs: within(65_000, 9),
  cancelAfterMs: within(40_000, 3),
  killAfterMs: within(40_000, 6),
})
type Story = {
  readonly kind: Kind
  readonly docsIn: string
  readonly inputs: Readonly<Record<'comment' | 'context' | 'wait', string>>
  readonly attempts: readonly Attempt[]
}
const story = fc.record<Story>({
  kind: fc.constantFrom(...EVENTS),
  docsIn: fc.constantFrom('acme/docs', 'acme/guides'),
  inputs: fc.record({
    comment: fc.constantFrom('auto', 'always'),
    context: fc.constantFrom('none', 'diff'),
    wait: fc.constantFrom('true', 'true', 'false'),
  }),
  attempts: fc.array(attempt, { minLength: 1, maxLength: 3 }),
})

/** What happens so that a run starts, and the commit that it and its re-runs are for. */
function happen(kind: Kind, simulation: Simulation): { readonly event: Event; readonly sha: string } {
  const event = eventOf(kind, simulation)
  const sha = event.payload.pull_request?.head?.sha ?? resolve(simulation.world, 'main')?.sha ?? ''
  return { event, sha }
}

function eventOf(kind: Kind, { world }: Simulation): Event {
  const pull = world.pulls.get(PULL)
  const body = '/docs explain it'
  const write = (place: {
    readonly kind: 'main' | 'review'
    readonly number: number
    readonly rootId?: number
  }) => addComment(world, { ...place, author: octocat, body }).id
  switch (kind) {
    case 'push':
      return pushTo(world, { files: ['src/cli.ts'] })
    case 'schedule':
      return bareEvent('schedule')
    case 'pull_request': {
      const { sha } = pull === undefined ? {} : pushToPull(world, pull)
      if (sha === undefined) throw new Error('There is no pull request.')
      return pullRequest({ sender: octocat, pull: { head: { sha } } })
    }
    case 'review': {
      const root = world.comments.find((one) => one.kind === 'review')?.id
      const id = write({ kind: 'review', number: PULL, ...(root && { rootId: root }) })
      return reviewComment({ id, body, author: octocat, ...(root && { replyTo: root }) })
    }
    default: {
      const onIssue = kind === 'issue'
      const number = onIssue ? ISSUE : PULL
      const id = write({ kind: 'main', number })
      return issueComment({ id, body, author: octocat, number, onIssue })
    }
  }
}

/** A job as GitHub shows it to later runs: in a reply or status comment, or in a commit status. */
type Named = { readonly job: string; readonly run: string; readonly kind: string; readonly source: string }

function named({ world }: Simulation): readonly Named[] {
  const statuses = world.statuses.map(({ description, target_url: url }) => ({
    job: /\((\S+)\)$/.exec(description ?? '')?.[1] ?? '',
    run: /\/runs\/(\d+)$/.exec(url ?? '')?.[1] ?? '',
    kind: 'commit',
    source: '',
  }))
  return [...statuses, ...markers(world.comments.map(({ history }) => history.at(-1) ?? ''))]
}

function markers(bodies: readonly string[]): Named[] {
  const payloads = bodies.flatMap((body) => /^<!-- docs-agent ([\w-]+)\./.exec(body)?.[1] ?? [])
  return payloads.map((payload) => JSON.parse(Buffer.from(payload, 'base64url').toString()))
}

/** Where a run stands among the others of its story. */
type Before = {
  readonly kind: Kind
  readonly runId: number
  readonly attempt: number
  readonly named: readonly Named[]
  /** Jobs that are active, or whose pull request is open. */
  readonly goingOn: ReadonlySet<string>
  readonly jobs: number
  readonly lateMessages: number
  readonly requests: number
  readonly startedAtMs: number
}

function expectOneJob(simulation: Simulation, before: Before, end: RunEnd): void {
  const { docs } = simulation
  const log = end.log.map(({ text }) => text).join('')
  const late = simulation.lateMessages().length - before.lateMessages
  if (late > 0) expect(log).toMatch(/Failed to look up the pull request|it has no pull request yet/)
  const created = docs.jobs.length - before.jobs
  expect(created).toBeLessThanOrEqual(1)
  if (created === 0) return
  if (before.attempt > 1) {
    const ofThisRun = before.named.filter(
      ({ run, kind }) => run === `${before.runId}` && kind !== 'announcement',
    )
    expect(ofThisRun.filter(({ job }) => job !== '')).toEqual([])
    expect(log).toContain('GitHub shows no job of an earlier attempt')
  }
  const memory = isCommand(before.kind) ? 'reply' : 'commit'
  const isGoingOn = before.named.some(({ job, kind }) => kind === memory && before.goingOn.has(job))
  if (isGoingOn) expect(log).toMatch(/Failed to look for an earlier job: |is invisible to `github-token`/)
}

function expectResult({ attempt }: Before, { hasFailed, outputs, log }: RunEnd, wasEnded: boolean): void {
  if (wasEnded) return
  const result = outputs.result ?? ''
  const text = log.map((line) => line.text).join('')
  if (attempt > 1 && hasFailed) {
    expect(result).toBe('error')
    expect(text).toContain('Unknown which job the first attempt started')
  } else {
    expect(hasFailed, text).toBe(false)
    expect(['pull-request', 'submitted', 'skipped']).toContain(result)
    if (result === 'skipped')
      expect(text).toMatch(/failed to read the permission|has no permission .* \(404\)/)
  }
}

/** Each line names the true cause, and a permission only where that may be missing. */
function expectTrueWords({ github }: Simulation, before: Before, end: RunEnd, of: Attempt): void {
  const causes = [...causesOf(of.troubles), ...(of.cancelAfterMs === undefined ? [] : [/was aborted/])]
  for (const { text, requests } of end.log) {
    expect(text).not.toMatch(ODD_WORDS)
    const isFailure = /failed to |unknown which job/i.test(text)
    if (isFailure) expect([text, causes.some((cause) => cause.test(text))]).toEqual([text, true])
    if (/rate limit/.test(text)) expect(text).toMatch(/returned (?:403|429) .*rate limit.*, its rate limit/)
    const permission = /needs the permission `(.*?)`/.exec(text)?.[1]
    if (permission === undefined) continue
    expect(text).toMatch(/GitHub returned (?:403 \("Forbidden"\)|404)/)
    const worked = github.journal
      .slice(before.requests, requests)
      .filter(({ line, status = 500 }) => status < 300 && permissionToWrite(line, before) === permission)
      // That what came with 200 was none of GitHub's answers is not seen here.
      .filter(() => !of.troubles.some(({ end }) => end === 'html' || end === 'empty'))
    expect([text, ...worked.map(({ line }) => line)]).toEqual([text])
  }
  expect(end.summary).not.toMatch(ODD_WORDS)
}

const ODD_WORDS = /undefined|TypeError|NaN|\[object|\bnull\b|not a function|Cannot read|unexpectedly/

/** The permission that a request to write needs; empty for others. */
function permissionToWrite(line: string, { kind }: Before): string {
  if (/^POST \/statuses/.test(line)) return 'statuses: write'
  if (!/^(?:POST|PATCH|DELETE) \/(?:issues|pulls)\//.test(line)) return ''
  const [, number] = /^POST \/issues\/(\d+)\/comments$/.exec(line) ?? []
  const isIssue = number === undefined ? kind === 'issue' : Number(number) === ISSUE
  return isIssue ? 'issues: write' : 'pull-requests: write'
}

/** What was begun is ended by the post step. That what is to be deleted is not there (404) ends it, too. */
function expectAllEnded({ world, github }: Simulation): void {
  const ours = world.comments.filter(({ author }) => author === ACTIONS).map(({ history }) => history.at(-1))
  expect(ours.filter((body) => body?.includes('This comment will show'))).toEqual([])
  const isGone = github.journal.some(({ line, status }) => line.startsWith('DELETE') && status === 404)
  if (!isGone) expect(world.reactions.filter(({ content }) => content === 'eyes')).toEqual([])
  const last = new Map(world.statuses.map(({ sha, state }) => [sha, state]))
  expect([...last.values()]).not.toContain('pending')
}

function expectNoSecondComment(simulation: Simulation): void {
  const found = named(simulation).filter(({ kind }) => kind !== 'commit')
  const names = found.map(({ kind, source, job }) => `${kind} ${kind === 'announcement' ? job : source}`)
  expect(names).toEqual([...new Set(names)])
}

/** An attempt during which GitHub always fails in that way; it recovers when the post step has ended. */
function troubled(request: string, end: Trouble['end'], of: Partial<Attempt> = {}): Attempt {
  const usual = { isAgain: false, isMerged: false, pauseMs: 0, recoversAfterMs: undefined }
  const uncut = { cancelAfterMs: undefined, killAfterMs: undefined }
  return { ...usual, ...uncut, troubles: [{ request, end, times: undefined }], ...of }
}

const calm = troubled('anything', 'slow')
const always = { comment: 'always', context: 'none', wait: 'true' }

/** What such runs have found. */
const FOUND: readonly Story[] = [
  {
    kind: 'pull_request',
    docsIn: 'acme/docs',
    inputs: always,
    // The second run's job is named in its comment alone, the first one's in a status.
    attempts: [
      calm,
      troubled('the first status', '403', { isMerged: true, cancelAfterMs: 5000 }),
      { ...calm, isAgain: true },
    ],
  },
  {
    kind: 'push',
    docsIn: 'acme/guides',
    inputs: always,
    attempts: [
      calm,
      troubled('the first status', '404', { killAfterMs: 5000 }),
      troubled('a pull request', '404', { isAgain: true }),
    ],
  },
  {
    kind: 'schedule',
    docsIn: 'acme/docs',
    inputs: always,
    attempts: [troubled('the last status', 'hang', { recoversAfterMs: 40_000 })],
  },
]

const RUNS = Number(process.env['FAILING_RUNS'] ?? 60)
const SEED = Number(process.env['FAILING_SEED'] ?? 2026)

/** One attempt, with its main and its post step, and what holds for it whatever GitHub does. */
async function play(run: SimulatedRun, of: Attempt, before: Before, simulation: Simulation): Promise<RunEnd> {
  const { clock, github } = simulation
  const faults = of.troubles.map(faultOf)
  github.faults.splice(0, Infinity, ...faults)
  if (of.recoversAfterMs !== undefined) {
    clock.at(before.startedAtMs + of.recoversAfterMs, () => {
      for (const fault of faults) fault.times = 0
    })
  }
  const { cancelAfterMs, killAfterMs } = of
  const end = await simulation.run({ ...run, cancelAfterMs, killAfterMs })
  github.faults.splice(0)
  const tookMs = end.mainEnded.atMs - before.startedAtMs
  if (cancelAfterMs !== undefined) expect(tookMs).toBeLessThanOrEqual(cancelAfterMs + 5000)
  expect(clock.now() - end.mainEnded.atMs).toBeLessThanOrEqual(75_000)
  expectOneJob(simulation, before, end)
  expectResult(before, end, Math.min(cancelAfterMs ?? Infinity, killAfterMs ?? Infinity) <= tookMs)
  expectTrueWords(simulation, before, end, of)
  expectNoSecondComment(simulation)
  expect(github.violations).toEqual([])
  return end
}

/** Whether GitHub recovers within the minute that the post step waits. */
function recovers({ troubles, recoversAfterMs = Infinity }: Attempt, before: Before, end: RunEnd): boolean {
  const isBounded = troubles.every(({ times }) => times !== undefined)
  return isBounded || before.startedAtMs + recoversAfterMs <= end.mainEnded.atMs + 45_000
}

it('a failing GitHub means no second job, nothing left begun, no second comment, no untrue word', async () => {
  const property = fc.asyncProperty(story, async ({ kind, docsIn, inputs, attempts }) => {
    const simulation = await newSimulation(docsIn)
    const { world, clock, github, docs } = simulation
    world.roles.set('octocat', { permission: 'write', role_name: 'write' })
    addPull(world, { number: PULL, head: { ref: 'flag' }, files: ['src/cli.ts'] })
    world.issues.add(ISSUE)
    const prompt = isCommand(kind) ? '' : 'Document it.'
    let [runId, attempt, hasRecovered] = [1000, 1, true]
    let started = happen(kind, simulation)
    for (const [index, of] of attempts.entries()) {
      await clock.sleep(of.pauseMs)
      if (of.isMerged) await simulation.endPulls('merge')
      const isAgain = of.isAgain && index > 0
      if (!isAgain && index > 0) started = happen(kind, simulation)
      ;[runId, attempt] = isAgain ? [runId, attempt + 1] : [runId + 1, 1]
      const goingOn = docs.jobs.filter(({ pull }) => pull?.state !== 'merged').map(({ id }) => id)
      const before = {
        kind,
        runId,
        attempt,
        named: named(simulation),
        goingOn: new Set(goingOn),
        jobs: docs.jobs.length,
        lateMessages: simulation.lateMessages().length,
        requests: github.journal.length,
        startedAtMs: clock.now(),
      }
      const run = { ...started, runId, attempt, inputs: { ...inputs, prompt } }
      const end = await play(run, of, before, simulation)
      hasRecovered &&= recovers(of, before, end)
      if (hasRecovered) expectAllEnded(simulation)
    }
  })
  const examples = FOUND.map((one): [Story] => [one])
  await fc.assert(property, { numRuns: RUNS, seed: SEED, examples })
}, 600_000)
