import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closedPull, comment, push } from './events.ts'
import { createdJobs, expectNoOtherHost, githubRequests, serviceRequests } from './expectations.ts'
import { runWorkflow } from './run-workflow.ts'

describe.concurrent('the reusable workflows, called from a repository of their user', () => {
  it('docs-on-push has a pull request made', async () => {
    const run = await runWorkflow('reusable-docs-on-push', { event: 'push', payload: push })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('docs').outputs['docs']).toMatchObject({
      result: 'pull-request',
      'pr-link': 'https://github.com/acme/docs/pull/1',
    })
    expect(createdJobs(run)).toMatchObject([{ path: '/v2/agent/docs/job' }])
    expect(createdJobs(run)[0]?.prompt).toMatch(/^Bring the docs up to date[\s\S]+leave them\./)
    expect(run.docs.requests[0]?.headers.host).toBe('api.mintlify.com')
    expectNoOtherHost(run)
  })

  it('docs-on-merge documents a merged pull request and says so on it', async () => {
    const run = await runWorkflow('reusable-docs-on-merge', {
      event: 'pull_request_target',
      payload: () => closedPull({}),
    })
    expect(run.exitCode, run.output).toBe(0)
    expect(createdJobs(run)[0]?.prompt).toMatch(/^Document what the merged pull request below changes/)
    expect(githubRequests(run)).toContain('POST /repos/acme/docs/issues/7/comments')
    expectNoOtherHost(run)
  })

  it('docs-on-merge starts no runner for a pull request that was not merged', async () => {
    const run = await runWorkflow('reusable-docs-on-merge', {
      event: 'pull_request_target',
      payload: () => closedPull({ merged: false }),
    })
    expect(run.exitCode, run.output).toBe(0)
    expect([...serviceRequests(run), ...githubRequests(run)]).toEqual([])
  })

  it('docs-command answers a command', async () => {
    const run = await runWorkflow('reusable-docs-command', {
      event: 'issue_comment',
      payload: () => comment('/docs Explain the new pets call.'),
    })
    expect(run.exitCode, run.output).toBe(0)
    expect(createdJobs(run)[0]?.prompt).toMatch(/^Explain the new pets call\./)
    expect(run.github.reactions.filter((content) => content !== '')).toEqual(['rocket'])
    expectNoOtherHost(run)
  })

  it('docs-command starts no runner for a comment with a URL below /docs', async () => {
    const run = await runWorkflow('reusable-docs-command', {
      event: 'issue_comment',
      payload: () => comment('See https://example.com/docs'),
    })
    expect(run.exitCode, run.output).toBe(0)
    expect([...serviceRequests(run), ...githubRequests(run)]).toEqual([])
  })

  it('weekly has the docs checked and reports their visitors', async () => {
    const run = await runWorkflow('reusable-weekly', { event: 'schedule' })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('care').outputs['docs']).toMatchObject({
      result: 'pull-request',
      'visitors-complete': 'true',
    })
    expect(run.job('care').summary).toContain('mermaid')
    expectNoOtherHost(run)
  })

  it('weekly takes inputs of each type, and hands outputs on to a job that needs it', async () => {
    const caller = readFileSync(join(import.meta.dirname, '../../examples/reusable-weekly.yml'), 'utf8')
    const inputs = [
      'prompt: ""',
      'visitors-days: 14',
      'visitors-max-requests: 3',
      'base-url: http://localhost',
    ]
    const run = await runWorkflow('reusable-weekly', {
      event: 'schedule',
      variables: ({ url }) => ({ DOCS_BASE_URL: url }),
      workflow: `${caller
        .replace('    with:\n', `    with:\n${inputs.map((line) => `      ${line}\n`).join('')}`)
        .replace('http://localhost', '$' + '{{ vars.DOCS_BASE_URL }}')}
  print:
    needs: care
    runs-on: ubuntu-latest
    steps:
      - env:
          TOTAL: ${'$'}{{ needs.care.outputs.visitors-total }}
        run: echo "visitors=$TOTAL"
`,
    })
    expect(run.exitCode, run.output).toBe(0)
    const { outputs } = run.job('care')
    const report = JSON.parse(outputs['docs']?.['visitors'] ?? '{}')
    expect(new Date(report.to).getTime() - new Date(report.from).getTime()).toBe(14 * 24 * 60 * 60 * 1000)
    expect(serviceRequests(run)).toEqual(Array(3).fill('GET /v1/analytics/docs/visitors'))
    expect(run.job('print').log).toContain(`visitors=${report.totals.total}`)
    expectNoOtherHost(run)
  })
})
