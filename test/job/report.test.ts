import { describe, expect, it } from 'vitest'
import { parsePullRequest } from '../../src/github/pull-requests.ts'
import { jobOutputs } from '../../src/job/job-summary.ts'
import { type JobResult, reportSentences } from '../../src/job/report.ts'
import {
  expired,
  FAIL_ON,
  FAILS,
  notStarted,
  PULL_REQUESTS,
  refused,
  type Started,
  WORDS,
} from './report.cases.ts'
import { PR_LINK, report, WAIT } from './reports.ts'

it.each(WORDS)('the report %s (%#) in words', (result, change, text) => {
  expect(reportSentences(report(result, change))).toBe(text)
})

it('an id and a link of any length are cut', () => {
  const long = 'x'.repeat(5000)
  expect(reportSentences(report('archived', { fields: { id: long } })).length).toBeLessThan(1500)
  const prLink = `https://x.example/${long}`
  expect(reportSentences(report('pull-request', { fields: { prLink } })).length).toBeLessThan(2200)
})

it.each(FAIL_ON)('%s with `fail-on` %j: fails %s, under %s', (result, failOn, isFailure, sign) => {
  const end = report(result, { inputs: { 'fail-on': failOn } })
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
  expect(report('error', { end: notStarted(refused(started)) }).state).toBe(state)
})

it('a single look at a running job is not shown with a 🚀', () => {
  expect(report('submitted', { plan: WAIT }).sign.source).toBe('⏳')
})

it.each<[JobResult, number, string]>([
  ['pull-request', 0, ''],
  ['pull-request', 999, ''],
  ['cancelled', 59_999, '59 s'],
  ['timed-out', 1_799_000, ''],
])('%s after %j ms took %j', (result, durationMs, took) => {
  expect(report(result, { durationMs }).took).toBe(took)
})

describe('the outputs', () => {
  it('are those of the job as last seen', () => {
    const { job, ...others } = jobOutputs(report('pull-request'))
    expect(others).toEqual({
      'job-id': 'j1',
      result: 'pull-request',
      status: 'completed',
      'pr-operation': 'created',
      'pr-link': PR_LINK,
      'pr-number': '12',
      'source-authors': '',
    })
    expect(JSON.parse(job ?? '')).toMatchObject({ id: 'j1', prLink: PR_LINK, extra: 7 })
  })

  it('are empty for what is null, and not set for what there is not', () => {
    expect(jobOutputs(report('archived'))).toMatchObject({ 'pr-link': '', 'pr-number': '' })
    expect(report('archived')).toMatchObject({ prLink: '', prName: '' })
    expect(jobOutputs(report('error', { end: notStarted(expired) }))).toEqual({
      'pr-operation': '',
      'source-authors': '',
      'job-id': '',
      result: 'error',
    })
  })
})

it.each(PULL_REQUESTS)('%s has the number %j and the name %s', (link, number, name) => {
  expect(parsePullRequest(link)).toMatchObject({ number, name })
})
