import { describe, expect } from 'vitest'
import { ACTIONS, addComment } from '../support/world.ts'
import {
  CANCELLED,
  DONE,
  ending,
  itWithScene,
  octocat,
  PULL,
  READY,
  REFUSED,
  type RunOptions,
  type Scene,
} from './runs.ts'

const it = itWithScene()
const none = { known: true, value: undefined }
const continues = (id: string, prLink = '') => ({ known: true, value: { id, prLink, kind: 'continue' } })
const OTHER_STEP = { env: { GITHUB_ACTION: 'other' } }
const OTHER_PROJECT = { inputs: { 'project-id': 'other' } }
const LIST = /^GET \/issues\/5\/comments$/

type Next = RunOptions & { readonly number?: number }

/** What the next command in the conversation on a pull request finds. */
async function next({ start, comment }: Scene, { number = 5, ...options }: Next = {}) {
  return (await start(comment('/docs shorter', { number }), { runId: 1009, ...options })).earlier
}

function chatter(scene: Scene, kind: 'main' | 'review', count: number): void {
  for (let i = 0; i < count; i++) addComment(scene.world, { kind, number: 5, author: octocat, body: 'Hm.' })
}

describe('a further command', () => {
  it('goes on with the job of its conversation, its pull request and first time', async ({ scene }) => {
    const namedAtMs = scene.clock.now()
    await scene.ask({ end: READY })
    await scene.clock.sleep(60_000)
    // The newest reply names no pull request: an older one does.
    await scene.ask({ runId: 1002, kind: 'message', end: CANCELLED })
    const value = { id: 'job_1', prLink: PULL, kind: 'continue', namedAtMs }
    expect(await next(scene)).toEqual({ known: true, value })
  })

  it('does not remember a link that is longer than browsers take', async ({ scene }) => {
    await scene.ask({ end: { prLink: `${PULL}?${'x'.repeat(2000)}` } })
    expect(await next(scene)).toMatchObject(continues('job_1'))
  })

  it('goes on with the newest job, but not with one that a run was refused', async ({ scene }) => {
    await scene.ask()
    await scene.ask({ words: '/docs new guide', runId: 1002, job: 'job_2' })
    await scene.ask({ runId: 1003, job: '', end: { ...REFUSED, jobId: 'job_refused' } })
    expect(await next(scene, { env: { GITHUB_WORKFLOW: 'Renamed' } })).toMatchObject(continues('job_2'))
  })

  it.for<[string, Next]>([
    ['on another pull request', { number: 6 }],
    ['to another workflow', { env: { GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/other.yml@main' } }],
    ['to another job of the workflow', { env: { GITHUB_JOB: 'other' } }],
    ['to another step of the job', OTHER_STEP],
    ['to another project', OTHER_PROJECT],
    ['to another docs service', { inputs: { 'base-url': 'https://docs.example.com' } }],
    ['with another key', { inputs: { 'api-key': 'mint_another_key' } }],
  ])('%s finds no job', async ([_what, options], { scene }) => {
    await scene.ask()
    expect(await next(scene, options)).toEqual(none)
  })

  it('finds its job amid 2,300 comments of others', async ({ scene }) => {
    chatter(scene, 'main', 1150)
    await scene.ask()
    chatter(scene, 'main', 1150)
    expect(await next(scene)).toMatchObject(continues('job_1'))
  })

  it('with the token of another app recognises the comments of that app alone', async ({ scene }) => {
    scene.world.viewer = { login: 'acme-docs[bot]', id: 4711, type: 'Bot' }
    await scene.ask()
    expect(await next(scene)).toMatchObject(continues('job_1'))
    scene.world.viewer = ACTIONS
    expect(await next(scene)).toEqual(none)
  })

  it('in a review thread goes on with the job of that thread alone', async ({ scene }) => {
    await scene.ask()
    const event = scene.reviewComment('/docs explain this line')
    const rootId = scene.world.comments.at(-1)?.id ?? 0
    expect((await scene.tell(event, { runId: 1002, job: 'job_thread' })).earlier).toEqual(none)
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
  it.for<[string, RunOptions, object]>([
    ['the same step goes on with its job', {}, continues('job_1', PULL)],
    ['another step of the project, too', OTHER_STEP, continues('job_1', PULL)],
    ['another project does not', OTHER_PROJECT, none],
  ])('in %s', async ([_what, options, found], { scene }) => {
    await scene.ask({ end: READY })
    expect(await next(scene, { number: 1, ...options })).toMatchObject(found)
  })

  it('goes on with the own step where that has replied there', async ({ scene }) => {
    await scene.ask({ number: 1, runId: 1002, job: 'job_own' })
    await scene.ask({ end: READY })
    expect(await next(scene, { number: 1 })).toMatchObject(continues('job_own'))
  })

  it('in a review goes on with it, too', async ({ scene }) => {
    await scene.ask({ end: READY })
    const { earlier } = await scene.start(scene.reviewComment('/docs fix this line', { number: 1 }))
    expect(earlier).toMatchObject(continues('job_1', PULL))
  })
})

describe('unknown is not none', () => {
  it('where the comments can not be listed; a first run is answered all the same', async ({ scene }) => {
    await scene.ask()
    scene.github.faults.push({ match: LIST, end: '502' })
    expect((await scene.ask({ runId: 1002 })).earlier).toMatchObject({ known: false })
    expect(scene.annotations()).toEqual([expect.stringMatching(/^warning: Failed to list our comments: /)])
    expect(scene.headlines()).toHaveLength(2)
    expect(scene.reactions()).toEqual(['+1', '+1'])
  })

  it('where a review thread has no job and the main thread can not be listed', async ({ scene }) => {
    scene.github.faults.push({ match: /^GET \/issues/, end: '502' })
    const { earlier } = await scene.start(scene.reviewComment('/docs explain this line'))
    expect(earlier).toEqual({ known: false, why: 'GitHub returned 502 ("Server Error")' })
  })
})

const again = { attempt: 2, kind: 'wait' } as const
const resumes = { known: true, value: { id: 'job_1', kind: 'resume' } }

describe('a re-run of a command', () => {
  it('finds its reply again, goes on with the job that it names, and edits it', async ({ scene }) => {
    const event = scene.comment()
    const namedAtMs = scene.clock.now()
    await scene.tell(event, { end: CANCELLED })
    // An attempt that is killed before it has looked at the job leaves it to the next one.
    await scene.start(event, { attempt: 2 })
    const before = scene.github.requests.length
    const { earlier } = await scene.tell(event, { ...again, attempt: 3 })
    expect(earlier).toEqual({ known: true, value: { id: 'job_1', prLink: '', kind: 'resume', namedAtMs } })
    expect(scene.headlines()).toEqual([DONE])
    expect(scene.reactions()).toEqual(['+1'])
    const edit = 'PATCH /issues/comments/5002'
    expect(scene.github.requests.slice(before)).toEqual([
      'POST /issues/comments/5001/reactions eyes',
      'GET /issues/5/comments',
      ...[edit, edit, edit],
      'POST /issues/comments/5001/reactions +1',
      'GET /issues/comments/5001/reactions',
      'DELETE /issues/comments/5001/reactions/902',
      'DELETE /issues/comments/5001/reactions/903',
    ])
  })

  it('finds its job also where a new job or that of `job-id` was wanted', async ({ scene }) => {
    const event = scene.comment('/docs new explain it')
    await scene.tell(event)
    for (const inputs of [{}, { 'job-id': 'job_7' }]) {
      expect((await scene.tell(event, { ...again, inputs })).earlier).toMatchObject(resumes)
    }
  })

  it('goes on with the conversation where its own message was refused', async ({ scene }) => {
    await scene.ask()
    const event = scene.comment('/docs shorter')
    const refused = await scene.start(event, { runId: 1002 })
    await refused.finish(ending(REFUSED))
    expect(scene.said()[1]?.at(-1)).toMatch(/\n\nJob `job_1`\.$/)
    const { earlier } = await scene.tell(event, { ...again, runId: 1002 })
    expect(earlier).toMatchObject({ value: { id: 'job_1', kind: 'continue' } })
    expect(scene.said()).toHaveLength(2)
  })

  it.for([
    ['the comments', LIST, '403'],
    ['a list', LIST, 'html'],
    ['whose token it is', /graphql|eyes$/, '502'],
  ] as const)('that can not read %s leaves its reply as it is', async ([_what, match, end], { scene }) => {
    const event = scene.comment()
    await scene.tell(event, { end: CANCELLED })
    const body = scene.world.comments[1]?.history.at(-1)
    // The first requests alone fail: what is written later must not lose the job.
    scene.github.faults.push({ match, end })
    const second = await scene.start(event, { attempt: 2 })
    scene.github.faults.splice(0)
    expect(second.earlier).toMatchObject({ known: false })
    await second.finish(ending({ ...REFUSED, jobId: '' }))
    expect(scene.world.comments[1]?.history.at(-1)).toBe(body)
    expect(scene.said()).toHaveLength(1)
    expect(scene.reactions()).toEqual(['confused'])
    expect((await scene.tell(event, { ...again, attempt: 3 })).earlier).toMatchObject(resumes)
  })
})
