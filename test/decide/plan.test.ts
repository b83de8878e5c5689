import { expect, it } from 'vitest'
import { decide } from '../../src/decide/plan.ts'
import { GitHubError, type Lookup, NOT_FOUND } from '../../src/github/github-errors.ts'
import { readInputs } from '../../src/inputs/table.ts'
import type { Attempt } from '../../src/look/earlier-runs.ts'
import { eventRow } from '../../src/look/event.ts'
import type { ObservedJob, PullState } from '../../src/look/situation.ts'
import type { NamedJob } from '../../src/look/status.ts'
import { readEnvironment } from '../../src/runner/run.ts'

const DAY_MS = 86_400_000
const NAMED: NamedJob = { id: 'j1', prLink: '', recordedAtMs: 0 }
const error = new GitHubError('GitHub returned 502')
const UNREAD: Lookup<never> = { known: false, why: error.message, error }

type Case = {
  /** The state of the job of an earlier attempt, and of an earlier run's. */
  readonly own?: ObservedJob['state']
  readonly earlier?: ObservedJob['state']
  /** What became of the earlier job's docs pull request, and for how many days it has been waiting. */
  readonly pull?: PullState['state']
  readonly waitsDays?: number
  readonly attempt?: Attempt
  readonly record?: Lookup<undefined>
  readonly isRerun?: boolean
  readonly isCommand?: boolean
  readonly event?: string
  readonly inputs?: Readonly<Record<string, string>>
}

/** Situations by the kind of the decision, and by what that does about the docs pull request. */
const CASES: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  create: {
    'no job before': {},
    'a completed job without a pull request': { earlier: 'completed' },
    'a failed job with an open one': { earlier: 'failed', pull: 'open' },
    'an open one without `follow-up`': {
      earlier: 'completed',
      pull: 'open',
      inputs: { 'follow-up': 'false' },
    },
    'a record that can’t be read': { record: UNREAD },
    'an own job that failed': { own: 'failed', isRerun: true },
    'an own job that was archived': { own: 'archived', isRerun: true },
    'an own job that is gone': { own: 'gone', isRerun: true },
    'an attempt without a record': { attempt: { kind: 'not-recorded' } },
  },
  message: {
    'an active job without a pull request': { earlier: 'active' },
    'a job in an unknown state': { earlier: 'unknown' },
    'a completed job without a pull request, and a command': {
      earlier: 'completed',
      isCommand: true,
    },
    'a given job': { inputs: { 'job-id': 'j1' } },
  },
  'message, updating it': {
    'an open one': { earlier: 'completed', pull: 'open' },
    'one that can’t be looked up': { earlier: 'completed', pull: 'unknown' },
    'one on another server': { earlier: 'completed', pull: 'elsewhere' },
    'one that has been waiting for exactly `pause-after`': {
      earlier: 'completed',
      pull: 'open',
      waitsDays: 14,
      inputs: { 'pause-after': '14d' },
    },
    'one that waits, on a release': {
      earlier: 'completed',
      pull: 'open',
      waitsDays: 15,
      event: 'release',
      inputs: { 'pause-after': '14d' },
    },
    'an own job that failed, and a newer run’s open one': {
      own: 'failed',
      earlier: 'completed',
      pull: 'open',
      isRerun: true,
    },
  },
  'create, mentioning it': {
    'a merged one': { earlier: 'active', pull: 'merged' },
    'a closed one': { earlier: 'active', pull: 'closed' },
    'one that the token can’t read': { earlier: 'completed', pull: 'invisible' },
    'an archived job with a merged one': { earlier: 'archived', pull: 'merged' },
  },
  skip: {
    'one that has been waiting for longer than `pause-after`': {
      earlier: 'completed',
      pull: 'open',
      waitsDays: 15,
      inputs: { 'pause-after': '14d' },
    },
  },
  stop: {
    'a record that can’t be read, on a re-run': { record: UNREAD, isRerun: true },
    'an attempt that may have started a job': { attempt: { kind: 'maybe-started' } },
    'an attempt that is unknown': { attempt: { kind: 'unknown', why: 'x' } },
  },
  wait: {
    'an own job that is active': { own: 'active', isRerun: true },
    'an own job that completed': { own: 'completed', isRerun: true },
    'a given job that may have had the message': {
      attempt: { kind: 'maybe-started' },
      inputs: { 'job-id': 'j1' },
    },
  },
}

function observed(state: ObservedJob['state'], pull?: PullState): ObservedJob {
  const fields = {
    prLink: null,
    repository: null,
    ref: null,
    model: null,
    createdAt: null,
    archivedAt: null,
  }
  const shown = { ...fields, id: 'j1', status: state, json: '{}', invalidFields: [] }
  const isKnown = state !== 'gone' && state !== 'unknown'
  return { ...NAMED, state, ...(isKnown && { job: shown }), pull }
}

it.each(
  Object.entries(CASES).flatMap(([leadsTo, cases]) =>
    Object.entries(cases).map(([name, one]) => ({ name, leadsTo, ...one })),
  ),
)('$name leads to $leadsTo', (one) => {
  const { own, earlier, pull, waitsDays = 0, attempt = { kind: 'none' } } = one
  const { record = NOT_FOUND, isRerun = false, isCommand = false, event = 'schedule' } = one
  const { inputs } = readInputs(new Map(Object.entries(one.inputs ?? {})), (text) => text)
  const nowMs = 100 * DAY_MS
  const prLink = 'https://github.com/acme/docs/pull/1'
  const facts = { openFor: '', why: '', editors: '' }
  const state = pull && {
    prLink,
    state: pull,
    waitingSinceMs: nowMs - waitsDays * DAY_MS,
    ...facts,
  }
  const thread = { kind: 'main', number: 1, isPull: true, rootId: 0 } as const
  const author = { id: 1, login: 'octocat', isBot: false }
  const source = { id: 1, url: '', thread }
  const command = { kind: 'comment', source, author, instructions: 'x', fresh: false } as const
  const decision = decide(
    {
      trigger: {
        event: { name: event, row: eventRow(event), payload: {} },
        command: isCommand ? command : undefined,
      },
      hasInstructions: true,
      hasRecord: true,
      earlier: {
        attempt,
        earlierJob: record,
        lastJob: NOT_FOUND,
        reachedLimit: false,
        unnamed: '',
      },
      ownJob: own && observed(own),
      earlierJob: earlier && observed(earlier, state),
      unchanged: undefined,
      nowMs,
    },
    {
      inputs,
      environment: readEnvironment({ GITHUB_RUN_ATTEMPT: isRerun ? '2' : '1' }),
      mintlify: 'Mintlify',
    },
  )
  const isUpdate = 'pull' in decision && decision.pull !== undefined
  const isMention = 'earlierPull' in decision && decision.earlierPull !== undefined
  const about = `${isUpdate ? ', updating it' : ''}${isMention ? ', mentioning it' : ''}`
  expect(`${decision.kind}${about}`).toBe(one.leadsTo)
})
