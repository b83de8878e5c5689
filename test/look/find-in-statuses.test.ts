import { describe, expect } from 'vitest'
import { bareEvent, pullRequest, pushOf, pushTo } from '../support/events.ts'
import type { FaultName } from '../support/github.ts'
import {
  addCommit,
  addStatus,
  BEFORE,
  mergePull,
  person,
  pushToPull,
  resolve,
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

const onRelease: Step = { env: { GITHUB_REF: 'refs/tags/v1' }, event: bareEvent('release') }
const onFlag = ({ world }: Scene): Step => {
  const { fields } = world.pulls.get(5) ?? {}
  return { event: pullRequest({ action: 'synchronize', pull: { ...fields, number: 5 } }) }
}
const onBranch = ({ world }: Scene, branch: string): Step => {
  const { sha } = addCommit(world, { branch })
  const event = { name: 'workflow_dispatch', payload: { repository: { default_branch: 'main' } } }
  return { event, sha, env: { GITHUB_REF: `refs/heads/${branch}` } }
}

type Case = {
  readonly before: (scene: Scene) => unknown
  readonly told?: (scene: Scene) => Step
}

/** What happens before a first attempt, by the job that it continues. */
const CASES: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  none: {
    'starts a job if no run was before': { before: () => undefined },
    'of a pull request continues its own job, not its base branch’s': {
      before: step,
      told: onFlag,
    },
    'of a branch doesn’t continue an open pull request’s job on its commit': {
      async before(scene) {
        const { sha } = addCommit(scene.world)
        const pull = { number: 5, head: { sha }, base: { ref: 'main' } }
        await step(scene, { event: pullRequest({ action: 'synchronize', pull }) })
      },
    },
  },
  job_1: {
    'continues the job of the run before': { before: step },
    'isn’t kept from a job by a later run on its commit that started nothing': {
      async before(scene) {
        await step(scene, { end: 'pull-request' })
        await step(scene, REFUSED)
      },
    },
    'isn’t kept from a job by a later run that failed to read the record and started nothing': {
      async before(scene) {
        await step(scene)
        scene.github.faults.push({ match: /StepStatuses/, end: '502', times: 3 })
        await step(scene, REFUSED)
      },
    },
    'ignores a status that belongs to no run and names no job': {
      async before(scene) {
        await step(scene)
        addForeign(scene, { state: 'error', target_url: 'https://ci.example.com/1' })
      },
    },
    'finds the job below 120 newer statuses of others': {
      async before(scene) {
        await step(scene)
        for (let count = 0; count < 120; count++) addForeign(scene, { context: `check ${count}` })
      },
    },
    'finds the job 500 commits back': {
      async before(scene) {
        await step(scene)
        addCommits(scene.world, LIMIT)
      },
    },
    'finds the job of a release on a commit up to its own': {
      async before(scene) {
        await step(scene, onRelease)
        addCommits(scene.world, 150)
      },
      told: () => onRelease,
    },
    'continues the job of another run, though another matrix job of this run shares its name': {
      async before(scene) {
        await step(scene)
        await step(scene, { runId: 2000, job: 'job_2', inputs: { 'follow-up': 'false' } })
      },
      told: () => ({ runId: 2000 }),
    },
    'finds a pull request’s job on the first of 15 commits that a forced push replaced': {
      async before(scene) {
        await step(scene, onFlag(scene))
        const pull = scene.world.pulls.get(5)
        for (let count = 0; pull && count < 15; count++) pushToPull(scene.world, pull)
        if (pull) pushToPull(scene.world, pull, { force: true })
      },
      told: onFlag,
    },
    'finds a pull request’s job before 26 forced pushes': {
      async before(scene) {
        await step(scene, onFlag(scene))
        const pull = scene.world.pulls.get(5)
        for (let count = 0; pull && count < 26; count++)
          pushToPull(scene.world, pull, { force: true })
      },
      told: onFlag,
    },
  },
  job_2: {
    'continues the newest job, whichever commit it is on': {
      async before(scene) {
        addCommit(scene.world)
        await step(scene)
        await step(scene, { sha: BEFORE, job: 'job_2', inputs: { 'follow-up': 'false' } })
      },
    },
  },
  job_9: {
    'continues the job that a stranger’s status of that name names last in its description': {
      before: (scene) =>
        addForeign(scene, { description: 'Words (job_0) (job_9)', creator: person('x') }),
    },
  },
}

it.for(
  Object.entries(CASES).flatMap(([job, cases]) =>
    Object.entries(cases).map(([name, one]) => ({ name, job, ...one })),
  ),
)('a first attempt $name', async ({ before, job, told }, { scene }) => {
  await before(scene)
  expect(await next(scene, told?.(scene))).toEqual(job === 'none' ? CREATE : continues(job))
})

it('a job keeps its pull request when later statuses on its commit do not lead there', async ({
  scene,
}) => {
  await step(scene, { end: 'pull-request' })
  await step(scene, { ...NEXT, killAtMs: 1 })
  const { log } = await step(scene, NEXT)
  expect(log[0]).toContain(PULL)
})

it('a run that may have started a job is passed over, which a notice says', async ({ scene }) => {
  await step(scene)
  const { runId = '' } =
    /runs\/(?<runId>\d+)/.exec(scene.world.statuses.at(-1)?.target_url ?? '')?.groups ?? {}
  await step(scene, LOST)
  const end = await step(scene, NEXT)
  expect(firstCalls(end)).toEqual(continues('job_1'))
  const page = `/runs/${Number(runId) + 1}/attempts/1`
  expect(end.log.filter((line) => line.startsWith('notice: ') && line.includes(page))).toHaveLength(
    1,
  )
})

it('a search reads pages of a branch up to the one with the record, and says where it ended', async ({
  scene,
}) => {
  const { world } = scene
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

it.for<[FaultName | 'missing', RegExp]>([
  ['502', /^warning: Could not look for an earlier job: .*, so this run starts a new job/m],
  ['missing', /^warning: .* grant `contents: read`.*, so this run starts a new job/m],
])(
  'a first attempt that can not look for an earlier job (%s) says so, and starts one',
  async ([fault, words], { scene }) => {
    if (fault === 'missing') scene.world.scopes.delete('contents: read')
    else scene.github.faults.push({ match: /StepStatuses/, end: fault })
    const end = await step(scene, { event: pushTo(scene.world) })
    expect(firstCalls(end)).toEqual(CREATE)
    expect(end.log.join('\n')).toMatch(words)
    expect(end.summary).toMatch(/^## ⚠️/)
  },
)

it('what an answer with errors contains is believed, and if it contains nothing, that is unknown', async ({
  scene,
}) => {
  const { github, world } = scene
  const { sha } = addCommit(world)
  const named = { state: 'PENDING', description: 'Words (job_9)', target_url: '', created_at: '' }
  const own = { oid: sha, status: { context: named } }
  const errors = [{ type: 'INTERNAL', path: ['repository', 'branch'], message: 'Timeout' }]
  const fault = (repository: object) => ({ status: 200, body: { data: { repository }, errors } })
  github.faults.push({ match: /StepStatuses/, end: fault({ own, branch: null }) })
  expect(await next(scene)).toEqual(continues('job_9'))
  github.faults.splice(0, 1, { match: /StepStatuses/, end: fault({ own: null, branch: null }) })
  const end = await step(scene)
  expect(firstCalls(end)).toEqual(CREATE)
  expect(end.log.join('\n')).toMatch(/^warning: Could not look for an earlier job: .*Timeout/m)
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
  world.statuses.splice(3, 3)
  expect(await next(scene, merged())).toEqual(continues('job_5'))
  expect(await next(scene)).toEqual(continues('job_5'))
})

it('the job of a branch is continued there alone', async ({ scene }) => {
  await step(scene)
  const release = onBranch(scene, 'release/1.x')
  expect(await next(scene, { ...release, job: 'job_2' })).toEqual(CREATE)
  expect(await next(scene)).toEqual(continues('job_1'))
  expect(await next(scene, release)).toEqual(continues('job_2'))
})

it.for(['error', 'failed'] as const)(
  'an older run (%s) that is started again continues the job of a newer one',
  async (end, { scene }) => {
    const { world } = scene
    const event = pushTo(world, { files: ['a.ts'] })
    await step(scene, { event, runId: AGAIN.runId, end, job: 'job_a' })
    const newer = { event: pushTo(world, { files: ['b.ts'] }), job: 'job_b' }
    await step(scene, { ...newer, inputs: { 'follow-up': 'false' } })
    const get = end === 'failed' ? ['failed', 'active'] : ['active']
    const again = await step(scene, { event, ...AGAIN, end: 'submitted', replies: { get } })
    expect(again.calls.slice(-2)).toEqual(continues('job_b'))
  },
)

describe('the commit to compare with', () => {
  const since = async (scene: Scene, told: Step = {}) => {
    const { bodies } = await step(scene, { ...NEXT, ...told, inputs: { context: 'files' } })
    return /last[^\n]*commit ([0-9a-f]{7})/.exec(JSON.stringify(bodies))?.[1]
  }
  const tip = ({ world }: Scene) => resolve(world, 'main')?.sha.slice(0, 7)

  it.for<readonly [string, Step]>([
    ['started nothing', REFUSED],
    ['failed', { end: 'failed' }],
    ['was lost', LOST],
  ])(
    'is that of the last success, though a later run on it %s',
    async ([_what, told], { scene }) => {
      await step(scene)
      const before = tip(scene)
      await step(scene, told)
      addCommit(scene.world)
      await step(scene, told)
      addCommit(scene.world)
      expect(await since(scene)).toBe(before)
    },
  )

  it('is found 150 commits back, without follow-up, too', async ({ scene }) => {
    await step(scene)
    const before = tip(scene)
    addCommits(scene.world, 150)
    expect(await since(scene)).toBe(before)
    addCommits(scene.world, 150)
    expect(await since(scene, { inputs: { 'follow-up': 'false' } })).not.toBe(before)
  })

  it('is none of the commits of a push', async ({ scene }) => {
    const { world } = scene
    await step(scene)
    const before = tip(scene)
    const { sha: pushedOn } = addCommit(world)
    const { sha } = addCommit(world)
    await step(scene, { sha })
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
    { name: 'waits for the job that timed out', first: { end: 'timed-out' }, calls: waits },
    { name: 'reports the job that completed', first: { end: 'pull-request' }, calls: waits },
    {
      name: 'finds its job below a later run’s statuses on the same commit',
      first: { end: 'timed-out' },
      meanwhile: (scene) => step(scene, { job: 'job_2' }),
      calls: waits,
    },
    { name: 'starts a job where nothing was started', first: REFUSED, calls: CREATE },
    {
      name: 'continues another run’s job where nothing was started',
      first: REFUSED,
      meanwhile: (scene) => step(scene, { runId: 50_011, job: 'job_2' }),
      calls: continues('job_2'),
    },
    {
      name: 'waits for `job-id` if nothing can be read',
      first: { ...REFUSED, ...toJob },
      meanwhile: ({ github }) => github.faults.push({ match: /\/statuses$/, end: '403' }),
      told: toJob,
      calls: ['GET /job/job_9'],
    },
    {
      name: 'waits for `job-id` if nothing can be written',
      first: { ...REFUSED, ...toJob },
      meanwhile: ({ github }) => github.faults.push({ match: /pending$/, end: '403' }),
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

  it('that can not look at its job leaves it to the next one', async ({ scene }) => {
    await step(scene, { runId: AGAIN.runId, end: 'timed-out' })
    const refused = await step(scene, { ...AGAIN, replies: { get: [{ status: 401 }] } })
    expect(refused.outputs['result']).toBe('error')
    const third = await step(scene, { ...again, attempt: 3 })
    expect(third.calls).toEqual(['GET /job/job_1'])
  })

  type Unclear = {
    readonly first?: readonly Step[]
    readonly fault?: { readonly match: RegExp; readonly end: FaultName }
    readonly words?: string
  }
  const UNCLEAR: Readonly<Record<string, Unclear>> = {
    'the first attempt may have started a job': { first: [LOST] },
    'it shows two jobs': { first: [{ end: 'timed-out' }, { end: 'timed-out', job: 'job_2' }] },
    'it shows a job and a start': { first: [{ end: 'timed-out' }, LOST] },
    "its statuses can't be read": { fault: { match: /\/statuses$/, end: '502' } },
    'a permission lacks to read them': {
      fault: { match: /\/statuses$/, end: '403' },
      words: '`statuses: read`',
    },
    'nothing can be written any more': {
      fault: { match: /pending$/, end: '502' },
      words: 'GitHub returned 502',
    },
  }
  it.for(Object.entries(UNCLEAR))('starts nothing where %s', async ([_what, row], { scene }) => {
    for (const told of row.first ?? []) await step(scene, { runId: AGAIN.runId, ...told })
    if (row.fault !== undefined) scene.github.faults.push(row.fault)
    const end = await step(scene, again)
    expect(end).toMatchObject({ hasFailed: true, outputs: { result: 'error' }, calls: [] })
    expect(end.log.at(-1)).toMatch(/^error: /)
    expect(end.log.at(-1)).toContain(row.words ?? '')
  })

  it('that can not look for an earlier job starts none, and the attempt after it may', async ({
    scene,
  }) => {
    scene.github.faults.push({ match: /graphql/, end: 'partial' })
    const end = await step(scene, again)
    expect(end).toMatchObject({ hasFailed: true, outputs: { result: 'error' }, calls: [] })
    scene.github.faults.splice(0)
    expect(await next(scene, { ...again, attempt: 3 })).toEqual(CREATE)
  })

  it('without follow-up finds the job of its own run', async ({ scene }) => {
    await step(scene)
    const inputs = { 'follow-up': 'false' }
    const first = await step(scene, { runId: AGAIN.runId, inputs, job: 'job_2', end: 'submitted' })
    expect(first.calls).toEqual(CREATE)
    expect((await step(scene, { ...again, inputs })).calls).toEqual(['GET /job/job_2'])
  })

  it('of an event without a record starts a job, and says so', async ({ scene }) => {
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
