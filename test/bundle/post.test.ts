import { describe, expect, it } from 'vitest'
import { docsStarter } from './docs.ts'
import { runAction, startAction } from './run-action.ts'

const startDocs = docsStarter()

describe('the post part', () => {
  it('is silent after a run that ended by itself', async () => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 0 })
    const main = await runAction({ inputs })
    const post = await runAction({ inputs, state: main.state })
    expect(post).toMatchObject({ exitCode: 0, summary: '', outputs: {} })
    expect(docs.requests).toHaveLength(1)
  })

  it('says how to pick the job up after a run that was killed', async () => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 60_000 })
    const started = await startAction({ inputs })
    await started.logged('was accepted')
    started.child.kill('SIGKILL')
    const { state, outputs } = await started.ended
    expect(outputs['result']).toBe('error')
    const requests = docs.requests.length
    const post = await runAction({ inputs, state })
    expect(post.exitCode).toBe(0)
    expect(post.log).toContain(`job-id: ${docs.jobs[0]?.id}`)
    expect(post.summary).toContain('## 🛑 Docs agent: cut off')
    expect(post.summary).toContain(docs.jobs[0]?.id)
    expect(post.summary).toContain('project `docs`')
    expect(docs.requests).toHaveLength(requests)
  })

  it('of a main part that was killed before it saved anything starts no job and asks the service nothing', async () => {
    const { docs, inputs } = await startDocs()
    const post = await runAction({ inputs, state: {} })
    expect(post).toMatchObject({ exitCode: 0, outputs: {}, state: {} })
    expect(post.log).toContain('Check the dashboard before you run this again.')
    expect(docs.requests).toEqual([])
    expect(docs.jobs).toEqual([])
  })
})
