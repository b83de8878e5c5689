import { expect } from 'vitest'
import { bareEvent, type Event, event, pullRequest, pushBy } from '../support/events.ts'
import type { GitHubFault } from '../support/github.ts'
import type { RunOptions } from '../support/harness.ts'
import type { Reply } from '../support/scripted-service.ts'

export const RUN_URL = 'https://github.com/acme/docs/actions/runs/1001/attempts/1'
export const PULL = 'https://github.com/acme/guides/pull/7'
const ELSEWHERE = 'https://git.example.com/acme/docs/-/merge_requests/7'
const PLAIN = 'http://git.example.com/acme/docs/pulls/7'
const LONG = `${PULL}?${'x'.repeat(2000 - PULL.length - 1)}`
export const STARTING = ['pending', 'Starting', RUN_URL]
export const WORKING = ['pending', 'The docs agent is working (j1)', RUN_URL]
export const READY = ['success', 'Pull request ready for review (j1)', PULL]
export const completed = (prLink = PULL): Reply => ({ body: { status: 'completed', prLink } })

/** The answer to a poll, and the status after it. */
export const ENDS: readonly [Reply, unknown][] = [
  [completed(), READY],
  [completed(ELSEWHERE), ['success', 'Pull request ready for review (j1)', ELSEWHERE]],
  [completed(PLAIN), ['success', 'Pull request ready for review (j1)', PLAIN]],
  [completed(LONG), ['success', 'Pull request ready for review (j1)', LONG]],
  [completed(`${LONG}x`), ['success', 'Pull request ready for review (j1)', RUN_URL]],
  [{ body: { status: 'failed' } }, ['failure', "The agent's job failed (j1)", RUN_URL]],
  [{ body: { status: 'archived' } }, ['failure', "The agent's job was archived (j1)", RUN_URL]],
  ['completed', ['success', 'Completed without a pull request (j1)', RUN_URL]],
  [{ status: 401 }, ['failure', 'The docs service refused the API key (401) (j1)', RUN_URL]],
]

/** How else runs end, and the status then. */
export const ENDS_OF_RUNS: readonly [string, RunOptions, unknown][] = [
  [
    'timed out',
    { inputs: { timeout: '20s' } },
    ['failure', 'Not finished within 20s (j1)', RUN_URL],
  ],
  ['cancelled', { cancelAtMs: 8000 }, ['failure', 'Cancelled (j1)', RUN_URL]],
  [
    'submitted',
    { inputs: { wait: 'false' } },
    ['success', 'Job started; not waiting for it (j1)', RUN_URL],
  ],
  [
    'completed, whatever `fail-on` says',
    { replies: { get: ['completed'] }, inputs: { 'fail-on': 'no-pull-request' } },
    ['success', 'Completed without a pull request (j1)', RUN_URL],
  ],
]

/** Answers to a create, and the status then. */
export const CREATES: readonly [string, Reply, unknown][] = [
  [
    'was refused',
    { status: 402 },
    ['failure', 'The credits of the docs service are used up, 402', RUN_URL],
  ],
  [
    'may have been accepted',
    { breaks: 'before' },
    ['error', expect.stringMatching(/^No response from the docs service: the connection/), RUN_URL],
  ],
  ['may have failed', { status: 500 }, ['error', 'The docs service failed, 500', RUN_URL]],
]

const HEAD = { head: { sha: 'd'.repeat(40) } }
const CLOSED = { ...HEAD, merged: false, merge_commit_sha: 'c'.repeat(40) }
/** Events, and the commits whose status they set. */
export const COMMITS: readonly [string, Event, string][] = [
  ['push', pushBy('octocat'), 'bbbbbbb'],
  ['schedule', bareEvent('schedule'), 'aaaaaaa'],
  ['release', event('release'), 'aaaaaaa'],
  ['pull_request', pullRequest({ action: 'synchronize', pull: HEAD }), 'ddddddd'],
  [
    'merged pull_request',
    pullRequest({ action: 'closed', pull: { ...CLOSED, merged: true } }),
    'ccccccc',
  ],
]

const STEP = 'docs.yml, docs, agent'
const onBranch = (name: string): RunOptions => ({ env: { GITHUB_REF: `refs/heads/${name}` } })
const toRelease = { ...CLOSED, base: { ref: 'release/1.x' } }
const dispatch = event('workflow_dispatch')
/** Runs, and what stands in the brackets of their statuses' name. */
export const NAMES: readonly [string, string, RunOptions][] = [
  ['a push to the default branch', STEP, { event: pushBy('octocat') }],
  [
    'a push to another branch',
    `${STEP}, branch release/1.x`,
    { event: pushBy('octocat'), ...onBranch('release/1.x') },
  ],
  ['a push of a tag', STEP, { event: pushBy('octocat'), env: { GITHUB_REF: 'refs/tags/v1' } }],
  [
    'a dispatch on another branch',
    `${STEP}, branch next`,
    { event: dispatch, ...onBranch('next') },
  ],
  [
    'a dispatch whose default branch is not known',
    STEP,
    { event: bareEvent('workflow_dispatch'), ...onBranch('next') },
  ],
  ['a schedule', STEP, { event: { ...dispatch, name: 'schedule' }, ...onBranch('next') }],
  ['a release', STEP, { event: event('release'), ...onBranch('next') }],
  [
    'an open pull request',
    `${STEP}, #5`,
    { event: pullRequest({ action: 'synchronize', pull: HEAD }) },
  ],
  [
    'a merged pull request',
    STEP,
    { event: pullRequest({ action: 'closed', pull: { ...CLOSED, merged: true } }) },
  ],
  [
    'one merged into another branch',
    `${STEP}, branch release/1.x`,
    { event: pullRequest({ action: 'closed', pull: { ...toRelease, merged: true } }) },
  ],
  [
    'a leg of a pull request',
    `${STEP}, #5, api / 24`,
    {
      event: pullRequest({ action: 'synchronize', pull: HEAD }),
      inputs: { matrix: '{"package":"api","node":24}' },
    },
  ],
]

/** A headline, a job's id, and the description made of them. */
export const DESCRIPTIONS: readonly [string, string, string][] = [
  ['Completed', 'job_1', 'Completed (job_1)'],
  ['Not finished within `30m`\n::error::x', 'job_1', 'Not finished within 30m ::error::x (job_1)'],
  ['x'.repeat(200), 'job_1', `${'x'.repeat(131)}… (job_1)`],
  ['x'.repeat(132), 'job_1', `${'x'.repeat(132)} (job_1)`],
  ['Completed', 'j'.repeat(138), `(${'j'.repeat(138)})`],
  ['Completed', 'j'.repeat(139), 'Completed'],
  ['Completed', 'a job', 'Completed'],
  ['Completed', 'job(1)', 'Completed'],
  ['x'.repeat(200), 'j'.repeat(139), `${'x'.repeat(138)}…`],
  ['The docs service refused the API key (401)', '', 'The docs service refused the API key, 401'],
  ['Refused(401)', '', 'Refused, 401'],
  ['Refused (401) for good', '', 'Refused (401) for good'],
  ['a) refused', '', 'a) refused'],
  ['Not\n\n finished', 'job_1', 'Not finished (job_1)'],
  ['Completed', 'j'.repeat(135), `C… (${'j'.repeat(135)})`],
]

/** Why a status can't be written: permissions that are missing, inputs, faults; and what the warning says. */
export const UNWRITTEN: readonly [
  string,
  readonly string[],
  Readonly<Record<string, string>>,
  readonly GitHubFault[],
  RegExp,
][] = [
  ['for lack of a permission', ['statuses: write'], {}, [], /`statuses: write`/],
  ['without a token', [], { 'github-token': '' }, [], /`github-token`/],
  [
    'with a token that GitHub refuses',
    [],
    {},
    [{ match: /./, end: '401' }],
    /`github-token` \(401/,
  ],
  ['while GitHub fails', [], {}, [{ match: /statuses\//, end: '502' }], /GitHub returned 502/],
  ['past the limit', [], {}, [{ match: /statuses\//, end: '422' }], /GitHub returned 422/],
]
