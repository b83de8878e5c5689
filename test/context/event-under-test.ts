import { afterEach, expect } from 'vitest'
import { type ContextOptions, describeEvent } from '../../src/context/gather.ts'
import type { Detail } from '../../src/context/render.ts'
import { openGitHub } from '../../src/github/github.ts'
import { openSystemClock } from '../../src/lib/clock.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import type { Log } from '../../src/runner/log.ts'
import type { Event } from '../github/events.ts'
import { type LoopbackGitHub, startGitHub } from '../github/github.ts'

/** What is told of an event, line by line, without our own words and the delimiters. */
export type Told = {
  readonly lines: readonly string[]
  readonly requests: readonly string[]
  /** Annotations, as `notice: text`. */
  readonly annotations: readonly string[]
}

/** What differs from event to event. */
export type EventOptions = {
  readonly detail?: Detail
  readonly env?: Readonly<Record<string, string>>
  readonly previous?: ContextOptions['previous']
  /** Empty: GitHub can't be asked at all. */
  readonly token?: string
  /** How often it is told in one run. */
  readonly times?: number
}

/** A run's variables on `main` in `acme/docs`. */
export const ENV = {
  GITHUB_REPOSITORY: 'acme/docs',
  GITHUB_RUN_ID: '1001',
  GITHUB_REF: 'refs/heads/main',
  GITHUB_SHA: 'b'.repeat(40),
  GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/weekly.yml@refs/heads/main',
}

/** Makes a starter of GitHubs for the tests of a file: what GitHub would not have taken fails the test. */
export function gitHubStarter(): () => Promise<LoopbackGitHub> {
  const open: LoopbackGitHub[] = []
  afterEach(async () => {
    const ended = open.splice(0)
    await Promise.all(ended.map((github) => github.close()))
    for (const { violations } of ended) expect(violations).toEqual([])
  })
  return async () => {
    const github = await startGitHub()
    open.push(github)
    return github
  }
}

/** Describes an event with a GitHub at hand. */
export async function tell(
  github: LoopbackGitHub,
  { name, payload }: Event,
  { detail = 'diff', env = {}, previous, token = github.token, times = 1 }: EventOptions = {},
): Promise<Told> {
  const environment = readEnvironment({ ...ENV, GITHUB_API_URL: github.url, ...env })
  const annotations: string[] = []
  const log: Log = {
    info: () => undefined,
    notice: (text) => annotations.push(`notice: ${text}`),
    warning: (text) => annotations.push(`warning: ${text}`),
    fail: (text) => annotations.push(`error: ${text}`),
    group: () => undefined,
    hasFailed: () => false,
  }
  const cancel = new AbortController().signal
  const asked = openGitHub({ environment, token, log, clock: openSystemClock(), random: () => 0.5, cancel })
  const before = github.requests.length
  const event = { name, payload: { ...payload } }
  let text = ''
  for (let time = 0; time < times; time++) {
    text = await describeEvent(event, { detail, previous }, { environment, github: asked })
  }
  asked.close()
  expect(text).toMatch(/^<github-context>\n.*\n.*\n[\s\S]*\n<\/github-context>$/)
  return { lines: text.split('\n').slice(3, -1), requests: github.requests.slice(before), annotations }
}

/** A comparison as GitHub answers it. */
export const COMPARISON = {
  html_url: 'https://github.com/acme/docs/compare/a...b',
  total_commits: 2,
  commits: [{ commit: { message: 'Add a flag\n\nIt does.' } }, { commit: { message: 'Use it' } }],
  files: [{ filename: 'src/flag.ts', status: 'added', changes: 1, patch: '@@ -0,0 +1 @@\n+flag' }],
}

/** What is told of it. */
export const COMPARED = [
  'Compare: https://github.com/acme/docs/compare/a...b',
  'Commits:',
  '- Add a flag',
  '- Use it',
  'Changed files:',
  '- added src/flag.ts',
  'Diff:',
  'diff --git a/src/flag.ts b/src/flag.ts',
  '@@ -0,0 +1 @@',
  '+flag',
]

/** What is told of the run. */
export const RUN = 'Workflow run: https://github.com/acme/docs/actions/runs/1001'
