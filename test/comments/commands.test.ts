import { describe, expect } from 'vitest'
import { Conversation } from '../../src/comments/conversation.ts'
import { type Event, newIssue, review } from '../support/events.ts'
import {
  DONE,
  ending,
  itWithScene,
  octocat,
  READY,
  RUN,
  type RunOptions,
  type Scene,
  STARTING,
} from './runs.ts'

const it = itWithScene()

describe('a command on a pull request', () => {
  it('gets a reply that is edited to its end, an announcement, and a rocket', async ({ scene }) => {
    await scene.ask({ words: '/docs explain the new flag', end: READY })
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

  it.for([
    ['create', '⏳ **The docs agent is working …**'],
    ['message', '⏳ **The docs agent continues its earlier job …**'],
    ['wait', "⏳ **Waiting for the docs agent's job …**"],
  ] as const)('gets eyes; of a %s its reply says what is being done, in order', async (row, { scene }) => {
    const [kind, words] = row
    const conversation = await scene.start(scene.comment())
    expect(scene.reactions()).toEqual(['eyes'])
    expect(scene.headlines()).toEqual([STARTING])
    void conversation.accepted('job_1', kind, '')
    await conversation.finish(ending())
    expect(scene.said()[0]?.map((body) => body.split('\n')[0])).toEqual([STARTING, words, DONE])
  })

  it.for([
    ['rocket', ['pull-request']],
    ['+1', ['no-pull-request', 'submitted']],
    ['confused', ['failed', 'archived', 'timed-out', 'cancelled', 'error']],
  ] as const)('gets %s at the end: %j', async ([reaction, results], { scene }) => {
    for (const result of results) await scene.ask({ end: { result } })
    expect(scene.reactions()).toEqual(results.map(() => reaction))
  })

  it('keeps the reactions of others, and of ours those that no run gives', async ({ scene }) => {
    const event = scene.comment()
    const on = { kind: 'main', commentId: 5001 } as const
    scene.world.reactions.push({ ...on, id: 801, author: octocat, content: 'eyes' })
    scene.world.reactions.push({ ...on, id: 802, author: scene.world.viewer, content: 'heart' })
    await scene.tell(event)
    expect(scene.reactions()).toEqual(['eyes', 'heart', '+1'])
    expect(scene.world.reactions[0]?.author).toBe(octocat)
  })
})

describe('a command elsewhere', () => {
  const onIssue = (scene: Scene) => scene.comment('/docs x', { number: 8, onIssue: true })
  const newOne = () => newIssue({ body: '/docs x', author: octocat, number: 8 })
  const inReview = (scene: Scene, rootId = 0) => {
    scene.reviewComment('What is this?')
    return scene.reviewComment('/docs x', { rootId })
  }
  const inThread = (scene: Scene) => inReview(scene, 5001)

  it.for<[string, (scene: Scene) => Event, string, string, string]>([
    ['on an issue', onIssue, '/issues/comments/5001', 'issues/8/comments', 'issues/comments/5002'],
    ['in a new issue', newOne, '/issues/8', 'issues/8/comments', 'issues/comments/5001'],
    ['in a review', inReview, '/pulls/comments/5002', 'pulls/5/comments/5002/replies', 'pulls/comments/5003'],
    ['in a thread', inThread, '/pulls/comments/5002', 'pulls/5/comments/5001/replies', 'pulls/comments/5003'],
  ])('%s is answered and reacted to there', async ([_where, eventIn, source, thread, reply], { scene }) => {
    await scene.tell(eventIn(scene))
    const searched = ['GET /pulls/5/comments', 'GET /issues/5/comments']
    expect(scene.github.requests).toEqual([
      `POST ${source}/reactions eyes`,
      `POST /${thread}`,
      ...(thread.startsWith('pulls') ? searched : ['GET /issues/8/comments']),
      `PATCH /${reply}`,
      `PATCH /${reply}`,
      `POST ${source}/reactions +1`,
      `GET ${source}/reactions`,
      `DELETE ${source}/reactions/901`,
    ])
  })

  it('in a review itself gets a reply alone: a review has no reactions', async ({ scene }) => {
    await scene.tell(review({ id: 7, body: '/docs explain it', author: octocat }))
    expect(scene.github.requests.filter((line) => line.includes('reactions'))).toEqual([])
    expect(scene.headlines()).toEqual([DONE])
    expect(scene.pending()).toBe('{}')
  })

  const GONE = ['404', '422'] as const
  it.for(GONE)('in a deleted thread (%s) gets its reply in the main one', async (end, { scene }) => {
    const event = scene.reviewComment('/docs explain this line')
    scene.github.faults.push({ match: /replies$/, end })
    await scene.tell(event)
    expect(scene.world.comments[1]).toMatchObject({ kind: 'main', number: 5 })
    expect(scene.annotations()).toEqual([])
    // A re-run finds it there.
    const { earlier } = await scene.tell(event, { attempt: 2, kind: 'wait' })
    expect(earlier).toMatchObject({ known: true, value: { id: 'job_1', kind: 'resume' } })
    expect(scene.headlines()).toEqual([DONE])
  })
})

it('a command without instructions is told once how to ask, however often it runs', async ({ scene }) => {
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
  const QUIET = [{ comment: 'never' }, { 'dry-run': 'true' }]
  it.for(QUIET)('with %j, but the job is looked for', async (inputs, { scene }) => {
    await scene.ask()
    const before = scene.github.requests.length
    const { earlier } = await scene.ask({ inputs, runId: 1002 })
    expect(scene.github.requests.slice(before)).toEqual(['GET /issues/5/comments', 'POST /graphql'])
    expect(earlier).toMatchObject({ known: true, value: { id: 'job_1', kind: 'continue' } })
  })

  it.for([
    ['without follow-up', '/docs explain it', { comment: 'never', 'follow-up': 'false' }, 1],
    ['for a new job', '/docs new explain it', { comment: 'never' }, 1],
    ['where `job-id` names the job', '/docs explain it', { comment: 'never', 'job-id': 'job_1' }, 1],
    ['on a re-run that continues nothing', '/docs new explain it', { comment: 'never' }, 2],
    ['in a dry run without a key', '/docs explain it', { 'dry-run': 'true', 'api-key': '' }, 1],
  ] as const)('and nothing is read %s', async ([_what, words, inputs, attempt], { scene }) => {
    const { earlier } = await scene.ask({ words, inputs, attempt })
    expect(scene.github.requests).toEqual([])
    expect(earlier).toEqual({ known: true, value: undefined })
  })
})
