import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { type DocsService, startDocsService } from '../../docs-service/service.ts'
import { HttpClient } from '../../src/lib/http.ts'
import { runMain } from '../../src/main.ts'
import { runPost } from '../../src/post.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
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
  /** The run is cancelled after so many milliseconds, if it is not over by then. */
  readonly cancelAfterMs?: number | undefined
}

/** The action between a docs service and a GitHub, in one process and on one clock that jumps over every wait. */
export type Simulation = {
  readonly clock: VirtualClock
  readonly docs: DocsService
  readonly github: FakeGitHub
  readonly world: World
  /** Runs the main step and the post step after it; resolves to the log. */
  run(run: SimulatedRun): Promise<readonly string[]>
  /** Numbers of the agent's pull requests that are open. */
  openPulls(): Promise<readonly number[]>
  /** Ends the open ones. */
  endPulls(how: 'merge' | 'close'): Promise<void>
  /** Messages that were sent to a job after its pull request had ended. */
  lateMessages(): readonly string[]
}

/** A run whose log and state are kept here. */
class KeptRun extends Run {
  readonly saved: Record<string, string> = {}
  override saveState(name: 'job-id' | 'pending' | 'finished', value: string): void {
    this.saved[`STATE_${name}`] = value
  }
  override setOutputs(): void {}
  override writeSummary(): void {}
}

/** Makes a starter of simulations for the tests of a file. The docs are in `docsIn`, which the token can see. */
export function simulationStarter(): (docsIn: string) => Promise<Simulation> {
  let close = async (): Promise<void> => {}
  let clock = new VirtualClock()
  const lines: string[] = []
  beforeEach(() => {
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
    // No time passes while a request is under way.
    const send = HttpClient.prototype.send
    vi.spyOn(HttpClient.prototype, 'send').mockImplementation(function (this: HttpClient, sent) {
      return clock.work(() => send.call(this, sent))
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
    const world = Object.assign(emptyWorld(), { now, agentRepository: docsIn })
    if (docsIn !== world.repository) world.elsewhere.set(docsIn, new Map())
    const limits = { jobsPerHour: Number.POSITIVE_INFINITY, messagesPerHour: Number.POSITIVE_INFINITY }
    const repository = `https://github.com/${docsIn}`
    const [github, docs] = await Promise.all([
      startGitHub({ world }),
      startDocsService({ agent: 'none', jobTimeMs: 20_000, repository, limits, now }),
    ])
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

    async function run({ event, sha, inputs = {}, cancelAfterMs }: SimulatedRun): Promise<readonly string[]> {
      lines.length = 0
      runId += 1
      const path = join(folder, 'event.json')
      writeFileSync(path, JSON.stringify(event.payload))
      const env = {
        GITHUB_RUN_ID: `${runId}`,
        GITHUB_SHA: sha ?? resolve(world, 'main')?.sha ?? '',
        GITHUB_EVENT_PATH: path,
        GITHUB_API_URL: github.url,
      }
      const variables = environmentOf({ event, inputs: { ...base, ...inputs }, env }, folder, folder)
      const cancel = new AbortController()
      const waiting = { clock, random: () => 0.5, cancel: cancel.signal }
      const main = new KeptRun(readEnvironment(variables), waiting)
      if (cancelAfterMs !== undefined) clock.at(clock.now() + cancelAfterMs, () => cancel.abort())
      await runMain(main)
      const calm = { ...waiting, cancel: new AbortController().signal }
      const post = readEnvironment({ ...variables, ...main.saved })
      await runPost(new KeptRun(post, calm, { isPost: true }))
      return [...lines]
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
