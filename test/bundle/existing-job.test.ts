import { describe, expect, it } from 'vitest'
import { countOf, docsStarter, requestLines } from './docs.ts'
import { runAction, startAction } from './run-action.ts'

const startDocs = docsStarter()

describe('an existing job', () => {
  it('is given as JSON to the letter, with escapes, numbers and nesting that JavaScript would change', async () => {
    const { docs, inputs } = await startDocs()
    const { outputs } = await runAction({ inputs })
    const id = outputs['job-id'] ?? ''
    const rest = `"n": 12345678901234567890, "text": "a\\n\\u00e9",\n "deep":${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const body = `{"id":"${id}","status":"completed","prLink":"https://github.com/acme/docs/pull/7", ${rest}}`
    docs.faults.add({ kind: 'body', body, times: 'always', match: { path: 'look' } })
    const run = await runAction({ inputs: { ...inputs, prompt: '', 'job-id': id } })
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: { result: 'pull-request', 'pr-number': '7', job: body },
    })
  })

  it('is awaited without creating one', async () => {
    const { docs, inputs } = await startDocs()
    const first = await runAction({ inputs: { ...inputs, wait: 'false' } })
    const run = await runAction({
      inputs: { ...inputs, prompt: '', 'job-id': first.outputs['job-id'] ?? '' },
    })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
    expect(countOf(docs, 'POST')).toBe(1)
  })

  it('is polled once with wait: false', async () => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 60_000 })
    const first = await runAction({ inputs: { ...inputs, wait: 'false' } })
    const id = first.outputs['job-id'] ?? ''
    const run = await runAction({ inputs: { ...inputs, prompt: '', 'job-id': id, wait: 'false' } })
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: { result: 'submitted', status: 'active', 'job-id': id },
    })
    expect(requestLines(docs)).toEqual(['POST /v2/agent/docs/job', `GET /v2/agent/docs/job/${id}`])
  })

  it('gets the prompt as a follow-up message, and its old end is not taken for the new one', async () => {
    const { docs, inputs } = await startDocs({ staleMs: 200, jobTimeMs: 600 })
    const first = await runAction({ inputs })
    const id = first.outputs['job-id'] ?? ''
    const run = await runAction({ inputs: { ...inputs, prompt: 'Shorter. [agent: fail]', 'job-id': id } })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'failed', 'job-id': id } })
    const messages = docs.requests.filter(({ path }) => path.endsWith('/message'))
    expect(messages.map(({ body }) => body)).toEqual([{ prompt: 'Shorter. [agent: fail]' }])
    expect(docs.jobs).toHaveLength(1)
  })

  it('has its id in outputs and state once the service has answered', async () => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 60_000 })
    const first = await runAction({ inputs: { ...inputs, wait: 'false' } })
    const id = first.outputs['job-id'] ?? ''
    const started = await startAction({
      inputs: { ...inputs, prompt: '', 'job-id': id, 'poll-interval': '20m' },
    })
    await started.logged('Status: active')
    started.child.kill('SIGKILL')
    const run = await started.ended
    expect(run).toMatchObject({ outputs: { 'job-id': id, status: 'active' }, state: { 'job-id': id } })
    expect(docs.jobs).toHaveLength(1)
  })

  it('that does not exist ends at once as an error with the cause', async () => {
    const { docs, inputs } = await startDocs()
    const run = await runAction({ inputs: { ...inputs, prompt: '', 'job-id': 'no such/job' } })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error', 'job-id': 'no such/job' } })
    expect(requestLines(docs)).toEqual(['GET /v2/agent/docs/job/no%20such%2Fjob'])
    expect(run.log).toContain('::No job `no such/job` in project `docs` (404). ')
    expect(run.log).toContain('Check `job-id` and `project-id`')
  })
})
