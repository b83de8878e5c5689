import { describe, expect, it } from 'vitest'
import { startHarness } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'
import { AGENT, addPull } from '../support/world.ts'
import {
  answered,
  every,
  lost,
  noJob,
  PAUSES,
  POLLS,
  type PollOptions,
  slow,
} from './poll.cases.ts'

/** A run whose job was just created, without jitter, against replies of which the last goes on for ever. */
async function poll(get: readonly Reply[], options: PollOptions = {}) {
  const { shown = 'active', timeoutS = 3600, kind = 'create', random = () => 0 } = options
  const { run, world } = await startHarness({ random, replies: { post: [shown], get } })
  addPull(world, { number: 7, user: AGENT })
  const usual = { context: 'none', 'follow-up': 'false', 'fail-on': 'none' }
  const request = {
    prompt: kind === 'wait' ? '' : 'Do it.',
    'job-id': kind === 'create' ? '' : 'j1',
    timeout: `${timeoutS}s`,
  }
  const inputs = { ...usual, ...request, ...options.inputs }
  const end = await run({ inputs, cancelAtMs: options.cancelAtMs })
  const looksS = end.calledAtS.filter((_atS, index) => end.calls[index]?.startsWith('GET'))
  return { ...end, looksS, result: end.outputs['result'], last: end.log.at(-1) ?? '' }
}

it.each(PAUSES)(
  '%d s after the create, with jitter drawn at %d, the pause is %d s',
  async (ageS, drawn, pauseS) => {
    const first = answered(503, `${ageS - 5}`)
    const options = { random: () => drawn, timeoutS: 20_000 }
    const { looksS } = await poll([first, 'active', 'failed'], options)
    expect(looksS).toEqual([5, ageS, ageS + pauseS])
  },
)

it.each(POLLS)('%s', async (_what, script, options, end) => {
  const { result, looksS, tookMs } = await poll(script, options)
  expect(`${result}: ${looksS.join(', ')}; ${tookMs / 1000} s`).toBe(end)
})

describe('looks that fail', () => {
  it.each<[string, Reply, string]>([
    ['lost', lost, 'The connection to '],
    ['answered 408', answered(408), 'returned 408'],
    ['answered without a job', noJob, "doesn't match the documentation"],
    ['answered with another job', { body: { id: 'j2', status: 'completed' } }, 'job'],
  ])(
    'do not end the wait if they are %s; its end at the deadline has the cause',
    async (_what, reply, why) => {
      const { outputs, last } = await poll([reply], { timeoutS: 300 })
      expect(outputs).toMatchObject({ result: 'timed-out', status: 'active' })
      expect(last).toMatch(
        /^warning: The job may still be running\. .* The last request for its status failed\. /,
      )
      expect(last).toContain(why)
      const later = await poll([reply, reply, reply, 'failed'], { timeoutS: 300 })
      expect(later.result).toBe('failed')
      expect(later.last).not.toContain('last request')
    },
  )

  it.each([401, 403, 301, 400])('end the wait at once with %d', async (status) => {
    const { outputs, last, looksS } = await poll(['active', answered(status), 'completed'])
    expect(outputs).toMatchObject({ result: 'error', status: 'active' })
    expect(last).toMatch(new RegExp(`^error: .*\\b${status}\\b`))
    expect(looksS).toHaveLength(2)
    expect((await poll([answered(status)], { timeoutS: 3 })).result).toBe('error')
    expect(last).toContain('The job may still be running.')
  })

  it('are those that are cut at the deadline, too', async () => {
    const { result, tookMs, last } = await poll([slow('failed', 5100)], { timeoutS: 3 })
    expect([result, tookMs]).toEqual(['timed-out', 8000])
    expect(last).toContain('There was no response within 5 s after the deadline.')
  })
})

it('a cancel during a look ends the wait with the last known status', async () => {
  const ended = await poll([slow('completed', 20_000)], { shown: 'reviewing', cancelAtMs: 6000 })
  expect(ended).toMatchObject({ looksS: [5], tookMs: 6000 })
  expect(ended.outputs).toMatchObject({ result: 'cancelled', status: 'reviewing' })
})

describe('the log', () => {
  it('names the job at each change of status, and warns once for each unknown word', async () => {
    const { log } = await poll([
      'active',
      'reviewing',
      'reviewing',
      'active',
      'reviewing',
      '',
      'completed',
    ])
    expect(log.slice(1, -1)).toEqual([
      'Job j1 is active.',
      'Job j1 is reviewing after 10 s.',
      expect.stringMatching(
        /^warning: Job j1 has an unknown status, "reviewing"\. The action keeps waiting\./,
      ),
      'Job j1 is active after 20 s.',
      'Job j1 is reviewing after 25 s.',
      'Job j1 is  after 30 s.',
      expect.stringMatching(/^warning: Job j1 has an unknown status, ""\./),
      'Job j1 is completed after 35 s.',
    ])
  })

  it('warns once for each field of a wrong type', async () => {
    const shown = { body: { model: 7, prLink: [] } }
    const { warnings } = await poll([{ body: { model: 7 } }, 'completed'], { shown })
    expect(warnings).toEqual([
      expect.stringMatching(/^Ignored the field `prLink` of job j1, because/),
      expect.stringMatching(/^Ignored the field `model` of job j1, because/),
    ])
  })

  it('says of a look that failed why, and when the next one comes, the cut at the deadline included', async () => {
    const { log } = await poll([answered(503, '600'), 'completed'], { timeoutS: 15 })
    expect(log).toContainEqual(
      expect.stringMatching(
        /^Could not poll job j1: .* failed \(503\)\. The next poll is in 10 s\.$/,
      ),
    )
  })

  it('has a line after a poll if the last one is a minute old', async () => {
    const script = [...Array(7).fill('active'), 'completed']
    const { log } = await poll(script, every('25s'))
    expect(log.filter((line) => line.includes(' is active'))).toEqual([
      'Job j1 is active.',
      'Job j1 is active after 1 min 15 s.',
      'Job j1 is active after 2 min 30 s.',
    ])
  })
})
