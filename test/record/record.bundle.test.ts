import { expect, it, vi } from 'vitest'
import { issueComment } from '../support/events.ts'
import {
  startScene as newScene,
  octocat,
  type Scene,
  write,
  writtenComment,
} from '../support/scene.ts'

const inputs = { context: 'none' }

const until = (holds: () => boolean) => vi.waitUntil(holds, { timeout: 20_000, interval: 10 })

/** The latest words of each comment of ours. */
const words = (scene: Scene): string[] => scene.said().map((history) => history.at(-1) ?? '')

it.each(['', '/api/v3'])(
  'a command is answered, noted and gone on with, below %j',
  async (root) => {
    const scene = await newScene({ root })
    const first = await write(scene, '/docs explain the new flag')
    expect(first).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
    expect(scene.github.requests).toEqual([
      'GET /collaborators/octocat/permission',
      'POST /issues/comments/5001/reactions eyes',
      'GET /issues/5/comments',
      'POST /issues/5/comments',
      'PATCH /issues/comments/5002',
      'POST /graphql PullReport',
      'GET /issues/1/comments',
      'POST /issues/1/comments',
      'PATCH /issues/comments/5002',
    ])
    const second = await write(scene, '/docs shorter', { prompt: 'Be brief.' }, 1002)
    expect(second.outputs['result']).toBe('pull-request')
    // The conversation has the rest: a message is the command's words alone.
    expect(scene.docs.jobs).toMatchObject([{ messages: ['shorter'] }])
    expect(scene.reactions()).toEqual(['eyes', 'eyes'])
    expect(words(scene)).toEqual([
      expect.stringMatching(/^✅ \*\*Docs pull request ready for review: \[acme\/docs#\u200b1\]/),
      expect.stringContaining('💬 **Code changes covered by this pull request**'),
      expect.stringMatching(/^✅ \*\*Docs pull request ready for review: /),
    ])
    expect([first, second].flatMap(({ log }) => log.match(/^::(warning|error)/gm) ?? [])).toEqual(
      [],
    )
  },
)

it.each([
  ['cancelled', 'SIGTERM', '🛑 **Canceled: the job is still running**'],
  ['killed', 'SIGKILL', '🛑 **Interrupted**'],
] as const)('a %s run ends what it began, and a re-run waits', async (_how, signal, headline) => {
  const scene = await newScene()
  const body = '/docs explain it [agent: takes 1h]'
  const { id } = writtenComment(scene.world, { author: octocat, body })
  const event = issueComment({ id, body, author: octocat })
  const first = await scene.start({ event, inputs })
  await until(() => words(scene)[0]?.includes('is working') === true)
  // A kill amid the writing of its state would leave half of it: two looks later, the run does nothing but wait.
  const looks = scene.docs.requests.length
  await until(() => scene.docs.requests.length > looks + 1)
  first.child.kill(signal)
  const ended = await first.ended
  if (signal === 'SIGTERM')
    expect(ended).toMatchObject({ exitCode: 1, outputs: { result: 'cancelled' } })
  expect((await scene.run({ event, inputs, state: ended.state })).exitCode).toBe(0)
  const [said] = words(scene)
  expect(said?.split('\n')[0]).toBe(headline)
  expect(said).toContain(`\`job-id: ${scene.docs.jobs[0]?.id}\``)

  const again = await scene.start({ event, inputs, env: { GITHUB_RUN_ATTEMPT: '2' } })
  await until(() => words(scene)[0]?.includes("Waiting for the agent's job") === true)
  scene.passTime()
  expect((await again.ended).outputs).toMatchObject({ result: 'pull-request' })
  expect(scene.docs.jobs).toHaveLength(1)
  expect(words(scene)[0]).toContain('Docs pull request ready for review')
})
