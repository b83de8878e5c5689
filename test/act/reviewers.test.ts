import { expect } from 'vitest'
import { itWithScene, type Scene, type Told } from '../look/runs.ts'
import { pushTo } from '../support/events.ts'
import { AGENT, addPull, person } from '../support/world.ts'
import { docsPull, moveDocs } from './docs-pull-scene.ts'

const it = itWithScene()
const NAMED = { 'pr-reviewers': 'ada, acme/writers\nsource-authors', 'pr-labels': 'docs' }
const NEVER = { comment: 'never' }

/** A run for somebody's push whose job ends with pull request 1; whoever is named may be asked to review it. */
async function pushBy(scene: Scene, login: string, { inputs, ...told }: Told = {}) {
  const { world } = scene
  world.teams.add('acme/writers')
  for (const one of ['ada', login]) world.roles.set(one, { permission: 'read', role_name: 'read' })
  if (login === 'eve') world.roles.delete('eve')
  const event = pushTo(world, { author: person(login), message: `By ${login}` })
  const usual = { prompt: 'Document it.', context: 'diff', ...NAMED, ...inputs }
  return await scene.tell(event, { end: 'pull-request', ...told, inputs: usual })
}

/** Everyone who was asked, and every label, oldest first. */
function requestsOn(scene: Scene): string[] {
  const { reviewRequests, labeled } = docsPull(scene)
  return [...reviewRequests, ...labeled]
}

it('asks five people who aren’t named, and no reviewer or label that a person removed', async ({
  scene,
}) => {
  // Someone reviewed in between, and was asked again.
  docsPull(scene).reviewRequests.push('c1', 'c1')
  for (const login of ['bob', 'c1', 'Bob', 'c2', 'ada', 'c3', 'c4', 'c5']) {
    const { warnings } = await pushBy(scene, login, { inputs: NEVER })
    expect(warnings).toEqual([])
    // A person removes them all.
    const pull = docsPull(scene)
    pull.fields = { ...pull.fields, labels: [] }
  }
  const people = ['ada', 'acme/writers', 'bob', 'c2', 'c3', 'c4']
  expect(requestsOn(scene)).toEqual(['c1', 'c1', ...people, 'docs'])
})

it.for<{ what: string; told: Told }>([
  { what: 'more people can read the docs than the code', told: {} },
  { what: 'that isn’t known', told: {} },
])('source-authors asks no one, with a notice, if $what', async ({ what }, { scene }) => {
  const { world, github } = scene
  const there = moveDocs(scene)
  world.visibility.set('acme/docs', 'PRIVATE')
  if (what.startsWith('that')) github.faults.push({ match: /DocsRepository/, end: '502' })
  const { titles, log } = await pushBy(scene, 'bob', there)
  expect(requestsOn(scene)).toEqual(['ada', 'acme/writers', 'docs'])
  expect(titles.filter((title) => title.includes('`source-authors`'))).toHaveLength(1)
  expect(log.join()).not.toContain('bob')
})

it.for([
  { what: 'was refused', fault: { end: '403', times: 2 } as const },
  { what: 'failed', fault: { end: '502', times: 3 } as const },
  { what: 'did not wait', fault: undefined },
])(
  'the next run sets what the run that opened it did not, which $what',
  async ({ fault }, { scene }) => {
    if (fault) scene.github.faults.push({ match: /labels$|reviewers$/, ...fault })
    await pushBy(scene, 'ada', fault ? {} : { end: 'submitted' })
    await pushBy(scene, 'ada', { inputs: { 'pr-labels': 'docs, later' } })
    expect(requestsOn(scene).toSorted()).toEqual(['acme/writers', 'ada', 'docs', 'later'])
  },
)

it('with `issues: write` alone, labels are set, reviewers are one notice, and the next run with the permission asks them', async ({
  scene,
}) => {
  const { scopes } = scene.world
  scopes.delete('pull-requests: write')
  scopes.add('pull-requests: read')
  const { log, outputs } = await pushBy(scene, 'bob')
  expect([requestsOn(scene), outputs['result']]).toEqual([['docs'], 'pull-request'])
  expect(log.filter((line) => /acme\/docs.*`pull-requests: write`/.test(line))).toEqual([
    expect.stringMatching(/^notice: /),
  ])
  scopes.add('pull-requests: write')
  await pushBy(scene, 'ada')
  expect(requestsOn(scene)).toEqual(['ada', 'acme/writers', 'docs'])
})

it('a team of another organization is not asked, and named', async ({ scene }) => {
  scene.world.teams.add('acme/docs-team')
  const inputs = { 'pr-reviewers': 'other-org/docs-team, ada' }
  const { summary, requests } = await pushBy(scene, 'bob', { inputs })
  expect(requestsOn(scene)).toEqual(['ada', 'docs'])
  expect(requests.filter((line) => line.endsWith('reviewers'))).toHaveLength(1)
  expect(summary).toContain('a review by other-org/docs-team')
})

it('a pull request on another server can’t be reviewed or labeled from here, which is in the summary', async ({
  scene,
}) => {
  const prLink = 'https://gitlab.com/acme/docs/-/merge_requests/7'
  const get = [{ body: { status: 'completed', prLink } }]
  const { summary, warnings } = await pushBy(scene, 'bob', { replies: { get } })
  expect(summary).toContain("because the pull request isn't on this GitHub server.")
  expect([requestsOn(scene), warnings]).toEqual([[], []])
})

it('reviewers who can’t be asked are one line in the summary, and the others are asked', async ({
  scene,
}) => {
  const inputs = { 'pr-reviewers': 'mintlify[bot], acme/unknown, ada, source-authors' }
  const { summary, warnings, outputs } = await pushBy(scene, 'eve', { inputs })
  expect(requestsOn(scene)).toEqual(['ada', 'docs'])
  expect(summary.match(/.*Could not request.*/g)).toEqual([
    expect.stringMatching(/by mintlify.*unknown: .*read teams.*eve: .*collaborators/),
  ])
  expect(summary).toMatch(/^## ⚠️/)
  expect([warnings, outputs['result']]).toEqual([[], 'pull-request'])
})

it.for([
  { what: 'here', isElsewhere: false, words: /acme\/docs.*`pull-requests: write`/ },
  { what: 'in another repository', isElsewhere: true, words: /acme\/guides.*Use a token/ },
])('one notice has the repository and the missing permission $what', async (row, { scene }) => {
  scene.github.faults.push({ match: /reviewers$|labels$/, end: '403' })
  const { log, warnings, requests } = await pushBy(
    scene,
    'ada',
    row.isElsewhere ? moveDocs(scene, false) : {},
  )
  expect(log.filter((line) => line.startsWith('notice: The run continued'))).toEqual([
    expect.stringMatching(row.words),
  ])
  expect(warnings).toEqual([])
  expect(requests.filter((line) => /reviewers$/.test(line))).toHaveLength(1)
})

it.for<{ what: string; told: Told; fields?: Parameters<typeof addPull>[1] }>([
  { what: 'of a run that was cancelled', told: { end: 'cancelled' } },
  {
    what: 'on a merged docs pull request',
    told: {},
    fields: { number: 1, merged: true, state: 'closed' },
  },
  { what: 'without the inputs', told: { inputs: { 'pr-reviewers': '', 'pr-labels': '' } } },
])('no one is asked $what', async ({ told, fields }, { scene }) => {
  if (fields) addPull(scene.world, { user: AGENT, ...fields })
  await pushBy(scene, 'bob', told)
  expect(requestsOn(scene)).toEqual([])
})

it('no one is asked if it isn’t known who was asked before', async ({ scene }) => {
  await pushBy(scene, 'bob', { inputs: NEVER })
  const before = requestsOn(scene)
  scene.github.faults.push({ match: /ReviewRequests/, end: '502' })
  await pushBy(scene, 'cleo', { inputs: NEVER })
  expect(requestsOn(scene)).toEqual(before)
})
