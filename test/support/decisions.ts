import { afterEach, beforeEach, expect, onTestFinished, vi } from 'vitest'
import { decide as decideRun, readTrigger } from '../../src/events/decide.ts'
import { eventRow } from '../../src/events/event-table.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { Run } from '../../src/runner/run.ts'
import { VirtualClock } from './clock.ts'
import type { Event } from './events.ts'
import { type FakeGitHub, startGitHub } from './github.ts'
import { environmentOf } from './run-action.ts'
import { AFTER, addCommit, BEFORE, learn } from './world.ts'

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
export type Decision = Awaited<ReturnType<Scene['decide']>>

/** A GitHub, and runs between it and the log; nothing is a process, and no pause takes time. */
export type Scene = ReturnType<typeof sceneOf>

/** Makes a starter of scenes for the tests of a file: what GitHub would not have taken fails the test. */
export function sceneStarter() {
  const lines: string[] = []
  beforeEach(() => {
    lines.length = 0
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })
  return async () => {
    const github = await startGitHub()
    onTestFinished(async () => {
      await github.close()
      expect(github.violations).toEqual([])
    })
    return sceneOf(github, lines)
  }
}

function sceneOf(github: FakeGitHub, lines: string[]) {
  const clock = new VirtualClock()
  const { world } = github
  world.now = () => clock.now()
  addCommit(world, { sha: BEFORE, message: 'Begin', parents: [] })

  function newRun({ event, inputs, env, state = {}, cancel = new AbortController().signal }: Start) {
    learn(world, event.payload)
    const given = { 'api-key': 'mint_test', 'project-id': 'docs', 'github-token': github.token, ...inputs }
    const commit = { GITHUB_REF: 'refs/heads/main', GITHUB_SHA: event.payload.after ?? AFTER }
    const own = { GITHUB_ACTION: 'agent', GITHUB_API_URL: github.url, ...commit, ...env }
    const variables = environmentOf({ event, inputs: given, state, env: own }, '/nowhere', '/nowhere')
    const environment = readEnvironment(variables)
    const run = new Run(environment, { clock, random: () => 0.5, cancel })
    const asked = readTrigger({ ...event, row: eventRow(event.name) }, run.inputs, environment)
    return { run, trigger: asked.kind === 'skip' ? asked : asked.trigger }
  }

  /** What was logged since the last time, as `warning: …`, and what was saved for the post step. */
  function logged(): string[] {
    const commands = lines.splice(0).map((line) => {
      return /^::(notice|warning|error|save-state) (?:.*?)::(.*)/.exec(line) ?? []
    })
    return commands.flatMap(([, level, text]) => (level === undefined ? [] : [`${level}: ${text}`]))
  }

  async function decide(start: Start) {
    const { run, trigger } = newRun(start)
    const before = github.requests.length
    const decision = 'kind' in trigger ? trigger : await decideRun(trigger, run)
    const skipped = decision.kind === 'skip' ? decision : undefined
    return {
      /** `goes on`, or `skipped` with the level of its line in the log. */
      result: skipped === undefined ? 'goes on' : `skipped (${skipped.level})`,
      isCancelled: decision.kind === 'cancelled',
      reason: skipped?.reason ?? '',
      explainsUsage: skipped?.explainUsage ?? false,
      /** Requests to GitHub, and what was logged as `warning: …`. */
      requests: github.requests.slice(before),
      logged: logged(),
      mergedPulls: decision.kind === 'go' ? decision.mergedPulls : undefined,
    }
  }

  return { github, world, clock, newRun, decide, logged }
}
