import { describe, expect } from 'vitest'
import type { Reply } from '../support/scripted-service.ts'
import { ACTIONS, addComment, endPull, person } from '../support/world.ts'
import {
  CREATE,
  continues,
  DONE,
  firstCalls,
  itWithScene,
  markerIn,
  PULL,
  RERUN,
  type Scene,
  type Told,
} from './runs.ts'

const it = itWithScene()
const OTHER_STEP: Told = { env: { GITHUB_ACTION: 'other' } }
const OTHER_PROJECT: Told = { inputs: { 'project-id': 'other' } }
const LIST = /^GET \/issues\/\d\/comments$/
const SLOW: Reply = { takesMs: 5000, body: { id: 'job_1' } }

type Next = Told & { readonly number?: number }

/** What the next command in the conversation on a pull request asks of the docs service first. */
async function next({ ask }: Scene, options: Next = {}): Promise<string[]> {
  return firstCalls(await ask({ words: '/docs shorter', end: 'submitted', ...options }))
}

/** What our first comment said, oldest first. */
function reply({ world }: Scene): string[] {
  return world.comments.find(({ author }) => author === world.viewer)?.history ?? []
}

/** A comment that says what ours says. */
function copy(scene: Scene, change: Partial<Parameters<typeof addComment>[1]>): void {
  const usual = { kind: 'main', number: 5, author: ACTIONS, body: reply(scene)[2] ?? '' } as const
  addComment(scene.world, { ...usual, ...change })
}

/** Replaces a part of our reply. */
const spoil = (part: RegExp, text: string) => (scene: Scene) =>
  void reply(scene).push(reply(scene)[2]?.replace(part, text) ?? '')

/** What its markers said, such as `pending job_1`. */
function states(scene: Scene): string[] {
  return reply(scene).map((body) => `${markerIn(body).state} ${markerIn(body).job}`.trim())
}

it('another command continues the job of its conversation and its pull request', async ({
  scene,
}) => {
  await scene.ask({ end: 'pull-request' })
  // While an update runs, Mintlify doesn't name its pull request.
  const event = scene.comment()
  await scene.tell(event, { end: 'cancelled', runId: 1002 })
  await scene.tell(event, { end: 'cancelled', runId: 1002, attempt: 2 })
  const end = await scene.ask()
  expect(firstCalls(end)).toEqual(continues('job_1'))
  expect(end.log[0]).toContain(`This run updates the pull request ${PULL} (job job_1`)
})

it('what was said since the last command is sent without the key', async ({ scene }) => {
  const inputs = { context: 'diff', 'api-key': 'mint_demo' }
  await scene.ask({ inputs })
  scene.comment('Is mint_demo right?')
  const { bodies, calls } = await scene.ask({ words: '/docs shorter', inputs })
  expect(firstCalls({ calls })).toEqual(continues('job_1'))
  expect(JSON.stringify(bodies)).toContain('Is *** right?')
})

it('a new job after a closed pull request gets the whole conversation', async ({ scene }) => {
  const inputs = { context: 'diff' }
  scene.comment('The flag is called --fast.')
  await scene.ask({ end: 'pull-request', inputs })
  const pull = scene.world.pulls.get(1)
  if (pull) endPull(scene.world, pull)
  const end = await scene.ask({ words: '/docs shorter', inputs })
  expect(firstCalls(end)).toEqual(['GET /job/job_1', ...CREATE])
  expect(JSON.stringify(end.bodies)).toContain('The flag is called --fast.')
})

it('another command continues the newest job, but not one that was refused', async ({ scene }) => {
  await scene.ask()
  await scene.ask({ words: '/docs new guide', job: 'job_2' })
  await scene.ask({ words: '/docs new page', end: 'error' })
  expect(await next(scene, { env: { GITHUB_WORKFLOW: 'Renamed' } })).toEqual(continues('job_2'))
})

it.for<[string, Next, ((scene: Scene) => void)?]>([
  ['on another pull request', { number: 6 }],
  ['to another step of the job', OTHER_STEP],
  ['to another project', OTHER_PROJECT],
  ['with another key', { inputs: { 'api-key': 'mint_another_key' } }],
  ['below a reply without a signature', {}, spoil(/\.[\w-]+ -->/, ' -->')],
  ['below a reply with another signature', {}, spoil(/\.[\w-]+/, `.${'A'.repeat(43)}`)],
  ['below a reply with words before the marker', {}, spoil(/^/, 'They said:\n')],
  ['below a copy on another pull request', { number: 6 }, (scene) => copy(scene, { number: 6 })],
  [
    'below a copy by somebody else',
    {},
    (scene) => {
      copy(scene, { author: person('mallory') })
      scene.world.comments.splice(1, 1)
    },
  ],
  [
    'with the token of another app',
    {},
    ({ world }) => Object.assign(world, { viewer: { login: 'acme[bot]', id: 4711, type: 'Bot' } }),
  ],
])('another command %s finds no job', async ([_what, options, happen], { scene }) => {
  await scene.ask()
  happen?.(scene)
  const end = await scene.ask(options)
  expect([firstCalls(end), end.warnings]).toEqual([CREATE, []])
})

it('another command in a review thread continues the job of that thread alone', async ({
  scene,
}) => {
  await scene.ask()
  const event = scene.reviewComment('/docs explain this line')
  const rootId = scene.world.comments.at(-1)?.id ?? 0
  copy(scene, { kind: 'review', rootId })
  expect(firstCalls(await scene.tell(event, { job: 'job_thread' }))).toEqual(CREATE)
  for (let count = 0; count < 350; count++) scene.reviewComment('Hm.')
  const { calls, requests } = await scene.tell(scene.reviewComment('/docs shorter', { rootId }))
  expect(calls.slice(0, 2)).toEqual(continues('job_thread'))
  expect(requests).toContain('GET /pulls/5/comments?page=4')
  expect(firstCalls(await scene.tell(scene.reviewComment('/docs and this')))).toEqual(CREATE)
})

it.for([
  { context: 'diff', place: 'docs/a.md, lines 21 to 24', hunk: '+twenty-four' },
  { context: 'none' },
])('another command on lines is sent with them: $context', async (row, { scene }) => {
  const { context, place, hunk } = row
  await scene.ask({ end: 'pull-request' })
  const made = scene.reviewComment('/docs fix this', { number: 1 })
  const lines = { path: 'docs/a.md', start_line: 21, line: 24 }
  const comment = { ...made.payload.comment, ...lines, diff_hunk: '@@ -20 +21,4 @@\n+twenty-four' }
  const event = { ...made, payload: { ...made.payload, comment } }
  const { bodies, calls } = await scene.tell(event, { inputs: { context } })
  expect(calls).toContain('POST /job/job_1/message')
  const sent = JSON.stringify(bodies)
  expect(sent.includes(place ?? 'docs/a.md')).toBe(place !== undefined)
  expect(sent.includes('+twenty-four')).toBe(hunk !== undefined)
})

it.for<[string, Told, string[]]>([
  ['continues the job of its source comment', {}, continues('job_1')],
  ['continues it in another step of the project, too', OTHER_STEP, continues('job_1')],
  ['starts a new job for another project', OTHER_PROJECT, CREATE],
])('a command on the agent’s pull request %s', async ([_what, options, calls], { scene }) => {
  await scene.ask({ end: 'pull-request' })
  expect(await next(scene, { number: 1, ...options })).toEqual(calls)
})

it('a command on the agent’s pull request continues the newest job of the source comment, in a review, too', async ({
  scene,
}) => {
  await scene.ask({ end: 'pull-request' })
  await scene.ask({ end: 'pull-request', words: '/docs new page', job: 'job_2' })
  const end = await scene.tell(scene.reviewComment('/docs fix this line', { number: 1 }))
  expect(firstCalls(end)).toEqual(continues('job_2'))
  expect(await next(scene, { number: 1 })).toEqual(continues('job_2'))
})

it('a command on the agent’s pull request continues the job of the same step if that has replied there', async ({
  scene,
}) => {
  await scene.ask({ number: 1, job: 'job_own' })
  await scene.ask({ end: 'pull-request' })
  expect(await next(scene, { number: 1 })).toEqual(continues('job_own'))
})

it('an earlier command that may have started a job is shown by a notice, unless one after it was refused', async ({
  scene,
}) => {
  await scene.ask({ replies: { post: [{ takesMs: 60_000 }] } })
  const said = /^notice: .*issuecomment-5002\) may have started a job/
  const end = await scene.ask()
  expect([firstCalls(end), end.log.filter((line) => said.test(line))]).toEqual([
    CREATE,
    [expect.anything()],
  ])
  await scene.ask({ end: 'error' })
  for (const words of ['/docs more', '/docs shorter', '/docs new page'])
    expect((await scene.ask({ words })).log.join('\n')).not.toContain('may have started')
})

it('a command whose conversation can’t be read does not start a job', async ({ scene }) => {
  await scene.ask()
  scene.github.faults.push({ match: LIST, end: '502' })
  // A review thread without a job looks for one in the main thread.
  for (const event of [scene.comment(), scene.reviewComment('/docs explain this line')]) {
    const { calls, outputs, hasFailed } = await scene.tell(event)
    expect([calls, outputs['result'], hasFailed]).toEqual([[], 'error', true])
  }
})

it('a reply that GitHub rejects as "submitted too quickly" is written again, and names the job', async ({
  scene,
}) => {
  const errors = [{ message: 'was submitted too quickly' }]
  const end = { status: 422, body: { message: 'Validation Failed', errors } }
  scene.github.faults.push({ match: /^POST .*comments$/, end, times: 4 })
  const { outputs } = await scene.ask()
  expect([outputs['result'], states(scene).at(-1)]).toEqual(['no-pull-request', 'success job_1'])
  expect(await next(scene)).toEqual(continues('job_1'))
})

it('a page of comments above 16 MiB is asked for again in smaller pages', async ({ scene }) => {
  await scene.ask()
  const body = 'x'.repeat(600 * 1024)
  for (let count = 0; count < 40; count++)
    addComment(scene.world, { kind: 'main', number: 5, author: person('mallory', 666), body })
  const end = await scene.ask({ words: '/docs shorter', end: 'submitted' })
  expect(firstCalls(end)).toEqual(continues('job_1'))
  expect(end.requests).toContain('GET /issues/5/comments?page=14')
})

it('a reply that is listed but can’t be edited (404) is not edited for ever', async ({ scene }) => {
  scene.github.faults.push({ match: /^PATCH .*comments/, end: '404' })
  const { outputs, requests, post } = await scene.ask()
  expect(outputs['result']).toBe('no-pull-request')
  const edits = [...requests, ...post.requests].filter((line) => line.startsWith('PATCH'))
  expect(edits.length).toBeLessThan(10)
  expect(scene.said()).toHaveLength(1)
})

it.for<[string, Told, string[]]>([
  ['has a pull request', { end: 'pull-request' }, ['pending', 'pending job_1', 'success job_1']],
  ['is running after a kill', { killAtMs: 3000 }, ['pending', 'pending job_1', 'failure job_1']],
  ['was refused', { end: 'error' }, ['pending', 'failure']],
  [
    'may have been started before a kill',
    { replies: { post: [SLOW] }, killAtMs: 3000 },
    ['pending', 'error'],
  ],
])('the reply to a command records a job that %s', async ([_what, told, expected], { scene }) => {
  await scene.ask(told)
  expect(states(scene)).toEqual(expected)
})

describe('a re-run of a command', () => {
  it('finds its reply again, waits for the job that it names, and edits it', async ({ scene }) => {
    const event = scene.comment()
    await scene.tell(event, { end: 'cancelled' })
    // An attempt that could not look at the job, or is killed before it has, leaves it to the next one.
    await scene.tell(event, { ...RERUN, replies: { get: [{ status: 401 }] } })
    await scene.tell(event, { ...RERUN, killAtMs: 1000, replies: { get: [{ takesMs: 5000 }] } })
    const { calls, requests } = await scene.tell(event, RERUN)
    expect(new Set(calls)).toEqual(new Set(['GET /job/job_1']))
    expect(scene.headlines()).toEqual([DONE])
    const edit = 'PATCH /issues/comments/5002'
    expect(requests.filter((line) => line.includes('comments'))).toEqual([
      'POST /issues/comments/5001/reactions eyes',
      'GET /issues/5/comments',
      ...[edit, edit],
    ])
  })

  it.for<{ first: Told; words?: string; get: Reply; calls: string[] }>([
    { first: {}, words: '/docs new page', get: 'completed', calls: ['GET /job/job_1'] },
    { first: { end: 'failed' }, get: 'failed', calls: ['GET /job/job_1', ...CREATE] },
    { first: { end: 'error' }, get: 'completed', calls: CREATE },
  ])('whose first attempt ended as $first.end asks for $calls', async (row, { scene }) => {
    const event = scene.comment(row.words)
    await scene.tell(event, row.first)
    const second = await scene.tell(event, { ...RERUN, replies: { get: [row.get] } })
    expect([...new Set(second.calls)].slice(0, row.calls.length)).toEqual(row.calls)
    expect(second.calls.includes('POST /job')).toBe(row.calls.includes('POST /job'))
  })

  it('continues the conversation if its own message was refused', async ({ scene }) => {
    await scene.ask()
    const event = scene.comment('/docs shorter')
    await scene.tell(event, { end: 'error' })
    expect(scene.said()[1]?.at(-1)).toMatch(/\n\nJob `job_1`\.$/)
    const end = await scene.tell(event, { runId: 1002, attempt: 2 })
    expect(firstCalls(end)).toEqual(continues('job_1'))
    expect(scene.said()).toHaveLength(2)
  })

  it('that finds its reply pending without a job does not start one, and the next does not either', async ({
    scene,
  }) => {
    const event = scene.comment()
    await scene.tell(event, {
      ...{ replies: { post: [SLOW] }, killAtMs: 3000 },
      // GitHub fails for the post step, too.
      beforePost: () => scene.github.faults.push({ match: /./, end: '502' }),
    })
    scene.github.faults.splice(0)
    expect(states(scene)).toEqual(['pending'])
    for (const attempt of [2, 3]) {
      const { calls, outputs, log, hasFailed } = await scene.tell(event, { ...RERUN, attempt })
      expect([calls, outputs['result'], hasFailed]).toEqual([[], 'error', true])
      expect(log.at(-1)).toContain('This attempt started nothing')
    }
    expect(states(scene)).toEqual(['pending', 'error', 'error'])
  })

  it.for([
    ['the comments', LIST, '403'],
    ['whose token it is', /graphql|eyes$/, '502'],
  ] as const)(
    'that can not read %s does not start a job, and leaves its reply as it is',
    async ([_what, match, end], { scene }) => {
      const event = scene.comment()
      await scene.tell(event, { runId: 1001, end: 'cancelled' })
      const before = scene.said()
      scene.github.faults.push({ match, end })
      const { calls, outputs } = await scene.tell(event, RERUN)
      expect([calls, outputs['result'], scene.said()]).toEqual([[], 'error', before])
    },
  )
})
