import { describe, expect, it } from 'vitest'
import { pullRequest, pushBy } from '../support/events.ts'
import { CANCELLED, ending, FAILED, NO_PULL, type RunOptions, type Scene, sceneStarter } from './runs.ts'

const newScene = sceneStarter()
const inputs = { prompt: 'Document it.', comment: 'always' }
const DONE = '✅ **Completed without a pull request**'
const FAILURE = "✅ **The agent's job failed**"
const STARTING = '⏳ **Starting the docs agent …**'
const LIST = /^GET \/issues\/5\/comments$/

/** A run for pull request 5, started, or told to its end. */
const start = (scene: Scene, runId: number, options: RunOptions = {}) =>
  scene.start(pullRequest(), { runId, inputs, ...options })
const tell = (scene: Scene, runId: number, end = NO_PULL, options: RunOptions = {}) =>
  scene.tell(pullRequest(), { runId, inputs, end, ...options })

/** Lets two runs list the comments of pull request 5 before either of them writes one. */
function listAtOnce(scene: Scene): void {
  scene.github.faults.push({ match: LIST, end: { delayMs: 150 }, times: 2 })
}

describe('a status comment', () => {
  it('is written once for each pull request and step, and edited to its end', async () => {
    const scene = await newScene()
    await tell(scene, 1001)
    const edit = ['GET /issues/5/comments', 'PATCH /issues/comments/5001']
    const written = ['GET /issues/5/comments', 'POST /issues/5/comments', 'GET /issues/5/comments']
    expect(scene.github.requests).toEqual([...written, ...edit, ...edit])
    await scene.tell({ ...pullRequest(), name: 'pull_request_target' }, { runId: 1002, inputs, end: FAILED })
    expect(scene.said()).toEqual([
      [
        expect.stringMatching(/^⏳ \*\*Starting the docs agent …\*\*\n\nFor `ec26c3e` · \[workflow run\]/),
        expect.stringContaining('The docs agent is working …'),
        expect.stringContaining(DONE),
        expect.stringContaining(STARTING),
        expect.stringContaining('The docs agent is working …'),
        // Nobody knows whether a workflow listens to commands here.
        expect.stringMatching(/^✅ \*\*The agent's job failed\*\*\n\nFor .*runs\/1002\)\n\nJob `job_1`\.$/),
      ],
    ])
    expect(scene.output('comment-id')).toBe('5001')
    expect(scene.pending()).toBe('{}')
    await tell(scene, 1003, NO_PULL, { env: { GITHUB_JOB: 'other' } })
    expect(scene.headlines()).toEqual([FAILURE, DONE])
  })

  it.each([
    ['`auto`', pullRequest(), { comment: 'auto' }],
    ['`never`', pullRequest(), { comment: 'never' }],
    ['a dry run', pullRequest(), { 'dry-run': 'true' }],
    ['another event', pushBy('octocat'), {}],
  ])('is not written by %s', async (_what, event, change) => {
    const scene = await newScene()
    await scene.tell(event, { inputs: { ...inputs, ...change }, end: NO_PULL })
    expect(scene.github.requests).toEqual([])
  })

  it('leads a command and a re-run to its job, but not the re-run of an older run, whose words it keeps', async () => {
    const scene = await newScene()
    await tell(scene, 1001)
    await tell(scene, 1002)
    const command = await scene.start(scene.comment('/docs shorter'), { runId: 1003 })
    expect(command.earlier).toMatchObject({ value: { id: 'job_1', kind: 'continue' } })
    const older = await tell(scene, 1001, FAILED, { attempt: 2 })
    expect(older.earlier).toEqual({ known: true, value: undefined })
    expect(scene.headlines()[0]).toBe(DONE)
    const again = await start(scene, 1002, { attempt: 2 })
    expect(again.earlier).toMatchObject({ value: { id: 'job_1', kind: 'resume' } })
    expect(scene.headlines()[0]).toBe(STARTING)
  })

  it('that can not be read leaves a re-run not knowing its job, and is left as it is', async () => {
    const scene = await newScene()
    await tell(scene, 1001)
    scene.github.faults.push({ match: LIST, end: '502', times: 12 })
    const again = await start(scene, 1001, { attempt: 2 })
    scene.github.faults.splice(0)
    expect(again.earlier).toMatchObject({ known: false })
    await again.finish(ending(FAILED))
    expect(scene.headlines()).toEqual([DONE])
  })
})

describe('of two runs at once', () => {
  it.each([
    [1001, 1002],
    [1002, 1001],
  ])('%i and %i leave one comment with the words of the newer one', async (one, other) => {
    const scene = await newScene()
    listAtOnce(scene)
    await Promise.all([one, other].map((id) => tell(scene, id, id === 1002 ? FAILED : NO_PULL)))
    expect(scene.github.requests.filter((line) => line.startsWith('POST'))).toHaveLength(2)
    expect(scene.headlines()).toEqual([FAILURE])
    expect(scene.pending()).toBe('{}')
  })

  const cancelled = (_scene: Scene, cancel: AbortController) => cancel.abort()
  const failing = ({ github }: Scene) => void github.faults.push({ match: /^GET/, end: '502' })
  type Meet = (scene: Scene, cancel: AbortController) => void
  it.each<[string, RunOptions & { runId: number }, Meet | undefined]>([
    ['an older one', { runId: 1002 }, undefined],
    ['an earlier attempt', { runId: 1001, attempt: 2 }, undefined],
    ['an older one that is cancelled', { runId: 1002 }, cancelled],
    ['an older one that can not read the comment', { runId: 1002 }, failing],
  ])('%s never overwrites the words of the newer one, nor does its post step', async (_who, newer, meet) => {
    const scene = await newScene()
    const cancel = new AbortController()
    const older = await start(scene, 1001, { cancel: cancel.signal })
    await tell(scene, newer.runId, NO_PULL, newer)
    meet?.(scene, cancel)
    await older.accepted('job_2', 'create', '')
    await older.finish(ending(FAILED))
    expect(scene.headlines()).toEqual([DONE])
    if (meet === undefined) expect(scene.log).toContain('A newer run has written the status comment')
    scene.github.faults.splice(0)
    await scene.post(pullRequest(), { inputs })
    expect(scene.headlines()).toEqual([DONE])
  })

  it.each([
    [1001, 1002, DONE],
    [1002, 1001, '✅ **Cancelled**'],
  ])('%i is cancelled as it has written its comment: one is left', async (cancelled, other, headline) => {
    const scene = await newScene()
    const cancel = new AbortController()
    const begun = start(scene, other)
    listAtOnce(scene)
    const stopped = start(scene, cancelled, { cancel: cancel.signal })
    await begun
    cancel.abort()
    await (await stopped).finish(ending(CANCELLED))
    const pending = scene.pending()
    await (await begun).finish(ending(NO_PULL))
    await scene.post(pullRequest(), { inputs, runId: cancelled }, pending)
    expect(scene.headlines()).toEqual([headline])
  })

  it('one is killed for good: the next run deletes what it left', async () => {
    const scene = await newScene()
    const { comments, deleted } = scene.world
    await tell(scene, 1002)
    const [first] = comments.splice(0)
    deleted.push(first?.id ?? 0)
    await start(scene, 1001)
    comments.unshift(...(first === undefined ? [] : [first]))
    expect(scene.headlines()).toEqual([DONE, STARTING])
    await tell(scene, 1003, FAILED)
    expect(comments.map(({ id }) => id)).toEqual([5001])
    expect(scene.headlines()).toEqual([FAILURE])
  })
})
