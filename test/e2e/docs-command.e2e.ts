import { describe, expect, it } from 'vitest'
import { comment, openedIssue, review, reviewComment } from './events.ts'
import { createdJobs, expectNoOtherHost, githubRequests, serviceRequests } from './expectations.ts'
import { runWorkflow } from './run-workflow.ts'

describe.concurrent('docs-command', () => {
  const comments: [string, string][] = [
    ['a command', '/docs Explain the new pets call.'],
    ['a command in capitals', '/DOCS Explain the new pets call.'],
    ['a command below a quote', '> Should this be documented?\r\n\r\n/docs Explain the new pets call.'],
  ]
  it.each(comments)('answers %s and has it done', async (_case, body) => {
    const run = await runWorkflow('docs-command', { event: 'issue_comment', payload: () => comment(body) })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('command').outputs['0']).toMatchObject({
      result: 'pull-request',
      'pr-link': 'https://github.com/acme/docs/pull/1',
    })
    expect(createdJobs(run)[0]?.prompt).toMatch(/^Explain the new pets call\./)
    const requests = githubRequests(run)
    const permission = requests.indexOf('GET /repos/acme/docs/collaborators/octocat/permission')
    expect(permission).toBeGreaterThanOrEqual(0)
    expect(requests.indexOf('POST /repos/acme/docs/issues/comments/4711/reactions')).toBeGreaterThan(
      permission,
    )
    expect(run.github.reactions.filter((content) => content !== '')).toEqual(['rocket'])
    const [reply] = run.github.comments.values()
    expect(reply).toContain('https://github.com/acme/docs/pull/1')
    expectNoOtherHost(run)
  })

  it('answers a command on a line of a pull request in its thread', async () => {
    const run = await runWorkflow('docs-command', {
      event: 'pull_request_review_comment',
      payload: () => reviewComment('/docs Explain this.'),
    })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('command').outputs['0']).toMatchObject({ result: 'pull-request' })
    expect(githubRequests(run)).toContain('POST /repos/acme/docs/pulls/7/comments/4712/replies')
  })

  it('answers a command in a review in the main thread', async () => {
    const run = await runWorkflow('docs-command', {
      event: 'pull_request_review',
      payload: () => review('/docs Explain the new pets call.'),
    })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('command').outputs['0']).toMatchObject({ result: 'pull-request' })
    expect(githubRequests(run)).toContain('POST /repos/acme/docs/issues/7/comments')
  })

  it('answers a command in a new issue', async () => {
    const run = await runWorkflow('docs-command', {
      event: 'issues',
      payload: () => openedIssue('/docs Explain the new pets call.'),
    })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('command').outputs['0']).toMatchObject({ result: 'pull-request' })
    expect(githubRequests(run)).toContain('POST /repos/acme/docs/issues/8/comments')
  })

  const others: [string, string, object][] = [
    ['a comment', 'issue_comment', comment('Looks good to me.')],
    ['a comment that mentions the command', 'issue_comment', comment('Somebody should use /docs here.')],
    [
      'a comment with a URL',
      'issue_comment',
      comment('See https://example.com/docs\nand example.com/docs/a'),
    ],
    ['a review without text', 'pull_request_review', review(null)],
    ['an issue about the docs', 'issues', openedIssue('The page https://example.com/docs is wrong.')],
  ]
  it.each(others)('starts no runner for %s', async (_case, event, payload) => {
    const run = await runWorkflow('docs-command', { event, payload: () => payload })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.jobs.filter(({ outputs }) => Object.keys(outputs).length > 0)).toEqual([])
    expect([...serviceRequests(run), ...githubRequests(run)]).toEqual([])
  })

  it('skips a text with the command on a later line, and makes no request', async () => {
    const run = await runWorkflow('docs-command', {
      event: 'issue_comment',
      payload: () => comment('To document something, write\n/docs and what to do.'),
    })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('command').outputs['0']).toMatchObject({ result: 'skipped' })
    expect([...serviceRequests(run), ...githubRequests(run)]).toEqual([])
  })

  it('refuses a command of somebody who has only read permission', async () => {
    const run = await runWorkflow('docs-command', {
      event: 'issue_comment',
      payload: () => comment('/docs Explain it.'),
      github: { role: 'read' },
    })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('command').outputs['0']).toMatchObject({ result: 'skipped' })
    expect(run.github.reactions).toEqual(['-1'])
    expect(serviceRequests(run)).toEqual([])
  })
})
