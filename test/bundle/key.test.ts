import { describe, expect, it } from 'vitest'
import { docsStarter } from './docs.ts'
import { runAction } from './run-action.ts'

const startDocs = docsStarter()

describe('the key', () => {
  it.each(['create', 'look'] as const)('is not quoted from a body that echoes it to a %s', async (path) => {
    const { docs, inputs } = await startDocs({ key: 'mint_k3y_"q\\uote' })
    docs.faults.add({ kind: 'echo-key', match: { path } })
    const run = await runAction({ inputs })
    expect(run.exitCode).toBe(1)
    const seen = [run.log.replace(/^::add-mask::.*$/gm, ''), run.summary, JSON.stringify(run.outputs)].join()
    expect(seen).not.toContain('k3y')
    expect(run.log).toContain('***')
  })

  it('is replaced in the job as the service sent it', async () => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 0 })
    const job = { id: 'j1', status: 'completed', prLink: null, note: `key ${docs.key}` }
    docs.faults.add({ kind: 'body', body: job, match: { path: 'create' } })
    const run = await runAction({ inputs })
    expect(JSON.parse(run.outputs['job'] ?? '')).toEqual({ ...job, note: 'key ***' })
  })
})
