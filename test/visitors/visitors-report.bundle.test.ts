import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startScene } from '../support/scene.ts'

const REPORT = { 'visitors-summary': 'true' }
const HEADING = /^## 📊 About [\d,]+ visitors, /

it('a run with only a visitors report needs a read key, and fills summary, outputs, log and file', async () => {
  const { docs, run } = await startScene({ pages: 300 })
  const temp = await mkdtemp(join(tmpdir(), 'visitors-'))
  onTestFinished(() => rm(temp, { recursive: true }))
  const inputs = { ...REPORT, 'api-key': 'mint_read', 'visitors-export': 'true' }
  const env = { RUNNER_TEMP: temp }
  const { exitCode, outputs, summary, log } = await run({ env, inputs })
  expect([exitCode, docs.requests.length, outputs['result'] ?? '']).toEqual([0, 11, ''])
  const { requests, trend, complete } = JSON.parse(outputs['visitors'] ?? '')
  expect([requests, trend.length, complete]).toEqual([11, 8, true])
  expect(outputs['visitors-headline']).toMatch(/^Docs, .*: about [\d,]+ visitors, .* reads$/)
  expect(outputs['visitors-markdown']).toMatch(HEADING)
  expect(summary).toMatch(HEADING)
  expect(log).toMatch(
    /^Wrote 300 rows to .*\.csv\.\n::notice title=Visitors report \(docs\)::About [\d,]+ visitors/m,
  )
  const { outputs: other } = await run({ env, inputs })
  const files = [outputs, other].map((each) => each['visitors-csv'] ?? '')
  expect(files.map((path) => path.startsWith(`${temp}/`))).toEqual([true, true])
  expect(new Set(files).size).toBe(2)
  for (const path of files)
    expect((await readFile(path, 'utf8')).trim().split('\n')).toHaveLength(301)
})
