import type { Marker } from '../../src/memory/marker.ts'
import { pullRequest } from '../support/events.ts'
import type { RunOptions } from '../support/harness.ts'
import { type Account, AGENT, BEFORE, bot, person } from '../support/world.ts'

/** A comment on a pull request: by default an announcement of this step's, for no open pull request. */
export type Announced = {
  /** Who opened the pull request; of its first comment. */
  readonly opener?: Account
  readonly author?: Account
  readonly key?: string
  readonly marker?: Partial<Marker>
  /** A text without a marker. */
  readonly body?: string
}

/** The heads of the open pull requests 5 and 6. */
export const HEADS: Readonly<Record<number, string>> = { 5: '5'.repeat(40), 6: '6'.repeat(40) }

const onPull = (number: number): RunOptions => ({
  event: pullRequest({ action: 'synchronize', pull: { number, head: { sha: HEADS[number] ?? '' } } }),
})
const merged: RunOptions = {
  event: pullRequest({
    action: 'closed',
    pull: { number: 5, merged: true, merge_commit_sha: BEFORE, head: { sha: HEADS[5] ?? '' } },
  }),
}
const forPull: Announced = { marker: { source: 'pull/5' } }
const octocat = person('octocat')
const onTime: RunOptions = {}

/** What is announced on pull requests from 21 on, the run, the job that it continues, and a notice. */
export const FOUND: readonly [
  name: string,
  pulls: readonly (readonly Announced[])[],
  options: RunOptions,
  id?: string | undefined,
  says?: RegExp,
][] = [
  ['an announcement is found', [[{}]], onTime, 'job_21'],
  ['of two the one on the newest pull request counts', [[{}], [{}]], onTime, 'job_22'],
  ['it may stand below other comments', [[{ body: 'Hello.' }, {}]], onTime, 'job_21'],
  ['a pull request of somebody else announces nothing', [[{ opener: octocat }]], onTime],
  [
    'one of another of `ignore-authors` does',
    [[{ opener: bot('docs-bot[bot]') }]],
    { inputs: { 'ignore-authors': 'docs-bot' } },
    'job_21',
  ],
  ['an announcement that somebody else has copied does not count', [[{ author: octocat }]], onTime],
  ['one that the agent has copied does not count', [[{ author: AGENT }]], onTime],
  ['one of another project does not count', [[{ marker: { project: 'other' } }]], onTime],
  ['one of another step does not count', [[{ marker: { step: 'other.yml/docs/agent' } }]], onTime],
  ['one of this very run is another leg’s', [[{ marker: { run: '1001' } }]], onTime],
  [
    'one of this very run is its own on a re-run',
    [[{ marker: { run: '1001' } }]],
    { runId: 1001, attempt: 2 },
    'job_21',
  ],
  ['a reply is no announcement', [[{ marker: { kind: 'reply' } }]], onTime],
  [
    'behind one that does not count an older one does',
    [[{}], [{ marker: { step: 'other' } }]],
    onTime,
    'job_21',
  ],
  [
    'one with another key is said',
    [[{ key: 'mint_other_key' }]],
    onTime,
    undefined,
    /^notice: .*#21 was announced with another API key/,
  ],
  [
    'one of another project with another key is not',
    [[{ key: 'mint_other_key', marker: { project: 'other' } }]],
    onTime,
  ],
  [
    'one with another key that somebody else has copied is not',
    [[{ key: 'mint_other_key', author: octocat }]],
    onTime,
  ],
  ['one for an open pull request is no schedule’s', [[forPull]], onTime],
  ['one for an open pull request is that pull request’s', [[forPull]], onPull(5), 'job_21'],
  ['one for an open pull request is no other one’s', [[forPull]], onPull(6)],
  ['one for no open pull request is no open one’s', [[{}]], onPull(5)],
  ['a merged pull request continues what was announced for it', [[forPull]], merged, 'job_21'],
  ['a merged pull request continues what was announced for a push', [[{}]], merged, 'job_21'],
  ['a merged pull request continues none of another open one', [[{ marker: { source: 'pull/6' } }]], merged],
]
