import { describe, expect, it } from 'vitest'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { create } from '../docs-service/started-service.ts'
import { addStatus } from '../support/world.ts'
import { runWorkflow } from './run-workflow.ts'

/** A site where one page gained readers and one lost some, and the whole changed by `percent`. */
function visitors(percent: number): NonNullable<DocsServiceOptions['visitors']> {
  const page = (path: string, total: number): object => ({ path, human: total, ai: 0, total })
  const steady = Array.from({ length: 20 }, (_, index) => page(`/steady-${index}`, 1000))
  return ({ fromMs }) => {
    const isNow = fromMs > Date.now() - 8 * 24 * 60 * 60 * 1000
    const totals = { human: 350, ai: 150, total: isNow ? 400 * (1 + percent / 100) : 400 }
    const pages = [page('/a`<b>`&c', isNow ? 3000 : 900), page('/down', isNow ? 100 : 2000)]
    return { status: 200, body: { totals, visitors: [...pages, ...steady], hasMore: false } }
  }
}

describe.concurrent('weekly', () => {
  it('has the docs fixed, and reports their readers and what they missed', async () => {
    const run = await runWorkflow('weekly', { event: 'schedule' })
    const { outputs, summary, log } = run.job('care')
    const { 'visitors-total': total, 'visitors-change': change, ...others } = outputs['weekly'] ?? {}
    expect(others).toMatchObject({ result: 'pull-request', 'visitors-complete': 'true' })
    expect(summary).toContain('mermaid')
    const missed = `${others['reader-signals-count']} things missed. Pull request: ${others['pr-link']}`
    expect(log).toContain(`::notice title=Docs this week::${total} visitors (${change} %), ${missed}`)
    const requests = run.asked.filter((line) => line.includes('/v1/analytics/'))
    expect(requests.length).toBeGreaterThan(4)
    expect(requests.length).toBeLessThanOrEqual(40)
  })

  it('reports the readers even if the job fails', async () => {
    const run = await runWorkflow('weekly', {
      event: 'schedule',
      before: ({ docs }) => docs.faults.add({ kind: 'status', status: 400, match: { path: 'create' } }),
      exitCode: 1,
    })
    const { outputs, log } = run.job('care')
    expect(outputs['weekly']).toMatchObject({ result: 'error', 'visitors-complete': 'true' })
    expect(log).toContain('::notice title=Docs this week::')
  })
})

describe.concurrent('changes-since-last-run', () => {
  const STATUS = 'Docs agent: docs (changes-since-last-run.yml, docs, changes)'
  const EARLIER = 'Describe cats. [agent: no-change]'

  it.each([
    ['nothing', undefined, 1],
    ['an earlier commit', 0, 1],
    ['this commit', 1, 0],
  ] as const)('where %s was documented, starts a job for what is not', async (_what, documented, jobs) => {
    const run = await runWorkflow('changes-since-last-run', {
      event: 'schedule',
      docs: { jobTimeMs: 1 },
      before: async ({ docs, world, commits }) => {
        if (documented === undefined) return
        const { id } = await create(docs, EARLIER)
        const description = `Completed without a pull request (${id})`
        addStatus(world, commits[documented], { context: STATUS, state: 'success', description })
      },
    })
    const prompts = run.prompts.filter((prompt) => prompt !== EARLIER)
    expect(run.outputs).toMatchObject([{ result: jobs === 0 ? 'skipped' : 'pull-request' }])
    expect(prompts).toHaveLength(jobs)
    for (const prompt of prompts)
      expect(prompt).toMatch(/^Bring the docs up to date with the changes below\./)
    if (documented === 0) expect(prompts[0]).toContain('src/pets.ts')
  })
})

describe.concurrent('many-projects', () => {
  it('cares for each project, two at a time, and remembers the job of each', async () => {
    const projects = ['handbook', 'api', 'cli', 'sdk']
    const jobTimeMs = 1000
    const run = await runWorkflow('many-projects', { event: 'schedule', docs: { projects, jobTimeMs } })
    expect(run.outputs).toMatchObject(Array(4).fill({ result: 'pull-request' }))
    const { jobs } = run.docs
    expect(jobs.map(({ project }) => project).toSorted()).toEqual(projects.toSorted())
    for (const { createdAtMs } of jobs) {
      const together = jobs.filter((one) => Math.abs(one.createdAtMs - createdAtMs) < jobTimeMs)
      expect(together.length).toBeLessThanOrEqual(2)
    }
    expect(run.asked.filter((line) => line.includes('/v1/analytics/')).length).toBeLessThanOrEqual(80)
    const contexts = projects.map(
      (project) => `Docs agent: ${project} (many-projects.yml, project, docs, ${project})`,
    )
    const wanted = contexts.flatMap((context) => [`pending ${context}`, `success ${context}`])
    expect(run.statuses.toSorted()).toEqual(wanted.toSorted())
  })
})

describe.concurrent('the readers report', () => {
  it.each([
    [-25, true],
    [12.5, false],
  ])('by itself warns of a drop only (report-only, %d %%)', async (percent, warns) => {
    const run = await runWorkflow('report-only', { event: 'schedule', docs: { visitors: visitors(percent) } })
    expect(
      run.job('report').log.includes('::warning title=Fewer readers::The docs had -25.0 % visitors'),
    ).toBe(warns)
    expect(run.github.requests).toEqual([])
    expect(run.prompts).toEqual([])
  })

  it('is kept as a file of the run (export-visitors)', async () => {
    const run = await runWorkflow('export-visitors', { event: 'schedule' })
    const { outputs, log } = run.job('export')
    const from = outputs['export']?.['visitors-from']
    expect(log).toContain(`uploaded visitors-from-${from}, which begins with path,human,ai,total`)
  })

  it('is a comment on an issue (week-by-week)', async () => {
    const url = 'https://github.com/acme/docs/issues/12'
    const issue = { __typename: 'Issue', id: 'I_12', number: 12, url }
    const run = await runWorkflow('week-by-week', {
      event: 'schedule',
      docs: { visitors: visitors(12.5) },
      gh: (query) => (query.includes('mutation') ? {} : { repository: { hasIssuesEnabled: true, issue } }),
    })
    const sent = run.gh as { query: string; variables: { input?: { body: string } } }[]
    const written = sent.flatMap(({ variables: { input } }) => input?.body ?? [])
    const markdown = run.job('report').outputs['report']?.['visitors-markdown']
    expect(markdown).toContain('450')
    const link = 'https://github.com/acme/docs/actions/runs/1'
    expect(written).toEqual([`${markdown}\n\n[With the chart and all pages](${link})\n`])
  })

  it('is posted to a chat (report-to-chat)', async () => {
    const run = await runWorkflow('report-to-chat', { event: 'schedule', docs: { visitors: visitors(12.5) } })
    const { from, to } = JSON.parse(run.job('report').outputs['report']?.['visitors'] ?? '{}')
    const text = [
      `Docs, ${from.slice(0, 10)} until ${to.slice(0, 10)}: about 450 visitors (+12.5 %)`,
      '350 people, 150 AI',
      'Up: /a`&lt;b&gt;`&amp;c (+233.3 %)',
      'Down: /down (-95 %)',
      'https://github.com/acme/docs/actions/runs/1',
    ].join('\n')
    expect(run.chat).toEqual([{ text }])
    expect(run.github.requests).toEqual([])
  })
})
