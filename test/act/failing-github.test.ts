import fc from 'fast-check'
import { expect, it } from 'vitest'
import { octocat as author, itWithScene, markerIn } from '../look/runs.ts'
import {
  bareEvent,
  commentIn,
  docsReview,
  event,
  newIssue,
  pullRequest,
  pushTo,
} from '../support/events.ts'
import { FAULTS, type FaultName, type GitHubFault } from '../support/github.ts'
import type { RunEnd, RunOptions } from '../support/harness.ts'
import { type Simulation, startSimulation } from '../support/simulation.ts'
import {
  ACTIONS,
  addPull,
  addReview,
  MAY_WRITE,
  mergePull,
  pushToPull,
  resolve,
  time,
} from '../support/world.ts'

const PULL = 5
const ISSUE = 8

/** Kinds of events, with where a run records its job, and whether GitHub lists changes for it. */
const KINDS = {
  push: { record: 'status', hasChanges: true },
  tag: { record: 'status', hasChanges: true },
  release: { record: 'status', hasChanges: true },
  schedule: { record: 'status', hasChanges: true },
  workflow_dispatch: { record: 'status', hasChanges: true },
  workflow_run: { record: 'status', hasChanges: true },
  opened: { record: 'status', hasChanges: true },
  synchronize: { record: 'status', hasChanges: true },
  merged: { record: 'status', hasChanges: true },
  pull_request_target: { record: 'status', hasChanges: true },
  issues: { record: 'none', hasChanges: false },
  'command on an issue': { record: 'reply', hasChanges: false },
  'command on a pull request': { record: 'reply', hasChanges: true },
  'command in a review': { record: 'reply', hasChanges: true },
  'command on a docs pull request': { record: 'reply', hasChanges: false },
  review: { record: 'reply', hasChanges: false },
  'job-id': { record: 'none', hasChanges: false },
} as const
type Kind = keyof typeof KINDS
const ALL_KINDS = Object.keys(KINDS).filter((name): name is Kind => name in KINDS)

/** Requests that a run can't do without, and those that end it, beside all requests in their order. */
const PLACES = [
  /\/permission$/,
  /^GET .*\/pulls\/\d+$/,
  /^GET .*\/comments/,
  /^GET .*\/statuses/,
  /graphql/,
  /(?:StepStatuses|MergedPulls|PullState|TagStatuses|TagCommits|FollowedRefs)$/,
  /^GET .*\/(?:files|commits|compare|releases|git)\b/,
  /^POST .*\/(?:comments|replies)$/,
  /^(?:PATCH|POST) .*\/(?:comments|statuses|replies)\b/,
  /^POST \/statuses\//,
  /^POST \/statuses\//,
  /./,
]
/** Fields of queries that may fail alone. */
const FIELDS = [
  ...['status', 'history', 'context', 'associatedPullRequests', 'labels', 'reviews', 'commits'],
  ...['viewer', 'repository', 'pullRequest', 'timelineItems', 'ref', 'object', 'comments', 'oid'],
]
const NAMES = Object.keys(FAULTS).filter((name): name is FaultName => name in FAULTS)

/** A time in milliseconds; in so many of ten cases. */
const within = (max: number, weight: number) =>
  fc.oneof(
    { weight: 10 - weight, arbitrary: fc.constant(undefined) },
    { weight, arbitrary: fc.integer({ min: 0, max }) },
  )
const fault = fc.record({
  match: fc.constantFrom(...PLACES, /./, /./),
  end: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...NAMES) },
    { weight: 1, arbitrary: fc.constantFrom(...FIELDS).map((broken) => ({ broken })) },
  ),
  after: fc.oneof(
    { weight: 2, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 20 }) },
  ),
  /** How many requests it meets; `undefined`: all until GitHub recovers. */
  times: fc.constantFrom(undefined, undefined, undefined, 1, 2, 4),
})
const attempt = fc.record({
  /** Whether it is one of the run before, and not of a new run, which goes on with what is there. */
  isAgain: fc.boolean(),
  pauseMs: fc.constantFrom(0, 10_000, 120_000),
  faults: fc.array(fault, { minLength: 1, maxLength: 2 }),
  recoversAfterMs: within(130_000, 3),
  isWellInPost: fc.boolean(),
  cancelAtMs: within(40_000, 1),
  killAtMs: within(40_000, 2),
})
const story = fc.record({
  kind: fc.constantFrom(...ALL_KINDS),
  docsIn: fc.constantFrom('acme/docs', 'acme/docs', 'acme/guides'),
  /** Whether the step had a job before, whose docs pull request is open. */
  hasEarlierJob: fc.boolean(),
  inputs: fc.record({
    comment: fc.constantFrom('auto', 'auto', 'always', 'never'),
    wait: fc.constantFrom('true', 'true', 'false'),
    'follow-up': fc.constantFrom('true', 'true', 'true', 'false'),
    'dry-run': fc.constantFrom('false', 'false', 'false', 'false', 'true'),
    'pr-labels': fc.constantFrom('', 'docs'),
  }),
  attempts: fc.array(attempt, { minLength: 1, maxLength: 3 }),
})
type Drawn<T> = T extends fc.Arbitrary<infer Value> ? Value : never
type Story = Drawn<typeof story>
type Attempt = Drawn<typeof attempt>
type Inputs = Readonly<Record<string, string>>

const repository = { full_name: 'acme/docs', default_branch: 'main' }

/** What happens so that a run starts, with the line that it adds to a file. */
function happen(kind: Kind, { world, clock, docs }: Simulation, count: number) {
  const pull = world.pulls.get(PULL)
  if (pull === undefined) throw new Error(`There is no pull request ${PULL}.`)
  const line = `+option --flag-${count}`
  const file = { filename: 'src/cli.ts', additions: 1, deletions: 0, patch: `@@ -1 +1 @@\n${line}` }
  const change = { files: [{ ...file, status: 'modified' }] } as const
  const body = `/docs explain it, ${count}`
  const ofPull = (action: string): RunOptions => {
    const { sha } = pushToPull(world, pull, change)
    pull.files = [...pull.files, ...change.files]
    const made = pullRequest({ action, sender: author, pull: { ...pull.fields, number: PULL } })
    return { event: made, sha }
  }
  const onMain = (): string => {
    pushTo(world, change)
    return resolve(world, 'main')?.sha ?? ''
  }
  const docsPull = docs.jobs[0]?.pull?.number ?? 0
  const make = (): RunOptions => {
    switch (kind) {
      case 'push':
        return { event: pushTo(world, change) }
      case 'tag': {
        const sha = onMain()
        world.tags.set(`v1.${count}.0`, sha)
        const ref = `refs/tags/v1.${count}.0`
        const made = event('push', { ref, after: sha, created: true, before: '0'.repeat(40) })
        return { event: made, env: { GITHUB_REF: ref } }
      }
      case 'release': {
        const sha = onMain()
        const tag_name = `v1.${count}.0`
        world.tags.set(tag_name, sha)
        const release = { tag_name, published_at: time(clock.now()), body: 'Notes' }
        const env = { GITHUB_REF: `refs/tags/${tag_name}` }
        return { event: event('release', { action: 'published', release }), sha, env }
      }
      case 'workflow_run': {
        const head_sha = onMain()
        const run = { head_sha, head_branch: 'main', head_repository: repository, event: 'push' }
        const workflow_run = { ...run, conclusion: 'success' }
        return {
          event: event(kind, { action: 'completed', workflow_run, repository }),
          sha: head_sha,
        }
      }
      case 'schedule':
      case 'workflow_dispatch':
        return { sha: onMain(), event: { ...bareEvent(kind), payload: { repository } } }
      case 'opened':
      case 'synchronize':
        return ofPull(kind)
      case 'pull_request_target':
        return {
          ...ofPull('opened'),
          event: { ...pullRequest(), ...ofPull('opened').event, name: kind },
        }
      case 'merged': {
        pull.fields = { ...pull.fields, state: 'open', merged: false, merge_commit_sha: null }
        const { sha } = pushToPull(world, pull, change)
        pull.files = [...pull.files, ...change.files]
        mergePull(world, pull)
        const fields = { ...pull.fields, head: { ...pull.fields.head, sha }, number: PULL }
        return { event: pullRequest({ action: 'closed', sender: author, pull: fields }) }
      }
      case 'issues':
        return { event: newIssue({ author, number: ISSUE, body: 'It is wrong.' }) }
      case 'job-id':
        return { event: bareEvent('workflow_dispatch') }
      case 'command on an issue':
        return { event: commentIn(world, { number: ISSUE, author, body, onIssue: true }) }
      case 'command in a review': {
        ofPull('synchronize')
        const rootId = world.comments.find((one) => one.kind === 'review')?.id
        return { event: commentIn(world, { kind: 'review', number: PULL, author, body, rootId }) }
      }
      case 'command on a pull request':
        ofPull('synchronize')
        return { event: commentIn(world, { number: PULL, author, body }) }
      case 'command on a docs pull request':
        return { event: commentIn(world, { number: docsPull, author, body }) }
      case 'review': {
        const made = addReview(world, { number: docsPull, author, body: `Shorten it, ${count}.` })
        return { event: docsReview(made) }
      }
    }
  }
  return { line, options: make() }
}

/** What the step's statuses and replies record, as later runs read it. */
function recordsIn({ world: { statuses, comments } }: Simulation) {
  const inStatuses = statuses.map(({ target_url: target, sha, context }) => {
    const fields = new URLSearchParams((target ?? '').split('#')[1] ?? '')
    const read = (name: string): string => fields.get(name) ?? ''
    const own = { state: read('state'), job: read('own'), run: read('run') }
    return { kind: 'status', place: `${sha} ${context}`, ...own, attempt: read('attempt') }
  })
  const inComments = comments.flatMap(({ history, id }) => {
    const body = history.at(-1) ?? ''
    if (!body.startsWith('<!-- docs-agent')) return []
    const { kind, state, job, run } = markerIn(body)
    if (kind === 'source') return []
    // A status comment shows what the commit status records.
    const shown = kind === 'status' ? 'comment' : kind
    return [{ kind: shown, place: `${id}`, state, job, run, attempt: '' }]
  })
  return [...inStatuses, ...inComments]
}
type RecordOfRun = ReturnType<typeof recordsIn>[number]

/** The newest record at each place. */
function newestOf(records: readonly RecordOfRun[]): readonly RecordOfRun[] {
  return [...new Map(records.map((one) => [one.place, one])).values()]
}

/** What a run is about, and what was there before it. */
type Before = {
  readonly kind: Kind
  readonly inputs: Inputs
  readonly runId: number
  readonly attempt: number
  readonly line: string
  readonly records: readonly RecordOfRun[]
  /** Requests that Mintlify accepted, as this run's earlier attempts sent them. */
  readonly sentByRun: number
  readonly posts: number
  /** Jobs of the step that a record names and whose docs pull request is open. */
  readonly openJobs: readonly string[]
}

type Post = {
  readonly isCreate: boolean
  readonly prompt: string
  readonly records: readonly RecordOfRun[]
}

function isRecorded({ kind, inputs }: Pick<Before, 'kind' | 'inputs'>): boolean {
  const { record } = KINDS[kind]
  if (inputs['dry-run'] === 'true' || record === 'none') return false
  return record === 'reply' ? inputs['comment'] !== 'never' : inputs['follow-up'] === 'true'
}

/** A job or message comes after its record and with the changes, and at most once in all attempts of a run. */
function expectWholeRequests(sent: readonly Post[], before: Before): void {
  const { kind, inputs, runId, attempt, line, sentByRun, openJobs } = before
  expect(sent.length).toBeLessThanOrEqual(1)
  const [post] = sent
  if (post === undefined) return
  expect(inputs['dry-run']).toBe('false')
  expect(kind).not.toBe('job-id')
  if (isRecorded(before)) {
    expect(sentByRun).toBe(0)
    const { record } = KINDS[kind]
    const begun = newestOf(post.records).filter(
      (one) => one.kind === record && one.run === `${runId}` && one.state === 'pending',
    )
    expect(begun.map(({ job }) => job)).toEqual([''])
    if (record === 'status') expect(begun[0]?.attempt).toBe(`${attempt}`)
    if (inputs['follow-up'] === 'true' || kind === 'review')
      expect(post.isCreate ? openJobs : []).toEqual([])
  }
  const isCommand = KINDS[kind].record === 'reply'
  if (KINDS[kind].hasChanges && (post.isCreate || !isCommand)) expect(post.prompt).toContain(line)
}

const isAnnotation = (line: string): boolean => /^(?:error|warning|notice): /.test(line)

/** One cause has one annotation, and the result is the truth. */
function expectTruth(end: RunEnd, sent: readonly Post[], before: Before, of: Attempt): void {
  const { outputs, hasFailed, summary } = end
  const { result = '' } = outputs
  const annotations = [...end.log, ...end.post.log].filter(isAnnotation)
  const errors = annotations.filter((line) => line.startsWith('error: '))
  const ofGitHub = annotations.filter((line) => /^notice: The run continued/.test(line))
  expect(ofGitHub.length, annotations.join('\n')).toBeLessThanOrEqual(1)
  expect(errors.length, annotations.join('\n')).toBeLessThanOrEqual(1)
  expect(end.post.hasFailed).toBe(false)
  if (/^## ✅/.test(summary)) expect(summary).not.toContain('⚠️')
  const { cancelAtMs = Infinity, killAtMs = Infinity } = of
  expect(end.tookMs).toBeLessThanOrEqual(cancelAtMs + 5000)
  if (killAtMs <= end.tookMs) return
  expect(hasFailed).toBe(result === 'error' || result === 'cancelled')
  if (result === 'cancelled') expect(cancelAtMs).toBeLessThanOrEqual(end.tookMs)
  if (result === 'error') {
    expect(sent).toEqual([])
    expect(errors[0]).toMatch(/Nothing was started|This attempt started nothing/)
    expect(annotations).toEqual(errors)
  }
  if (before.inputs['dry-run'] === 'true')
    expect(['dry-run', 'error', 'cancelled', 'skipped']).toContain(result)
}

/** A run that starts nothing leaves the record as it is, or says that nothing was started. */
function expectRecordKept(
  simulation: Simulation,
  end: RunEnd,
  sent: readonly Post[],
  before: Before,
  isWell: boolean,
): void {
  const own = recordsIn(simulation).slice()
  const written = own.filter(
    (one) => one.run === `${before.runId}` && !before.records.some((old) => isSame(old, one)),
  )
  const isReply = KINDS[before.kind].record === 'reply'
  const states = newestOf(written)
    .filter(({ kind }) => (kind === 'reply') === isReply)
    .map(({ state }) => state)
  if (isWell) expect(states).not.toContain('pending')
  if (sent.length > 0) {
    const job = sent.length > 0 ? end.outputs['job-id'] || end.state['job-id'] || '' : ''
    expect(job).not.toBe('')
    if (isWell && isRecorded(before)) expect(newestOf(written).map((one) => one.job)).toContain(job)
    return
  }
  // Nothing was sent, so no later attempt may take it that something was.
  if (isWell) expect(states).not.toContain('error')
  const error = end.log.find((line) => line.startsWith('error: '))
  if (end.outputs['result'] !== 'error' || error === undefined) return
  if (!/set the commit status|write the comment/.test(error))
    expect(written.filter(({ kind }) => kind === 'status')).toEqual([])
}

function isSame(one: RecordOfRun, other: RecordOfRun): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

const ODD_WORDS =
  /undefined|TypeError|NaN|\[object|\bnull\b|not a function|Cannot read|unexpectedly/

function expectCleanTexts({ github, docs, world }: Simulation, end: RunEnd): void {
  const bodies = world.comments.flatMap(({ author: by, history }) =>
    by === ACTIONS ? history : [],
  )
  const targets = world.statuses.map((one) => `${one.description} ${one.target_url}`)
  const printed = [end.printed, end.post.printed].join('\n').replace(/^::add-mask::.*$/gm, '')
  const texts = [printed, end.summary, end.post.summary, ...bodies, ...targets]
  for (const text of texts) {
    expect(text.includes(github.token) || text.includes(docs.key)).toBe(false)
  }
  for (const line of [...end.log, ...end.post.log].filter(isAnnotation))
    expect(line).not.toMatch(ODD_WORDS)
}

/** What was begun is finished. */
function expectAllFinished({ world }: Simulation, runId: number): void {
  const ours = world.comments.filter((one) => one.author === ACTIONS)
  const waiting = ours.filter(({ history }) => {
    const body = history.at(-1) ?? ''
    return body.includes('This comment will show') && markerIn(body).run === `${runId}`
  })
  expect(waiting.map(({ history }) => history)).toEqual([])
}

/** Whether a first write or a lookup that fails like this may have succeeded at GitHub, or says nothing of the record. */
async function startStory({ kind, docsIn, inputs, hasEarlierJob }: Story) {
  const posts: Post[] = []
  const onDocs = kind === 'review' || kind === 'command on a docs pull request'
  const simulation: Simulation = await startSimulation(onDocs ? 'acme/docs' : docsIn, {
    onAnswer({ method, path, body }, reply) {
      if (method !== 'POST' || reply === undefined || reply.status >= 300) return
      const { prompt } = body as { readonly prompt: string }
      const isCreate = path.endsWith('/job')
      posts.push({ isCreate, prompt, records: recordsIn(simulation) })
    },
  })
  const { world } = simulation
  world.roles.set('octocat', MAY_WRITE)
  addPull(world, { number: PULL, head: { ref: 'flag' }, files: ['src/old.ts'] })
  world.issues.add(ISSUE)
  world.tags.set('v1.0.0', resolve(world, 'main')?.sha ?? '')
  const isCommand = KINDS[kind].record === 'reply'
  const prompt = isCommand || kind === 'job-id' ? '' : 'Document it.'
  const given = { ...inputs, context: 'diff', prompt }
  if (onDocs)
    await simulation.run({
      event: pushTo(world, { files: ['src/cli.ts'] }),
      inputs: { context: 'files' },
    })
  if (kind === 'job-id')
    await simulation.run({ event: bareEvent('workflow_dispatch'), inputs: { wait: 'false' } })
  if (hasEarlierJob && !onDocs && kind !== 'job-id') {
    const clean = { ...given, wait: 'true', 'dry-run': 'false' }
    await simulation.run({ ...happen(kind, simulation, 1).options, inputs: clean })
  }
  const jobId = simulation.docs.jobs[0]?.id ?? ''
  return { simulation, posts, inputs: { ...given, ...(kind === 'job-id' && { 'job-id': jobId }) } }
}

/** One attempt, with its main and its post step, and what holds for it whatever GitHub does. */
async function play(
  { simulation, posts }: Awaited<ReturnType<typeof startStory>>,
  options: RunOptions,
  of: Attempt,
  before: Before,
): Promise<{ readonly end: RunEnd; readonly sent: readonly Post[] }> {
  const { clock, github } = simulation
  const faults = of.faults.map(({ times, ...one }): GitHubFault => {
    const match =
      typeof one.end === 'object' || /^(?:data-null|partial)$/.test(one.end) ? /graphql/ : one.match
    return { ...one, match, ...(times && { times }) }
  })
  github.faults.splice(0, Infinity, ...faults)
  const recover = (): void => void github.faults.splice(0)
  const startedAtMs = clock.now()
  if (of.recoversAfterMs !== undefined) clock.at(startedAtMs + of.recoversAfterMs, recover)
  let isWell = of.isWellInPost
  const beforePost = (): void => {
    if (of.isWellInPost) recover()
    isWell = github.faults.every(({ times }) => times === 0)
  }
  const end = await simulation.run({ ...options, ...of, beforePost })
  recover()
  const sent = posts.slice(before.posts)
  expectWholeRequests(sent, before)
  expectTruth(end, sent, before, of)
  expectRecordKept(simulation, end, sent, before, isWell)
  if (isWell) expectAllFinished(simulation, before.runId)
  expectCleanTexts(simulation, end)
  return { end, sent }
}

/** A GitHub without faults. */
const WELL: Attempt = {
  ...{ isAgain: true, pauseMs: 0, faults: [], isWellInPost: true },
  ...{ recoversAfterMs: undefined, cancelAtMs: undefined, killAtMs: undefined },
}

it('a failing GitHub means no job without its record and its changes, one annotation, and no second job', async () => {
  const property = fc.asyncProperty(story, async (drawn) => {
    const { kind, attempts } = drawn
    const scene = await startStory(drawn)
    const { simulation, posts, inputs } = scene
    let [runId, attemptNumber, sentByRun, count] = [5000, 1, 0, 1]
    let made = happen(kind, simulation, ++count)
    for (const [index, of] of [...attempts, WELL, { ...WELL, isAgain: false }].entries()) {
      await simulation.clock.sleep(of.pauseMs)
      const isAgain = of.isAgain && index > 0
      if (!isAgain && index > 0) made = happen(kind, simulation, ++count)
      ;[runId, attemptNumber] = isAgain ? [runId, attemptNumber + 1] : [runId + 1, 1]
      if (!isAgain) sentByRun = 0
      const records = recordsIn(simulation)
      const { record } = KINDS[kind]
      const isOfKind = (one: RecordOfRun): boolean => one.kind === record
      const named = newestOf(records.filter(isOfKind)).map(({ job }) => job)
      const open = simulation.docs.jobs.filter(({ pull }) => pull?.state === 'open')
      const openJobs = open.map(({ id }) => id).filter((id) => named.includes(id))
      const about = { kind, inputs, runId, attempt: attemptNumber, line: made.line }
      const before: Before = { ...about, records, sentByRun, posts: posts.length, openJobs }
      const options = { ...made.options, inputs, runId, attempt: attemptNumber }
      const { end, sent } = await play(scene, options, of, before)
      sentByRun += sent.length
      if (of.faults.length === 0 && !isAgain)
        expect([end.outputs['result'], end.hasFailed], end.log.join('\n')).toEqual([
          expect.stringMatching(/^(?:pull-request|no-pull-request|submitted|skipped|dry-run)$/),
          false,
        ])
    }
    await simulation.close()
  })
  const { FAILING_RUNS = 25, FAILING_SEED = 2026 } = process.env
  await fc.assert(property, {
    numRuns: Number(FAILING_RUNS),
    seed: Number(FAILING_SEED),
    endOnFailure: process.env['FAILING_SEED'] !== undefined,
  })
}, 3_600_000)

const needs = itWithScene()
const PROMPT = { prompt: 'Document it.' }
const LOOKUPS = ['StepStatuses', 'MergedPulls', '/compare/']

needs.for([
  { name: 'is unavailable', end: '502', tries: 10, tookS: 117 },
  { name: 'answers with a part', end: { broken: 'repository' }, tries: 10, tookS: 117 },
  { name: 'asks to wait for 15 s', end: retryAfter('15'), tries: 8, tookS: 105 },
  { name: 'asks to wait for 16 s', end: retryAfter('16'), tries: 1, tookS: 0 },
  { name: 'does not answer', end: 'hang', tries: 6, tookS: 117 },
  { name: 'rejects the request', end: '403', tries: 1, tookS: 0 },
] as const)(
  'a needed lookup is repeated for two minutes if GitHub $name',
  async (row, { scene }) => {
    for (const place of LOOKUPS) {
      if (typeof row.end === 'object' && 'broken' in row.end && place === '/compare/') continue
      scene.github.faults.splice(0, Infinity, { match: new RegExp(place), end: row.end })
      const end = await scene.tell(pushTo(scene.world), { inputs: { ...PROMPT, context: 'diff' } })
      expect(end).toMatchObject({
        outputs: { result: 'error' },
        calls: [],
        tookMs: row.tookS * 1000,
      })
      expect(end.requests.filter((line) => line.includes(place))).toHaveLength(row.tries)
    }
  },
)

function retryAfter(seconds: string) {
  return { status: 403, body: { message: 'Wait.' }, headers: { 'retry-after': seconds } }
}

needs('a run that was killed before it sent anything is started by a re-run', async ({ scene }) => {
  const told = { runId: 1001, inputs: PROMPT }
  const event = pushTo(scene.world)
  scene.github.faults.push({ match: /^POST \/statuses\//, end: '502', times: 1 })
  await scene.tell(event, { ...told, killAtMs: 1000 })
  expect((await scene.tell(event, { ...told, attempt: 2 })).calls[0]).toBe('POST /job')
})

needs(
  'a re-run that can not read the record starts no job, without `follow-up`, too',
  async ({ scene }) => {
    const told = { runId: 1001, inputs: { ...PROMPT, 'follow-up': 'false' } }
    const event = pushTo(scene.world)
    await scene.tell(event, { ...told, end: 'submitted' })
    scene.github.faults.push({ match: /\/statuses$/, end: '502' })
    const again = await scene.tell(event, { ...told, attempt: 2 })
    expect(again).toMatchObject({ outputs: { result: 'error' }, calls: [] })
  },
)

needs(
  'a docs pull request that may be approved is not updated if its reviews can not be read',
  async ({ scene }) => {
    await scene.tell(pushTo(scene.world), { end: 'pull-request', inputs: PROMPT })
    scene.github.faults.push({ match: /PullState/, end: { broken: 'reviews' } })
    const { outputs, calls } = await scene.tell(pushTo(scene.world), { inputs: PROMPT })
    expect(outputs['result']).toBe('error')
    expect(calls).toEqual(['GET /job/job_1'])
  },
)

needs('a record that could not move on is moved by the post step', async ({ scene }) => {
  const { github, world, statuses } = scene
  await scene.tell(pushTo(world, { files: ['src/a.ts'] }), { inputs: PROMPT })
  const before = statuses().length
  github.faults.push({ match: /^POST \/statuses\//, end: '502' })
  const beforePost = () => void github.faults.splice(0)
  const event = pushTo(world, { files: ['test/a.test.ts'] })
  const { outputs } = await scene.tell(event, { inputs: PROMPT, beforePost })
  expect(outputs['result']).toBe('skipped')
  expect(statuses()).toHaveLength(before + 1)
})

needs(
  'a permission that can not be read has one annotation, if no reaction works, too',
  async ({ scene }) => {
    scene.github.faults.push({ match: /./, end: '502' })
    const { log, post } = await scene.ask()
    expect([...log, ...post.log].filter(isAnnotation)).toEqual([
      expect.stringMatching(/^warning: /),
    ])
  },
)

needs(
  'a record that can not be written starts nothing, with one annotation in both steps',
  async ({ scene }) => {
    scene.github.faults.push({ match: /^POST \/statuses\//, end: '502' })
    const { calls, log, post } = await scene.tell(pushTo(scene.world), { inputs: PROMPT })
    expect(calls).toEqual([])
    expect([...log, ...post.log].filter(isAnnotation)).toEqual([expect.stringMatching(/^error: /)])
  },
)

needs('a record that can not be finished has one notice in both steps', async ({ scene }) => {
  scene.github.faults.push({ match: /^POST \/statuses\//, end: '502', after: 1 })
  const { log, post } = await scene.tell(pushTo(scene.world), { inputs: PROMPT })
  const annotations = [...log, ...post.log].filter(isAnnotation)
  expect(annotations.filter((line) => line.includes('502'))).toHaveLength(1)
})

needs(
  'a run that was killed while Mintlify was asked is not started by a re-run',
  async ({ scene }) => {
    const told = { runId: 1001, inputs: PROMPT }
    const event = pushTo(scene.world)
    const replies = { post: [{ takesMs: 20_000 }] }
    await scene.tell(event, { ...told, replies, killAtMs: 5000 })
    expect((await scene.tell(event, { ...told, attempt: 2 })).calls).toEqual([])
  },
)
