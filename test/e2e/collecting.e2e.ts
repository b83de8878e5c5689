import { describe, expect, it } from 'vitest'
import { push } from './events.ts'
import {
  createdJobs,
  expectNoOtherHost,
  githubBodies,
  githubRequests,
  serviceRequests,
} from './expectations.ts'
import { runWorkflow } from './run-workflow.ts'

const PULL = 'https://github.com/acme/docs/pull/1'

describe.concurrent('submit-and-collect', () => {
  const tests: [string, string, string, number][] = [
    ['the tests pass', 'exit 0', 'success', 0],
    ['the tests fail', 'exit 1', 'failure', 1],
  ]
  it.each(tests)('submits one job and collects it where %s', async (_case, script, result, exitCode) => {
    const run = await runWorkflow('submit-and-collect', {
      event: 'push',
      payload: push,
      files: { 'package.json': JSON.stringify({ private: true, scripts: { test: script } }) },
    })
    expect(run.exitCode, run.output).toBe(exitCode)
    const submitted = run.job('submit').outputs['docs']
    expect(submitted).toMatchObject({ result: 'submitted', status: 'active' })
    expect(run.job('test').result).toBe(result)
    expect(run.job('collect').outputs['0']).toMatchObject({
      result: 'pull-request',
      'job-id': submitted?.['job-id'],
    })
    expect(createdJobs(run)).toHaveLength(1)
    expectNoOtherHost(run)
  })

  it('collects nothing where nothing was submitted', async () => {
    const run = await runWorkflow('submit-and-collect', {
      event: 'push',
      payload: push,
      github: { pullAuthor: 'mintlify[bot]' },
      files: { 'package.json': JSON.stringify({ private: true, scripts: { test: 'exit 0' } }) },
    })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('submit').outputs['docs']).toMatchObject({ result: 'skipped' })
    const collected = run.jobs.filter(
      ({ id, outputs }) => id === 'collect' && Object.keys(outputs).length > 0,
    )
    expect(collected).toEqual([])
    expect(serviceRequests(run)).toEqual([])
  })
})

describe.concurrent('submit-only', () => {
  it('notes the job on the commit as a pending status', async () => {
    const run = await runWorkflow('submit-only', { event: 'push', payload: push })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('submit').outputs['docs']).toMatchObject({ result: 'submitted' })
    const statuses = run.github.requests.filter(({ line }) => line.includes('/statuses/'))
    expect(statuses).toMatchObject([
      { body: { context: 'docs agent', state: 'pending', description: run.docs.jobs[0]?.id } },
    ])
    expectNoOtherHost(run)
  })

  it('notes nothing where nothing was submitted', async () => {
    const run = await runWorkflow('submit-only', {
      event: 'push',
      payload: push,
      github: { pullAuthor: 'mintlify[bot]' },
    })
    expect(run.exitCode, run.output).toBe(0)
    expect(githubRequests(run).filter((line) => line.includes('/statuses/'))).toEqual([])
  })
})

describe.concurrent('collect-later', () => {
  const SHAS = ['1', '2', '3', '4'].map((digit) => digit.repeat(40))

  it('closes the status of each job that is over, and fails for a job that failed', async () => {
    const jobs: string[] = []
    const pendingJobs: { sha: string; job: string }[] = []
    const run = await runWorkflow('collect-later', {
      event: 'schedule',
      github: { pendingJobs },
      docs: { jobTimeMs: 1 },
      before: async ({ url, key }) => {
        for (const prompt of ['Do it.', '[agent: no-change]', '[agent: fail]', '[agent: never]']) {
          const response = await fetch(`${url}/v2/agent/docs/job`, {
            method: 'POST',
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
            body: JSON.stringify({ prompt }),
          })
          const { id } = (await response.json()) as { id: string }
          pendingJobs.push({ sha: SHAS[jobs.push(id) - 1] ?? '', job: id })
        }
      },
    })
    expect(run.exitCode, run.output).toBe(1)
    // act gives all legs of a matrix one result, so the exit code has to tell.
    const looks = run.jobs.flatMap(({ id, outputs }) =>
      id === 'collect' ? [[outputs['docs']?.['job-id'], outputs['docs']?.['result']]] : [],
    )
    expect(new Map(looks as [string, string][])).toEqual(
      new Map([
        [jobs[0], 'pull-request'],
        [jobs[1], 'no-pull-request'],
        [jobs[2], 'failed'],
        [jobs[3], 'submitted'],
      ]),
    )
    const status = (index: number): unknown[] =>
      githubBodies(run, `POST /repos/acme/docs/statuses/${SHAS[index]}`)
    expect(status(0)).toEqual([
      { context: 'docs agent', state: 'success', description: 'pull-request', target_url: PULL },
    ])
    expect(status(1)).toEqual([
      { context: 'docs agent', state: 'success', description: 'no-pull-request', target_url: '' },
    ])
    expect(status(2)).toEqual([
      { context: 'docs agent', state: 'failure', description: 'failed', target_url: '' },
    ])
    expect(status(3)).toEqual([])
    expectNoOtherHost(run)
  })

  it('looks at nothing where no job is open', async () => {
    const run = await runWorkflow('collect-later', { event: 'schedule' })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('find').outputs['find']).toEqual({ jobs: '[]' })
    expect(serviceRequests(run)).toEqual([])
  })
})

describe.concurrent('release-gate', () => {
  const endings: [string, string, string, string | undefined, number][] = [
    ['nothing to change', '1.4.0 [agent: no-change]', 'no-pull-request', 'true', 0],
    ['a pull request', '1.4.0', 'pull-request', 'false', 0],
    ['a failed job', '1.4.0 [agent: fail]', 'failed', undefined, 1],
  ]
  it.each(endings)('decides on %s', async (_case, version, result, ready, exitCode) => {
    const run = await runWorkflow('release-gate', {
      event: 'workflow_dispatch',
      payload: () => ({ inputs: { version } }),
    })
    expect(run.exitCode, run.output).toBe(exitCode)
    const { outputs, log } = run.job('docs')
    expect(outputs['docs']).toMatchObject({ result })
    expect(outputs['gate']?.['ready']).toBe(ready)
    const published = run.jobs.some((job) => job.id === 'publish' && job.log.includes('Releasing'))
    expect(published).toBe(ready === 'true')
    if (ready === 'false') expect(log).toContain(`Merge ${PULL}, then run this workflow again.`)
    expect(createdJobs(run)[0]?.prompt).toContain(`new in version ${version}`)
    expectNoOtherHost(run)
  })
})
