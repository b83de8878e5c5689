import { describe, expect } from 'vitest'
import { docsReview, type Event, pushTo } from '../support/events.ts'
import { AGENT, addComment, addPull, addReview, person, type World } from '../support/world.ts'
import { CREATE, continues, itWithScene, octocat, PULL, type Scene, type Told } from './runs.ts'

const it = itWithScene()
const NEW_KEY: Told = { inputs: { 'api-key': 'mint_rotated' } }
const COMPLETED = { body: { status: 'completed', prLink: PULL } }

/** What people do on docs pull request 1 so that its job gets a message; the event of it. */
const REQUESTS: Readonly<Record<'command' | 'review' | 'line comment', (scene: Scene) => Event>> = {
  command: (scene) => scene.comment('/docs shorter', { number: 1 }),
  review: ({ world }) => {
    const made = addReview(world, { number: 1, author: octocat, body: 'Shorter.' })
    return docsReview(made)
  },
  'line comment': (scene) => scene.reviewComment('/docs shorter', { number: 1 }),
}
const { command, review } = REQUESTS

/** A push whose job, `job_1`, opens docs pull request 1. */
async function open(scene: Scene, told: Told = {}): Promise<void> {
  const inputs = { prompt: 'Document it.', ...told.inputs }
  await scene.tell(pushTo(scene.world), { end: 'pull-request', ...told, inputs })
}

/** The source comment as it is now. */
function sourceComment({ comments }: World): string {
  return comments.find(({ number }) => number === 1)?.history.at(-1) ?? ''
}

/** Someone writes a comment on docs pull request 1 like the action's, about a job, with a wrong signature. */
function forge({ world }: Scene, job: string, original = sourceComment(world)): void {
  const [, payload = ''] = /docs-agent ([\w-]+)\./.exec(original) ?? []
  const marker = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), job }
  const forged = Buffer.from(JSON.stringify(marker)).toString('base64url')
  const body = `<!-- docs-agent ${forged}.${'A'.repeat(43)} -->\nHi`
  addComment(world, { kind: 'main', number: 1, author: person('mallory', 666), body })
}

/** Comments and reactions of the action on docs pull request 1, other than its source comment. */
function repliesOn({ world }: Scene): number {
  const own = world.comments.filter(({ author, number }) => author.type === 'Bot' && number === 1)
  return own.length - 1
}

/** The environment of a run in a repository that was renamed, or is another one. */
function inRepository(name: string, id: number): Told {
  return { env: { GITHUB_REPOSITORY: name, GITHUB_REPOSITORY_ID: `${id}` } }
}

type Change = {
  readonly what: string
  readonly told?: Told
  readonly happen?: (scene: Scene) => Told | undefined
}

describe.for<Change>([
  { what: 'after a rotation of the API key', told: NEW_KEY },
  {
    what: 'if another account wrote the source comment',
    happen: ({ world }) =>
      void Object.assign(world, { viewer: { login: 'acme-docs[bot]', id: 4711, type: 'Bot' } }),
  },
  {
    what: 'in a renamed repository, after a rotation of the key',
    told: { ...NEW_KEY, ...inRepository('acme/handbook', 1296269) },
    happen: ({ world }) => {
      world.renamed.set('acme/docs', 'acme/handbook')
      world.repositoryIds.set('acme/handbook', 1296269)
      Object.assign(world, { repository: 'acme/handbook', agentRepository: 'acme/handbook' })
      return undefined
    },
  },
])('on a docs pull request, $what,', ({ told, happen }) => {
  it.for(['command', 'review', 'line comment'] as const)(
    'a %s continues its job',
    async (kind, { scene }) => {
      await open(scene)
      happen?.(scene)
      const replies = { get: [COMPLETED, 'active', COMPLETED] }
      const end = await scene.tell(REQUESTS[kind](scene), { ...told, replies })
      expect(end.calls.slice(0, 2)).toEqual(continues('job_1'))
      expect(end.outputs['result']).toBe('pull-request')
    },
  )
})

it.for(['command', 'review'] as const)(
  'a %s waits for an active job until Mintlify names its pull request',
  async (kind, { scene }) => {
    await open(scene)
    const get = ['active', 'active', COMPLETED, 'active', COMPLETED]
    const { calls } = await scene.tell(REQUESTS[kind](scene), { ...NEW_KEY, replies: { get } })
    expect(calls.slice(0, 4)).toEqual([
      ...Array(3).fill('GET /job/job_1'),
      'POST /job/job_1/message',
    ])
  },
)

describe.for<Change & { readonly get: NonNullable<Told['replies']>['get'] }>([
  {
    what: 'Mintlify names another pull request',
    get: [{ body: { status: 'completed', prLink: PULL.replace('/1', '/2') } }],
  },
  {
    what: 'Mintlify names one in another repository',
    get: [{ body: { status: 'completed', prLink: PULL.replace('docs', 'other') } }],
  },
  { what: 'the job has no pull request', get: ['completed'] },
  { what: 'Mintlify does not know the job', get: [{ status: 404 }] },
  { what: 'the job stays active', get: ['active'], told: { inputs: { timeout: '1m' } } },
])('with a new key, if $what,', ({ get = [], told }) => {
  const inputs = { ...NEW_KEY.inputs, ...told?.inputs }
  it('a review is skipped without a word on GitHub', async ({ scene }) => {
    await open(scene)
    const end = await scene.tell(review(scene), { inputs, replies: { get } })
    expect([end.outputs['result'], end.hasFailed, end.warnings]).toEqual(['skipped', false, []])
    expect(end.calls.filter((call) => call.startsWith('POST'))).toEqual([])
    expect([repliesOn(scene), scene.reactions()]).toEqual([0, []])
    expect(end.summary).toMatch(/^## ⏭️ Skipped: .+ project/)
  })

  it('a command starts a job, as on any pull request', async ({ scene }) => {
    await open(scene)
    const { calls } = await scene.tell(command(scene), { inputs, replies: { get } })
    expect(calls.filter((call) => call.startsWith('POST'))).toEqual(CREATE)
  })
})

it.for<Change>([
  { what: 'of another project', told: { inputs: { 'project-id': 'other' } } },
  {
    what: 'whose source comment was deleted',
    happen: ({ world }) => void world.comments.splice(0),
  },
])(
  'a review of a docs pull request $what is skipped without a word on GitHub',
  async (row, { scene }) => {
    await open(scene)
    row.happen?.(scene)
    const before = scene.world.comments.length
    const end = await scene.tell(review(scene), { ...row.told })
    expect([end.outputs['result'], end.calls, end.warnings]).toEqual(['skipped', [], []])
    expect([scene.world.comments.length, scene.reactions()]).toEqual([before, []])
    expect(end.summary).toMatch(/^## ⏭️/)
  },
)

it('at most five jobs that strangers name are asked about, each once, the oldest first, and none with an odd ID', async ({
  scene,
}) => {
  await open(scene)
  const original = sourceComment(scene.world)
  scene.world.comments.splice(0)
  const odd = ['..', '\ud800', '<script>', 'a%2Fb']
  for (const job of ['x1', 'x1', 'x2', ...odd, 'x3', 'x4', 'x5', 'x6']) forge(scene, job, original)
  const { calls } = await scene.tell(review(scene), { replies: { get: [{ status: 404 }] } })
  expect(calls).toEqual(['x1', 'x2', 'x3', 'x4', 'x5'].map((job) => `GET /job/${job}`))
})

it('a forged comment next to the source comment changes nothing', async ({ scene }) => {
  await open(scene)
  forge(scene, 'job_666')
  const end = await scene.tell(review(scene), { end: 'pull-request' })
  expect(end.calls.slice(0, 2)).toEqual(continues('job_1'))
})

it('a pull request that only a marker or a status names is not written to', async ({ scene }) => {
  const { world } = scene
  addPull(world, { number: 2, user: AGENT })
  const inputs = { prompt: 'Document it.', 'pr-labels': 'docs' }
  await open(scene, { inputs })
  const target = world.statuses.at(-1)
  if (!target) throw new Error('There is no status.')
  // A token that may only set statuses names another pull request.
  const target_url = (target.target_url ?? '')
    .replaceAll('/pull/1', '/pull/2')
    .replaceAll('%2F1', '%2F2')
  world.statuses.push({ ...target, id: target.id + 1, target_url })
  expect(target_url).not.toBe(target.target_url)
  const told = { replies: { get: ['completed', 'active'] }, cancelAtMs: 20_000 } as const
  const end = await scene.tell(pushTo(world), { ...told, inputs })
  expect(end.calls).toContain('POST /job/job_1/message')
  const sent = end.requests.filter((line) => /^(?:POST|PATCH) \/(?:issues|pulls)\/2\b/.test(line))
  expect([sent, world.pulls.get(2)?.labeled]).toEqual([[], []])
})

describe('a docs pull request that private code opened in a public repository', () => {
  it.for(['command', 'review'] as const)(
    'continues its job for a %s there',
    async (kind, { scene }) => {
      const { world } = scene
      Object.assign(world, { agentRepository: 'acme/guides', commentsElsewhere: true })
      addPull(world, { number: 1, user: AGENT }, world.elsewhere)
      world.visibility.set('acme/docs', 'PRIVATE')
      world.repositoryIds.set('acme/guides', 42)
      const prLink = PULL.replace('docs', 'guides')
      const completed = { body: { status: 'completed', prLink } }
      const created = { body: { id: 'job_1' } }
      await open(scene, { replies: { post: [created], get: ['active', completed] } })
      const pull = world.elsewhere.get(1)
      if (pull) world.pulls.set(1, pull)
      // The workflow there has a token of its own.
      const viewer = { login: 'guides[bot]', id: 4712, type: 'Bot' }
      Object.assign(world, { repository: 'acme/guides', viewer })
      const replies = { get: [completed, 'active', completed] }
      const told = { ...inRepository('acme/guides', 42), replies }
      const end = await scene.tell(REQUESTS[kind](scene), told)
      expect(end.calls.slice(0, 2)).toEqual(continues('job_1'))
    },
  )
})
