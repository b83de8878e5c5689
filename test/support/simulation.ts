import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { type DocsService, startDocsService } from '../../docs-service/service.ts'
import { HttpClient } from '../../src/lib/http.ts'
import type { Markdown } from '../../src/lib/markdown.ts'
import type { Clock } from '../../src/lib/time.ts'
import { runMain, runPost } from '../../src/main.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import type { OutputValues } from '../../src/runner/outputs.ts'
import { Run } from '../../src/runner/run.ts'
import { VirtualClock } from './clock.ts'
import type { Event } from './events.ts'
import { type FakeGitHub, startGitHub } from './github.ts'
import { environmentOf } from './run-action.ts'
import { emptyWorld, resolve, type World } from './world.ts'

/** One workflow run of the step. */
export type SimulatedRun = {
  readonly event: Event
  /** The commit that it runs for; the tip of `main` without it. */
  readonly sha?: string
  readonly inputs?: Readonly<Record<string, string>>
  /** The run is cancelled, or killed, after so many milliseconds, if it is not over by then. */
  readonly cancelAfterMs?: number | undefined
  readonly killAfterMs?: number | undefined
  /** Its id, for a further attempt of it; a new one without it. */
  readonly runId?: number
  readonly attempt?: number
}

/** A line that was printed, and how many requests had come to GitHub by then. */
export type LogLine = { readonly text: string; readonly requests: number }

/** What a run left. */
export type RunEnd = {
  readonly log: readonly LogLine[]
  /** Outputs and summary of the main step. */
  readonly outputs: OutputValues
  readonly summary: string
  readonly hasFailed: boolean
  /** When the main step ended, and how many requests had come to GitHub by then. */
  readonly mainEnded: { readonly atMs: number; readonly requests: number }
}

/** The action between a docs service and a GitHub, in one process and on one clock that jumps over every wait. */
export type Simulation = {
  readonly clock: VirtualClock
  readonly docs: DocsService
  readonly github: FakeGitHub
  readonly world: World
  /** Runs the main step and the post step after it. */
  run(run: SimulatedRun): Promise<RunEnd>
  /** Numbers of the agent's pull requests that are open. */
  openPulls(): Promise<readonly number[]>
  /** Ends the open ones. */
  endPulls(how: 'merge' | 'close'): Promise<void>
  /** Messages that were sent to a job after its pull request had ended. */
  lateMessages(): readonly string[]
}

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
  let close = async (): Promise<void> => {}
  let clock = new VirtualClock()
  let github: FakeGitHub
  const lines: LogLine[] = []
  beforeEach(() => {
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      if (life.getStore()?.aborted !== true)
        lines.push({ text: String(text), requests: github.journal.length })
      return true
    })
    // No time passes while a request is under way.
    const send = HttpClient.prototype.send
    vi.spyOn(HttpClient.prototype, 'send').mockImplementation(async function (this: HttpClient, sent) {
      await whileAlive()
      return await clock.work(() => send.call(this, sent)).finally(whileAlive)
    })
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await close()
  })
  return async (docsIn) => {
    await close()
    const folder = mkdtempSync(join(tmpdir(), 'simulation-'))
    clock = new VirtualClock()
    const now = (): number => clock.now()
    const mortal: Clock = {
      now,
      sleep: (ms, signal) => clock.sleep(ms, signal).finally(whileAlive),
      timeout: (ms, until) => clock.timeout(ms, until),
    }
    const world = Object.assign(emptyWorld(), { now, agentRepository: docsIn })
    if (docsIn !== world.repository) world.elsewhere.set(docsIn, new Map())
    const limits = { jobsPerHour: Number.POSITIVE_INFINITY, messagesPerHour: Number.POSITIVE_INFINITY }
    const repository = `https://github.com/${docsIn}`
    // An answer that never comes is one that comes as the client gives up.
    const pause = (ms: number): Promise<void> => clock.pause(Math.min(ms, 10_000))
    github = await startGitHub({ world, pause })
    const docs = await startDocsService({ agent: 'none', jobTimeMs: 20_000, repository, limits, now })
    world.agentPulls = () => docs.jobs.flatMap(({ pull }) => pull ?? [])
    close = async () => {
      close = async () => {}
      rmSync(folder, { recursive: true })
      await Promise.all([github.close(), docs.close()])
      expect(github.violations).toEqual([])
    }
    let runId = 1000
    const endedAtMs = new Map<number, number>()
    const base = {
      'api-key': docs.key,
      'project-id': 'docs',
      'base-url': docs.url,
      'github-token': github.token,
      prompt: 'Document it.',
      context: 'none',
    }

    async function run({ event, sha, inputs = {}, ...options }: SimulatedRun): Promise<RunEnd> {
      lines.length = 0
      if (options.runId === undefined) runId += 1
      const path = join(folder, 'event.json')
      writeFileSync(path, JSON.stringify(event.payload))
      const env = {
        GITHUB_RUN_ID: `${options.runId ?? runId}`,
        GITHUB_RUN_ATTEMPT: `${options.attempt ?? 1}`,
        GITHUB_SHA: sha ?? resolve(world, 'main')?.sha ?? '',
        GITHUB_EVENT_PATH: path,
        GITHUB_API_URL: github.url,
      }
      const variables = environmentOf({ event, inputs: { ...base, ...inputs }, env }, folder, folder)
      const [cancel, death] = [new AbortController(), new AbortController()]
      const at = (afterMs: number | undefined, end: AbortController): void => {
        if (afterMs !== undefined) clock.at(now() + afterMs, () => end.abort())
      }
      at(options.cancelAfterMs, cancel)
      at(options.killAfterMs, death)
      const died = new Promise((resolve) => death.signal.addEventListener('abort', resolve))
      const waiting = { clock: mortal, random: () => 0.5, cancel: cancel.signal }
      const main = await life.run(death.signal, async () => {
        const kept = new KeptRun(readEnvironment(variables), waiting)
        await Promise.race([runMain(kept), died])
        return kept
      })
      const mainEnded = { atMs: now(), requests: github.journal.length }
      const calm = { ...waiting, cancel: new AbortController().signal }
      const post = readEnvironment({ ...variables, ...main.saved })
      await runPost(new KeptRun(post, calm, { isPost: true }))
      const { outputs, summary } = main
      return { log: [...lines], outputs, summary, hasFailed: main.log.hasFailed(), mainEnded }
    }

    async function openPulls(): Promise<readonly number[]> {
      await clock.work(() => docs.doAllWorkDue())
      return docs.jobs.flatMap(({ pull }) => (pull?.state === 'open' ? [pull.number] : []))
    }

    async function endPulls(how: 'merge' | 'close'): Promise<void> {
      for (const number of await openPulls()) {
        endedAtMs.set(number, now())
        await clock.work(async () => (how === 'merge' ? docs.mergePull(number) : docs.closePull(number)))
      }
    }

    function lateMessages(): readonly string[] {
      const sent = docs.requests.filter(({ path }) => path.endsWith('/message'))
      const late = sent.filter(({ path, at }) => {
        const job = docs.jobs.find(({ id }) => path.includes(`/${id}/`))
        return at > (endedAtMs.get(job?.pull?.number ?? 0) ?? Number.POSITIVE_INFINITY)
      })
      return late.map(({ path }) => path)
    }

    return { clock, docs, github, world, run, openPulls, endPulls, lateMessages }
  }
}
