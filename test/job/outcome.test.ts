import { describe, expect, it } from 'vitest'
import {
  type JobEnd,
  type JobResult,
  jobOutputs,
  outcomeSentences,
  readPullRequest,
} from '../../src/job/outcome.ts'
import { JobError } from '../../src/job/submit.ts'
import { MESSAGE, outcome, PR_LINK, WAIT } from './outcomes.ts'

const RUNNING = 'The job is still running. To wait for it, run this action with `job-id: j1`.'
const MAYBE_RUNNING = RUNNING.replace('is still', 'may still be')
const FAILS = 'The step fails because `fail-on` names'
const ARCHIVED =
  "The agent's job was archived (job j1). It was archived in the dashboard or by the service, and does no further work."
const LATER = 'A longer `timeout` gives the next run more time.'

type Started = ConstructorParameters<typeof JobError>[0]
const REFUSED = { headline: 'The docs service refused the API key (401)', details: 'Renew it.' }
const refused = (started: Started, isTransient = false) => new JobError(started, REFUSED, { isTransient })
const expired = refused('nothing')
const EXPIRED = 'The docs service refused the API key (401). Renew it.'
/** No job was started or seen. */
const notStarted = (error?: JobError, isCancelled = false): JobEnd => ({
  kind: 'not-started',
  isCancelled,
  error,
})
const NO_CHANGE =
  'Completed without a pull request (job j1). Either no file needed a change, or the agent published straight to the branch.'
const FAILED =
  "The agent's job failed (job j1). The service gives no reason. Common ones: the agent cannot write to the repository (is its GitHub App installed there?), the credits are used up, or the prompt asks for something that the agent cannot do. The dashboard of the docs service shows the job."
const NEVER_SEEN = `Not finished within 30m. The last poll failed. ${EXPIRED} ${MAYBE_RUNNING}`
const unseen = { isUnseen: true, error: expired, plan: WAIT }
const SAFE = 'Nothing was started, so it is safe to run this again.'
const ANEW =
  'Nothing was started. Start the workflow anew: a re-run starts nothing, as this run could not write down what it does.'
const anew = { rerun: 'anew' } as const

it.each<[JobResult, Parameters<typeof outcome>[1], string]>([
  ['pull-request', {}, `Pull request ready for review (job j1): ${PR_LINK}`],
  ['pull-request', { fields: { id: 'ready' } }, `Pull request ready for review (job ready): ${PR_LINK}`],
  ['no-pull-request', {}, NO_CHANGE],
  ['failed', {}, `${FAILED} ${FAILS} \`failed\`.`],
  ['archived', {}, ARCHIVED],
  ['archived', { fields: { prLink: PR_LINK } }, `${ARCHIVED} Pull request: ${PR_LINK}`],
  ['timed-out', {}, `Not finished within 30m. ${RUNNING} ${LATER} ${FAILS} \`timed-out\`.`],
  ['timed-out', unseen, `${NEVER_SEEN} ${LATER} ${FAILS} \`timed-out\`.`],
  [
    'timed-out',
    { inputs: { timeout: ' 1h30m ', 'fail-on': 'none' } },
    `Not finished within 1h30m. ${RUNNING} ${LATER}`,
  ],
  ['cancelled', {}, `Cancelled. ${RUNNING}`],
  ['cancelled', { end: notStarted(undefined, true) }, 'Cancelled. Nothing was started.'],
  ['cancelled', { end: notStarted(refused('nothing', true), true) }, `Cancelled. ${EXPIRED} ${SAFE}`],
  ['cancelled', { end: notStarted(refused('maybe'), true) }, `Cancelled. ${EXPIRED}`],
  ['submitted', {}, `Job started; not waiting for it. ${RUNNING}`],
  ['submitted', { plan: MESSAGE }, `Message sent; not waiting for the job. ${RUNNING}`],
  ['submitted', { plan: WAIT }, RUNNING],
  ['error', { error: expired }, `${EXPIRED} ${MAYBE_RUNNING}`],
  ['error', unseen, `${EXPIRED} The request was about job j1.`],
  ['error', { end: notStarted(expired) }, `${EXPIRED} Nothing was started.`],
  ['error', { end: notStarted(refused('nothing', true)), plan: undefined }, `${EXPIRED} ${SAFE}`],
  // A re-run would start none.
  ['error', { end: notStarted(refused('nothing', true)), ...anew }, `${EXPIRED} ${ANEW}`],
  ['error', { end: notStarted(expired), ...anew }, `${EXPIRED} ${ANEW}`],
  ['error', { end: notStarted(refused('maybe')), ...anew }, EXPIRED],
  ['error', { end: notStarted(refused('unknown')) }, EXPIRED],
])('the outcome %s (%#) in words', (result, change, text) => {
  expect(outcomeSentences(outcome(result, change))).toBe(text)
})

it('an id and a link of any length are cut', () => {
  const long = 'x'.repeat(5000)
  expect(outcomeSentences(outcome('archived', { fields: { id: long } })).length).toBeLessThan(1500)
  const prLink = `https://x.example/${long}`
  expect(outcomeSentences(outcome('pull-request', { fields: { prLink } })).length).toBeLessThan(2200)
})

it.each<[JobResult, string, boolean, string]>([
  ['pull-request', 'failed, archived, timed-out, no-pull-request', false, '✅'],
  ['submitted', 'failed, archived, timed-out, no-pull-request', false, '🚀'],
  ['no-pull-request', 'none', false, '✅'],
  ['no-pull-request', 'failed, archived, timed-out', false, '✅'],
  ['no-pull-request', 'no-pull-request', true, '❌'],
  ['archived', 'failed', false, '🗄️'],
  ['archived', 'archived', true, '❌'],
  ['failed', 'failed', true, '❌'],
  ['failed', 'none', false, '❌'],
  ['timed-out', 'timed-out', true, '⏱️'],
  ['timed-out', 'none', false, '⏱️'],
  ['cancelled', 'none', true, '🛑'],
  ['error', 'none', true, '❌'],
])('%s with `fail-on` %j: fails %s, under %s', (result, failOn, isFailure, sign) => {
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

it('a mere look is no 🚀', () => {
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
      'job-id': '',
      result: 'error',
    })
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
