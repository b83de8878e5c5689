import { describe, expect, it } from 'vitest'
import { startConversation } from '../../src/comments/conversation.ts'
import { pullRequest } from '../support/events.ts'
import { ending, NO_PULL, post, type Scene, sceneStarter, type Told, tell } from './runs.ts'

const newScene = sceneStarter()
const inputs = { prompt: 'Document it.', comment: 'always' }
const DONE = '✅ **Completed without a pull request**'
const STARTING = '⏳ **Starting the docs agent …**'

/** A run for pull request 5, from its start to its end. */
const tellOf = (scene: Scene, runId: number, options: Told = {}) =>
  tell(scene, pullRequest(), { runId, inputs, end: NO_PULL, ...options })

/** A run for pull request 5 that is started, and not ended. */
async function startOf(scene: Scene, runId: number, options: Told = {}) {
  const { run, trigger } = scene.run(pullRequest(), { runId, inputs, ...options })
  return await startConversation(trigger, run)
}

/** Lets all runs list the comments of pull request 5 before any of them writes one. */
function listAtOnce(scene: Scene): void {
  scene.github.faults.push({ match: /^GET \/issues\/5\/comments$/, end: { delayMs: 150 }, times: 2 })
}

const failed = { ...NO_PULL, result: 'failed', headline: "The agent's job failed" }

describe('a status comment', () => {
  it('is written once for each pull request and step, and edited to its end', async () => {
    const scene = await newScene()
    await tellOf(scene, 1001)
    expect(scene.github.requests).toEqual([
      'GET /issues/5/comments',
      'POST /issues/5/comments',
      'GET /issues/5/comments',
      'GET /issues/5/comments',
      'PATCH /issues/comments/5001',
      'GET /issues/5/comments',
      'PATCH /issues/comments/5001',
    ])
    await tellOf(scene, 1002, { end: failed })
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
    expect(scene.saved('set-output', 'comment-id')).toBe('5001')
    expect(scene.saved('save-state', 'pending')).toBe('{}')
    await tellOf(scene, 1003, { env: { GITHUB_JOB: 'other' } })
    expect(scene.said()).toHaveLength(2)
  })

  it.each([
    ['`auto`', pullRequest(), { comment: 'auto' }],
    ['`never`', pullRequest(), { comment: 'never' }],
    ['a dry run', pullRequest(), { 'dry-run': 'true' }],
    ['another event', { name: 'push', payload: { ref: 'refs/heads/main' } }, {}],
  ])('is not written by %s', async (_what, event, change) => {
    const scene = await newScene()
    await tell(scene, event, { inputs: { ...inputs, ...change }, end: NO_PULL })
    expect(scene.github.requests).toEqual([])
  })

  it('can be gone on from by a command', async () => {
    const scene = await newScene()
    await tellOf(scene, 1001)
    const { earlier } = await tell(scene, scene.comment('/docs shorter'), { runId: 1002, end: NO_PULL })
    expect(earlier).toMatchObject({ value: { id: 'job_1', kind: 'continue' } })
  })

  it('leads a re-run of its run to its job', async () => {
    const scene = await newScene()
    await tellOf(scene, 1001)
    const again = await startOf(scene, 1001, { attempt: 2 })
    expect(again.earlier).toMatchObject({ value: { id: 'job_1', kind: 'resume' } })
    expect(scene.headlines()).toEqual([STARTING])
  })

  it('of a newer run leads a re-run of an older one to no job, and keeps its words', async () => {
    const scene = await newScene()
    await tellOf(scene, 1001)
    await tellOf(scene, 1002)
    const again = await tellOf(scene, 1001, { attempt: 2, end: failed })
    expect(again.earlier).toEqual({ known: true, value: undefined })
    expect(scene.headlines()).toEqual([DONE])
  })

  it('that can not be read leaves a re-run not knowing its job, and is left as it is', async () => {
    const scene = await newScene()
    await tellOf(scene, 1001)
    scene.github.faults.push({ match: /^GET \/issues\/5\/comments$/, end: '502', times: 12 })
    const again = await startOf(scene, 1001, { attempt: 2 })
    scene.github.faults.splice(0)
    expect(again.earlier).toMatchObject({ known: false })
    await again.finish(ending(failed))
    expect(scene.headlines()).toEqual([DONE])
  })
})

describe('two runs at once', () => {
  it.each([
    [1001, 1002],
    [1002, 1001],
  ])('leave one comment with the words of the newer one: %i and %i', async (one, other) => {
    const scene = await newScene()
    listAtOnce(scene)
    const runs = [one, other].map((runId) => tellOf(scene, runId, { end: runId === 1002 ? failed : NO_PULL }))
    await Promise.all(runs)
    expect(scene.github.requests.filter((line) => line.startsWith('POST'))).toHaveLength(2)
    expect(scene.headlines()).toEqual(["✅ **The agent's job failed**"])
    expect(scene.log).toContain('A newer run has written the status comment')
    expect(scene.saved('save-state', 'pending')).toBe('{}')
  })

  it('an older one never overwrites the words of a newer one', async () => {
    const scene = await newScene()
    const older = await startOf(scene, 1001)
    await tellOf(scene, 1002)
    await older.accepted('job_2', 'create', '')
    await older.finish(ending(failed))
    expect(scene.headlines()).toEqual([DONE])
    expect(scene.saved('save-state', 'pending')).toBe('{}')
  })

  it('a later attempt counts as newer', async () => {
    const scene = await newScene()
    const first = await startOf(scene, 1001)
    await tellOf(scene, 1001, { attempt: 2 })
    await first.finish(ending(failed))
    expect(scene.headlines()).toEqual([DONE])
  })

  it('a cancelled older one never overwrites the words of a newer one, nor does its post step', async () => {
    const scene = await newScene()
    const cancel = new AbortController()
    const older = await startOf(scene, 1001, { cancel: cancel.signal })
    await tellOf(scene, 1002)
    cancel.abort()
    await older.finish(ending({ ...failed, result: 'cancelled' }))
    expect(scene.headlines()).toEqual([DONE])
    await post(scene, pullRequest(), { inputs })
    expect(scene.headlines()).toEqual([DONE])
  })

  it('an older one that can not read the comment never overwrites the words of a newer one', async () => {
    const scene = await newScene()
    const older = await startOf(scene, 1001)
    await tellOf(scene, 1002)
    scene.github.faults.push({ match: /^GET/, end: '502' })
    await older.finish(ending(failed))
    expect(scene.headlines()).toEqual([DONE])
  })

  it.each([
    [1001, 1002],
    [1002, 1001],
  ])('of which %i is cancelled as it has written its comment leave one', async (cancelled, other) => {
    const scene = await newScene()
    const cancel = new AbortController()
    const begun = startOf(scene, other)
    listAtOnce(scene)
    const stopped = startOf(scene, cancelled, { cancel: cancel.signal })
    await begun
    cancel.abort()
    await (await stopped).finish(ending({ ...failed, result: 'cancelled', headline: 'Cancelled' }))
    const pending = scene.saved('save-state', 'pending') ?? ''
    await (await begun).finish(ending(NO_PULL))
    await post(scene, pullRequest(), { inputs, runId: cancelled, pending })
    expect(scene.headlines()).toEqual([other === 1002 ? DONE : '✅ **Cancelled**'])
  })

  it('of which one was killed for good leave a comment that the next run deletes', async () => {
    const scene = await newScene()
    const { comments, deleted } = scene.world
    await tellOf(scene, 1002)
    const [first] = comments.splice(0)
    deleted.push(first?.id ?? 0)
    await startOf(scene, 1001)
    comments.unshift(...(first === undefined ? [] : [first]))
    expect(scene.headlines()).toEqual([DONE, STARTING])
    await tellOf(scene, 1003)
    expect(comments.map(({ id }) => id)).toEqual([5001])
    expect(scene.headlines()).toEqual([DONE])
  })
})
