import { describe, expect, it } from 'vitest'
import { comment, reviewComment } from './events.ts'
import { asked, creates, expectNothingElseAsked } from './expectations.ts'
import { runExample } from './run-example.ts'

describe.concurrent('docs-command', () => {
  const comments: [string, string][] = [
    ['a command', '/docs Explain the new pets call.'],
    ['a command below a quote', '> Should this be documented?\n\n/docs Explain the new pets call.'],
  ]
  it.each(comments)('%s is answered and done', async (_case, body) => {
    const run = await runExample('docs-command', { event: 'issue_comment', payload: () => comment(body) })
    expect(run.exitCode, run.all).toBe(0)
    expect(run.job('command').outputs['0']).toMatchObject({ result: 'pull-request' })
    expect(creates(run)[0]?.prompt).toMatch(/^Explain the new pets call\./)
    const lines = run.github.requests.map(({ line }) => line)
    const permission = lines.indexOf('GET /repos/acme/docs/collaborators/octocat/permission')
    expect(permission).toBeGreaterThanOrEqual(0)
    expect(lines.indexOf('POST /repos/acme/docs/issues/comments/4711/reactions')).toBeGreaterThan(permission)
    expect(run.github.reactions.filter((content) => content !== '')).toEqual(['rocket'])
    const [reply] = run.github.comments.values()
    expect(reply).toContain(run.job('command').outputs['0']?.['pr-link'])
    expectNothingElseAsked(run)
  })

  it('a command in a review is answered in its thread', async () => {
    const run = await runExample('docs-command', {
      event: 'pull_request_review_comment',
      payload: () => reviewComment('/docs Explain this.'),
    })
    expect(run.exitCode, run.all).toBe(0)
    expect(run.job('command').outputs['0']).toMatchObject({ result: 'pull-request' })
    expect(run.github.requests.map(({ line }) => line)).toContain(
      'POST /repos/acme/docs/pulls/7/comments/4712/replies',
    )
  })

  it('a comment that only names the command asks nobody anything', async () => {
    const run = await runExample('docs-command', {
      event: 'issue_comment',
      payload: () => comment('Somebody should use /docs here.'),
    })
    expect(run.exitCode, run.all).toBe(0)
    expect(run.job('command').outputs['0']).toMatchObject({ result: 'skipped' })
    expect([...asked(run), ...run.github.requests]).toEqual([])
  })

  it('any other comment starts no job of the workflow at all', async () => {
    const run = await runExample('docs-command', {
      event: 'issue_comment',
      payload: () => comment('Looks good to me.'),
    })
    expect(run.exitCode, run.all).toBe(0)
    expect(run.jobs.filter(({ outputs }) => Object.keys(outputs).length > 0)).toEqual([])
    expect([...asked(run), ...run.github.requests]).toEqual([])
  })

  it('a command of somebody who may only read is refused', async () => {
    const run = await runExample('docs-command', {
      event: 'issue_comment',
      payload: () => comment('/docs Explain it.'),
      role: 'read',
    })
    expect(run.exitCode, run.all).toBe(0)
    expect(run.job('command').outputs['0']).toMatchObject({ result: 'skipped' })
    expect(run.github.reactions).toEqual(['-1'])
    expect(asked(run)).toEqual([])
  })
})
