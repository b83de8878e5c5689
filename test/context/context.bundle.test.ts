import { expect, it } from 'vitest'
import { pushBy } from '../support/events.ts'
import { sceneStarter } from '../support/scene.ts'
import { AFTER, BEFORE } from '../support/world.ts'
import { COMPARED, COMPARISON, RUN } from './told.ts'

const newScene = sceneStarter()
const inputs = { prompt: 'Document it.', 'follow-up': 'false' }

/** The prompt that a push by two people leads to, line by line. */
async function promptOf(more: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const scene = await newScene()
  scene.world.comparisons.set(`${BEFORE}...${AFTER}`, COMPARISON)
  const { result } = (
    await scene.run({ event: pushBy('octocat', 'octocat'), inputs: { ...inputs, ...more } })
  ).outputs
  expect(result).toBe('pull-request')
  const [job] = scene.docs.jobs
  return job?.prompt.split('\n') ?? []
}

it('the agent is told what was pushed, after the prompt', async () => {
  const lines = await promptOf()
  expect(lines.slice(0, 2)).toEqual(['Document it.', ''])
  expect(lines[2]).toMatch(/^<github-context-[0-9a-f]{16}>$/)
  expect(lines.slice(6, -1)).toEqual([
    'Repository: acme/docs',
    'Event: push',
    'Branch: main',
    RUN,
    ...COMPARED,
  ])
  expect(lines.at(-1)).toBe(lines[2]?.replace('<', '</'))
})

it('the agent is told the names of files alone, or nothing, where that is wanted', async () => {
  expect((await promptOf({ context: 'files' })).slice(10, -1)).toEqual(COMPARED.slice(0, -2))
  expect(await promptOf({ context: 'none' })).toEqual(['Document it.'])
})
