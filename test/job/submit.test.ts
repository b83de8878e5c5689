import { describe, expect, it } from 'vitest'
import { JobError } from '../../src/job/job-error.ts'
import { submit } from '../../src/job/submit.ts'
import type { Job } from '../../src/service/job.ts'
import { type JobScene, jobSceneStarter, type Reply, type SceneOptions } from './scene.ts'

const startScene = jobSceneStarter()

type Submitted = {
  readonly scene: JobScene
  readonly job: Job | undefined
  readonly error: JobError | undefined
}

/** Sends a create or a message against replies, of which the last goes on for ever. */
async function send(
  kind: 'create' | 'message',
  post: readonly Reply[],
  { timeoutMs = 600_000, ...options }: SceneOptions & { readonly timeoutMs?: number } = {},
): Promise<Submitted> {
  const scene = await startScene({ post, ...options })
  const { service, run, clock } = scene
  const plans = {
    create: { kind: 'create', prompt: 'Do it.' },
    message: { kind: 'message', id: 'j7', prompt: 'More.' },
  } as const
  try {
    const job = await submit(plans[kind], { service, run, deadlineMs: clock.now() + timeoutMs })
    return { scene, job, error: undefined }
  } catch (error) {
    if (!(error instanceof JobError)) throw error
    return { scene, job: undefined, error }
  }
}

const refused: Reply = { refused: true }
const limited = (seconds: string): Reply => ({ status: 429, headers: { 'retry-after': seconds } })
const SAFE = 'Nothing was started, so it is safe to run this again.'
const NOTHING = 'Nothing was started.'
const MAYBE =
  'The request may have been accepted all the same: a job may be running. Look for it in the dashboard of the docs service, and for its pull request, before you run this again: a second run may start a second job and spend its credits.'

describe.each([
  ['create', 'j1', 'Do it.'],
  ['message', 'j7', 'More.'],
] as const)('a %s', (kind, id, prompt) => {
  it('that is accepted gives its job', async () => {
    const { scene, job } = await send(kind, [{ status: 201, body: { prLink: 'https://x.example/1' } }])
    expect(job).toMatchObject({ id, status: 'active', prLink: 'https://x.example/1' })
    expect(scene.prompts).toEqual([{ prompt }])
    expect(scene.calls).toEqual([`0 ${kind}`])
    expect(scene.log).toEqual([])
  })

  it('is accepted though the connection ends oddly after the whole job', async () => {
    const { scene, job } = await send(kind, [{ status: 201, body: { status: 'active' }, breaks: 'after' }])
    expect(job).toMatchObject({ id, status: 'active' })
    expect(scene.calls).toEqual([`0 ${kind}`])
  })

  it.each([
    ['is refused', () => 'http://127.0.0.1:1', SAFE],
    ['names a host that is unknown', () => 'https://nowhere.invalid', SAFE],
    ['fails in TLS', (own: string) => own.replace('http:', 'https:'), NOTHING],
  ])('whose connection %s is sent again for 30 s', async (_what, serviceAt, ends) => {
    const { scene, error } = await send(kind, [], { serviceAt })
    expect(error?.headline).toBe('Failed to reach the docs service')
    expect(error?.details).toMatch(/^The (?:connection|name|TLS connection) /)
    expect(error?.details.endsWith(`. ${ends}`)).toBe(true)
    expect(scene.calls).toEqual([0, 1, 3, 7, 15, 30].map((atS) => `${atS} ${kind}`))
    expect(scene.log).toHaveLength(5)
    expect(scene.log[0]).toMatch(/^Failed to reach the docs service\. The /)
    expect(scene.log[0]).toMatch(/\. Nothing was started yet; trying again in 1 s\.$/)
  })

  it('that can be sent at last is', async () => {
    const { scene, job } = await send(kind, [refused, 'active'])
    expect(job?.id).toBe(id)
    expect(scene.calls).toEqual([`0 ${kind}`, `1 ${kind}`])
  })

  it.each([
    [302, 'The docs service redirected the request (302)'],
    [400, 'The docs service rejected the request as invalid (400)'],
    [401, 'The docs service refused the API key (401)'],
    [402, 'The credits of the docs service are used up (402)'],
    [403, 'The docs service does not allow this (403)'],
    [413, 'The prompt is too large for the docs service (413)'],
    [418, 'Unexpected response of the docs service (418)'],
  ])('that is answered %d is sent once, and nothing was started', async (status, headline) => {
    const { scene, error } = await send(kind, [{ status }])
    expect(error?.headline).toBe(headline)
    expect(error?.details.endsWith(` ${NOTHING}`)).toBe(true)
    expect(scene.calls).toEqual([`0 ${kind}`])
  })

  it('that a proxy keeps from being sent is not sent again', async () => {
    const { scene, error } = await send(kind, [], { proxy: 'socks5://127.0.0.1:1' })
    expect(error?.details).toMatch(/HTTP_PROXY .* names a SOCKS proxy.* Nothing was started\.$/)
    expect(scene.calls).toEqual([`0 ${kind}`])
  })

  it.each<[string, Reply, string]>([
    ['nothing', { breaks: 'before' }, 'No response from the docs service'],
    ['500', { status: 500 }, 'The docs service failed (500)'],
    ['504', { status: 504 }, 'The docs service failed (504)'],
    [
      '503 that asks to come again',
      { status: 503, headers: { 'retry-after': '1' } },
      'The docs service failed (503)',
    ],
    ['408', { status: 408 }, 'The docs service waited too long for the request (408)'],
    ['204', { status: 204 }, 'Unexpected response of the docs service (204)'],
    [
      'half a job',
      { status: 201, body: '{"id":', breaks: 'after' },
      'Unexpected response of the docs service (201)',
    ],
    ['something else', { body: '[]' }, 'Unexpected response of the docs service (200)'],
  ])('that is answered %s is sent once, and a job may be running', async (_what, reply, headline) => {
    const { scene, error } = await send(kind, [reply])
    expect(error?.headline).toBe(headline)
    expect(error?.details.endsWith(` ${MAYBE}`)).toBe(true)
    expect(error?.details).not.toMatch(/Nothing was started|safe to run/)
    expect(scene.calls).toEqual([`0 ${kind}`])
  })

  it('that is over the rate limit waits as long as it says', async () => {
    const { scene, job } = await send(kind, [limited('100'), limited('200'), 'active'])
    expect(job?.id).toBe(id)
    expect(scene.calls).toEqual([`0 ${kind}`, `100 ${kind}`, `300 ${kind}`])
    expect(scene.log).toEqual([
      expect.stringMatching(
        /^The rate limit of the docs service is reached \(429\)\. .* Nothing was started yet; trying again in 1 min 40 s\.$/,
      ),
      expect.stringMatching(/trying again in 3 min 20 s\.$/),
    ])
  })

  it('that is over the rate limit for no said time is tried a last time at the end of timeout', async () => {
    const { scene, error } = await send(kind, [{ status: 429 }], { timeoutMs: 5000 })
    expect(scene.calls).toEqual([`0 ${kind}`, `1 ${kind}`, `3 ${kind}`, `5 ${kind}`])
    expect(error?.headline).toBe('The rate limit of the docs service is reached (429)')
    expect(error?.details).toContain(` The service kept answering this until \`timeout\` was over. ${SAFE}`)
  })

  it('has pauses that grow to 30 s, a tenth shorter or longer as they are drawn', async () => {
    const pauses = async (random: number): Promise<number[]> => {
      const { scene } = await send(kind, [{ status: 429 }], { timeoutMs: 100_000, random: () => random })
      const timesS = scene.calls.map((call) => Number.parseFloat(call))
      return timesS.slice(1, -1).map((atS, index) => Math.round((atS - (timesS[index] ?? 0)) * 10) / 10)
    }
    expect(await pauses(0)).toEqual([0.9, 1.8, 3.6, 7.2, 14.4, 27, 27])
    expect(await pauses(1)).toEqual([1.1, 2.2, 4.4, 8.8, 17.6, 33])
  })

  it.each([
    ['600', '10 min'],
    ['9'.repeat(400), 'a year or more'],
  ])('that is to wait past timeout ends at once (%#)', async (seconds, wait) => {
    const { scene, error } = await send(kind, [limited(seconds)])
    expect(scene.calls).toEqual([`0 ${kind}`])
    expect(error?.details).toContain(
      ` The server asks to wait ${wait} before the next request, which is past \`timeout\`. ${SAFE}`,
    )
  })

  it('in flight is never cut by timeout', async () => {
    const { job } = await send(kind, [{ takesMs: 29_000 }], { timeoutMs: 1000 })
    expect(job?.id).toBe(id)
  })

  it('has 30 s anew for connections after an answer', async () => {
    const { scene, job } = await send(kind, [refused, limited('60'), refused, 'active'])
    expect(job?.id).toBe(id)
    expect(scene.calls).toEqual([`0 ${kind}`, `1 ${kind}`, `61 ${kind}`, `65 ${kind}`])
  })

  it.each<[string, Reply, number, RegExp]>([
    ['in a pause', limited('100'), 0.5, /Nothing was started, so it is safe to run this again\.$/],
    ['in flight', { takesMs: 10_000 }, 3.5, /a job may be running/],
  ])('is given up soon when the run is cancelled %s', async (_when, reply, elapsedS, says) => {
    const { scene, error } = await send(kind, [reply], { cancelAtMs: 500 })
    expect(error?.details).toMatch(says)
    expect(scene.elapsedS()).toBe(elapsedS)
    expect(scene.calls).toHaveLength(1)
  })

  it('says of a create that was cut by a cancel that there was no answer yet', async () => {
    const { error } = await send(kind, [{ takesMs: 10_000 }], { cancelAtMs: 500 })
    expect(error).toMatchObject({ headline: 'The docs service had not answered yet', details: MAYBE })
  })

  it('that is answered within 3 s of a cancel keeps its job', async () => {
    const { scene, job } = await send(kind, [{ takesMs: 3400 }], { cancelAtMs: 500 })
    expect([job?.id, scene.elapsedS()]).toEqual([id, 3.4])
  })

  it('is not sent by a run that is cancelled already', async () => {
    const scene = await startScene({ cancelAtMs: 0 })
    await scene.clock.sleep(1)
    const { service, run, clock } = scene
    const sent = submit({ kind: 'create', prompt: 'x' }, { service, run, deadlineMs: clock.now() + 1000 })
    await expect(sent).rejects.toMatchObject({ headline: '', details: NOTHING })
    expect(scene.calls).toEqual([])
  })
})
