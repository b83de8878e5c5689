import { describe, expect, test } from 'vitest'
import { type Decision, type Scene, type Start, sceneStarter } from '../support/decisions.ts'
import { bareEvent, type Event, event, pullRequest, pushOf, pushTo } from '../support/events.ts'
import {
  AFTER,
  addCommit,
  addPull,
  addStatus,
  BEFORE,
  mergePull,
  person,
  pushToPull,
  type World,
} from '../support/world.ts'

const it = test.extend('scene', sceneStarter()).extend('world', ({ scene }) => scene.world)
const CONTEXT = 'Docs agent: docs (docs.yml, docs, agent)'
const PROMPT = { prompt: 'Document it.' }
const REST = 'GET /actions/workflows/docs.yml/runs'
const GRAPHQL = 'POST /graphql History'
const schedule = bareEvent('schedule')
const onBefore = { env: { GITHUB_SHA: BEFORE } }

function decideIn({ decide }: Scene, made: Event, start: Partial<Start> = {}): Promise<Decision> {
  return decide({ event: made, inputs: PROMPT, ...start })
}

describe('what GitHub is asked', () => {
  const opened = pullRequest({ action: 'synchronize' })
  const commits = [{ id: AFTER, message: 'Add a flag', author: { username: 'octocat' } }]
  const push = (change: object): Event => ({
    name: 'push',
    payload: { ref: 'refs/heads/main', before: BEFORE, after: AFTER, commits, ...change },
  })
  const pushed = push({})
  const tag = push({ ref: 'refs/tags/v1', created: true, before: '0'.repeat(40), commits: [] })
  const BOTH = [REST, GRAPHQL]
  // With the defaults, without memory, without context, without both, without a prompt.
  const SETTINGS = [
    PROMPT,
    { ...PROMPT, 'follow-up': 'false' },
    { ...PROMPT, context: 'none' },
    { ...PROMPT, 'follow-up': 'false', context: 'none' },
    { 'visitors-summary': 'true' },
  ]

  it.for<[string, Event, string[][]]>([
    ['push', pushed, [[GRAPHQL], [GRAPHQL], [GRAPHQL], [GRAPHQL], [GRAPHQL]]],
    ['push of a tag', tag, [[GRAPHQL], [], [GRAPHQL], [], []]],
    ['schedule', schedule, [BOTH, [REST], BOTH, [], []]],
    ['workflow_dispatch', bareEvent('workflow_dispatch'), [BOTH, [REST], BOTH, [], []]],
    ['repository_dispatch', bareEvent('repository_dispatch'), [BOTH, [REST], BOTH, [], []]],
    ['release', event('release'), [[GRAPHQL], [], [GRAPHQL], [], []]],
    ['pull_request', opened, [[GRAPHQL], [], [GRAPHQL], [], []]],
    ['merge_group', event('merge_group'), [[], [], [], [], []]],
  ])('on %s, with less and less to know', async ([_name, made, requests], { scene }) => {
    const asked: string[][] = []
    for (const inputs of SETTINGS) asked.push((await decideIn(scene, made, { inputs })).requests)
    expect(asked).toEqual(requests)
  })

  const job = { ...PROMPT, 'job-id': 'job_1' }
  const rerun = { GITHUB_RUN_ATTEMPT: '2' }
  const without = { ...PROMPT, context: 'none' }
  const nonsense = push({ commits: [{ id: '") { x', message: 'x (#12345678901)' }] })
  it.for<[string, Event, Partial<Start>, string[]]>([
    ['where a job is named', schedule, { inputs: job }, BOTH],
    ['where a job is named, without context', schedule, { inputs: { ...job, context: 'none' } }, []],
    ['where a job is named for a pull request', opened, { inputs: job }, []],
    ['where a schedule runs again', schedule, { inputs: without, env: rerun }, [GRAPHQL]],
    ['where a schedule is on no branch', schedule, { env: { GITHUB_REF: 'refs/tags/v1' } }, [GRAPHQL]],
    ["where the run's commit is no SHA", pushed, { env: { GITHUB_SHA: 'HEAD' } }, [GRAPHQL]],
    ['where nothing is a SHA or number', nonsense, { env: { GITHUB_SHA: '") { x' } }, []],
  ])('is less %s', async ([_where, made, start, requests], { scene }) => {
    expect(await decideIn(scene, made, start)).toMatchObject({ result: 'goes on', requests })
  })
})

/** The step's job, as a status on a commit says it. */
function remember(world: World, sha: string, jobId: string, state = 'success', change: object = {}): void {
  addStatus(world, sha, {
    context: CONTEXT,
    state,
    description: `Pull request ready for review (${jobId})`,
    target_url: 'https://github.com/acme/docs/pull/7',
    ...change,
  })
}

/** The jobs of the statuses that were found; or why they are not known. */
function jobsIn({ history }: Decision): readonly string[] | string | undefined {
  const statuses = history?.statuses
  return statuses?.known === false ? statuses.why : statuses?.value.map(({ jobId }) => jobId)
}

/** Adds commits, a second apart; their SHAs. */
async function addCommits({ world, clock }: Scene, count: number): Promise<string[]> {
  const shas: string[] = []
  for (let index = 0; index < count; index++) {
    await clock.sleep(1000)
    shas.push(addCommit(world).sha)
  }
  return shas
}

describe("the step's statuses", () => {
  it('are those of this step and of our own account, newest commit first', async ({ scene, world }) => {
    const [first = '', second = '', third = '', fourth = ''] = await addCommits(scene, 4)
    remember(world, first, 'job_first')
    remember(world, second, 'job_foreign', 'success', { creator: person('stranger') })
    remember(world, second, 'job_of_another_step', 'success', { context: `${CONTEXT.slice(0, -1)}2)` })
    remember(world, third, 'job_before')
    remember(world, third, 'job_third', 'failure')
    remember(world, fourth, 'job_fourth', 'pending')
    const { history } = await decideIn(scene, schedule, { env: { GITHUB_SHA: fourth } })
    const targetUrl = 'https://github.com/acme/docs/pull/7'
    const createdAtMs = Date.UTC(2026, 0, 5, 0, 0, 4)
    expect(history?.statuses).toMatchObject({
      known: true,
      value: [
        { sha: fourth, jobId: 'job_fourth', state: 'pending' },
        { sha: third, jobId: 'job_third', state: 'failure' },
        { sha: first, jobId: 'job_first', state: 'success', targetUrl, createdAtMs },
      ],
    })
    expect(history?.lastJob).toMatchObject({ known: true, value: { sha: first } })
  })

  it('are looked for on 100 commits, and on that of the last success here', async ({ scene, world }) => {
    const [old = '', ...later] = await addCommits(scene, 101)
    remember(world, old, 'job_old')
    const start = { env: { GITHUB_SHA: later.at(-1) ?? '' } }
    expect(jobsIn(await decideIn(scene, schedule, start))).toEqual([])
    const run = { workflow: 'docs.yml', head_branch: 'main', conclusion: 'success', html_url: 'https://x/1' }
    const ofFork = { ...run, head_sha: BEFORE, head_repository: { full_name: 'stranger/docs' } }
    world.runs.push(ofFork, { ...run, head_sha: old, head_repository: { full_name: 'acme/docs' } })
    const decision = await decideIn(scene, schedule, start)
    expect(jobsIn(decision)).toEqual(['job_old'])
    const value = { sha: old, url: 'https://x/1' }
    expect(decision.history?.lastSuccess).toMatchObject({ known: true, value })
  })

  it('are those of what a forced push replaced, too', async ({ scene, world }) => {
    const replaced = addCommit(world).sha
    remember(world, replaced, 'job_replaced')
    addCommit(world, { parents: [BEFORE] })
    expect(jobsIn(await decideIn(scene, pushOf(world, replaced)))).toEqual(['job_replaced'])
  })

  it('leave out those of the pushed commits where a job is looked for to compare with', async ({
    scene,
    world,
  }) => {
    const before = addCommit(world).sha
    remember(world, before, 'job_before')
    await scene.clock.sleep(1000)
    const made = pushTo(world)
    remember(world, world.branches.get('main') ?? '', 'job_of_the_push')
    const decision = await decideIn(scene, made)
    expect(jobsIn(decision)).toEqual(['job_of_the_push', 'job_before'])
    expect(decision.history?.lastJob).toMatchObject({ value: { jobId: 'job_before' } })
  })

  it('are those of a pull request, forced pushes too, and of its merge', async ({ scene, world }) => {
    const next = () => scene.clock.sleep(1000)
    remember(world, BEFORE, 'job_of_the_base')
    await next()
    const pull = addPull(world, { number: 5, user: person('octocat') })
    remember(world, pull.commits[0] ?? '', 'job_first')
    await next()
    remember(world, pushToPull(world, pull).sha, 'job_second')
    await next()
    pushToPull(world, pull)
    await next()
    remember(world, pushToPull(world, pull, { force: true }).sha, 'job_forced')
    const made = pullRequest({ action: 'synchronize' })
    expect(jobsIn(await decideIn(scene, made))).toEqual(['job_forced', 'job_second', 'job_first'])
    await next()
    const merge = mergePull(world, pull).at(-1) ?? ''
    remember(world, merge, 'job_of_the_merge')
    const closed = pullRequest({ action: 'closed', pull: { merged: true, merge_commit_sha: merge } })
    expect(jobsIn(await decideIn(scene, closed))?.[0]).toBe('job_of_the_merge')
  })
})

describe('what can not be told', () => {
  it.for([
    ['502', 'GitHub returned 502 ("Server Error")'],
    ['empty', 'GitHub returned 200 without a readable body'],
    ['data-null', 'GitHub returned "Something went wrong"'],
    ['partial', 'GitHub returned "Something went wrong while executing your query."'],
    [
      '401',
      'GitHub refused `github-token` (401, "Bad credentials"): it is invalid or has expired; the token of a GitHub App expires after one hour',
    ],
  ] as const)('is never none: GitHub answers %s', async ([end, why], { scene }) => {
    scene.github.faults.push({ match: /graphql/, end })
    const decision = await decideIn(scene, schedule, onBefore)
    expect(decision.history).toMatchObject({ statuses: { why }, lastJob: { known: false, why } })
    const level = end === '401' ? 'warning' : 'notice'
    expect(decision.logged).toEqual([
      expect.stringContaining(`${level}: Failed to read the commits' statuses and pull requests: ${why}.`),
    ])
  })

  it('is a commit that GitHub does not know', async ({ scene }) => {
    const env = { GITHUB_SHA: 'c'.repeat(40) }
    expect(jobsIn(await decideIn(scene, schedule, { env }))).toBe('GitHub does not know the commit')
  })

  it("is the workflow's last success, said where it is needed", async ({ scene }) => {
    scene.github.faults.push({ match: /\/runs$/, end: '403' })
    const decision = await decideIn(scene, schedule, onBefore)
    const lastSuccess = { known: false, why: 'GitHub returned 403 ("Forbidden")' }
    expect(decision.history).toMatchObject({ lastSuccess })
    expect(decision.logged).toEqual([expect.stringMatching(/^notice: .*`actions: read`/)])
    remember(scene.world, BEFORE, 'job_1')
    const further = await decideIn(scene, schedule, onBefore)
    expect(further).toMatchObject({ logged: [], history: { lastJob: { value: { jobId: 'job_1' } } } })
    for (const end of ['empty', { status: 200, body: { workflow_runs: 'x' } }] as const) {
      scene.github.faults.splice(0, 1, { match: /\/runs$/, end })
      const odd = await decideIn(scene, schedule, onBefore)
      expect(odd.history?.lastSuccess).toMatchObject({ known: false })
    }
    scene.github.faults.splice(0, 1, {
      match: /\/runs$/,
      end: { status: 200, body: { workflow_runs: [null] } },
    })
    const none = await decideIn(scene, schedule, onBefore)
    expect(none.history?.lastSuccess).toEqual({ known: true, value: undefined })
  })

  it('is a status that the token may not read, named once with its permission', async ({ scene }) => {
    scene.world.scopes.delete('statuses: write')
    const decision = await decideIn(scene, schedule, onBefore)
    expect(jobsIn(decision)).toMatch(/Resource not accessible/)
    expect(decision.logged).toEqual([expect.stringMatching(/^notice: .*`statuses: write`/)])
  })
})

it('the merged pull requests of a push are those of its 20 newest commits', async ({ scene, world }) => {
  const before = world.branches.get('main') ?? ''
  const shas = await addCommits(scene, 25)
  const { history } = await decideIn(scene, pushOf(world, before))
  expect(new Set(history?.merged.keys())).toEqual(new Set(shas.slice(5)))
})
