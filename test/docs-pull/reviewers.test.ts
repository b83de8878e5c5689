import { expect, it } from 'vitest'
import { opening, startScene } from '../stories/scene.ts'
import { pushTo } from '../support/events.ts'
import { person } from '../support/world.ts'

const NAMED = { 'pr-reviewers': 'ada, acme/writers\nsource-authors', 'pr-labels': 'docs, new' }

/** A scene in which `ada` and the team may review, and everyone who was asked, and every label. */
async function startReview() {
  const scene = await startScene()
  const { world, step, inputs } = scene
  world.teams.add('acme/writers')
  for (const login of ['ada', 'bob'])
    world.roles.set(login, { permission: 'read', role_name: 'read' })
  const given = { ...inputs, ...NAMED }
  const pushBy = (login: string, more = {}, id = 'j1') => {
    const on = pushTo(world, { author: person(login), files: ['src/a.ts'] })
    return step(on, { replies: opening(id, 200), inputs: { ...given, ...more } })
  }
  const asked = () => {
    const { reviewRequests = [], labeled = [] } = world.pulls.get(200) ?? {}
    return [...reviewRequests, ...labeled]
  }
  return { ...scene, given, pushBy, asked }
}

it('reviewers and labels are set once, by the run whose job opened the docs pull request', async () => {
  const { pushBy, asked } = await startReview()
  const { warnings } = await pushBy('bob')
  const all = ['ada', 'acme/writers', 'bob', 'docs', 'new']
  expect([asked(), warnings]).toEqual([all, []])
  const again = await pushBy('ada', { 'pr-labels': 'later' })
  expect([again.started, asked()]).toEqual([['message to j1'], all])
})

it('they are set one by one, and who cannot be asked is one line in the summary', async () => {
  const { pushBy, asked, github } = await startReview()
  github.faults.push({ match: /labels$/, end: '403', times: 1 })
  const more = { 'pr-reviewers': 'ada, stranger, acme/unknown, source-authors' }
  const { summary, outputs, hasFailed, titles } = await pushBy('eve', more)
  expect(asked()).toEqual(['ada', 'new'])
  expect([outputs['result'], hasFailed, titles.length]).toEqual(['pull-request', false, 1])
  const lines = summary.split('\n').filter((line) => line.startsWith('⚠️'))
  expect(lines).toHaveLength(1)
  for (const what of ['docs', 'stranger', 'acme/unknown', 'eve', 'not a collaborator'])
    expect(lines.join()).toContain(what)
  expect(lines.join()).toContain('`pull-requests: write`')
})

it('a person who cannot be asked needs no other permission of the token', async () => {
  const { pushBy } = await startReview()
  const { summary } = await pushBy('bob', { 'pr-reviewers': 'stranger' })
  expect(summary).toContain('ask stranger for a review')
  expect(summary).not.toContain('pull-requests: write')
})
