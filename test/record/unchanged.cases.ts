import { bareEvent } from '../support/events.ts'
import type { Harness, RunOptions } from '../support/harness.ts'
import { AGENT, addCommit, addPull, mergePull } from '../support/world.ts'

export const nothing = () => undefined
const byAgent = ({ world }: Harness) => addCommit(world, { author: AGENT })
const byPerson = ({ world }: Harness) => addCommit(world)
const times = (count: number, happen: () => unknown) => Array.from({ length: count }, happen)
const BY_AGENT = { sha: 'e'.repeat(40), commit: { message: 'Update' }, author: AGENT }
const compares = (body: object) => (harness: Harness) => [
  byAgent(harness),
  harness.github.faults.push({ match: /compare/, end: { status: 200, body } }),
]
/** A person merges the agent's pull request, which no index has yet. */
export const merge = ({ world }: Harness) => {
  const pull = addPull(world, { number: 7, user: AGENT, files: ['a.mdx'] })
  pull.indexedAtMs = world.now() + 60_000
  mergePull(world, pull)
}

type Happening = (harness: Harness) => unknown

/** What has happened since the last job, with which a schedule is skipped. */
export const UNCHANGED: readonly [string, Happening][] = [
  ['there was no commit', nothing],
  ['the agent wrote the only commit', byAgent],
  ["the agent's pull request was merged", merge],
  ['the agent wrote twenty commits', (harness) => times(20, () => byAgent(harness))],
]

/** What has happened, or what is asked, so that it is not. */
export const CHANGED: readonly [string, Happening, RunOptions?][] = [
  ['a person wrote a commit since', byPerson],
  ['a person and the agent did', (harness) => [byAgent(harness), byPerson(harness)]],
  [
    'GitHub fails to compare',
    (harness) => [byAgent(harness), harness.github.faults.push({ match: /compare/, end: '502' })],
  ],
  ['the agent wrote 21 commits', (harness) => times(21, () => byAgent(harness))],
  ['the branch was rewritten by the agent', compares({ status: 'diverged', commits: [BY_AGENT] })],
  ['GitHub lists no commits', compares({ status: 'ahead' })],
  [
    'GitHub knows no author',
    compares({ status: 'ahead', commits: [{}, { ...BY_AGENT, author: null }] }),
  ],
  [
    'GitHub knows no commit',
    compares({ status: 'ahead', commits: [{ ...BY_AGENT, commit: {} }, {}] }),
  ],
  ['it is off', nothing, { inputs: { 'skip-unchanged': 'false' } }],
  [
    'the agent is told what readers missed',
    nothing,
    { inputs: { context: 'files', 'reader-signals': 'agent' } },
  ],
  ['the event is no schedule', nothing, { event: bareEvent('workflow_dispatch') }],
]
