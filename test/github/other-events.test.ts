import { describe, expect, it } from 'vitest'
import { AFTER, bot, issueComment, person, pullRequest, pushBy } from './events.ts'
import { sceneStarter, writtenComment } from './scene.ts'

const newScene = sceneStarter()
const inputs = { prompt: 'Document it.', context: 'none' }
const agent = bot('mintlify[bot]')

describe("the agent's own work does not wake it", () => {
  it.each([
    ['a pull request that it opened', pullRequest({ author: agent }), []],
    ['a push that merged it', pushBy('mintlify[bot]', 'octocat'), [`GET /commits/${AFTER}/pulls`]],
  ])('as %s, not even for a visitors report', async (_what, event, asked) => {
    const scene = await newScene()
    scene.world.pullsOfCommit.set(AFTER, [{ number: 4, user: agent, merged_at: '2026-08-01T00:00:00Z' }])
    const run = await scene.run({ event, inputs: { ...inputs, 'visitors-summary': 'true' } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'skipped' }, summary: '' })
    expect(run.log).toMatch(/::notice .*`ignore-authors`/)
    expect(scene.asked()).toEqual([])
    expect(scene.github.requests).toEqual(asked)
  })

  it('but a push does where GitHub can not be asked, with a warning', async () => {
    const scene = await newScene()
    scene.github.faults.push({
      match: /\/pulls$/,
      end: { status: 403, body: { message: 'Resource not accessible' } },
    })
    const run = await scene.run({ event: pushBy('octocat'), inputs })
    expect(run.outputs['result']).toBe('pull-request')
    expect(run.log).toMatch(/::warning .*`pull-requests: read`/)
  })
})

describe('a comment on a pull request', () => {
  it('is written by `always`, once for each pull request and workflow', async () => {
    const scene = await newScene()
    const always = { ...inputs, comment: 'always' }
    scene.world.pulls.set(5, {})
    const first = await scene.run({ event: pullRequest(), inputs: always })
    const second = await scene.run({
      event: pullRequest(),
      inputs: { ...always, prompt: 'Document it. [agent: no-change]' },
      env: { GITHUB_RUN_ID: '1002' },
    })
    expect(first.outputs).toMatchObject({ result: 'pull-request', 'comment-id': '5001' })
    expect(second.outputs).toMatchObject({ result: 'no-pull-request', 'comment-id': '5001' })
    const [status, announcement] = scene.said()
    expect(status).toHaveLength(6)
    expect(status?.at(2)).toMatch(/✅ \*\*Pull request ready for review: .*\n\nFor `[0-9a-f]{7}` · /)
    expect(status?.at(-1)).toContain('✅ **Completed without a pull request**')
    expect(announcement?.[0]).toMatch(/^💬 A \[workflow run\]/)
    await scene.run({ event: pullRequest(), inputs: always, env: { GITHUB_WORKFLOW: 'Other' } })
    expect(scene.said().filter(([text]) => text?.startsWith('⏳'))).toHaveLength(2)
  })

  it('can be gone on from by a command', async () => {
    const scene = await newScene()
    scene.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
    await scene.run({ event: pullRequest(), inputs: { ...inputs, comment: 'always' } })
    const body = '/docs shorter'
    const author = person('octocat')
    const { id } = writtenComment(scene.world, { author, body })
    await scene.run({ event: issueComment({ id, body, author }), inputs, env: { GITHUB_RUN_ID: '1002' } })
    expect(scene.docs.jobs).toMatchObject([{ messages: ['shorter'] }])
  })

  it('is not written by `auto`', async () => {
    const scene = await newScene()
    await scene.run({ event: pullRequest(), inputs })
    expect(scene.github.requests).toEqual([])
  })

  it('names a job that a run has only waited for, so that it can be picked up', async () => {
    const scene = await newScene({ jobTimeMs: 60_000 })
    const started = await scene.run({ inputs: { ...inputs, wait: 'false' } })
    const jobId = started.outputs['job-id'] ?? ''
    const attach = { 'job-id': jobId, timeout: '1s', comment: 'always', context: 'none' }
    await scene.run({ event: pullRequest(), inputs: attach })
    expect(scene.said()[0]?.at(-1)).toMatch(/Not finished within 1 s/)
    expect(scene.said()[0]?.at(-1)).toContain(`run the action with \`job-id: ${jobId}\``)
  })

  it('announces with `always` after any run how to go on, and any workflow of the project goes on', async () => {
    const scene = await newScene()
    scene.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
    const run = await scene.run({ inputs: { ...inputs, comment: 'always' } })
    expect(run.outputs['comment-id']).toBe('5001')
    expect(scene.github.requests).toEqual(['GET /issues/1/comments', 'POST /issues/1/comments'])
    const body = '/docs shorter'
    const author = person('octocat')
    const { id } = writtenComment(scene.world, { author, body, number: 1 })
    const event = issueComment({ id, body, author, number: 1 })
    await scene.run({ event, inputs, env: { GITHUB_WORKFLOW: 'Comments', GITHUB_RUN_ID: '1002' } })
    expect(scene.docs.jobs).toMatchObject([{ messages: ['shorter'] }])
  })

  it('announces nothing on a pull request of another repository', async () => {
    const scene = await newScene()
    const env = { GITHUB_REPOSITORY: 'acme/other' }
    await scene.run({ inputs: { ...inputs, comment: 'always' }, env })
    expect(scene.github.requests).toEqual([])
  })
})
