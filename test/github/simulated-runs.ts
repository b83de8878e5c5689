import { type DocsService, startDocsService } from '../../docs-service/service.ts'
import { performAgentJob } from '../../src/agent-job.ts'
import { finishPendingComment, readPendingComment } from '../../src/comments/live-comment.ts'
import { openOwnComments } from '../../src/comments/own-comments.ts'
import { type GitHub, openGitHub, type RunDeps } from '../../src/github/github.ts'
import { readInputs } from '../../src/inputs/read.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { type HttpClient, openHttp } from '../../src/lib/http.ts'
import { isRecord } from '../../src/lib/json.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import type { StateName } from '../../src/runner/runner.ts'
import { openDocsService } from '../../src/service/docs-service.ts'
import { readTrigger } from '../../src/trigger/trigger.ts'
import { type Event, issueComment, person, push } from './events.ts'
import type { LoopbackGitHub } from './github.ts'
import { SimulatedClock } from './simulated-clock.ts'
import { addComment, emptyWorld } from './world.ts'

/** A run of the action that is simulated in this process, against the real services on loopback. */
export type SimulatedRun = {
  readonly event: Event
  readonly inputs?: Readonly<Record<string, string>>
  readonly runId: number
  readonly attempt?: number
  /** The run is cancelled after so many milliseconds, if it is not over by then. */
  readonly cancelAfterMs?: number | undefined
  /** The run is killed after so many milliseconds, if it is not over by then. */
  readonly killAfterMs?: number | undefined
}

/** What a simulated run left. */
export type SimulatedEnd = {
  readonly outputs: Readonly<Record<string, string>>
  readonly log: readonly string[]
}

/** A docs service and a GitHub on one simulated clock. */
export type Simulation = {
  readonly clock: SimulatedClock
  readonly docs: DocsService
  readonly github: LoopbackGitHub
  /** Runs the action's agent job, and its post step after that. */
  run(run: SimulatedRun): Promise<SimulatedEnd>
  close(): Promise<void>
}

const LIMITS = { timeoutMs: 30_000, bodyLimitBytes: 1 << 20 }

/** How requests fare; asked anew each time. */
export type Weather = {
  /** How long the way of a request takes, and that of its answer. */
  readonly latencyMs: () => number
  /** What is lost of a main step's exchange with GitHub. */
  readonly lost?: () => 'request' | 'answer' | undefined
}

/** Starts a simulation. */
export async function startSimulation(github: LoopbackGitHub, weather: Weather): Promise<Simulation> {
  const { latencyMs, lost = () => undefined } = weather
  const clock = new SimulatedClock()
  const limits = { jobsPerHour: Infinity, messagesPerHour: Infinity, retryAfter: true }
  const docs = await startDocsService({ agent: 'none', jobTimeMs: 20_000, limits, now: () => clock.now() })
  Object.assign(github.world, emptyWorld(), {
    now: () => clock.now(),
    agentPulls: () => docs.jobs.flatMap(({ pull }) => (pull === null ? [] : [pull])),
  })
  github.world.pulls.set(5, { state: 'open' })

  /** The clock of GitHub's client, which pauses before it sends something again. */
  const pausing: Clock = {
    now: () => clock.now(),
    sleep: (ms, signal) => clock.pause(ms, signal),
    timeout: (ms, until) => clock.timeout(ms, until),
  }

  async function onTheWay<T>(signal: AbortSignal, send: () => Promise<T>): Promise<T> {
    const isDead = (): Promise<never> | undefined =>
      signal.aborted ? new Promise(() => undefined) : undefined
    await clock.sleep(latencyMs())
    await isDead()
    const answer = await clock.work(send).catch((error: unknown) => ({ error }))
    await clock.sleep(latencyMs())
    await isDead()
    if (isRecord(answer) && 'error' in answer) throw answer['error']
    return answer as T
  }

  async function run(options: SimulatedRun): Promise<SimulatedEnd> {
    const environment = readEnvironment({
      GITHUB_REPOSITORY: 'acme/docs',
      GITHUB_API_URL: github.url,
      GITHUB_SERVER_URL: docs.url,
      GITHUB_EVENT_NAME: options.event.name,
      GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/docs.yml@refs/heads/main',
      GITHUB_JOB: 'docs',
      GITHUB_ACTION: 'docs-agent',
      GITHUB_ACTOR: 'octocat',
      GITHUB_SHA: 'b'.repeat(40),
      GITHUB_RUN_ID: `${options.runId}`,
      GITHUB_RUN_ATTEMPT: `${options.attempt ?? 1}`,
      'INPUT_API-KEY': docs.key,
      'INPUT_PROJECT-ID': 'docs',
      'INPUT_BASE-URL': docs.url,
      'INPUT_GITHUB-TOKEN': github.token,
      INPUT_CONTEXT: 'none',
      ...inputVariables(options.inputs ?? {}),
    })
    const { inputs } = readInputs(environment.inputs, (text) => text)
    const trigger = readTrigger(
      { name: options.event.name, payload: options.event.payload as Record<string, unknown> },
      inputs,
      environment,
    )
    if ('skip' in trigger) throw new Error(trigger.reason)
    const request = {
      ...trigger,
      inputs,
      wantsJob: true,
      promptFiles: [],
      contextFiles: [],
      visitors: undefined,
    }
    const state = new Map<StateName, string>()
    const outputs: Record<string, string> = {}
    const log: string[] = []
    const note = (text: string): void => void log.push(text)
    const depsUntil = (cancel: AbortSignal, death: AbortSignal, isPost = false): RunDeps => {
      const common = {
        environment,
        clock,
        cancel,
        random: () => 0.5,
        log: { info: note, notice: note, warning: note, fail: note, group: note, hasFailed: () => false },
      }
      return {
        ...common,
        redact: (text) => text,
        setOutputs: (values) => Object.assign(outputs, values),
        writeSummary: () => undefined,
        saveState: (name, value) => void (death.aborted || state.set(name, value)),
        readState: (name) => state.get(name) ?? '',
        github: delayedGitHub(openGitHub({ ...common, clock: pausing, token: github.token }), death, isPost),
      }
    }
    const cancel = new AbortController()
    const death = new AbortController()
    if (options.cancelAfterMs !== undefined) clock.after(options.cancelAfterMs, () => cancel.abort())
    if (options.killAfterMs !== undefined) clock.after(options.killAfterMs, () => death.abort())
    const deps = depsUntil(cancel.signal, death.signal)
    const http = openHttp({ proxy: environment.proxy, clock, ...LIMITS })
    const service = openDocsService({
      apiKey: docs.key,
      projectId: 'docs',
      baseUrl: new URL(docs.url),
      http: delayedHttp(http, death.signal),
      clock,
      redact: (text) => text,
    })
    const died = new Promise<undefined>((resolve) =>
      death.signal.addEventListener('abort', () => resolve(undefined)),
    )
    await Promise.race([performAgentJob(request, service, deps), died])
    deps.github.close()
    http.close()
    const pending = readPendingComment(deps)
    if (pending !== undefined) {
      const never = new AbortController().signal
      const postDeps = depsUntil(never, never, true)
      await finishPendingComment(pending, openOwnComments(inputs, postDeps), postDeps)
      postDeps.github.close()
    }
    return { outputs, log }
  }

  function delayedGitHub(real: GitHub, death: AbortSignal, isPost: boolean): GitHub {
    async function exchange<T>(send: () => Promise<T>, failed: () => T): Promise<T> {
      const loss = isPost ? undefined : lost()
      if (loss === 'request') return await onTheWay(death, async () => failed())
      const answer = await onTheWay(death, send)
      return loss === 'answer' ? failed() : answer
    }
    return {
      ...real,
      request: (send) =>
        exchange(
          () => real.request(send),
          () => {
            throw new Error('lost')
          },
        ),
      attempt: (call) =>
        exchange(
          () => real.attempt(call),
          () => undefined,
        ),
    }
  }

  function delayedHttp(real: HttpClient, death: AbortSignal): HttpClient {
    return { ...real, send: (sent) => onTheWay(death, () => real.send(sent)) }
  }

  return { clock, docs, github, run, close: () => docs.close() }
}

function inputVariables(inputs: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
  )
}

/** octocat writes a comment on a pull request: its event. */
export function commandOn(
  { github: { world } }: Pick<Simulation, 'github'>,
  body: string,
  number = 5,
): Event {
  const author = person('octocat')
  const { id } = addComment(world, { kind: 'main', number, author, body })
  return issueComment({ id, body, author, number })
}

/** A push to the main branch. */
export const pushed = (): Event =>
  push({ ref: 'refs/heads/main', created: false, commits: [], head_commit: null })
