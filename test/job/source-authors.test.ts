import { expect, it } from 'vitest'
import { pullRequest, pushOf, pushTo } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import { AGENT, addCommit, addPull, BEFORE, mergePull, person } from '../support/world.ts'

const PROMPT = { prompt: 'Document it.' }

it('`source-authors` of a push are the people whose changes are told, newest first, ten at most; the summary counts those', async () => {
  const { run, world } = await startHarness({ replies: { get: ['completed'] } })
  const merge = (number: number, user = person(`writer-${number}`)) =>
    mergePull(world, addPull(world, { number, user }), { how: 'squash' })
  merge(20, { ...person('renovate[bot]'), type: 'Bot' })
  merge(21, person('bender'))
  addCommit(world, { author: person('direct') })
  addCommit(world, { author: AGENT })
  for (let number = 30; number < 33; number++) merge(number)
  const inputs = { ...PROMPT, 'ignore-authors': 'Bender' }
  const { outputs, summary } = await run({ event: pushOf(world, BEFORE), inputs })
  expect(summary).toContain('\n\nThe agent was told: 7 commits, 0 files, 5 merged pull requests.\n')
  expect(outputs['source-authors']).toBe('writer-32\nwriter-31\nwriter-30\ndirect')
  const dry = await run({ event: pushTo(world), inputs: { ...inputs, 'dry-run': 'true' } })
  expect(dry.summary).toContain('\n\nThe agent would be told: 1 commit, 0 files.\n')
  for (let number = 40; number < 49; number++) merge(number)
  const more = await run({ event: pushOf(world, BEFORE), inputs })
  expect(more.outputs['source-authors']?.split('\n')).toHaveLength(10)
  const none = await run({ event: pushOf(world, BEFORE), inputs: { ...inputs, context: 'none' } })
  expect(none.outputs['source-authors']).toBe('')
})

it('`source-authors` of a pull request is its author', async () => {
  const { run } = await startHarness({ replies: { get: ['completed'] } })
  const event = pullRequest({ action: 'synchronize', author: person('mona') })
  expect((await run({ event, inputs: PROMPT })).outputs['source-authors']).toBe('mona')
})
