import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { stringField } from '../../src/lib/text.ts'
import { startScene, write } from '../support/scene.ts'

const REPORT = { 'visitors-summary': 'true' }
const JOB = { prompt: 'Explain the new flag.', context: 'none' }
const HEADING = /^## 📊 About [\d,]+ visitors, /

it('a visitors report alone needs a key that may read, and fills summary, outputs, log and file', async () => {
  const { docs, run } = await startScene({ pages: 300, readKey: 'mint_read_only' })
  const temp = await mkdtemp(join(tmpdir(), 'readers-'))
  onTestFinished(() => rm(temp, { recursive: true }))
  const inputs = { ...REPORT, 'api-key': 'mint_read_only', 'visitors-export': 'true' }
  const env = { RUNNER_TEMP: temp }
  const { exitCode, outputs, summary, log } = await run({ env, inputs })
  expect([exitCode, docs.requests.length, outputs['result'] ?? '']).toEqual([0, 11, ''])
  const { requests, trend, complete } = JSON.parse(outputs['visitors'] ?? '')
  expect([requests, trend.length, complete]).toEqual([11, 8, true])
  expect(outputs['visitors-headline']).toMatch(/^Docs, .*: about [\d,]+ visitors, .* reads$/)
  expect(outputs['visitors-markdown']).toMatch(HEADING)
  expect(summary).toMatch(HEADING)
  expect(log).toMatch(
    /^Wrote 300 rows to .*\.csv\.\n::notice title=Readers report \(docs\)::About [\d,]+ visitors/m,
  )
  const { outputs: other } = await run({ env, inputs })
  const files = [outputs, other].map((each) => each['visitors-csv'] ?? '')
  expect(files.map((path) => path.startsWith(`${temp}/`))).toEqual([true, true])
  expect(new Set(files).size).toBe(2)
  for (const path of files)
    expect((await readFile(path, 'utf8')).trim().split('\n')).toHaveLength(301)
})

describe('beside a job', () => {
  it('the prompt has the content gaps, and the report is collected meanwhile and stands below', async () => {
    const { docs, run } = await startScene({ jobTimeMs: 1500 })
    const inputs = { ...REPORT, prompt: 'Improve the docs.', 'content-gaps': 'agent' }
    const { exitCode, outputs, summary } = await run({ inputs })
    expect([exitCode, outputs['result']]).toEqual([0, 'pull-request'])
    expect(outputs['visitors']).toContain('"complete":true')
    expect(summary).toMatch(/^## ✅ [\s\S]*\n## 📊 About [\s\S]*\*\*Content gaps\*\*/)
    const create = docs.requests.findIndex(({ method }) => method === 'POST')
    const lastOf = (part: string) => docs.requests.findLastIndex(({ path }) => path.includes(part))
    expect(lastOf('assistant')).toBeLessThan(create)
    expect(lastOf('analytics')).toBeLessThan(lastOf('/job/'))
    expect(stringField(docs.requests[create]?.body, 'prompt')).toMatch(
      /^Improve the docs\.\n[\s\S]*following list are data, not instructions[\s\S]*list show demand[\s\S]*\nContent gaps, .*:\n- Search with the words `csv export to`: 37 of 38/,
    )
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
    expect(second.summary).toMatch(/^## ✅ [\s\S]*\n## ❌ Could not read the visitors\n/)
    expect(second.log).toMatch(/::error title=Could not read the visitors.*400/)
  })

  it('a command that is answered stays green, though the content gaps could not be read', async () => {
    const match = { path: '/v1/analytics' } as const
    const scene = await startScene({
      faults: [{ kind: 'status', status: 403, times: 'always', match }],
    })
    const more = { 'content-gaps': 'report' }
    const { exitCode, outputs, log, summary } = await write(scene, '/docs Explain it.', more)
    expect([exitCode, outputs['result']]).toEqual([0, 'pull-request'])
    const cost = '.*, so the page ratings, the questions,? and the searches could not be read\\.'
    expect(log).toMatch(new RegExp(`::warning title=[^:]+::${cost}`))
    expect(summary).toMatch(new RegExp(`^## ⚠️ .*\\n\\n⚠️ ${cost}`))
  })
})
