import { describe, expect, it } from 'vitest'
import { issueComment, newIssue, review, reviewComment } from './events.ts'
import { writtenComment } from './scene.ts'
import { octocat, usualSceneStarter, write } from './usual-scene.ts'

const usualScene = usualSceneStarter()

describe('a command on a pull request', () => {
  it('gets eyes, a reply that is edited to its end, a rocket, and an announcement', async () => {
    const scene = await usualScene()
    const run = await write(scene, '/docs explain the new flag')
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: {
        result: 'pull-request',
        'comment-id': '5002',
        'comment-url': 'https://github.com/acme/docs/pull/5#issuecomment-5002',
      },
    })
    expect(scene.github.requests).toEqual([
      'GET /collaborators/octocat/permission',
      'POST /issues/comments/5001/reactions eyes',
      'POST /issues/5/comments',
      'GET /issues/5/comments',
      'PATCH /issues/comments/5002',
      'GET /issues/1/comments',
      'POST /issues/1/comments',
      'GET /issues/1/comments',
      'PATCH /issues/comments/5002',
      'POST /issues/comments/5001/reactions rocket',
      'DELETE /issues/comments/5001/reactions/901',
    ])
    const job = scene.docs.jobs[0]?.id
    expect(scene.asked()).toEqual(
      ['POST /job', `GET /job/${job}`, `GET /job/${job}`].slice(0, scene.asked().length),
    )
    expect(scene.reactions()).toEqual(['rocket'])
    const [reply, announcement] = scene.said()
    const asked = `**octocat** asked: explain the new flag · [workflow run](${scene.docs.url}/acme/docs/actions/runs/1001)`
    expect(reply).toEqual([
      `⏳ **Passing this on to the docs agent …**\n\n${asked}\n\nThis comment will show the result.`,
      `⏳ **The docs agent is at work …**\n\n${asked}\n\nThis comment will show the result.`,
      `✅ **Pull request ready for review: [acme/docs#\u200b1](${scene.docs.url}/acme/docs/pull/1)**\n\n${asked}\n\n` +
        'To go on, comment `/docs …` here or on that pull request; `/docs new …` starts a new job.',
    ])
    expect(announcement).toEqual([
      '💬 The docs agent opened this pull request for [a comment](https://github.com/acme/docs/pull/5#issuecomment-5001) by **octocat**: explain the new flag\n\nTo have it changed, comment `/docs …` here, such as `/docs shorter, and add an example`.',
    ])
  })

  it('puts the ask after the standing prompt', async () => {
    const scene = await usualScene()
    await write(scene, '/docs and the flag\r\n\r\nin two\r\nlines', { prompt: 'Be brief.', context: 'none' })
    expect(scene.docs.jobs[0]?.prompt).toBe('Be brief.\n\nand the flag\n\nin two\nlines')
  })

  it.each([
    ['[agent: no-change]', {}, 'no-pull-request', '+1', 0],
    ['[agent: never]', { wait: 'false' }, 'submitted', '+1', 0],
    ['[agent: fail]', {}, 'failed', 'confused', 1],
    ['[agent: archive]', {}, 'archived', 'confused', 0],
    ['[agent: never]', { timeout: '300ms' }, 'timed-out', 'confused', 1],
  ])('%s %j ends as %s with %s', async (words, inputs, result, reaction, exitCode) => {
    const scene = await usualScene()
    const run = await write(scene, `/docs ${words}`, inputs)
    expect(run).toMatchObject({ exitCode, outputs: { result } })
    expect(scene.reactions()).toEqual([reaction])
    expect(scene.said()).toHaveLength(1)
    expect(scene.said()[0]).toHaveLength(3)
  })

  it('is told where the create is refused', async () => {
    const scene = await usualScene()
    scene.docs.faults.add({ kind: 'status', status: 400, match: { path: 'create' } })
    const run = await write(scene, '/docs explain it')
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error' } })
    expect(scene.reactions()).toEqual(['confused'])
    expect(scene.said()[0]?.at(-1)).toContain('❌ **The docs service rejected the request as invalid (400)**')
    expect(scene.said()[0]?.at(-1)).toContain('<details><summary>Why</summary>')
  })

  it('asks nobody anything where inputs are wrong, and the run is red', async () => {
    const scene = await usualScene()
    const wrong = { timeout: '30', 'required-permission': 'writ', 'allow-bots': '*' }
    const run = await write(scene, '/docs explain it', wrong)
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error' } })
    expect(run.log).toContain('3 inputs are wrong')
    expect([...scene.github.requests, ...scene.asked()]).toEqual([])
  })

  it.each(['  /DOCS  ', '/docs <!-- hidden -->'])(
    'alone, where there is no prompt, is answered with how to ask: %j',
    async (body) => {
      const scene = await usualScene()
      const run = await write(scene, body)
      expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'skipped' } })
      expect(scene.reactions()).toEqual(['confused'])
      expect(scene.said()).toMatchObject([[expect.stringContaining('**What should the docs agent do?**')]])
      expect(scene.asked()).toEqual([])
    },
  )

  it('is whole after an HTML comment that ends where it begins', async () => {
    const scene = await usualScene()
    await write(scene, '/docs <!--> explain it', { context: 'none' })
    expect(scene.docs.jobs[0]?.prompt).toContain('explain it')
  })

  it('alone stands for the prompt where there is one', async () => {
    const scene = await usualScene()
    const run = await write(scene, '/docs', { prompt: 'Document this pull request.', context: 'none' })
    expect(run.outputs['result']).toBe('pull-request')
    expect(scene.docs.jobs[0]?.prompt).toBe('Document this pull request.')
    expect(scene.said()[0]?.at(-1)).toContain('Requested by **octocat**')
  })

  it('writes nothing with `comment: never`, but checks the permission', async () => {
    const scene = await usualScene()
    const run = await write(scene, '/docs explain it', {
      comment: 'never',
      'follow-up': 'false',
      context: 'none',
    })
    expect(run.outputs['result']).toBe('pull-request')
    expect(scene.github.requests).toEqual(['GET /collaborators/octocat/permission'])
  })

  it('writes nothing and starts nothing in a dry run, but shows the prompt', async () => {
    const scene = await usualScene()
    const run = await write(scene, '/docs explain it', { 'dry-run': 'true', 'api-key': '' })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'dry-run' } })
    expect(scene.github.requests.filter((line) => !line.startsWith('GET '))).toEqual([])
    expect(scene.asked()).toEqual([])
    expect(run.summary).toContain('explain it')
  })

  it('that can not be answered is followed all the same, with one warning that names the permission', async () => {
    const scene = await usualScene()
    scene.world.scopes.clear()
    const run = await write(scene, '/docs explain it')
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
    expect(run.log.match(/::warning title=[^:]*::.*`pull-requests: write`/g)).toHaveLength(1)
    expect(scene.said()).toEqual([])
    expect(run.outputs['comment-id']).toBeUndefined()
  })
})

describe('a command elsewhere', () => {
  it('on an issue is answered there', async () => {
    const scene = await usualScene()
    const body = '/docs explain the new flag'
    const { id } = writtenComment(scene.world, { author: octocat, body, number: 8 })
    const event = issueComment({ id, body, author: octocat, number: 8, onIssue: true })
    const run = await scene.run({ event, inputs: { context: 'none' } })
    expect(run.outputs['result']).toBe('pull-request')
    expect(scene.github.requests).toContain('POST /issues/8/comments')
  })

  it('in a new issue is answered there, with reactions to the issue itself', async () => {
    const scene = await usualScene()
    const body = '/docs explain the new flag'
    const event = newIssue({ body, author: octocat, number: 8 })
    const run = await scene.run({ event, inputs: { context: 'none' } })
    expect(run.outputs).toMatchObject({ result: 'pull-request', 'comment-id': '5001' })
    expect(scene.github.requests).toEqual([
      'GET /collaborators/octocat/permission',
      'POST /issues/8/reactions eyes',
      'POST /issues/8/comments',
      'GET /issues/8/comments',
      'PATCH /issues/comments/5001',
      'GET /issues/1/comments',
      'POST /issues/1/comments',
      'GET /issues/1/comments',
      'PATCH /issues/comments/5001',
      'POST /issues/8/reactions rocket',
      'DELETE /issues/8/reactions/901',
    ])
  })

  it('in a review is answered by a reply alone: a review has no reactions', async () => {
    const scene = await usualScene()
    const event = review({ id: 7, body: '/docs explain the new flag', author: octocat })
    const run = await scene.run({ event, inputs: { context: 'none' } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request', 'comment-id': '5001' } })
    expect(scene.github.requests.filter((line) => line.includes('reactions'))).toEqual([])
    expect(scene.said()[0]?.at(-1)).toContain('Pull request ready')
    expect(run.log).not.toContain('::warning')
  })

  it('in a review thread that is gone is answered in the main thread', async () => {
    const scene = await usualScene()
    const body = '/docs explain this line'
    writtenComment(scene.world, { author: octocat, body, kind: 'review', rootId: 4000 })
    const event = reviewComment({ id: 5001, body, author: octocat, replyTo: 4000 })
    const run = await scene.run({ event, inputs: { context: 'none' } })
    expect(run.outputs).toMatchObject({ result: 'pull-request', 'comment-id': '5002' })
    expect(scene.world.comments[1]).toMatchObject({ kind: 'main', number: 5 })
    expect(scene.said()[0]?.at(-1)).toContain('Pull request ready')
    expect(run.log).not.toContain('::warning')
    // The reply is where the next command finds the job.
    await write(scene, '/docs shorter', {}, 1002)
    expect(scene.docs.jobs).toMatchObject([{ messages: ['shorter'] }])
  })

  it.each([
    ['the first comment', undefined, 5001],
    ['a reply', 5001, 5002],
  ])('in a review thread, as %s, is answered in that thread', async (_what, replyTo, id) => {
    const scene = await usualScene()
    const body = '/docs explain this line'
    writtenComment(scene.world, { author: octocat, body: 'What is this?', kind: 'review' })
    writtenComment(scene.world, { author: octocat, body, kind: 'review', rootId: 5001 })
    const event = reviewComment({ id, body, author: octocat, ...(replyTo !== undefined && { replyTo }) })
    const run = await scene.run({ event, inputs: { context: 'none' } })
    expect(run.outputs).toMatchObject({ result: 'pull-request', 'comment-id': '5003' })
    expect(scene.github.requests).toEqual([
      'GET /collaborators/octocat/permission',
      `POST /pulls/comments/${id}/reactions eyes`,
      'POST /pulls/5/comments/5001/replies',
      'GET /pulls/5/comments',
      'GET /issues/5/comments',
      'PATCH /pulls/comments/5003',
      'GET /issues/1/comments',
      'POST /issues/1/comments',
      'GET /issues/1/comments',
      'PATCH /pulls/comments/5003',
      `POST /pulls/comments/${id}/reactions rocket`,
      `DELETE /pulls/comments/${id}/reactions/901`,
    ])
  })
})
