import { describe, expect, it } from 'vitest'
import { JobError, submit } from '../../src/job/submit.ts'
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
  const at = (...timesS: number[]): string[] => timesS.map((time) => `${time} ${kind}`)

  it('that is accepted gives its job, also where the connection ends oddly after it', async () => {
    for (const breaks of [undefined, 'after'] as const) {
      const body = { status: 'active', prLink: 'https://x.example/1' }
      const { scene, job } = await send(kind, [{ status: 201, body, ...(breaks && { breaks }) }])
      expect(job).toMatchObject({ id, ...body })
      expect(scene).toMatchObject({ prompts: [{ prompt }], calls: at(0), log: [] })
    }
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
    expect(scene.calls).toEqual(at(0, 1, 3, 7, 15, 30))
    expect(scene.log).toHaveLength(5)
    expect(scene.log[0]).toMatch(
      /^Failed to reach the docs service\. The .*\. Nothing was started yet; trying again in 1 s\.$/,
    )
  })

  it('that can be sent at last is, with 30 s anew for connections after an answer', async () => {
    const { scene, job } = await send(kind, [refused, limited('60'), refused, 'active'])
    expect([job?.id, scene.calls]).toEqual([id, at(0, 1, 61, 65)])
  })

  it.each([302, 400, 401, 402, 403, 404, 413, 418])(
    'that is answered %d is sent once, and nothing was started',
    async (status) => {
      const { scene, error } = await send(kind, [{ status }])
      expect(error?.headline).toContain(`(${status})`)
      expect(error?.details.endsWith(` ${NOTHING}`)).toBe(true)
      expect(scene.calls).toEqual(at(0))
    },
  )

  it('that a proxy keeps from being sent is not sent again', async () => {
    const { scene, error } = await send(kind, [], { proxy: 'socks5://127.0.0.1:1' })
    expect(error?.details).toMatch(/HTTP_PROXY .* names a SOCKS proxy.* Nothing was started\.$/)
    expect(scene.calls).toEqual(at(0))
  })

  it.each<[string, Reply]>([
    ['nothing', { breaks: 'before' }],
    ['500', { status: 500 }],
    ['503 that asks to come again', { status: 503, headers: { 'retry-after': '1' } }],
    ['408', { status: 408 }],
    ['204', { status: 204 }],
    ['half a job', { status: 201, body: '{"id":', breaks: 'after' }],
    ['something else', { body: '[]' }],
  ])('that is answered %s is sent once, and a job may be running', async (_what, reply) => {
    const { scene, error } = await send(kind, [reply])
    expect(error?.headline).toMatch(/docs service/)
    expect(error?.details.endsWith(` ${MAYBE}`)).toBe(true)
    expect(error?.details).not.toMatch(/Nothing was started|safe to run/)
    expect(scene.calls).toEqual(at(0))
  })

  it('that is over the rate limit waits as long as it says', async () => {
    const { scene, job } = await send(kind, [limited('100'), limited('200'), 'active'])
    expect([job?.id, scene.calls]).toEqual([id, at(0, 100, 300)])
    expect(scene.log[0]).toMatch(
      /^The rate limit of the docs service is reached \(429\)\. .* Nothing was started yet; trying again in 1 min 40 s\.$/,
    )
  })

  it('that is over the rate limit for no said time is tried a last time at the end of timeout', async () => {
    const { scene, error } = await send(kind, [{ status: 429 }], { timeoutMs: 5000 })
    expect(scene.calls).toEqual(at(0, 1, 3, 5))
    expect(error?.details).toContain(` The service kept answering this until \`timeout\` was over. ${SAFE}`)
  })

  it('has pauses that grow to 30 s, a tenth shorter or longer as they are drawn', async () => {
    const callsWith = async (random: number): Promise<string[]> =>
      (await send(kind, [{ status: 429 }], { timeoutMs: 50_000, random: () => random })).scene.calls
    expect(await callsWith(0)).toEqual(at(0, 0.9, 2.7, 6.3, 13.5, 27.9, 50))
    expect(await callsWith(1)).toEqual(at(0, 1.1, 3.3, 7.7, 16.5, 34.1, 50))
  })

  it.each([
    ['600', '10 min'],
    ['9'.repeat(400), 'a year or more'],
  ])('that is to wait past timeout ends at once (%#)', async (seconds, wait) => {
    const { scene, error } = await send(kind, [limited(seconds)])
    expect(scene.calls).toEqual(at(0))
    expect(error?.details).toContain(
      ` The server asks to wait ${wait} before the next request, which is past \`timeout\`. ${SAFE}`,
    )
  })

  it('in flight is never cut by timeout', async () => {
    expect((await send(kind, [{ takesMs: 29_000 }], { timeoutMs: 1000 })).job?.id).toBe(id)
  })

  it('is given up soon when the run is cancelled, and keeps its job where that comes within 3 s', async () => {
    const inPause = await send(kind, [limited('100')], { cancelAtMs: 500 })
    expect(inPause.error?.details).toMatch(/ Nothing was started, so it is safe to run this again\.$/)
    const inFlight = await send(kind, [{ takesMs: 10_000 }], { cancelAtMs: 500 })
    expect(inFlight.error).toMatchObject({
      headline: 'The docs service had not answered yet',
      details: MAYBE,
    })
    const answered = await send(kind, [{ takesMs: 3400 }], { cancelAtMs: 500 })
    expect(answered.job?.id).toBe(id)
    expect([inPause, inFlight, answered].map(({ scene }) => scene.elapsedS())).toEqual([0.5, 3.5, 3.4])
  })
})
