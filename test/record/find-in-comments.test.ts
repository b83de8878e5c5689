import { describe, expect } from 'vitest'
import type { RunEnd } from '../support/harness.ts'
import { ACTIONS, addComment } from '../support/world.ts'
import { CREATE, DONE, itWithScene, octocat, PULL, type Scene, type Told } from './runs.ts'

const it = itWithScene()
const OTHER_STEP: Told = { env: { GITHUB_ACTION: 'other' } }
const OTHER_PROJECT: Told = { inputs: { 'project-id': 'other' } }
const LIST = /^GET \/issues\/5\/comments$/
const goesOn = (id: string): string[] => [`GET /job/${id}`, `POST /job/${id}/message`]

/** What the next command in the conversation on a pull request asks of the docs service first. */
async function next(
  { ask }: Scene,
  options: Told & { readonly number?: number } = {},
): Promise<string[]> {
  return firstCalls(await ask({ words: '/docs shorter', end: 'submitted', ...options }))
}

function firstCalls({ calls }: RunEnd): string[] {
  return calls.slice(0, calls[0]?.startsWith('POST') === true ? 1 : 2)
}

function chatter(scene: Scene, kind: 'main' | 'review', count: number): void {
  for (let i = 0; i < count; i++)
    addComment(scene.world, { kind, number: 5, author: octocat, body: 'Hm.' })
}

describe('a further command', () => {
  it('goes on with the job of its conversation and its pull request', async ({ scene }) => {
    await scene.ask({ end: 'pull-request' })
    // The newest reply names no pull request: an older one does.
    await scene.ask({ end: 'cancelled' })
    const end = await scene.ask()
    expect(firstCalls(end)).toEqual(goesOn('job_1'))
    expect(end.log[0]).toContain(`This run continues the pull request ${PULL} (job job_1`)
  })

  it('sends its words alone, and with `job-id` those after the prompt', async ({ scene }) => {
    await scene.ask()
    const words = '/docs shorter'
    const prompt = 'Be brief.'
    expect((await scene.ask({ words, inputs: { prompt } })).bodies).toEqual([{ prompt: 'shorter' }])
    const { bodies, calls } = await scene.ask({ words, inputs: { prompt, 'job-id': 'j7' } })
    expect([calls[0], bodies]).toEqual([
      'POST /job/j7/message',
      [{ prompt: 'Be brief.\n\nshorter' }],
    ])
  })

  it('does not remember a link that is longer than browsers take', async ({ scene }) => {
    const prLink = `${PULL}?${'x'.repeat(2000)}`
    await scene.ask({
      replies: { post: ['active'], get: [{ body: { status: 'completed', prLink } }] },
    })
    expect(await next(scene)).toEqual(goesOn('j1'))
  })

  it('goes on with the newest job, but not with one that a run was refused', async ({ scene }) => {
    await scene.ask()
    await scene.ask({ words: '/docs new guide', job: 'job_2' })
    await scene.ask({ words: '/docs new page', end: 'error' })
    expect(await next(scene, { env: { GITHUB_WORKFLOW: 'Renamed' } })).toEqual(goesOn('job_2'))
  })

  it.for<[string, Told & { number?: number }]>([
    ['on another pull request', { number: 6 }],
    [
      'to another workflow',
      { env: { GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/other.yml@main' } },
    ],
    ['to another job of the workflow', { env: { GITHUB_JOB: 'other' } }],
    ['to another step of the job', OTHER_STEP],
    ['to another project', OTHER_PROJECT],
    ['with another key', { inputs: { 'api-key': 'mint_another_key' } }],
  ])('%s finds no job', async ([_what, options], { scene }) => {
    await scene.ask()
    expect(await next(scene, options)).toEqual(CREATE)
  })

  it('finds its job amid 2,300 comments of others', async ({ scene }) => {
    chatter(scene, 'main', 1150)
    await scene.ask()
    chatter(scene, 'main', 1150)
    expect(await next(scene)).toEqual(goesOn('job_1'))
  })

  it('with the token of another app recognises the comments of that app alone', async ({
    scene,
  }) => {
    scene.world.viewer = { login: 'acme-docs[bot]', id: 4711, type: 'Bot' }
    await scene.ask()
    expect(await next(scene)).toEqual(goesOn('job_1'))
    scene.world.viewer = ACTIONS
    expect(await next(scene)).toEqual(CREATE)
  })

  it('in a review thread goes on with the job of that thread alone', async ({ scene }) => {
    await scene.ask()
    const event = scene.reviewComment('/docs explain this line')
    const rootId = scene.world.comments.at(-1)?.id ?? 0
    expect(firstCalls(await scene.tell(event, { job: 'job_thread' }))).toEqual(CREATE)
    chatter(scene, 'review', 350)
    const again = await scene.tell(scene.reviewComment('/docs shorter', { rootId }))
    expect(firstCalls(again)).toEqual(goesOn('job_thread'))
    const pages = ['', '?page=2', '?page=3', '?page=4'].map(
      (page) => `GET /pulls/5/comments${page}`,
    )
    expect(again.requests.filter((line) => line.startsWith('GET /pulls/5/comments'))).toEqual(pages)
    expect(firstCalls(await scene.tell(scene.reviewComment('/docs and this')))).toEqual(CREATE)
  })
})

describe('a command on the agent’s pull request finds its job by the note, and', () => {
  it.for<[string, Told, string[]]>([
    ['in the same step goes on with its job', {}, goesOn('job_1')],
    ['in another step of the project goes on with it, too', OTHER_STEP, goesOn('job_1')],
    ['in another project starts a new job', OTHER_PROJECT, CREATE],
  ])('%s', async ([_what, options, calls], { scene }) => {
    await scene.ask({ end: 'pull-request' })
    expect(await next(scene, { number: 1, ...options })).toEqual(calls)
  })

  it('goes on with the newest job of the note', async ({ scene }) => {
    await scene.ask({ end: 'pull-request' })
    await scene.ask({ end: 'pull-request', words: '/docs new page', job: 'job_2' })
    expect(await next(scene, { number: 1 })).toEqual(goesOn('job_2'))
    // Nobody else's.
    const body = scene.world.comments.find(({ number }) => number === 1)?.history.at(-1) ?? ''
    addComment(scene.world, { kind: 'main', number: 6, author: ACTIONS, body })
    expect(await next(scene, { number: 6 })).toEqual(CREATE)
  })

  it('goes on with the own step where that has replied there', async ({ scene }) => {
    await scene.ask({ number: 1, job: 'job_own' })
    await scene.ask({ end: 'pull-request' })
    expect(await next(scene, { number: 1 })).toEqual(goesOn('job_own'))
  })

  it('in a review goes on with it, too', async ({ scene }) => {
    await scene.ask({ end: 'pull-request' })
    const end = await scene.tell(scene.reviewComment('/docs fix this line', { number: 1 }))
    expect(firstCalls(end)).toEqual(goesOn('job_1'))
  })
})

describe('that an earlier job is unknown is said', () => {
  it('where an earlier command may have started one that its reply does not name', async ({
    scene,
  }) => {
    await scene.ask({ replies: { post: [{ takesMs: 60_000 }] } })
    const said =
      /^notice: An earlier command may have started a job that its reply \(http.*5002\) does not name/
    const end = await scene.ask()
    expect([firstCalls(end), end.log.filter((line) => said.test(line))]).toEqual([
      CREATE,
      [expect.anything()],
    ])
    await scene.ask({ end: 'error' })
    for (const words of ['/docs more', '/docs new page']) {
      expect((await scene.ask({ words })).log.join('\n')).not.toContain(
        'An earlier command may have',
      )
    }
  })

  it('where the comments can not be listed; a first run is answered all the same', async ({
    scene,
  }) => {
    await scene.ask()
    scene.github.faults.push({ match: LIST, end: '502' })
    const end = await scene.ask()
    expect(firstCalls(end)).toEqual(CREATE)
    expect(end.log).toContainEqual(
      expect.stringMatching(/^warning: Failed to look for an earlier job/),
    )
    expect(scene.headlines()).toHaveLength(2)
  })

  it('where a review thread has no job and the main thread can not be listed', async ({
    scene,
  }) => {
    scene.github.faults.push({ match: /^GET \/issues/, end: '502' })
    const { log } = await scene.tell(scene.reviewComment('/docs explain this line'))
    expect(log).toContainEqual(expect.stringMatching(/^warning: Failed to look for an earlier job/))
  })
})

const again = { runId: 1001, attempt: 2 }

describe('a re-run of a command', () => {
  it('finds its reply again, waits for the job that it names, and edits it', async ({ scene }) => {
    const event = scene.comment()
    await scene.tell(event, { end: 'cancelled' })
    // An attempt that is killed before it has looked at the job leaves it to the next one.
    await scene.tell(event, { ...again, killAtMs: 1000, replies: { get: [{ takesMs: 5000 }] } })
    const { calls, requests } = await scene.tell(event, { ...again, attempt: 3 })
    expect(new Set(calls)).toEqual(new Set(['GET /job/job_1']))
    expect(scene.headlines()).toEqual([DONE])
    const edit = 'PATCH /issues/comments/5002'
    expect(requests.filter((line) => line.includes('comments'))).toEqual([
      'POST /issues/comments/5001/reactions eyes',
      'GET /issues/5/comments',
      ...[edit, edit],
    ])
  })

  it('finds its job also where a new job was wanted', async ({ scene }) => {
    const event = scene.comment('/docs new explain it')
    await scene.tell(event)
    const { calls } = await scene.tell(event, again)
    expect(new Set(calls)).toEqual(new Set(['GET /job/job_1']))
  })

  it('goes on with the conversation where its own message was refused', async ({ scene }) => {
    await scene.ask()
    const event = scene.comment('/docs shorter')
    await scene.tell(event, { end: 'error' })
    expect(scene.said()[1]?.at(-1)).toMatch(/\n\nJob `job_1`\.$/)
    const end = await scene.tell(event, { runId: 1002, attempt: 2 })
    expect(firstCalls(end)).toEqual(goesOn('job_1'))
    expect(scene.said()).toHaveLength(2)
  })

  it.for([
    ['the comments', LIST, '403'],
    ['a list', LIST, 'html'],
    ['whose token it is', /graphql|eyes$/, '502'],
  ] as const)(
    'that can not read %s leaves its reply as it is',
    async ([_what, match, fault], { scene }) => {
      const event = scene.comment()
      await scene.tell(event, { end: 'cancelled' })
      const body = scene.world.comments[1]?.history.at(-1)
      scene.github.faults.push({ match, end: fault })
      const { calls, outputs } = await scene.tell(event, again)
      expect([calls, outputs['result']]).toEqual([[], 'error'])
      expect(scene.world.comments[1]?.history.at(-1)).toBe(body)
      expect(scene.said()).toHaveLength(1)
      scene.github.faults.splice(0)
      const third = await scene.tell(event, { ...again, attempt: 3 })
      expect(new Set(third.calls)).toEqual(new Set(['GET /job/job_1']))
    },
  )
})
