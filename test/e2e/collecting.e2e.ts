import { describe, expect, it } from 'vitest'
import { create } from '../docs-service/started-service.ts'
import { event } from '../support/events.ts'
import { addStatus } from '../support/world.ts'
import { PULL, runWorkflow, type WorkflowRun } from './run-workflow.ts'

const STATUS = 'Docs agent: docs (submit-only.yml, submit, submit-docs)'

function descriptions({ world }: WorkflowRun): string[] {
  return world.statuses.map(({ state, description }) => `${state}: ${description}`)
}

describe.concurrent('submit-and-collect', () => {
  it.each([0, 1])('submits one job and collects it where the tests exit with %d', async (exitCode) => {
    const run = await runWorkflow('submit-and-collect', {
      files: { 'package.json': JSON.stringify({ scripts: { test: `exit ${exitCode}` } }) },
      exitCode,
    })
    const submitted = run.job('submit').outputs['submit-docs']
    expect(submitted).toMatchObject({ result: 'submitted', status: 'active' })
    expect(run.job('test').result).toBe(exitCode === 0 ? 'success' : 'failure')
    const collected = run.job('collect').outputs['collect-docs']
    expect(collected).toMatchObject({ result: 'pull-request', 'job-id': submitted?.['job-id'] })
    expect(run.prompts).toHaveLength(1)
  })

  it('collects nothing where nothing was submitted', async () => {
    const run = await runWorkflow('submit-and-collect', {
      files: { 'package.json': JSON.stringify({ scripts: { test: 'exit 0' } }) },
      before: ({ docs }) => docs.faults.add({ kind: 'status', status: 400, match: { path: 'create' } }),
      exitCode: 1,
    })
    expect(run.jobs.filter(({ outputs }) => 'collect-docs' in outputs)).toEqual([])
  })
})

describe.concurrent('submit-only and collect-later', () => {
  it('leave the job on the commit', async () => {
    const run = await runWorkflow('submit-only')
    expect(run.outputs).toMatchObject([{ result: 'submitted' }])
    expect(run.statuses).toEqual([`pending ${STATUS}`, `success ${STATUS}`])
    expect(descriptions(run).at(-1)).toMatch(new RegExp(`^success: .+ \\(${run.docs.jobs[0]?.id}\\)$`))
  })

  it.each<[string, string, string[]]>([
    ['Do it.', 'pull-request', ['success: Collected: pull-request']],
    ['[agent: no-change]', 'no-pull-request', ['success: Collected: no-pull-request']],
    ['[agent: fail]', 'failed', ['failure: Collected: failed']],
    ['[agent: never]', 'submitted', []],
  ])('collect a job for "%s" as %s', async (prompt, result, said) => {
    let id = ''
    const run = await runWorkflow('collect-later', {
      event: 'schedule',
      docs: { jobTimeMs: 1 },
      exitCode: result === 'failed' ? 1 : 0,
      before: async ({ docs, world, commits }) => {
        id = (await create(docs, prompt)).id
        const description = `Job started; not waiting for it (${id})`
        addStatus(world, commits[0], { context: STATUS, state: 'success', description })
      },
    })
    expect(run.outputs.at(-1)).toMatchObject({ 'job-id': id, result })
    expect(descriptions(run).slice(1)).toEqual(said.map((words) => `${words} (${id})`))
    if (result === 'pull-request') expect(run.world.statuses.at(-1)?.target_url).toBe(PULL)
  })

  it('look at nothing where no job is open, or was collected', async () => {
    for (const description of [undefined, 'Collected: pull-request (job-1)']) {
      const run = await runWorkflow('collect-later', {
        event: 'schedule',
        before: ({ world, commits: [, sha] }) =>
          description && addStatus(world, sha, { context: STATUS, state: 'success', description }),
      })
      expect(run.asked).toEqual([])
    }
  })
})

describe.concurrent('release-gate', () => {
  it.each([
    ['nothing to change', '1.4.0 [agent: no-change]', 'no-pull-request', 'true', 0],
    ['a pull request', '1.4.0', 'pull-request', 'false', 0],
    ['a failed job', '1.4.0 [agent: fail]', 'failed', undefined, 1],
  ])('decides on %s', async (_case, version, result, ready, exitCode) => {
    const dispatch = event('workflow_dispatch', { inputs: { version }, ref: 'refs/heads/main' })
    const run = await runWorkflow('release-gate', { event: () => dispatch, exitCode })
    const { outputs, log } = run.job('docs')
    expect(outputs['docs']).toMatchObject({ result })
    expect(outputs['gate']?.['ready']).toBe(ready)
    const published = run.jobs.some((job) => job.id === 'publish' && job.log.includes('Releasing'))
    expect(published).toBe(ready === 'true')
    if (ready === 'false') expect(log).toContain(`Merge ${PULL}, then run this workflow again.`)
    expect(run.prompts[0]).toContain(`new in version ${version}`)
  })
})
