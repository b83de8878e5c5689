import { describe, expect, it } from 'vitest'
import { type Event, issueComment, person, reviewComment } from './events.ts'
import { type Scene, sceneStarter, writtenComment } from './scene.ts'
import { ACTIONS, addComment } from './world.ts'

const newScene = sceneStarter()
const octocat = person('octocat')
const plain = { context: 'none' }

type Place = {
  readonly number?: number
  readonly inputs?: Record<string, string>
  readonly env?: Record<string, string>
}

let runId = 1000

/** A scene in which octocat may ask. */
async function usualScene(): Promise<Scene> {
  const scene = await newScene()
  scene.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
  return scene
}

/** octocat writes a comment, and a new run of the workflow answers it. */
async function write(scene: Scene, body: string, { number = 5, inputs = {}, env = {} }: Place = {}) {
  const { id } = writtenComment(scene.world, { author: octocat, body, number })
  return await react(scene, issueComment({ id, body, author: octocat, number }), { inputs, env })
}

async function review(
  scene: Scene,
  body: string,
  { number = 5, rootId }: { number?: number; rootId?: number },
) {
  const { id } = writtenComment(scene.world, {
    author: octocat,
    body,
    number,
    kind: 'review',
    ...(rootId !== undefined && { rootId }),
  })
  const event = reviewComment({
    id,
    body,
    author: octocat,
    number,
    ...(rootId !== undefined && { replyTo: rootId }),
  })
  return { id, run: await react(scene, event, {}) }
}

async function react(scene: Scene, event: Event, { inputs = {}, env = {} }: Place) {
  runId += 1
  return await scene.run({
    event,
    inputs: { ...plain, ...inputs },
    env: { GITHUB_RUN_ID: `${runId}`, ...env },
  })
}

describe('a further command', () => {
  it('in the same conversation goes on with its job, with the ask alone', async () => {
    const scene = await usualScene()
    const standing = { prompt: 'Be brief.', context: 'files' }
    await write(scene, '/docs explain the flag', { inputs: standing })
    const run = await write(scene, '/docs shorter', { inputs: standing })
    expect(run.outputs['result']).toBe('pull-request')
    expect(scene.docs.jobs).toMatchObject([{ messages: ['shorter'] }])
    const job = scene.docs.jobs[0]?.id
    expect(scene.asked().filter((line) => !line.startsWith('GET'))).toEqual([
      'POST /job',
      `POST /job/${job}/message`,
    ])
    expect(scene.said().at(-1)).toMatchObject([
      expect.stringContaining('Passing this on'),
      expect.stringContaining('continues its earlier job'),
      expect.stringContaining('Pull request ready'),
    ])
    expect(run.log).toContain(
      `The earlier job ${job} goes on because its status is completed; it is sent a message.`,
    )
  })

  it('on the pull request that was announced goes on with its job, there and in its reviews', async () => {
    const scene = await usualScene()
    await write(scene, '/docs explain the flag')
    await write(scene, '/docs shorter', { number: 1 })
    const { id } = await review(scene, '/docs fix this line', { number: 1 })
    await review(scene, '/docs and that', { number: 1, rootId: id })
    expect(scene.docs.jobs).toMatchObject([{ messages: ['shorter', 'fix this line', 'and that'] }])
    const announcements = scene.said().filter(([first]) => first?.startsWith('💬'))
    expect(announcements).toHaveLength(1)
  })

  it('in another conversation is a new job', async () => {
    const scene = await usualScene()
    await write(scene, '/docs explain the flag')
    await write(scene, '/docs explain the other flag', { number: 6 })
    await review(scene, '/docs explain this line', { number: 5 })
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }, { messages: [] }, { messages: [] }])
  })

  it.each(['/docs new explain it', '/docs NEW\nexplain it'])('%j is a new job', async (body) => {
    const scene = await usualScene()
    await write(scene, '/docs explain the flag')
    await write(scene, body)
    expect(scene.docs.jobs.map(({ prompt }) => prompt)).toEqual(['explain the flag', 'explain it'])
    await write(scene, '/docs newer words')
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }, { messages: ['newer words'] }])
  })

  it.each([
    ['fail', 'it failed'],
    ['archive', 'it was archived'],
  ])('after a job that ended with %s is a new job with all of the prompt', async (end, why) => {
    const scene = await usualScene()
    const inputs = { prompt: 'Be brief.' }
    await write(scene, `/docs explain it [agent: ${end}]`, { inputs })
    const run = await write(scene, '/docs again', { inputs })
    expect(run.outputs['result']).toBe('pull-request')
    expect(scene.docs.jobs[1]?.prompt).toBe('Be brief.\n\nagain')
    expect(run.log).toContain(`cannot go on because ${why}; a new job is created.`)
  })

  it('after a job that is gone is a new job', async () => {
    const scene = await usualScene()
    await write(scene, '/docs explain it')
    scene.docs.faults.add({ kind: 'status', status: 404, match: { path: 'look' } })
    await write(scene, '/docs again')
    expect(scene.docs.jobs.map(({ prompt }) => prompt)).toEqual(['explain it', 'again'])
  })

  it('starts and sends nothing where the earlier job can not be looked at', async () => {
    const scene = await usualScene()
    await write(scene, '/docs explain it')
    scene.docs.faults.add({ kind: 'status', status: 401, match: { path: 'look' } })
    const run = await write(scene, '/docs again')
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error' } })
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }])
    expect(scene.reactions()).toEqual(['rocket', 'confused'])
  })

  it('is a new job with `follow-up: false`, and the reply promises nothing else', async () => {
    const scene = await usualScene()
    await write(scene, '/docs explain it', { inputs: { 'follow-up': 'false' } })
    await write(scene, '/docs again', { inputs: { 'follow-up': 'false' } })
    expect(scene.docs.jobs).toHaveLength(2)
    expect(scene.said().flat().join()).not.toContain('To go on')
  })

  it('goes on with the job of `job-id`, where that is given, by a message put together like a prompt', async () => {
    const scene = await usualScene()
    await write(scene, '/docs explain it')
    await write(scene, '/docs explain that', { number: 6 })
    const [first] = scene.docs.jobs
    await write(scene, '/docs again', {
      number: 6,
      inputs: { 'job-id': first?.id ?? '', prompt: 'Be brief.' },
    })
    expect(scene.docs.jobs).toMatchObject([{ messages: ['Be brief.\n\nagain'] }, { messages: [] }])
  })

  it.each([
    ['another workflow', { env: { GITHUB_WORKFLOW: 'Other' } }],
    ['another job of the workflow', { env: { GITHUB_JOB: 'other' } }],
    ['another step of the job', { env: { GITHUB_ACTION: 'other' } }],
    ['another project', { inputs: { 'project-id': 'other' } }],
  ])('to %s is a new job', async (_what, place) => {
    const scene = await newScene({ projects: ['docs', 'other'] })
    scene.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
    await write(scene, '/docs explain it')
    await write(scene, '/docs again', place)
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }, { messages: [] }])
  })

  it('finds its job on the last of many pages', async () => {
    const scene = await usualScene()
    for (let i = 0; i < 250; i++)
      addComment(scene.world, { kind: 'main', number: 5, author: octocat, body: 'Hm.' })
    await write(scene, '/docs explain it')
    await write(scene, '/docs again')
    expect(scene.docs.jobs).toMatchObject([{ messages: ['again'] }])
    expect(scene.github.requests).toContain('GET /issues/5/comments?page=3')
  })
})

describe('a thread of more than 500 comments', () => {
  it('is read from its end, in five requests', async () => {
    const scene = await usualScene()
    for (let i = 0; i < 1150; i++)
      addComment(scene.world, { kind: 'main', number: 5, author: octocat, body: 'Hm.' })
    await write(scene, '/docs explain it')
    const before = scene.github.requests.length
    await write(scene, '/docs again')
    expect(scene.docs.jobs).toMatchObject([{ messages: ['again'] }])
    expect(scene.github.requests.slice(before).filter((line) => line.startsWith('GET /issues/5/'))).toEqual([
      'GET /issues/5/comments',
      'GET /issues/5/comments?page=9',
      'GET /issues/5/comments?page=10',
      'GET /issues/5/comments?page=11',
      'GET /issues/5/comments?page=12',
    ])
  })

  it('of reviews is read from its end, until the thread begins', async () => {
    const scene = await usualScene()
    for (let i = 0; i < 350; i++)
      addComment(scene.world, { kind: 'review', number: 5, author: octocat, body: 'Hm.' })
    const { id } = await review(scene, '/docs explain this line', {})
    const before = scene.github.requests.length
    await review(scene, '/docs shorter', { rootId: id })
    expect(scene.docs.jobs).toMatchObject([{ messages: ['shorter'] }])
    expect(scene.github.requests.slice(before).filter((line) => line.startsWith('GET /pulls/5/'))).toEqual([
      'GET /pulls/5/comments',
    ])
  })
})

describe('a marker', () => {
  it('of another pull request, copied by the same account, counts for nothing', async () => {
    const scene = await usualScene()
    await write(scene, '/docs explain it')
    const copied = scene.world.comments.at(1)?.history.at(-1) ?? ''
    addComment(scene.world, { kind: 'main', number: 7, author: ACTIONS, body: copied })
    await write(scene, '/docs again', { number: 7 })
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }, { messages: [] }])
  })

  it('with another job in it, written by the same account, counts for nothing', async () => {
    const scene = await usualScene()
    await write(scene, '/docs explain that', { number: 6 })
    await write(scene, '/docs explain it')
    const [that, it] = scene.docs.jobs.map(({ id }) => id)
    const own = scene.world.comments.find(({ history }) => history.at(-1)?.includes(` job=${it} `))
    const forged = own?.history.at(-1)?.replace(` job=${it} `, ` job=${that} `) ?? ''
    addComment(scene.world, { kind: 'main', number: 5, author: ACTIONS, body: forged })
    await write(scene, '/docs again')
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }, { messages: ['again'] }])
  })

  it('copied into a comment of somebody else counts for nothing', async () => {
    const scene = await usualScene()
    await write(scene, '/docs explain it')
    const copied = scene.world.comments.at(1)?.history.at(-1) ?? ''
    expect(copied).toMatch(/^<!-- docs-agent kind=reply state=ended job=/)
    addComment(scene.world, { kind: 'main', number: 7, author: person('mallory', 666), body: copied })
    await write(scene, '/docs again', { number: 7 })
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }, { messages: [] }])
  })

  it('quoted within a comment of the same account counts for nothing', async () => {
    const scene = await usualScene()
    await write(scene, '/docs explain it')
    const copied = scene.world.comments.at(1)?.history.at(-1) ?? ''
    addComment(scene.world, { kind: 'main', number: 7, author: ACTIONS, body: `They said:\n${copied}` })
    await write(scene, '/docs again', { number: 7 })
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }, { messages: [] }])
  })
})
