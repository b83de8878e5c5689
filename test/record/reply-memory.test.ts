import { describe, expect } from 'vitest'
import type { Reply } from '../support/scripted-service.ts'
import { LOST, REMEMBERED, SLOW } from './reply-memory.cases.ts'
import { CREATE, itWithScene, type Scene, type Told } from './runs.ts'

const it = itWithScene()
const again = (attempt: number): Told => ({ runId: 1001, attempt })

/** What the markers of our first comment said, one after another, such as `pending job_1`. */
function states({ world }: Scene): string[] {
  const reply = world.comments.find(({ author }) => author === world.viewer)
  return (reply?.history ?? []).map((body) => {
    const [, payload = ''] = /^<!-- docs-agent ([\w-]+)\./.exec(body) ?? []
    const { state, job } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return `${state} ${job}`.trim()
  })
}

describe('the reply to a command', () => {
  it.for(REMEMBERED)('remembers a job that %s', async ([_what, options, expected], { scene }) => {
    await scene.ask(options)
    expect(states(scene)).toEqual(expected)
  })

  it('stands there before the job is requested, however slow GitHub is', async ({ scene }) => {
    scene.github.faults.push({ match: /^POST .*comments$/, end: { delayMs: 2000 } })
    const { calls, calledAtS } = await scene.ask({ killAtMs: 5000, replies: { post: [SLOW] } })
    expect([calls, calledAtS]).toEqual([CREATE, [2]])
  })
})

const down = (scene: Scene) =>
  scene.github.faults.push({ match: /^(?!POST .*comments$)/, end: '502' })
const up = (scene: Scene) => scene.github.faults.splice(0)

describe('a re-run of a command', () => {
  it('that finds its reply pending without a job starts none, nor does the next one', async ({
    scene,
  }) => {
    const event = scene.comment()
    // GitHub fails for the post step, too.
    const killed = { replies: { post: [SLOW] }, killAtMs: 3000 }
    await scene.tell(event, { ...killed, beforePost: () => down(scene) })
    up(scene)
    expect(states(scene)).toEqual(['pending'])
    for (const attempt of [2, 3]) {
      const { calls, outputs, log, hasFailed } = await scene.tell(event, again(attempt))
      expect([calls, outputs['result'], hasFailed]).toEqual([[], 'error', true])
      expect(log.at(-1)).toBe(
        'error: Unknown whether an earlier attempt of this run started a job. An earlier attempt was interrupted while it started a job or sent a message. Nothing was started, because a second job might run alongside the first. Look for that job in the dashboard of the docs service. To wait for it, set `job-id`; if there is none, start the workflow anew instead of re-running it.',
      )
    }
    expect(states(scene)).toEqual(['pending', 'error', 'error'])
  })

  it.for<[string, Told, string[]]>([
    ['may have started one starts none', { replies: { post: [LOST] } }, []],
    ['started nothing starts one', { end: 'error' }, CREATE],
    ['started one that failed starts one', { end: 'failed' }, ['GET /job/job_1', ...CREATE]],
    ['started one that completed reports it', {}, ['GET /job/job_1']],
  ])('whose first attempt %s', async ([_what, first, calls], { scene }) => {
    const event = scene.comment()
    await scene.tell(event, first)
    const get: Reply[] = first.end === 'failed' ? ['failed'] : ['completed']
    const second = await scene.tell(event, { ...again(2), replies: { post: ['active'], get } })
    expect(second.calls.slice(0, calls.length === 0 ? 1 : calls.length)).toEqual(calls)
    expect(second.calls.filter((call) => call.startsWith('POST'))).toEqual(
      calls.filter((c) => c === CREATE[0]),
    )
  })

  it('that finds nothing of an earlier attempt starts a job', async ({ scene }) => {
    const { calls } = await scene.ask(again(2))
    expect(calls[0]).toBe(CREATE[0])
  })

  it('with `job-id` waits for that job, and sends no message a second time', async ({ scene }) => {
    const event = scene.comment('/docs shorter')
    const inputs = { 'job-id': 'j7' }
    const first = await scene.tell(event, { inputs, replies: { post: [LOST] } })
    expect(first.calls).toEqual(['POST /job/j7/message'])
    for (const attempt of [2, 3]) {
      const { calls, outputs } = await scene.tell(event, {
        ...again(attempt),
        inputs,
        replies: { get: ['failed'] },
      })
      expect([calls, outputs['result']]).toEqual([['GET /job/j7'], 'failed'])
    }
    expect(states(scene)).toEqual([
      ...['pending', 'error'],
      ...['pending j7', 'failure j7', 'pending j7', 'failure j7'],
    ])
    // The same where the reply can't be found, or can't be written.
    for (const fault of [/^GET .*comments$/, /^(?:PATCH|POST) .*\/comments/]) {
      const anew = scene.comment('/docs shorter')
      scene.github.faults.splice(0, Infinity, { match: fault, end: '403' })
      const { calls } = await scene.tell(anew, {
        ...again(2),
        inputs,
        replies: { get: ['completed'] },
      })
      expect(calls).toEqual(['GET /job/j7'])
    }
  })
})
