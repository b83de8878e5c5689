import { describe, expect, it } from 'vitest'
import { ACTIONS, addComment, person } from '../support/world.ts'
import { NO_PULL, octocat, type Scene, sceneStarter, type Told, tell } from './runs.ts'

const newScene = sceneStarter()
const PULL = 'https://github.com/acme/docs/pull/1'
const mallory = person('mallory', 666)
const none = { known: true, value: undefined }

/** What the next command in the conversation on a pull request finds. */
async function next(scene: Scene, { number = 5, ...options }: Told & { number?: number } = {}) {
  const { earlier } = await tell(scene, scene.comment('/docs shorter', { number }), {
    runId: 1002,
    job: 'job_next',
    end: NO_PULL,
    ...options,
  })
  return earlier
}

const continues = (id: string, prLink = '') => ({ known: true, value: { id, prLink, kind: 'continue' } })

describe('a further command', () => {
  it('goes on with the job of its conversation and knows its pull request', async () => {
    const scene = await newScene()
    const atMs = scene.clock.now()
    await tell(scene, scene.comment('/docs explain it'))
    await scene.clock.sleep(60_000)
    expect(await next(scene, { kind: 'message', job: 'job_1', prLink: PULL })).toEqual({
      known: true,
      value: { id: 'job_1', prLink: PULL, kind: 'continue', namedAtMs: atMs },
    })
    await scene.clock.sleep(60_000)
    // However often it is named, the time is that of the first one.
    expect(await next(scene, { runId: 1003 })).toMatchObject({ value: { id: 'job_1', namedAtMs: atMs } })
  })

  it('goes on with the newest job of the conversation', async () => {
    const scene = await newScene()
    await tell(scene, scene.comment('/docs explain it'), { end: NO_PULL })
    await next(scene, { job: 'job_2' })
    expect(await next(scene, { runId: 1003 })).toMatchObject(continues('job_2'))
  })

  it('knows the pull request of a job from an older reply, where the newest one does not', async () => {
    const scene = await newScene()
    await tell(scene, scene.comment('/docs explain it'))
    await next(scene, { kind: 'message', job: 'job_1', end: { ...NO_PULL, result: 'cancelled' } })
    expect(await next(scene, { runId: 1003 })).toMatchObject(continues('job_1', PULL))
  })

  it('does not go on with a job that a run was refused', async () => {
    const scene = await newScene()
    await tell(scene, scene.comment('/docs explain it'), { end: NO_PULL })
    await tell(scene, scene.comment('/docs shorter'), {
      runId: 1002,
      job: '',
      end: { ...NO_PULL, result: 'error', jobId: 'job_refused' },
    })
    expect(await next(scene, { runId: 1003 })).toMatchObject(continues('job_1'))
  })

  it.each([
    ['says `new`', '/docs new explain it', {}],
    ['has `follow-up: false`', '/docs explain it', { 'follow-up': 'false' }],
    ['is told a job by `job-id`', '/docs explain it', { 'job-id': 'job_7' }],
  ])('that %s looks for none', async (_what, body, inputs) => {
    const scene = await newScene()
    await tell(scene, scene.comment('/docs explain it'), { end: NO_PULL })
    const before = scene.github.requests.length
    const { earlier } = await tell(scene, scene.comment(body), { runId: 1002, inputs, end: NO_PULL })
    expect(earlier).toEqual(none)
    expect(scene.github.requests.slice(before, before + 3)).toEqual([
      'POST /issues/comments/5003/reactions eyes',
      'POST /issues/5/comments',
      'PATCH /issues/comments/5004',
    ])
  })

  it.each<[string, Told & { number?: number }]>([
    ['on another pull request', { number: 6 }],
    ['to another workflow', { env: { GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/other.yml@main' } }],
    ['to another job of the workflow', { env: { GITHUB_JOB: 'other' } }],
    ['to another step of the job', { env: { GITHUB_ACTION: 'other' } }],
    ['to another project', { inputs: { 'project-id': 'other' } }],
    ['to another docs service', { inputs: { 'base-url': 'https://docs.example.com' } }],
    ['with another key', { inputs: { 'api-key': 'mint_another_key' } }],
  ])('%s finds no job', async (_what, options) => {
    const scene = await newScene()
    await tell(scene, scene.comment('/docs explain it'), { end: NO_PULL })
    expect(await next(scene, options)).toEqual(none)
  })

  it('of a workflow that was renamed goes on', async () => {
    const scene = await newScene()
    await tell(scene, scene.comment('/docs explain it'), { end: NO_PULL })
    expect(await next(scene, { env: { GITHUB_WORKFLOW: 'Renamed' } })).toMatchObject(continues('job_1'))
  })

  it.each([250, 1150])('finds its job behind and before %i comments of others', async (count) => {
    const scene = await newScene()
    const chatter = (): void => {
      for (let i = 0; i < count; i++)
        addComment(scene.world, { kind: 'main', number: 5, author: octocat, body: 'Hm.' })
    }
    chatter()
    await tell(scene, scene.comment('/docs explain it'), { end: NO_PULL })
    chatter()
    expect(await next(scene)).toMatchObject(continues('job_1'))
  })

  it('of a token that is an app of its own recognises its own comments alone', async () => {
    const scene = await newScene()
    scene.world.viewer = { login: 'acme-docs[bot]', id: 4711, type: 'Bot' }
    await tell(scene, scene.comment('/docs explain it'), { end: NO_PULL })
    expect(await next(scene)).toMatchObject(continues('job_1'))
    scene.world.viewer = ACTIONS
    expect(await next(scene, { runId: 1003 })).toEqual(none)
  })
})

describe('a command on the pull request that was announced', () => {
  it.each<[string, Told]>([
    ['the same step', {}],
    ['another step of the project', { env: { GITHUB_ACTION: 'other' } }],
  ])('goes on with its job, in %s', async (_what, options) => {
    const scene = await newScene()
    await tell(scene, scene.comment('/docs explain it'))
    expect(await next(scene, { number: 1, ...options })).toMatchObject(continues('job_1', PULL))
  })

  it('of another project finds none', async () => {
    const scene = await newScene()
    await tell(scene, scene.comment('/docs explain it'))
    expect(await next(scene, { number: 1, inputs: { 'project-id': 'other' } })).toEqual(none)
  })

  it('goes on with the own step where that has replied there', async () => {
    const scene = await newScene()
    await next(scene, { number: 1, job: 'job_own' })
    await tell(scene, scene.comment('/docs explain it'))
    expect(await next(scene, { number: 1, runId: 1003 })).toMatchObject(continues('job_own'))
  })
})

describe('a command in a review thread', () => {
  it('goes on with the job of the thread, not with that of the main thread or another one', async () => {
    const scene = await newScene()
    await tell(scene, scene.comment('/docs explain it'), { job: 'job_main', end: NO_PULL })
    const event = scene.reviewComment('/docs explain this line')
    const rootId = scene.world.comments.at(-1)?.id ?? 0
    const thread = await tell(scene, event, { runId: 1002, job: 'job_thread', end: NO_PULL })
    expect(thread.earlier).toEqual(none)
    const options = { runId: 1003, job: 'job_next', end: NO_PULL }
    const again = await tell(scene, scene.reviewComment('/docs shorter', { rootId }), options)
    expect(again.earlier).toMatchObject(continues('job_thread'))
    const other = await tell(scene, scene.reviewComment('/docs and this'), { ...options, runId: 1004 })
    expect(other.earlier).toEqual(none)
  })

  it('on the pull request that was announced goes on with its job', async () => {
    const scene = await newScene()
    await tell(scene, scene.comment('/docs explain it'))
    const event = scene.reviewComment('/docs fix this line', { number: 1 })
    const { earlier } = await tell(scene, event, { runId: 1002, end: NO_PULL })
    expect(earlier).toMatchObject(continues('job_1', PULL))
  })

  it('finds its job among many comments of other threads', async () => {
    const scene = await newScene()
    const event = scene.reviewComment('/docs explain this line')
    const rootId = scene.world.comments.at(-1)?.id ?? 0
    await tell(scene, event, { end: NO_PULL })
    for (let i = 0; i < 350; i++)
      addComment(scene.world, { kind: 'review', number: 5, author: octocat, body: 'Hm.' })
    const again = await tell(scene, scene.reviewComment('/docs shorter', { rootId }), {
      runId: 1002,
      end: NO_PULL,
    })
    expect(again.earlier).toMatchObject(continues('job_1'))
  })
})

describe('a marker counts for nothing', () => {
  it.each<[string, (scene: Scene, genuine: string) => void]>([
    ['in a comment of someone else', (scene, body) => copy(scene, { author: mallory, body, number: 5 })],
    ['copied to another conversation', (scene, body) => copy(scene, { author: ACTIONS, body, number: 6 })],
    [
      'quoted in a comment of ours',
      (scene, body) => copy(scene, { author: ACTIONS, body: `They said:\n${body}` }),
    ],
  ])('%s', async (_where, forge) => {
    const scene = await newScene()
    await tell(scene, scene.comment('/docs explain it'), { end: NO_PULL })
    const [reply] = scene.world.comments.splice(1, 1)
    forge(scene, reply?.history.at(-1) ?? '')
    const number = scene.world.comments.at(-1)?.number ?? 5
    expect(await next(scene, { number })).toEqual(none)
  })
})

function copy(scene: Scene, comment: { author: typeof mallory; body: string; number?: number }): void {
  addComment(scene.world, { kind: 'main', number: 5, ...comment })
}

describe('unknown is not none', () => {
  it.each(['502', '429', '403', 'html', 'empty', 'reset'] as const)(
    'where the comments can not be listed (%s)',
    async (end) => {
      const scene = await newScene()
      await tell(scene, scene.comment('/docs explain it'), { end: NO_PULL })
      scene.github.faults.push({ match: /^GET \/issues\/5\/comments$/, end })
      const earlier = await next(scene)
      expect(earlier).toMatchObject({ known: false })
      expect(scene.annotations()).toEqual([expect.stringMatching(/^warning: Failed to list our comments: /)])
      // A first attempt answers all the same.
      expect(scene.headlines()).toHaveLength(2)
      expect(scene.reactions()).toEqual(['+1', '+1'])
    },
  )

  it.each(['502', 'data-null', 'html', '401'] as const)(
    'where GitHub does not say whose token it is (%s), and a comment has our signature',
    async (end) => {
      const scene = await newScene()
      await tell(scene, scene.comment('/docs explain it'), { end: NO_PULL })
      scene.github.faults.push({ match: /graphql/, end })
      expect(await next(scene, { inputs: { comment: 'never' } })).toMatchObject({ known: false })
    },
  )

  it('but none is none where no comment has our signature, whoever we are', async () => {
    const scene = await newScene()
    scene.github.faults.push({ match: /graphql/, end: '502' })
    expect(await next(scene, { inputs: { comment: 'never' } })).toEqual(none)
    expect(scene.annotations()).toEqual([])
  })

  it('where a review thread has no job and the main thread can not be listed', async () => {
    const scene = await newScene()
    const event = scene.reviewComment('/docs explain this line')
    scene.github.faults.push({ match: /^GET \/issues/, end: '502' })
    const { earlier } = await tell(scene, event, { end: NO_PULL })
    expect(earlier).toEqual({ known: false, why: 'GitHub returned 502 ("Server Error")' })
  })
})
