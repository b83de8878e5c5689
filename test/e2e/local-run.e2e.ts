import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { event } from '../support/events.ts'
import { expression, runWorkflow, type WorkflowRun } from './run-workflow.ts'

// What README and docs/ tell users to do first, and to try a workflow of their own against the local service.
describe.concurrent("the README's first workflow", () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
  const workflow = /```yaml\n([\s\S]+?)```/.exec(readme)?.[1] ?? ''
  const summaryOf = ({ jobs }: WorkflowRun): string => jobs.map(({ summary }) => summary).join('')

  it.each([undefined, 'workflow_dispatch'])('has a pull request made (%s)', async (name) => {
    const run = await runWorkflow('docs', { workflow, ...(name !== undefined && { event: name }) })
    expect(summaryOf(run)).toContain('Pull request')
    expect(run.docs.requests[0]?.headers.host).toBe('api.mintlify.com')
  })

  it('only shows the prompt in a dry run', async () => {
    const dispatch = event('workflow_dispatch', {
      inputs: { 'dry-run': 'true' },
      ref: 'refs/heads/main',
    })
    const run = await runWorkflow('docs', { workflow, event: () => dispatch })
    expect(run.results).toEqual(['dry-run'])
    expect(summaryOf(run)).toContain('Bring the docs up to date')
    expect(run.asked).toEqual([])
  })

  it('reaches the local service where a variable has its address', async () => {
    const local = await runWorkflow('docs', {
      workflow: workflow.replace(
        /^( +)project-id:/m,
        `$1base-url: ${expression('vars.DOCS_BASE_URL')}\n$&`,
      ),
      variables: ({ url }) => ({ DOCS_BASE_URL: url }),
    })
    expect(local.docs.requests[0]?.headers.host).toBe(new URL(local.docs.url).host)
  })
})
