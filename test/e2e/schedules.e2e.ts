import { describe, expect, it } from 'vitest'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { runWorkflow } from './run-workflow.ts'

/** A site with 450 readers, of 400 the week before. */
const docs: DocsServiceOptions = {
  visitors({ fromMs }) {
    const isNow = fromMs > Date.now() - 8 * 24 * 60 * 60 * 1000
    const totals = { human: 350, ai: 150, total: isNow ? 450 : 400 }
    const page = { path: '/pets', human: 300, ai: 0, total: 300 }
    return { status: 200, body: { totals, visitors: [page], hasMore: false } }
  },
}

it.concurrent('weekly has the docs fixed, and reports their readers and what they missed', async () => {
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

describe.concurrent('the visitors report', () => {
  const url = 'https://github.com/acme/docs/issues/12'
  const issue = { __typename: 'Issue', id: 'I_12', number: 12, url }
  const link = 'https://github.com/acme/docs/actions/runs/1'

  it('is a comment on the issue that a variable names (report-only)', async () => {
    const run = await runWorkflow('report-only', {
      event: 'schedule',
      docs,
      variables: () => ({ DOCS_ISSUE: '12' }),
      gh: (query) =>
        query.includes('mutation') ? {} : { repository: { hasIssuesEnabled: true, issue } },
    })
    const sent = run.gh as { query: string; variables: { input?: { body: string } } }[]
    const written = sent.flatMap(({ variables: { input } }) => input?.body ?? [])
    const markdown = run.job('report').outputs['report']?.['visitors-markdown']
    expect(markdown).toContain('450')
    expect(written).toEqual([`${markdown}\n\n[With the chart and all pages](${link})\n`])
  })

  it('stands in the summary alone without that variable, and starts no job (report-only)', async () => {
    const run = await runWorkflow('report-only', { event: 'schedule', gh: () => ({}) })
    expect(run.job('report').summary).toContain('mermaid')
    expect([...run.gh, ...run.prompts]).toEqual([])
  })

  it('is one line in a chat, with a link to the run (report-to-chat)', async () => {
    const run = await runWorkflow('report-to-chat', { event: 'schedule', docs })
    const headline = run.job('report').outputs['report']?.['visitors-headline']
    expect(headline).toMatch(/^Docs, .+: about 450 visitors/)
    expect(run.chat).toEqual([{ text: `${headline}\n${link}` }])
  })

  it('is posted nowhere without the webhook, which the step says (report-to-chat)', async () => {
    const run = await runWorkflow('report-to-chat', {
      event: 'schedule',
      secrets: { CHAT_WEBHOOK_URL: '' },
      exitCode: 1,
    })
    const said = '::error title=Nothing was posted::The secret CHAT_WEBHOOK_URL is empty.'
    expect(run.job('report').log).toContain(said)
    expect(run.chat).toEqual([])
  })
})
