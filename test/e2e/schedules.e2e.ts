import { describe, expect, it } from 'vitest'
import { createdJobs, expectNoOtherHost, githubRequests, serviceRequests } from './expectations.ts'
import { runWorkflow } from './run-workflow.ts'

describe.concurrent('weekly', () => {
  it.each(['schedule', 'workflow_dispatch'])(
    'on %s has the docs fixed and reports their visitors',
    async (event) => {
      const run = await runWorkflow('weekly', { event })
      expect(run.exitCode, run.output).toBe(0)
      const { outputs, summary, log } = run.job('care')
      expect(outputs['docs']).toMatchObject({
        result: 'pull-request',
        'visitors-complete': 'true',
      })
      expect(summary).toContain('mermaid')
      expect(log).toContain(`::notice title=Docs this week::${outputs['docs']?.['visitors-total']} visitors`)
      const visitors = serviceRequests(run).filter((line) => line === 'GET /v1/analytics/docs/visitors')
      expect(visitors.length).toBeGreaterThan(1)
      expect(visitors.length).toBeLessThanOrEqual(40)
      expectNoOtherHost(run)
    },
  )

  it('reports the visitors even if the job fails', async () => {
    const run = await runWorkflow('weekly', {
      event: 'schedule',
      before: ({ faults }) => faults.add({ kind: 'status', status: 400, match: { path: 'create' } }),
    })
    expect(run.exitCode).toBe(1)
    const { outputs, log } = run.job('care')
    expect(outputs['docs']).toMatchObject({ result: 'error', 'visitors-complete': 'true' })
    expect(log).toContain('::notice title=Docs this week::')
  })
})

describe.concurrent('changes-since-last-run', () => {
  it('has the docs updated where something was pushed since the last success', async () => {
    const run = await runWorkflow('changes-since-last-run', {
      event: 'schedule',
      github: ({ before }) => ({ lastSuccess: before }),
    })
    expect(run.exitCode, run.output).toBe(0)
    const [request] = run.github.requests
    expect(request?.line).toBe('GET /repos/acme/docs/actions/workflows/changes-since-last-run.yml/runs')
    expect(request?.query).toBe('branch=main&per_page=1&status=success')
    expect(createdJobs(run)[0]?.prompt).toMatch(/^Bring the docs up to date with the changes below\./)
    expectNoOtherHost(run)
  })

  it('has the docs updated on its first run', async () => {
    const run = await runWorkflow('changes-since-last-run', { event: 'schedule' })
    expect(run.exitCode, run.output).toBe(0)
    expect(createdJobs(run)).toHaveLength(1)
  })

  it('starts no job where nothing was pushed since', async () => {
    const run = await runWorkflow('changes-since-last-run', {
      event: 'schedule',
      github: ({ after }) => ({ lastSuccess: after }),
    })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('docs').result).toBe('success')
    expect(serviceRequests(run)).toEqual([])
  })
})

describe.concurrent('many-projects', () => {
  it('cares for each project, two at a time, within the limits of the service', async () => {
    const jobTimeMs = 1000
    const run = await runWorkflow('many-projects', {
      event: 'schedule',
      docs: { projects: ['handbook', 'api', 'cli', 'sdk'], jobTimeMs },
    })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.jobs).toHaveLength(4)
    for (const { outputs } of run.jobs) {
      expect(outputs['0']).toMatchObject({ result: 'pull-request', 'visitors-complete': 'true' })
    }
    const jobs = createdJobs(run)
    expect(jobs.map(({ path }) => path).sort()).toEqual([
      '/v2/agent/api/job',
      '/v2/agent/cli/job',
      '/v2/agent/handbook/job',
      '/v2/agent/sdk/job',
    ])
    expect(new Set(jobs.map(({ prompt }) => prompt))).toEqual(
      new Set(['Check the docs for broken links and outdated versions, and fix what you find.']),
    )
    const together = jobs.map(({ at }) => jobs.filter((other) => Math.abs(other.at - at) < jobTimeMs).length)
    expect(Math.max(...together)).toBeLessThanOrEqual(2)
    expect(serviceRequests(run).filter((line) => line.includes('/v1/analytics/')).length).toBeLessThanOrEqual(
      80,
    )
    // Its permissions are empty: it must not need GitHub.
    expect(githubRequests(run)).toEqual([])
    expectNoOtherHost(run)
  })
})
describe.concurrent('report-to-chat', () => {
  it('posts the totals and what moved', async () => {
    const page = (path: string, total: number): object => ({ path, human: total, ai: 0, total })
    const run = await runWorkflow('report-to-chat', {
      event: 'schedule',
      docs: {
        visitors: ({ fromMs }) => {
          const now = fromMs > Date.now() - 8 * 24 * 60 * 60 * 1000
          return {
            status: 200,
            body: {
              totals: now ? { human: 350, ai: 150, total: 450 } : { human: 350, ai: 60, total: 400 },
              visitors: now
                ? [page('/a<b>&c', 300), page('/down', 100)]
                : [page('/a<b>&c', 90), page('/down', 200)],
              hasMore: false,
            },
          }
        },
      },
    })
    expect(run.exitCode, run.output).toBe(0)
    const { from, to } = JSON.parse(run.job('report').outputs['docs']?.['visitors'] ?? '{}')
    expect(run.chat.map((body) => JSON.parse(body))).toEqual([
      {
        text: [
          `Docs, ${from.slice(0, 10)} until ${to.slice(0, 10)}: about 450 visitors (+12.5 %)`,
          '350 people, 150 AI',
          'Up: /a&lt;b&gt;&amp;c (+233.3 %)',
          'Down: /down (-50 %)',
          'https://github.com/acme/docs/actions/runs/1',
        ].join('\n'),
      },
    ])
    expect(githubRequests(run)).toEqual([])
    expectNoOtherHost(run)
  })
})
