import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { countOf, docsStarter, requestLines } from './docs.ts'
import { runAction, startAction } from './run-action.ts'

const startDocs = docsStarter()

describe('a new job', () => {
  it('ends with a pull request that exists in the repository', async () => {
    const { docs, inputs } = await startDocs({ agent: 'git' })
    const run = await runAction({ inputs })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request', status: 'completed' } })
    const [job] = docs.jobs
    expect(run.outputs).toMatchObject({
      'job-id': job?.id,
      'pr-link': `${docs.url}/acme/docs/pull/1`,
      'pr-number': '1',
      repository: `${docs.url}/acme/docs`,
      model: 'docs-agent-1',
      'archived-at': '',
    })
    expect(run.outputs['duration-seconds']).toMatch(/^\d+$/)
    expect(JSON.parse(run.outputs['job'] ?? '')).toMatchObject({ id: job?.id, status: 'completed' })
    expect(requestLines(docs).slice(0, 2)).toEqual([
      'POST /v2/agent/docs/job',
      `GET /v2/agent/docs/job/${job?.id}`,
    ])
    expect(docs.requests[0]?.body).toEqual({ prompt: 'Explain the new flag.' })
    expect(run.log).toContain(`Job ${job?.id} was accepted`)
    expect(run.log).toContain(
      `::notice title=Docs agent%3A docs::Pull request ready for review (job ${job?.id}): ${docs.url}/acme/docs/pull/1`,
    )
    expect(run.summary).toMatch(
      /^## ✅ Pull request \[.*\]\(http:.*\/acme\/docs\/pull\/1\) is ready for review\n/,
    )
    expect(run.summary).toContain('<sub>Docs agent · project `docs` · model `docs-agent-1`')
    expect(run.summary).toContain('Explain the new flag.')
    const git = ['-C', docs.repository ?? '', 'rev-parse', '--verify', run.outputs['ref'] ?? '']
    expect(execFileSync('git', git, { encoding: 'utf8' })).toMatch(/^[0-9a-f]{40}/)
    expect((await fetch(run.outputs['pr-link'] ?? '')).status).toBe(200)
  })

  it('that opens no pull request is a success said as just that', async () => {
    const { inputs } = await startDocs()
    const run = await runAction({ inputs: { ...inputs, prompt: 'Look around. [agent: no-change]' } })
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: { result: 'no-pull-request', status: 'completed', 'pr-link': '', 'pr-number': '' },
    })
    expect(run.summary).toContain('Completed without a pull request')
    expect(run.log + run.summary).not.toMatch(/nothing changed/i)
  })

  it('that fails, fails the step with the likely causes', async () => {
    const { inputs } = await startDocs()
    const run = await runAction({ inputs: { ...inputs, prompt: 'Do it. [agent: fail]' } })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'failed', status: 'failed' } })
    expect(run.log).toMatch(
      /::error title=Docs agent%3A docs::The agent's job failed \(job .*\)\. .*GitHub App.*credits.*The step fails because `fail-on` names `failed`/,
    )
  })

  it('that is archived, is a warning by default', async () => {
    const { inputs } = await startDocs()
    const run = await runAction({ inputs: { ...inputs, prompt: 'Do it. [agent: archive]' } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'archived', status: 'archived' } })
    expect(run.outputs['archived-at']).toMatch(/^\d{4}-/)
    expect(run.log).toContain("::warning title=Docs agent%3A docs::The agent's job was archived")
    expect(run.log).not.toContain('fail-on')
  })

  it('that is not over in time, fails the step and says how to pick it up', async () => {
    const { docs, inputs } = await startDocs()
    const run = await runAction({ inputs: { ...inputs, prompt: 'Do it. [agent: never]', timeout: '200ms' } })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'timed-out', status: 'active' } })
    expect(run.outputs['job-id']).toBe(docs.jobs[0]?.id)
    expect(run.log).toContain(`job-id: ${docs.jobs[0]?.id}`)
  })

  it('is not polled once the create was answered with its end', async () => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 0 })
    const run = await runAction({ inputs })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request', 'duration-seconds': '0' } })
    expect(requestLines(docs)).toEqual(['POST /v2/agent/docs/job'])
  })

  it('is only submitted with wait: false', async () => {
    const { docs, inputs } = await startDocs()
    const run = await runAction({ inputs: { ...inputs, wait: 'false' } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'submitted', status: 'active' } })
    expect(requestLines(docs)).toEqual(['POST /v2/agent/docs/job'])
  })

  it('reports its own end with wait: false if it is over already', async () => {
    const { inputs } = await startDocs({ jobTimeMs: 0 })
    const run = await runAction({ inputs: { ...inputs, wait: 'false' } })
    expect(run.outputs['result']).toBe('pull-request')
  })

  it('goes on being awaited under a status that is not known, with one warning for the word', async () => {
    const { inputs } = await startDocs()
    const prompt = 'Do it. [agent: status reviewing 400ms] [agent: takes 200ms]'
    const run = await runAction({ inputs: { ...inputs, prompt } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
    expect(run.log.match(/::warning title=Docs agent%3A docs::Job .*"reviewing"/g)).toHaveLength(1)
  })

  it('is created over a connection of its own, and polled over one that is kept', async () => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 800 })
    await runAction({ inputs })
    expect(countOf(docs, 'GET')).toBeGreaterThan(2)
    expect(docs.connections).toBe(2)
  })

  it('keeps its fields that are not known, and warns of one of a wrong type', async () => {
    const { docs, inputs } = await startDocs()
    const job = { id: 'j1', status: 'completed', prLink: null, model: 7, more: { a: [1] } }
    docs.faults.add({ kind: 'body', body: job, match: { path: 'create' } })
    const run = await runAction({ inputs, oddJob: true })
    expect(run.outputs).toMatchObject({ result: 'no-pull-request', model: '', job: JSON.stringify(job) })
    expect(run.log).toContain(
      '::warning title=Docs agent%3A docs::Job j1: the field model has an unexpected type and counts as absent.',
    )
  })

  it('has its id in outputs and state before the first poll', async () => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 60_000 })
    const started = await startAction({ inputs: { ...inputs, 'poll-interval': '20m' } })
    await started.logged('was accepted')
    started.child.kill('SIGKILL')
    const run = await started.ended
    expect(countOf(docs, 'GET')).toBe(0)
    expect(run.outputs).toMatchObject({ 'job-id': docs.jobs[0]?.id })
    expect(run.state).toMatchObject({ 'job-id': docs.jobs[0]?.id })
  })
})

describe('fail-on', () => {
  it.each([
    ['[agent: archive]', 'archived', 1],
    ['[agent: fail]', 'none', 0],
    ['[agent: fail]', 'timed-out\narchived', 0],
  ])('%s with fail-on %j ends with %d', async (directive, failOn, exitCode) => {
    const { inputs } = await startDocs({ jobTimeMs: 0 })
    const run = await runAction({ inputs: { ...inputs, prompt: `Do it. ${directive}`, 'fail-on': failOn } })
    expect(run.exitCode).toBe(exitCode)
  })

  it('that names the result is named by a step that fails, under a sign that fits', async () => {
    const { inputs } = await startDocs({ jobTimeMs: 0 })
    const prompt = 'Do it. [agent: no-change]'
    const run = await runAction({ inputs: { ...inputs, prompt, 'fail-on': 'archived, no-pull-request' } })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'no-pull-request' } })
    expect(run.log).toMatch(/::error .*The step fails because `fail-on` names `no-pull-request`\./)
    expect(run.summary).toMatch(/^## ❌ Completed without a pull request\n/)
    expect(run.summary).toContain('The step fails because `fail-on` names `no-pull-request`.')
    expect(run.summary).not.toContain('✅')
  })
})
