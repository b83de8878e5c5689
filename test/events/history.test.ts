import { describe, expect, it } from 'vitest'
import { type Decision, type Scene, type Start, sceneStarter } from '../support/decisions.ts'
import { bareEvent, type Event, event, pullRequest, pushOf, pushTo } from '../support/events.ts'
import {
  AFTER,
  addCommit,
  addPull,
  addStatus,
  BEFORE,
  bot,
  mergePull,
  person,
  pushToPull,
  type World,
} from '../support/world.ts'

const newScene = sceneStarter()
const CONTEXT = 'Docs agent: docs (docs.yml, docs, agent)'
const PROMPT = { prompt: 'Document it.' }
const REST = 'GET /actions/workflows/docs.yml/runs'
const GRAPHQL = 'POST /graphql History'
const octocat = person('octocat')

describe('what GitHub is asked', () => {
  const opened = pullRequest({ action: 'synchronize' })
  const tag: Event = {
    name: 'push',
    payload: { ref: 'refs/tags/v1', created: true, before: '0'.repeat(40), after: AFTER, commits: [] },
  }
  const pushed: Event = {
    name: 'push',
    payload: {
      ref: 'refs/heads/main',
      before: BEFORE,
      after: AFTER,
      commits: [{ id: AFTER, message: 'Add a flag', author: { username: 'octocat' } }],
    },
  }
  // With the defaults, without memory, without context, without both, without a prompt.
  const TABLE: readonly (readonly [name: string, made: Event, requests: readonly (readonly string[])[]])[] = [
    ['push', pushed, [[GRAPHQL], [GRAPHQL], [GRAPHQL], [GRAPHQL], [GRAPHQL]]],
    ['push of a tag', tag, [[GRAPHQL], [], [GRAPHQL], [], []]],
    ['schedule', bareEvent('schedule'), [[REST, GRAPHQL], [REST], [REST, GRAPHQL], [], []]],
    ['workflow_dispatch', bareEvent('workflow_dispatch'), [[REST, GRAPHQL], [REST], [REST, GRAPHQL], [], []]],
    [
      'repository_dispatch',
      bareEvent('repository_dispatch'),
      [[REST, GRAPHQL], [REST], [REST, GRAPHQL], [], []],
    ],
    ['release', event('release'), [[GRAPHQL], [], [GRAPHQL], [], []]],
    ['pull_request', opened, [[GRAPHQL], [], [GRAPHQL], [], []]],
    ['merge_group', event('merge_group'), [[], [], [], [], []]],
    ['deployment', event('deployment'), [[], [], [], [], []]],
  ]
  const SETTINGS: readonly Readonly<Record<string, string>>[] = [
    PROMPT,
    { ...PROMPT, 'follow-up': 'false' },
    { ...PROMPT, context: 'none' },
    { ...PROMPT, 'follow-up': 'false', context: 'none' },
    { 'visitors-summary': 'true' },
  ]

  it.each(TABLE)('on %s, with less and less to know', async (_name, made, requests) => {
    const asked: (readonly string[])[] = []
    for (const inputs of SETTINGS) {
      const { decide } = await newScene()
      asked.push((await decide({ event: made, inputs })).requests)
    }
    expect(asked).toEqual(requests)
  })

  it('is less where a job is named, where a schedule runs again, and where nobody is ignored', async () => {
    const asked = async (start: Start): Promise<readonly string[]> => {
      const { decide } = await newScene()
      return (await decide(start)).requests
    }
    const job = { ...PROMPT, 'job-id': 'job_1' }
    const schedule = bareEvent('schedule')
    expect(await asked({ event: schedule, inputs: job })).toEqual([REST, GRAPHQL])
    expect(await asked({ event: schedule, inputs: { ...job, context: 'none' } })).toEqual([])
    expect(await asked({ event: opened, inputs: job })).toEqual([])
    const rerun = { GITHUB_RUN_ATTEMPT: '2' }
    const without = { ...PROMPT, context: 'none' }
    expect(await asked({ event: schedule, inputs: without, env: rerun })).toEqual([GRAPHQL])
    expect(await asked({ event: schedule, inputs: PROMPT, env: { GITHUB_REF: 'refs/tags/v1' } })).toEqual([
      GRAPHQL,
    ])
    const nobody = { ...without, 'follow-up': 'false', 'ignore-authors': '' }
    expect(await asked({ event: pushed, inputs: nobody })).toEqual([])
    expect(await asked({ event: pushed, inputs: PROMPT, env: { GITHUB_SHA: 'HEAD' } })).toEqual([GRAPHQL])
  })

  it('is nothing that is no SHA or number', async () => {
    const { decide } = await newScene()
    const made: Event = {
      name: 'push',
      payload: { ref: 'refs/heads/main', commits: [{ id: '") { x', message: 'x (#12345678901)' }] },
    }
    const decision = await decide({ event: made, inputs: PROMPT, env: { GITHUB_SHA: '") { x' } })
    expect(decision).toMatchObject({ result: 'goes on', requests: [] })
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

async function decideIn({ decide }: Scene, made: Event, start: Partial<Start> = {}): Promise<Decision> {
  return await decide({ event: made, inputs: PROMPT, ...start })
}

/** The jobs of the statuses that were found; or why they are not known. */
function jobsIn({ history }: Decision): readonly string[] | string | undefined {
  const statuses = history?.statuses
  return statuses?.known === false ? statuses.why : statuses?.value.map(({ jobId }) => jobId)
}

describe("the step's statuses", () => {
  it('are those of this step and of our own account, newest commit first', async () => {
    const scene = await newScene()
    const { world, clock } = scene
    const shas: string[] = []
    for (let index = 0; index < 4; index++) {
      await clock.sleep(1000)
      shas.push(addCommit(world).sha)
    }
    const [first = '', second = '', third = '', fourth = ''] = shas
    remember(world, first, 'job_first')
    remember(world, second, 'job_foreign', 'success', { creator: person('stranger') })
    remember(world, second, 'job_of_another_step', 'success', { context: `${CONTEXT.slice(0, -1)}2)` })
    remember(world, third, 'job_before')
    remember(world, third, 'job_third', 'failure')
    remember(world, fourth, 'job_fourth', 'pending')
    const decision = await decideIn(scene, bareEvent('schedule'), { env: { GITHUB_SHA: fourth } })
    expect(decision.history?.statuses).toEqual({
      known: true,
      value: [
        expect.objectContaining({ sha: fourth, jobId: 'job_fourth', state: 'pending' }),
        expect.objectContaining({ sha: third, jobId: 'job_third', state: 'failure' }),
        expect.objectContaining({
          sha: first,
          jobId: 'job_first',
          state: 'success',
          targetUrl: 'https://github.com/acme/docs/pull/7',
          createdAtMs: Date.UTC(2026, 0, 5, 0, 0, 4),
        }),
      ],
    })
    expect(decision.history?.lastJob).toMatchObject({ known: true, value: { sha: first } })
  })

  it('are looked for on 100 commits, and on that of the last success of this workflow on this branch', async () => {
    const scene = await newScene()
    const { world, clock } = scene
    const old = addCommit(world).sha
    remember(world, old, 'job_old')
    for (let index = 0; index < 100; index++) {
      await clock.sleep(1000)
      addCommit(world)
    }
    const env = { GITHUB_SHA: world.branches.get('main') ?? '' }
    expect(jobsIn(await decideIn(scene, bareEvent('schedule'), { env }))).toEqual([])
    const run = { workflow: 'docs.yml', head_branch: 'main', conclusion: 'success', html_url: 'https://x/1' }
    const own = { ...run, head_sha: old, head_repository: { full_name: 'acme/docs' } }
    world.runs.push({ ...run, head_sha: BEFORE, head_repository: { full_name: 'stranger/docs' } }, own)
    const decision = await decideIn(scene, bareEvent('schedule'), { env })
    expect(jobsIn(decision)).toEqual(['job_old'])
    expect(decision.history?.lastSuccess).toMatchObject({
      known: true,
      value: { sha: old, url: 'https://x/1' },
    })
  })

  it('are those of what a forced push replaced, too', async () => {
    const scene = await newScene()
    const { world } = scene
    const replaced = addCommit(world).sha
    remember(world, replaced, 'job_replaced')
    addCommit(world, { parents: [BEFORE] })
    const decision = await decideIn(scene, pushOf(world, replaced))
    expect(jobsIn(decision)).toEqual(['job_replaced'])
  })

  it('leave out those of the pushed commits where a job is looked for to compare with', async () => {
    const scene = await newScene()
    const { world, clock } = scene
    const before = addCommit(world).sha
    remember(world, before, 'job_before')
    await clock.sleep(1000)
    const made = pushTo(world)
    remember(world, world.branches.get('main') ?? '', 'job_of_the_push')
    const decision = await decideIn(scene, made)
    expect(jobsIn(decision)).toEqual(['job_of_the_push', 'job_before'])
    expect(decision.history?.lastJob).toMatchObject({ value: { jobId: 'job_before' } })
  })

  it('are those of a pull request and its merge, forced pushes included, and not those of its base', async () => {
    const scene = await newScene()
    const { world, clock } = scene
    const next = async (): Promise<void> => await clock.sleep(1000)
    remember(world, BEFORE, 'job_of_the_base')
    await next()
    const pull = addPull(world, { number: 5, user: octocat })
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
  it.each([
    ['502', 'GitHub returned 502 ("Server Error")'],
    ['html', 'GitHub returned 200 without a readable body'],
    ['empty', 'GitHub returned 200 without a readable body'],
    ['data-null', 'GitHub returned "Something went wrong"'],
    ['partial', 'GitHub returned "Something went wrong while executing your query."'],
    ['401', 'GitHub returned 401 ("Bad credentials")'],
  ] as const)('is never none: GitHub answers %s', async (end, why) => {
    const scene = await newScene()
    scene.github.faults.push({ match: /graphql/, end })
    const decision = await decideIn(scene, bareEvent('schedule'), { env: { GITHUB_SHA: BEFORE } })
    expect(jobsIn(decision)).toBe(why)
    expect(decision.history?.lastJob).toEqual({ known: false, why })
    expect(decision.logged).toEqual([expect.stringContaining(`notice: Failed to read the commits' statuses`)])
  })

  it('is told apart from what came beside an error', async () => {
    const scene = await newScene()
    const { world, github } = scene
    remember(world, BEFORE, 'job_1')
    github.faults.push({ match: /graphql/, end: { broken: 'viewer' } })
    const env = { GITHUB_SHA: BEFORE }
    expect(jobsIn(await decideIn(scene, bareEvent('schedule'), { env }))).toMatch(/^GitHub/)
    github.faults.splice(0, 1, { match: /graphql/, end: { broken: 'associatedPullRequests' } })
    const made = pushTo(world)
    expect(jobsIn(await decideIn(scene, made))).toEqual(['job_1'])
  })

  it('is a commit that GitHub does not know', async () => {
    const scene = await newScene()
    const decision = await decideIn(scene, bareEvent('schedule'), { env: { GITHUB_SHA: 'c'.repeat(40) } })
    expect(jobsIn(decision)).toBe('GitHub does not know the commit')
  })

  it("is the workflow's last success, said where it is needed", async () => {
    const scene = await newScene()
    const { world } = scene
    world.scopes.delete('actions: read')
    scene.github.faults.push({ match: /\/runs$/, end: '403' })
    const env = { GITHUB_SHA: BEFORE }
    const decision = await decideIn(scene, bareEvent('schedule'), { env })
    expect(decision.history?.lastSuccess).toMatchObject({
      known: false,
      why: 'GitHub returned 403 ("Forbidden")',
    })
    expect(decision.logged).toEqual([expect.stringMatching(/^notice: .*`actions: read`/)])
    remember(world, BEFORE, 'job_1')
    const further = await decideIn(scene, bareEvent('schedule'), { env })
    expect(further).toMatchObject({ logged: [], history: { lastJob: { value: { jobId: 'job_1' } } } })
    scene.github.faults.splice(0, 1, { match: /\/runs$/, end: 'empty' })
    const empty = await decideIn(scene, bareEvent('schedule'), { env })
    expect(empty.history?.lastSuccess).toMatchObject({ known: false })
  })

  it('is a status that the token may not read, named once with its permission', async () => {
    const scene = await newScene()
    scene.world.scopes.delete('statuses: write')
    const decision = await decideIn(scene, bareEvent('schedule'), { env: { GITHUB_SHA: BEFORE } })
    expect(jobsIn(decision)).toMatch(/Resource not accessible/)
    expect(decision.logged).toEqual([expect.stringMatching(/^notice: .*`statuses: write`/)])
  })
})

describe('the merged pull requests of a push', () => {
  it('come with their words where the agent is told of them', async () => {
    const scene = await newScene()
    const { world } = scene
    const fields = {
      title: 'Add a flag',
      body: 'It is **bold**.',
      labels: [{ name: 'cli' }, { name: 'docs' }],
    }
    const pull = addPull(world, { number: 12, user: bot('renovate[bot]'), ...fields })
    const before = world.branches.get('main') ?? ''
    const [merge = ''] = mergePull(world, pull, { how: 'squash' })
    const made = pushOf(world, before)
    const known = { number: 12, author: 'renovate', url: 'https://github.com/acme/docs/pull/12' }
    const { history } = await decideIn(scene, made)
    expect([...(history?.merged ?? [])]).toEqual([
      [merge, [{ ...known, title: 'Add a flag', labels: ['cli', 'docs'], body: 'It is **bold**.' }]],
    ])
    const quiet = await decideIn(scene, made, { inputs: { ...PROMPT, context: 'none' } })
    expect([...(quiet.history?.merged ?? [])]).toEqual([
      [merge, [{ ...known, title: '', labels: [], body: '' }]],
    ])
  })

  it('are those of the 20 newest commits', async () => {
    const scene = await newScene()
    const { world, clock } = scene
    const before = world.branches.get('main') ?? ''
    for (let index = 0; index < 25; index++) {
      await clock.sleep(1000)
      addCommit(world)
    }
    const { history } = await decideIn(scene, pushOf(world, before))
    expect(history?.merged.size).toBe(20)
    expect(history?.merged.has(world.branches.get('main') ?? '')).toBe(true)
  })
})
