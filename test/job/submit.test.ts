import { describe, expect, it } from 'vitest'
import { JobError, submit } from '../../src/job/submit.ts'
import { jobSceneStarter, type Reply, type SceneOptions } from './scene.ts'

const startScene = jobSceneStarter()

const refused: Reply = { refused: true }
const limited = (seconds: string): Reply => ({ status: 429, headers: { 'retry-after': seconds } })
const tls = { serviceAt: (own: string): string => own.replace('http:', 'https:') }
const timeout = (text: string): SceneOptions => ({ inputs: { timeout: text } })

const SAFE = '. Nothing was started, so it is safe to run this again.'
const NOTHING = '. Nothing was started.'
const MAYBE =
  'The request may have been accepted all the same: a job may be running. Look for it in the dashboard of the docs service, and for its pull request, before you run this again: a second run may start a second job and spend its credits.'
const UNCLEAR = `. ${MAYBE}`
const KEPT = `. The service kept answering this until \`timeout\` was over${SAFE}`
const past = (wait: string): string =>
  `. The server asks to wait ${wait} before the next request, which is past \`timeout\`${SAFE}`

describe.each([
  ['create', 'j1', 'Do it.', { prompt: 'Do it.' }],
  ['message', 'j7', 'More.', { id: 'j7', prompt: 'More.' }],
] as const)('a %s', (kind, id, prompt, plan) => {
  /** Sends it against replies, of which the last goes on for ever. */
  async function send(post: readonly Reply[], options: SceneOptions = {}) {
    const scene = await startScene({ post, ...options, inputs: { timeout: '10m', ...options.inputs } })
    const [sent] = await Promise.allSettled([submit(plan, scene.service, scene.run)])
    if (sent.status === 'fulfilled') return { scene, job: sent.value }
    if (!(sent.reason instanceof JobError)) throw sent.reason
    return { scene, error: sent.reason }
  }

  // When it is sent, in seconds, and how the error ends; none where it is accepted.
  it.each<[string, readonly Reply[], SceneOptions, readonly number[], string?]>([
    ['accepted', ['active'], {}, [0]],
    ['accepted, whatever happens then', [{ status: 201, breaks: 'after' }], {}, [0]],
    ['accepted late, and not cut by timeout', [{ takesMs: 29_000 }], timeout('1s'), [0]],
    ['accepted at last', [refused, limited('60'), refused, 'active'], {}, [0, 1, 61, 65]],
    ['refused for 30 s', [refused], {}, [0, 1, 3, 7, 15, 30], SAFE],
    ['refused for 30 s after an answer', [limited('60'), refused], {}, [0, 60, 62, 66, 74, 90], SAFE],
    ['for a host that is unknown', [], { serviceAt: () => 'https://no.invalid' }, [0, 1, 3, 7, 15, 30], SAFE],
    ['kept away by TLS', [], tls, [0, 1, 3, 7, 15, 30], NOTHING],
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
    const { scene, job, error } = await send(script, options)
    expect(scene.calls).toEqual(timesS.map((time) => `${time} ${kind}`))
    expect(scene.prompts).toEqual(timesS.map(() => ({ prompt })))
    expect(job?.id).toBe(ends === undefined ? id : undefined)
    expect(error?.details.slice(-(ends ?? '').length)).toBe(ends)
    const clauses = error?.details.match(/Nothing was started|may be running/g) ?? ['none']
    expect(clauses).toHaveLength(1)
  })

  it('is tried with pauses a tenth shorter or longer, as they are drawn', async () => {
    const callsWith = async (random: number): Promise<number[]> =>
      (await send([refused], { random: () => random })).scene.calls.map(Number.parseFloat)
    expect(await callsWith(0)).toEqual([0, 0.9, 2.7, 6.3, 13.5, 27.9, 30])
    expect(await callsWith(1)).toEqual([0, 1.1, 3.3, 7.7, 16.5, 30])
  })

  it('that is sent again says so', async () => {
    const { scene } = await send([refused, limited('100'), 'active'])
    expect(scene.log).toEqual([
      expect.stringMatching(/^Failed to reach .*\. Nothing was started yet; trying again in 1 s\.$/),
      expect.stringMatching(/^The rate limit .*\. Nothing was started yet; trying again in 1 min 40 s\.$/),
    ])
  })

  it('is given up soon when the run is cancelled, and keeps its job where that comes within 3 s', async () => {
    const inPause = await send([limited('100')], { cancelAtMs: 500 })
    expect(inPause.error?.details.endsWith(`, or run at another time${SAFE}`)).toBe(true)
    const inFlight = await send([{ takesMs: 10_000 }], { cancelAtMs: 500 })
    const headline = 'The docs service had not answered yet'
    expect(inFlight.error).toMatchObject({ headline, details: MAYBE })
    const answered = await send([{ takesMs: 3400 }], { cancelAtMs: 500 })
    expect(answered.job?.id).toBe(id)
    expect([inPause, inFlight, answered].map(({ scene }) => scene.elapsedS())).toEqual([0.5, 3.5, 3.4])
  })
})
