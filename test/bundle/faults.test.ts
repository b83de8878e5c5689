import { describe, expect, it } from 'vitest'
import { countOf, docsStarter } from './docs.ts'
import { POSTS, SAFE, UNCERTAIN } from './post-faults.ts'
import { runAction } from './run-action.ts'

const startDocs = docsStarter()

describe('a create that meets', () => {
  it.each(POSTS)('$name makes at most one job and says what is known', async (row) => {
    const { docs, inputs } = await startDocs()
    docs.faults.add({ ...row.fault, match: { path: 'create' } })
    const run = await runAction({ inputs })
    expect(run.log).toMatch(row.says)
    expect(run.outputs['result']).toBe(row.result)
    expect(run.exitCode).toBe(row.result === 'error' ? 1 : 0)
    expect(docs.jobs).toHaveLength(row.taken)
    expect(countOf(docs, 'POST')).toBe(row.sent)
    expect(run.log.includes('may be running')).toBe(
      row.says === UNCERTAIN || /may be running|16 MiB/.test(row.says.source),
    )
  })

  it('a refused connection is tried again, and made once the service is there', async () => {
    const { docs, inputs } = await startDocs()
    const port = Number(new URL(docs.url).port)
    await docs.close()
    const running = runAction({ inputs })
    await new Promise((resolve) => setTimeout(resolve, 700))
    const { docs: late } = await startDocs({ port })
    const run = await running
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
    expect(run.log).toMatch(/refused \(ECONNREFUSED\).*trying again/)
    expect(late.jobs).toHaveLength(1)
  })

  it('a rate limit that does not say for how long is tried a last time when the time is up', async () => {
    const { docs, inputs } = await startDocs()
    docs.faults.add({ kind: 'status', status: 429, times: 'always', match: { path: 'create' } })
    const run = await runAction({ inputs: { ...inputs, timeout: '2s' } })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error' } })
    expect(run.log).toContain('It kept saying so until `timeout` was used up. Nothing was started.')
    expect(run.durationMs).toBeGreaterThan(1900)
    expect(countOf(docs, 'POST')).toBe(3)
  })

  it('a name that does not resolve is given up after 30 s, and safe to run again', async () => {
    const { inputs } = await startDocs()
    const run = await runAction({ inputs: { ...inputs, 'base-url': 'https://docs.invalid' } })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error' } })
    expect(run.log).toMatch(/docs\.invalid could not be resolved/)
    expect(run.log).toMatch(SAFE)
    expect(run.durationMs).toBeLessThan(40_000)
  }, 60_000)
})

describe('a follow-up message that meets', () => {
  it.each(POSTS)('$name is passed on at most once', async (row) => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 0 })
    const first = await runAction({ inputs })
    const id = first.outputs['job-id'] ?? ''
    docs.faults.add({ ...row.fault, match: { path: 'message' } })
    const run = await runAction({ inputs: { ...inputs, 'job-id': id, prompt: 'More. [agent: takes 300ms]' } })
    expect(run.outputs).toMatchObject({ 'job-id': id, result: row.result })
    expect(run.exitCode).toBe(row.result === 'error' ? 1 : 0)
    expect(docs.jobs.map(({ messages }) => messages.length)).toEqual([row.taken])
    expect(docs.requests.filter(({ path }) => path.endsWith('/message'))).toHaveLength(row.sent)
  })
})
