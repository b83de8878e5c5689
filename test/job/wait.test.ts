import { describe, expect, it } from 'vitest'
import { afterMessage, trusting } from '../../src/job/completion.ts'
import { type Awaited, pollJob, type WaitEnd, type WaitOptions } from '../../src/job/poll.ts'
import type { JobEvent } from '../../src/job/progress.ts'
import { TransportError } from '../../src/lib/transport-error.ts'
import { type Job, readJob } from '../../src/service/job.ts'
import { ServiceError } from '../../src/service/service-error.ts'
import { VirtualClock } from '../lib/virtual-clock.ts'

/** What each look sees: a status, or an error; the last one goes on for ever. */
type Script = readonly (string | Error)[]

type Waited = {
  readonly end: WaitEnd
  readonly looksAtS: number[]
  readonly events: JobEvent[]
  readonly elapsedS: number
}

function job(status: string): Job {
  const read = readJob({ id: 'j1', status, prLink: null })
  if (read === undefined) throw new Error('no job')
  return read
}

async function wait(
  script: Script,
  awaited: Partial<Awaited> = {},
  options: Partial<WaitOptions> = {},
): Promise<Waited> {
  const clock = new VirtualClock()
  const startedAtMs = clock.now()
  const looksAtS: number[] = []
  const events: JobEvent[] = []
  const end = await pollJob(
    {
      job: job('active'),
      startedAtMs,
      firstAnswerAtMs: startedAtMs,
      created: true,
      belief: trusting,
      ...awaited,
    },
    {
      look: async () => {
        const seen = script[Math.min(looksAtS.length, script.length - 1)] ?? 'active'
        looksAtS.push((clock.now() - startedAtMs) / 1000)
        if (seen instanceof Error) throw seen
        return job(seen)
      },
      clock,
      cancel: new AbortController().signal,
      pace: { pollIntervalMs: undefined, random: () => 0.5 },
      timeoutMs: 1_800_000,
      untilOver: true,
      onEvent: (event) => events.push(event),
      ...options,
    },
  )
  return { end, looksAtS, events, elapsedS: (clock.now() - startedAtMs) / 1000 }
}

function answered(status: number, retryAfterMs?: number): ServiceError {
  const call = {
    method: 'GET',
    path: [],
    purpose: 'look at the job',
    notFound: 'Not found.',
    limit: 'none',
  } as const
  return new ServiceError(call, { status, json: undefined, text: '', exact: undefined, retryAfterMs })
}

const lost = new TransportError('the connection broke off', { failure: 'broken-off', maybeSent: true })

describe('the pace', () => {
  it('begins with 2 s, then is 2 % of the age between 2 s and 10 s', async () => {
    const { looksAtS } = await wait(['active'])
    const pauses = looksAtS.map((atS, index) => atS - (looksAtS[index - 1] ?? 0))
    expect(pauses.slice(0, 20)).toEqual(Array(20).fill(2))
    expect(pauses.at(-1)).toBeCloseTo(10)
    for (const [index, pause] of pauses.entries()) {
      const ageS = looksAtS[index - 1] ?? 0
      expect(pause).toBeCloseTo(Math.min(10, Math.max(2, ageS * 0.02)), 5)
    }
  })

  it('is as given with a poll interval', async () => {
    const pace = { pollIntervalMs: 500, random: () => 0.5 }
    const { looksAtS } = await wait(['active', 'active', 'completed'], {}, { pace })
    expect(looksAtS).toEqual([0.5, 1, 1.5])
  })

  it('doubles for good with each 429, which waits as long as it says', async () => {
    const script = [answered(429, 7000), 'active', 'active', 'completed']
    const { looksAtS } = await wait(script)
    expect(looksAtS).toEqual([2, 9, 13, 17])
  })

  it('looks at an attached job at once', async () => {
    const { looksAtS, end } = await wait(['completed'], {
      job: undefined,
      firstAnswerAtMs: undefined,
      created: false,
    })
    expect(looksAtS).toEqual([0])
    expect(end.end).toBe('over')
  })
})

describe('the end', () => {
  it('comes at the deadline, not later, whatever the pause', async () => {
    const { end, elapsedS } = await wait(['active'], {}, { timeoutMs: 5000 })
    expect(end).toMatchObject({ end: 'timed-out', job: { status: 'active' } })
    expect(elapsedS).toBe(5)
  })

  it('is counted from the first answer, not from the start', async () => {
    const script = [lost, lost, 'active']
    const { elapsedS } = await wait(
      script,
      { job: undefined, firstAnswerAtMs: undefined, created: false },
      { timeoutMs: 20_000 },
    )
    expect(elapsedS).toBeCloseTo(6 + 20, 0)
  })

  it.each([[lost], [answered(500)], [answered(429)], [answered(408)]])(
    'comes after ten minutes of nothing but %s',
    async (error) => {
      const { end, elapsedS } = await wait([error])
      expect(end).toMatchObject({
        end: 'given-up',
        reason: expect.stringContaining('10 min'),
      })
      expect(elapsedS).toBeGreaterThanOrEqual(600)
      expect(elapsedS).toBeLessThan(605)
    },
  )

  it('is not that looks are far apart', async () => {
    const pace = { pollIntervalMs: 900_000, random: () => 0.5 }
    const { end, looksAtS } = await wait(['active', 'completed'], {}, { pace, timeoutMs: 3_600_000 })
    expect(end.end).toBe('over')
    expect(looksAtS).toEqual([900, 1800])
  })

  it('is not that many looks in between were too many', async () => {
    const script = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? answered(429) : 'active'))
    const { end } = await wait([...script, 'completed'], {}, { timeoutMs: 36_000_000 })
    expect(end.end).toBe('over')
  })

  it('comes at once where the service wants to be asked only after it', async () => {
    const { end, elapsedS } = await wait([answered(503, 3_600_000)], {}, { timeoutMs: 300_000 })
    expect(end).toMatchObject({ end: 'timed-out', reason: expect.stringContaining('503') })
    expect(elapsedS).toBe(2)
  })

  it('is no 404 within a minute of the create, and a 404 later', async () => {
    const early = await wait([answered(404), answered(404), 'completed'])
    expect(early.end.end).toBe('over')
    const late = await wait([answered(404)])
    expect(late.end.end).toBe('given-up')
    expect(late.elapsedS).toBeGreaterThanOrEqual(60)
    expect(late.elapsedS).toBeLessThan(75)
  })

  it('is the first good look for a run that does not wait', async () => {
    const { end, looksAtS } = await wait(
      [lost, 'active'],
      { job: undefined, created: false },
      { untilOver: false },
    )
    expect(end).toMatchObject({ end: 'submitted', job: { status: 'active' } })
    expect(looksAtS).toHaveLength(2)
  })
})

describe('after a message', () => {
  it.each([
    ['was seen at work', ['completed', 'active', 'completed'], 6],
    ['shows another word first', ['completed', 'reviewing', 'completed'], 6],
    ['has stayed the same for 30 s', ['completed'], 30],
    ['changed its end and stayed so for 30 s', ['completed', 'failed'], 34],
  ])('a terminal status is believed once the job %s', async (_when, script, overAtS) => {
    const { end, elapsedS } = await wait(script, {
      job: job('completed'),
      created: false,
      belief: afterMessage(),
    })
    expect(end.end).toBe('over')
    expect(elapsedS).toBe(overAtS)
  })
})

describe('what is told', () => {
  it('is each change once, an unknown word once, and a sign of life every minute', async () => {
    const script = [...Array(60).fill('active'), 'reviewing', 'reviewing', 'active', 'reviewing', 'completed']
    const { events } = await wait(script)
    const told = events.map((event) => (event.type === 'status' ? event.status : event.type))
    expect(told.filter((what) => what === 'unknown-status')).toHaveLength(1)
    expect(told.filter((what) => what === 'still-waiting').length).toBeGreaterThanOrEqual(2)
    expect(events.filter(({ type }) => type === 'status')).toHaveLength(5)
    const times = events.flatMap((event) => ('elapsedMs' in event ? [event.elapsedMs] : []))
    const gaps = times.map((atMs, index) => atMs - (times[index - 1] ?? 0))
    expect(Math.max(...gaps)).toBeLessThanOrEqual(60_000)
  })
})
