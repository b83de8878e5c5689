import { describe, expect, it } from 'vitest'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { commitOf } from '../support/history.ts'
import { earlierJob, runWorkflow, type WorkflowOptions } from './run-workflow.ts'

/** A site with 450 visitors, after 400 in the week before. */
const docs: DocsServiceOptions = {
  visitors({ fromMs }) {
    const isNow = fromMs > Date.now() - 8 * 24 * 60 * 60 * 1000
    const totals = { human: 350, ai: 150, total: isNow ? 450 : 400 }
    const page = { path: '/pets', human: 300, ai: 0, total: 300 }
    return { status: 200, body: { totals, visitors: [page], hasMore: false } }
  },
}

it.concurrent('weekly starts a job, and reports visitors and content gaps', async () => {
  const run = await runWorkflow('weekly', { event: 'schedule' })
  const { outputs, summary } = run.job('care')
  expect(outputs['docs']).toMatchObject({ result: 'pull-request' })
  expect(JSON.parse(outputs['docs']?.['visitors'] ?? '{}')).toMatchObject({ complete: true })
  expect(JSON.parse(outputs['docs']?.['content-gaps'] ?? '[]')).not.toEqual([])
  expect(summary).toContain('mermaid')
  const requests = run.asked.filter((line) => line.includes('/v1/analytics/'))
  expect(requests.length).toBeGreaterThan(4)
  expect(requests.length).toBeLessThanOrEqual(40)
})

it.concurrent.each<[string, WorkflowOptions, string]>([
  ['starts a job for recent changes', {}, 'pull-request'],
  [
    'starts no job if nothing changed since the last one',
    earlierJob('docs-daily.yml, docs, docs', 1),
    'skipped',
  ],
])('docs-daily %s', async (_case, options, result) => {
  const run = await runWorkflow('docs-daily', { event: 'schedule', ...options })
  expect(run.results).toEqual([result])
  expect(run.prompts).toHaveLength(1) // the earlier job's, if there is one
  expect(run.asked.filter((line) => line.endsWith('/message'))).toEqual([])
})

it.concurrent('monorepo starts a job for each package with changed files, and for no other one', async () => {
  const files = [{ filename: 'packages/cli/src/main.ts', status: 'modified' as const }]
  const run = await runWorkflow('monorepo', {
    event: 'schedule',
    before: ({ world, commits: [, sha] }) =>
      world.commits.set(sha, { ...commitOf(world, sha), files }),
  })
  expect(run.results.toSorted()).toEqual(['pull-request', 'skipped'])
  expect(run.prompts).toEqual([
    expect.stringMatching(/^Bring the docs of the package cli up to date[\s\S]+packages\/cli\/src/),
  ])
  expect(run.prompts[0]).not.toContain('src/pets.ts')
})

describe.concurrent('the visitors report', () => {
  const url = 'https://github.com/acme/docs/issues/12'
  const issue = { __typename: 'Issue', id: 'I_12', number: 12, url }
  const link = 'https://github.com/acme/docs/actions/runs/1'

  it('is posted to the issue in a variable (report-only)', async () => {
    const run = await runWorkflow('report-only', {
      event: 'schedule',
      docs,
      variables: () => ({ DOCS_ISSUE: '12' }),
      secrets: { CHAT_WEBHOOK_URL: '' },
      gh: (query) =>
        query.includes('mutation') ? {} : { repository: { hasIssuesEnabled: true, issue } },
    })
    const sent = run.gh as { query: string; variables: { input?: { body: string } } }[]
    const written = sent.flatMap(({ variables: { input } }) => input?.body ?? [])
    const markdown = run.job('report').outputs['report']?.['visitors-markdown']
    expect(markdown).toContain('450')
    expect(written).toEqual([`${markdown}\n\n[With the chart and all pages](${link})\n`])
  })

  it('is only in the summary without that variable and a webhook (report-only)', async () => {
    const run = await runWorkflow('report-only', {
      event: 'schedule',
      secrets: { CHAT_WEBHOOK_URL: '' },
      gh: () => ({}),
    })
    expect(run.job('report').summary).toContain('mermaid')
    expect([...run.gh, ...run.chat, ...run.prompts]).toEqual([])
  })

  it('is one line in a chat, with a link to the run (report-only)', async () => {
    const run = await runWorkflow('report-only', { event: 'schedule', docs })
    const headline = run.job('report').outputs['report']?.['visitors-headline']
    expect(headline).toMatch(/^Docs, .+: about 450 visitors/)
    expect(run.chat).toEqual([{ text: `${headline}\n${link}` }])
  })
})
