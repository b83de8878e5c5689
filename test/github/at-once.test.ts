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

describe('one comment of a kind', () => {
  const always = { prompt: 'Document it.', comment: 'always' }
  const slow = { ...always, prompt: 'Document it. [agent: no-change] [agent: takes 60s]' }

  /** Two runs for pull request 5, the second later by so many milliseconds. */
  async function runTwo(simulation: Simulation, laterMs: number): Promise<readonly SimulatedEnd[]> {
    const event = pullRequest()
    return await say(
      simulation,
      { event, runId: 1001, inputs: slow },
      { event, runId: 1002, inputs: always, atMs: laterMs },
    )
  }

  /** What the comments on pull request 5 say now: their first lines. */
  const statuses = (): (string | undefined)[] =>
    github.world.comments
      .filter(({ number }) => number === 5)
      .map(({ history }) => history.at(-1)?.split('\n')[1])

  it('is left where two runs write it at once, and shows the later run', async () => {
    const simulation = await newSimulation()
    const before = github.requests.length
    const [older, newer] = await runTwo(simulation, 0)
    expect([older, newer].map((end) => end?.outputs['result'])).toEqual(['no-pull-request', 'pull-request'])
    const requests = github.requests.slice(before).filter((line) => !line.startsWith('GET'))
    expect(requests.slice(0, 2)).toEqual(['POST /issues/5/comments', 'POST /issues/5/comments'])
    expect(requests.filter((line) => line.startsWith('DELETE'))).toHaveLength(1)
    expect(statuses()).toEqual([expect.stringContaining('✅ **Pull request ready for review')])
    expect(older?.log.join('\n')).toContain('A later run has written the comment since')
  })

  it('is left alone by an older run, which reads it again right before each edit', async () => {
    const simulation = await newSimulation()
    const [older, newer] = await runTwo(simulation, 10_000)
    expect([older, newer].map((end) => end?.outputs['result'])).toEqual(['no-pull-request', 'pull-request'])
    expect(statuses()).toEqual([expect.stringContaining('✅ **Pull request ready for review')])
  })

  it('announces a pull request, though two runs write it at once', async () => {
    const simulation = await newSimulation()
    const [first] = await say(simulation, {
      event: pushed(),
      inputs: { prompt: 'Document it.', comment: 'never' },
    })
    const attach = { 'job-id': first?.outputs['job-id'] ?? '' }
    await say(
      simulation,
      { event: pushed(), runId: 1002, inputs: attach },
      { event: pushed(), runId: 1003, inputs: attach },
    )
    const announced = github.world.comments.filter(({ number }) => number === 1)
    expect(announced).toHaveLength(1)
    expect(announced[0]?.history.at(-1)).toContain('It has been asked 2 times by now')
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
