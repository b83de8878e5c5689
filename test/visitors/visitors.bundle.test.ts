import { expect, it } from 'vitest'
import { startScene } from '../support/scene.ts'

it('a run with only a report needs a read key, and fills summary, outputs, and log', async () => {
  const { docs, run } = await startScene({ pages: 300 })
  const inputs = { 'visitors-summary': 'true', 'content-gaps': 'report', 'api-key': 'mint_read' }
  const { exitCode, outputs, summary, log } = await run({ inputs })
  expect([exitCode, docs.requests.length, outputs['result'] ?? '']).toEqual([0, 14, ''])
  for (const text of [outputs['visitors-markdown'], summary])
    expect(text).toMatch(/^## 📊 About [\d,]+ visitors \(/)
  expect(log).toMatch(/^Visitors report: About [\d,]+ visitors \(/m)
})
