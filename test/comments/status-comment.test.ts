import { describe, expect } from 'vitest'
import { pullRequest, pushBy } from '../support/events.ts'
import {
  CANCELLED,
  DONE,
  ending,
  FAILED,
  itWithScene,
  type RunOptions,
  type Scene,
  STARTING,
} from './runs.ts'

const it = itWithScene()
const inputs = { prompt: 'Document it.', comment: 'always' }
const FAILURE = "✅ **The agent's job failed**"
const LIST = /^GET \/issues\/5\/comments$/

/** A run for pull request 5, started, or told to its end. */
const start = (scene: Scene, runId: number, options: RunOptions = {}) =>
  scene.start(pullRequest(), { runId, inputs, ...options })
const tell = (scene: Scene, runId: number, end = {}, options: RunOptions = {}) =>
  scene.tell(pullRequest(), { runId, inputs, end, ...options })

/** Lets two runs list the comments of pull request 5 before either of them writes one. */
function listAtOnce(scene: Scene): void {
  scene.github.faults.push({ match: LIST, end: { delayMs: 150 }, times: 2 })
}

describe('a status comment', () => {
  it('is written once for each pull request and step, and edited to its end', async ({ scene }) => {
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
    await tell(scene, 1003, {}, { env: { GITHUB_JOB: 'other' } })
    expect(scene.headlines()).toEqual([FAILURE, DONE])
  })

  it.for([
    ['`auto`', pullRequest(), { comment: 'auto' }],
    ['`never`', pullRequest(), { comment: 'never' }],
    ['a dry run', pullRequest(), { 'dry-run': 'true' }],
    ['another event', pushBy('octocat'), {}],
  ] as const)('is not written by %s', async ([_what, event, change], { scene }) => {
    await scene.tell(event, { inputs: { ...inputs, ...change } })
    expect(scene.github.requests).toEqual([])
  })

  it('leads a command and a re-run to its job, but keeps its words from older runs', async ({ scene }) => {
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
})

describe('of two runs at once', () => {
  it.for([
    [1001, 1002],
    [1002, 1001],
  ])('%i and %i leave one comment with the words of the newer one', async (runIds, { scene }) => {
    listAtOnce(scene)
    await Promise.all(runIds.map((id) => tell(scene, id, id === 1002 ? FAILED : {})))
    expect(scene.github.requests.filter((line) => line.startsWith('POST'))).toHaveLength(2)
    expect(scene.headlines()).toEqual([FAILURE])
    expect(scene.pending()).toBe('{}')
  })

  const fail = ({ github }: Scene) => void github.faults.push({ match: /^GET/, end: '502' })
  it.for<[string, RunOptions & { runId: number }, ((scene: Scene, cancel: AbortController) => void)?]>([
    ['an older one', { runId: 1002 }],
    ['an earlier attempt', { runId: 1001, attempt: 2 }],
    ['an older one that is cancelled', { runId: 1002 }, (_scene, cancel) => cancel.abort()],
    ['an older one that can not read the comment', { runId: 1002 }, fail],
  ])('%s never overwrites the words of the newer one', async ([_who, newer, meet], { scene }) => {
    const cancel = new AbortController()
    const older = await start(scene, 1001, { cancel: cancel.signal })
    await tell(scene, newer.runId, {}, newer)
    meet?.(scene, cancel)
    await older.accepted('job_2', 'create', '')
    await older.finish(ending(FAILED))
    expect(scene.headlines()).toEqual([DONE])
    if (meet === undefined) expect(scene.log()).toContain('A newer run has written the status comment')
    // Nor does its post step.
    scene.github.faults.splice(0)
    await scene.post(pullRequest(), { inputs })
    expect(scene.headlines()).toEqual([DONE])
  })

  it.for([
    [1001, 1002, DONE],
    [1002, 1001, '✅ **Cancelled**'],
  ] as const)('%i is cancelled as it has written its comment: one is left', async (row, { scene }) => {
    const [cancelled, other, headline] = row
    const cancel = new AbortController()
    const begun = start(scene, other)
    listAtOnce(scene)
    const stopped = start(scene, cancelled, { cancel: cancel.signal })
    await begun
    cancel.abort()
    await (await stopped).finish(ending(CANCELLED))
    const pending = scene.pending()
    await (await begun).finish(ending())
    await scene.post(pullRequest(), { inputs, runId: cancelled }, pending)
    expect(scene.headlines()).toEqual([headline])
  })
})
