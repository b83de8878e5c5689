import { describe, expect } from 'vitest'
import type { Event } from '../support/events.ts'
import { addCheck } from '../support/world.ts'
import {
  CREATE,
  DONE,
  itWithScene,
  RUN,
  type Scene,
  STARTING,
  type Told,
  WORKING,
  writing,
} from './runs.ts'

const it = itWithScene()

describe('a command on a pull request', () => {
  it('gets eyes, a reply that is edited to its end, and a note on the agent’s pull request', async ({
    scene,
  }) => {
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
        '💬 **The code changes that these docs are for**\n\n' +
          '- 2026-01-05, [workflow run](https://github.com/acme/docs/actions/runs/1001): [a command](https://github.com/acme/docs/pull/5#issuecomment-5001) by **octocat**: explain the new flag\n\n' +
          'To have it changed, comment `/docs …` here, such as `/docs shorter, and add an example`.',
      ],
    ])
    expect(scene.reactions()).toEqual(['eyes'])
    expect(end.post.requests).toEqual([])
  })

  it('gets eyes at once, and a reply that says what is being done, in order', async ({ scene }) => {
    const event = scene.comment()
    const first = await scene.tell(event, { end: 'cancelled' })
    const begun = [
      'GET /collaborators/octocat/permission',
      'POST /issues/comments/5001/reactions eyes',
    ]
    expect(first.requests.slice(0, 2)).toEqual(begun)
    await scene.tell(event, { runId: 1001, attempt: 2 })
    await scene.ask({ words: '/docs shorter' })
    const stages = scene.said().map((history) => history.map((body) => body.split('\n')[0]))
    expect(stages).toEqual([
      [STARTING, WORKING, '🛑 **Cancelled**', "⏳ **Waiting for the docs agent's job …**", DONE],
      [STARTING, '⏳ **The docs agent continues its earlier job …**', DONE],
    ])
    expect(scene.reactions()).toEqual(['eyes', 'eyes'])
  })
})

describe('the reply to a command that waits for the preview', () => {
  it.for([
    [
      'is edited once the preview is ready',
      'true',
      'preview being built',
      'preview ready',
      'ready',
    ],
    ['is not edited without that wait', 'false', undefined, 'preview being built', 'building'],
  ] as const)('%s', async ([_what, waits, first, last, status], { scene }) => {
    const { world, clock } = scene
    const check = addCheck(world, world.pulls.get(1)?.fields.head?.sha ?? '', {
      status: 'IN_PROGRESS',
    })
    clock.at(clock.now() + 40_000, () =>
      Object.assign(check, { status: 'COMPLETED', conclusion: 'SUCCESS' }),
    )
    const { outputs } = await scene.ask({
      end: 'pull-request',
      inputs: { 'wait-for-preview': waits },
    })
    expect(outputs).toMatchObject({ result: 'pull-request', 'preview-status': status })
    const ends = scene
      .said()[0]
      ?.flatMap((body) => body.match(/preview (?:being built|ready)/)?.[0] ?? [])
    expect(ends).toEqual([first, last].filter((text) => text !== undefined))
  })
})

describe('a command elsewhere', () => {
  const onIssue = (scene: Scene) => scene.comment('/docs x', { number: 8, onIssue: true })
  const inReview = (scene: Scene, rootId = 0) => {
    scene.reviewComment('What is this?')
    return scene.reviewComment('/docs x', { rootId })
  }
  const inThread = (scene: Scene) => inReview(scene, 5001)

  it.for<[string, (scene: Scene) => Event, string, string, string]>([
    ['on an issue', onIssue, '/issues/comments/5001', 'issues/8/comments', 'issues/comments/5002'],
    [
      'in a review',
      inReview,
      '/pulls/comments/5002',
      'pulls/5/comments/5002/replies',
      'pulls/comments/5003',
    ],
    [
      'in a thread',
      inThread,
      '/pulls/comments/5002',
      'pulls/5/comments/5001/replies',
      'pulls/comments/5003',
    ],
  ])(
    '%s is answered and reacted to there',
    async ([_where, eventIn, source, thread, reply], { scene }) => {
      const { requests } = await scene.tell(eventIn(scene))
      const searched = ['GET /pulls/5/comments', 'GET /issues/5/comments']
      expect(writing(requests)).toEqual([
        `POST ${source}/reactions eyes`,
        ...(thread.startsWith('pulls') ? searched : ['GET /issues/8/comments']),
        `POST /${thread}`,
        `PATCH /${reply}`,
        `PATCH /${reply}`,
      ])
    },
  )
})

it('a command without instructions is told once how to ask, however often it runs', async ({
  scene,
}) => {
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
  expect(scene.reactions()).toEqual(['eyes'])
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
    [
      'without follow-up',
      '/docs explain it',
      { inputs: { comment: 'never', 'follow-up': 'false' } },
      CREATE,
    ],
    ['for a new job', '/docs new explain it', NEVER, CREATE],
    [
      'on a re-run that continues nothing',
      '/docs new explain it',
      { ...NEVER, attempt: 2 },
      CREATE,
    ],
  ])('reads no comments either %s', async ([_what, words, options, calls], { scene }) => {
    const end = await scene.ask({ words, ...options })
    expect(end.requests).toEqual([PERMISSION])
    expect(end.calls.slice(0, 1)).toEqual(calls)
  })
})
