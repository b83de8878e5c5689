import { describe, expect, it } from 'vitest'
import { jobOutputs } from '../../src/job/job-summary.ts'
import { type JobResult, outcomeSentences } from '../../src/job/outcome.ts'
import { readPullRequest } from '../../src/job/pull-report.ts'
import {
  expired,
  FAIL_ON,
  FAILS,
  notStarted,
  PULL_REQUESTS,
  refused,
  type Started,
  WORDS,
} from './outcome.cases.ts'
import { outcome, PR_LINK, WAIT } from './outcomes.ts'

it.each(WORDS)('the outcome %s (%#) in words', (result, change, text) => {
  expect(outcomeSentences(outcome(result, change))).toBe(text)
})

it('an id and a link of any length are cut', () => {
  const long = 'x'.repeat(5000)
  expect(outcomeSentences(outcome('archived', { fields: { id: long } })).length).toBeLessThan(1500)
  const prLink = `https://x.example/${long}`
  expect(outcomeSentences(outcome('pull-request', { fields: { prLink } })).length).toBeLessThan(2200)
})

it.each(FAIL_ON)('%s with `fail-on` %j: fails %s, under %s', (result, failOn, isFailure, sign) => {
  const end = outcome(result, { inputs: { 'fail-on': failOn } })
  expect([end.isFailure, end.sign.source]).toEqual([isFailure, sign])
  const isNamed = isFailure && result !== 'cancelled' && result !== 'error'
  expect(end.failOnNote).toBe(isNamed ? `${FAILS} \`${result}\`.` : '')
  // It tells of the job.
  const isGood = ['pull-request', 'no-pull-request', 'submitted'].includes(result)
  expect(end.state).toBe(isGood ? 'success' : 'failure')
})

it.each<[Started, string]>([
  ['nothing', 'failure'],
  ['maybe', 'error'],
])('what may have been started is remembered as such: %s, %s', (started, state) => {
  expect(outcome('error', { end: notStarted(refused(started)) }).state).toBe(state)
})

it('a single look at a running job is not shown with a 🚀', () => {
  expect(outcome('submitted', { plan: WAIT }).sign.source).toBe('⏳')
})

it.each<[JobResult, number, string, string]>([
  ['pull-request', 0, '0', ''],
  ['pull-request', 999, '0', ''],
  ['cancelled', 59_999, '59', '59 s'],
  ['timed-out', 1_799_000, '1799', ''],
])('%s after %j ms: `duration-seconds` is %j, people read %j', (result, durationMs, seconds, took) => {
  const end = outcome(result, { durationMs })
  expect([jobOutputs(end)['duration-seconds'], end.took]).toEqual([seconds, took])
})

describe('the outputs', () => {
  it('are those of the job as last seen', () => {
    const { job, ...others } = jobOutputs(outcome('pull-request'))
    expect(others).toEqual({
      'job-id': 'j1',
      result: 'pull-request',
      'duration-seconds': '185',
      status: 'completed',
      'pr-operation': 'created',
      'pr-link': PR_LINK,
      'pr-number': '12',
      repository: 'https://github.com/acme/docs.git',
      ref: 'docs/flag',
      model: 'docs-agent-1',
      'created-at': '2026-08-01T10:00:00Z',
      'archived-at': '',
    })
    expect(JSON.parse(job ?? '')).toMatchObject({ id: 'j1', prLink: PR_LINK, extra: 7 })
  })

  it('are empty for what is null, and not set for what there is not', () => {
    const fields = { source: null, model: null, createdAt: null, archivedAt: '2026-08-02T10:00:00Z' }
    const empty = { 'pr-link': '', 'pr-number': '', repository: '', ref: '', model: '', 'created-at': '' }
    const outputs = { ...empty, 'archived-at': '2026-08-02T10:00:00Z' }
    expect(jobOutputs(outcome('archived', { fields }))).toMatchObject(outputs)
    expect(outcome('archived')).toMatchObject({ prLink: '', prName: '' })
    expect(jobOutputs(outcome('error', { end: notStarted(expired) }))).toEqual({
      'pr-operation': '',
      'job-id': '',
      result: 'error',
    })
  })
})

it.each(PULL_REQUESTS)('%s has the number %j and the name %s', (link, number, name) => {
  expect(readPullRequest(link)).toEqual({ number, name })
})
