import { describe, expect, it } from 'vitest'
import { type RunOptions, startHarness } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'

type Sent = RunOptions & { readonly random?: () => number }

const refused: Reply = { refused: true }
const limited = (seconds: string): Reply => ({ status: 429, headers: { 'retry-after': seconds } })
/** `SERVICE` is the docs service by https, which it does not speak. */
const at = (baseUrl: string): Sent => ({ inputs: { 'base-url': baseUrl } })
const timeout = (text: string): Sent => ({ inputs: { timeout: text } })

const SAFE = '. Nothing was started, so it is safe to run this again.'
const NOTHING = '. Nothing was started.'
const MAYBE =
  'The request may have been accepted all the same: a job may be running. Look for it in the dashboard of the docs service, and for its pull request, before you start the workflow anew: it may start a second job and spend its credits.'
const UNCLEAR = `. ${MAYBE}`
const KEPT = `. The service kept answering this until \`timeout\` was over${SAFE}`
const past = (wait: string): string =>
  `. The server asks to wait ${wait} before the next request, which is past \`timeout\`${SAFE}`

describe.each([
  ['create', 'j1', { prompt: 'Do it.' }, 'POST /job'],
  ['message', 'j7', { prompt: 'More.', 'job-id': 'j7' }, 'POST /job/j7/message'],
] as const)('a %s', (_kind, id, request, call) => {
  /** Sends it against replies, of which the last goes on for ever, and waits for nothing more. */
  async function send(post: readonly Reply[], { random, inputs, ...options }: Sent = {}) {
    const { run, serviceUrl } = await startHarness({ replies: { post }, ...(random && { random }) })
    const usual = { context: 'none', 'follow-up': 'false', wait: 'false', timeout: '10m' }
    const baseUrl = inputs?.['base-url']?.replace('SERVICE', serviceUrl.replace('http:', 'https:'))
    const given = { ...usual, ...request, ...inputs, ...(baseUrl && { 'base-url': baseUrl }) }
    const end = await run({ ...options, inputs: given })
    return { ...end, error: end.hasFailed ? (end.log.at(-1) ?? '') : '' }
  }

  // When it is sent, in seconds, and how the error ends; none where it is accepted.
  it.each<[string, readonly Reply[], Sent, readonly number[], string?]>([
    ['accepted', ['active'], {}, [0]],
    ['accepted, whatever happens then', [{ status: 201, breaks: 'after' }], {}, [0]],
    ['accepted late, and not cut by timeout', [{ takesMs: 29_000 }], timeout('1s'), [0]],
    ['accepted at last', [refused, limited('60'), refused, 'active'], {}, [0, 1, 61, 65]],
    ['refused for 30 s', [refused], {}, [0, 1, 3, 7, 15, 30], SAFE],
    ['refused for 30 s after an answer', [limited('60'), refused], {}, [0, 60, 62, 66, 74, 90], SAFE],
    ['for a host that is unknown', [], at('https://no.invalid'), [0, 1, 3, 7, 15, 30], SAFE],
    ['kept away by TLS', [], at('SERVICE'), [0, 1, 3, 7, 15, 30], NOTHING],
    ['over the limit', [limited('100'), limited('200'), 'active'], {}, [0, 100, 300]],
    ['over it to the end', [{ status: 429 }], timeout('50s'), [0, 1, 3, 7, 15, 31, 50], KEPT],
    ['over it past timeout', [limited('600')], {}, [0], past('10 min')],
    ['over it for ages', [limited('9'.repeat(400))], {}, [0], past('a year or more')],
    ['answered 302', [{ status: 302 }], {}, [0], NOTHING],
    ['answered 400', [{ status: 400 }], {}, [0], NOTHING],
    ['answered 418', [{ status: 418 }], {}, [0], NOTHING],
    ['answered 408', [{ status: 408 }], {}, [0], UNCLEAR],
    ['answered 500', [{ status: 500 }], {}, [0], UNCLEAR],
    ['answered 503', [{ status: 503, headers: { 'retry-after': '1' } }], {}, [0], UNCLEAR],
    ['answered 204', [{ status: 204 }], {}, [0], UNCLEAR],
    ['answered by half a job', [{ status: 201, body: '{"id":', breaks: 'after' }], {}, [0], UNCLEAR],
    ['answered by something else', [{ body: '[]' }], {}, [0], UNCLEAR],
    ['not answered', [{ breaks: 'before' }], {}, [0], UNCLEAR],
  ])('that is %s', async (_what, script, options, timesS, ends) => {
    const { calls, calledAtS, bodies, outputs, error } = await send(script, options)
    expect(calls).toEqual(timesS.map(() => call))
    expect(calledAtS).toEqual(timesS)
    expect(bodies).toEqual(timesS.map(() => ({ prompt: request.prompt })))
    expect(outputs).toMatchObject(
      ends === undefined ? { result: 'submitted', 'job-id': id } : { result: 'error' },
    )
    expect(error).toContain(ends ?? '')
    expect(error.match(/Nothing was started|may be running/g) ?? []).toHaveLength(ends === undefined ? 0 : 1)
  })

  it('is tried with pauses a tenth shorter or longer, as they are drawn', async () => {
    const timesWith = async (random: number) => (await send([refused], { random: () => random })).calledAtS
    expect(await timesWith(0)).toEqual([0, 0.9, 2.7, 6.3, 13.5, 27.9, 30])
    expect(await timesWith(1)).toEqual([0, 1.1, 3.3, 7.7, 16.5, 30])
  })

  it('that is sent again says so', async () => {
    const { log } = await send([refused, limited('100'), 'active'])
    expect(log.slice(0, 2)).toEqual([
      expect.stringMatching(/^Failed to reach .*\. Nothing was started yet; trying again in 1 s\.$/),
      expect.stringMatching(/^The rate limit .*\. Nothing was started yet; trying again in 1 min 40 s\.$/),
    ])
  })

  it('is given up soon when the run is cancelled, and keeps its job where that comes within 3 s', async () => {
    const inPause = await send([limited('100')], { cancelAtMs: 500 })
    expect(inPause.error).toContain(`, or run at another time${SAFE}`)
    const inFlight = await send([{ takesMs: 10_000 }], { cancelAtMs: 500 })
    expect(inFlight.error).toContain(`The docs service had not answered yet. ${MAYBE}`)
    const answered = await send([{ takesMs: 3400 }], { cancelAtMs: 500, inputs: { wait: 'true' } })
    expect(answered.outputs).toMatchObject({ result: 'cancelled', 'job-id': id })
    expect([inPause, inFlight, answered].map(({ tookMs }) => tookMs)).toEqual([500, 3500, 3400])
  })
})
