import { symlinkSync } from 'node:fs'
import { readdir, readFile, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HOSTILE_TEXTS } from '../hostile-texts.ts'
import { alive, commandsIn } from '../rendered.ts'
import { runAction } from './run-action.ts'
import { answering, errorIn, newWorkspace, report, visitorsStarter } from './visitors-scene.ts'

const startVisitors = visitorsStarter()

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

  it('alone makes the file and the outputs, and no report in the summary', async () => {
    const { docs, inputs } = await startVisitors({ pages: 20 })
    const workspace = await newWorkspace()
    const run = await runAction({
      workspace,
      inputs: { ...inputs, 'visitors-summary': 'false', 'visitors-export': 'v.ndjson' },
    })
    expect(run).toMatchObject({
      exitCode: 0,
      summary: '',
      outputs: { 'visitors-export': 'v.ndjson', 'visitors-complete': 'true' },
    })
    expect(docs.requests).toHaveLength(8)
    expect(report(run)).toMatchObject({ trend: { length: 8 }, top: { length: 10 } })
    expect((await readFile(join(workspace, 'v.ndjson'), 'utf8')).trimEnd().split('\n')).toHaveLength(20)
  })

  it('alone that fails is red, and says so in the log alone', async () => {
    const { docs, inputs } = await startVisitors()
    docs.faults.add({ kind: 'status', status: 401, times: 'always' })
    const alone = { 'visitors-summary': 'false', 'visitors-export': 'v.csv' }
    const run = await runAction({ inputs: { ...inputs, ...alone } })
    expect(run).toMatchObject({ exitCode: 1, summary: '' })
    expect(run.outputs['visitors-export'] ?? '').toBe('')
    expect(errorIn(run)).toContain('401')
  })

  it('has the rows in the order of the report: total, then path', async () => {
    const row = (path: string, total: number) => ({ path, human: total, ai: 0, total })
    const { inputs } = await startVisitors(
      answering([row('/b', 5), row('/=a', 5), row('/c', 9), row('=d', 1)]),
    )
    const workspace = await newWorkspace()
    await runAction({ workspace, inputs: { ...inputs, 'visitors-export': 'v.csv' } })
    expect(await readFile(join(workspace, 'v.csv'), 'utf8')).toBe(
      "path,human,ai,total\r\n/c,9,0,9\r\n/=a,5,0,5\r\n/b,5,0,5\r\n'=d,1,0,1\r\n",
    )
  })

  it('whose folder becomes a link meanwhile fails, and leads nowhere outside', async () => {
    const workspace = await newWorkspace()
    const outside = await newWorkspace()
    const { docs, inputs } = await startVisitors({
      pages: 1,
      onAnswer: () => {
        if (docs.requests.length === 1) symlinkSync(outside, join(workspace, 'out'))
      },
    })
    const run = await runAction({ workspace, inputs: { ...inputs, 'visitors-export': 'out/deep/v.csv' } })
    expect(run).toMatchObject({
      exitCode: 1,
      outputs: { 'visitors-complete': 'true', 'visitors-export': '' },
    })
    expect(errorIn(run)).toContain('`visitors-export` is no longer where it was')
    expect(await readdir(outside)).toEqual([])
  })

  it('may have the longest name that the file system allows; a longer one is refused before any request', async () => {
    const { docs, inputs } = await startVisitors({ pages: 1 })
    const workspace = await newWorkspace()
    const name = `${'x'.repeat(251)}.csv`
    const run = await runAction({ workspace, inputs: { ...inputs, 'visitors-export': `new/${name}` } })
    expect([run.exitCode, await readdir(join(workspace, 'new'))]).toEqual([0, [name]])
    const sent = docs.requests.length
    const refused = await runAction({ workspace, inputs: { ...inputs, 'visitors-export': `newer/x${name}` } })
    expect([refused.exitCode, docs.requests.length]).toEqual([1, sent])
    expect(refused.log).toContain('is longer than the file system allows')
  })

  it('that leads outside is refused before any request', async () => {
    const { docs, inputs } = await startVisitors()
    const workspace = await newWorkspace()
    await symlink(tmpdir(), join(workspace, 'link'))
    const run = await runAction({ workspace, inputs: { ...inputs, 'visitors-export': 'link/x.csv' } })
    expect(run.exitCode).toBe(1)
    expect(run.log).toContain('visitors-export ("link/x.csv") is outside the workspace')
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
      'visitors-max-requests': '1001',
      'visitors-export': 'visitors.xlsx',
    }
    const run = await runAction({ inputs: { ...inputs, ...wrong } })
    expect(run.exitCode).toBe(1)
    expect(docs.requests).toEqual([])
    for (const name of Object.keys(wrong)) expect(run.log).toMatch(new RegExp(`- ${name} `))
  })
})

describe('hostile page paths', () => {
  it('come alive neither in the log nor in the summary, and the outputs hold them', async () => {
    const paths = HOSTILE_TEXTS.map((text) => text.toWellFormed()).filter((text) => text !== '')
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
    expect(run.summary).toContain('Top pages (100 of 100)')
    expect(Buffer.byteLength(run.summary)).toBeLessThan(64 * 1024)
  })
})
