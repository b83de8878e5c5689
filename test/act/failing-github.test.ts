import fc from 'fast-check'
import { expect, it } from 'vitest'
import { octocat as author, markerIn } from '../look/runs.ts'
import { bareEvent, commentIn, type Event, pullRequest, pushTo } from '../support/events.ts'
import type { FaultName, GitHubFault } from '../support/github.ts'
import type { RunEnd, RunOptions } from '../support/harness.ts'
import { type Simulation, startSimulation } from '../support/simulation.ts'
import { ACTIONS, addPull, MAY_WRITE, pushToPull, resolve, type World } from '../support/world.ts'

/** With these requests a run ends what it began. */
const LAST = [/^PATCH /, /(?:success|failure)$/]
const READS = [
  /\/permission$/,
  /^GET .*\/pulls\/\d+$/,
  /^GET \/(?:issues|pulls)\/\d+\/comments/,
  /\/statuses$/,
]
const QUERIES = [
  /(?:StepStatuses|MergedPulls|PullState|PullReport)$/,
  /graphql$/,
  /\/(?:files|commits|compare)\b/,
]
const BEGINNINGS = [/^POST .*\/(?:comments|replies)$/, /eyes$/, /pending$/]
const REQUESTS = [...LAST, ...LAST, ...READS, ...QUERIES, ...BEGINNINGS, /./]

const UNREADABLE = /GitHub returned 20\d without a (?:readable )?body/
const LOST = /[Tt]he connection to 127\.0\.0\.1:\d+ closed before the response was complete/

/** How a log names each fault. */
const CAUSES: Readonly<Record<FaultName, RegExp>> = {
  '401': /GitHub rejected `github-token` \(401 "Bad credentials"\)/,
  '403': /GitHub returned 403 \("Forbidden"\)/,
  'secondary-limit': /GitHub's API rate limit was exceeded \(403\)/,
  'primary-limit': /GitHub's API rate limit was exceeded \(403\)/,
  '404': /GitHub returned 404\b|\(404\)/,
  '204': /GitHub returned (?:204|something that is not)/,
  '409': /GitHub returned (?:409 \("Conflict"\)|something that is not a list)/,
  '422': /GitHub returned 422 \("Validation Failed"\)/,
  '429': /GitHub's API rate limit was exceeded \(429\)/,
  '500': /GitHub returned 500 \("Server Error"\)/,
  '502': /GitHub returned 502 \("Server Error"\)/,
  '503': /GitHub returned 503/,
  html: UNREADABLE,
  empty: UNREADABLE,
  'data-null': /GitHub returned "Something went wrong"/,
  partial: /GitHub returned "Something went wrong while executing your query\."/,
  slow: /(?!)/,
  reset: LOST,
  lost: LOST,
  hang: /no response from \S+ within 10 s/,
}
const FAULTS = Object.keys(CAUSES).filter((name): name is FaultName => name in CAUSES)

const PULL = 5
const ISSUE = 8

const within = (max: number, freq: number) =>
  fc.option(fc.integer({ min: 0, max }), { nil: undefined, freq })
const trouble = fc.record({
  request: fc.constantFrom(...REQUESTS),
  end: fc.constantFrom(...FAULTS),
  /** How many requests it meets; `undefined`: all until GitHub recovers. */
  times: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined, freq: 1 }),
})
const attempt = fc.record({
  /** Whether it is one of the run before, and not of a new run, which goes on with what is there. */
  isAgain: fc.boolean(),
  /** Before it, the agent's pull requests are merged. */
  isMerged: fc.boolean(),
  pauseMs: fc.constantFrom(0, 10_000, 120_000),
  troubles: fc.array(trouble, { minLength: 1, maxLength: 3 }),
  recoversAfterMs: within(65_000, 9),
  cancelAtMs: within(40_000, 3),
  killAtMs: within(40_000, 6),
})
const story = fc.record({
  kind: fc.constantFrom('push', 'schedule', 'pull_request', 'issue', 'pull', 'review'),
  docsIn: fc.constantFrom('acme/docs', 'acme/guides'),
  inputs: fc.record({
    comment: fc.constantFrom('auto', 'always'),
    context: fc.constantFrom('none', 'diff'),
    wait: fc.constantFrom('true', 'true', 'false'),
  }),
  attempts: fc.array(attempt, { minLength: 1, maxLength: 3 }),
})
type Story = typeof story extends fc.Arbitrary<infer Drawn> ? Drawn : never
type Attempt = Story['attempts'][number]

const COMMANDS: readonly string[] = ['issue', 'pull', 'review']

/** What happens so that a run starts. */
function happen(kind: Story['kind'], world: World): Event {
  const pull = world.pulls.get(PULL)
  const body = '/docs explain it'
  if (kind === 'push') return pushTo(world, { files: ['src/cli.ts'] })
  if (kind === 'schedule') return bareEvent('schedule')
  if (kind === 'pull_request' && pull !== undefined) {
    const { sha } = pushToPull(world, pull)
    return pullRequest({ sender: author, pull: { head: { sha } } })
  }
  if (kind === 'review') {
    const rootId = world.comments.find((one) => one.kind === 'review')?.id
    return commentIn(world, { kind, number: PULL, author, body, rootId })
  }
  const onIssue = kind === 'issue'
  return commentIn(world, { number: onIssue ? ISSUE : PULL, author, body, onIssue })
}

/** A job as GitHub shows it to later runs: in a reply or status comment, or in a commit status. */
function named({ statuses, comments }: World) {
  const inStatuses = statuses.map(({ description }) => ({
    job: /\((\S+)\)$/.exec(description ?? '')?.[1] ?? '',
    kind: 'commit',
    place: '',
  }))
  const inComments = comments.flatMap(({ history, number }) => {
    const body = history.at(-1) ?? ''
    if (!body.startsWith('<!-- docs-agent')) return []
    const { job, kind, source } = markerIn(body)
    return [{ job, kind, place: source ?? number }]
  })
  return [...inStatuses, ...inComments]
}

/** Where a run stands among the others of its story. */
function standingOf({ world, docs, clock, lateMessages }: Simulation) {
  return {
    named: named(world),
    /** Jobs that are active, or whose pull request is open. */
    goingOn: docs.jobs.filter(({ pull }) => pull?.state !== 'merged').map(({ id }) => id),
    jobs: docs.jobs.length,
    lateMessages: lateMessages().length,
    startedAtMs: clock.now(),
  }
}

type Before = ReturnType<typeof standingOf> &
  Pick<Story, 'kind'> & {
    readonly attempt: number
    /** Whether an earlier attempt has started a job, without a warning that re-runs can't find it. */
    readonly hasStarted: boolean
  }

function expectOneJob({ docs, lateMessages }: Simulation, before: Before, log: string): void {
  if (lateMessages().length > before.lateMessages)
    expect(log).toMatch(/Could not look up the pull request|has no pull request yet/)
  const created = docs.jobs.length - before.jobs
  expect(created).toBeLessThanOrEqual(1)
  if (created === 0) return
  expect(before.hasStarted).toBe(false)
  const memory = COMMANDS.includes(before.kind) ? 'reply' : 'commit'
  const isGoingOn = before.named.some(
    ({ job, kind }) => kind === memory && before.goingOn.includes(job),
  )
  const isSaid =
    /Could not look for an earlier job|can't read the earlier pull request|may have started a job that/
  if (isGoingOn) expect(log).toMatch(isSaid)
}

function expectResult({ attempt }: Before, { hasFailed, outputs }: RunEnd, log: string): void {
  const result = outputs['result'] ?? ''
  if (attempt > 1 && hasFailed) {
    expect(result).toBe('error')
    expect(log).toMatch(
      /This attempt started nothing|could not record|Could not look for an earlier job/,
    )
  } else {
    expect(hasFailed, log).toBe(false)
    expect(['pull-request', 'submitted', 'skipped']).toContain(result)
    if (result === 'skipped')
      expect(log).toMatch(/could not read the permission of \S+|has no permission .* \(404\)/)
  }
}

const ODD_WORDS =
  /undefined|TypeError|NaN|\[object|\bnull\b|not a function|Cannot read|unexpectedly/

/** Each line names the true cause, and a permission only for an answer that says that one may be missing. */
function expectTrueWords(end: RunEnd, of: Attempt): void {
  const causes = of.troubles.map((one) => CAUSES[one.end])
  if (of.cancelAtMs !== undefined) causes.push(/was aborted/)
  for (const text of [...end.log, ...end.post.log]) {
    expect(text).not.toMatch(ODD_WORDS)
    const isFailure = /failed to|could not /i.test(text)
    if (isFailure) expect([text, causes.some((cause) => cause.test(text))]).toEqual([text, true])
    if (/rate limit/.test(text)) expect(text).toMatch(/rate limit was exceeded \((?:403|429)\)/)
    if (/doesn't grant/.test(text)) expect(text).toMatch(/returned (?:403 \("Forbidden"\)|404)/)
  }
  expect(end.summary).not.toMatch(ODD_WORDS)
}

/** What was begun is ended by the post step. */
function expectAllEnded({ comments, statuses }: World): void {
  const ours = comments.filter((one) => one.author === ACTIONS).map(({ history }) => history.at(-1))
  expect(ours.filter((body) => body?.includes('This comment will show'))).toEqual([])
  const last = new Map(statuses.map(({ sha, state }) => [sha, state]))
  expect([...last.values()]).not.toContain('pending')
}

/** Whether trying a request three times, at once or in the post step, gets over it. */
function isPassing({ end, times = Infinity }: Attempt['troubles'][number]): boolean {
  return end === 'slow' || (times <= 2 && !/^(?:401|403|404|409|422)$/.test(end))
}

/** One attempt, with its main and its post step, and what holds for it whatever GitHub does. */
async function play(
  run: RunOptions,
  of: Attempt,
  before: Before,
  simulation: Simulation,
): Promise<RunEnd> {
  const { clock, github, world } = simulation
  const faults = of.troubles.map(({ request, end, times }): GitHubFault => {
    const match = end === 'data-null' || end === 'partial' ? /graphql/ : request
    return { match, end, ...(times && { times }) }
  })
  github.faults.splice(0, Infinity, ...faults)
  function recover(): void {
    for (const fault of faults) fault.times = 0
  }
  if (of.recoversAfterMs !== undefined) clock.at(before.startedAtMs + of.recoversAfterMs, recover)
  const { cancelAtMs = Infinity, killAtMs = Infinity } = of
  const end = await simulation.run({ ...of, ...run })
  recover()
  expect(end.tookMs).toBeLessThanOrEqual(cancelAtMs + 5000)
  // Three tries of each request, one after another, of which each may take 10 s.
  expect(end.post.tookMs).toBeLessThanOrEqual(180_000)
  const log = [...end.log, ...end.post.log].join('\n')
  expectOneJob(simulation, before, log)
  if (Math.min(cancelAtMs, killAtMs) > end.tookMs) expectResult(before, end, log)
  expectTrueWords(end, of)
  const comments = named(world).filter(({ kind }) => kind !== 'commit')
  const names = comments.map(({ kind, place }) => `${kind} ${place}`)
  expect(names).toEqual([...new Set(names)])
  return end
}

it('a failing GitHub means no second job, nothing left begun, no second comment, no untrue word', async () => {
  const property = fc.asyncProperty(story, async ({ kind, docsIn, inputs, attempts }) => {
    const simulation = await startSimulation(docsIn)
    const { world, clock } = simulation
    world.roles.set('octocat', MAY_WRITE)
    addPull(world, { number: PULL, head: { ref: 'flag' }, files: ['src/cli.ts'] })
    world.issues.add(ISSUE)
    const prompt = COMMANDS.includes(kind) ? '' : 'Document it.'
    let [runId, attempt, hasRecovered, event, sha] = [1000, 1, true, bareEvent(''), '']
    let hasStarted = false
    for (const [index, of] of attempts.entries()) {
      await clock.sleep(of.pauseMs)
      if (of.isMerged) await simulation.endPulls('merge')
      const isAgain = of.isAgain && index > 0
      if (!isAgain) {
        event = happen(kind, world)
        sha = event.payload.pull_request?.head?.sha ?? resolve(world, 'main')?.sha ?? ''
      }
      ;[runId, attempt] = isAgain ? [runId, attempt + 1] : [runId + 1, 1]
      hasStarted &&= isAgain
      const before: Before = { ...standingOf(simulation), kind, attempt, hasStarted }
      const run = { event, sha, runId, attempt, inputs: { ...inputs, prompt } }
      const end = await play(run, of, before, simulation)
      const isWarned = end.log.some((line) =>
        /(?:every run opens|the next run may open) another docs pull request|each command starts another one/.test(
          line,
        ),
      )
      hasStarted ||= simulation.docs.jobs.length > before.jobs && !isWarned
      // The post step tries three times, within 12 s; where GitHub asks to wait for 1 s, within 2; a refusal once.
      const ends = of.troubles.map((one) => one.end)
      const isRefusal = ends.some((one) => /^(?:401|403|404|409|422)$/.test(one))
      const isLimited = ends.some((one) => one === '429' || one === 'secondary-limit')
      const recoversAtMs = before.startedAtMs + (of.recoversAfterMs ?? Infinity)
      const graceMs = isRefusal ? -1 : isLimited ? 1900 : 11_000
      hasRecovered &&=
        of.troubles.every(isPassing) || recoversAtMs <= before.startedAtMs + end.tookMs + graceMs
      if (hasRecovered) expectAllEnded(world)
    }
    await simulation.close()
  })
  const { FAILING_RUNS = 30, FAILING_SEED = 2026 } = process.env
  await fc.assert(property, {
    numRuns: Number(FAILING_RUNS),
    seed: Number(FAILING_SEED),
  })
}, 600_000)
