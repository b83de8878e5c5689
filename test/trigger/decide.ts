import { afterEach, expect } from 'vitest'
import { openGitHub } from '../../src/github/github.ts'
import { readInputs } from '../../src/inputs/read.ts'
import { isRecord } from '../../src/lib/json.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import type { Log } from '../../src/runner/log.ts'
import { authorize } from '../../src/trigger/authorize.ts'
import { readTrigger } from '../../src/trigger/trigger.ts'
import type { Event } from '../github/events.ts'
import { type LoopbackGitHub, startGitHub } from '../github/github.ts'
import { VirtualClock } from '../lib/virtual-clock.ts'

/** What a run is started with. */
export type RunOptions = {
  readonly event: Event
  readonly inputs?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly cancel?: AbortSignal
}

/** What was decided, and the requests that it took. */
export type Decision = {
  /** `goes on`, or how the run says that it does nothing: `skipped (notice)`. */
  readonly result: string
  readonly reason: string
  readonly explainsUsage: boolean
  readonly requests: readonly string[]
  /** What was warned of beside the result. */
  readonly warnings: readonly string[]
}

/** A loopback GitHub for the tests of a file, and the decision whether a run does something there. */
export type DecisionScene = {
  readonly github: LoopbackGitHub
  decide(options: RunOptions): Promise<Decision>
}

/** Makes a starter of scenes: what GitHub would not have taken fails the test. */
export function decisionStarter(): () => Promise<DecisionScene> {
  const open: LoopbackGitHub[] = []
  afterEach(async () => {
    const ended = open.splice(0)
    await Promise.all(ended.map((github) => github.close()))
    for (const github of ended) expect(github.violations).toEqual([])
  })
  return async () => {
    const github = await startGitHub()
    open.push(github)
    return { github, decide: (options) => decide(options, github) }
  }
}

const SILENT: Log = {
  info: () => undefined,
  notice: () => undefined,
  warning: () => undefined,
  fail: () => undefined,
  group: () => undefined,
  hasFailed: () => false,
}

async function decide(options: RunOptions, at: LoopbackGitHub): Promise<Decision> {
  const { event, inputs = {}, env = {}, cancel = new AbortController().signal } = options
  const environment = readEnvironment({
    GITHUB_API_URL: at.url,
    GITHUB_REPOSITORY: 'acme/docs',
    GITHUB_EVENT_NAME: event.name,
    GITHUB_ACTOR: 'octocat',
    ...env,
  })
  const given = { 'api-key': 'mint_0123456789', 'github-token': at.token, ...inputs }
  const read = readInputs(new Map(Object.entries(given)), (text) => text)
  expect(read.problems).toEqual([])
  const payload: unknown = JSON.parse(JSON.stringify(event.payload))
  const name = event.name === 'pull_request_target' ? 'pull_request' : event.name
  const warnings: string[] = []
  const requestsBefore = at.requests.length
  const github = openGitHub({
    environment,
    token: read.inputs['github-token'],
    log: { ...SILENT, warning: (text) => warnings.push(text) },
    clock: new VirtualClock(),
    random: Math.random,
    cancel,
  })
  const trigger = readTrigger({ name, payload: isRecord(payload) ? payload : {} }, read.inputs, environment)
  const skip =
    'skip' in trigger ? trigger : await authorize(trigger, read.inputs, { github, environment, cancel })
  github.close()
  return {
    result: skip === undefined ? 'goes on' : `skipped (${skip.level})`,
    reason: skip?.reason ?? '',
    explainsUsage: skip?.explainUsage ?? false,
    requests: at.requests.slice(requestsBefore),
    warnings,
  }
}
