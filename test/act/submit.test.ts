import { describe, expect, it } from 'vitest'
import { selfSignedCertificate } from '../support/certificate.ts'
import { type RunOptions, startHarness } from '../support/harness.ts'
import { TestServers } from '../support/http-servers.ts'
import type { Reply } from '../support/scripted-service.ts'
import { at, KEPT, limited, MAYBE, refused, SAFE, SENT } from './submit.cases.ts'

describe.each([
  ['create', 'j1', { prompt: 'Do it.' }, 'POST /job', 'job j1'],
  [
    'message',
    'j7',
    { prompt: 'More.', 'job-id': 'j7' },
    'POST /job/j7/message',
    'the message to job j7',
  ],
] as const)('a %s', (kind, id, request, call, what) => {
  /** Sends it against replies, of which the last goes on for ever, and waits for nothing more. */
  async function send(post: readonly Reply[], { inputs, ...options }: RunOptions = {}) {
    const { run, serviceUrl } = await startHarness({ replies: { post } })
    const usual = { context: 'none', 'follow-up': 'false', wait: 'false', timeout: '10m' }
    const baseUrl = inputs?.['base-url']?.replace('SERVICE', serviceUrl.replace('http:', 'https:'))
    const given = { ...usual, ...request, ...inputs, ...(baseUrl && { 'base-url': baseUrl }) }
    const env = options.env?.['HTTPS_PROXY'] ? { HTTPS_PROXY: serviceUrl } : {}
    const end = await run({ ...options, env, inputs: given })
    return { ...end, error: end.hasFailed ? (end.log.at(-1) ?? '') : '' }
  }

  it.each(SENT)(
    'that is %s is sent again only where it certainly started nothing',
    async (_what, script, options, timesS, ends) => {
      const { calls, calledAtS, bodies, outputs, log, state, error } = await send(script, options)
      expect(calls).toEqual(timesS.map(() => call))
      expect(calledAtS).toEqual(timesS)
      expect(bodies).toEqual(timesS.map(() => ({ prompt: request.prompt })))
      const isAccepted = ends === undefined
      expect(outputs['result']).toBe(isAccepted ? 'submitted' : 'error')
      if (isAccepted) expect([outputs['job-id'], state['job-id']]).toEqual([id, id])
      const accepted = isAccepted ? [expect.stringContaining(` accepted ${what}.`)] : []
      expect(log.filter((line) => line.includes(' accepted '))).toEqual(accepted)
      expect(error).toContain(ends ?? '')
      expect(error.includes(' kept returning')).toBe(ends === KEPT)
      expect(error.match(/Nothing was started|may have/g) ?? []).toHaveLength(isAccepted ? 0 : 1)
    },
  )

  it('that meets an unknown certificate is sent again for 30 s', async () => {
    const { origin } = await new TestServers().start(() => undefined, selfSignedCertificate())
    expect((await send([], at(origin))).calledAtS).toEqual([0, 1, 3, 7, 15, 30])
  })

  it('that is sent again has a log line with the reason', async () => {
    const { log } = await send([refused, limited('100'), 'active'])
    expect(log.filter((line) => line.includes('again in'))).toEqual([
      expect.stringMatching(
        /^Could not reach .*\. No job was started yet\. Trying again in 1 s\.$/,
      ),
      expect.stringMatching(
        /^You reached the rate limit .*\. No job was started yet\. Trying again in 1 min 40 s\.$/,
      ),
    ])
  })

  it('is given up soon if the run is canceled, and keeps its job if that comes within 3 s', async () => {
    const inPause = await send([limited('100')], { cancelAtMs: 500 })
    expect(inPause.error).toContain(SAFE)
    const inFlight = await send([{ takesMs: 10_000 }], { cancelAtMs: 500 })
    expect(inFlight.error).toContain(` had not responded yet. ${MAYBE[kind]}`)
    const answered = await send([{ takesMs: 3400 }], { cancelAtMs: 500 })
    expect(answered.outputs).toMatchObject({ result: 'cancelled', 'job-id': id })
    expect([inPause, inFlight, answered].map(({ tookMs }) => tookMs)).toEqual([500, 3500, 3400])
  })
})
