import { describe, expect, it } from 'vitest'
import { startHarness } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'
import { AGENT, addPull } from '../support/world.ts'
import { answered, every, lost, noJob, PAUSES, POLLS, type PollOptions } from './poll.cases.ts'

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
  '$ageS s after the create, with jitter drawn at $drawn, the pause is $pauseS s',
  async ({ ageS, drawn, pauseS }) => {
    const first = answered(503, `${ageS - 5}`)
    const options = { random: () => drawn, timeoutS: 20_000 }
    const { looksS } = await poll([first, 'active', 'failed'], options)
    expect(looksS).toEqual([5, ageS, ageS + pauseS])
  },
)

it.each(POLLS)('$what', async ({ polls, options, ends }) => {
  const { result, looksS, tookMs } = await poll(polls, options)
  expect(`${result}: ${looksS.join(', ')}; ${tookMs / 1000} s`).toBe(ends)
})

describe('polls that fail', () => {
  it.each<{ what: string; reply: Reply }>([
    { what: 'lost', reply: lost },
    { what: 'answered 408', reply: answered(408) },
    { what: 'answered without a job', reply: noJob },
    { what: 'answered with another job', reply: { body: { id: 'j2', status: 'completed' } } },
  ])(
    'do not end the wait if they are $what; its end at the deadline has the cause',
    async (row) => {
      const { outputs, last } = await poll([row.reply], { timeoutS: 300 })
      expect(outputs).toMatchObject({ result: 'timed-out', status: 'active' })
      expect(last).toMatch(/^warning: .*The last request for its status failed\./)
      const later = await poll([row.reply, row.reply, row.reply, 'failed'], { timeoutS: 300 })
      expect([later.result, later.last.includes('last request')]).toEqual(['failed', false])
    },
  )

  it.each([401, 403, 301, 400])('end the wait at once with %d', async (status) => {
    const { outputs, last, looksS } = await poll(['active', answered(status), 'completed'])
    expect(outputs).toMatchObject({ result: 'error', status: 'active' })
    expect(last).toMatch(new RegExp(`^error: .*\\b${status}\\b.*may still be running`))
    expect(looksS).toHaveLength(2)
  })
})

describe('the log', () => {
  it('has a line at each change of status, and one warning for each unknown status', async () => {
    const { log, warnings } = await poll(['active', 'new', 'new', 'active', 'new', 'completed'])
    const lines = log.flatMap((line) => /status is (\w+)/.exec(line)?.[1] ?? [])
    expect(lines).toEqual(['active', 'new', 'active', 'new', 'completed'])
    expect(warnings).toEqual([expect.stringContaining('unknown status, "new"')])
  })

  it('has one warning for each field of a wrong type', async () => {
    const shown = { body: { model: 7, prLink: [] } }
    const { warnings } = await poll([{ body: { model: 7 } }, 'completed'], { shown })
    expect(warnings).toEqual([
      expect.stringContaining('`prLink`'),
      expect.stringContaining('`model`'),
    ])
  })

  it('has a line after a poll if the last one is a minute old', async () => {
    const { log } = await poll([...Array(7).fill('active'), 'completed'], every('25s'))
    expect(log.filter((line) => line.includes('is active'))).toHaveLength(3)
  })
})
