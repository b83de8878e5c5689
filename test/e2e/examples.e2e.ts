import { describe, expect, it } from 'vitest'
import { push } from './events.ts'
import { asked, creates, expectNothingElseAsked } from './expectations.ts'
import { runExample } from './run-example.ts'

describe.concurrent('docs-on-push', () => {
  it('has a pull request made for a push', async () => {
    const run = await runExample('docs-on-push', { event: 'push', payload: push })
    expect(run.exitCode, run.all).toBe(0)
    const { outputs, summary, result } = run.job('docs')
    expect(result).toBe('success')
    expect(outputs['0']).toMatchObject({ result: 'pull-request', status: 'completed', 'pr-number': '1' })
    expect(outputs['0']?.['job-id']).toBe(run.docs.jobs[0]?.id)
    expect(summary).toContain(outputs['0']?.['pr-link'])
    expect(creates(run)).toMatchObject([{ path: '/v2/agent/docs/job' }])
    expect(creates(run)[0]?.prompt).toMatch(/^Bring the docs up to date[\s\S]+leave them\./)
    expect(creates(run)[0]?.prompt).toContain('src/pets.ts')
    expect(run.docs.requests[0]?.headers.host).toBe('api.mintlify.com')
    expectNothingElseAsked(run)
  })

  it("passes over the agent's own merged work", async () => {
    const run = await runExample('docs-on-push', {
      event: 'push',
      payload: push,
      pullAuthor: 'mintlify[bot]',
    })
    expect(run.exitCode, run.all).toBe(0)
    expect(run.job('docs').outputs['0']).toMatchObject({ result: 'skipped' })
    expect(asked(run)).toEqual([])
  })
})

describe.concurrent('weekly', () => {
  it.each(['schedule', 'workflow_dispatch'])(
    'on %s mends the docs and reports their visitors',
    async (event) => {
      const run = await runExample('weekly', { event })
      expect(run.exitCode, run.all).toBe(0)
      const { outputs, summary, log } = run.job('care')
      expect(outputs['docs']).toMatchObject({
        result: 'pull-request',
        'visitors-complete': 'true',
        'visitors-export': 'reports/visitors.csv',
      })
      expect(summary).toContain('Docs agent')
      expect(summary).toContain('mermaid')
      expect(log).toContain(`::notice title=Docs this week::${outputs['docs']?.['visitors-total']} visitors`)
      const visitors = asked(run).filter((line) => line === 'GET /v1/analytics/docs/visitors')
      expect(visitors.length).toBeGreaterThan(1)
      expect(visitors.length).toBeLessThanOrEqual(40)
      expectNothingElseAsked(run)
    },
  )

  it('still has its report where the job fails', async () => {
    const run = await runExample('weekly', {
      event: 'schedule',
      before: ({ faults }) => faults.add({ kind: 'status', status: 400, match: { path: 'create' } }),
    })
    expect(run.exitCode).toBe(1)
    const { outputs, log } = run.job('care')
    expect(outputs['docs']).toMatchObject({ result: 'error', 'visitors-complete': 'true' })
    expect(log).toContain('::notice title=Docs this week::')
  })
})

describe.concurrent('release-gate', () => {
  const endings: [string, string, string, string | undefined, number][] = [
    ['nothing to change', '1.4.0 [agent: no-change]', 'no-pull-request', 'true', 0],
    ['a pull request', '1.4.0', 'pull-request', 'false', 0],
    ['a failed job', '1.4.0 [agent: fail]', 'failed', undefined, 1],
  ]
  it.each(endings)('with %s', async (_case, version, result, ready, exitCode) => {
    const run = await runExample('release-gate', {
      event: 'workflow_dispatch',
      payload: () => ({ inputs: { version } }),
    })
    expect(run.exitCode, run.all).toBe(exitCode)
    const { outputs, log } = run.job('docs')
    expect(outputs['docs']).toMatchObject({ result })
    expect(outputs['gate']?.['ready']).toBe(ready)
    const published = run.jobs.some(({ id, log: said }) => id === 'publish' && said.includes('Releasing'))
    expect(published).toBe(ready === 'true')
    if (ready === 'false') expect(log).toContain(`Merge ${outputs['docs']?.['pr-link']}`)
    expect(creates(run)[0]?.prompt).toContain(`new in version ${version}`)
    expectNothingElseAsked(run)
  })
})

describe.concurrent('api-changelog', () => {
  it('hands the diff of the push to the agent as data', async () => {
    const run = await runExample('api-changelog', {
      event: 'push',
      payload: push,
      files: { 'openapi.yaml': 'paths:\n  /pets:\n    get: {}\n' },
      changes: { 'openapi.yaml': 'paths:\n  /pets:\n    get: {}\n    post: {}\n', 'src/secret.ts': 'no\n' },
    })
    expect(run.exitCode, run.all).toBe(0)
    const [{ prompt } = { prompt: '' }] = creates(run)
    expect(prompt).toMatch(/^Add an entry to the API changelog/)
    expect(prompt).toContain('api.diff')
    expect(prompt).toContain('+    post: {}')
    expect(prompt).not.toContain('b/src/secret.ts')
    expect(run.job('changelog').outputs['1'] ?? run.job('changelog').outputs['2']).toMatchObject({
      result: 'pull-request',
    })
    expectNothingElseAsked(run)
  })
})

describe.concurrent('submit-and-collect', () => {
  const tests: [string, string, string, number][] = [
    ['the tests pass', 'exit 0', 'success', 0],
    ['the tests fail', 'exit 1', 'failure', 1],
  ]
  it.each(tests)('one job is submitted and collected where %s', async (_case, script, result, exitCode) => {
    const run = await runExample('submit-and-collect', {
      event: 'push',
      payload: push,
      files: { 'package.json': JSON.stringify({ private: true, scripts: { test: script } }) },
    })
    expect(run.exitCode, run.all).toBe(exitCode)
    const submitted = run.job('submit').outputs['docs']
    expect(submitted).toMatchObject({ result: 'submitted', status: 'active' })
    expect(run.job('test').result).toBe(result)
    expect(run.job('collect').outputs['0']).toMatchObject({
      result: 'pull-request',
      'job-id': submitted?.['job-id'],
    })
    expect(creates(run)).toHaveLength(1)
    expectNothingElseAsked(run)
  })

  it('collects nothing where nothing was submitted', async () => {
    const run = await runExample('submit-and-collect', {
      event: 'push',
      payload: push,
      pullAuthor: 'mintlify[bot]',
      files: { 'package.json': JSON.stringify({ private: true, scripts: { test: 'exit 0' } }) },
    })
    expect(run.exitCode, run.all).toBe(0)
    expect(run.job('submit').outputs['docs']).toMatchObject({ result: 'skipped' })
    expect(run.jobs.filter(({ id, outputs }) => id === 'collect' && Object.keys(outputs).length > 0)).toEqual(
      [],
    )
    expect(asked(run)).toEqual([])
  })
})

describe.concurrent('many-projects', () => {
  it('cares for each project, two at a time, within the limits of the service', async () => {
    const jobTimeMs = 1000
    const run = await runExample('many-projects', {
      event: 'schedule',
      docs: { projects: ['handbook', 'api', 'cli', 'sdk'], jobTimeMs },
    })
    expect(run.exitCode, run.all).toBe(0)
    expect(run.jobs).toHaveLength(4)
    for (const { outputs } of run.jobs) {
      expect(outputs['0']).toMatchObject({ result: 'pull-request', 'visitors-complete': 'true' })
    }
    const made = creates(run)
    expect(made.map(({ path }) => path).sort()).toEqual(
      ['api', 'cli', 'handbook', 'sdk'].map((project) => `/v2/agent/${project}/job`),
    )
    const together = made.map(({ at }) => made.filter((other) => Math.abs(other.at - at) < jobTimeMs).length)
    expect(Math.max(...together)).toBeLessThanOrEqual(2)
    expect(asked(run).filter((line) => line.includes('/v1/analytics/')).length).toBeLessThanOrEqual(80)
    expectNothingElseAsked(run)
  })
})
