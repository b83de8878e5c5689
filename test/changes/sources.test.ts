import { expect, it } from 'vitest'
import { J1, startScene } from '../stories/scene.ts'
import { bareEvent, bot, commentIn, pullRequest, pushOf } from '../support/events.ts'
import {
  type Account,
  AGENT,
  addCommit,
  addPull,
  mergePull,
  person,
  pushToPull,
} from '../support/world.ts'

const files = ['src/a.ts']

it('`source-authors` of a push are the people whose changes it is about, newest first, ten at most', async () => {
  const { push, step, inputs, world } = await startScene()
  await push(J1)
  const before = world.branches.get('main') ?? ''
  const merge = (number: number, user = person(`writer-${number}`), ...assignees: Account[]) =>
    mergePull(world, addPull(world, { number, user, assignees, files }))
  merge(20, bot('renovate[bot]'), person('assignee'), person('Bender'))
  merge(21, person('bender'), person('helper'))
  addCommit(world, { author: person('direct'), files })
  for (const author of [AGENT, person('Copilot'), person('ghost')]) addCommit(world, { author })
  // Other commits are between its two: the newest decides the order.
  const user = person('writer-30')
  const pull = addPull(world, { number: 30, user, files })
  pushToPull(world, pull, { author: user })
  const first = mergePull(world, pull)
  for (const number of [31, 32]) merge(number)
  pull.landed = [first.sha, addCommit(world, { author: user }).sha]
  addCommit(world, { author: person('newest') })
  const labels = [{ name: 'no-docs' }]
  mergePull(world, addPull(world, { number: 33, user: person('none'), labels }))
  const given = { ...inputs, 'dry-run': 'true', 'ignore-authors': 'Bender' }
  const people = ['newest', 'writer-30', 'writer-32', 'writer-31', 'direct', 'assignee']
  for (const on of [pushOf(world, before), bareEvent('schedule')])
    for (const context of ['diff', 'none']) {
      const { outputs } = await step(on, { inputs: { ...given, context } })
      expect(outputs['source-authors']?.split('\n')).toEqual(people)
    }
  for (let number = 40; number < 49; number++) merge(number)
  const more = await step(pushOf(world, before), { inputs: given })
  expect(more.outputs['source-authors']?.split('\n')).toHaveLength(10)
})

it.each<{ what: string; author: Account; assignees: Account[]; people: string }>([
  { what: 'a person', author: person('mona'), assignees: [person('ada')], people: 'mona' },
  {
    what: 'Copilot with assignees',
    author: bot('Copilot'),
    assignees: [person('mona'), { ...person('Copilot'), type: 'Bot' }],
    people: 'mona',
  },
  { what: 'Copilot', author: bot('Copilot'), assignees: [], people: '' },
])('`source-authors` of a pull request by $what are "$people"', async (row) => {
  const { author, assignees, people } = row
  const { step, inputs, world } = await startScene()
  addPull(world, { number: 5, user: author, assignees, files })
  const on = pullRequest({ action: 'synchronize', author, pull: { assignees } })
  const given = { ...inputs, 'dry-run': 'true', 'ignore-authors': 'ada' }
  expect((await step(on, { inputs: given })).outputs['source-authors']).toBe(people)
})

it('`source-authors` of a command is who asks', async () => {
  const { step, world } = await startScene()
  const on = commentIn(world, { number: 77, author: person('octocat'), body: '/docs Do.' })
  const { outputs } = await step(on, { inputs: { 'dry-run': 'true' } })
  expect(outputs['source-authors']).toBe('octocat')
})
