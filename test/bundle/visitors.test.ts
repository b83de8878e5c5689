import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { runAction, startAction } from './run-action.ts'
import {
  day,
  EXPLICIT,
  newWorkspace,
  queries,
  query,
  READ_KEY,
  report,
  startVisitors,
} from './visitors-scene.ts'

describe('a visitors report alone', () => {
  it('needs no more than a key that may read, and asks in the order of the contract', async () => {
    const { docs, inputs } = await startVisitors({ pages: 300 })
    const run = await runAction({
      inputs: { ...inputs, ...EXPLICIT, 'api-key': READ_KEY, 'visitors-trend': '3' },
    })
    expect(run).toMatchObject({ exitCode: 0 })
    expect(queries(docs)).toEqual([
      query('2026-07-27', '2026-08-03', 250, 0),
      query('2026-07-27', '2026-08-03', 250, 250),
      query('2026-07-20', '2026-07-27', 250, 0),
      query('2026-07-13', '2026-07-20', 1, 0),
      query('2026-07-20', '2026-07-27', 250, 250),
    ])
    expect(docs.requests).toHaveLength(5)
    expect(run.outputs).toMatchObject({
      'visitors-from': '2026-07-27',
      'visitors-to': '2026-08-03',
      'visitors-complete': 'true',
      'visitors-export': '',
    })
    expect(run.outputs['result'] ?? '').toBe('')
    const { totals, trend, top, risers, fallers, change, requests, complete } = report(run)
    expect({ requests, complete }).toEqual({ requests: 5, complete: true })
    expect(totals).toEqual({
      human: Number(run.outputs['visitors-human']),
      ai: Number(run.outputs['visitors-ai']),
      total: Number(run.outputs['visitors-total']),
    })
    expect([trend, top, risers, fallers]).toMatchObject([
      { length: 3 },
      { length: 10 },
      { length: 10 },
      { length: 10 },
    ])
    expect(run.outputs['visitors-change']).toBe(
      `${Number(change) > 0 ? '+' : ''}${Number(change).toFixed(1)}`,
    )
    expect(run.summary).toMatch(/^## .* visitors read the docs, .* the week before/)
    expect(run.summary).toContain('```mermaid\n')
    expect(run.summary).toContain('Requests: 5 of 40 allowed.')
    expect(run.log).toMatch(/::notice title=Docs visitors::.*visitors read the docs/)
  })

  it('is about the seven full days before today, whatever the time zone of the runner', async () => {
    for (const TZ of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      const { docs, inputs } = await startVisitors({ pages: 1 })
      const today = day(0)
      const run = await runAction({ inputs: { ...inputs, 'visitors-trend': '1' }, env: { TZ } })
      // Unless midnight passed on the way.
      if (today === day(0)) expect(queries(docs)).toEqual([query(day(7), today, 250, 0)])
      expect(run.exitCode).toBe(0)
    }
  })

  it('sends an explicit period as given, and reports the days that it touches', async () => {
    const { docs, inputs } = await startVisitors({ pages: 1 })
    const [from, to] = ['2026-07-27T10:00:00+02:00', '2026-07-28T10:00:00+02:00']
    const run = await runAction({
      inputs: { ...inputs, 'visitors-from': from, 'visitors-to': to, 'visitors-trend': '2' },
    })
    expect(queries(docs)).toEqual([query(from, to, 250, 0), query('2026-07-26T08:00:00.000Z', from, 250, 0)])
    expect(run.outputs).toMatchObject({ 'visitors-from': '2026-07-27', 'visitors-to': '2026-07-29' })
  })

  it('without data says so, with zeros', async () => {
    const { inputs } = await startVisitors({
      visitors: () => ({
        status: 200,
        body: { totals: { human: 0, ai: 0, total: 0 }, visitors: [], hasMore: false },
      }),
    })
    const run = await runAction({ inputs })
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: { 'visitors-total': '0', 'visitors-change': '0.0', 'visitors-complete': 'true' },
    })
    expect(run.summary).toContain('No visitors read the docs')
    expect(report(run)).toMatchObject({ top: [], risers: [], fallers: [], change: 0 })
  })

  it('keeps to the limit of requests, and says what that cut', async () => {
    const { docs, inputs } = await startVisitors({ pages: 1000 })
    const run = await runAction({ inputs: { ...inputs, 'visitors-max-requests': '3' } })
    expect(queries(docs)).toHaveLength(3)
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: { 'visitors-complete': 'false', 'visitors-change': '' },
    })
    expect(run.summary).toContain('`visitors-max-requests` allows no more than 3 requests')
    expect(run.log).toContain('::warning::Visitors report: The list of pages may not be whole')
  })

  it('in a dry run asks nothing, and says what it would ask', async () => {
    const { docs, inputs } = await startVisitors()
    const run = await runAction({ inputs: { ...inputs, ...EXPLICIT, 'dry-run': 'true', 'api-key': '' } })
    expect(run.exitCode).toBe(0)
    expect(docs.requests).toEqual([])
    expect(run.log).toMatch(/would list the visitors of 27 Jul – 2 Aug 2026 .* and of the 7 periods before/)
    expect(run.summary).toContain('dry run')
  })

  it('that is cancelled fails at once, and leaves no file', async () => {
    const { docs, inputs } = await startVisitors({ pages: 1000 })
    docs.faults.add({ kind: 'hang', times: 'always', match: { nth: 3 } })
    const workspace = await newWorkspace()
    const { child, ended } = await startAction({
      workspace,
      inputs: { ...inputs, 'visitors-export': 'v.csv' },
    })
    while (docs.requests.length < 3) await new Promise((resolve) => setTimeout(resolve, 10))
    child.kill('SIGINT')
    const run = await ended
    expect(run.exitCode).toBe(1)
    expect(run.log).toContain('The visitors report was cancelled')
    expect(await readdir(workspace)).toEqual([])
  })
})
