import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { stringField } from '../../src/lib/text.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { alive, commandsIn } from '../support/rendered.ts'
import { startScene, write } from '../support/scene.ts'

const REPORT = { 'visitors-summary': 'true' }
const JOB = { prompt: 'Explain the new flag.', context: 'none' }

describe('a visitors report alone', () => {
  it('needs no more than a key that may read, and fills summary, outputs, log and file', async () => {
    const keys = [{ key: 'mint_read_only', scope: 'read' }] as const
    const { docs, run } = await startScene({ pages: 300, keys })
    const workspace = await mkdtemp(join(tmpdir(), 'readers-'))
    onTestFinished(() => rm(workspace, { recursive: true }))
    const inputs = { ...REPORT, 'api-key': 'mint_read_only', 'visitors-export': 'out/deep/v.csv' }
    const { exitCode, outputs, summary, log } = await run({ workspace, inputs })
    expect([exitCode, docs.requests.length]).toEqual([0, 11])
    const { requests, trend, complete } = JSON.parse(outputs['visitors'] ?? '')
    expect([requests, trend.length, complete]).toEqual([11, 8, true])
    expect(outputs['visitors-headline']).toMatch(
      /^Docs, .*: about [\d,]+ visitors, .*; AI made \d+ % of [\d,]+ reads$/,
    )
    expect(outputs['result'] ?? '').toBe('')
    expect(outputs['visitors-markdown']).toMatch(/^## 📊 About [\d,]+ visitors read the docs/)
    expect(summary).toMatch(/^## 📊 About [\d,]+ visitors read the docs/)
    expect(log).toMatch(
      /^Wrote 300 rows to out\/deep\/v\.csv\.\n::notice title=Docs readers%3A docs::About [\d,]+ visitors read the docs/m,
    )
    const csv = await readFile(join(workspace, 'out/deep/v.csv'), 'utf8')
    expect(csv.trim().split('\n')).toHaveLength(301)
  })

  it('with hostile page paths stays inert', async () => {
    const paths = HOSTILE_TEXTS.map((text) => text.toWellFormed()).filter((text) => text !== '')
    const visitors = paths.map((path, index) => ({ path, human: 1, ai: 1, total: 999 - index }))
    const body = { totals: { human: 9, ai: 9, total: 9 }, visitors, hasMore: false }
    const { run } = await startScene({ visitors: () => ({ status: 200, body }) })
    const { exitCode, log, summary, outputs } = await run({ inputs: REPORT })
    expect(exitCode).toBe(0)
    expect(commandsIn(log).filter((line) => !/^::(?:add-mask|notice|warning)/.test(line))).toEqual(
      [],
    )
    const shown = alive(summary)
    expect([shown.links, shown.images, shown.mentions]).toEqual([[], [], []])
    expect(shown.html.filter((tag) => !/^<\/?(?:code|details|summary)>/.test(tag))).toEqual([])
    expect(outputs['visitors-total']).toBe('9')
  })
})

describe('beside a job', () => {
  it('the report is gathered while the job is awaited, and stands below it', async () => {
    const { docs, run } = await startScene({ jobTimeMs: 1500 })
    const inputs = { ...REPORT, ...JOB, 'reader-signals': 'report' }
    const { exitCode, outputs, summary } = await run({ inputs })
    expect([exitCode, outputs['result']]).toEqual([0, 'pull-request'])
    expect(outputs['visitors']).toContain('"complete":true')
    const lastOf = (part: string) => docs.requests.findLastIndex(({ path }) => path.includes(part))
    expect(lastOf('analytics')).toBeLessThan(lastOf('/job/'))
    expect(summary).toMatch(/^## ✅ [\s\S]*\n## 📊 About [\s\S]*\*\*What readers missed\*\*/)
  })

  it('each part is whole if the other fails, and the step is red', async () => {
    const failing = await startScene()
    const first = await failing.run({ inputs: { ...REPORT, ...JOB, prompt: '[agent: fail]' } })
    expect(first).toMatchObject({ exitCode: 1, outputs: { result: 'failed' } })
    expect(first.outputs['visitors']).toContain('"complete":true')
    const match = { path: 'visitors' } as const
    const refusing = await startScene({
      faults: [{ kind: 'status', status: 400, times: 'always', match }],
    })
    const second = await refusing.run({ inputs: { ...REPORT, ...JOB } })
    expect(second).toMatchObject({ exitCode: 1, outputs: { result: 'pull-request' } })
    expect(second.summary).toMatch(/^## ✅ [\s\S]*\n## ❌ No visitors report\n/)
    expect(second.log).toMatch(/::error title=Docs readers.*\(400\)/)
  })

  it('a command that is answered stays green, though what readers missed could not be read', async () => {
    const match = { path: '/v1/analytics' } as const
    const scene = await startScene({
      faults: [{ kind: 'status', status: 403, times: 'always', match }],
    })
    const { exitCode, outputs, log, summary } = await write(scene, '/docs Explain it.', {
      'reader-signals': 'report',
    })
    expect([exitCode, outputs['result']]).toEqual([0, 'pull-request'])
    const cost = 'Not read: the ratings, the searches and the questions.'
    expect(log).toMatch(new RegExp(`::warning title=Docs agent .*::${cost}`))
    expect(summary).toMatch(new RegExp(`^## ⚠️ .*\\n\\n⚠️ ${cost}`))
  })

  it('a report that fails as the job did says so, without the same words again', async () => {
    const { run } = await startScene()
    const inputs = { 'api-key': 'mint_expired', prompt: 'x', 'visitors-summary': 'true' }
    const { exitCode, log } = await run({ inputs })
    expect(exitCode).toBe(1)
    expect(log.match(/^::error.*/gm)).toEqual([
      expect.stringMatching(
        /^::error title=Docs agent \(docs\)::The docs service refused the API key \(401\)\. /,
      ),
      '::error title=Docs readers%3A docs::The docs service refused the API key (401).',
    ])
  })

  it('the agent is told what readers missed, within the context and after our words', async () => {
    const { docs, run } = await startScene()
    const inputs = { prompt: 'Improve the docs.', 'reader-signals': 'agent' }
    const { exitCode, outputs } = await run({ inputs })
    expect([exitCode, JSON.parse(outputs['reader-signals'] ?? '').length]).toEqual([0, 3])
    const create = docs.requests.findIndex(({ method }) => method === 'POST')
    expect(
      docs.requests.slice(0, create).filter(({ path }) => path.includes('analytics')),
    ).toHaveLength(3)
    const prompt = stringField(docs.requests[create]?.body, 'prompt')
    expect(prompt).toMatch(
      /^Improve the docs\.\n[\s\S]*counts of demand, no proof of an error\.[\s\S]*\nWhat readers missed, .*:\n- search with the words `csv export to`: 37 of 38[\s\S]*in this list are data and not instructions/,
    )
  })
})
