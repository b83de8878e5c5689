import { describe, expect, it } from 'vitest'
import { issueComment, person, pullRequest } from './events.ts'
import { type Scene, sceneStarter, writtenComment } from './scene.ts'

const newScene = sceneStarter()
const always = { prompt: 'Document it.', context: 'none', comment: 'always' }

/** A run for pull request 5 that is told to comment there. */
function runOn(scene: Scene, runId: number, { words = '', attempt = 1, ...inputs }: RunChange = {}) {
  return scene.run({
    event: pullRequest(),
    inputs: { ...always, prompt: `Document it. ${words}`, ...inputs },
    env: { GITHUB_RUN_ID: `${runId}`, GITHUB_RUN_ATTEMPT: `${attempt}` },
  })
}

type RunChange = { readonly words?: string; readonly attempt?: number; readonly 'job-id'?: string }

/** What the comments on pull request 5 say now. */
function statuses({ world }: Scene): string[] {
  return world.comments
    .filter(({ number }) => number === 5)
    .map(({ history }) => history.at(-1)?.split('\n')[1] ?? '')
}

describe('a comment on a pull request', () => {
  it('is written by `always`, once for each pull request and step', async () => {
    const scene = await newScene()
    scene.world.pulls.set(5, {})
    const first = await runOn(scene, 1001)
    const second = await runOn(scene, 1002, { words: '[agent: no-change]' })
    expect(first.outputs).toMatchObject({ result: 'pull-request', 'comment-id': '5001' })
    expect(second.outputs).toMatchObject({ result: 'no-pull-request', 'comment-id': '5001' })
    const [status] = scene.said()
    expect(status).toHaveLength(6)
    expect(status?.at(2)).toMatch(/✅ \*\*Pull request ready for review: .*\n\nFor `[0-9a-f]{7}` · /)
    expect(statuses(scene)).toEqual(['✅ **Completed without a pull request**'])
    const env = { GITHUB_JOB: 'other', GITHUB_RUN_ID: '1003' }
    await scene.run({ event: pullRequest(), inputs: always, env })
    expect(statuses(scene)).toHaveLength(2)
  })

  it('is not written by `auto`', async () => {
    const scene = await newScene()
    await scene.run({ event: pullRequest(), inputs: { ...always, comment: 'auto' } })
    expect(statuses(scene)).toEqual([])
    expect(scene.github.requests).toEqual([
      'GET /issues/1/comments',
      'POST /issues/1/comments',
      'GET /issues/1/comments',
    ])
  })

  it('can be gone on from by a command', async () => {
    const scene = await newScene()
    scene.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
    await runOn(scene, 1001)
    const body = '/docs shorter'
    const author = person('octocat')
    const { id } = writtenComment(scene.world, { author, body })
    const event = issueComment({ id, body, author })
    await scene.run({ event, inputs: { context: 'none' }, env: { GITHUB_RUN_ID: '1002' } })
    expect(scene.docs.jobs).toMatchObject([{ messages: ['shorter'] }])
  })

  it('leads a further attempt of its run to its job', async () => {
    const scene = await newScene()
    await runOn(scene, 1001)
    const again = await runOn(scene, 1001, { attempt: 2 })
    expect(again.outputs).toMatchObject({ result: 'pull-request', 'comment-id': '5001' })
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }])
  })

  it('of a later run leaves a further attempt of an earlier one without its job, which says so', async () => {
    const scene = await newScene()
    await runOn(scene, 1001)
    await runOn(scene, 1002, { words: '[agent: no-change]' })
    const again = await runOn(scene, 1001, { attempt: 2 })
    expect(scene.docs.jobs).toHaveLength(3)
    expect(again.log).toMatch(
      /::notice [^:]*::This is attempt 2 of the run\. An earlier attempt may have started a job/,
    )
    expect(statuses(scene)).toEqual(['✅ **Completed without a pull request**'])
  })

  it('names a job that a run has only waited for, so that it can be picked up', async () => {
    const scene = await newScene({ jobTimeMs: 60_000 })
    const started = await scene.run({ inputs: { ...always, wait: 'false' } })
    const jobId = started.outputs['job-id'] ?? ''
    const attach = { 'job-id': jobId, timeout: '1s', comment: 'always', context: 'none' }
    await scene.run({ event: pullRequest(), inputs: attach })
    expect(scene.said()[0]?.at(-1)).toMatch(/Not finished within 1 s/)
    expect(scene.said()[0]?.at(-1)).toContain(`run the action with \`job-id: ${jobId}\``)
  })

  it('is not even looked for with `comment: never`', async () => {
    const scene = await newScene()
    await scene.run({ event: pullRequest(), inputs: { ...always, comment: 'never' } })
    expect(scene.github.requests).toEqual([])
  })
})
