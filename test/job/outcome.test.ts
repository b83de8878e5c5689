import { describe, expect, it } from 'vitest'
import type { FailOnResult } from '../../src/inputs/table.ts'
import {
  failOnNote,
  isFailure,
  type JobResult,
  jobOutputs,
  outcomeSentences,
  outcomeWithoutJob,
  pullRequestName,
  pullRequestNumber,
} from '../../src/job/outcome.ts'
import type { PollEnd } from '../../src/job/poll.ts'
import { ServiceError } from '../../src/service/errors.ts'
import { CREATE, ENDS, outcome, PR_LINK } from './outcomes.ts'

const FAIL_ON = new Set<FailOnResult>(['failed', 'timed-out'])
const RUNNING = 'The job is still running. To wait for it, run this action with `job-id: j1`.'

const RESULTS = Object.values(ENDS).flat()

function sentences(result: JobResult, change: Parameters<typeof outcome>[1] = {}): string {
  return outcomeSentences(outcome(result, change), FAIL_ON)
}

describe('an outcome in words', () => {
  it.each([
    `pull-request: Pull request ready for review (job j1): ${PR_LINK}`,
    'no-pull-request: Completed without a pull request (job j1). Either no file needed a change, or the agent published straight to the branch.',
    "failed: The agent's job failed (job j1). The service gives no reason. Common ones: the agent cannot write to the repository (is its GitHub App installed there?), the credits are used up, or the prompt asks for something that the agent cannot do. The dashboard of the docs service shows the job. The step fails because `fail-on` names `failed`.",
    "archived: The agent's job was archived (job j1). It was archived in the dashboard or by the service, and does no further work.",
    `timed-out: Not finished within 30 min. ${RUNNING} A longer \`timeout\` waits longer. The step fails because \`fail-on\` names \`timed-out\`.`,
    `cancelled: Cancelled. ${RUNNING}`,
    `submitted: Job started; not waiting for it. ${RUNNING}`,
  ])('%s', (line) => {
    const result = RESULTS.find((one) => line.startsWith(`${one}: `)) ?? 'error'
    expect(`${result}: ${sentences(result)}`).toBe(line)
  })

  it('of a mere look says once that the job is running, and a job whose id is a common word is named', () => {
    expect(sentences('submitted', { plan: { kind: 'wait', id: 'j1' } })).toBe(RUNNING)
    expect(sentences('pull-request', { jobId: 'ready' })).toBe(
      `Pull request ready for review (job ready): ${PR_LINK}`,
    )
  })

  it('says of a timeout why the last look failed', () => {
    expect(sentences('timed-out', { error: refusal(503) })).toBe(
      `Not finished within 30 min. The last look failed. The docs service failed (503). The docs service answered the request to get the job with "no". The cause is the service or a proxy in front of it, not this workflow. ${RUNNING} A longer \`timeout\` waits longer. The step fails because \`fail-on\` names \`timed-out\`.`,
    )
  })

  it('says where the pull request is of a job that did not complete', () => {
    expect(sentences('archived', { fields: { prLink: PR_LINK } })).toBe(
      `The agent's job was archived (job j1). It was archived in the dashboard or by the service, and does no further work. Pull request: ${PR_LINK}`,
    )
  })

  it('says of an error what went wrong first, and how to wait for the job where one was seen', () => {
    const expired =
      'The docs service refused the API key (401). The docs service answered the request to get the job with "no". The key may have expired (keys last 90 days unless their owner chose otherwise), have been deleted, or belong to another service. Create a new admin key in the dashboard and update the secret behind `api-key`.'
    expect(sentences('error', { error: refusal(401) })).toBe(`${expired} ${RUNNING}`)
    const neverSeen = { error: refusal(401), job: undefined }
    expect(sentences('error', neverSeen)).toBe(`${expired} The request was about job j1.`)
  })

  it('cuts an id and a link of any length', () => {
    const id = 'x'.repeat(5000)
    expect(sentences('archived', { jobId: id }).length).toBeLessThan(1500)
    const link = `https://x.example/${'x'.repeat(5000)}`
    expect(sentences('pull-request', { fields: { prLink: link } }).length).toBeLessThan(2200)
  })
})

describe('an outcome without a job', () => {
  const failure = { headline: 'The docs service refused the API key (401)', details: 'Nothing was started.' }
  const message = { kind: 'message', id: 'j1', prompt: 'x' } as const
  const told = (...args: Parameters<typeof outcomeWithoutJob>) =>
    outcomeSentences(outcomeWithoutJob(...args), FAIL_ON)

  it('is an error with its cause, which names the job that a message was about', () => {
    const error = outcomeWithoutJob(failure, { plan: CREATE, isCancelled: false })
    expect(error).toMatchObject({ result: 'error', jobId: '', job: undefined, durationSeconds: undefined })
    expect(jobOutputs(error)).toEqual({ 'job-id': '', result: 'error' })
    expect(told(failure, { plan: CREATE, isCancelled: false })).toBe(
      'The docs service refused the API key (401). Nothing was started.',
    )
    expect(told(failure, { plan: message, isCancelled: false })).toBe(
      'The docs service refused the API key (401). Nothing was started. The request was about job j1.',
    )
  })

  it('says of a cancelled run what was going on', () => {
    expect(told(failure, { plan: undefined, isCancelled: true })).toBe(
      'Cancelled. The docs service refused the API key (401). Nothing was started.',
    )
    const early = { headline: '', details: 'Nothing was started.' }
    expect(told(early, { plan: undefined, isCancelled: true })).toBe('Cancelled. Nothing was started.')
    expect(outcomeWithoutJob(early, { plan: undefined, isCancelled: true }).result).toBe('cancelled')
  })
})

describe('the result', () => {
  it.each<[PollEnd['end'], string, string | null, JobResult]>([
    ['finished', 'completed', PR_LINK, 'pull-request'],
    ['finished', 'completed', null, 'no-pull-request'],
    ['finished', 'failed', PR_LINK, 'failed'],
    ['finished', 'archived', PR_LINK, 'archived'],
    ['running', 'active', PR_LINK, 'submitted'],
    ['timed-out', 'active', PR_LINK, 'timed-out'],
    ['cancelled', 'active', null, 'cancelled'],
    ['refused', 'active', null, 'error'],
  ])('of a wait that ended as %s, the job %s with the link %j, is %s', (end, status, prLink, result) => {
    expect(outcome(result, { end, fields: { status, prLink } }).result).toBe(result)
  })

  it.each<[PollEnd['end'], JobResult]>([
    ['timed-out', 'timed-out'],
    ['cancelled', 'cancelled'],
    ['refused', 'error'],
  ])('of a wait that ended as %s before the job was seen is %s', (end, result) => {
    expect(outcome(result, { end, job: undefined }).result).toBe(result)
  })
})

describe('fail-on', () => {
  const all: FailOnResult[] = ['failed', 'archived', 'timed-out', 'no-pull-request']

  it.each<[JobResult, FailOnResult[], boolean, string]>([
    ['pull-request', all, false, '✅'],
    ['submitted', all, false, '🚀'],
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
  ])('%s with %j: fails %s, under %s', (result, names, fails, sign) => {
    const failOn = new Set(names)
    const end = outcome(result, { failOn })
    expect(isFailure(result, failOn)).toBe(fails)
    expect(end.sign.source).toBe(sign)
    const isNamed = fails && result !== 'cancelled' && result !== 'error'
    expect(failOnNote(end, failOn)).toBe(
      isNamed ? `The step fails because \`fail-on\` names \`${result}\`.` : '',
    )
  })

  it('a mere look is no 🚀', () => {
    expect(outcome('submitted', { plan: { kind: 'wait', id: 'j1' } }).sign.source).toBe('⏳')
  })
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

  it('are empty for what is null', () => {
    const fields = { source: null, model: null, createdAt: null, archivedAt: '2026-08-02T10:00:00Z' }
    expect(jobOutputs(outcome('archived', { fields }))).toMatchObject({
      'pr-link': '',
      'pr-number': '',
      repository: '',
      ref: '',
      model: '',
      'created-at': '',
      'archived-at': '2026-08-02T10:00:00Z',
    })
  })

  it.each([
    [0, '0'],
    [999, '0'],
    [59_999, '59'],
  ])('count %d ms as %s whole seconds', (lastLookAfterMs, seconds) => {
    expect(jobOutputs(outcome('pull-request', { lastLookAfterMs }))['duration-seconds']).toBe(seconds)
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
  expect(pullRequestNumber(link)).toBe(number)
  expect(pullRequestName(link)).toBe(name)
})

function refusal(status: number): ServiceError {
  const notFound = { headline: 'No such job', fix: '' }
  return new ServiceError(
    { method: 'GET', path: [], purpose: 'get the job', notFound, limit: '' },
    {
      status,
      json: { error: 'no' },
      text: '',
      bodyProblem: undefined,
      location: '',
      retryAfterMs: undefined,
    },
  )
}
