import { describe, expect, it } from 'vitest'
import { ACTIONS, addComment, person } from '../support/world.ts'
import { CANCELLED, NO_PULL, octocat, REFUSED, type RunOptions, type Scene, sceneStarter } from './runs.ts'

const newScene = sceneStarter()
const PULL = 'https://github.com/acme/docs/pull/1'
const none = { known: true, value: undefined }
const continues = (id: string, prLink = '') => ({ known: true, value: { id, prLink, kind: 'continue' } })
const OTHER_STEP = { env: { GITHUB_ACTION: 'other' } }
const OTHER_PROJECT = { inputs: { 'project-id': 'other' } }

type Next = RunOptions & { readonly number?: number }

/** What the next command in the conversation on a pull request finds. */
async function next(scene: Scene, { number = 5, ...options }: Next = {}) {
  const event = scene.comment('/docs shorter', { number })
  return (await scene.start(event, { runId: 1009, ...options })).earlier
}

/** A scene in which octocat's command on pull request 5 led to a job. */
async function sceneWithJob(end: object = NO_PULL): Promise<Scene> {
  const scene = await newScene()
  await scene.tell(scene.comment('/docs explain it'), { end })
  return scene
}

function chatter(scene: Scene, kind: 'main' | 'review', count: number): void {
  for (let i = 0; i < count; i++) addComment(scene.world, { kind, number: 5, author: octocat, body: 'Hm.' })
}

describe('a further command', () => {
  it('goes on with the job of its conversation, and knows its pull request and when it was first named', async () => {
    const scene = await newScene()
    const namedAtMs = scene.clock.now()
    await scene.tell(scene.comment('/docs explain it'))
    await scene.clock.sleep(60_000)
    // The newest reply names no pull request: an older one does.
    await scene.tell(scene.comment('/docs shorter'), { runId: 1002, kind: 'message', end: CANCELLED })
    const value = { id: 'job_1', prLink: PULL, kind: 'continue', namedAtMs }
    expect(await next(scene)).toEqual({ known: true, value })
  })

  it('does not remember a link that is longer than browsers take', async () => {
    const scene = await sceneWithJob({ prLink: `${PULL}?${'x'.repeat(2000)}` })
    expect(await next(scene)).toMatchObject(continues('job_1'))
  })

  it('goes on with the newest job, but not with one that a run was refused', async () => {
    const scene = await sceneWithJob()
    await scene.tell(scene.comment('/docs new guide'), { runId: 1002, job: 'job_2', end: NO_PULL })
    const end = { ...REFUSED, jobId: 'job_refused' }
    await scene.tell(scene.comment('/docs shorter'), { runId: 1003, job: '', end })
    expect(await next(scene, { env: { GITHUB_WORKFLOW: 'Renamed' } })).toMatchObject(continues('job_2'))
  })

  it.each<[string, Next]>([
    ['on another pull request', { number: 6 }],
    ['to another workflow', { env: { GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/other.yml@main' } }],
    ['to another job of the workflow', { env: { GITHUB_JOB: 'other' } }],
    ['to another step of the job', OTHER_STEP],
    ['to another project', OTHER_PROJECT],
    ['to another docs service', { inputs: { 'base-url': 'https://docs.example.com' } }],
    ['with another key', { inputs: { 'api-key': 'mint_another_key' } }],
  ])('%s finds no job', async (_what, options) => {
    expect(await next(await sceneWithJob(), options)).toEqual(none)
  })

  it('finds its job amid 2,300 comments of others', async () => {
    const scene = await newScene()
    chatter(scene, 'main', 1150)
    await scene.tell(scene.comment('/docs explain it'), { end: NO_PULL })
    chatter(scene, 'main', 1150)
    expect(await next(scene)).toMatchObject(continues('job_1'))
  })

  it('with the token of another app recognises the comments of that app alone', async () => {
    const scene = await newScene()
    scene.world.viewer = { login: 'acme-docs[bot]', id: 4711, type: 'Bot' }
    await scene.tell(scene.comment('/docs explain it'), { end: NO_PULL })
    expect(await next(scene)).toMatchObject(continues('job_1'))
    scene.world.viewer = ACTIONS
    expect(await next(scene)).toEqual(none)
  })

  it('in a review thread goes on with the job of that thread alone', async () => {
    const scene = await sceneWithJob()
    const event = scene.reviewComment('/docs explain this line')
    const rootId = scene.world.comments.at(-1)?.id ?? 0
    const thread = await scene.tell(event, { runId: 1002, job: 'job_thread', end: NO_PULL })
    expect(thread.earlier).toEqual(none)
    chatter(scene, 'review', 350)
    const again = await scene.start(scene.reviewComment('/docs shorter', { rootId }), { runId: 1003 })
    expect(again.earlier).toMatchObject(continues('job_thread'))
    const pages = ['', '?page=2', '?page=3', '?page=4'].map((page) => `GET /pulls/5/comments${page}`)
    expect(scene.github.requests.slice(-4)).toEqual(pages)
    const other = await scene.start(scene.reviewComment('/docs and this'), { runId: 1004 })
    expect(other.earlier).toEqual(none)
  })
})

describe('a command on the pull request that was announced', () => {
  it.each<[string, RunOptions, object]>([
    ['the same step goes on with its job', {}, continues('job_1', PULL)],
    ['another step of the project, too', OTHER_STEP, continues('job_1', PULL)],
    ['another project does not', OTHER_PROJECT, none],
  ])('in %s', async (_what, options, found) => {
    expect(await next(await sceneWithJob({}), { number: 1, ...options })).toMatchObject(found)
  })

  it('goes on with the own step where that has replied there', async () => {
    const scene = await newScene()
    const own = scene.comment('/docs this', { number: 1 })
    await scene.tell(own, { runId: 1002, job: 'job_own', end: NO_PULL })
    await scene.tell(scene.comment('/docs explain it'))
    expect(await next(scene, { number: 1 })).toMatchObject(continues('job_own'))
  })

  it('in a review goes on with it, too', async () => {
    const scene = await sceneWithJob({})
    const { earlier } = await scene.start(scene.reviewComment('/docs fix this line', { number: 1 }))
    expect(earlier).toMatchObject(continues('job_1', PULL))
  })
})

it.each([
  ['in a comment of someone else', person('mallory', 666), 5, ''],
  ['copied to another conversation', ACTIONS, 6, ''],
  ['quoted in a comment of ours', ACTIONS, 5, 'They said:\n'],
])('a marker %s counts for nothing', async (_where, author, number, before) => {
  const scene = await sceneWithJob()
  const [reply] = scene.world.comments.splice(1, 1)
  const body = `${before}${reply?.history.at(-1)}`
  addComment(scene.world, { kind: 'main', number, author, body })
  expect(await next(scene, { number })).toEqual(none)
})

describe('unknown is not none', () => {
  it.each(['502', '429', '403', 'html', 'empty', 'reset'] as const)(
    'where the comments can not be listed (%s); a first run is answered all the same',
    async (end) => {
      const scene = await sceneWithJob()
      scene.github.faults.push({ match: /^GET \/issues\/5\/comments$/, end })
      const { earlier } = await scene.tell(scene.comment('/docs shorter'), { runId: 1002, end: NO_PULL })
      expect(earlier).toMatchObject({ known: false })
      expect(scene.annotations()).toEqual([expect.stringMatching(/^warning: Failed to list our comments: /)])
      expect(scene.headlines()).toHaveLength(2)
      expect(scene.reactions()).toEqual(['+1', '+1'])
    },
  )

  it.each(['502', 'data-null', 'html', '401'] as const)(
    'where a comment has our signature and GitHub does not say whose token it is (%s)',
    async (end) => {
      const [scene, empty] = [await sceneWithJob(), await newScene()]
      for (const { github } of [scene, empty]) github.faults.push({ match: /graphql/, end })
      const never = { inputs: { comment: 'never' } }
      expect(await next(scene, never)).toMatchObject({ known: false })
      // Where none has it, it does not matter.
      expect(await next(empty, never)).toEqual(none)
    },
  )

  it('where a review thread has no job and the main thread can not be listed', async () => {
    const scene = await newScene()
    scene.github.faults.push({ match: /^GET \/issues/, end: '502' })
    const { earlier } = await scene.start(scene.reviewComment('/docs explain this line'))
    expect(earlier).toEqual({ known: false, why: 'GitHub returned 502 ("Server Error")' })
  })
})
