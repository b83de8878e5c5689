import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { push } from './events.ts'
import { runWorkflow } from './run-workflow.ts'

// What docs/ tells users to do to try a workflow of their own against the local service.
describe.concurrent('a workflow with `base-url` from a variable', () => {
  const workflow = readFileSync(join(import.meta.dirname, '../../examples/docs-on-push.yml'), 'utf8').replace(
    /^( *)(project-id: .*)$/m,
    '$1$2\n$1base-url: $' + '{{ vars.DOCS_BASE_URL }}',
  )

  it('reaches the local service where the variable is set', async () => {
    const run = await runWorkflow('docs-on-push', {
      event: 'push',
      payload: push,
      workflow,
      variables: ({ url }) => ({ DOCS_BASE_URL: url }),
    })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('docs').outputs['0']).toMatchObject({ result: 'pull-request' })
    expect(run.docs.requests[0]?.headers.host).toBe(new URL(run.docs.url).host)
  })

  it('keeps the real address where the variable is not set', async () => {
    const run = await runWorkflow('docs-on-push', { event: 'push', payload: push, workflow })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.docs.requests[0]?.headers.host).toBe('api.mintlify.com')
  })
})

describe('what act does not show on this machine', () => {
  it.skip(
    '`permissions`: act gives every job the same token; workflows.test.ts compares what the files ask for',
  )
  it.skip('`concurrency`: act runs one event at a time')
  it.skip('`on.push.branches`, `paths` and `schedule`: act starts what it is told to start')
  it.skip('`timeout-minutes` of a job: act knows only that of a step')
  it.skip('actions/checkout: act copies the repository in its place')
  it.skip('a cancelled run: act kills the step, where a runner first asks it to end; test/bundle covers that')
})
