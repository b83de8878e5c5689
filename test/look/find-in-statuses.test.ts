import { describe, expect } from 'vitest'
import { bareEvent, event, pullRequest, pushOf, pushTo, workflowRun } from '../support/events.ts'
import { resolve } from '../support/history.ts'
import {
  addCommit,
  addStatus,
  BEFORE,
  mergePull,
  pushToPull,
  time,
  type World,
} from '../support/world.ts'
import { CREATE, continues, firstCalls, itWithScene, PULL, type Scene, type Told } from './runs.ts'

const it = itWithScene()
const CONTEXT = 'Docs agent: docs (docs.yml, docs, agent)'
const LOST: Told = { replies: { post: [{ breaks: 'before' }] } }
const REFUSED: Told = { end: 'error' }
const NEXT: Told = { end: 'submitted' }
const LIMIT = 500
const AGAIN = { runId: 5001, attempt: 2 }

type Step = Told & { readonly event?: Parameters<Scene['tell']>[0] }

/** A run of the step, by default on a schedule. */
async function step(scene: Scene, { event = bareEvent('schedule'), ...told }: Step = {}) {
  const inputs = { prompt: 'Document it.', ...told.inputs }
  const end = await scene.tell(event, { ...told, inputs })
  await scene.clock.sleep(1000)
  return end
}

/** What the next run of the step asks of Mintlify first. */
async function next(scene: Scene, told: Step = {}): Promise<string[]> {
  return firstCalls(await step(scene, { ...NEXT, ...told }))
}

function addCommits(world: World, count: number): void {
  for (let index = 0; index < count; index++) addCommit(world)
}

/** A status that another check, or a stranger, has set on the tip of `main`. */
function addForeign({ world }: Scene, change: Parameters<typeof addStatus>[2] = {}): void {
  addStatus(world, resolve(world, 'main')?.sha ?? '', { context: CONTEXT, ...change })
}

/** A release of a tag, by default on the tip of `main`, and new. */
function onRelease(
  { world, clock }: Scene,
  tag_name: string,
  { action = 'published', sha = '' } = {},
) {
  const tagged = world.tags.get(tag_name) ?? (sha || (world.branches.get('main') ?? ''))
  world.tags.set(tag_name, tagged)
  const release = { tag_name, published_at: time(clock.now()), body: 'Notes' }
  return { event: event('release', { action, release }), sha: tagged } satisfies Step
}
const onFlag = ({ world }: Scene): Step => {
  const { fields } = world.pulls.get(5) ?? {}
  return { event: pullRequest({ action: 'synchronize', pull: { ...fields, number: 5 } }) }
}

/** CI on a tag of the commit before the tip of `main`. */
function afterCi({ world }: Scene, tag: string): Step {
  const { sha: head_sha } = addCommit(world, { files: ['a.ts'] })
  world.tags.set(tag, head_sha)
  addCommit(world)
  return { event: workflowRun({ head_branch: tag, head_sha }) }
}

const onceMore: Step = { job: 'job_2', inputs: { 'follow-up': 'false' } }

/** What happens before a first attempt that continues a job. */
it.for<{
  readonly name: string
  readonly before: (scene: Scene) => unknown
  readonly told?: (scene: Scene) => Step
  readonly job?: string
}>([
  {
    name: 'continues the newest job, whichever commit it is on',
    async before(scene) {
      addCommit(scene.world)
      await step(scene)
      await step(scene, { ...onceMore, sha: BEFORE })
    },
    job: 'job_2',
  },
  {
    name: 'isn’t kept from a job by a later run on its commit that was refused',
    async before(scene) {
      await step(scene, { end: 'pull-request' })
      await step(scene, REFUSED)
    },
  },
  {
    name: 'ignores a status that belongs to no run and names no job',
    async before(scene) {
      await step(scene)
      addForeign(scene, { state: 'error', target_url: 'https://ci.example.com/1' })
    },
  },
  {
    name: 'finds the job 500 commits back',
    async before(scene) {
      await step(scene)
      addCommits(scene.world, LIMIT)
    },
  },
  {
    name: 'after CI on a tag continues the job of the default branch',
    before: step,
    told: (scene) => afterCi(scene, 'v1.0.0'),
  },
  {
    name: 'continues the job of another run, though another matrix job of this run shares its name',
    async before(scene) {
      await step(scene)
      await step(scene, { ...onceMore, runId: 2000 })
    },
    told: () => ({ runId: 2000 }),
  },
  {
    name: 'finds a pull request’s job on the first of 15 commits, which 26 forced pushes replaced',
    async before(scene) {
      await step(scene, onFlag(scene))
      const pull = scene.world.pulls.get(5)
      for (let count = 0; pull && count < 41; count++)
        pushToPull(scene.world, pull, { force: count >= 15 })
    },
    told: onFlag,
  },
])('a first attempt $name', async ({ before, job = 'job_1', told }, { scene }) => {
  await before(scene)
  expect(await next(scene, told?.(scene))).toEqual(continues(job))
})

it('a pull request does not continue the job of its base branch', async ({ scene }) => {
  await step(scene)
  expect(await next(scene, onFlag(scene))).toEqual(CREATE)
})

it('a job keeps its pull request when later statuses on its commit do not lead there', async ({
  scene,
}) => {
  await step(scene, { end: 'pull-request' })
  await step(scene, { ...NEXT, killAtMs: 1 })
  const { log } = await step(scene, NEXT)
  expect(log[0]).toContain(PULL)
})

it('a run that may have started a job is passed over, with a notice', async ({ scene }) => {
  await step(scene)
  await step(scene, { ...LOST, runId: AGAIN.runId })
  const end = await step(scene, NEXT)
  expect(firstCalls(end)).toEqual(continues('job_1'))
  expect(end.log.join('\n')).toMatch(/^notice: .*\/runs\/5001\/attempts\/1/m)
})

it('a search reads pages of a branch up to the one with the record, and the summary has its limit', async ({
  scene,
}) => {
  const { world } = scene
  addCommits(world, 250)
  await step(scene)
  addCommits(world, 150)
  const pages = (lines: readonly string[]) => lines.filter((line) => line.endsWith('StepStatuses'))
  const found = await step(scene, { end: 'submitted' })
  expect([firstCalls(found), pages(found.requests)]).toEqual([
    continues('job_1'),
    Array(2).fill('POST /graphql StepStatuses'),
  ])
  addCommits(world, LIMIT + 1)
  const end = await step(scene, { end: 'no-pull-request', inputs: { context: 'files' } })
  expect([firstCalls(end), pages(end.requests).length]).toEqual([CREATE, LIMIT / 100 + 1])
  expect(end.summary).toMatch(/newest 500 commits[^\n]* more often/)
})

it('a push of more than 100 commits to a pull request may hide its job, which the run says', async ({
  scene,
}) => {
  const pull = scene.world.pulls.get(5)
  await step(scene, onFlag(scene))
  for (let count = 0; pull && count < 101; count++) pushToPull(scene.world, pull)
  const end = await step(scene, onFlag(scene))
  expect(firstCalls(end)).toEqual(CREATE)
  expect(end.summary).toContain('newest 100 commits')
})

it.for(['502', 'partial', 'missing'] as const)(
  'a run that can not look for an earlier job (%s) does not start one, and leaves the record as it is',
  async (fault, { scene }) => {
    const { world, github } = scene
    await step(scene)
    const before = [...world.statuses]
    if (fault === 'missing') world.scopes.delete('statuses: write')
    else github.faults.push({ match: /StepStatuses/, end: fault })
    const end = await step(scene, { event: pushTo(world) })
    expect(end).toMatchObject({ hasFailed: true, calls: [], outputs: { result: 'error' } })
    expect(end.printed).toContain(fault === 'missing' ? 'statuses: write' : 'its next run includes')
    expect(world.statuses).toEqual(before)
    github.faults.splice(0)
    world.scopes.add('statuses: write')
    expect(await next(scene)).toEqual(continues('job_1'))
  },
)

it('what an answer with errors contains is believed if it has the record', async ({ scene }) => {
  await step(scene)
  const { world, github } = scene
  const own = { oid: resolve(world, 'main')?.sha, status: { context: world.statuses.at(-1) } }
  const errors = [{ type: 'INTERNAL', path: ['repository', 'branch'], message: 'Timeout' }]
  const body = { data: { repository: { own, branch: null } }, errors }
  github.faults.push({ match: /StepStatuses/, end: { status: 200, body } })
  expect(await next(scene)).toEqual(continues('job_1'))
})

it('a commit that has 1,000 statuses of the step’s name gets no job, with advice', async ({
  scene,
}) => {
  for (let count = 0; count < 1000; count++) addForeign(scene, { state: 'success' })
  const end = await step(scene)
  expect(end).toMatchObject({ hasFailed: true, calls: [], outputs: { result: 'error' } })
  expect(end.warnings).toEqual([])
  expect(end.log.at(-1)?.split('Nothing was started')).toHaveLength(2)
  expect(end.log.at(-1)).toContain('skip-unchanged')
})

it('a merged pull request passes its job on to its base branch, and its own job comes first', async ({
  scene,
}) => {
  const { world } = scene
  await step(scene)
  const pull = world.pulls.get(5)
  const merged = (): Step => {
    const event = pullRequest({ action: 'closed', pull: { ...pull?.fields, number: 5 } })
    return { event, sha: pull?.fields.merge_commit_sha ?? '' }
  }
  await step(scene, { ...onFlag(scene), job: 'job_5' })
  if (pull) mergePull(world, pull)
  addCommits(world, 120)
  expect(await next(scene, merged())).toEqual(continues('job_5'))
  expect(await next(scene)).toEqual(continues('job_5'))
})

it('of two commits whose statuses are of the same second, the newer one decides', async ({
  scene,
}) => {
  const pull = scene.world.pulls.get(5)
  await step(scene, onFlag(scene))
  if (pull) pushToPull(scene.world, pull)
  await step(scene, { ...onFlag(scene), job: 'job_2', inputs: { 'follow-up': 'false' } })
  const sameSecond = { created_at: time(scene.clock.now()) }
  for (const status of scene.world.statuses) Object.assign(status, sameSecond)
  expect(await next(scene, onFlag(scene))).toEqual(continues('job_2'))
})

it('the statuses of a pull request that others wrote do not hide its job', async ({ scene }) => {
  const pull = scene.world.pulls.get(5)
  const context = CONTEXT.replace(')', ', #5)')
  for (let pushed = 0; pull && pushed < 8; pushed++) {
    if (pushed === 6) await step(scene, onFlag(scene))
    else addStatus(scene.world, pull.fields.head?.sha ?? '', { context })
    pushToPull(scene.world, pull)
  }
  expect(await next(scene, onFlag(scene))).toEqual(continues('job_1'))
})

describe('the commit to compare with', () => {
  const since = async (scene: Scene, told: Step = {}) => {
    const { bodies } = await step(scene, {
      ...NEXT,
      ...told,
      inputs: { context: 'files', ...told.inputs },
    })
    return /last[^\n]*commit ([0-9a-f]{7})/.exec(JSON.stringify(bodies))?.[1]
  }
  const tip = ({ world }: Scene) => resolve(world, 'main')?.sha.slice(0, 7)

  it('is that of the last success, although later runs failed or were lost', async ({ scene }) => {
    await step(scene)
    const before = tip(scene)
    for (const told of [REFUSED, { end: 'failed' }, LOST] satisfies Step[]) {
      await step(scene, told)
      addCommit(scene.world)
    }
    expect(await since(scene)).toBe(before)
  })

  it('is never on another branch, even if a status carries that', async ({ scene }) => {
    const { world } = scene
    await step(scene)
    const before = tip(scene)
    addCommit(world)
    await step(scene, { end: 'failed' })
    const forged = addCommit(world, { branch: 'other' }).sha
    for (const status of world.statuses.slice(-3)) {
      const target = status.target_url?.replace(/success=[0-9a-f]+/, `success=${forged}`) ?? ''
      Object.assign(status, { target_url: target })
    }
    expect(world.statuses.at(-1)?.target_url).toContain(forged)
    addCommit(world)
    expect(await since(scene)).toBe(before)
  })

  it('is found 150 commits back without `follow-up`, too', async ({ scene }) => {
    await step(scene)
    const before = tip(scene)
    addCommits(scene.world, 150)
    expect(await since(scene, { inputs: { 'follow-up': 'false' } })).toBe(before)
  })

  it('is none of the commits of a push', async ({ scene }) => {
    const { world } = scene
    await step(scene)
    const before = tip(scene)
    const { sha: pushedOn } = addCommit(world)
    await step(scene, { sha: addCommit(world).sha })
    addCommit(world)
    expect(await since(scene, { event: pushOf(world, pushedOn) })).toBe(before)
  })
})

describe('a re-run', () => {
  const again = { ...AGAIN, end: 'submitted' } as const
  type Again = {
    readonly name: string
    readonly first: Step
    readonly calls: readonly string[]
    readonly meanwhile?: (scene: Scene) => unknown
    readonly told?: Step
  }
  const toJob: Step = { inputs: { 'job-id': 'job_9' } }
  const waits = ['GET /job/job_1']
  const WAYS: readonly Again[] = [
    {
      name: 'finds its job below a later run’s statuses on the same commit',
      first: { end: 'timed-out' },
      meanwhile: (scene) => step(scene, { job: 'job_2' }),
      calls: waits,
    },
    { name: 'starts a job if the first attempt did not', first: REFUSED, calls: CREATE },
    {
      name: 'continues the job of a newer commit if nothing was started',
      first: { ...REFUSED, sha: BEFORE },
      meanwhile(scene) {
        addCommit(scene.world)
        return step(scene, { job: 'job_2' })
      },
      told: { sha: BEFORE },
      calls: continues('job_2'),
    },
    {
      name: 'starts a job instead of one that failed',
      first: { end: 'failed' },
      told: { replies: { get: ['failed', 'active'] } },
      calls: [...waits, ...CREATE],
    },
    {
      name: 'waits for `job-id`, and sends no second message',
      first: { ...toJob, end: 'timed-out' },
      told: toJob,
      calls: ['GET /job/job_9'],
    },
  ]

  it.for(WAYS)('$name', async ({ first, meanwhile, told, calls }, { scene }) => {
    await step(scene, { runId: AGAIN.runId, ...first })
    await meanwhile?.(scene)
    const end = await step(scene, { ...again, ...told })
    expect(end.hasFailed).toBe(false)
    expect(end.calls.slice(0, calls.length)).toEqual(calls)
  })

  it('finds its job on the head of a pull request, and the newest attempt’s', async ({ scene }) => {
    const told = { ...onFlag(scene), ...AGAIN }
    await step(scene, { ...told, attempt: 1, end: 'failed' })
    const replies = { post: [{ body: { id: 'job_2' } }], get: ['failed', 'active'] }
    await step(scene, { ...told, end: 'timed-out', replies })
    const third = await step(scene, { ...told, attempt: 3, end: 'submitted' })
    expect(third.calls).toEqual(['GET /job/job_2'])
  })

  it.for<{ what: string; first: readonly Step[] }>([
    { what: 'the first attempt may have started a job', first: [LOST] },
    {
      what: 'it shows two jobs',
      first: [{ end: 'timed-out' }, { end: 'timed-out', job: 'job_2' }],
    },
    { what: 'it shows a job and a start', first: [{ end: 'timed-out' }, LOST] },
  ])('does not start a job if $what', async ({ first }, { scene }) => {
    for (const told of first) await step(scene, { runId: AGAIN.runId, ...told })
    const end = await step(scene, again)
    expect(end).toMatchObject({ hasFailed: true, outputs: { result: 'error' }, calls: [] })
    expect(end.log.at(-1)).toMatch(/^error: /)
  })

  it('without follow-up finds the job of the same run', async ({ scene }) => {
    await step(scene)
    const inputs = { 'follow-up': 'false' }
    const first = await step(scene, { runId: AGAIN.runId, inputs, job: 'job_2', end: 'submitted' })
    expect(first.calls).toEqual(CREATE)
    expect((await step(scene, { ...again, inputs })).calls).toEqual(['GET /job/job_2'])
  })

  it('of an event without a record starts a job, with a notice', async ({ scene }) => {
    const event = bareEvent('deployment')
    for (const attempt of [1, 2]) {
      const end = await step(scene, { event, runId: AGAIN.runId, attempt, end: 'submitted' })
      expect(end).toMatchObject({ calls: CREATE, requests: [] })
      const isSaid = end.log.some((line) => /^notice: The first attempt recorded no job/.test(line))
      expect(isSaid).toBe(attempt === 2)
      expect(end.summary).toContain('deployment')
    }
  })
})

describe('a release', () => {
  it.for([
    { back: 10, calls: continues('job_1') },
    { back: 11, calls: CREATE },
  ])(
    'of `main` finds the record of one from a branch $back versions before',
    async (row, { scene }) => {
      const { world } = scene
      const release = (minor: number) => {
        const { sha } = addCommit(world, { branch: `release-${minor}`, files: ['a.ts'] })
        return onRelease(scene, `v1.${minor}.0`, { sha })
      }
      await step(scene, release(0))
      for (let minor = 1; minor < row.back; minor++) release(minor)
      addCommit(world, { files: ['b.ts'] })
      expect(await next(scene, onRelease(scene, `v1.${row.back}.0`))).toEqual(row.calls)
    },
  )

  it('is one of 73 on a commit, each of which runs once, and again if it was edited', async ({
    scene,
  }) => {
    const { world } = scene
    addCommit(world, { files: ['a.ts'] })
    const run = (index: number, action: string) =>
      next(scene, onRelease(scene, `pkg-${index}@1.0.0`, { action }))
    for (let index = 0; index < 73; index++)
      expect(await run(index, 'created')).toEqual(index === 0 ? CREATE : continues('job_1'))
    for (const index of [0, 40, 72])
      for (const action of ['published', 'released']) expect(await run(index, action)).toEqual([])
    expect(await run(0, 'edited')).toEqual(continues('job_1'))
  })
})
