import { describe, expect, it } from 'vitest'
import type { JobResult, Outcome } from '../../src/job/outcome.ts'
import { outcomeText } from '../../src/job/outcome-text.ts'
import { jobSummary } from '../../src/job/summary.ts'
import { readJob } from '../../src/service/job.ts'

const timeoutMs = 1_800_000

function outcome(result: JobResult, overrides: Partial<Outcome> = {}): Outcome {
  const job = readJob({
    id: 'j1',
    status: 'completed',
    source: { repository: 'https://github.com/acme/docs.git', ref: 'main' },
    prLink: result === 'pull-request' ? 'https://github.com/acme/docs/pull/12' : null,
  })
  return { result, job, jobId: 'j1', durationSeconds: 185, reason: '', ...overrides }
}

describe('an outcome in words', () => {
  it.each<[JobResult, RegExp]>([
    ['pull-request', /Pull request ready/],
    ['no-pull-request', /Completed without a pull request.*either no file/i],
    ['failed', /job failed.*GitHub App.*credits.*prompt/],
    ['archived', /was archived/],
    ['timed-out', /Not finished within 30 min 00 s.*background.*`job-id: j1`.*`timeout`/],
    ['cancelled', /Cancelled.*background.*`job-id: j1`/],
    ['submitted', /Submitted.*`job-id: j1`/],
  ])('%s', (result, says) => {
    const { headline, advice } = outcomeText(outcome(result), { timeoutMs })
    expect(`${headline}. ${advice}`).toMatch(says)
    expect(`${headline}. ${advice}`).not.toMatch(/nothing changed/i)
  })

  it('an error says its reason, and how to pick the job up where there is one', () => {
    const lost = outcome('error', { job: undefined, jobId: '', reason: 'It was refused.' })
    expect(outcomeText(lost, { timeoutMs })).toEqual({
      headline: 'The job could not be started or looked at',
      advice: 'It was refused.',
    })
    expect(outcomeText(outcome('error', { reason: 'Gone.' }), { timeoutMs }).advice).toContain('`job-id: j1`')
  })
})

describe('the job summary', () => {
  it('has the link, the facts and the prompt', () => {
    expect(jobSummary(outcome('pull-request'), 'Explain `x`.\n```\ncode', { timeoutMs }).source).toBe(
      [
        '## ✅ Docs agent: Pull request ready for review',
        '**[acme/docs#\u200b12](https://github.com/acme/docs/pull/12)**',
        [
          '| Result | `pull-request` |',
          '| :--- | :--- |',
          '| Status | `completed` |',
          '| Job | `j1` |',
          '| Repository | [acme/docs](https://github.com/acme/docs.git) at `main` |',
          '| Duration | 3 min 05 s |',
        ].join('\n'),
        '<details><summary>Prompt</summary>',
        '````text\nExplain `x`.\n```\ncode\n````',
        '</details>',
      ].join('\n\n'),
    )
  })

  it('shows inputs named in advice as code, and what the service says as text', () => {
    const reason = 'It said "<b>no</b> @team".'
    const { source } = jobSummary(outcome('timed-out', { reason }), '', { timeoutMs })
    expect(source).toContain('`job-id: j1`')
    expect(source).not.toContain('<b>')
    expect(source).not.toContain('@team')
  })

  it('stays far below the limit of GitHub for a prompt of a megabyte', () => {
    const { source } = jobSummary(outcome('pull-request'), 'é'.repeat(1_000_000), { timeoutMs })
    expect(Buffer.byteLength(source)).toBeLessThan(500_000)
    expect(source).toContain('more characters')
  })
})
