import { describe, expect, it } from 'vitest'
import { Conversation } from '../../src/comments/conversation.ts'
import { type Event, newIssue, review } from '../support/events.ts'
import { ending, NO_PULL, octocat, type RunOptions, type Scene, sceneStarter } from './runs.ts'

const newScene = sceneStarter()
const RUN = '[workflow run](https://github.com/acme/docs/actions/runs/1001)'
const DONE = '✅ **Completed without a pull request**'

describe('a command on a pull request', () => {
  it('gets a reply that is edited to its end, an announcement, and a rocket', async () => {
    const scene = await newScene()
    await scene.tell(scene.comment('/docs explain the new flag'))
    const asked = `**octocat** asked: explain the new flag · ${RUN}\n\nThis comment will show the result.`
    expect(scene.said()).toEqual([
      [
        `⏳ **Starting the docs agent …**\n\n${asked}`,
        `⏳ **The docs agent is working …**\n\n${asked}`,
        '✅ **Pull request ready for review: [acme/docs#\u200b1](https://github.com/acme/docs/pull/1)**\n\n' +
          `**octocat** asked: explain the new flag · took 3 min 05 s · ${RUN}\n\n` +
          'To go on, comment `/docs …` here or on that pull request; `/docs new …` starts a new job.',
      ],
      [
        '💬 The docs agent opened this pull request for [a comment](https://github.com/acme/docs/pull/5#issuecomment-5001) by **octocat**: explain the new flag\n\n' +
          'To have it changed, comment `/docs …` here, such as `/docs shorter, and add an example`.',
      ],
    ])
    expect(scene.reactions()).toEqual(['rocket'])
    expect(scene.output('comment-url')).toBe('https://github.com/acme/docs/pull/5#issuecomment-5002')
    expect(scene.pending()).toBe('{}')
  })

  it.each([
    ['create', 'The docs agent is working …'],
    ['message', 'The docs agent continues its earlier job …'],
    ['wait', "Waiting for the docs agent's job …"],
  ] as const)('gets eyes; of a %s its reply says what is being done, in order', async (kind, words) => {
    const scene = await newScene()
    const conversation = await scene.start(scene.comment('/docs explain it'))
    expect(scene.reactions()).toEqual(['eyes'])
    expect(scene.headlines()).toEqual(['⏳ **Starting the docs agent …**'])
    void conversation.accepted('job_1', kind, '')
    await conversation.finish(ending(NO_PULL))
    const lines = scene.said()[0]?.map((body) => body.split('\n')[0])
    expect(lines).toEqual(['⏳ **Starting the docs agent …**', `⏳ **${words}**`, DONE])
  })

  it.each([
    ['pull-request', 'rocket'],
    ['no-pull-request', '+1'],
    ['submitted', '+1'],
    ['failed', 'confused'],
    ['archived', 'confused'],
    ['timed-out', 'confused'],
    ['cancelled', 'confused'],
    ['error', 'confused'],
  ])('that ends as %s gets %s', async (result, reaction) => {
    const scene = await newScene()
    await scene.tell(scene.comment('/docs explain it'), { end: { ...NO_PULL, result } })
    expect(scene.reactions()).toEqual([reaction])
  })

  it('keeps the reactions of others, and of ours those that no run gives', async () => {
    const scene = await newScene()
    const event = scene.comment('/docs explain it')
    const on = { kind: 'main', commentId: 5001 } as const
    scene.world.reactions.push({ ...on, id: 801, author: octocat, content: 'eyes' })
    scene.world.reactions.push({ ...on, id: 802, author: scene.world.viewer, content: 'heart' })
    await scene.tell(event, { end: NO_PULL })
    expect(scene.reactions()).toEqual(['eyes', 'heart', '+1'])
    expect(scene.world.reactions[0]?.author).toBe(octocat)
  })
})

describe('a command elsewhere', () => {
  const onIssue = (scene: Scene): Event => scene.comment('/docs x', { number: 8, onIssue: true })
  const inIssue = (): Event => newIssue({ body: '/docs x', author: octocat, number: 8 })
  const inReview = (scene: Scene, rootId = 0): Event => {
    scene.reviewComment('What is this?')
    return scene.reviewComment('/docs x', { rootId })
  }
  const inThread = (scene: Scene): Event => inReview(scene, 5001)

  it.each<[string, (scene: Scene) => Event, string, string, string]>([
    ['on an issue', onIssue, '/issues/comments/5001', '/issues/8/comments', '/issues/comments/5002'],
    ['in a new issue', inIssue, '/issues/8', '/issues/8/comments', '/issues/comments/5001'],
    [
      'in a review',
      inReview,
      '/pulls/comments/5002',
      '/pulls/5/comments/5002/replies',
      '/pulls/comments/5003',
    ],
    [
      'in a thread',
      inThread,
      '/pulls/comments/5002',
      '/pulls/5/comments/5001/replies',
      '/pulls/comments/5003',
    ],
  ])('%s is answered and reacted to there', async (_where, eventIn, source, thread, reply) => {
    const scene = await newScene()
    await scene.tell(eventIn(scene), { end: NO_PULL })
    const inReview = ['GET /pulls/5/comments', 'GET /issues/5/comments']
    expect(scene.github.requests).toEqual([
      `POST ${source}/reactions eyes`,
      `POST ${thread}`,
      ...(thread.includes('pulls') ? inReview : ['GET /issues/8/comments']),
      `PATCH ${reply}`,
      `PATCH ${reply}`,
      `POST ${source}/reactions +1`,
      `GET ${source}/reactions`,
      `DELETE ${source}/reactions/901`,
    ])
  })

  it('in the words of a review is answered by a reply alone: a review has no reactions', async () => {
    const scene = await newScene()
    await scene.tell(review({ id: 7, body: '/docs explain it', author: octocat }), { end: NO_PULL })
    expect(scene.github.requests.filter((line) => line.includes('reactions'))).toEqual([])
    expect(scene.headlines()).toEqual([DONE])
    expect(scene.pending()).toBe('{}')
  })

  it.each(['404', '422'] as const)(
    'in a thread that was deleted (%s) is answered in the main one',
    async (end) => {
      const scene = await newScene()
      const event = scene.reviewComment('/docs explain this line')
      scene.github.faults.push({ match: /replies$/, end })
      await scene.tell(event, { end: NO_PULL })
      expect(scene.world.comments[1]).toMatchObject({ kind: 'main', number: 5 })
      expect(scene.annotations()).toEqual([])
      // A re-run finds it there.
      const again = await scene.tell(event, { attempt: 2, kind: 'wait', end: NO_PULL })
      expect(again.earlier).toMatchObject({ known: true, value: { id: 'job_1', kind: 'resume' } })
      expect(scene.headlines()).toEqual([DONE])
    },
  )
})

it('a command without instructions is answered with how to ask once, however often it is run again', async () => {
  const scene = await newScene()
  const event = scene.comment('/docs')
  const explain = async (options: RunOptions): Promise<void> => {
    const { run, trigger } = scene.run(event, options)
    await new Conversation(trigger, run).explainUsage()
  }
  await explain({ inputs: { comment: 'never' } })
  expect(scene.github.requests).toEqual([])
  await explain({})
  await explain({ attempt: 2 })
  const usage =
    '**What should the docs agent do?** Write it after `/docs`:\n\n' +
    '`/docs explain the new flag in the CLI guide`\n\n' +
    'A further command here continues the same job, such as `/docs shorter, and add an example`. `/docs new …` starts a new one.'
  expect(scene.said()).toEqual([[usage, usage]])
  expect(scene.reactions()).toEqual(['confused'])
  expect(scene.pending()).toBe('{}')
})

describe('nothing is written', () => {
  it.each([[{ comment: 'never' }], [{ 'dry-run': 'true' }]])(
    'with %j, but the conversation is read for its job',
    async (inputs) => {
      const scene = await newScene()
      await scene.tell(scene.comment('/docs explain it'))
      const before = scene.github.requests.length
      const { earlier } = await scene.tell(scene.comment('/docs shorter'), { inputs, runId: 1002 })
      expect(scene.github.requests.slice(before)).toEqual(['GET /issues/5/comments', 'POST /graphql'])
      expect(earlier).toMatchObject({ known: true, value: { id: 'job_1', kind: 'continue' } })
    },
  )

  it.each([
    ['without follow-up', '/docs explain it', { comment: 'never', 'follow-up': 'false' }, 1],
    ['for a new job', '/docs new explain it', { comment: 'never' }, 1],
    ['where `job-id` names the job', '/docs explain it', { comment: 'never', 'job-id': 'job_1' }, 1],
    ['on a re-run that continues nothing', '/docs new explain it', { comment: 'never' }, 2],
    ['in a dry run without a key', '/docs explain it', { 'dry-run': 'true', 'api-key': '' }, 1],
  ])('and nothing is read %s', async (_what, body, inputs, attempt) => {
    const scene = await newScene()
    const { earlier } = await scene.tell(scene.comment(body), { inputs, attempt })
    expect(scene.github.requests).toEqual([])
    expect(earlier).toEqual({ known: true, value: undefined })
  })
})
