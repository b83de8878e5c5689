import { describe, expect, it } from 'vitest'
import { docsLink, startScene } from '../stories/scene.ts'
import type { RunOptions } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'

const LOOK = 'GET /job/j1'
const MESSAGE = 'POST /job/j1/message'
const gone: Reply = { status: 404 }
const limited = (seconds: string): Reply => ({ status: 429, headers: { 'retry-after': seconds } })
const completed: Reply = { body: { status: 'completed', prLink: docsLink(200) } }

/** The second run of a step whose first one started job j1, by default an hour ago. */
async function runAgain(
  get: readonly Reply[],
  { afterS = 3600, inputs, ...options }: RunOptions & { readonly afterS?: number } = {},
) {
  const scene = await startScene()
  const usual = { ...scene.inputs, wait: 'false' }
  await scene.push({ inputs: usual, replies: { post: [{ body: { id: 'j1' } }] } })
  await scene.clock.sleep(afterS * 1000)
  const replies = { post: [{ body: { id: 'j2' } }], get }
  return await scene.push({ replies, ...options, inputs: { ...usual, ...inputs } })
}

describe('a lookup of an earlier job', () => {
  it.each<{ what: string; get: Reply[]; afterS: number; sends: string; atS: number[] }>([
    {
      what: 'is repeated while a 404 may be early',
      get: [gone, gone, 'active'],
      afterS: 20,
      sends: MESSAGE,
      atS: [0, 1, 3],
    },
    {
      what: 'is repeated until a minute after the job was recorded',
      get: [limited('20'), gone],
      afterS: 20,
      sends: 'POST /job',
      atS: [0, 20, 22, 26, 34, 50],
    },
    {
      what: 'is made once if the job was recorded a minute ago',
      get: [gone],
      afterS: 60,
      sends: 'POST /job',
      atS: [0],
    },
    {
      what: 'is repeated while Mintlify is not available',
      get: [{ status: 503 }, { breaks: 'before' }, limited('9'), 'active'],
      afterS: 3600,
      sends: MESSAGE,
      atS: [0, 1, 3, 12],
    },
  ])('$what', async ({ get, afterS, sends, atS }) => {
    const { calls, calledAtS } = await runAgain(get, { afterS })
    expect(calls).toEqual([...atS.map(() => LOOK), sends])
    expect(calledAtS.slice(0, -1)).toEqual(atS)
  })

  it.each<Reply>([{ status: 401 }, { status: 503 }, limited('60'), { body: '[]' }])(
    'that fails with %j ends the run without a job',
    async (reply) => {
      const end = await runAgain([reply], { inputs: { timeout: '20s' } })
      expect([end.outputs['result'], end.hasFailed]).toEqual(['error', true])
      expect(end.log.at(-1)).toContain('Nothing was started')
      expect(new Set(end.calls)).toEqual(new Set([LOOK]))
      expect(end.tookMs).toBeLessThanOrEqual(20_000)
    },
  )

  it('is a part of `timeout`, and ends with the run', async () => {
    const inputs = { wait: 'true', timeout: '60s' }
    const { outputs, tookMs } = await runAgain([{ takesMs: 20_000 }, 'active'], { inputs })
    expect([outputs['result'], tookMs]).toEqual(['timed-out', 60_000])
    const canceled = await runAgain([{ takesMs: 20_000 }], { cancelAtMs: 1000 })
    expect([canceled.outputs['result'], canceled.started]).toEqual(['cancelled', []])
  })
})

it.each([
  { status: 'completed', sends: 'POST /job' },
  { status: 'failed', sends: 'POST /job' },
  { status: 'archived', sends: 'POST /job' },
  { status: 'active', sends: MESSAGE },
])('after a job that is $status and has no pull request the next run sends $sends', async (row) => {
  expect((await runAgain([row.status])).calls).toEqual([LOOK, row.sends])
})

it('an update asks to keep commits of people and to resolve conflicts, unless `context` is none', async () => {
  for (const context of ['diff', 'files', 'none']) {
    const { bodies, outputs } = await runAgain([completed], { inputs: { context } })
    const sent = JSON.stringify(bodies)
    expect(/keep .*changes/i.test(sent) && /conflicts/.test(sent)).toBe(context !== 'none')
    const named = { result: 'submitted', 'pr-link': docsLink(200), 'pr-operation': 'updated' }
    expect(outputs).toMatchObject(named)
  }
})

describe('`job-id`', () => {
  it('is waited for without a record and lookups', async () => {
    const { step, world } = await startScene()
    const waits = { inputs: { 'job-id': 'j7', 'github-token': '' } }
    const end = await step(
      { name: 'push', payload: {} },
      { ...waits, replies: { get: ['failed'] } },
    )
    expect([end.calls, end.requests, world.statuses]).toEqual([['GET /job/j7'], [], []])
  })

  it('with a prompt gets a message, and a re-run sends no second one', async () => {
    const { step, inputs, world } = await startScene()
    const on = { name: 'push', payload: { after: world.branches.get('main') ?? '' } }
    const options = { inputs: { ...inputs, 'job-id': 'j7' }, runId: 9 }
    const replies = { get: ['active', completed] }
    expect((await step(on, { ...options, replies })).started).toEqual(['message to j7'])
    const again = await step(on, { ...options, replies, attempt: 2 })
    expect([again.started, again.outputs['result']]).toEqual([[], 'pull-request'])
  })
})
