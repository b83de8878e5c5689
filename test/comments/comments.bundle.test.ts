import { describe, expect, it } from 'vitest'
import { type Event, issueComment, pullRequest } from '../support/events.ts'
import type { ActionRun, StartedAction } from '../support/run-action.ts'
import { startScene as newScene, octocat, type Scene, write, writtenComment } from '../support/scene.ts'

const inputs = { context: 'none' }

/** octocat writes a command on pull request 5; the event of it. */
function command(scene: Scene, body: string): Event {
  const { id } = writtenComment(scene.world, { author: octocat, body })
  return issueComment({ id, body, author: octocat })
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** The latest words of each comment of ours. */
const words = (scene: Scene): string[] => scene.said().map((history) => history.at(-1) ?? '')
const headlines = (scene: Scene): (string | undefined)[] => words(scene).map((text) => text.split('\n')[0])

describe('a command', () => {
  it.each(['', '/api/v3'])('is answered, announced and gone on with, below %j', async (root) => {
    const scene = await newScene({ root })
    const first = await write(scene, '/docs explain the new flag')
    expect(first).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request', 'comment-id': '5002' } })
    expect(scene.github.requests).toEqual([
      'GET /collaborators/octocat/permission',
      'POST /issues/comments/5001/reactions eyes',
      'POST /issues/5/comments',
      'GET /issues/5/comments',
      'PATCH /issues/comments/5002',
      'POST /issues/1/comments',
      'GET /issues/1/comments',
      'PATCH /issues/comments/5002',
      'POST /issues/comments/5001/reactions rocket',
      'GET /issues/comments/5001/reactions',
      'DELETE /issues/comments/5001/reactions/901',
    ])
    const second = await write(scene, '/docs shorter', { prompt: 'Be brief.' }, 1002)
    expect(second.outputs['result']).toBe('pull-request')
    // The conversation has the rest: a message is the command's words alone.
    expect(scene.docs.jobs).toMatchObject([{ messages: ['shorter'] }])
    expect(scene.reactions()).toEqual(['rocket', 'rocket'])
    expect(headlines(scene)).toEqual([
      expect.stringMatching(/^✅ \*\*Pull request ready for review: \[acme\/docs#\u200b1\]/),
      expect.stringMatching(/^💬 The docs agent opened this pull request for \[a comment\]/),
      expect.stringMatching(/^✅ \*\*Pull request ready for review: /),
    ])
    expect([first, second].flatMap(({ log }) => log.match(/^::(warning|error)/gm) ?? [])).toEqual([])
  })

  it.each([
    ['/docs [agent: no-change]', {}, 'no-pull-request', '+1', '✅ **Completed without a pull request**'],
    ['/docs [agent: never]', { wait: 'false' }, 'submitted', '+1', '🚀 **Job started; not waiting for it**'],
    ['/docs [agent: fail]', {}, 'failed', 'confused', "❌ **The agent's job failed**"],
    ['/docs [agent: never]', { timeout: '300ms' }, 'timed-out', 'confused', '**Not finished within 300 ms**'],
    ['/docs x', { 'project-id': 'other' }, 'error', 'confused', '❌ **No project `other` (404)**'],
    ['  /DOCS  ', {}, 'skipped', 'confused', '**What should the docs agent do?** Write it after `/docs`:'],
  ])('%s %j ends as %s with %s', async (text, given, result, reaction, headline) => {
    const scene = await newScene()
    const run = await write(scene, text, given)
    const exitCode = ['failed', 'timed-out', 'error'].includes(result) ? 1 : 0
    expect(run).toMatchObject({ exitCode, outputs: { result } })
    expect(scene.reactions()).toEqual([reaction])
    expect(headlines(scene)).toEqual([expect.stringContaining(headline)])
    if (result === 'skipped') expect(scene.asked()).toEqual([])
  })

  it('that can not be answered is followed all the same, with one warning that names the permission', async () => {
    const scene = await newScene()
    scene.github.faults.push({ match: /^(?!.*\/permission)/, end: '403' })
    const run = await write(scene, '/docs explain it', { 'follow-up': 'false' })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
    const named = expect.stringContaining('needs the permission `pull-requests: write`')
    expect(run.log.match(/^::warning.*$/gm)).toEqual([named])
  })
})

describe('a run that does not come to its end', () => {
  const startOf = (scene: Scene, event: Event, attempt = 1): Promise<StartedAction> =>
    scene.start({ event, inputs, env: { GITHUB_RUN_ATTEMPT: `${attempt}` } })
  const post = (scene: Scene, event: Event, { state }: ActionRun): Promise<ActionRun> =>
    scene.run({ event, inputs, state })

  it.each([
    ['cancelled', 'SIGTERM', '🛑 **Cancelled**'],
    ['killed', 'SIGKILL', '🛑 **Interrupted**'],
  ] as const)(
    'as it is %s, ends what it began, and a re-run waits for its job',
    async (_how, signal, headline) => {
      const scene = await newScene()
      const event = command(scene, '/docs explain it [agent: takes 1h]')
      const first = await startOf(scene, event)
      await until(() => words(scene)[0]?.includes('is working') === true)
      // A kill amid the writing of its state would leave half of it: two looks later, the run does nothing but wait.
      const looks = scene.docs.requests.length
      await until(() => scene.docs.requests.length > looks + 1)
      first.child.kill(signal)
      const ended = await first.ended
      if (signal === 'SIGTERM') expect(ended).toMatchObject({ exitCode: 1, outputs: { result: 'cancelled' } })
      expect((await post(scene, event, ended)).exitCode).toBe(0)
      expect(headlines(scene)).toEqual([headline])
      expect(words(scene)[0]).toContain(`\`job-id: ${scene.docs.jobs[0]?.id}\``)
      expect(scene.reactions()).toEqual(['confused'])

      const again = await startOf(scene, event, 2)
      await until(() => words(scene)[0]?.includes("Waiting for the docs agent's job") === true)
      scene.passTime()
      expect((await again.ended).outputs).toMatchObject({ result: 'pull-request', 'comment-id': '5002' })
      expect(scene.docs.jobs).toHaveLength(1)
      expect(scene.reactions()).toEqual(['rocket'])
      expect(headlines(scene)[0]).toContain('Pull request ready for review')
    },
  )

  it('is not run again where GitHub does not say which job it started', async () => {
    const scene = await newScene()
    const event = command(scene, '/docs explain it')
    await scene.run({ event, inputs })
    scene.github.faults.push({ match: /^GET \/issues\/5\/comments$/, end: '403' })
    const again = await (await startOf(scene, event, 2)).ended
    expect(again).toMatchObject({ exitCode: 1, outputs: { result: 'error' } })
    expect(again.log).toContain('job-id')
    expect(scene.docs.jobs).toHaveLength(1)
    expect(headlines(scene)[0]).toContain('Pull request ready for review')
    expect(scene.reactions()).toEqual(['confused'])
  })
})

it('a status comment is one for each pull request and step', async () => {
  const scene = await newScene()
  for (const [runId, words] of Object.entries({ 1001: '', 1002: ' [agent: no-change]' })) {
    const given = { ...inputs, prompt: `Document it.${words}`, comment: 'always', 'follow-up': 'false' }
    const event = pullRequest({ sender: octocat })
    await scene.run({ event, inputs: given, env: { GITHUB_RUN_ID: runId } })
  }
  const onPull = scene.world.comments.filter(({ number }) => number === 5)
  const now = onPull.map(({ history }) => history.at(-1)?.split('\n')[1])
  expect(now).toEqual(['✅ **Completed without a pull request**'])
})
