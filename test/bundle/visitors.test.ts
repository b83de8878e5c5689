import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { runAction, startAction } from './run-action.ts'
import {
  answering,
  day,
  EXPLICIT,
  newWorkspace,
  queries,
  query,
  READ_KEY,
  report,
  visitorsStarter,
} from './visitors-scene.ts'

const startVisitors = visitorsStarter()

describe('a visitors report alone', () => {
  it('needs no more than a key that may read, and sends its requests in the order of the contract', async () => {
    const { docs, inputs } = await startVisitors({ pages: 300 })
    const run = await runAction({
      inputs: { ...inputs, ...EXPLICIT, 'api-key': READ_KEY, 'visitors-trend': '4' },
    })
    expect(run).toMatchObject({ exitCode: 0 })
    expect(queries(docs)).toEqual([
      query('2025-07-28', '2025-08-04', 250, 0),
      query('2025-07-28', '2025-08-04', 250, 250),
      query('2025-07-21', '2025-07-28', 250, 0),
      query('2025-07-14', '2025-07-21', 1, 0),
      query('2025-07-07', '2025-07-14', 1, 0),
      query('2025-07-21', '2025-07-28', 250, 250),
    ])
    expect(docs.requests).toHaveLength(6)
    expect(run.outputs).toMatchObject({
      'visitors-from': '2025-07-28',
      'visitors-to': '2025-08-04',
      'visitors-complete': 'true',
      'visitors-export': '',
    })
    expect(run.outputs['result'] ?? '').toBe('')
    const { totals, trend, top, change, requests, complete } = report(run)
    expect({ requests, complete }).toEqual({ requests: 6, complete: true })
    expect(totals).toEqual({
      human: Number(run.outputs['visitors-human']),
      ai: Number(run.outputs['visitors-ai']),
      total: Number(run.outputs['visitors-total']),
    })
    expect([trend, top]).toMatchObject([{ length: 4 }, { length: 10 }])
    expect(run.outputs['visitors-change']).toBe(
      `${Number(change) > 0 ? '+' : ''}${Number(change).toFixed(1)}`,
    )
    expect(run.summary).toMatch(
      /^## \S+ About [\d,]+ visitors read the docs, as usual\n\n28 Jul – 3 Aug 2025 · project `docs`\n/,
    )
    expect(run.summary).toContain('```mermaid\n')
    expect(run.summary).toContain('Requests: 6 of 40 allowed.')
    expect(run.log).toMatch(
      /::notice title=Docs visitors of docs::About [\d,]+ visitors read the docs, as usual\./,
    )
  })

  it('is of the seven full days before today, whatever the time zone of the runner', async () => {
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
    const [from, to] = ['2025-07-27T10:00:00+02:00', '2025-07-28T10:00:00+02:00']
    const run = await runAction({
      inputs: { ...inputs, 'visitors-from': from, 'visitors-to': to, 'visitors-trend': '2' },
    })
    expect(queries(docs)).toEqual([query(from, to, 250, 0), query('2025-07-26T08:00:00.000Z', from, 250, 0)])
    expect(run.outputs).toMatchObject({ 'visitors-from': '2025-07-27', 'visitors-to': '2025-07-29' })
  })

  it('of a period that is not over says "so far", compares nothing, and warns', async () => {
    const { docs, inputs } = await startVisitors({ pages: 20 })
    const [from, to] = [day(3), day(-4)]
    const run = await runAction({ inputs: { ...inputs, 'visitors-from': from, 'visitors-to': to } })
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: { 'visitors-change': '', 'visitors-complete': 'true' },
    })
    expect(queries(docs)).toEqual([query(from, to, 250, 0)])
    expect(report(run)).toMatchObject({ previous: null, change: null, trend: { length: 1 } })
    expect(run.summary).toMatch(/^## \S+ About [\d,]+ visitors read the docs so far\n/)
    expect(run.log).toMatch(/::warning.*::.*The period is not over yet, so it is compared with nothing\./)
  })

  it('of a period in the future is refused before any request', async () => {
    const { docs, inputs } = await startVisitors()
    const wrong = { 'visitors-from': day(-2), 'visitors-to': day(-9), prompt: 'Explain.' }
    const run = await runAction({ inputs: { ...inputs, ...wrong } })
    expect(run.exitCode).toBe(1)
    expect(run.log).toContain(`visitors-from ("${day(-2)}") is in the future`)
    expect(docs.requests).toEqual([])
  })

  it('without data says so, with zeros', async () => {
    const { inputs } = await startVisitors(answering([], { totals: { human: 0, ai: 0, total: 0 } }))
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
    expect(run.summary).toContain('⚠️ **Not complete:** only 750 pages could be read.')
    expect(run.summary).toContain('the requests that `visitors-max-requests` allows were used up')
    expect(run.log).toMatch(/::warning.*::Visitors of docs: Not all pages of the period were read/)
  })

  it('links its pages to `site-url`, which is judged like `base-url`', async () => {
    const { docs, inputs } = await startVisitors(
      answering([{ path: '/guides/a b', human: 9, ai: 40, total: 45 }]),
    )
    const run = await runAction({ inputs: { ...inputs, 'site-url': 'https://example.com/docs/' } })
    expect(run.exitCode).toBe(0)
    expect(run.summary).toContain('[`/guides/a b`](https://example.com/docs/guides/a%20b) 88.9% of 45')
    const sent = docs.requests.length
    for (const wrong of [
      'http://example.com',
      'example.com',
      'https://a:b@example.com',
      'https://example.com?q',
    ]) {
      const refused = await runAction({ inputs: { ...inputs, 'site-url': wrong } })
      expect([refused.exitCode, docs.requests.length]).toEqual([1, sent])
      expect(refused.log).toContain('- site-url (')
    }
  })

  it('in a dry run sends nothing, and says what it would', async () => {
    const { docs, inputs } = await startVisitors()
    const run = await runAction({ inputs: { ...inputs, ...EXPLICIT, 'dry-run': 'true', 'api-key': '' } })
    expect(run.exitCode).toBe(0)
    expect(docs.requests).toEqual([])
    expect(run.log).toMatch(/would list the visitors of 28 Jul – 3 Aug 2025 .* and of the 7 periods before/)
    expect(run.summary).toMatch(/dry run\n\n.*\n\nProject `docs`/)
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
    expect(run.log).toContain('Cancelled before the visitors report was complete.')
    expect(await readdir(workspace)).toEqual([])
  })
})

describe('odd answers', () => {
  const good = { path: '/good', human: 30.4, ai: 5, total: 33.5 }

  it('cost the odd rows alone, which are counted; decimals are rounded', async () => {
    const odd = [{ path: '', human: 1, ai: 1, total: 1 }, null, { ...good, path: '/below', ai: -1 }, 'x']
    const { inputs } = await startVisitors(
      answering([...odd, good], { totals: { human: 90.6, ai: 20.2, total: 99.5 } }),
    )
    const run = await runAction({ inputs: { ...inputs, 'visitors-trend': '1' } })
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: {
        'visitors-human': '91',
        'visitors-ai': '20',
        'visitors-total': '100',
        'visitors-complete': 'false',
      },
    })
    expect(report(run)['top']).toEqual([{ path: '/good', human: 30, ai: 5, total: 34, change: null }])
    expect(run.summary).toContain('4 rows without a path, or with a count that is no number')
  })

  it.each([
    ['a list of rows that is none', { visitors: { 0: good } }],
    ['an odd `hasMore`', { hasMore: 'no' }],
  ])('with %s make a report that is not complete', async (_name, body) => {
    const { docs, inputs } = await startVisitors(answering([good], body))
    const run = await runAction({ inputs: { ...inputs, 'visitors-trend': '1' } })
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: { 'visitors-total': '100', 'visitors-complete': 'false' },
    })
    expect(docs.requests).toHaveLength(1)
  })

  it('without totals that can be read fail this part', async () => {
    const { inputs } = await startVisitors(answering([good], { totals: { human: 1, total: 1 } }))
    const run = await runAction({ inputs })
    expect(run.exitCode).toBe(1)
    expect(run.log).toMatch(/::error.*::.*JSON whose `totals` are not numbers for human, ai and total/)
    expect(run.summary).toMatch(/## ❌ No visitors report\n\n.*\n\nProject `docs`/)
  })

  it('with the same page twice count the later row', async () => {
    const { inputs } = await startVisitors(answering([{ ...good, total: 999 }, good]))
    const run = await runAction({ inputs: { ...inputs, 'visitors-trend': '2' } })
    expect(run.outputs['visitors-complete']).toBe('true')
    expect(report(run)).toMatchObject({ top: [{ path: '/good', total: 34 }], risers: [], fallers: [] })
    expect(run.summary).not.toContain('What moved')
  })
})

describe('what moved', () => {
  it('is in the summary with new and gone pages, and in the outputs without', async () => {
    const row = (path: string, total: number) => ({ path, human: total, ai: 0, total })
    const now = [row('/up', 130), row('/down', 80), row('/same', 109), row('/new', 10), row('/small', 19)]
    const before = [
      row('/up', 100),
      row('/down', 100),
      row('/same', 100),
      row('/gone', 12),
      row('/small', 10),
    ]
    const currentMs = Date.parse('2025-07-28')
    const { inputs } = await startVisitors({
      visitors: ({ fromMs }) => ({
        status: 200,
        body: {
          totals: { human: 100, ai: 0, total: fromMs === currentMs ? 140 : 100 },
          visitors: fromMs === currentMs ? now : before,
          hasMore: false,
        },
      }),
    })
    const run = await runAction({ inputs: { ...inputs, ...EXPLICIT, 'visitors-trend': '4' } })
    expect(run.summary).toMatch(/^## 📈 About 140 visitors read the docs, the highest of 4 weeks\n/)
    expect(run.summary).toContain('| `/up` | +30 (+30.0%) | `/down` | −20 (−20.0%) |')
    expect(run.summary).toContain('**New:** `/new` 10\n\n**Gone:** `/gone` 12\n')
    expect(report(run)).toMatchObject({
      change: 40,
      risers: [{ path: '/up', total: 130, previous: 100, change: 30 }],
      fallers: [{ path: '/down', total: 80, previous: 100, change: -20 }],
    })
    expect(run.outputs['visitors-change']).toBe('+40.0')
  })
})
