import { describe, expect, it } from 'vitest'
import type { DocsService } from '../../docs-service/service.ts'
import { countOf, docsStarter } from './docs.ts'
import { LEAVES, POSTS, type PostRow } from './post-faults.ts'
import { type ActionRun, runAction, startAction } from './run-action.ts'

const startDocs = docsStarter()

function expectEnd(run: ActionRun, { result = 'error', says, leaves }: PostRow, jobId?: string): void {
  expect(run.outputs['result']).toBe(result)
  expect(run.exitCode).toBe(result === 'error' ? 1 : 0)
  const error = /^::error title=Docs agent%3A docs::(.*)$/m.exec(run.log)?.[1]
  if (result === 'error' && jobId !== undefined) {
    expect(error).toContain(jobId)
  }
  const annotation = error
  expect(result === 'error' ? annotation : run.log).toMatch(says)
  expect(run.log).not.toMatch(/Infinity|NaN/)
  for (const [name, text] of Object.entries(LEAVES)) {
    if (leaves !== undefined) expect(text.test(annotation ?? '')).toBe(name === leaves)
  }
}

function sentTo(docs: DocsService, what: 'job' | 'message'): number {
  return docs.requests.filter(({ method, path }) => method === 'POST' && path.endsWith(`/${what}`)).length
}

describe('a create that meets', () => {
  it.each(POSTS)('$name makes at most one job and says what is known', async (row) => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 0 })
    docs.faults.add({ ...row.fault, match: { path: 'create' } })
    const run = await runAction({ inputs })
    expectEnd(run, row)
    expect(docs.jobs).toHaveLength(row.taken)
    expect(sentTo(docs, 'job')).toBe(row.sent ?? 1)
  })

  it('a refused connection is tried again, and made once the service is there', async () => {
    const { docs, inputs } = await startDocs()
    const port = Number(new URL(docs.url).port)
    await docs.close()
    const started = await startAction({ inputs })
    await started.logged('trying again')
    const { docs: late } = await startDocs({ port })
    const run = await started.ended
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
    expect(run.log).toMatch(
      /could not be reached\. The connection to \S+ was refused.*Nothing was started yet; trying/,
    )
    expect(late.jobs).toHaveLength(1)
  })

  it('a project that is not there names it', async () => {
    const { docs, inputs } = await startDocs()
    const run = await runAction({ inputs: { ...inputs, 'project-id': 'nonesuch' } })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error', 'job-id': '' } })
    expect(run.log).toContain('::error title=Docs agent%3A nonesuch::No project `nonesuch` (404). ')
    expect(run.summary).toMatch(/^## ❌ No project `nonesuch` \(404\)\n/)
    expect(run.summary).toContain('<sub>Docs agent · project `nonesuch`</sub>')
    expect(countOf(docs, 'POST')).toBe(1)
  })
})

describe('a follow-up message that meets', () => {
  it.each(POSTS)('$name is passed on at most once', async (row) => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 0 })
    const created = await fetch(`${docs.url}/v2/agent/docs/job`, {
      method: 'POST',
      headers: { authorization: `Bearer ${docs.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'The job before.' }),
    })
    expect(created.status).toBe(201)
    const id = docs.jobs[0]?.id ?? ''
    docs.faults.add({ ...row.fault, match: { path: 'message' } })
    const run = await runAction({ inputs: { ...inputs, 'job-id': id, prompt: 'More. [agent: takes 300ms]' } })
    expectEnd(run, row, id)
    expect(run.outputs['job-id']).toBe(id)
    expect(docs.jobs.map(({ messages }) => messages.length)).toEqual([row.taken])
    expect(sentTo(docs, 'message')).toBe(row.sent ?? 1)
  })
})
