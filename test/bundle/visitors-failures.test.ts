import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { runAction } from './run-action.ts'
import { errorIn, newWorkspace, report, visitorsStarter } from './visitors-scene.ts'

const startVisitors = visitorsStarter()

describe('a failure', () => {
  it.each<[string, number, Record<string, string>, RegExp]>([
    ['400 with details', 400, {}, /400.*"Bad; dateTo is odd"/],
    ['401', 401, {}, /401.*may have expired/],
    ['403', 403, {}, /403.*list of IP addresses/],
    [
      '429 with a far Retry-After',
      429,
      { 'retry-after': '3000' },
      /100 analytics requests.*asks to wait 50 min 00 s/,
    ],
  ])('with %s is a clear error', async (_name, code, headers, says) => {
    const { docs, inputs } = await startVisitors()
    const body = { error: 'Bad', details: [{ message: 'dateTo is odd' }] }
    docs.faults.add({ kind: 'status', status: code, body, headers, times: 'always' })
    const run = await runAction({ inputs })
    expect(run.exitCode).toBe(1)
    expect(errorIn(run)).toMatch(says)
    expect(docs.requests).toHaveLength(1)
    expect(run.outputs['visitors-total'] ?? '').toBe('')
  })

  it('with 500 and 429 with a near Retry-After is got over', async () => {
    const { docs, inputs } = await startVisitors({ pages: 1 })
    docs.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '1' } })
    docs.faults.add({ kind: 'status', status: 500 })
    const run = await runAction({ inputs: { ...inputs, 'visitors-trend': '1' } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { 'visitors-complete': 'true' } })
    expect(report(run)['requests']).toBe(3)
    expect(run.log).toContain('Trying again in 1 s')
  })

  it('within the period leaves what was read in the report, exports nothing, and is red', async () => {
    const { docs, inputs } = await startVisitors({ pages: 1000 })
    docs.faults.add({ kind: 'html', times: 'always', match: { nth: 3 } })
    const workspace = await newWorkspace()
    const run = await runAction({ workspace, inputs: { ...inputs, 'visitors-export': 'v.csv' } })
    expect(run).toMatchObject({
      exitCode: 1,
      outputs: { 'visitors-complete': 'false', 'visitors-export': '' },
    })
    expect(Number(run.outputs['visitors-total'])).toBeGreaterThan(0)
    expect(run.log).toMatch(/::error.*::.*HTML page.*not all visitors could be read/)
    expect(run.summary).toContain('only 500 pages could be read')
    expect(await readdir(workspace)).toEqual([])
  })

  it('before the period leaves the report green and whole, with a warning', async () => {
    const { docs, inputs } = await startVisitors({ pages: 10 })
    docs.faults.add({ kind: 'status', status: 403, times: 'always', match: { nth: 2 } })
    const run = await runAction({ inputs })
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: { 'visitors-complete': 'true', 'visitors-change': '' },
    })
    expect(report(run)).toMatchObject({ previous: null, change: null, trend: [{}] })
    expect(run.log).toMatch(/::warning.*::Visitors of docs: None of the weeks before could be read: .*403/)
    expect(run.summary).toContain('None of the weeks before could be read')
  })
})

describe('beside a job', () => {
  it('is gathered while the job is awaited', async () => {
    const { docs, inputs } = await startVisitors({ jobTimeMs: 1500 })
    const run = await runAction({
      inputs: { ...inputs, 'poll-interval': '100ms', prompt: 'Explain the new flag.' },
    })
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: { result: 'pull-request', 'visitors-complete': 'true' },
    })
    const paths = docs.requests.map(({ path }) => path)
    expect(paths.findLastIndex((path) => path.includes('analytics'))).toBeLessThan(
      paths.findLastIndex((path) => path.includes('/job/')),
    )
    expect(run.summary).toMatch(/^## ✅ Pull request \[.*\]\(http.*\) is ready for review\n/)
    expect(run.summary).toContain('visitors read the docs')
  })

  it('is whole if the job fails', async () => {
    const { inputs } = await startVisitors()
    const run = await runAction({ inputs: { ...inputs, 'poll-interval': '100ms', prompt: '[agent: fail]' } })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'failed', 'visitors-complete': 'true' } })
    expect(run.summary).toContain('visitors read the docs')
  })

  it('leaves the job whole if it fails itself', async () => {
    const { docs, inputs } = await startVisitors()
    docs.faults.add({ kind: 'status', status: 400, times: 'always', match: { path: 'visitors' } })
    const run = await runAction({ inputs: { ...inputs, 'poll-interval': '100ms', prompt: 'Explain.' } })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'pull-request' } })
    expect(run.summary).toMatch(/^## ✅ Pull request \[.*\]\(http.*\) is ready for review\n/)
    expect(run.summary).toMatch(/## ❌ No visitors report\n\n.*400/)
    expect(errorIn(run)).toMatch(/400.*So there is no visitors report\./)
  })

  it('comes without the summary of the job where that is turned off', async () => {
    const { inputs } = await startVisitors()
    const run = await runAction({
      inputs: { ...inputs, 'poll-interval': '100ms', prompt: 'Explain.', summary: 'false' },
    })
    expect(run.summary).toMatch(/^## .*visitors read the docs/)
    expect(run.summary).not.toContain('Pull request')
  })
})
