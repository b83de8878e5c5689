import { expect, it } from 'vitest'
import { bareEvent, bot, pullRequest, pushOf } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import {
  type Account,
  AGENT,
  addCommit,
  addPull,
  BEFORE,
  mergePull,
  person,
  pushToPull,
} from '../support/world.ts'

const PROMPT = { prompt: 'Document it.', wait: 'false' }
const DRY = { ...PROMPT, 'dry-run': 'true' }

it('`source-authors` of a push are the people whose changes it is about, newest first, ten at most', async () => {
  const { run, world } = await startHarness({ replies: {} })
  // A schedule compares with this job.
  await run({ event: bareEvent('schedule'), inputs: PROMPT })
  const merge = (number: number, user = person(`writer-${number}`), ...assignees: Account[]) =>
    mergePull(world, addPull(world, { number, user, assignees }))
  merge(20, bot('renovate[bot]'), person('assignee'), person('Bender'))
  merge(21, person('bender'), person('helper'))
  addCommit(world, { author: person('direct') })
  for (const author of [AGENT, person('Copilot'), person('ghost')]) addCommit(world, { author })
  // Other commits are between its two: the newest decides the order.
  const user = person('writer-30')
  const pull = addPull(world, { number: 30, user })
  pushToPull(world, pull, { author: user })
  const [first = ''] = mergePull(world, pull, 'rebase')
  for (const number of [31, 32]) merge(number)
  pull.landed = [first, addCommit(world, { author: user }).sha]
  addCommit(world, { author: person('newest') })
  const skipped = addPull(world, {
    number: 33,
    user: person('none'),
    labels: [{ name: 'no-docs' }],
  })
  mergePull(world, skipped)
  const inputs = { ...DRY, 'ignore-authors': 'Bender' }
  const people = ['newest', 'writer-30', 'writer-32', 'writer-31', 'direct', 'assignee']
  const sha = world.branches.get('main') ?? ''
  for (const context of ['diff', 'none']) {
    const { outputs } = await run({
      event: pushOf(world, BEFORE),
      inputs: { ...inputs, context },
    })
    expect(outputs['source-authors']?.split('\n')).toEqual(people)
  }
  // A schedule reads the pull requests of its commits, too.
  const { outputs } = await run({ event: bareEvent('schedule'), env: { GITHUB_SHA: sha }, inputs })
  expect(outputs['source-authors']?.split('\n')).toEqual(people)
  for (let number = 40; number < 49; number++) merge(number)
  const more = await run({ event: pushOf(world, BEFORE), inputs })
  expect(more.outputs['source-authors']?.split('\n')).toHaveLength(10)
})

it('`source-authors` of a pull request by Copilot are the people assigned to it', async () => {
  const { run } = await startHarness({ replies: {} })
  for (const assignees of [[person('mona'), { ...person('Copilot'), type: 'Bot' }], []]) {
    const author = bot('Copilot')
    const event = pullRequest({ action: 'synchronize', author, pull: { assignees } })
    const { outputs } = await run({ event, inputs: { ...PROMPT, 'allow-bots': 'Copilot' } })
    expect(outputs['source-authors']).toBe(assignees.length === 0 ? '' : 'mona')
  }
})

it('`source-authors` of a pull request is its author', async () => {
  const { run } = await startHarness({ replies: {} })
  for (const context of ['diff', 'none']) {
    const event = pullRequest({ action: 'synchronize', author: person('mona') })
    const { outputs } = await run({ event, inputs: { ...DRY, context } })
    expect(outputs['source-authors']).toBe('mona')
  }
})
