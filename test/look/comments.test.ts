import { expect } from 'vitest'
import { type Event, event, pullRequest } from '../support/events.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { alive } from '../support/rendered.ts'
import { addComment, person } from '../support/world.ts'
import {
  CREATE,
  continues,
  DONE,
  itWithScene,
  markerIn,
  octocat,
  PULL,
  RERUN,
  RUN,
  type Scene,
  STARTING,
  type Told,
  WORKING,
} from './runs.ts'

const it = itWithScene()

/** Requests about comments and reactions. */
const writing = (lines: readonly string[]): string[] =>
  lines.filter((line) => /comments|replies|reactions/.test(line))

it('a command gets eyes, a reply that is edited to its end, and a source comment on the docs pull request', async ({
  scene,
}) => {
  const end = await scene.ask({ words: '/docs explain the new flag', end: 'pull-request' })
  const asked = `**octocat** asked: explain the new flag · ${RUN}\n\nThis comment will show the result.`
  expect(scene.said()).toEqual([
    [
      `${STARTING}\n\n${asked}`,
      `${WORKING}\n\n${asked}`,
      '✅ **Docs pull request ready for review: [acme/docs#\u200b1](https://github.com/acme/docs/pull/1)**\n\n' +
        '**Change 1**\n\nThe pull request changes no files.\n\n' +
        `**octocat** asked: explain the new flag · took 10 s · ${RUN}\n\n` +
        'To ask for more changes, comment `/docs …` here or on the pull request. To start a separate job, comment `/docs new …`.',
    ],
    [
      '💬 **Code changes covered by this pull request**\n\n' +
        '- 2026-01-05, [workflow run](https://github.com/acme/docs/actions/runs/1001): [command](https://github.com/acme/docs/pull/5#issuecomment-5001) by **octocat**: explain the new flag\n\n' +
        'To request changes, comment `/docs …` here. For example: `/docs make it shorter and add an example`',
    ],
  ])
  expect(scene.reactions()).toEqual(['eyes'])
  expect(end.post.requests).toEqual([])
})

it.for([
  { end: 'no-pull-request', words: 'To ask for more changes, comment `/docs …` here. To start' },
  { end: 'failed', words: 'To try again with a new job, comment `/docs …`.' },
  { end: 'error', words: 'Add credits in the dashboard, or wait' },
] as const)('the reply to a command ends with the next step: $end', async (row, { scene }) => {
  await scene.ask({ end: row.end })
  expect(scene.said()[0]?.at(-1)?.split('\n\n').at(-1)).toContain(row.words)
})

it('the reply to a command cuts long words, names the writer alone without any, and shows names as code', async ({
  scene,
}) => {
  await scene.ask({ words: `/docs ${'x'.repeat(300)}` })
  await scene.ask({ words: '/docs', inputs: { prompt: 'Document it.' } })
  const [long, none] = scene.said().map(([body]) => body?.split('\n\n')[1])
  expect(long).toBe(`**octocat** asked: ${'x'.repeat(280)}… (20 more characters) · ${RUN}`)
  expect(none).toContain('Requested by **octocat** · ')
  await scene.ask({ inputs: { 'job-id': 'j7' }, replies: { post: [{ status: 404 }] } })
  expect(scene.headlines()[2]).toBe("❌ **Job `j7` wasn't found**")
})

const ON_LINE = '/pulls/comments/5002/reactions'
it.for<{ where: string; eventIn: (scene: Scene) => Event; reaction: string; reply: string }>([
  {
    where: 'on an issue',
    eventIn: (scene) => scene.comment('/docs x', { number: 8, onIssue: true }),
    reaction: '/issues/comments/5001/reactions',
    reply: '/issues/8/comments',
  },
  {
    where: 'in a review',
    eventIn: (scene) => scene.reviewComment('/docs x'),
    reaction: ON_LINE,
    reply: '/pulls/5/comments/5002/replies',
  },
  {
    where: 'in a thread',
    eventIn: (scene) => scene.reviewComment('/docs x', { rootId: 5001 }),
    reaction: ON_LINE,
    reply: '/pulls/5/comments/5001/replies',
  },
])('a command $where is answered and reacted to there', async (row, { scene }) => {
  if (row.where !== 'on an issue') scene.reviewComment('What is this?')
  const { requests } = await scene.tell(row.eventIn(scene))
  const posted = requests.filter((line) => /^POST .*(?:comments|replies|reactions)/.test(line))
  expect(posted).toEqual([`POST ${row.reaction} eyes`, `POST ${row.reply}`])
})

it('a command without instructions gets one usage reply, in re-runs, too', async ({ scene }) => {
  const event = scene.comment('/docs')
  const quiet = await scene.tell(event, { inputs: { comment: 'never' } })
  expect(quiet.requests).toEqual(['GET /collaborators/octocat/permission'])
  await scene.tell(event, { runId: 1001 })
  const { post } = await scene.tell(event, { ...RERUN, inputs: { 'follow-up': 'false' } })
  const usage =
    '**The command has no instructions.** Write your instructions after `/docs`, for example:\n\n' +
    '`/docs explain the new flag in the CLI guide`'
  const further =
    '\n\nTo refine the result, comment again, for example `/docs make it shorter and add an example`. To start over, comment `/docs new …`.'
  expect(scene.said()).toEqual([[usage + further, usage]])
  expect(scene.reactions()).toEqual(['eyes'])
  expect(post.requests).toEqual([])
})

it.for([
  { inputs: { comment: 'never' }, calls: continues('job_1') },
  { inputs: { 'dry-run': 'true' }, calls: [] },
])('a command with $inputs looks for its job, and does not write', async (row, { scene }) => {
  await scene.ask()
  const end = await scene.ask({ inputs: row.inputs })
  expect(end.requests.filter((line) => !/^GET |graphql/.test(line))).toEqual([])
  expect(end.calls.slice(0, 2)).toEqual(row.calls)
  expect(end.log.at(-1)?.includes('to the job `job_1`')).toBe(row.calls.length === 0)
})

const opened = pullRequest({ sender: octocat })

/** A run for pull request 5 with a status comment. */
const comment = (scene: Scene, { inputs, ...told }: Told = {}, event: Event = opened) => {
  const usual = { prompt: 'Document it.', comment: 'always', 'follow-up': 'false' }
  return scene.tell(event, { ...told, inputs: { ...usual, ...inputs } })
}

it('a status comment is written once for each pull request and step, and edited to its end', async ({
  scene,
}) => {
  const { requests } = await comment(scene)
  expect(writing(requests)).toEqual([
    'GET /issues/5/comments',
    'POST /issues/5/comments',
    'PATCH /issues/comments/5001',
    'PATCH /issues/comments/5001',
  ])
  const target = { ...opened, name: 'pull_request_target' }
  const { post } = await comment(scene, { end: 'failed' }, target)
  expect(scene.said()).toEqual([
    [
      expect.stringMatching(/^⏳ \*\*Starting the agent …\*\*\n\nFor `ec26c3e` · \[workflow run\]/),
      expect.stringContaining(WORKING),
      expect.stringContaining(DONE),
      expect.stringContaining(STARTING),
      expect.stringContaining(WORKING),
      // A workflow may not listen to commands here.
      expect.stringMatching(
        /^❌ \*\*The agent's job failed\*\*\n\nFor .*runs\/1002\)\n[\s\S]*job `job_1` failed, but/,
      ),
    ],
  ])
  expect(post.requests).toEqual([])
  await comment(scene, { env: { GITHUB_JOB: 'other' } })
  await comment(scene, { inputs: { 'project-id': 'other', 'follow-up': 'true' } })
  expect(scene.headlines()).toEqual(["❌ **The agent's job failed**", DONE, DONE])
  expect(scene.said()[2]?.at(-1)).not.toContain('`/docs')
  // A command doesn't find its job there.
  expect((await scene.ask()).calls[0]).toEqual(CREATE[0])
})

it('a status comment that can’t be written is one notice', async ({ scene }) => {
  scene.github.faults.push({ match: /^POST .*comments$/, end: '403' })
  const { log, titles, outputs } = await comment(scene)
  expect(titles.filter((title) => title.includes('`pull-requests: write`'))).toHaveLength(1)
  expect(log.filter((line) => line.startsWith('notice: The run continued'))).toHaveLength(1)
  expect(outputs['result']).toBe('no-pull-request')
})

const ADA = { author: person('ada'), association: 'MEMBER' } as const
const CONTEXT = { context: 'diff' }
it.for(['main', 'review'] as const)(
  'the agent gets no hidden comment of a %s thread, and none if it can’t be read which are hidden',
  async (kind, { scene }) => {
    const { world, github } = scene
    const post = (body: string, rootId?: number) =>
      addComment(world, { kind, number: 5, rootId, body, ...ADA })
    const { id: rootId } = post('Shown')
    post('Hidden', rootId).isHidden = true
    const ask = async () => {
      const event =
        kind === 'main'
          ? scene.comment('/docs new page')
          : scene.reviewComment('/docs new page', { rootId })
      return JSON.stringify((await scene.tell(event, { inputs: CONTEXT })).bodies)
    }
    const sent = await ask()
    expect([sent.includes('Shown'), sent.includes('Hidden')]).toEqual([true, false])
    expect(sent).toContain('1 by others')
    github.faults.push({ match: /Hidden\w*Comments/, end: '502' })
    const unknown = await ask()
    expect(unknown).toContain('new page'.slice(4))
    expect(unknown).not.toMatch(/Shown|Hidden/)
  },
)

it.for<[string, Event, Record<string, string>]>([
  ['`auto`', opened, { comment: 'auto' }],
  ['`never`', opened, { comment: 'never' }],
  ['a dry run', opened, { 'dry-run': 'true' }],
  [
    'another event of a pull request',
    event('pull_request_review', { pull_request: { number: 5 } }),
    {},
  ],
])('no status comment is written by %s', async ([_what, event, inputs], { scene }) => {
  await comment(scene, { inputs }, event)
  expect(scene.said()).toEqual([])
})

it.for(HOSTILE_TEXTS)('text from outside is inert in comments: %j', async (text, { scene }) => {
  const replies = {
    post: [{ body: { id: text } }],
    get: [{ body: { id: text, status: 'completed', prLink: PULL } }],
  }
  await scene.ask({ words: `/docs ${text} mint_0123456789`, inputs: { matrix: text }, replies })
  const bodies = scene.world.comments.slice(1).flatMap(({ history }) => history)
  expect(bodies.length).toBeGreaterThan(1)
  expect(JSON.stringify([bodies, bodies.map(markerIn)])).not.toContain('mint_0123456789')
  for (const body of scene.said().flat()) {
    expect(body).not.toMatch(/^\s*\/docs/)
    const { html, mentions, images } = alive(body)
    expect(html.filter((tag) => !/^<\/?code>/.test(tag))).toEqual([])
    expect([...mentions, ...images]).toEqual([])
  }
})
