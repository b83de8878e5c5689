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
    expect(run.log).toContain(`The earlier job ${job} is sent a message: its status is completed.`)
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

  it('that says `new`, in whatever case, is a new job', async () => {
    const scene = await usualScene()
    await write(scene, '/docs explain the flag')
    await write(scene, '/docs new explain it')
    await write(scene, '/docs NEW\nexplain that')
    await write(scene, '/docs newer words')
    expect(scene.docs.jobs).toMatchObject([
      { prompt: 'explain the flag', messages: [] },
      { prompt: 'explain it', messages: [] },
      { prompt: 'explain that', messages: ['newer words'] },
    ])
  })

  it('after a job that failed or was archived is a new job with all of the prompt', async () => {
    const scene = await usualScene()
    const inputs = { prompt: 'Be brief.' }
    await write(scene, '/docs explain it [agent: fail]', { inputs })
    const second = await write(scene, '/docs again [agent: archive]', { inputs })
    expect(second.log).toContain('cannot go on because it failed; a new job is created.')
    const third = await write(scene, '/docs once more', { inputs })
    expect(third.log).toContain('cannot go on because it was archived; a new job is created.')
    expect(third.outputs['result']).toBe('pull-request')
    expect(scene.docs.jobs).toMatchObject([
      { prompt: 'Be brief.\n\nexplain it [agent: fail]', messages: [] },
      { prompt: 'Be brief.\n\nagain [agent: archive]', messages: [] },
      { prompt: 'Be brief.\n\nonce more', messages: [] },
    ])
  })

  it.each(['merged', 'closed'])('after its pull request was %s is a new job', async (end) => {
    const scene = await usualScene()
    await write(scene, '/docs explain it')
    if (end === 'merged') await scene.docs.mergePull(1)
    else scene.docs.closePull(1)
    const run = await write(scene, '/docs again')
    expect(run.outputs).toMatchObject({ result: 'pull-request', 'pr-number': '2' })
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }, { prompt: 'again', messages: [] }])
    expect(scene.github.requests).toContain('GET /pulls/1')
    await write(scene, '/docs shorter', { number: 1 })
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }, { messages: [] }, { prompt: 'shorter' }])
  })

  it('goes on where GitHub can not be asked what became of the pull request', async () => {
    const scene = await usualScene()
    await write(scene, '/docs explain it')
    scene.github.faults.push({ match: /^GET \/pulls\/1$/, end: { status: 403, body: { message: 'No' } } })
    const run = await write(scene, '/docs again')
    expect(scene.docs.jobs).toMatchObject([{ messages: ['again'] }])
    expect(run.log).toMatch(
      /could not be asked whether the pull request http:\S+ is still open: it answered 403/,
    )
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

  const OTHERS: readonly (readonly [string, Place])[] = [
    ['another workflow', { env: { GITHUB_WORKFLOW: 'Other' } }],
    ['another job of the workflow', { env: { GITHUB_JOB: 'other' } }],
    ['another step of the job', { env: { GITHUB_ACTION: 'other' } }],
    ['another project', { inputs: { 'project-id': 'other' } }],
  ]

  it('to another step or project is a new job', async () => {
    const scene = await newScene({ projects: ['docs', 'other'] })
    scene.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
    await write(scene, '/docs explain it')
    for (const [index, [what, place]] of OTHERS.entries()) {
      await write(scene, '/docs again', place)
      expect(scene.docs.jobs, what).toHaveLength(2 + index)
    }
    expect(scene.docs.jobs.flatMap(({ messages }) => messages)).toEqual([])
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
  it('copied from another pull request counts for nothing, whoever wrote it, and quoted neither', async () => {
    const scene = await usualScene()
    await write(scene, '/docs explain it')
    const copied = scene.world.comments.at(1)?.history.at(-1) ?? ''
    expect(copied).toMatch(/^<!-- docs-agent kind=reply state=ended job=/)
    const place = { kind: 'main', number: 7 } as const
    addComment(scene.world, { ...place, author: ACTIONS, body: copied })
    addComment(scene.world, { ...place, author: person('mallory', 666), body: copied })
    addComment(scene.world, { ...place, author: ACTIONS, body: `They said:\n${copied}` })
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

  it('counts for nothing in a comment of somebody else, and within a comment of ours', async () => {
    const scene = await usualScene()
    await write(scene, '/docs explain it')
    const reply = scene.world.comments.at(1)
    const genuine = reply?.history.at(-1) ?? ''
    reply?.history.push(`They said:\n${genuine}`)
    addComment(scene.world, { kind: 'main', number: 5, author: person('mallory', 666), body: genuine })
    await write(scene, '/docs again')
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }, { messages: [] }])
  })
})
