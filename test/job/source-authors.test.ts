import { expect, it } from 'vitest'
import { issueComment, pullRequest, pushOf } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import {
  AGENT,
  addComment,
  addCommit,
  addPull,
  BEFORE,
  mergePull,
  person,
  pushToPull,
} from '../support/world.ts'

const PROMPT = { prompt: 'Document it.', wait: 'false' }

it('`source-authors` of a push are the people whose changes are told, newest first, ten at most', async () => {
  const { run, world } = await startHarness({ replies: {} })
  const merge = (number: number, user = person(`writer-${number}`)) =>
    mergePull(world, addPull(world, { number, user }), { how: 'squash' })
  merge(20, { ...person('renovate[bot]'), type: 'Bot' })
  merge(21, person('bender'))
  addCommit(world, { author: person('direct') })
  addCommit(world, { author: AGENT })
  // Of two commits that other ones lie between: it counts at its newest.
  const user = person('writer-30')
  const pull = addPull(world, { number: 30, user })
  pushToPull(world, pull, { author: user })
  const [first = ''] = mergePull(world, pull, { how: 'rebase' })
  for (const number of [31, 32]) merge(number)
  pull.landed = [first, addCommit(world, { author: user }).sha]
  addCommit(world, { author: person('newest') })
  const skipped = addPull(world, {
    number: 33,
    user: person('none'),
    labels: [{ name: 'no-docs' }],
  })
  mergePull(world, skipped, { how: 'squash' })
  const inputs = { ...PROMPT, 'ignore-authors': 'Bender' }
  for (const context of ['diff', 'none']) {
    const { outputs } = await run({
      event: pushOf(world, BEFORE),
      inputs: { ...inputs, context },
    })
    expect(outputs['source-authors']).toBe('newest\nwriter-30\nwriter-32\nwriter-31\ndirect')
  }
  for (let number = 40; number < 49; number++) merge(number)
  const more = await run({ event: pushOf(world, BEFORE), inputs })
  expect(more.outputs['source-authors']?.split('\n')).toHaveLength(10)
})

it('`source-authors` of a pull request is its author, of a command its writer', async () => {
  const { run, world } = await startHarness({ replies: {} })
  const octocat = person('octocat')
  world.roles.set('octocat', { permission: 'write', role_name: 'write' })
  addPull(world, { number: 5, user: person('mona') })
  for (const context of ['diff', 'none']) {
    const event = pullRequest({ action: 'synchronize', author: person('mona') })
    const { outputs } = await run({ event, inputs: { ...PROMPT, context } })
    expect(outputs['source-authors']).toBe('mona')
  }
  const body = '/docs explain it'
  const { id } = addComment(world, { kind: 'main', number: 5, author: octocat, body })
  const command = await run({
    event: issueComment({ id, body, author: octocat }),
    inputs: { wait: 'false' },
  })
  expect(command.outputs['source-authors']).toBe('octocat')
})
