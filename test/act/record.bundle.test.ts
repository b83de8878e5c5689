import { expect, it } from 'vitest'
import { startScene, write } from '../support/scene.ts'

it('two commands are answered on a GitHub Enterprise Server, and the second continues the job', async () => {
  const scene = await startScene({ github: { root: '/api/v3' } })
  const first = await write(scene, '/docs explain the new flag')
  expect(first).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
  expect(scene.github.requests).toEqual([
    'GET /collaborators/octocat/permission',
    'POST /issues/comments/5001/reactions eyes',
    'GET /issues/5/comments',
    'GET /pulls/5',
    'GET /pulls/5/files',
    'GET /pulls/5/commits',
    'POST /issues/5/comments',
    'PATCH /issues/comments/5002',
    'POST /graphql PullReport',
    'GET /issues/1/comments',
    'POST /issues/1/comments',
    'PATCH /issues/comments/5002',
  ])
  const second = await write(scene, '/docs shorter', {}, 1002)
  // The conversation has the rest: a message is the command's words alone.
  expect(scene.docs.jobs).toMatchObject([{ messages: ['shorter'] }])
  expect(scene.said()).toHaveLength(3)
  expect(first.log + second.log).not.toMatch(/^::(?:warning|error)/m)
})
