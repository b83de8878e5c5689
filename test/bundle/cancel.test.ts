import { afterEach, describe, expect, it } from 'vitest'
import { TestServers } from '../lib/http-servers.ts'
import { docsStarter } from './docs.ts'
import { startAction } from './run-action.ts'

const startDocs = docsStarter()
const servers = new TestServers()
afterEach(() => servers.close())

/** Well below the 30 s that a request may take: what is held up by one ends at this limit. */
const NOT_HELD_UP = { timeout: 20_000 }

describe.each(['SIGINT', 'SIGTERM'] as const)('%s', (signal) => {
  it('stops the wait at once, and says how to pick the job up', async () => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 60_000 })
    const started = await startAction({ inputs: { ...inputs, 'poll-interval': '20m' } })
    await started.logged('Status: active')
    started.child.kill(signal)
    const run = await started.ended
    expect(run).toMatchObject({
      exitCode: 1,
      outputs: { result: 'cancelled', status: 'active', 'job-id': docs.jobs[0]?.id },
    })
    expect(run.log).toMatch(/goes on in the background.*job-id: /)
    expect(run.summary).toContain('Cancelled')
  })
})

describe('a run that is cancelled', () => {
  it('waits for a create in flight, so that its id is not lost', async () => {
    const { docs, inputs } = await startDocs()
    docs.faults.add({ kind: 'delay', ms: 500, match: { path: 'create' } })
    const started = await startAction({ inputs })
    await until(() => docs.jobs.length === 1)
    started.child.kill('SIGINT')
    const run = await started.ended
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'cancelled', 'job-id': docs.jobs[0]?.id } })
  })

  it.each([
    ['a service that never begins with TLS', 'base-url'],
    ['a proxy that never opens a tunnel', 'http'],
  ])('is not held up by %s', NOT_HELD_UP, async (_what, as) => {
    const { inputs } = await startDocs()
    const { host, accepted } = await servers.startSilent()
    const env: Record<string, string> = as === 'base-url' ? {} : { HTTPS_PROXY: `${as}://${host}` }
    const url = as === 'base-url' ? `https://${host}` : 'https://127.0.0.1:9'
    const started = await startAction({
      inputs: { ...inputs, prompt: '', 'job-id': 'a', 'base-url': url },
      env,
    })
    await accepted
    started.child.kill('SIGINT')
    const run = await started.ended
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'cancelled' } })
  })
})

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}
