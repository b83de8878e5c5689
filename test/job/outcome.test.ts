import { describe, expect, it } from 'vitest'
import type { FailOnResult } from '../../src/inputs/table.ts'
import { isFailure, type JobResult, jobOutputs, type Outcome, resultOf } from '../../src/job/outcome.ts'
import { describeResult, failOnNote, outcomeText, signOf } from '../../src/job/outcome-text.ts'
import { inputsErrorSummary, jobSummary } from '../../src/job/summary.ts'
import { readJob } from '../../src/service/job.ts'

const prLink = 'https://github.com/acme/docs/pull/12'
const context = {
  timeoutMs: 1_800_000,
  projectId: 'docs',
  failOn: new Set<FailOnResult>(['failed', 'timed-out']),
}
const unchanged = (text: string): string => text

function outcome(result: JobResult, overrides: Partial<Outcome> = {}): Outcome {
  const job = readJob({
    id: 'j1',
    status: result === 'pull-request' || result === 'no-pull-request' ? 'completed' : 'active',
    source: { repository: 'https://github.com/acme/docs.git', ref: 'docs/flag' },
    model: 'docs-agent-1',
    createdAt: '2026-08-01T10:00:00Z',
    prLink: result === 'pull-request' ? prLink : null,
  })
  return { result, job, jobId: 'j1', durationSeconds: 185, headline: '', reason: '', sent: '', ...overrides }
}

function summaryOf(result: JobResult, overrides: Partial<Outcome> = {}): string {
  return jobSummary(outcome(result, overrides), context, unchanged).source
}

describe('an outcome in words', () => {
  it.each<[JobResult, string]>([
    ['pull-request', `Pull request ready for review (job j1): ${prLink}`],
    [
      'no-pull-request',
      'Completed without a pull request (job j1). Either no file needed a change, or the agent published straight to the branch.',
    ],
    [
      'failed',
      "The agent's job failed (job j1). The service gives no reason. Common ones: the agent cannot write to the repository (is its GitHub App installed there?), the credits are used up, or the prompt asks for something that the agent cannot do. The dashboard of the docs service shows the job. The step fails because `fail-on` names `failed`.",
    ],
    [
      'archived',
      "The agent's job was archived (job j1). It was archived in the dashboard or by the service, and does no further work.",
    ],
    [
      'timed-out',
      "Not finished within 30 min 00 s. The agent's job goes on in the background. To pick it up, run this action with `job-id: j1`. A longer `timeout` waits longer. The step fails because `fail-on` names `timed-out`.",
    ],
    [
      'cancelled',
      "Cancelled. The agent's job goes on in the background. To pick it up, run this action with `job-id: j1`.",
    ],
    [
      'submitted',
      "Submitted; the agent is at work. The agent's job goes on in the background. To pick it up, run this action with `job-id: j1`.",
    ],
  ])('%s: says %j', (result, text) => {
    expect(describeResult(outcome(result), context)).toBe(text)
  })

  it('names a job whose id is part of the words, too', () => {
    const text = describeResult(outcome('pull-request', { jobId: 'ready' }), context)
    expect(text).toBe(`Pull request ready for review (job ready): ${prLink}`)
  })

  it('says of an error what went wrong first, and how to pick the job up where there is one', () => {
    const headline = 'The docs service refused the API key (401)'
    const without = outcome('error', { job: undefined, jobId: '', headline, reason: 'Nothing was started.' })
    expect(describeResult(without, context)).toBe(`${headline}. Nothing was started.`)
    const withJob = outcome('error', { headline, reason: 'It may have expired.' })
    expect(outcomeText(withJob, context)).toEqual({
      headline,
      advice:
        "It may have expired. The agent's job goes on in the background. To pick it up, run this action with `job-id: j1`.",
    })
    const neverSeen = outcome('error', { job: undefined, headline, reason: 'It may have expired.' })
    expect(outcomeText(neverSeen, context).advice).toBe('It may have expired.')
    expect(describeResult(neverSeen, context)).toBe(
      `${headline}. It may have expired. The request was about job j1.`,
    )
  })

  it('says of a cancelled run what was going on', () => {
    const cancelled = outcome('cancelled', {
      job: undefined,
      jobId: '',
      headline: 'No answer yet',
      reason: 'Hm.',
    })
    expect(describeResult(cancelled, context)).toBe('Cancelled. No answer yet. Hm.')
  })
})

it.each([
  ['completed', prLink, 'pull-request'],
  ['completed', null, 'no-pull-request'],
  ['failed', prLink, 'failed'],
  ['archived', prLink, 'archived'],
])('a job that is %s with the pull request %j has the result %s', (status, link, result) => {
  const job = readJob({ id: 'j1', status, prLink: link })
  expect(job && resultOf(job)).toBe(result)
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
    ['timed-out', ['timed-out'], true, '⏱️'],
    ['timed-out', [], false, '⏱️'],
    ['cancelled', [], true, '🛑'],
    ['error', [], true, '❌'],
  ])('%s with %j: fails %s, under %s', (result, failOn, fails, sign) => {
    const names = new Set(failOn)
    expect(isFailure(result, names)).toBe(fails)
    expect(signOf(result, names).source).toBe(sign)
    const isNamed = fails && result !== 'cancelled' && result !== 'error'
    expect(failOnNote(outcome(result), { ...context, failOn: names })).toBe(
      isNamed ? `The step fails because \`fail-on\` names \`${result}\`.` : '',
    )
  })
})

describe('the job summary', () => {
  it('shows the pull request first, then one grey line, and the rest folded', () => {
    expect(summaryOf('pull-request', { sent: 'Explain `x`.\n```\ncode' })).toBe(
      [
        `## ✅ Pull request [acme/docs#\u200b12](${prLink}) is ready for review`,
        'The docs agent changed [acme/docs](https://github.com/acme/docs.git), on the branch `docs/flag`.',
        '<sub>Docs agent · project `docs` · model `docs-agent-1` · 3 min 05 s</sub>',
        '<details><summary>Job and prompt</summary>',
        '| Job | `j1` |\n| :--- | :--- |\n| Status | `completed` |\n| Created | `2026-08-01T10:00:00Z` |',
        '````text\nExplain `x`.\n```\ncode\n````',
        '</details>',
      ].join('\n\n'),
    )
  })

  it('names the project and nothing else of what is not known', () => {
    const unknown = { job: undefined, jobId: '', durationSeconds: undefined }
    const headline = 'No project `nonesuch` (404)'
    expect(summaryOf('error', { ...unknown, headline, reason: 'Check `project-id`.' })).toBe(
      [
        '## ❌ No project `nonesuch` (404)',
        'Check `project-id`.',
        '<sub>Docs agent · project `docs`</sub>',
      ].join('\n\n'),
    )
  })

  it('says nothing of a duration below a second', () => {
    expect(summaryOf('no-pull-request', { durationSeconds: 0 })).toContain(
      '<sub>Docs agent · project `docs` · model `docs-agent-1`</sub>',
    )
  })

  it('says why the step fails, under a sign that fits', () => {
    const failOn = new Set<FailOnResult>(['no-pull-request'])
    const { source } = jobSummary(outcome('no-pull-request'), { ...context, failOn }, unchanged)
    expect(source).toMatch(/^## ❌ Completed without a pull request\n/)
    expect(source).toContain('The step fails because `fail-on` names `no-pull-request`.')
  })

  it('links the pull request of a job that has not completed', () => {
    const job = readJob({ id: 'j1', status: 'failed', prLink })
    expect(summaryOf('failed', { job })).toContain(`Its pull request: [acme/docs#\u200b12](${prLink})`)
  })

  it('shows a link that is none as text', () => {
    const job = readJob({ id: 'j1', status: 'completed', prLink: 'javascript:alert(1)//@team' })
    const [heading] = summaryOf('pull-request', { job }).split('\n')
    expect(heading).toBe('## ✅ Pull request `javascript:alert(1)//@team` is ready for review')
  })

  it('takes the secret out of the prompt before that is cut', () => {
    const sent = `${'x'.repeat(199_990)}mint_0123456789`
    const summary = jobSummary(outcome('pull-request', { sent }), context, (text) =>
      text.replaceAll('mint_0123456789', '***'),
    )
    expect(summary.source).not.toContain('mint_')
  })

  it('stays far below the limit of GitHub for a prompt of a megabyte', () => {
    const source = summaryOf('pull-request', { sent: 'é'.repeat(1_000_000) })
    expect(Buffer.byteLength(source)).toBeLessThan(500_000)
    expect(source).toContain('more characters')
  })

  it('of wrong inputs shows names in backticks as code, and what was given as text', () => {
    const problem = '("<b>@team</b>") is longer than `timeout`'
    const { source } = inputsErrorSummary([{ input: 'poll-interval', problem, accepted: '' }], 'docs')
    expect(source).toContain(
      '| `poll-interval` | ("&#60;b&#62;@\u200bteam&#60;/b&#62;") is longer than `timeout` |  |',
    )
    expect(source).toContain('<sub>Docs agent · project `docs`</sub>')
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
      'pr-link': prLink,
      'pr-number': '12',
      repository: 'https://github.com/acme/docs.git',
      ref: 'docs/flag',
      model: 'docs-agent-1',
      'created-at': '2026-08-01T10:00:00Z',
      'archived-at': '',
    })
    expect(JSON.parse(job ?? '')).toMatchObject({ id: 'j1', prLink })
  })

  it('without a job are its id and the result alone', () => {
    expect(jobOutputs(outcome('error', { job: undefined, durationSeconds: undefined }))).toEqual({
      'job-id': 'j1',
      result: 'error',
    })
  })
})
