import { expect, it } from 'vitest'
import { decide } from '../../src/decide/plan.ts'
import type { Attempt } from '../../src/look/earlier-runs.ts'
import type { ObservedJob, PullState } from '../../src/look/situation.ts'
import type { NamedJob } from '../../src/look/status.ts'
import { event, workflowRun } from '../support/events.ts'
import { COMMAND, factsOf, situationOf } from './situations.ts'

const DAY_MS = 86_400_000
const NAMED: NamedJob = { id: 'j1', prLink: '', recordedAtMs: 0 }

type Case = {
  /** The state of the job of an earlier attempt, and of an earlier run's. */
  readonly own?: ObservedJob['state']
  readonly earlier?: ObservedJob['state']
  /** The state of the earlier job's docs pull request, and for how many days it has been waiting. */
  readonly pull?: PullState['state']
  readonly isApproved?: boolean
  readonly waitsDays?: number
  readonly attempt?: Attempt
  readonly isRerun?: boolean
  readonly isCommand?: boolean
  readonly on?: string
  readonly inputs?: Readonly<Record<string, string>>
}

const UNCLEAR: Attempt = { kind: 'unclear', why: 'It was interrupted.' }

/** A case on each of these events, in which there is an open docs pull request. */
function onEvents(names: readonly string[], what: string, one: Case): Record<string, Case> {
  const cases = names.map((on): [string, Case] => [
    `${what}, on ${on}`,
    { earlier: 'completed', pull: 'open', ...one, on },
  ])
  return Object.fromEntries(cases)
}

const EVENTS: Readonly<Record<string, ReturnType<typeof event>>> = {
  schedule: { name: 'schedule', payload: {} },
  push: event('push', { ref: 'refs/heads/main' }),
  tag: event('push', { ref: 'refs/tags/v1.2.0' }),
  release: event('release'),
  workflow_dispatch: event('workflow_dispatch'),
  repository_dispatch: event('repository_dispatch'),
  pull_request: event('pull_request', { action: 'closed', pull_request: { merged: true } }),
  workflow_run: workflowRun(),
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
    'one on another server': { earlier: 'completed', pull: 'elsewhere' },
    'one that has been waiting for exactly `pause-after`': {
      earlier: 'completed',
      pull: 'open',
      waitsDays: 14,
      inputs: { 'pause-after': '14d' },
    },
    ...onEvents(['release', 'tag', 'workflow_dispatch', 'pull_request'], 'one that waits', {
      waitsDays: 15,
      inputs: { 'pause-after': '14d' },
    }),
    ...onEvents(['release', 'tag', 'repository_dispatch', 'pull_request'], 'an approved one', {
      isApproved: true,
    }),
    'an approved one, and a command': {
      earlier: 'completed',
      pull: 'open',
      isApproved: true,
      on: 'issue_comment',
      isCommand: true,
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
    'an archived job with a merged one': { earlier: 'archived', pull: 'merged' },
  },
  skip: {
    ...onEvents(['push', 'schedule', 'workflow_run'], 'one that waits', {
      waitsDays: 15,
      inputs: { 'pause-after': '14d' },
    }),
    ...onEvents(['push', 'schedule', 'workflow_run'], 'an approved one', { isApproved: true }),
  },
  stop: {
    'one that the token can’t read': { earlier: 'completed', pull: 'invisible' },
    'an attempt that may have started a job': { attempt: UNCLEAR },
    'an attempt that may have started a job, and an earlier job': {
      attempt: UNCLEAR,
      earlier: 'completed',
      pull: 'open',
    },
  },
  wait: {
    'an own job that is active': { own: 'active', isRerun: true },
    'an own job that completed': { own: 'completed', isRerun: true },
    'a given job that may have had the message': {
      attempt: UNCLEAR,
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
  const { isApproved = false, isRerun = false, isCommand = false, on = 'schedule' } = one
  const nowMs = 100 * DAY_MS
  const state = pull && {
    prLink: 'https://github.com/acme/docs/pull/1',
    state: pull,
    waitingSinceMs: nowMs - waitsDays * DAY_MS,
    isApproved,
    openFor: '',
  }
  const start = situationOf(EVENTS[on] ?? event(on), {
    earlier: { attempt },
    ownJob: own && observed(own),
    earlierJob: earlier && observed(earlier, state),
    nowMs,
  })
  const trigger = { ...start.trigger, command: isCommand ? COMMAND : undefined }
  const decision = decide({ ...start, trigger }, factsOf(one.inputs, isRerun ? 2 : 1))
  const isUpdate = 'pull' in decision && decision.pull !== undefined
  const isMention = 'earlierPull' in decision && decision.earlierPull !== undefined
  const about = `${isUpdate ? ', updating it' : ''}${isMention ? ', mentioning it' : ''}`
  expect(`${decision.kind}${about}`).toBe(one.leadsTo)
})
