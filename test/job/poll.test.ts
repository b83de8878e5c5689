import { describe, expect, it } from 'vitest'
import { type PollEnd, pollJob, type Watch } from '../../src/job/poll.ts'
import { type Job, readJob } from '../../src/service/job.ts'
import { type JobScene, jobSceneStarter, type Reply, type SceneOptions } from './scene.ts'

const startScene = jobSceneStarter()

type PollOptions = SceneOptions &
  Partial<Pick<Watch, 'origin'>> & {
    readonly timeoutS?: number
    /** Status that the service has just shown; `null` for another run's job, which was not looked at yet. */
    readonly shown?: string | null
    readonly job?: Job | undefined
    /** How long ago the job was created. */
    readonly ageS?: number
  }

type Polled = { readonly scene: JobScene; readonly end: PollEnd; readonly atS: readonly number[] }

/** Polls a job that was just created, without jitter, against replies of which the last goes on for ever. */
async function poll(get: readonly Reply[], options: PollOptions = {}): Promise<Polled> {
  const { shown = 'active', timeoutS = 3600, ageS = 0, origin = 'created', ...others } = options
  const scene = await startScene({ get, random: () => 0, ...others })
  const { clock, run, service } = scene
  const startedAtMs = clock.now() - ageS * 1000
  const job = shown === null ? undefined : (options.job ?? readJob({ id: 'j1', status: shown }))
  const watch = { id: 'j1', job, origin, startedAtMs, deadlineMs: clock.now() + timeoutS * 1000 }
  const end = await pollJob(watch, service, run)
  return { scene, end, atS: scene.calls.map((call) => Number.parseFloat(call)) }
}

const attached = { origin: 'attached', shown: null } as const
const lost: Reply = { breaks: 'before' }
const noJob: Reply = { body: '[]' }
const answered = (status: number, retryAfter?: string): Reply => ({
  status,
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
})
const slow = (status: string, takesMs: number): Reply => ({ body: { status }, takesMs })
const inputs = (pollInterval: string): SceneOptions => ({ inputs: { 'poll-interval': pollInterval } })

/** How polling ended, the job's status, the times of the looks, and of the end: `finished completed: 5, 8; 8 s`. */
async function told(get: readonly Reply[], options: PollOptions = {}): Promise<string> {
  const { end, atS, scene } = await poll(get, options)
  return `${end.end} ${end.job?.status}: ${atS.join(', ')}; ${scene.elapsedS()} s`
}

/** Seconds between one look and the next, the first counted from the start. */
function pausesOf({ atS }: Polled): number[] {
  return atS.map((time, index) => Math.round((time - (atS[index - 1] ?? 0)) * 1000) / 1000)
}

describe('the pause between looks', () => {
  it.each([
    [5, 0, 5],
    [5, 1, 6],
    [250, 0, 5],
    [250, 0.5, 5.5],
    [300, 0, 6],
    [500, 0, 10],
    [500, 1, 12],
    [750, 0, 15],
    [750, 1, 18],
    [100_000, 0, 15],
    [100_000, 1, 18],
  ])('%d s after the create, with jitter drawn at %d, is %d s', async (lookAtS, random, pauseS) => {
    const polled = await poll(['active', 'completed'], { ageS: lookAtS - 5, random: () => random })
    expect(pausesOf(polled)).toEqual([5, pauseS])
  })

  it('is as given with a poll interval, without jitter', async () => {
    const options = { ...inputs('500ms'), random: () => 0.9 }
    expect(await told(['active', 'active', 'completed'], options)).toBe(
      'finished completed: 0.5, 1, 1.5; 1.5 s',
    )
  })

  it('is as long as a 429 or 503 says, else a minute after a 429, each time anew', async () => {
    const said = [answered(429, '7'), 'active', answered(503, '100'), 'completed']
    expect(await told(said)).toBe('finished completed: 5, 12, 17, 117; 117 s')
    const script = [answered(429), answered(429), 'active', 'completed']
    expect(pausesOf(await poll(script))).toEqual([5, 60, 60, 5])
    expect(pausesOf(await poll(script, inputs('2s')))).toEqual([2, 60, 60, 2])
    expect(pausesOf(await poll(script, inputs('2m')))).toEqual([120, 60, 60, 120])
  })

  it('grows while looks fail, up to 30 s', async () => {
    const script = [lost, answered(500), noJob, answered(503, '0'), lost, 'active', 'completed']
    const polled = await poll(script, { random: () => 0.5 })
    expect(pausesOf(polled)).toEqual([5, 5.5, 11, 22, 30, 30, 5.5])
    expect(pausesOf(await poll(script, { ...inputs('40s'), random: () => 0.5 }))).toEqual(Array(7).fill(40))
  })

  it('does not come before the first look at another run’s job, nor after the end', async () => {
    expect(await told(['completed'], attached)).toBe('finished completed: 0; 0 s')
    expect(await told([], { shown: 'failed' })).toBe('finished failed: ; 0 s')
  })
})

describe('at the deadline', () => {
  it.each([
    ['the pause would reach past it', {}, 8, [5, 8]],
    ['the first pause is as long', {}, 5, [5]],
    ['the first pause would be longer', {}, 3, [3]],
    ['the poll interval would reach past it', inputs('6s'), 10, [6, 10]],
    ['the look before was a moment ago', inputs('4900ms'), 5, [4.9, 5]],
  ])('comes a last look where %s', async (_where, options, timeoutS, atS) => {
    const times = `${atS.join(', ')}; ${timeoutS} s`
    expect(await told(['active'], { ...options, timeoutS })).toBe(`timed-out active: ${times}`)
    const script = [...atS.slice(1).map(() => 'active'), 'completed']
    expect(await told(script, { ...options, timeoutS })).toBe(`finished completed: ${times}`)
  })

  it('the last look, or one in flight, may take 5 s more, and is then cut', async () => {
    expect(await told([slow('completed', 4900)], { timeoutS: 3 })).toBe('finished completed: 3; 7.9 s')
    expect(await told([slow('completed', 5100)], { timeoutS: 3 })).toBe('timed-out active: 3; 8 s')
    expect(await told([slow('completed', 4000)], { timeoutS: 8 })).toBe('finished completed: 5; 9 s')
    expect(await told([slow('active', 4000)], { timeoutS: 8 })).toBe('timed-out active: 5; 9 s')
    expect(await told([{ status: 503, takesMs: 4000 }], { timeoutS: 8 })).toBe('timed-out active: 5; 9 s')
  })

  it.each([401, 403, 302, 404, 410])('a last look answered %d is an error with its cause', async (status) => {
    const { end } = await poll([answered(status)], { origin: 'attached', timeoutS: 3 })
    expect(end).toMatchObject({ end: 'refused', error: { status } })
  })

  it('a last look that fails otherwise is a timeout that knows why', async () => {
    const { end } = await poll([answered(503)], { timeoutS: 3 })
    expect(end).toMatchObject({ end: 'timed-out', error: { headline: 'The docs service failed (503)' } })
    expect((await poll([lost], { timeoutS: 3 })).end).toMatchObject({ error: { failure: 'broken' } })
  })

  it.each([
    ['429', answered(429, '3600')],
    ['429 without it', answered(429)],
    ['503', answered(503, '3600')],
    ['503 of 400 digits', answered(503, '9'.repeat(400))],
  ])('a Retry-After past it is cut there: the last look still comes after a %s', async (_what, reply) => {
    expect(await told([reply, 'completed'], { timeoutS: 60 })).toBe('finished completed: 5, 60; 60 s')
    expect(await told([reply], { timeoutS: 60 })).toBe('timed-out active: 5, 60; 60 s')
  })

  it('one look comes where it has passed, unless the job was accepted after it', async () => {
    expect(await told(['completed'], { timeoutS: -10, ageS: 20 })).toBe('finished completed: 0; 0 s')
    expect(await told(['completed'], { timeoutS: -10, ageS: 10 })).toBe('timed-out active: ; 0 s')
  })
})

describe('looks that fail', () => {
  it.each<[string, Reply]>([
    ['lost', lost],
    ['500', answered(500)],
    ['429', answered(429)],
    ['408', answered(408)],
    ['no job', noJob],
    ['another job', { body: { id: 'j2', status: 'completed' } }],
  ])('are no end: nothing but %s is a timeout', async (_what, reply) => {
    const { end, scene } = await poll([reply], { timeoutS: 7200 })
    expect(end).toMatchObject({ end: 'timed-out', job: { status: 'active' }, error: expect.any(Error) })
    expect(scene.elapsedS()).toBe(7200)
    const { end: later } = await poll([...Array<Reply>(50).fill(reply), 'completed'], { timeoutS: 7200 })
    expect(later).toMatchObject({ end: 'finished', error: undefined })
  })

  it.each([401, 402, 403, 301, 307, 400, 410])('with %d end the wait at once', async (status) => {
    const { end, atS } = await poll(['active', answered(status), 'completed'])
    expect(end).toMatchObject({ end: 'refused', job: { status: 'active' }, error: { status } })
    expect(atS).toHaveLength(2)
  })

  it('with 404 do so later than 60 s after the create, and for any other job', async () => {
    const once = [answered(404), 'completed']
    expect(await told(once, inputs('60s'))).toBe('finished completed: 60, 120; 120 s')
    expect(await told(once, inputs('60100ms'))).toBe('refused active: 60.1; 60.1 s')
    expect(await told(once, attached)).toBe('refused undefined: 0; 0 s')
    expect(await told(once, { origin: 'messaged' })).toBe('refused active: 5; 5 s')
  })
})

it('a run that does not wait looks once at another run’s job, again only where that fails, and at no new one', async () => {
  const wait = { inputs: { wait: 'false' } }
  expect(await told(['active'], { ...attached, ...wait })).toBe('running active: 0; 0 s')
  expect(await told([lost, 'completed'], { ...attached, ...wait })).toBe('finished completed: 0, 5; 5 s')
  expect(await told([], wait)).toBe('running active: ; 0 s')
  expect(await told([], { ...wait, shown: 'completed' })).toBe('finished completed: ; 0 s')
})

it.each([
  ['in a pause', 3000, 'cancelled reviewing: ; 3 s'],
  ['during a look', 6000, 'cancelled reviewing: 5; 6 s'],
  ['before', 0, 'cancelled reviewing: ; 0 s'],
])('a cancel %s ends the wait at once, with the last known status', async (_when, cancelAtMs, end) => {
  expect(await told([slow('completed', 20_000)], { shown: 'reviewing', cancelAtMs })).toBe(end)
})

describe('after a message', () => {
  const messaged = (shown: string): PollOptions => ({ origin: 'messaged', shown, ...inputs('5s') })

  it.each([
    ['was active in the response to the message', 'active', ['completed'], 'finished completed: 5; 5 s'],
    ['was active since', 'completed', ['completed', 'active', 'failed'], 'finished failed: 5, 10, 15; 15 s'],
    ['showed another word first', 'completed', ['reviewing', 'failed'], 'finished failed: 5, 10; 10 s'],
    ['stayed so for 30 s', 'completed', ['completed'], 'finished completed: 5, 10, 15, 20, 25, 30; 30 s'],
    ['changed its end', 'failed', ['archived'], 'finished archived: 5, 10, 15, 20, 25, 30, 35; 35 s'],
  ])('a terminal status is believed once the job %s', async (_when, shown, script, end) => {
    expect(await told(script, messaged(shown))).toBe(end)
  })

  it('a look that failed or was cut is no proof that the status stayed', async () => {
    const failing = { ...messaged('completed'), timeoutS: 31 }
    expect(await told([lost], failing)).toBe('timed-out completed: 5, 10, 19, 31; 31 s')
    const cut = ['completed', 'completed', slow('completed', 20_000)]
    const options = { ...messaged('completed'), ...inputs('12s'), timeoutS: 28 }
    expect(await told(cut, options)).toBe('timed-out completed: 12, 24, 28; 33 s')
  })

  it('one that is not believed yet is a timeout at the deadline, and "running" to a run that does not wait', async () => {
    const options = { ...messaged('completed'), timeoutS: 20 }
    expect(await told(['completed'], options)).toBe('timed-out completed: 5, 10, 15, 20; 20 s')
    expect(await told([], { ...options, inputs: { wait: 'false' } })).toBe('running completed: ; 0 s')
  })
})

describe('the log', () => {
  it('names the job at each change of status, and warns once for each unknown word', async () => {
    const { scene } = await poll(['active', 'reviewing', 'reviewing', 'active', 'reviewing', '', 'completed'])
    expect(scene.log).toEqual([
      'Job j1 is active (after 0 ms).',
      'Job j1 is reviewing (after 10 s).',
      'warning: Job j1 has a status that this version does not know: "reviewing". It counts as not finished yet.',
      'Job j1 is active (after 20 s).',
      'Job j1 is reviewing (after 25 s).',
      'Job j1 is  (after 30 s).',
      'warning: Job j1 has a status that this version does not know: "". It counts as not finished yet.',
      'Job j1 is completed (after 35 s).',
    ])
    expect(scene.outputs).toEqual({ status: 'completed' })
  })

  it('warns once for each field of a wrong type', async () => {
    const odd = readJob({ id: 'j1', status: 'active', model: 7, prLink: [] })
    const { scene } = await poll([{ body: { model: 7 } }, 'completed'], { job: odd })
    expect(scene.log.filter((line) => line.startsWith('warning'))).toEqual([
      'warning: Job j1: the field prLink has an unexpected type and counts as absent.',
      'warning: Job j1: the field model has an unexpected type and counts as absent.',
    ])
  })

  it('says of a look that failed why, and when the next one comes, the cut at the deadline included', async () => {
    const { scene } = await poll([answered(503, '600'), 'completed'], { timeoutS: 15 })
    expect(scene.log).toContain(
      'Failed to look at job j1. The docs service failed (503). The docs service answered the request to get the job without a reason. The cause is the service or a proxy in front of it, not this workflow. Next look in 10 s.',
    )
  })

  it('has a sign of life a minute after the last line, which says so if looks fail, and none before', async () => {
    const { scene } = await poll(['reviewing', 'reviewing', 'completed'], inputs('50s'))
    expect(scene.timedLog.filter(({ line }) => line.startsWith('Still'))).toEqual([
      { atS: 110, line: 'Still waiting for job j1 after 1 min 50 s; its status is reviewing.' },
    ])
    const failing = await poll([answered(503, '100'), 'completed'], attached)
    expect(failing.scene.log).toContain(
      'Still waiting for job j1 after 1 min; its status is not known yet. The last look failed: The docs service failed (503).',
    )
  })

  it.each<[string, Reply, PollOptions]>([
    ['good', 'active', {}],
    ['so slow that each takes more than a minute', slow('active', 100_000), {}],
    ['far apart', 'active', inputs('290s')],
    ['failing', { status: 500, takesMs: 29_000 }, {}],
    ['refused for long', answered(429, '280'), {}],
  ])('is never silent for more than a minute while looks are %s', async (_what, reply, options) => {
    const { scene } = await poll([reply], { timeoutS: 590, ...options })
    const times = scene.timedLog.map(({ atS }) => atS)
    const gaps = [...times, 590].map((atS, index) => atS - (times[index - 1] ?? 0))
    expect(times.length).toBeGreaterThanOrEqual(9)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(60)
  })

  it('is silent once the wait is over', async () => {
    const { scene } = await poll(['completed'])
    const lines = scene.log.length
    await scene.clock.sleep(600_000)
    expect(scene.log).toHaveLength(lines)
  })
})
