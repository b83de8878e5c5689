import { AsyncLocalStorage } from 'node:async_hooks'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { HttpClient, type HttpRequest } from '../../src/lib/http.ts'
import type { Clock } from '../../src/lib/time.ts'
import { runMain } from '../../src/main.ts'
import { runPost } from '../../src/post.ts'
import { Run, readEnvironment } from '../../src/runner/run.ts'
import { VirtualClock } from './clock.ts'
import type { Event } from './events.ts'
import { commitOf, resolve } from './history.ts'
import { learn } from './learn.ts'
import { readPrinted } from './printed.ts'
import { environmentOf, withPrefix, writeAll } from './run-action.ts'
import { type Replies, startScriptedService } from './scripted-service.ts'
import { startServices } from './services.ts'
import { BEFORE, emptyWorld, ownComments } from './world.ts'

/** What differs from harness to harness: options of the embedded docs service, or the replies of a scripted one. */
export type HarnessOptions = DocsServiceOptions & {
  readonly replies?: Replies | undefined
  /** The repository of the docs, which the token can see. */
  readonly docsIn?: string
  /** Path of GitHub's API: `/api/v3` on a GitHub Enterprise Server. */
  readonly apiRoot?: string
  readonly startMs?: number
  readonly random?: () => number
}

/** One run of the step, its main part and its post part. Times count from its start. */
export type RunOptions = {
  /** A dispatch without a payload by default. */
  readonly event?: Event
  /** By name; the others have their defaults, and there are a key, a project and a token. */
  readonly inputs?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** What the scripted docs service answers in this run. */
  readonly replies?: Replies | undefined
  /** Files of the workspace, by path. */
  readonly files?: Readonly<Record<string, string>>
  /** The commit that it runs for, if its event names none; the tip of `main` without it. */
  readonly sha?: string
  /** A new one without it. */
  readonly runId?: number
  readonly attempt?: number
  /** When it is cancelled, or its main part killed, if that is not over by then. */
  readonly cancelAtMs?: number | undefined
  readonly killAtMs?: number | undefined
  /** What happens between its main part and its post part. */
  readonly beforePost?: () => void
}

/** A GitHub and a docs service, and runs of the action between them in this process; no pause takes time. */
export type Harness = Awaited<ReturnType<typeof startHarness>>

/** What a run left. */
export type RunEnd = Awaited<ReturnType<Harness['run']>>

/** A part of a run as it goes on: what it printed and sent, and where that comes from and leads to. */
type Part = {
  readonly printed: string[]
  readonly sent: (Pick<HttpRequest, 'method' | 'url' | 'body'> & { readonly atMs: number })[]
  readonly clock: VirtualClock
  /** Whether nobody listens for this request. */
  readonly isRefused: (request: HttpRequest) => boolean
  /** Aborted when it is killed: then nothing of it goes on. */
  readonly death: AbortSignal
}

const current = new AsyncLocalStorage<Part>()

async function whileAlive(): Promise<void> {
  if (current.getStore()?.death.aborted === true) await new Promise(() => undefined)
}

/** Takes what runs print, and lets no time pass while one of their requests is under way. */
function intercept(): void {
  const write = process.stdout.write.bind(process.stdout)
  const send = HttpClient.prototype.send
  if (vi.isMockFunction(send)) return
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    const part = current.getStore()
    if (part === undefined) return write(text)
    if (!part.death.aborted) part.printed.push(String(text))
    return true
  })
  vi.spyOn(HttpClient.prototype, 'send').mockImplementation(async function (
    this: HttpClient,
    request,
  ) {
    await whileAlive()
    const part = current.getStore()
    if (part === undefined) return await send.call(this, request)
    part.sent.push({ ...request, atMs: part.clock.now() })
    const url = part.isRefused(request) ? new URL('http://127.0.0.1:1/') : request.url
    return await part.clock.work(() => send.call(this, { ...request, url })).finally(whileAlive)
  })
  onTestFinished(() => void vi.restoreAllMocks())
}

/** Starts a harness for a test. What GitHub would not have taken fails the test. */
export async function startHarness(options: HarnessOptions = {}) {
  const { replies, docsIn = 'acme/docs', apiRoot, startMs, ...others } = options
  const { random = () => 0.5, ...docsOptions } = others
  intercept()
  const folder = mkdtempSync(join(tmpdir(), 'harness-'))
  const workspace = join(folder, 'workspace')
  mkdirSync(workspace)
  const clock = new VirtualClock(startMs)
  const now = (): number => clock.now()
  const mortal: Clock = {
    now,
    sleep: (ms, signal) => clock.sleep(ms, signal).finally(whileAlive),
    timeout: (ms) => clock.timeout(ms),
  }
  const world = Object.assign(emptyWorld(), { now, agentRepository: docsIn })
  // Older than whatever happens here.
  world.commits.set(BEFORE, { ...commitOf(world, BEFORE), atMs: now() - 1000 })
  // An answer that never comes is one that comes as the client gives up.
  const pause = (ms: number) => clock.pause(Math.min(ms, 10_000))
  const services = await startServices({
    github: { world, pause, ...(apiRoot && { root: apiRoot }) },
    repository: `https://github.com/${docsIn}`,
    now,
    ...docsOptions,
  })
  const { docs, github } = services
  const scripted = replies && (await startScriptedService(replies, (ms) => clock.pause(ms)))
  const service = scripted ?? docs
  const access = { ...services.access, 'api-key': service.key, 'base-url': service.url }
  let files = 0
  let lastRunId = 1000

  /** Runs a part of a step, and tells what is seen of it. */
  async function runPart(
    step: (run: Run) => Promise<void>,
    { env, cancelAtMs, killAtMs }: Pick<RunOptions, 'env' | 'cancelAtMs' | 'killAtMs'>,
    isPost = false,
  ) {
    const abortedAt = (ms: number | undefined): AbortSignal => {
      const end = new AbortController()
      if (ms !== undefined) clock.at(startedAtMs + ms, () => end.abort())
      return end.signal
    }
    const summaryPath = join(folder, `summary-${++files}`)
    const [startedAtMs, requests] = [now(), github.journal.length]
    const death = abortedAt(killAtMs)
    const isRefused = (request: HttpRequest): boolean => {
      const { origin } = request.url
      if (origin === scripted?.url) return scripted.refuses(request.method)
      return origin === new URL(github.url).origin && github.refuses(request)
    }
    const part: Part = { printed: [], sent: [], clock, isRefused, death }
    const died = new Promise((resolve) => death.addEventListener('abort', resolve))
    const hasFailed = await current.run(part, async () => {
      const environment = readEnvironment({ ...env, GITHUB_STEP_SUMMARY: summaryPath })
      const waiting = { clock: mortal, random, cancel: abortedAt(cancelAtMs) }
      const run = new Run(environment, waiting, { isPost })
      await Promise.race([step(run), died])
      return run.log.hasFailed()
    })
    const calls = part.sent.filter(({ url }) => url.origin !== new URL(github.url).origin)
    return {
      /** Whether it ended with exit code 1; not known of one that was killed. */
      hasFailed,
      ...readPrinted(part.printed.join('')),
      summary: existsSync(summaryPath) ? readFileSync(summaryPath, 'utf8').trim() : '',
      /** To GitHub, as lines. */
      requests: github.requests.slice(requests),
      /** To the docs service: `POST /job`, `GET /job/job_1`, `GET /visitors`. */
      calls: calls.map(
        ({ method, url }) => `${method} ${url.pathname.replace(/^\/v\d\/\w+\/[^/]+/, '')}`,
      ),
      /** When each of those was sent, in seconds. */
      calledAtS: calls.map(({ atMs }) => (atMs - startedAtMs) / 1000),
      /** Bodies of those. */
      bodies: calls.flatMap(({ body }): unknown[] => (body ? [JSON.parse(body)] : [])),
      tookMs: now() - startedAtMs,
    }
  }

  /** Runs the main part of the step and its post part after it. */
  async function run({
    event = { name: 'workflow_dispatch', payload: {} },
    ...options
  }: RunOptions = {}) {
    const { inputs, sha, runId = lastRunId + 1, attempt = 1 } = options
    lastRunId = Math.max(lastRunId, runId)
    if (options.replies !== undefined) scripted?.follow(options.replies)
    learn(world, event.payload)
    await writeAll(workspace, options.files ?? {})
    const eventPath = join(folder, `event-${++files}.json`)
    writeFileSync(eventPath, JSON.stringify(event.payload))
    const { pull_request: pull, after } = event.payload
    const tip = sha ?? resolve(world, 'main')?.sha ?? ''
    const own = {
      GITHUB_ACTION: 'agent',
      GITHUB_API_URL: github.url,
      GITHUB_EVENT_PATH: eventPath,
      GITHUB_RUN_ID: `${runId}`,
      GITHUB_RUN_ATTEMPT: `${attempt}`,
      ...(pull === undefined && after === undefined && { GITHUB_SHA: tip }),
      ...options.env,
    }
    const given = { event, inputs: { ...access, ...inputs }, env: own }
    const env = environmentOf(given, folder, workspace)
    const main = await runPart(runMain, { ...options, env })
    options.beforePost?.()
    const state = withPrefix('STATE_', main.state)
    const post = await runPart(runPost, { env: { ...env, ...state } }, true)
    return { ...main, post }
  }

  let closed: Promise<unknown> | undefined
  /** Ends everything before the end of the test does. */
  async function close(): Promise<void> {
    closed ??= Promise.all([services.close(), scripted?.close()])
    await closed
    rmSync(folder, { recursive: true, force: true })
    expect(github.violations).toEqual([])
  }
  onTestFinished(close)

  return {
    ...{ clock, docs, github, world, workspace, run, close },
    /** Of the docs service, scripted or not. */
    serviceUrl: service.url,
    said: () => ownComments(world),
    /** The reactions that are there now, by content. */
    reactions: () => world.reactions.map(({ content }) => content),
    /** What the commit statuses said, oldest first: `pending: Starting`. */
    statuses: () => world.statuses.map(({ state, description }) => `${state}: ${description}`),
  }
}
