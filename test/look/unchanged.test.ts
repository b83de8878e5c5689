import { expect, it } from 'vitest'
import { bareEvent } from '../support/events.ts'
import { type Harness, type RunOptions, startHarness } from '../support/harness.ts'
import { AGENT, addCommit, addPull, mergePull } from '../support/world.ts'

const event = bareEvent('schedule')
const usual = { prompt: 'Document it.', context: 'none', wait: 'false', 'skip-unchanged': 'true' }

type Happening = (harness: Harness) => unknown
const nothing = () => undefined
const byPerson: Happening = ({ world }) => addCommit(world)
const byAgent: Happening = ({ world }) => addCommit(world, { author: AGENT })
const manyByAgent =
  (count: number): Happening =>
  (harness) =>
    Array.from({ length: count }, () => byAgent(harness))
const BY_AGENT = { sha: 'e'.repeat(40), commit: { message: 'Update' }, author: AGENT }
const compares =
  (body: object): Happening =>
  (harness) => {
    byAgent(harness)
    harness.github.faults.push({ match: /compare/, end: { status: 200, body } })
  }
/** A person merges the agent's pull request, which no index has yet. */
const merge: Happening = ({ world }) => {
  const pull = addPull(world, { number: 7, user: AGENT, files: ['a.mdx'] })
  pull.indexedAtMs = world.now() + 60_000
  mergePull(world, pull, 'merge')
}

/** A second run on a schedule, after what happens since the first one, which started a job. */
async function runAfter(happen: Happening, { inputs, ...options }: RunOptions = {}) {
  const harness = await startHarness({ replies: {} })
  await harness.run({ event, inputs: usual })
  await harness.clock.sleep(1000)
  happen(harness)
  const before = harness.statuses().length
  const end = await harness.run({ event, ...options, inputs: { ...usual, ...inputs } })
  const calls = end.calls.filter((call) => call.includes('/job'))
  return { ...end, calls, set: harness.statuses().length - before }
}

it.each<{
  readonly what: string
  readonly happen: Happening
  readonly inputs?: RunOptions['inputs']
  /** Whether the record moves to the new commit. */
  readonly moves: boolean
}>([
  { what: 'there was no commit', happen: nothing, moves: false },
  {
    what: 'there was no commit, and a report is wanted',
    happen: nothing,
    inputs: { 'visitors-summary': 'true' },
    moves: false,
  },
  { what: 'the agent wrote the only commit', happen: byAgent, moves: true },
  { what: "the agent's pull request was merged", happen: merge, moves: true },
  { what: 'the agent wrote 250 commits', happen: manyByAgent(250), moves: true },
])('`skip-unchanged` skips the job if since the last one $what', async (row) => {
  const end = await runAfter(row.happen, { inputs: { ...row.inputs } })
  const outputs = { result: 'skipped' }
  expect(end).toMatchObject({ outputs, calls: [], set: row.moves ? 1 : 0 })
  expect(end.log.join('\n')).toMatch(/^notice: Skipped: /m)
})

it.each<{
  readonly what: string
  readonly happen: Happening
  readonly options?: RunOptions
}>([
  { what: 'a person wrote a commit since', happen: byPerson },
  {
    what: 'a person and the agent did',
    happen: (harness) => [byAgent(harness), byPerson(harness)],
  },
  { what: 'the agent wrote 251 commits', happen: manyByAgent(251) },
  {
    what: 'the branch was rewritten by the agent',
    happen: compares({ status: 'diverged', behind_by: 1, commits: [BY_AGENT] }),
  },
  {
    what: 'GitHub knows no author',
    happen: compares({ status: 'ahead', commits: [{}, { ...BY_AGENT, author: null }] }),
  },
  {
    what: 'it is off',
    happen: nothing,
    options: { inputs: { 'skip-unchanged': 'false' } },
  },
  {
    what: 'the event is not a schedule',
    happen: nothing,
    options: { event: bareEvent('workflow_dispatch') },
  },
])('`skip-unchanged` lets a run start if $what', async ({ happen, options }) => {
  const end = await runAfter(happen, options)
  expect(end.outputs['result']).toBe('submitted')
  expect(end.calls.some((call) => call.startsWith('POST /job'))).toBe(true)
})

it.each<{ readonly what: string; readonly fail: Happening }>([
  {
    what: 'GitHub fails to compare',
    fail: ({ github }) => github.faults.push({ match: /compare/, end: '502' }),
  },
  { what: 'GitHub lists no commits', fail: compares({ status: 'ahead' }) },
  {
    what: 'the token can not read pull requests',
    fail: ({ world }) => world.scopes.delete('pull-requests: write'),
  },
])('a run starts nothing, and leaves the record as it is, if $what', async ({ fail }) => {
  const end = await runAfter((harness) => [merge(harness), fail(harness)])
  expect(end).toMatchObject({ hasFailed: true, calls: [], set: 0, outputs: { result: 'error' } })
  expect(end.log.filter((line) => /^(?:error|warning|notice): /.test(line))).toHaveLength(1)
})
