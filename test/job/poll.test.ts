import { describe, expect, it } from 'vitest'
import { readInputs } from '../../src/inputs/read.ts'
import { LONGEST_PAUSE_MS, pauseAfter } from '../../src/job/poll.ts'
import { startHarness } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'

type PollOptions = {
  /** A job is created, sent a message, or only waited for. */
  readonly kind?: 'create' | 'message' | 'wait'
  readonly timeoutS?: number
  /** The status that the service shows in its answer, or fields of the whole job. */
  readonly shown?: string | Readonly<Record<string, unknown>>
  readonly inputs?: Readonly<Record<string, string>>
  readonly random?: () => number
  readonly cancelAtMs?: number
}

/** A run whose job was just created, without jitter, against replies of which the last goes on for ever. */
async function poll(get: readonly Reply[], options: PollOptions = {}) {
  const { shown = 'active', timeoutS = 3600, kind = 'create', random = () => 0, cancelAtMs } = options
  const posted = typeof shown === 'string' ? shown : { body: shown }
  const { run } = await startHarness({ random, replies: { post: [posted], get } })
  const usual = { context: 'none', 'follow-up': 'false', 'fail-on': 'none', timeout: `${timeoutS}s` }
  const request = {
    ...(kind !== 'wait' && { prompt: 'Do it.' }),
    ...(kind !== 'create' && { 'job-id': 'j1' }),
  }
  const end = await run({ inputs: { ...usual, ...request, ...options.inputs }, cancelAtMs })
  const looksS = end.calledAtS.slice(kind === 'wait' ? 0 : 1)
  return { ...end, looksS, result: end.outputs['result'], last: end.log.at(-1) ?? '' }
}

const lost: Reply = { breaks: 'before' }
const noJob: Reply = { body: '[]' }
const slow = (status: string, takesMs: number): Reply => ({ body: { status }, takesMs })
const answered = (status: number, retryAfter?: string) => ({
  status,
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
})

const another = { kind: 'wait' } as const
const noWait = { inputs: { wait: 'false' } }
const every = (pollInterval: string): PollOptions => ({ inputs: { 'poll-interval': pollInterval } })
const messaged = (shown: string): PollOptions => ({ kind: 'message', shown, ...every('5s') })

describe('the pause between looks', () => {
  it.each([
    [5, 0, 5],
    [5, 1, 6],
    [250, 0, 5],
    [250, 0.5, 5.5],
    [300, 0, 6],
    [500, 1, 12],
    [750, 0, 15],
    [100_000, 0, 15],
    [100_000, 1, 18],
  ])('%d s after the create, with jitter drawn at %d, is %d s', (ageS, random, pauseS) => {
    const { inputs } = readInputs(new Map(), (same) => same)
    // For as long a connection is kept.
    expect(pauseS * 1000).toBeLessThanOrEqual(LONGEST_PAUSE_MS)
    expect(pauseAfter(undefined, 0, ageS * 1000, { inputs, random: () => random })).toBe(pauseS * 1000)
  })

  it('is 5 s before the first look, and grows with the time since', async () => {
    const { looksS } = await poll([...Array<Reply>(60).fill('active'), 'failed'], { random: () => 1 })
    expect(looksS.slice(0, 2)).toEqual([5, 11])
    const [before = 0, last = 0] = looksS.slice(-2)
    expect(last - before).toBeCloseTo(9.232)
  })
})

const cut = ['failed', 'failed', slow('failed', 20_000)]
const slowly = { ...messaged('failed'), ...every('12s') }
const half = { random: () => 0.5 }
const punctual = { ...every('500ms'), ...half }
const said = [answered(429, '7'), 'active', answered(503, '100'), 'failed']
const unsaid = [answered(429), answered(429), 'active', 'failed']
const failing = [lost, answered(500), noJob, answered(503, '0'), lost, 'active', 'failed']

it.each<[string, readonly Reply[], PollOptions, string]>([
  ['a poll interval has no jitter', ['active', 'failed'], punctual, 'failed: 0.5, 1; 1 s'],
  ['a pause is as long as a 429 or 503 says', said, {}, 'failed: 5, 12, 17, 117; 117 s'],
  ['a 429 that says nothing means a minute each time', unsaid, {}, 'failed: 5, 65, 125, 130; 130 s'],
  ['a 429 shortens an interval', unsaid, every('2m'), 'failed: 120, 180, 240, 360; 360 s'],
  ['pauses grow to 30 s', failing, half, 'failed: 5, 10.5, 21.5, 43.5, 73.5, 103.5, 109; 109 s'],
  ['a longer interval does not', failing.slice(-4), every('40s'), 'failed: 40, 80, 120, 160; 160 s'],

  ['a finished job is not looked at again', [], { shown: 'failed' }, 'failed: ; 0 s'],
  ['another job is looked at at once', ['archived'], another, 'archived: 0; 0 s'],
  ['a run that does not wait returns', [], noWait, 'submitted: ; 0 s'],
  ['it reports a job that is over', [], { ...noWait, shown: 'failed' }, 'failed: ; 0 s'],
  ['it looks once at another', ['active'], { ...another, ...noWait }, 'submitted: 0; 0 s'],
  ['it looks again where that fails', [lost, 'failed'], { ...another, ...noWait }, 'failed: 0, 5; 5 s'],

  ['a pause is cut at the deadline', ['active'], { timeoutS: 8 }, 'timed-out: 5, 8; 8 s'],
  ['a last look tells what is over', ['active', 'failed'], { timeoutS: 8 }, 'failed: 5, 8; 8 s'],
  ['it may be the first one', ['failed'], { timeoutS: 3 }, 'failed: 3; 3 s'],
  ['a look at the deadline is the last one', ['active'], { timeoutS: 5 }, 'timed-out: 5; 5 s'],
  ['an interval is cut, too', ['active'], { ...every('4900ms'), timeoutS: 5 }, 'timed-out: 4.9, 5; 5 s'],
  ['the last look may take 5 s', [slow('failed', 4900)], { timeoutS: 3 }, 'failed: 3; 7.9 s'],
  ['it is then cut', [slow('failed', 5100)], { timeoutS: 3 }, 'timed-out: 3; 8 s'],
  ['a look in flight is the last one', [slow('failed', 4000)], { timeoutS: 8 }, 'failed: 5; 9 s'],
  ['none comes after it', [slow('active', 4000)], { timeoutS: 8 }, 'timed-out: 5; 9 s'],
  ['nor where it fails', [{ status: 503, takesMs: 4000 }], { timeoutS: 8 }, 'timed-out: 5; 9 s'],
  ['a 429 is cut there', [answered(429), 'failed'], { timeoutS: 60 }, 'failed: 5, 60; 60 s'],
  ['so is a Retry-After', [answered(429, '3600'), 'failed'], { timeoutS: 60 }, 'failed: 5, 60; 60 s'],
  ['whatever its length', [answered(503, '9'.repeat(400))], { timeoutS: 60 }, 'timed-out: 5, 60; 60 s'],

  ['404 may be early for 60 s', [answered(404), 'failed'], every('60s'), 'failed: 60, 120; 120 s'],
  ['so may it be at the deadline', [answered(404)], { timeoutS: 3 }, 'timed-out: 3; 3 s'],
  ['404 is an error later', [answered(404)], every('60100ms'), 'error: 60.1; 60.1 s'],
  ['404 is one for another job', [answered(404)], another, 'error: 0; 0 s'],
  ['404 is one after a message', [answered(404)], { kind: 'message' }, 'error: 5; 5 s'],

  ['an end after a message counts if active in its answer', ['failed'], messaged('active'), 'failed: 5; 5 s'],
  ['or since', ['failed', 'active', 'failed'], messaged('failed'), 'failed: 5, 10, 15; 15 s'],
  ['or if another word came', ['reviewing', 'failed'], messaged('failed'), 'failed: 5, 10; 10 s'],
  ['or if it stays for 30 s', ['failed'], messaged('failed'), 'failed: 5, 10, 15, 20, 25, 30; 30 s'],
  ['each end anew', ['archived'], messaged('failed'), 'archived: 5, 10, 15, 20, 25, 30, 35; 35 s'],
  ['not before', ['failed'], { ...messaged('failed'), timeoutS: 20 }, 'timed-out: 5, 10, 15, 20; 20 s'],
  ['nor without waiting', [], { ...messaged('failed'), ...noWait }, 'submitted: ; 0 s'],
  ['a failed look proves no stay', [lost], { ...slowly, timeoutS: 31 }, 'timed-out: 12, 24, 31; 31 s'],
  ['a look that is cut neither', cut, { ...slowly, timeoutS: 28 }, 'timed-out: 12, 24, 28; 33 s'],
])('%s', async (_what, script, options, end) => {
  const { result, looksS, tookMs } = await poll(script, options)
  expect(`${result}: ${looksS.join(', ')}; ${tookMs / 1000} s`).toBe(end)
})

it.each([
  ['completed', 'https://x.example/1', 'pull-request'],
  ['completed', null, 'no-pull-request'],
  ['failed', 'https://x.example/1', 'failed'],
  ['archived', 'https://x.example/1', 'archived'],
])('a job that is %s with the link %j has the result %s', async (status, prLink, result) => {
  const { outputs } = await poll([{ body: { status, prLink } }])
  expect(outputs).toMatchObject({ result, status, 'pr-link': prLink ?? '' })
})

describe('looks that fail', () => {
  it.each<[string, Reply, string]>([
    ['lost', lost, 'The connection to '],
    ['answered 500', answered(500), '(500)'],
    ['answered 429', answered(429), '(429)'],
    ['answered 408', answered(408), '(408)'],
    ['answered without a job', noJob, 'of another shape than documented'],
    ['answered with another job', { body: { id: 'j2', status: 'completed' } }, 'job'],
  ])('are no end where they are %s: the deadline is, and knows why', async (_what, reply, why) => {
    const { outputs, last } = await poll([reply], { timeoutS: 300 })
    expect(outputs).toMatchObject({ result: 'timed-out', status: 'active', 'duration-seconds': '300' })
    expect(last).toMatch(/^warning: Not finished within 300s\. The last poll failed\. /)
    expect(last).toContain(why)
    const later = await poll([reply, reply, reply, 'failed'], { timeoutS: 300 })
    expect(later.result).toBe('failed')
    expect(later.last).not.toContain('The last poll failed')
  })

  it.each([401, 402, 403, 301, 307, 400, 410])('end the wait at once with %d', async (status) => {
    const { outputs, last, looksS } = await poll(['active', answered(status), 'completed'])
    expect(outputs).toMatchObject({ result: 'error', status: 'active' })
    expect(last).toMatch(new RegExp(`^error: .*\\b${status}\\b`))
    expect(looksS).toHaveLength(2)
    expect((await poll([answered(status)], { timeoutS: 3 })).result).toBe('error')
  })

  it('are those that are cut at the deadline, too', async () => {
    const { outputs, last } = await poll([slow('failed', 9000)], { timeoutS: 3 })
    expect(outputs).toMatchObject({ result: 'timed-out', 'duration-seconds': '8' })
    expect(last).toContain(
      'No response from the docs service. It was not answered within 5 s after the deadline.',
    )
  })
})

it.each([
  ['in a pause', 3000, [], 3000],
  ['during a look', 6000, [5], 6000],
])('a cancel %s ends the wait with the last known status', async (_when, cancelAtMs, looks, endMs) => {
  const { outputs, looksS, tookMs } = await poll([slow('completed', 20_000)], {
    shown: 'reviewing',
    cancelAtMs,
  })
  expect(outputs).toMatchObject({ result: 'cancelled', status: 'reviewing' })
  expect([looksS, tookMs]).toEqual([looks, endMs])
})

describe('the log', () => {
  it('names the job at each change of status, and warns once for each unknown word', async () => {
    const { log } = await poll(['active', 'reviewing', 'reviewing', 'active', 'reviewing', '', 'completed'])
    expect(log.slice(1, -1)).toEqual([
      'Job j1 is active (after 0 ms).',
      'Job j1 is reviewing (after 10 s).',
      'warning: Job j1 has a status that this version does not know: "reviewing". It counts as not finished yet.',
      'Job j1 is active (after 20 s).',
      'Job j1 is reviewing (after 25 s).',
      'Job j1 is  (after 30 s).',
      'warning: Job j1 has a status that this version does not know: "". It counts as not finished yet.',
      'Job j1 is completed (after 35 s).',
    ])
  })

  it('warns once for each field of a wrong type', async () => {
    const shown = { id: 'j1', status: 'active', model: 7, prLink: [] }
    const { warnings } = await poll([{ body: { model: 7 } }, 'completed'], { shown })
    expect(warnings).toEqual([
      'Job j1: the field prLink has an unexpected type and counts as absent.',
      'Job j1: the field model has an unexpected type and counts as absent.',
    ])
  })

  it('says of a look that failed why, and when the next one comes, the cut at the deadline included', async () => {
    const { log } = await poll([answered(503, '600'), 'completed'], { timeoutS: 15 })
    expect(log).toContain(
      'Failed to poll job j1. The docs service failed (503). The docs service answered the request to get the job and gave no reason. The cause is the service or a proxy before it, not this workflow. Next poll in 10 s.',
    )
  })

  it('has a sign of life every minute whatever a look takes, which says so while they fail, and none afterwards', async () => {
    const slowly = { ...answered(503, '55'), takesMs: 70_000 }
    const script = [slowly, answered(503, '65'), 'reviewing', 'completed']
    const { log } = await poll(script, { ...another, ...every('65s') })
    const notYet = 'its status is not known yet. The last poll failed:'
    expect(log.filter((line) => line.startsWith('Still'))).toEqual([
      `Still waiting for job j1 after 1 min; ${notYet} No response from the docs service.`,
      `Still waiting for job j1 after 2 min; ${notYet} The docs service failed (503).`,
      'Still waiting for job j1 after 3 min; its status is reviewing.',
    ])
  })
})
