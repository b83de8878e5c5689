import { expect, it } from 'vitest'
import { bareEvent } from '../support/events.ts'
import { type Harness, type RunOptions, startHarness } from '../support/harness.ts'
import { AGENT, addCommit, addPull, type CommitStatus, mergePull } from '../support/world.ts'

const event = bareEvent('schedule')
const usual = { prompt: 'Document it.', context: 'none', wait: 'false', 'skip-unchanged': 'true' }

/** A second run on a schedule, after what happens since the first one, which started a job. */
async function runAfter(happen: (harness: Harness) => unknown, { inputs, ...options }: RunOptions = {}) {
  const harness = await startHarness({ replies: {} })
  await harness.run({ event, inputs: usual })
  await harness.clock.sleep(1000)
  await happen(harness)
  const before = harness.statuses().length
  const end = await harness.run({ event, ...options, inputs: { ...usual, ...inputs } })
  return { ...end, set: harness.statuses().length - before }
}

const nothing = () => undefined
const byAgent = ({ world }: Harness) => addCommit(world, { author: AGENT })
const byPerson = ({ world }: Harness) => addCommit(world)
const unname = (status: CommitStatus) => ({ ...status, description: 'Completed' })
const times = (count: number, happen: () => unknown) => Array.from({ length: count }, happen)
const BY_AGENT = { sha: 'e'.repeat(40), commit: { message: 'Update' }, author: AGENT }
const compares = (body: object) => (harness: Harness) => [
  byAgent(harness),
  harness.github.faults.push({ match: /compare/, end: { status: 200, body } }),
]
/** A person merges the agent's pull request, which no index has yet. */
const merge = ({ world }: Harness) => {
  const pull = addPull(world, { number: 7, user: AGENT, files: ['a.mdx'] })
  pull.indexedAtMs = world.now() + 60_000
  mergePull(world, pull)
}

it.each<[string, (harness: Harness) => unknown]>([
  ['there was no commit', nothing],
  ['the agent wrote the only commit', byAgent],
  ["the agent's pull request was merged", merge],
  ['the agent wrote twenty commits', (harness) => times(20, () => byAgent(harness))],
])('`skip-unchanged` skips a schedule and sets no status where %s since', async (_what, happen) => {
  const end = await runAfter(happen)
  expect(end).toMatchObject({ hasFailed: false, outputs: { result: 'skipped' }, calls: [], set: 0 })
  expect(end.log.join('\n')).toMatch(
    /^notice: Skipped: no commit on this branch since this step's last job \(job `j1` on [0-9a-f]{7}\) but the agent's own\.$/m,
  )
})

it.each<[string, (harness: Harness) => unknown, RunOptions?]>([
  ['a person wrote a commit since', byPerson],
  ['a person and the agent did', (harness) => [byAgent(harness), byPerson(harness)]],
  [
    'GitHub fails to compare',
    (harness) => [byAgent(harness), harness.github.faults.push({ match: /compare/, end: '502' })],
  ],
  ['the agent wrote 21 commits', (harness) => times(21, () => byAgent(harness))],
  ['the branch was rewritten by the agent', compares({ status: 'diverged', commits: [BY_AGENT] })],
  ['GitHub lists no commits', compares({ status: 'ahead' })],
  ['GitHub knows no author', compares({ status: 'ahead', commits: [{}, { ...BY_AGENT, author: null }] })],
  ['GitHub knows no commit', compares({ status: 'ahead', commits: [{ ...BY_AGENT, commit: {} }, {}] })],
  ['it is off', nothing, { inputs: { 'skip-unchanged': 'false' } }],
  ['there is no `follow-up`', nothing, { inputs: { 'follow-up': 'false' } }],
  [
    'the agent is told what readers missed',
    nothing,
    { inputs: { context: 'files', 'reader-signals': 'agent' } },
  ],
  ['the event is no schedule', nothing, { event: bareEvent('workflow_dispatch') }],
])('`skip-unchanged` lets a run start where %s', async (_what, happen, options) => {
  const end = await runAfter(happen, options)
  expect(end.outputs['result']).toBe('submitted')
  expect(end.calls.some((call) => call.startsWith('POST /job'))).toBe(true)
})

it('`skip-unchanged` says where the last job is not named, and what permission it lacks', async () => {
  const unnamed = await runAfter(({ world }) =>
    world.statuses.splice(0, Infinity, ...world.statuses.map(unname)),
  )
  expect(unnamed.log.join('\n')).toContain("this step's last job (job of an unknown id on ")
  const forbidden = await runAfter((harness) => {
    merge(harness)
    harness.world.scopes.delete('pull-requests: write')
  })
  expect(forbidden.outputs).toMatchObject({ result: 'submitted' })
  expect(forbidden.log.join('\n')).toMatch(
    /^notice: Failed to read the commits' pull requests: .*`pull-requests: read`/m,
  )
})

it('`skip-unchanged` skips the job alone where a visitors report is requested', async () => {
  const end = await runAfter(nothing, { inputs: { 'visitors-summary': 'true' } })
  expect(end.outputs).toMatchObject({ result: 'skipped' })
  expect(end.calls.filter((call) => call !== 'GET /visitors')).toEqual([])
  expect(end.calls).toContain('GET /visitors')
})
