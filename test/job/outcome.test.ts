import { describe, expect, it } from 'vitest'
import type { FailOnResult } from '../../src/inputs/table.ts'
import { jobOutputs, outcomeSentences, readPullRequest } from '../../src/job/outcome.ts'
import type { JobResult } from '../../src/job/poll.ts'
import { JobError } from '../../src/job/submit.ts'
import { outcome, PR_LINK } from './outcomes.ts'

const RUNNING = 'The job is still running. To wait for it, run this action with `job-id: j1`.'
const FAILS = 'The step fails because `fail-on` names'
const ARCHIVED =
  "The agent's job was archived (job j1). It was archived in the dashboard or by the service, and does no further work."
const LATER = 'A longer `timeout` gives the next run more time.'
const WAIT = { kind: 'wait', id: 'j1' } as const
const MESSAGE = { kind: 'message', id: 'j1', prompt: 'x' } as const

const expired = new JobError({ headline: 'The docs service refused the API key (401)', details: 'Renew it.' })
const EXPIRED = 'The docs service refused the API key (401). Renew it.'
const NO_CHANGE =
  'Completed without a pull request (job j1). Either no file needed a change, or the agent published straight to the branch.'
const FAILED =
  "The agent's job failed (job j1). The service gives no reason. Common ones: the agent cannot write to the repository (is its GitHub App installed there?), the credits are used up, or the prompt asks for something that the agent cannot do. The dashboard of the docs service shows the job."
const NEVER_SEEN = `Not finished within 30 min. The last poll failed. ${EXPIRED} The job may still be running. To wait for it, run this action with \`job-id: j1\`.`
/** No job was started or seen. */
const neverSeen = { error: expired, job: undefined, jobId: '', durationMs: undefined }

it.each<[JobResult, Parameters<typeof outcome>[1], string]>([
  ['pull-request', {}, `Pull request ready for review (job j1): ${PR_LINK}`],
  ['pull-request', { jobId: 'ready' }, `Pull request ready for review (job ready): ${PR_LINK}`],
  ['no-pull-request', {}, NO_CHANGE],
  ['failed', {}, `${FAILED} ${FAILS} \`failed\`.`],
  ['archived', {}, ARCHIVED],
  ['archived', { fields: { prLink: PR_LINK } }, `${ARCHIVED} Pull request: ${PR_LINK}`],
  ['timed-out', {}, `Not finished within 30 min. ${RUNNING} ${LATER} ${FAILS} \`timed-out\`.`],
  ['timed-out', { error: expired, job: undefined }, `${NEVER_SEEN} ${LATER} ${FAILS} \`timed-out\`.`],
  ['cancelled', {}, `Cancelled. ${RUNNING}`],
  ['cancelled', neverSeen, `Cancelled. ${EXPIRED}`],
  ['submitted', {}, `Job started; not waiting for it. ${RUNNING}`],
  ['submitted', { plan: MESSAGE }, `Message sent; not waiting for the job. ${RUNNING}`],
  ['submitted', { plan: WAIT }, RUNNING],
  ['error', { error: expired }, `${EXPIRED} ${RUNNING.replace('is still', 'may still be')}`],
  ['error', { error: expired, job: undefined }, `${EXPIRED} The request was about job j1.`],
  ['error', neverSeen, EXPIRED],
  ['error', { ...neverSeen, plan: undefined }, EXPIRED],
])('the outcome %s (%#) in words', (result, change, text) => {
  expect(outcomeSentences(outcome(result, change))).toBe(text)
})

it('an id and a link of any length are cut', () => {
  const long = 'x'.repeat(5000)
  expect(outcomeSentences(outcome('archived', { jobId: long })).length).toBeLessThan(1500)
  const prLink = `https://x.example/${long}`
  expect(outcomeSentences(outcome('pull-request', { fields: { prLink } })).length).toBeLessThan(2200)
})

const ALL: readonly FailOnResult[] = ['failed', 'archived', 'timed-out', 'no-pull-request']

it.each<[JobResult, readonly FailOnResult[], boolean, string]>([
  ['pull-request', ALL, false, '✅'],
  ['submitted', ALL, false, '🚀'],
  ['no-pull-request', [], false, '✅'],
  ['no-pull-request', ['failed', 'archived', 'timed-out'], false, '✅'],
  ['no-pull-request', ['no-pull-request'], true, '❌'],
  ['archived', ['failed'], false, '🗄️'],
  ['archived', ['archived'], true, '❌'],
  ['failed', ['failed'], true, '❌'],
  ['failed', [], false, '❌'],
  ['timed-out', ['timed-out'], true, '⏱️'],
  ['timed-out', [], false, '⏱️'],
  ['cancelled', [], true, '🛑'],
  ['error', [], true, '❌'],
])('%s with `fail-on` %j: fails %s, under %s', (result, names, isFailure, sign) => {
  const end = outcome(result, { failOn: new Set(names) })
  expect([end.isFailure, end.sign.source]).toEqual([isFailure, sign])
  const isNamed = isFailure && result !== 'cancelled' && result !== 'error'
  expect(end.failOnNote).toBe(isNamed ? `${FAILS} \`${result}\`.` : '')
})

it('a mere look is no 🚀', () => {
  expect(outcome('submitted', { plan: WAIT }).sign.source).toBe('⏳')
})

it.each<[JobResult, number | undefined, string | undefined, string]>([
  ['pull-request', 0, '0', ''],
  ['pull-request', 999, '0', ''],
  ['cancelled', 59_999, '59', '59 s'],
  ['timed-out', 1_799_000, '1799', ''],
  ['error', undefined, undefined, ''],
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
    expect(jobOutputs(outcome('error', neverSeen))).toEqual({ 'job-id': '', result: 'error' })
  })
})

it.each([
  ['https://github.com/acme/docs/pull/12', '12', 'acme/docs#12'],
  ['https://github.com/acme/docs/pull/12/files', '12', 'acme/docs#12'],
  ['http://127.0.0.1:4010/acme/docs/pull/12', '12', 'acme/docs#12'],
  ['https://gitlab.com/group/sub/docs/-/merge_requests/7', '7', 'group/sub/docs!7'],
  ['https://bitbucket.org/acme/docs/pull-requests/3', '3', 'acme/docs#3'],
  ['https://git.example/acme/docs/pulls/3', '3', 'git.example/acme/docs#3'],
  ['https://dev.example/acme/_git/docs/pullrequest/4', '4', 'dev.example/acme/_git/docs#4'],
  ['https://github.com.example/acme/docs/pull/7', '7', 'github.com.example/acme/docs#7'],
  ['https://example.com/reviews/5', '', 'example.com/reviews/5'],
  ['https://github.com/acme/docs/pull/x1', '', 'github.com/acme/docs/pull/x1'],
  ['not a url', '', 'not a url'],
])('%s has the number %j and the name %s', (link, number, name) => {
  expect(readPullRequest(link)).toEqual({ number, name })
})
