import { describe, expect, it } from 'vitest'
import { AFTER, bot, pullRequest, pushBy } from './events.ts'
import { sceneStarter } from './scene.ts'

const newScene = sceneStarter()
const inputs = { prompt: 'Document it.', context: 'none' }
const agent = bot('mintlify[bot]')

describe("the agent's own work does not wake it", () => {
  it.each([
    ['a pull request that it opened', pullRequest({ author: agent }), []],
    ['a push that merged it', pushBy('mintlify[bot]', 'octocat'), [`GET /commits/${AFTER}/pulls`]],
  ])('as %s, not even for a visitors report', async (_what, event, asked) => {
    const scene = await newScene()
    scene.world.pullsOfCommit.set(AFTER, [{ number: 4, user: agent, merged_at: '2026-08-01T00:00:00Z' }])
    const run = await scene.run({ event, inputs: { ...inputs, 'visitors-summary': 'true' } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'skipped' }, summary: '' })
    expect(run.log).toMatch(/::notice .*`ignore-authors`/)
    expect(scene.asked()).toEqual([])
    expect(scene.github.requests).toEqual(asked)
  })

  it('but a push does where GitHub can not be asked, with a warning', async () => {
    const scene = await newScene()
    scene.github.faults.push({
      match: /\/pulls$/,
      end: { status: 403, body: { message: 'Resource not accessible' } },
    })
    const run = await scene.run({ event: pushBy('octocat'), inputs })
    expect(run.outputs['result']).toBe('pull-request')
    expect(run.log).toMatch(/::warning .*`pull-requests: read`/)
  })
})
