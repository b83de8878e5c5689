import { expect, it } from 'vitest'
import { decideNothing } from '../../src/decide/nothing.ts'
import type { Changes } from '../../src/look/changes.ts'
import type { EarlierRuns } from '../../src/look/earlier-runs.ts'
import { type Event, event, workflowRun } from '../support/events.ts'
import { AGENT } from '../support/world.ts'
import { COMMAND, COMMIT, changesOf, factsOf, fileAt, situationOf } from './situations.ts'

const MERGE = { action: 'closed', pull_request: { merged: true } }
const push = (ref: string) =>
  event('push', { ref, forced: false, created: false, deleted: false, base_ref: null })

type Column = { readonly on: Event; readonly tags?: { readonly isMoving: boolean } }
const VERSION = { isMoving: false }
const EVENTS = {
  push: { on: push('refs/heads/main') },
  workflow_run: { on: workflowRun() },
  tag: { on: push('refs/tags/v1.2.0'), tags: VERSION },
  'moved tag': { on: push('refs/tags/v1'), tags: { isMoving: true } },
  release: { on: event('release', { action: 'published' }), tags: VERSION },
  'edited release': { on: event('release', { action: 'edited' }), tags: VERSION },
  schedule: { on: { name: 'schedule', payload: {} } },
  'schedule, skip-unchanged': { on: { name: 'schedule', payload: {} } },
  pull_request: { on: event('pull_request', { action: 'opened' }) },
  'merged pull_request': { on: event('pull_request', MERGE) },
  pull_request_target: { on: { ...event('pull_request', MERGE), name: 'pull_request_target' } },
  pull_request_review: { on: event('pull_request_review') },
  workflow_dispatch: { on: event('workflow_dispatch') },
  repository_dispatch: { on: event('repository_dispatch') },
} as const satisfies Readonly<Record<string, Column>>
type EventName = keyof typeof EVENTS

const ALL = Object.keys(EVENTS) as EventName[]
const OF_PULL: readonly EventName[] = ['pull_request', 'merged pull_request', 'pull_request_target']
const VERSIONS: readonly EventName[] = ['tag', 'moved tag', 'release', 'edited release']
const CHECKED: readonly EventName[] = ['push', 'workflow_run', 'schedule, skip-unchanged']
const DISPATCHES: readonly EventName[] = ['workflow_dispatch', 'repository_dispatch']
/** A review has no `paths`. */
const EXEMPT: readonly string[] = [...DISPATCHES, 'pull_request_review']

type Row = {
  readonly name: string
  readonly changes?: Partial<Changes>
  readonly earlier?: Partial<EarlierRuns>
  readonly payload?: object
  readonly inputs?: Readonly<Record<string, string>>
  readonly attempt?: number
  readonly isCommand?: boolean
  /** Events on which nothing is started (by default on a moved tag), and those after which the record moves on. */
  readonly skips?: readonly EventName[]
  readonly settles?: readonly EventName[]
}

const byAgent = { ...COMMIT, author: AGENT }
const inPull = (login: string, ...labels: string[]) => ({
  ...COMMIT,
  pulls: [
    {
      number: 7,
      title: '',
      body: '',
      url: '',
      labels,
      author: { __typename: 'User', login },
      assignees: [],
      paths: [],
    },
  ],
})
const MINOR = ['package-lock.json', 'test/cli.test.ts', '.github/workflows/ci.yml']
const LOCKS = { files: MINOR.map((path) => fileAt(path)) }
const NONE = { commits: [], files: [] }
const PATHS = { paths: 'packages/sdk/**' }
const UNNEEDED = {
  skips: [...CHECKED, ...VERSIONS],
  settles: [...CHECKED, 'tag', 'release', 'edited release'],
} as const
/** A moved tag is skipped whatever has changed. */
const MOVED: readonly EventName[] = ['moved tag']

const ROWS: readonly Row[] = [
  { name: 'a commit by a person' },
  // 2. Nothing new.
  {
    name: 'the commit of the last job again',
    changes: NONE,
    earlier: { lastSent: 'same' },
    skips: [...CHECKED, 'tag', 'moved tag', 'release'],
  },
  {
    name: 'the commit of the last job again, in a re-run',
    changes: NONE,
    earlier: { lastSent: 'same' },
    attempt: 2,
    skips: [],
  },
  {
    name: 'an older commit than that of the last job',
    earlier: { lastSent: 'newer' },
    skips: ['workflow_run', 'schedule, skip-unchanged', 'moved tag'],
  },
  { name: 'an earlier job on an older commit', earlier: { lastSent: 'older' } },
  {
    name: 'a new branch without commits',
    changes: NONE,
    payload: { created: true },
    skips: [...CHECKED, 'moved tag'],
  },
  {
    name: 'a commit that is too far behind that of the last job to be known as older',
    changes: { ...NONE, isRewritten: true },
    earlier: { lastSent: 'older' },
    skips: ['workflow_run', 'schedule, skip-unchanged', 'moved tag'],
  },
  {
    name: 'a forced push that removed commits',
    changes: { ...NONE, isRewritten: true },
    payload: { forced: true },
  },
  {
    name: 'a forced push back to the commit of the last job',
    changes: { ...NONE, isRewritten: true },
    earlier: { lastSent: 'same' },
    payload: { forced: true },
    skips: ['tag', 'moved tag', 'release'],
  },
  // 3. All new commits are the agent's, or need no docs.
  {
    name: 'commits of the agent',
    changes: { commits: [byAgent, byAgent] },
    ...UNNEEDED,
  },
  {
    name: 'a commit with the address of the agent',
    changes: { commits: [{ ...COMMIT, author: null, email: 'agent@mintlify.com' }] },
    ...UNNEEDED,
  },
  {
    name: 'commits of pull requests by the agent and with a label',
    changes: { commits: [inPull('mintlify'), inPull('octocat', 'No-Docs')] },
    ...UNNEEDED,
  },
  {
    name: 'commits of the agent, in a re-run',
    changes: { commits: [byAgent] },
    attempt: 2,
    ...UNNEEDED,
    settles: [...CHECKED, ...VERSIONS],
  },
  {
    name: 'commits of the agent, and a message to a given job',
    changes: { commits: [byAgent] },
    inputs: { 'job-id': 'job_1' },
    ...UNNEEDED,
  },
  {
    name: 'a commit of the agent and one of a person',
    changes: { commits: [byAgent, COMMIT] },
  },
  {
    name: 'commits of the agent in a list that was cut',
    changes: { commits: [byAgent], isWhole: false },
  },
  {
    name: 'the last ten commits, all of the agent',
    changes: { commits: [byAgent], isArbitrary: true },
  },
  {
    name: 'a rewritten branch with commits of the agent',
    changes: { commits: [byAgent], isRewritten: true },
  },
  // 4. Only files that readers of docs don't notice.
  {
    name: 'only lock files, tests, and CI',
    changes: LOCKS,
    skips: ['push', 'workflow_run', 'moved tag', ...OF_PULL],
    settles: ['push', 'workflow_run'],
  },
  {
    name: 'lock files and a page',
    changes: { files: [...LOCKS.files, fileAt('docs/a.md')] },
  },
  {
    name: 'only lock files in a list that was cut',
    changes: { ...LOCKS, fileCount: undefined },
  },
  {
    name: 'only lock files of more than are listed',
    changes: { ...LOCKS, fileCount: 9 },
  },
  {
    name: 'the last ten commits, only lock files',
    changes: { ...LOCKS, isArbitrary: true },
  },
  {
    name: 'a rewritten branch, only lock files',
    changes: { ...LOCKS, isRewritten: true },
  },
  // 5. `paths`.
  {
    name: 'no file inside `paths`',
    inputs: PATHS,
    skips: ALL.filter((name) => !EXEMPT.includes(name)),
  },
  {
    name: 'no file inside `paths`, and a record more than 100 commits back',
    inputs: PATHS,
    earlier: { commitsBack: 101 },
    skips: ALL.filter((name) => !EXEMPT.includes(name)),
    settles: ALL.filter((name) => !EXEMPT.includes(name) && name !== 'moved tag'),
  },
  {
    name: 'a file that was moved out of `paths`',
    inputs: PATHS,
    changes: { files: [fileAt('attic/a.ts', 'packages/sdk/a.ts')] },
  },
  {
    name: 'only tests, inside `paths`',
    inputs: PATHS,
    changes: { files: [fileAt('packages/sdk/a.test.ts')] },
  },
  {
    name: 'no file inside `paths` in a list that was cut',
    inputs: PATHS,
    changes: { fileCount: undefined },
  },
  // Labels of the pull request as it is now.
  {
    name: 'a label',
    changes: { pull: { number: 5, labels: [{ name: 'No-Docs' }] } },
    skips: [...OF_PULL, 'moved tag'],
  },
  {
    name: 'nothing to document at all, and a command',
    changes: { ...LOCKS, commits: [byAgent] },
    earlier: { lastSent: 'same' },
    inputs: PATHS,
    isCommand: true,
    skips: [],
  },
]

it.each(ROWS)('changes are documented, or not, by their event: $name', (row) => {
  const { name, isCommand = false, attempt = 1, inputs, earlier, payload } = row
  const { skips = MOVED, settles = [] } = row
  const outcomes = ALL.map((of) => {
    const { on, tags }: Column = EVENTS[of]
    const pull = on.payload.pull_request
    const changes = changesOf({ ...(pull && { pull, isWhole: false }), ...row.changes })
    const situation = situationOf(
      { name: on.name, payload: { ...on.payload, ...payload } },
      { earlier, changes, tags: tags && { before: [], ...tags } },
    )
    const trigger = { ...situation.trigger, command: isCommand ? COMMAND : undefined }
    const unchanged = of.includes('skip-unchanged') ? { 'skip-unchanged': 'true' } : {}
    const decided = decideNothing(
      { ...situation, trigger },
      factsOf({ ...inputs, ...unchanged }, attempt),
    )
    return [of, decided && (decided.isSettled === true ? 'settles' : 'skips')]
  })
  const wanted = ALL.map((of) => {
    const skipped = skips.includes(of) ? 'skips' : undefined
    return [of, settles.includes(of) ? 'settles' : skipped]
  })
  expect(Object.fromEntries(outcomes), name).toEqual(Object.fromEntries(wanted))
})
