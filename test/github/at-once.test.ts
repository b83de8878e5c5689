import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { pullRequest } from './events.ts'
import { type LoopbackGitHub, startGitHub } from './github.ts'
import {
  commandOn,
  pushed,
  type SimulatedEnd,
  type SimulatedRun,
  type Simulation,
  startSimulation,
} from './simulated-runs.ts'

const open: Simulation[] = []
let github: LoopbackGitHub
beforeAll(async () => {
  github = await startGitHub()
})
afterEach(async () => {
  expect(github.violations).toEqual([])
  await Promise.all(open.splice(0).map((simulation) => simulation.close()))
})
afterAll(() => github.close())

/** A simulation in which the way of each request, and that of each answer, takes so many milliseconds. */
async function newSimulation(latencyMs = 200): Promise<Simulation> {
  const simulation = await startSimulation(github, { latencyMs: () => latencyMs })
  open.push(simulation)
  return simulation
}

type Said = Partial<SimulatedRun> & { readonly body?: string; readonly atMs?: number }

/** People write comments on pull request 5, and a run answers each. */
async function say(simulation: Simulation, ...all: readonly Said[]): Promise<readonly SimulatedEnd[]> {
  const runs = all.map(async ({ body = '', atMs = 0, ...run }, index) => {
    await simulation.clock.sleep(atMs)
    const event = run.event ?? commandOn(simulation, body)
    return await simulation.run({ runId: 1000 + index, ...run, event })
  })
  return await simulation.clock.runUntil(Promise.all(runs))
}

/** What the service got, job by job. */
const received = ({ docs }: Simulation) => docs.jobs.map(({ prompt, messages }) => [prompt, ...messages])

describe('two commands at once', () => {
  it.each([
    [0, 200],
    [300, 200],
    [1500, 1500],
  ])('make one job, the second %i ms after the first, where a way takes %i ms', async (atMs, latencyMs) => {
    const simulation = await newSimulation(latencyMs)
    const [, second] = await say(simulation, { body: '/docs one' }, { body: '/docs two', atMs })
    expect(received(simulation)).toEqual([['one', 'two']])
    expect(second?.log.join('\n')).toContain(
      'Waiting for the job of an earlier command: https://github.com/acme/docs',
    )
    expect(github.world.reactions.map(({ content }) => content)).toEqual(['rocket', 'rocket'])
  })

  it('and a third make one job, in their order', async () => {
    const simulation = await newSimulation()
    await say(
      simulation,
      { body: '/docs one' },
      { body: '/docs two', atMs: 100 },
      { body: '/docs three', atMs: 200 },
    )
    expect(received(simulation)).toEqual([['one', 'two', 'three']])
  })

  it('make two where the second says `new`, which waits for nobody', async () => {
    const simulation = await newSimulation()
    const [, second] = await say(simulation, { body: '/docs one' }, { body: '/docs new two', atMs: 100 })
    expect(received(simulation).toSorted()).toEqual([['one'], ['two']])
    expect(second?.log.join('\n')).not.toContain('Waiting for the job')
  })

  it('make a job of the second where that of the first is refused', async () => {
    const simulation = await newSimulation()
    simulation.docs.faults.add({ kind: 'status', status: 400, match: { path: 'create' } })
    await say(simulation, { body: '/docs one' }, { body: '/docs two', atMs: 100 })
    expect(received(simulation)).toEqual([['two']])
  })

  it('make a job of the second where the first is cancelled before it has one', async () => {
    const simulation = await newSimulation()
    await say(simulation, { body: '/docs one', cancelAfterMs: 500 }, { body: '/docs two', atMs: 100 })
    expect(received(simulation)).toEqual([['two']])
  })

  it('make a job of the second where the first is killed before it has one', async () => {
    const simulation = await newSimulation()
    await say(simulation, { body: '/docs one', killAfterMs: 900 }, { body: '/docs two', atMs: 100 })
    expect(received(simulation)).toEqual([['two']])
    expect(github.world.reactions.map(({ content }) => content)).toEqual(['confused', 'rocket'])
  })

  it('make two jobs where the first has none after a minute', async () => {
    const simulation = await newSimulation()
    // The service refuses the first for a while, as too many, and takes the second.
    const later = { 'retry-after': '90' }
    simulation.docs.faults.add({ kind: 'status', status: 429, headers: later, match: { path: 'create' } })
    const [first, second] = await say(simulation, { body: '/docs one' }, { body: '/docs two', atMs: 100 })
    expect(received(simulation)).toEqual([['two'], ['one']])
    expect([first, second].map((end) => end?.outputs['result'])).toEqual(['pull-request', 'pull-request'])
  })

  it('do not wait for a reply that a run left pending long ago', async () => {
    const simulation = await newSimulation()
    await say(simulation, { body: '/docs one', killAfterMs: 60_000 })
    const reply = github.world.comments[1]
    if (reply === undefined) throw new Error('There is no reply.')
    reply.history.push(reply.history[0] ?? '')
    reply.updatedAt = new Date(github.world.now() - 700_000).toISOString()
    const [second] = await say(simulation, { body: '/docs two', runId: 2000 })
    expect(second?.log.join('\n')).not.toContain('Waiting for the job')
    expect(received(simulation)).toEqual([['one'], ['two']])
  })

  it('on different pull requests make two jobs', async () => {
    const simulation = await newSimulation()
    github.world.pulls.set(6, { state: 'open' })
    await say(simulation, { body: '/docs one' }, { event: commandOn(simulation, '/docs two', 6) })
    expect(received(simulation)).toEqual([['one'], ['two']])
  })
})

describe('two runs that write the same comment at once', () => {
  /** What our comments on a pull request say now, without their markers. */
  const texts = (number: number): string[] =>
    github.world.comments
      .filter((comment) => comment.number === number)
      .map(({ history }) => history.at(-1)?.replace(/^<!--.*-->\n/, '') ?? '')

  it('leave one status comment, which shows the later run, whichever ends last', async () => {
    const simulation = await newSimulation()
    const always = (words: string) => ({ prompt: `Document it. ${words}`, comment: 'always' })
    const [older] = await say(
      simulation,
      { event: pullRequest(), inputs: always('[agent: no-change] [agent: takes 60s]') },
      { event: pullRequest(), inputs: always('') },
    )
    expect(github.world.deleted).toHaveLength(1)
    expect(texts(5)).toEqual([expect.stringMatching(/^✅ \*\*Pull request ready for review/)])
    expect(older?.outputs['result']).toBe('no-pull-request')
    expect(older?.log.join('\n')).toContain('A later run has written the comment since')
  })

  it('leave one announcement, which counts both', async () => {
    const simulation = await newSimulation()
    const first = { prompt: 'Document it.', comment: 'never' }
    const [started] = await say(simulation, {
      event: pushed(),
      inputs: first,
    })
    const attach = { 'job-id': started?.outputs['job-id'] ?? '' }
    await say(simulation, { event: pushed(), inputs: attach }, { event: pushed(), inputs: attach })
    expect(texts(1)).toEqual([expect.stringContaining('It has been asked 2 times by now')])
  })
})

describe('a command that is run again', () => {
  it('and then cancelled leaves one reaction', async () => {
    const simulation = await newSimulation()
    const event = commandOn(simulation, '/docs one')
    await say(simulation, { event })
    const again = { event, attempt: 2 }
    for (const cancelAfterMs of [300, 500, 900, 1300, 1700, 2100])
      await say(simulation, { ...again, cancelAfterMs })
    expect(github.world.reactions.map(({ content }) => content)).toEqual(['confused'])
    expect(received(simulation)).toEqual([['one']])
  })
})

describe('fifty pushes while the pull request is open', () => {
  it('make one job and one pull request, and after its merge one new job', async () => {
    const simulation = await newSimulation()
    const { clock, docs } = simulation
    let runId = 1000
    let pushes = 0
    // As GitHub's `concurrency`: one run at work and one that waits, which the next push takes the place of.
    let waiting = 0
    let isBusy = false
    async function pushOnce(): Promise<void> {
      waiting = ++pushes
      const ours = waiting
      while (isBusy && waiting === ours) await clock.sleep(1000)
      if (waiting !== ours) return
      isBusy = true
      runId += 1
      await simulation.run({ event: pushed(), runId, inputs: { prompt: `Document push ${ours}.` } })
      isBusy = false
    }
    async function pushOften(): Promise<void> {
      const all: Promise<void>[] = []
      for (let i = 0; i < 50; i++) {
        all.push(pushOnce())
        await clock.sleep(7000)
      }
      await Promise.all(all)
    }
    await clock.runUntil(pushOften())
    expect(docs.jobs.map(({ pull }) => pull?.number)).toEqual([1])
    const messages = docs.jobs[0]?.messages ?? []
    expect(messages.length).toBeGreaterThan(5)
    expect(messages.length).toBeLessThanOrEqual(49)
    expect(messages.at(-1)).toBe('Document push 50.')

    await docs.mergePull(1)
    await clock.runUntil(pushOften())
    expect(docs.jobs.map(({ pull }) => pull?.number)).toEqual([1, 2])
    expect(docs.jobs[0]?.messages).toHaveLength(messages.length)
  })
})
