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

it.each<[string, Happening, Record<string, string>?]>([
  ['there was no commit', nothing],
  ['there was no commit, and a report is wanted', nothing, { 'visitors-summary': 'true' }],
  ['the agent wrote the only commit', byAgent],
  ["the agent's pull request was merged", merge],
  ['the agent wrote 250 commits', manyByAgent(250)],
])('`skip-unchanged` skips the job where since the last one %s', async (_what, happen, inputs) => {
  const end = await runAfter(happen, { inputs: { ...inputs } })
  const outputs = { result: 'skipped' }
  expect(end).toMatchObject({ outputs, calls: [], set: 0 })
  expect(end.log.join('\n')).toMatch(
    /^notice: Skipped: this branch has no commits except the agent's own since .* \(on [0-9a-f]{7}\)\.$/m,
  )
})

it.each<[string, Happening, RunOptions?]>([
  ['a person wrote a commit since', byPerson],
  ['a person and the agent did', (harness) => [byAgent(harness), byPerson(harness)]],
  [
    'GitHub fails to compare',
    (harness) => [byAgent(harness), harness.github.faults.push({ match: /compare/, end: '502' })],
  ],
  ['the agent wrote 251 commits', manyByAgent(251)],
  ['the branch was rewritten by the agent', compares({ status: 'diverged', commits: [BY_AGENT] })],
  ['GitHub lists no commits', compares({ status: 'ahead' })],
  [
    'GitHub knows no author',
    compares({ status: 'ahead', commits: [{}, { ...BY_AGENT, author: null }] }),
  ],
  ['it is off', nothing, { inputs: { 'skip-unchanged': 'false' } }],
  ['the event is no schedule', nothing, { event: bareEvent('workflow_dispatch') }],
])('`skip-unchanged` lets a run start where %s', async (_what, happen, options) => {
  const end = await runAfter(happen, options)
  expect(end.outputs['result']).toBe('submitted')
  expect(end.calls.some((call) => call.startsWith('POST /job'))).toBe(true)
})

it('`skip-unchanged` lets a run start where a permission is missing, and names it', async () => {
  const { outputs, log } = await runAfter((harness) => {
    merge(harness)
    harness.world.scopes.delete('pull-requests: write')
  })
  expect(outputs).toMatchObject({ result: 'submitted' })
  expect(log.join('\n')).toMatch(
    /^notice: .* grant `pull-requests: read`.* read the commits' pull requests/m,
  )
})
