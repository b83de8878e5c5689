import { describe, expect, it } from 'vitest'
import { docsStarter } from './docs.ts'
import { type ActionRun, runAction } from './run-action.ts'

const startDocs = docsStarter()

/** All that anybody can read of a run, without what nobody sees and with entities read back. */
function seenOf({ log, summary, outputs }: ActionRun): string {
  const text = [log.replace(/^::add-mask::.*$/gm, ''), summary, ...Object.values(outputs)].join('\n')
  return text
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/&#(\d+);/g, (_entity, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('\\', '')
}

describe('the key', () => {
  it.each(['create', 'look'] as const)('is not quoted from a body that echoes it to a %s', async (path) => {
    const { docs, inputs } = await startDocs({ key: 'mint_k3y_"q\\uote' })
    docs.faults.add({ kind: 'echo-key', match: { path } })
    const run = await runAction({ inputs })
    expect(run.exitCode).toBe(1)
    expect(seenOf(run)).not.toContain('k3y')
    expect(run.log).toContain('***')
  })

  it('is masked before anything else is printed', async () => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 0 })
    const run = await runAction({ inputs })
    expect(run.log.split('\n', 1)).toEqual([`::add-mask::${docs.key}`])
  })

  it('is not shown where the service sends it with characters in it that nobody sees, and one that is written as an entity', async () => {
    const { docs, inputs } = await startDocs({ key: 'mint_k3y|demo', jobTimeMs: 60_000 })
    const invisible = ['\u00ad', '\u200b', '\u0001', '\u{e0041}', '\ufe0f']
    const sent = invisible.map((character) => `mint_k${character}3y|demo`).join(' ')
    const job = {
      id: 'j1',
      status: sent,
      prLink: `https://github.com/${sent}/pull/1`,
      model: sent,
      ref: sent,
    }
    docs.faults.add({ kind: 'body', body: job, match: { path: 'create' } })
    docs.faults.add({ kind: 'status', status: 403, body: { error: sent }, match: { path: 'look' } })
    const run = await runAction({ inputs: { ...inputs, prompt: `Do ${sent}.` } })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error', 'job-id': 'j1' } })
    expect(seenOf(run)).not.toContain('3y')
  })

  it('is replaced in the job as the service sent it', async () => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 0 })
    const job = { id: 'j1', status: 'completed', prLink: null, note: `key ${docs.key}` }
    docs.faults.add({ kind: 'body', body: job, match: { path: 'create' } })
    const run = await runAction({ inputs })
    expect(JSON.parse(run.outputs['job'] ?? '')).toEqual({ ...job, note: 'key ***' })
  })
})

it('a token that is a word is not cut out of texts', async () => {
  const { docs, inputs } = await startDocs({ jobTimeMs: 0 })
  const prompt = 'Say that there is none, nonetheless.'
  const run = await runAction({ inputs: { ...inputs, prompt, 'github-token': 'none' } })
  expect(docs.requests[0]?.body).toEqual({ prompt })
  expect(run.summary).toContain(prompt)
  expect(run.log).toContain('::add-mask::none')
})
