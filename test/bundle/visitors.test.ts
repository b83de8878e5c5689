import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import type { DocsService } from '../../docs-service/service.ts'
import { HOSTILE_TEXTS } from '../hostile-texts.ts'
import { alive, commandsIn } from '../rendered.ts'
import { docsStarter } from './docs.ts'
import { type ActionRun, runAction, startAction } from './run-action.ts'

const startDocs = docsStarter()
const READ_KEY = 'mint_read_only'
const EXPLICIT = { 'visitors-from': '2026-07-27', 'visitors-to': '2026-08-03' }

/** A service, and inputs that ask for a visitors report alone. */
async function startVisitors(options: DocsServiceOptions = {}) {
  const { docs, inputs } = await startDocs({ keys: [{ key: READ_KEY, scope: 'read' }], ...options })
  return { docs, inputs: { ...inputs, prompt: '', 'poll-interval': '', 'visitors-summary': 'true' } }
}

function queries({ requests }: DocsService): string[] {
  return requests
    .filter(({ path }) => path === '/v1/analytics/docs/visitors')
    .map(({ query }) => new URLSearchParams(query).toString())
}

function query(from: string, to: string, limit: number, offset: number): string {
  return new URLSearchParams({
    dateFrom: from,
    dateTo: to,
    limit: `${limit}`,
    offset: `${offset}`,
  }).toString()
}

function report(run: ActionRun): Record<string, unknown> {
  return JSON.parse(run.outputs['visitors'] ?? '')
}

async function newWorkspace(): Promise<string> {
  const workspace = await mkdtemp(join(tmpdir(), 'visitors-'))
  onTestFinished(() => rm(workspace, { recursive: true }))
  return workspace
}

const day = (daysAgo: number): string =>
  new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)

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

describe('a failure', () => {
  it.each<[string, number, Record<string, string>, RegExp]>([
    ['400 with details', 400, {}, /answered 400 when asked to list the visitors \("Bad; dateTo is odd"\)/],
    ['401', 401, {}, /answered 401.*may have expired/],
    ['403', 403, {}, /answered 403.*list of IP addresses/],
    [
      '429 with a far Retry-After',
      429,
      { 'retry-after': '3000' },
      /100 analytics requests.*only in 50 min 00 s/,
    ],
  ])('with %s is a clear error', async (_name, code, headers, says) => {
    const { docs, inputs } = await startVisitors()
    const body = { error: 'Bad', details: [{ message: 'dateTo is odd' }] }
    docs.faults.add({ kind: 'status', status: code, body, headers, times: 'always' })
    const run = await runAction({ inputs })
    expect(run.exitCode).toBe(1)
    expect(run.log.split('\n').find((line) => line.startsWith('::error'))).toMatch(says)
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
    expect(run.log).toContain('Asking for the visitors again in 1 s')
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
    expect(run.log).toMatch(/::error::The visitors could not all be read.*HTML page/)
    expect(run.summary).toContain('500 rows that came')
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
    expect(run.log).toMatch(/::warning::Visitors report: The periods before are left out: .*403/)
    expect(run.summary).toContain('The periods before are left out')
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
    expect(run.summary).toContain('Pull request ready for review')
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
    expect(run.summary).toContain('Pull request ready for review')
    expect(run.summary).toMatch(/## ❌ Docs visitors: no report\n\nThe visitors could not be read\./)
    expect(run.log).toContain('::error::The visitors could not be read.')
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

describe('an export', () => {
  it.each(['csv', 'json', 'ndjson'])('as .%s holds all rows of the period', async (format) => {
    const { docs, inputs } = await startVisitors({ pages: 700 })
    const workspace = await newWorkspace()
    const name = `out/deep/visitors.${format}`
    const run = await runAction({
      workspace,
      inputs: { ...inputs, 'visitors-trend': '1', 'visitors-export': name },
    })
    expect(run).toMatchObject({ exitCode: 0, outputs: { 'visitors-export': name } })
    expect(docs.requests).toHaveLength(3)
    expect(await readdir(join(workspace, 'out/deep'))).toEqual([`visitors.${format}`])
    const text = await readFile(join(workspace, name), 'utf8')
    expect(format === 'json' ? JSON.parse(text) : text.trimEnd().split('\n')).toHaveLength(
      format === 'csv' ? 701 : 700,
    )
  })

  it('that leads outside is refused before any request', async () => {
    const { docs, inputs } = await startVisitors()
    const workspace = await newWorkspace()
    await symlink(tmpdir(), join(workspace, 'link'))
    for (const name of ['../x.csv', '/tmp/x.csv', 'link/x.csv']) {
      const run = await runAction({ workspace, inputs: { ...inputs, 'visitors-export': name } })
      expect(run.exitCode).toBe(1)
      expect(run.log).toContain('visitors-export ("')
      expect(run.log).toContain('is outside the workspace')
    }
    expect(docs.requests).toEqual([])
  })
})

describe('wrong inputs', () => {
  it('are refused together, before any request', async () => {
    const { docs, inputs } = await startVisitors()
    const wrong = {
      'visitors-days': '367',
      'visitors-from': '2026-02-30',
      'visitors-to': '',
      'visitors-top': '0',
      'visitors-trend': '1.5',
      'visitors-max-requests': 'many',
      'visitors-export': 'visitors.xlsx',
    }
    const run = await runAction({ inputs: { ...inputs, ...wrong } })
    expect(run.exitCode).toBe(1)
    expect(docs.requests).toEqual([])
    for (const name of Object.keys(wrong)) expect(run.log).toMatch(new RegExp(`- ${name} `))
  })

  it.each<[Record<string, string>, RegExp]>([
    [{ 'visitors-to': '2026-08-03' }, /visitors-from is missing, though visitors-to is given/],
    [
      { 'visitors-from': '2026-08-03', 'visitors-to': '2026-08-03' },
      /visitors-to \("2026-08-03"\) is not after visitors-from/,
    ],
    [{ 'visitors-from': '2025-08-01', 'visitors-to': '2026-08-03' }, /is more than 366 days after/],
    [{ 'visitors-summary': 'yes' }, /visitors-summary \("yes"\) is not a boolean/],
  ])('%j', async (wrong, says) => {
    const { docs, inputs } = await startVisitors()
    const run = await runAction({ inputs: { ...inputs, ...wrong } })
    expect(run.exitCode).toBe(1)
    expect(run.log).toMatch(says)
    expect(docs.requests).toEqual([])
  })

  it('that ask for nothing name the visitors report as one of the ways', async () => {
    const { inputs } = await startVisitors()
    const run = await runAction({ inputs: { ...inputs, 'visitors-summary': 'false' } })
    expect(run.exitCode).toBe(1)
    for (const way of ['prompt', 'prompt-file', 'job-id', 'visitors-summary', '/docs']) {
      expect(run.log).toContain(way)
    }
  })
})

describe('hostile page paths', () => {
  it('come alive neither in the log nor in the summary, and the outputs hold them', async () => {
    const paths = HOSTILE_TEXTS.map((text) => text.toWellFormed())
    const { inputs } = await startVisitors({
      visitors: ({ fromMs }) => ({
        status: 200,
        body: {
          totals: { human: 9, ai: 9, total: 9 },
          visitors: paths.map((path, index) => ({ path, human: 1, ai: 1, total: index + (fromMs % 7) + 1 })),
          hasMore: false,
        },
      }),
    })
    const run = await runAction({ inputs: { ...inputs, 'visitors-top': '100' } })
    expect(run.exitCode).toBe(0)
    expect(commandsIn(run.log).filter((line) => !/^::(?:add-mask|notice|warning)/.test(line))).toEqual([])
    const shown = alive(run.summary)
    expect([shown.links, shown.images, shown.mentions]).toEqual([[], [], []])
    expect(shown.html.filter((tag) => !/^<\/?(?:code|details|summary)>/.test(tag))).toEqual([])
    const { top } = report(run)
    expect(new Set(Array.isArray(top) ? top.map(({ path }) => path) : [])).toEqual(new Set(paths))
  })

  it('too long for an output cut the lists, and no more', async () => {
    const { inputs } = await startVisitors({
      visitors: () => ({
        status: 200,
        body: {
          totals: { human: 9, ai: 9, total: 9 },
          visitors: Array.from({ length: 100 }, (_, index) => ({
            path: `/${index}/${'x'.repeat(20_000)}`,
            human: 1,
            ai: 1,
            total: 1,
          })),
          hasMore: false,
        },
      }),
    })
    const run = await runAction({ inputs: { ...inputs, 'visitors-top': '100' } })
    expect(Buffer.byteLength(run.outputs['visitors'] ?? '')).toBeLessThanOrEqual(256 * 1024)
    expect(report(run)).toMatchObject({ totals: { total: 9 }, top: { length: 12 } })
    expect(run.summary.match(/more characters/g)).toHaveLength(101)
  })
})
