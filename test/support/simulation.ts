import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { startDocsService } from '../../docs-service/service.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { HttpClient } from '../../src/lib/http.ts'
import type { Markdown } from '../../src/lib/markdown.ts'
import { runMain, runPost } from '../../src/main.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import type { OutputValues } from '../../src/runner/outputs.ts'
import { Run } from '../../src/runner/run.ts'
import { VirtualClock } from './clock.ts'
import type { Event } from './events.ts'
import { startGitHub } from './github.ts'
import { environmentOf } from './run-action.ts'
import { emptyWorld, resolve } from './world.ts'

/** One workflow run of the step. */
export type SimulatedRun = {
  readonly event: Event
  /** The commit that it runs for; the tip of `main` without it. */
  readonly sha?: string
  readonly inputs?: Readonly<Record<string, string>>
  /** When the run is cancelled, or killed, if it is not over by then. */
  readonly cancelAfterMs?: number | undefined
  readonly killAfterMs?: number | undefined
  /** Its id, for a re-run; a new one without it. */
  readonly runId?: number
  readonly attempt?: number
}

/** What a run left. */
export type RunEnd = Awaited<ReturnType<Simulation['run']>>

/** The action between a docs service and a GitHub, in one process and on one clock that jumps over every wait. */
export type Simulation = Awaited<ReturnType<typeof startSimulation>>

/** Aborted when the run that asks is killed: then nothing of it goes on. */
const life = new AsyncLocalStorage<AbortSignal>()

async function whileAlive(): Promise<void> {
  if (life.getStore()?.aborted === true) await new Promise(() => undefined)
}

/** A run whose state, outputs and summary are kept here, until it is killed. */
class KeptRun extends Run {
  readonly saved: Record<string, string> = {}
  outputs: OutputValues = {}
  summary = ''
  readonly #death = life.getStore()
  override saveState(name: 'job-id' | 'pending' | 'finished', value: string): void {
    if (this.#death?.aborted !== true) this.saved[`STATE_${name}`] = value
  }
  override setOutputs(values: OutputValues): void {
    this.outputs = { ...this.outputs, ...values }
  }
  override writeSummary(_section: 'job' | 'visitors', { source }: Markdown): void {
    this.summary += source
  }
}

/** Makes a starter of simulations for the tests of a file. The docs are in `docsIn`, which the token can see. */
export function simulationStarter(): (docsIn: string) => Promise<Simulation> {
  let current: Simulation | undefined
  beforeEach(() => {
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      const requests = current?.github.journal.length ?? 0
      if (life.getStore()?.aborted !== true) current?.lines.push({ text: String(text), requests })
      return true
    })
    // No time passes while a request is under way.
    const send = HttpClient.prototype.send
    vi.spyOn(HttpClient.prototype, 'send').mockImplementation(async function (this: HttpClient, sent) {
      await whileAlive()
      const sending = () => send.call(this, sent)
      return await (current?.clock.work(sending) ?? sending()).finally(whileAlive)
    })
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await current?.close()
    current = undefined
  })
  return async (docsIn) => {
    await current?.close()
    current = await startSimulation(docsIn)
    return current
  }
}

async function startSimulation(docsIn: string) {
  const folder = mkdtempSync(join(tmpdir(), 'simulation-'))
  const clock = new VirtualClock()
  const now = (): number => clock.now()
  const mortal: Clock = {
    now,
    sleep: (ms, signal) => clock.sleep(ms, signal).finally(whileAlive),
    timeout: (ms) => clock.timeout(ms),
  }
  const world = Object.assign(emptyWorld(), { now, agentRepository: docsIn })
  // An answer that never comes is one that comes as the client gives up.
  const github = await startGitHub({ world, pause: (ms) => clock.pause(Math.min(ms, 10_000)) })
  const limits = { jobsPerHour: Number.POSITIVE_INFINITY, messagesPerHour: Number.POSITIVE_INFINITY }
  const repository = `https://github.com/${docsIn}`
  const docs = await startDocsService({ agent: 'none', jobTimeMs: 20_000, repository, limits, now })
  world.agentPulls = () => docs.jobs.flatMap(({ pull }) => pull ?? [])
  /** The lines that were printed, each with how many requests had come to GitHub by then. */
  const lines: { readonly text: string; readonly requests: number }[] = []
  let lastRunId = 1000
  const endedAtMs = new Map<number, number>()
  const base = {
    'api-key': docs.key,
    'project-id': 'docs',
    'base-url': docs.url,
    'github-token': github.token,
    prompt: 'Document it.',
    context: 'none',
  }

  /** Runs the main step and the post step after it. */
  async function run({ event, sha, inputs = {}, ...options }: SimulatedRun) {
    lines.length = 0
    if (options.runId === undefined) lastRunId += 1
    writeFileSync(join(folder, 'event.json'), JSON.stringify(event.payload))
    const env = {
      GITHUB_RUN_ID: `${options.runId ?? lastRunId}`,
      GITHUB_RUN_ATTEMPT: `${options.attempt ?? 1}`,
      GITHUB_SHA: sha ?? resolve(world, 'main')?.sha ?? '',
      GITHUB_API_URL: github.url,
    }
    const variables = environmentOf({ event, inputs: { ...base, ...inputs }, env }, folder, folder)
    const endAfter = (ms: number | undefined): AbortSignal => {
      const end = new AbortController()
      if (ms !== undefined) clock.at(now() + ms, () => end.abort())
      return end.signal
    }
    const death = endAfter(options.killAfterMs)
    const died = new Promise((resolve) => death.addEventListener('abort', resolve))
    const waiting = { clock: mortal, random: () => 0.5 }
    const main = await life.run(death, async () => {
      const cancel = endAfter(options.cancelAfterMs)
      const kept = new KeptRun(readEnvironment(variables), { ...waiting, cancel })
      await Promise.race([runMain(kept), died])
      return kept
    })
    /** When the main step ended, and how many requests had come to GitHub by then. */
    const mainEnded = { atMs: now(), requests: github.journal.length }
    const post = readEnvironment({ ...variables, ...main.saved })
    await runPost(new KeptRun(post, { ...waiting, cancel: endAfter(undefined) }, { isPost: true }))
    const { outputs, summary } = main
    return { log: [...lines], outputs, summary, hasFailed: main.log.hasFailed(), mainEnded }
  }

  /** Numbers of the agent's pull requests that are open. */
  async function openPulls(): Promise<readonly number[]> {
    await clock.work(() => docs.doAllWorkDue())
    return docs.jobs.flatMap(({ pull }) => (pull?.state === 'open' ? [pull.number] : []))
  }

  /** Ends the open ones. */
  async function endPulls(how: 'merge' | 'close'): Promise<void> {
    for (const number of await openPulls()) {
      endedAtMs.set(number, now())
      await clock.work(async () => (how === 'merge' ? docs.mergePull(number) : docs.closePull(number)))
    }
  }

  /** Messages that were sent to a job after its pull request had ended. */
  function lateMessages(): readonly string[] {
    const sent = docs.requests.filter(({ path }) => path.endsWith('/message'))
    const late = sent.filter(({ path, at }) => {
      const job = docs.jobs.find(({ id }) => path.includes(`/${id}/`))
      return at > (endedAtMs.get(job?.pull?.number ?? 0) ?? Number.POSITIVE_INFINITY)
    })
    return late.map(({ path }) => path)
  }

  async function close(): Promise<void> {
    rmSync(folder, { recursive: true })
    await Promise.all([github.close(), docs.close()])
    expect(github.violations).toEqual([])
  }

  return { clock, docs, github, world, lines, run, openPulls, endPulls, lateMessages, close }
}
