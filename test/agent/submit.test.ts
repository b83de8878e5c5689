import { describe, expect, it } from 'vitest'
import { type RunOptions, startHarness } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'

type Row = {
  readonly what: string
  /** Replies to a create or message, of which the last goes on for ever. */
  readonly post: readonly Reply[]
  readonly inputs?: RunOptions['inputs']
  /** When it is sent, in seconds. */
  readonly atS: readonly number[]
  /** Whether the error says that nothing was started, or that a job may be running. */
  readonly ends: 'accepted' | 'not started' | 'unclear'
}

const refused: Reply = { refused: true }
const limited = (seconds: string): Reply => ({
  status: 429,
  headers: { 'retry-after': seconds },
})
const unclear = (what: string, reply: Reply): Row => ({
  what,
  post: [reply],
  atS: [0],
  ends: 'unclear',
})

const SENT: readonly Row[] = [
  { what: 'accepted', post: ['active'], atS: [0], ends: 'accepted' },
  {
    what: 'accepted late, and not cut by `timeout`',
    post: [{ takesMs: 29_000 }],
    inputs: { timeout: '1s' },
    atS: [0],
    ends: 'accepted',
  },
  {
    what: 'accepted at last',
    post: [refused, limited('60'), refused, 'active'],
    atS: [0, 1, 61, 65],
    ends: 'accepted',
  },
  {
    what: 'over the limit',
    post: [limited('100'), limited('200'), 'active'],
    atS: [0, 100, 300],
    ends: 'accepted',
  },
  {
    what: 'refused a connection for 30 s',
    post: [refused],
    atS: [0, 1, 3, 7, 15, 30],
    ends: 'not started',
  },
  {
    what: 'for a host that is unknown',
    post: [],
    inputs: { 'base-url': 'https://no.invalid' },
    atS: [0, 1, 3, 7, 15, 30],
    ends: 'not started',
  },
  {
    what: 'over the limit to the end',
    post: [{ status: 429 }],
    inputs: { timeout: '150s' },
    atS: [0, 60, 120, 150],
    ends: 'not started',
  },
  {
    what: 'over the limit past `timeout`',
    post: [limited('600')],
    inputs: { timeout: '9m' },
    atS: [0],
    ends: 'not started',
  },
  { what: 'answered 302', post: [{ status: 302 }], atS: [0], ends: 'not started' },
  { what: 'answered 402', post: [{ status: 402 }], atS: [0], ends: 'not started' },
  unclear('answered 303', { status: 303 }),
  unclear('answered 408', { status: 408 }),
  unclear('answered 500', { status: 500 }),
  unclear('answered 503', { status: 503, headers: { 'retry-after': '1' } }),
  unclear('answered 204', { status: 204 }),
  unclear('answered by half a job', { status: 201, body: '{"id":', breaks: 'after' }),
  unclear('answered by something else', { body: '[]' }),
  unclear('not answered', { breaks: 'before' }),
]

describe.each([
  { kind: 'create', id: 'j1', inputs: { prompt: 'Do it.' }, call: 'POST /job' },
  {
    kind: 'message',
    id: 'j7',
    inputs: { prompt: 'Do it.', 'job-id': 'j7' },
    call: 'POST /job/j7/message',
  },
])('a $kind', ({ id, inputs, call }) => {
  /** Sends it, and waits for nothing more. */
  async function send(post: readonly Reply[], { inputs: more, ...options }: RunOptions = {}) {
    const { run } = await startHarness({ replies: { post } })
    const usual = { context: 'none', 'follow-up': 'false', wait: 'false', timeout: '10m' }
    const end = await run({ ...options, inputs: { ...usual, ...inputs, ...more } })
    return { ...end, error: end.hasFailed ? (end.log.at(-1) ?? '') : '' }
  }

  it.each(SENT)('that is $what is sent again only if it certainly started nothing', async (row) => {
    const { post, atS, ends } = row
    const end = await send(post, { inputs: row.inputs ?? {} })
    expect(end.calls).toEqual(atS.map(() => call))
    expect(end.calledAtS).toEqual(atS)
    expect(end.bodies).toEqual(atS.map(() => ({ prompt: 'Do it.' })))
    const { outputs, state, error } = end
    expect(outputs['result']).toBe(ends === 'accepted' ? 'submitted' : 'error')
    if (ends === 'accepted') expect([outputs['job-id'], state['job-id']]).toEqual([id, id])
    expect(error.includes('Nothing was started')).toBe(ends === 'not started')
    expect(/may (?:have|be running)/.test(error)).toBe(ends === 'unclear')
  })

  it('is given up soon if the run is canceled, and keeps its job if that comes within 3 s', async () => {
    const inPause = await send([limited('100')], { cancelAtMs: 500 })
    expect(inPause.error).toContain('Nothing was started')
    const inFlight = await send([{ takesMs: 10_000 }], { cancelAtMs: 500 })
    expect(inFlight.error).toMatch(/may (?:have|be running)/)
    const answered = await send([{ takesMs: 3400 }], { cancelAtMs: 500 })
    expect(answered.outputs).toMatchObject({ result: 'cancelled', 'job-id': id })
    expect([inPause, inFlight, answered].map(({ tookMs }) => tookMs)).toEqual([500, 3500, 3400])
  })
})
