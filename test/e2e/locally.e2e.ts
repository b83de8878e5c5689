import { describe, expect, it } from 'vitest'
import { readWorkflow } from './act.ts'
import { push } from './events.ts'
import { runExample } from './run-example.ts'

describe.concurrent('trying a workflow of one’s own', () => {
  it('reaches the local service once `base-url` comes from a variable', async () => {
    const example = await readWorkflow(new URL('../../examples/docs-on-push.yml', import.meta.url).pathname)
    const workflow = example.replace(
      /^( *)(project-id: .*)$/m,
      '$1$2\n$1base-url: $' + '{{ vars.DOCS_BASE_URL }}',
    )
    const run = await runExample('docs-on-push', {
      event: 'push',
      payload: push,
      workflow,
      variables: ({ url }) => ({ DOCS_BASE_URL: url }),
    })
    expect(run.exitCode, run.all).toBe(0)
    expect(run.job('docs').outputs['0']).toMatchObject({ result: 'pull-request' })
    expect(run.docs.requests[0]?.headers.host).toBe(new URL(run.docs.url).host)
  })

  it('keeps the real address where the variable is not set', async () => {
    const example = await readWorkflow(new URL('../../examples/docs-on-push.yml', import.meta.url).pathname)
    const workflow = example.replace(
      /^( *)(project-id: .*)$/m,
      '$1$2\n$1base-url: $' + '{{ vars.DOCS_BASE_URL }}',
    )
    const run = await runExample('docs-on-push', { event: 'push', payload: push, workflow })
    expect(run.exitCode, run.all).toBe(0)
    expect(run.docs.requests[0]?.headers.host).toBe('api.mintlify.com')
  })
})

describe('what act does not show on this machine', () => {
  it.skip('`permissions`: act gives every job the same token; examples.test.ts holds what the files ask for')
  it.skip(
    '`concurrency`: act runs one event at a time; which runs GitHub drops is its documentation, not a test',
  )
  it.skip('`on.push.branches`, `paths` and `schedule`: act starts what it is told to start')
  it.skip('`timeout-minutes` of a job: act knows that of a step alone')
  it.skip('actions/checkout itself: act copies the repository in its place')
  it.skip('a cancelled run: act kills the step, where a runner first asks it to end; test/bundle covers that')
})
