import { afterEach, beforeEach, expect, vi } from 'vitest'
import { authorize } from '../../src/events/authorize.ts'
import { readTrigger } from '../../src/events/decide.ts'
import { type History, loadHistory } from '../../src/events/history.ts'
import { skipOwnWork } from '../../src/events/loop-guard.ts'
import { eventRow } from '../../src/events/table.ts'
import type { Skip, Trigger } from '../../src/events/trigger.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { Run } from '../../src/runner/run.ts'
import { VirtualClock } from './clock.ts'
import type { Event } from './events.ts'
import { type FakeGitHub, startGitHub } from './github.ts'
import { AFTER, addCommit, BEFORE, learn, type World } from './world.ts'

/** How a run begins. */
export type Start = {
  readonly event: Event
  /** Inputs by name; the others have their defaults, and there is a key. */
  readonly inputs?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly state?: Readonly<Record<string, string>>
  readonly cancel?: AbortSignal
}

/** What became of it, up to where a job would be started. */
export type Decision = {
  /** `goes on`, or `skipped` with the level of its line in the log. */
  readonly result: string
  /** Why it was skipped; else empty. */
  readonly reason: string
  readonly explainsUsage: boolean
  /** Requests to GitHub, in the order in which they came. */
  readonly requests: readonly string[]
  /** What else was logged: `warning: …`. */
  readonly logged: readonly string[]
  /** Where it goes on. */
  readonly history: History | undefined
}

/** A GitHub, and runs between it and the log; nothing is a process, and no pause takes time. */
export type Scene = {
  readonly github: FakeGitHub
  readonly world: World
  readonly clock: VirtualClock
  newRun(start: Start): { readonly run: Run; readonly trigger: Trigger | Skip }
  decide(start: Start): Promise<Decision>
  /** What was logged since the last time, as `warning: …`, and what was saved for the post step. */
  logged(): string[]
}

/** Makes a starter of scenes for the tests of a file: what GitHub would not have taken fails the test. */
export function sceneStarter(): () => Promise<Scene> {
  const open: FakeGitHub[] = []
  const lines: string[] = []
  beforeEach(() => {
    lines.length = 0
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    const ended = open.splice(0)
    await Promise.all(ended.map((github) => github.close()))
    for (const { violations } of ended) expect(violations).toEqual([])
  })
  return async () => {
    const github = await startGitHub()
    open.push(github)
    return sceneOf(github, lines)
  }
}

function sceneOf(github: FakeGitHub, lines: string[]): Scene {
  const clock = new VirtualClock()
  const { world } = github
  world.now = () => clock.now()
  addCommit(world, { sha: BEFORE, message: 'Begin', parents: [] })

  function newRun({
    event,
    inputs = {},
    env = {},
    state = {},
    cancel = new AbortController().signal,
  }: Start) {
    learn(world, event.payload)
    const given = { 'api-key': 'mint_test', 'project-id': 'docs', 'github-token': github.token, ...inputs }
    const environment = readEnvironment({
      GITHUB_EVENT_NAME: event.name,
      GITHUB_REPOSITORY: 'acme/docs',
      GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/docs.yml@refs/heads/main',
      GITHUB_JOB: 'docs',
      GITHUB_ACTION: 'agent',
      GITHUB_REF: 'refs/heads/main',
      GITHUB_SHA: event.payload.after ?? AFTER,
      GITHUB_RUN_ID: '1001',
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_API_URL: github.url,
      ...prefixed('INPUT_', given),
      ...prefixed('STATE_', state),
      ...env,
    })
    const run = new Run(environment, { clock, random: () => 0.5, cancel })
    const trigger = readTrigger({ ...event, row: eventRow(event.name) }, run.inputs, environment)
    return { run, trigger }
  }

  const logged = (): string[] =>
    lines
      .splice(0)
      .map((line) => /^::(notice|warning|error|save-state) (?:.*?)::(.*)/.exec(line) ?? [])
      .flatMap(([, level, text]) => (level === undefined ? [] : [`${level}: ${text}`]))

  async function decide(start: Start): Promise<Decision> {
    const { run, trigger } = newRun(start)
    const before = github.requests.length
    let history: History | undefined
    async function skipOf(): Promise<Skip | undefined> {
      if ('skip' in trigger) return trigger
      const refusal = await authorize(trigger, run)
      if (refusal !== undefined) return refusal
      history = await loadHistory(trigger, run)
      return skipOwnWork(trigger, history, run)
    }
    const skip = await skipOf()
    return {
      result: skip === undefined ? 'goes on' : `skipped (${skip.level})`,
      reason: skip?.reason ?? '',
      explainsUsage: skip?.explainUsage ?? false,
      requests: github.requests.slice(before),
      logged: logged(),
      history,
    }
  }

  return { github, world, clock, newRun, decide, logged }
}

function prefixed(prefix: string, values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value]))
}
