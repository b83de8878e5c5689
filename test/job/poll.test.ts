import { describe, expect, it } from 'vitest'
import { type PollEnd, type PollOptions, pollJob, type WatchedJob } from '../../src/job/poll.ts'
import { afterMessage, nextPauseMs, untilTerminal } from '../../src/job/poll-rules.ts'
import type { JobEvent } from '../../src/job/progress.ts'
import { TransportError } from '../../src/lib/transport-error.ts'
import { type Job, readJob } from '../../src/service/job.ts'
import { InvalidResponseError, ServiceError } from '../../src/service/service-error.ts'
import { VirtualClock } from '../lib/virtual-clock.ts'

/** What a poll shows, and how long it takes in milliseconds. */
type Shown = string | Error | { readonly shows: string | Error; readonly takesMs: number }

/** What each poll shows; the last one goes on for ever. */
type Script = readonly Shown[]

type Polled = {
  readonly end: PollEnd
  readonly pollsAtS: number[]
  readonly events: readonly (JobEvent & { readonly atS: number })[]
  readonly elapsedS: number
}

function job(status: string, fields: object = {}): Job {
  const read = readJob({ id: 'j1', status, prLink: null, ...fields })
  if (read === undefined) throw new Error('no job')
  return read
}

async function poll(
  script: Script,
  watched: Partial<WatchedJob> = {},
  options: Partial<PollOptions> = {},
): Promise<Polled> {
  const clock = new VirtualClock()
  const startedAtMs = clock.now()
  const sinceStartS = (): number => (clock.now() - startedAtMs) / 1000
  const pollsAtS: number[] = []
  const events: (JobEvent & { atS: number })[] = []
  const end = await pollJob(
    {
      id: 'j1',
      job: job('active'),
      startedAtMs,
      firstAnswerAtMs: startedAtMs,
      created: true,
      isOver: untilTerminal,
      ...watched,
    },
    {
      getJob: async (signal) => {
        const shown = script[Math.min(pollsAtS.length, script.length - 1)] ?? 'active'
        pollsAtS.push(sinceStartS())
        const takes = typeof shown === 'object' && 'takesMs' in shown ? shown : { shows: shown, takesMs: 0 }
        await clock.sleep(takes.takesMs, signal)
        signal.throwIfAborted()
        if (takes.shows instanceof Error) throw takes.shows
        return job(takes.shows)
      },
      clock,
      cancel: new AbortController().signal,
      random: () => 0,
      pollIntervalMs: undefined,
      timeoutMs: 1_800_000,
      wait: true,
      onEvent: (event) => events.push({ ...event, atS: sinceStartS() }),
      ...options,
    },
  )
  return { end, pollsAtS, events, elapsedS: sinceStartS() }
}

function pausesOf({ pollsAtS }: Polled): number[] {
  return pollsAtS.map((atS, index) => atS - (pollsAtS[index - 1] ?? 0))
}

const call = {
  method: 'GET',
  path: [],
  purpose: 'get the job',
  notFound: { headline: 'No such job', cure: 'Check it.' },
  limit: 'none',
} as const

function response(status: number, retryAfterMs?: number) {
  return { status, json: undefined, text: '', exact: undefined, bodyProblem: undefined, retryAfterMs }
}

function answered(status: number, retryAfterMs?: number): ServiceError {
  return new ServiceError(call, response(status, retryAfterMs))
}

const lost = new TransportError('the connection broke off', { failure: 'broken-off', maybeSent: true })
const noJob = new InvalidResponseError(call, response(200))
const attached = { job: undefined, firstAnswerAtMs: undefined, created: false } as const

describe('the pause between polls', () => {
  it.each([
    [0, 5000],
    [249_000, 5000],
    [250_000, 5000],
    [300_000, 6000],
    [600_000, 12_000],
    [750_000, 15_000],
    [3_600_000, 15_000],
  ])('of a job that is %d ms old is %d ms, and up to 20 %% more', (ageMs, shortestMs) => {
    const pauseWith = (random: number): number =>
      nextPauseMs(ageMs, 0, { pollIntervalMs: undefined, random: () => random })
    expect(pauseWith(0)).toBe(shortestMs)
    expect(pauseWith(0.5)).toBeCloseTo(shortestMs * 1.1, 6)
    expect(pauseWith(1)).toBeCloseTo(shortestMs * 1.2, 6)
  })

  it('begins with 5 s, and then is spread evenly over its 20 %', async () => {
    const polled = await poll(['active'], {}, { random: Math.random, timeoutMs: 200_000 })
    const [first, ...pauses] = pausesOf(polled).slice(0, -1)
    expect(first).toBe(5)
    expect(pauses.length).toBeGreaterThan(25)
    for (const pause of pauses) {
      expect(pause).toBeGreaterThanOrEqual(5)
      expect(pause).toBeLessThan(6)
    }
    // Of 30 values drawn evenly from 5 to 6, all in the same tenth is out of the question.
    expect(Math.max(...pauses) - Math.min(...pauses)).toBeGreaterThan(0.1)
  })

  it('is as given with a poll interval, without jitter', async () => {
    const { pollsAtS } = await poll(
      ['active', 'active', 'completed'],
      {},
      { pollIntervalMs: 500, random: () => 0.9 },
    )
    expect(pollsAtS).toEqual([0.5, 1, 1.5])
  })

  it('is as long as a 429 says, and from then on doubled with each', async () => {
    const { pollsAtS } = await poll([
      answered(429, 7000),
      'active',
      answered(429, 3000),
      'active',
      'completed',
    ])
    expect(pollsAtS).toEqual([5, 12, 22, 25, 45])
  })

  it('is doubled up to 60 s, a fixed one too; one that is longer already stays', async () => {
    const script = [answered(429), answered(429), answered(429), 'active', 'active', 'completed']
    expect(pausesOf(await poll(script, {}, { pollIntervalMs: 10_000 }))).toEqual([10, 20, 40, 60, 60, 60])
    expect(pausesOf(await poll(script, {}, { pollIntervalMs: 90_000 }))).toEqual([90, 90, 90, 90, 90, 90])
  })

  it('grows while polls fail, up to 30 s', async () => {
    const script = [lost, answered(500), noJob, answered(503), lost, 'completed']
    const polled = await poll(script, {}, { random: () => 0.5 })
    expect(pausesOf(polled).map(Math.round)).toEqual([5, 6, 11, 22, 30, 30])
  })

  it('does not come before the first poll of an attached job', async () => {
    const { pollsAtS, end } = await poll(['completed'], attached)
    expect(pollsAtS).toEqual([0])
    expect(end.end).toBe('over')
  })
})

describe('at the deadline', () => {
  it.each([
    ['the pause would go past it', {}, 8000, [5, 8]],
    ['the first pause is as long', {}, 5000, [5]],
    ['the first pause would be longer', {}, 3000, [3]],
    ['the poll interval would go past it', { pollIntervalMs: 6000 }, 10_000, [6, 10]],
    ['the poll before was a moment ago', { pollIntervalMs: 4900 }, 5000, [4.9, 5]],
  ])('comes a last poll where %s', async (_where, options, timeoutMs, pollsAtS) => {
    const goesOn = await poll(['active'], {}, { ...options, timeoutMs })
    expect(goesOn).toMatchObject({
      end: { end: 'timed-out', job: { status: 'active' }, headline: '', details: '' },
      pollsAtS,
      elapsedS: timeoutMs / 1000,
    })
    const script = [...pollsAtS.slice(1).map(() => 'active'), 'completed']
    const isOver = await poll(script, {}, { ...options, timeoutMs })
    expect(isOver).toMatchObject({ end: { end: 'over', job: { status: 'completed' } }, pollsAtS })
  })

  it('the last poll may take 5 s more, and is then cut', async () => {
    const slow = (takesMs: number): Shown => ({ shows: 'completed', takesMs })
    expect(await poll([slow(4900)], {}, { timeoutMs: 3000 })).toMatchObject({
      end: { end: 'over' },
      pollsAtS: [3],
      elapsedS: 7.9,
    })
    expect(await poll([slow(5100)], {}, { timeoutMs: 3000 })).toMatchObject({
      end: { end: 'timed-out', job: { status: 'active' } },
      pollsAtS: [3],
      elapsedS: 8,
    })
  })

  it('a poll in flight is the last', async () => {
    const inFlight = (shows: string | Error): Shown => ({ shows, takesMs: 4000 })
    const options = { timeoutMs: 8000 }
    expect(await poll([inFlight('completed')], {}, options)).toMatchObject({
      end: { end: 'over' },
      pollsAtS: [5],
      elapsedS: 9,
    })
    for (const shows of ['active', lost]) {
      expect(await poll([inFlight(shows)], {}, options)).toMatchObject({
        end: { end: 'timed-out' },
        pollsAtS: [5],
        elapsedS: 9,
      })
    }
  })

  it.each([401, 403, 302, 404, 410])('a last poll answered %d is an error with its cause', async (status) => {
    const { end } = await poll([answered(status)], { created: false }, { timeoutMs: 3000 })
    expect(end).toMatchObject({ end: 'given-up', headline: expect.stringContaining(`(${status})`) })
  })

  it.each([
    ['a 503', answered(503), /The last poll failed\. The docs service failed \(503\)\./],
    ['a lost connection', lost, /The last poll failed\. No response from the docs service\. The connection/],
  ])('a last poll that meets %s is a timeout that says so', async (_what, error, says) => {
    const { end } = await poll([error], {}, { timeoutMs: 3000 })
    expect(end).toMatchObject({ end: 'timed-out', details: expect.stringMatching(says) })
  })

  it.each([
    ['429', answered(429, 3_600_000)],
    ['503', answered(503, 3_600_000)],
    ['503 of the longest kind', answered(503, Number.MAX_SAFE_INTEGER)],
  ])('a Retry-After past it is cut there: the last poll still comes after a %s', async (_what, error) => {
    const options = { timeoutMs: 60_000 }
    expect(await poll([error, 'completed'], {}, options)).toMatchObject({
      end: { end: 'over' },
      pollsAtS: [5, 60],
    })
    expect(await poll([error], {}, options)).toMatchObject({ end: { end: 'timed-out' }, pollsAtS: [5, 60] })
  })

  it('which is counted from the first answer, even one that only refuses', async () => {
    const options = { timeoutMs: 20_000, random: () => 0.5 }
    const fromJob = await poll([lost, lost, 'active'], attached, options)
    expect(fromJob.pollsAtS[2]).toBeGreaterThan(15)
    expect(fromJob.elapsedS).toBeCloseTo((fromJob.pollsAtS[2] ?? 0) + 20, 6)
    const fromFailure = await poll([lost, answered(500), 'active'], attached, options)
    expect(fromFailure.elapsedS).toBeCloseTo((fromFailure.pollsAtS[1] ?? 0) + 20, 6)
  })

  it('that has passed before polling begins, no further poll is made', async () => {
    const clock = new VirtualClock()
    const { end, pollsAtS } = await poll(
      ['active'],
      { firstAnswerAtMs: clock.now() - 60_000 },
      { timeoutMs: 5000 },
    )
    expect(end.end).toBe('timed-out')
    expect(pollsAtS).toEqual([])
  })
})

describe('polls that fail', () => {
  it.each([[lost], [answered(500)], [answered(429)], [answered(408)], [noJob]])(
    'with nothing but %s end the wait after ten minutes, with a last poll',
    async (error) => {
      const { end, elapsedS, pollsAtS } = await poll([error])
      expect(end).toMatchObject({
        end: 'given-up',
        headline: 'No good answer from the docs service for 10 min 00 s',
        details: expect.stringContaining('The last poll failed.'),
      })
      expect(elapsedS).toBe(605)
      expect(pollsAtS.at(-1)).toBe(605)
    },
  )

  it('do not end it where time that the service asked to wait makes up the ten minutes', async () => {
    const script = [...Array<Error>(12).fill(answered(503, 100_000)), 'completed']
    const { end, elapsedS } = await poll(script)
    expect(end.end).toBe('over')
    expect(elapsedS).toBe(5 + 12 * 100)
  })

  it('begin their ten minutes anew with each good answer', async () => {
    const options = { timeoutMs: 36_000_000, pollIntervalMs: 400_000 }
    const { end } = await poll([lost, 'active', lost, 'active', lost, 'completed'], {}, options)
    expect(end.end).toBe('over')
  })

  it('do not end it because polls are far apart', async () => {
    const options = { timeoutMs: 3_600_000, pollIntervalMs: 900_000 }
    const { end, pollsAtS } = await poll(['active', lost, 'completed'], {}, options)
    expect(end.end).toBe('over')
    expect(pollsAtS).toEqual([900, 1800, 2400])
  })

  it.each([401, 402, 403, 301, 307, 400, 410])('with %d end it at once', async (status) => {
    const { end, pollsAtS } = await poll(['active', answered(status), 'completed'])
    expect(end).toMatchObject({
      end: 'given-up',
      job: { status: 'active' },
      headline: expect.stringContaining(`(${status})`),
    })
    expect(pollsAtS).toHaveLength(2)
  })

  it('with 404 do so later than 60 s after the create, and for a job of another run', async () => {
    const early = await poll([answered(404), answered(404), 'completed'])
    expect(early.end.end).toBe('over')
    const atTheLast = await poll([answered(404), 'completed'], {}, { pollIntervalMs: 60_000 })
    expect(atTheLast.end.end).toBe('over')
    const late = await poll([answered(404), 'completed'], {}, { pollIntervalMs: 60_100 })
    expect(late.end).toMatchObject({ end: 'given-up', headline: 'No such job (404)' })
    const other = await poll([answered(404), 'completed'], attached)
    expect(other).toMatchObject({ end: { end: 'given-up' }, pollsAtS: [0] })
  })
})

describe('a run that does not wait', () => {
  it('polls once for an attached job, and again only where that fails', async () => {
    expect(await poll(['active'], attached, { wait: false })).toMatchObject({
      end: { end: 'submitted', job: { status: 'active' } },
      pollsAtS: [0],
    })
    const { end, pollsAtS } = await poll([lost, 'completed'], attached, { wait: false })
    expect(end.end).toBe('over')
    expect(pollsAtS).toHaveLength(2)
  })

  it('does not poll for a job that was just created', async () => {
    expect(await poll([], {}, { wait: false })).toMatchObject({ end: { end: 'submitted' }, pollsAtS: [] })
  })
})

describe('a cancel', () => {
  it.each([
    ['in a pause', 3000, []],
    ['during a poll', 6000, [5]],
  ])('%s ends the wait at once, with the last known status', async (_when, atMs, pollsAtS) => {
    const clock = new VirtualClock()
    const startedAtMs = clock.now()
    const cancel = new AbortController()
    const polls: number[] = []
    clock.at(startedAtMs + atMs, () => cancel.abort())
    const end = await pollJob(
      {
        id: 'j1',
        job: job('reviewing'),
        startedAtMs,
        firstAnswerAtMs: startedAtMs,
        created: true,
        isOver: untilTerminal,
      },
      {
        getJob: async (signal) => {
          polls.push((clock.now() - startedAtMs) / 1000)
          await clock.sleep(20_000, signal)
          return job('completed')
        },
        clock,
        cancel: cancel.signal,
        random: () => 0,
        pollIntervalMs: undefined,
        timeoutMs: 60_000,
        wait: true,
        onEvent: () => undefined,
      },
    )
    expect(end).toMatchObject({ end: 'cancelled', job: { status: 'reviewing' } })
    expect(clock.now() - startedAtMs).toBe(atMs)
    expect(polls).toEqual(pollsAtS)
  })
})

describe('after a message', () => {
  const watched = (status: string): Partial<WatchedJob> => ({
    job: job(status),
    created: false,
    isOver: afterMessage(),
  })

  it.each([
    ['was active in the answer to the message', 'active', ['completed'], 5],
    ['was active since', 'completed', ['completed', 'active', 'completed'], 15],
    ['shows another word first', 'completed', ['reviewing', 'failed'], 10],
    ['has stayed the same for 30 s', 'completed', ['completed'], 30],
    ['changed its end and stayed so for 30 s', 'completed', ['completed', 'failed'], 40],
  ])('a terminal status is believed once the job %s', async (_when, status, script, overAtS) => {
    const { end, elapsedS } = await poll(script, watched(status))
    expect(end).toMatchObject({ end: 'over', job: { status: script.at(-1) } })
    expect(elapsedS).toBe(overAtS)
  })

  it('one that nobody has seen for 30 s is not believed because a poll was cut', async () => {
    const script: Script = ['completed', 'completed', { shows: 'completed', takesMs: 20_000 }]
    const { end } = await poll(script, watched('completed'), { timeoutMs: 28_000, pollIntervalMs: 12_000 })
    expect(end.end).toBe('timed-out')
  })

  it('one that is not believed yet at the deadline is a timeout', async () => {
    const { end } = await poll(['completed'], watched('completed'), { timeoutMs: 20_000 })
    expect(end).toMatchObject({ end: 'timed-out', job: { status: 'completed' } })
  })
})

describe('what is reported', () => {
  it('is each change of status, and one warning for each unknown word', async () => {
    const script = ['active', 'reviewing', 'reviewing', 'active', 'reviewing', 'waiting', 'completed']
    const { events } = await poll(script)
    expect(events.map((event) => ('status' in event ? [event.type, event.status] : [event.type]))).toEqual([
      ['status', 'active'],
      ['status', 'reviewing'],
      ['unknown-status', 'reviewing'],
      ['status', 'active'],
      ['status', 'reviewing'],
      ['status', 'waiting'],
      ['unknown-status', 'waiting'],
      ['status', 'completed'],
    ])
  })

  it('is one warning for each field of a wrong type', async () => {
    const odd = job('active', { model: 7, prLink: [] })
    const { events } = await poll(['active', 'completed'], { job: odd })
    expect(events.filter(({ type }) => type === 'invalid-field')).toMatchObject([
      { id: 'j1', field: 'prLink' },
      { id: 'j1', field: 'model' },
    ])
  })

  it.each([
    ['good', ['active'], {}],
    ['good but slow', [{ shows: 'active', takesMs: 29_000 }], { pollIntervalMs: 59_000 }],
    ['so slow that each takes a minute and more', [{ shows: 'active', takesMs: 100_000 }], {}],
    ['far apart', ['active'], { pollIntervalMs: 290_000 }],
    ['failing', [{ shows: lost, takesMs: 29_000 }], {}],
    ['refused for long', [answered(429, 280_000)], {}],
  ] as const)('leaves no gap of more than a minute while polls are %s', async (_what, script, options) => {
    const { events } = await poll(script, {}, { timeoutMs: 590_000, ...options })
    const times = events.map(({ atS }) => atS)
    const gaps = [...times, 590].map((atS, index) => atS - (times[index - 1] ?? 0))
    expect(times.length).toBeGreaterThanOrEqual(10)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(60)
  })

  it('is a sign of life a minute after the last change, and none before', async () => {
    const script = ['reviewing', 'reviewing', 'completed']
    const { events } = await poll(script, {}, { pollIntervalMs: 50_000 })
    expect(events.filter(({ type }) => type === 'still-waiting')).toMatchObject([
      { id: 'j1', status: 'reviewing', elapsedMs: 110_000, atS: 110 },
    ])
  })

  it('is when the next poll comes after one that failed, the cut at the deadline included', async () => {
    const { events } = await poll([answered(503, 600_000), 'completed'], {}, { timeoutMs: 15_000 })
    expect(events.filter(({ type }) => type === 'poll-failed')).toMatchObject([
      { id: 'j1', retryInMs: 10_000, atS: 5 },
    ])
  })
})
