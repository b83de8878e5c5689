import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startHarness } from '../support/harness.ts'
import { JOBS, REFUSALS, UNCLEAR } from './life.cases.ts'

const replies = fc.constantFrom(...REFUSALS, ...REFUSALS, ...UNCLEAR, ...JOBS, ...JOBS)
const schedules = fc.record({
  isMessage: fc.boolean(),
  post: fc.array(replies, { minLength: 1, maxLength: 4 }),
  get: fc.array(replies, { minLength: 1, maxLength: 6 }),
  timeoutMs: fc.constantFrom(1000, 30_000, 300_000, 1_800_000),
  pollInterval: fc.constantFrom('', '', '1s'),
  wait: fc.constantFrom(true, true, true, false),
  cancelAtMs: fc.constantFrom(undefined, undefined, undefined, 1, 3000, 100_000),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
})

/** Connections are tried for 30 s, a request in flight then has 30 s of its own; the last look has 5 s more. */
const SENDING_MS = 60_000
const LAST_LOOK_MS = 5000

it('a request for a job never makes two, loses no id, ends in time, and fails as its result says', async () => {
  await fc.assert(
    fc.asyncProperty(schedules, async ({ isMessage, post, get, random, cancelAtMs, ...given }) => {
      const inputs = {
        prompt: 'Do it.',
        'job-id': isMessage ? 'j7' : '',
        context: 'none',
        'follow-up': 'false',
        'fail-on': 'none',
        timeout: `${given.timeoutMs}ms`,
        'poll-interval': given.timeoutMs > 1000 ? given.pollInterval : '',
        wait: String(given.wait),
      }
      const { run, close } = await startHarness({ replies: { post, get }, random: () => random })
      const { calls, outputs, hasFailed, tookMs } = await run({ inputs, cancelAtMs })
      await close()
      const sent = calls.filter((call) => call.startsWith('POST'))
      const got = sent.map((_call, index) => post[Math.min(index, post.length - 1)] ?? 'active')
      // Whatever comes before the last one that was sent has certainly started nothing.
      expect(got.slice(0, -1).filter((reply) => !REFUSALS.slice(0, 4).includes(reply))).toEqual([])
      const isNamed = outputs['job-id'] === (isMessage ? 'j7' : 'j1')
      const last = got.at(-1)
      const isAccepted = isMessage || (last !== undefined && JOBS.includes(last))
      const mayBeLost =
        cancelAtMs !== undefined && typeof last === 'object' && (last.takesMs ?? 0) > 3000
      expect(isNamed || mayBeLost).toBe(isAccepted || mayBeLost)
      const limitMs = Math.max(given.timeoutMs, SENDING_MS) + LAST_LOOK_MS
      expect(tookMs).toBeLessThanOrEqual(limitMs)
      const { result = '', status, 'pr-link': pull } = outputs
      expect(hasFailed).toBe(['cancelled', 'error'].includes(result))
      const isEnded = !['timed-out', 'cancelled', 'error', 'submitted'].includes(result)
      expect(result === 'pull-request').toBe(isEnded && status === 'completed' && pull !== '')
      expect(result !== 'cancelled' || cancelAtMs !== undefined).toBe(true)
    }),
    { numRuns: Number(process.env['LIFE_RUNS'] ?? 40) },
  )
}, 300_000)
