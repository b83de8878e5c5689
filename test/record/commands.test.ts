import { describe, expect } from 'vitest'
import { type Event, newIssue, review } from '../support/events.ts'
import { addCheck } from '../support/world.ts'
import {
  CREATE,
  DONE,
  itWithScene,
  octocat,
  RUN,
  type Scene,
  STARTING,
  type Told,
  WORKING,
  writing,
} from './runs.ts'

const it = itWithScene()

describe('a command on a pull request', () => {
  it('gets a reply that is edited to its end, an announcement, and a rocket', async ({ scene }) => {
    const end = await scene.ask({ words: '/docs explain the new flag', end: 'pull-request' })
    const asked = `**octocat** asked: explain the new flag · ${RUN}\n\nThis comment will show the result.`
    expect(scene.said()).toEqual([
      [
        `${STARTING}\n\n${asked}`,
        `${WORKING}\n\n${asked}`,
        '✅ **Pull request ready for review: [acme/docs#\u200b1](https://github.com/acme/docs/pull/1)**\n\n' +
          '[0 files](https://github.com/acme/docs/pull/1/files)\n\n' +
          `**octocat** asked: explain the new flag · took 10 s · ${RUN}\n\n` +
          'To continue, comment `/docs …` here or on that pull request; `/docs new …` starts a new job.',
      ],
      [
        '💬 The docs agent opened this pull request for [a comment](https://github.com/acme/docs/pull/5#issuecomment-5001) by **octocat**: explain the new flag\n\n' +
          'To have it changed, comment `/docs …` here, such as `/docs shorter, and add an example`.',
      ],
    ])
    expect(scene.reactions()).toEqual(['rocket'])
    expect(end.outputs['comment-url']).toBe('https://github.com/acme/docs/pull/5#issuecomment-5002')
    expect(end.post.requests).toEqual([])
  })

  it('gets eyes at once and a reply that says what is being done, in order', async ({ scene }) => {
    const event = scene.comment()
    const first = await scene.tell(event, { end: 'cancelled' })
    const begun = ['GET /collaborators/octocat/permission', 'POST /issues/comments/5001/reactions eyes']
    expect(first.requests.slice(0, 3)).toEqual([...begun, 'POST /issues/5/comments'])
    await scene.tell(event, { runId: 1001, attempt: 2 })
    await scene.ask({ words: '/docs shorter' })
    const stages = scene.said().map((history) => history.map((body) => body.split('\n')[0]))
    expect(stages).toEqual([
      [STARTING, WORKING, '🛑 **Cancelled**', STARTING, "⏳ **Waiting for the docs agent's job …**", DONE],
      [STARTING, '⏳ **The docs agent continues its earlier job …**', DONE],
    ])
  })

  it.for([
    ['rocket', ['pull-request']],
    ['+1', ['no-pull-request', 'submitted']],
    ['confused', ['failed', 'archived', 'timed-out', 'cancelled', 'error']],
  ] as const)('gets %s at the end: %j', async ([reaction, results], { scene }) => {
    for (const end of results) {
      expect((await scene.ask({ end, words: '/docs new page' })).outputs['result']).toBe(end)
    }
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

describe('the reply to a command that waits for the preview', () => {
  it.for([
    ['is edited once the preview is ready', 'true', 'preview being built', 'preview ready', 'ready'],
    ['is not edited without that wait', 'false', undefined, 'preview being built', 'building'],
  ] as const)('%s', async ([_what, waits, first, last, status], { scene }) => {
    const { world, clock } = scene
    const check = addCheck(world, world.pulls.get(1)?.fields.head?.sha ?? '', { status: 'IN_PROGRESS' })
    clock.at(clock.now() + 40_000, () => Object.assign(check, { status: 'COMPLETED', conclusion: 'SUCCESS' }))
    const { outputs } = await scene.ask({ end: 'pull-request', inputs: { 'wait-for-preview': waits } })
    expect(outputs).toMatchObject({ result: 'pull-request', 'preview-status': status })
    const ends = scene.said()[0]?.flatMap((body) => body.match(/preview (?:being built|ready)/)?.[0] ?? [])
    expect(ends).toEqual([first, last].filter((text) => text !== undefined))
    expect(scene.reactions()).toEqual(['rocket'])
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
    const { requests } = await scene.tell(eventIn(scene))
    const searched = ['GET /pulls/5/comments', 'GET /issues/5/comments']
    expect(writing(requests)).toEqual([
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
    const { requests, post } = await scene.tell(review({ id: 7, body: '/docs explain it', author: octocat }))
    expect(requests.filter((line) => line.includes('reactions'))).toEqual([])
    expect(scene.headlines()).toEqual([DONE])
    expect(post.requests).toEqual([])
  })

  const GONE = ['404', '422'] as const
  it.for(GONE)('in a deleted thread (%s) gets its reply in the main one', async (end, { scene }) => {
    const event = scene.reviewComment('/docs explain this line')
    scene.github.faults.push({ match: /replies$/, end })
    const first = await scene.tell(event, { end: 'cancelled' })
    expect(scene.world.comments[1]).toMatchObject({ kind: 'main', number: 5 })
    expect(first.warnings).toEqual([])
    // A re-run finds it there.
    const second = await scene.tell(event, { runId: 1001, attempt: 2 })
    expect(new Set(second.calls)).toEqual(new Set(['GET /job/job_1']))
    expect(scene.headlines()).toEqual([DONE])
  })
})

it('a command without instructions is told once how to ask, however often it runs', async ({ scene }) => {
  const event = scene.comment('/docs')
  const again = { runId: 1001, attempt: 2 }
  const quiet = await scene.tell(event, { inputs: { comment: 'never' } })
  expect(quiet.requests).toEqual(['GET /collaborators/octocat/permission'])
  await scene.tell(event, { runId: 1001 })
  const { post } = await scene.tell(event, again)
  const usage =
    '**What should the docs agent do?** Write your instructions after `/docs`:\n\n' +
    '`/docs explain the new flag in the CLI guide`\n\n' +
    'Another command here continues the same job, such as `/docs shorter, and add an example`. `/docs new …` starts a new one.'
  expect(scene.said()).toEqual([[usage, usage]])
  expect(scene.reactions()).toEqual(['confused'])
  expect(post.requests).toEqual([])
})

describe('a command that nothing may be written for', () => {
  const NEVER: Told = { inputs: { comment: 'never' } }
  const PERMISSION = 'GET /collaborators/octocat/permission'

  it('with `comment: never` looks for its job all the same', async ({ scene }) => {
    await scene.ask()
    const { requests, calls } = await scene.ask(NEVER)
    expect(requests).toEqual([PERMISSION, 'GET /issues/5/comments', 'POST /graphql'])
    expect(calls.slice(0, 2)).toEqual(['GET /job/job_1', 'POST /job/job_1/message'])
  })

  it('in a dry run looks for its job all the same', async ({ scene }) => {
    await scene.ask()
    const { requests, calls, log } = await scene.ask({ inputs: { 'dry-run': 'true' } })
    expect(requests).toEqual([PERMISSION, 'GET /issues/5/comments', 'POST /graphql'])
    expect([calls, log.at(-1)]).toEqual([[], expect.stringContaining('message to the job `job_1`')])
  })

  it.for<[string, string, Told, readonly string[]]>([
    ['without follow-up', '/docs explain it', { inputs: { comment: 'never', 'follow-up': 'false' } }, CREATE],
    ['for a new job', '/docs new explain it', NEVER, CREATE],
    ['on a re-run that continues nothing', '/docs new explain it', { ...NEVER, attempt: 2 }, CREATE],
    ['in a dry run without a key', '/docs explain it', { inputs: { 'dry-run': 'true', 'api-key': '' } }, []],
  ])('reads no comments either %s', async ([_what, words, options, calls], { scene }) => {
    const end = await scene.ask({ words, ...options })
    expect(end.requests).toEqual([PERMISSION])
    expect(end.calls.slice(0, 1)).toEqual(calls)
  })
})
