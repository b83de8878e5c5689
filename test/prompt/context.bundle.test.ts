import { expect, it } from 'vitest'
import { pushBy } from '../support/events.ts'
import { startScene } from '../support/scene.ts'
import { AFTER, BEFORE } from '../support/world.ts'
import { COMPARED, COMPARISON, RUN } from './describe-run.ts'

it('the agent is told what was pushed after the prompt, and the prompt alone where that is wanted', async () => {
  expect(await promptOf('none')).toEqual(['Document it.'])
  const lines = await promptOf('diff')
  expect(lines.slice(0, 2)).toEqual(['Document it.', ''])
  expect(lines[2]).toMatch(/^<github-context-[0-9a-f]{16}>$/)
  const head = ['Repository: acme/docs', 'Event: push', 'Branch: main', RUN]
  expect(lines.slice(6, -2)).toEqual([...head, ...COMPARED])
  const last = expect.stringMatching(/^The data ends here\. The request is before it/)
  expect(lines.slice(-2)).toEqual([lines[2]?.replace('<', '</'), last])
})

/** The prompt that a push by two people leads to, line by line. */
async function promptOf(context: string): Promise<string[]> {
  const scene = await startScene()
  scene.world.comparisons.set(`${BEFORE}...${AFTER}`, COMPARISON)
  const inputs = { prompt: 'Document it.', 'follow-up': 'false', context }
  const { outputs } = await scene.run({ event: pushBy('octocat', 'octocat'), inputs })
  expect(outputs['result']).toBe('pull-request')
  return scene.docs.jobs[0]?.prompt.split('\n') ?? []
}
