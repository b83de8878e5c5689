import { expect } from 'vitest'
import { itWithScene, markerIn, type Scene, type Told } from '../look/runs.ts'
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

it.for([
  { what: 'the source comment says', inputs: {}, later: ['c1', 'c2', 'c3', 'c4', 'c5'] },
  // Without it, nobody knows that bob was asked by the first run.
  { what: 'the timeline says', inputs: NEVER, later: ['c1', 'c2', 'c3', 'c4'] },
  {
    what: 'the timeline says if more people can read the docs than the code',
    inputs: {},
    isElsewhere: true,
    later: ['c1', 'c2', 'c3', 'c4'],
  },
])(
  'nobody is asked twice, and five by updates, as $what',
  { timeout: 120_000 },
  async (row, { scene }) => {
    const { inputs, isElsewhere = false, later } = row
    const { world } = scene
    if (isElsewhere) world.visibility.set('acme/docs', 'PRIVATE')
    const end = isElsewhere ? moveDocs(scene) : {}
    for (const login of ['bob', 'c1', 'Bob', 'c2', 'ada', 'c3', 'c4', 'c5', 'c6']) {
      const { warnings } = await pushBy(scene, login, { inputs, ...end })
      expect(warnings).toEqual([])
      // A person removes them all.
      const pull = docsPull(scene)
      pull.fields = { ...pull.fields, labels: [] }
    }
    expect(requestsOn(scene)).toEqual(['ada', 'acme/writers', 'bob', ...later, 'docs'])
    if (isElsewhere) {
      const markers = world.comments.map(({ history }) =>
        JSON.stringify(markerIn(`${history.at(-1)}`)),
      )
      expect(markers.join()).not.toMatch(/"(?:bob|c1)"/)
    }
  },
)

it.for([
  { what: 'was refused', fault: { end: '403', times: 1 } as const },
  { what: 'failed', fault: { end: '502', times: 1 } as const },
  { what: 'did not wait', fault: undefined },
])(
  'the next run sets what the run that opened it did not, which $what',
  async ({ fault }, { scene }) => {
    const { github } = scene
    if (fault) github.faults.push({ match: /labels$/, ...fault })
    await pushBy(scene, 'bob', fault ? {} : { end: 'submitted' })
    await pushBy(scene, 'cleo')
    // What a workflow adds later is for the next docs pull request.
    await pushBy(scene, 'dan', { inputs: { 'pr-reviewers': 'ada', 'pr-labels': 'docs, later' } })
    expect(requestsOn(scene).toSorted()).toEqual(
      ['acme/writers', 'ada', 'docs', ...(fault?.end === '502' ? ['bob'] : []), 'cleo'].toSorted(),
    )
  },
)

it('a pull request on another server can’t be reviewed or labeled from here, and the summary says so', async ({
  scene,
}) => {
  const prLink = 'https://gitlab.com/acme/docs/-/merge_requests/7'
  const get = [{ body: { status: 'completed', prLink } }]
  const { summary, warnings } = await pushBy(scene, 'bob', { replies: { get } })
  expect(summary).toContain("because the pull request isn't on this GitHub server.")
  expect([requestsOn(scene), warnings]).toEqual([[], []])
})

it('those who can’t be asked are one line in the summary, and the others are asked', async ({
  scene,
}) => {
  const inputs = { 'pr-reviewers': 'mintlify[bot], acme/unknown, ada, source-authors' }
  const { summary, warnings, outputs } = await pushBy(scene, 'eve', { inputs })
  expect(requestsOn(scene)).toEqual(['ada', 'docs'])
  expect(summary.match(/.*Could not request.*/g)).toEqual([
    expect.stringMatching(/mintlify.*unknown \(needs.*read teams.*eve \(.*collaborators/),
  ])
  expect(summary).toMatch(/^## ✅/)
  expect([warnings, outputs['result']]).toEqual([[], 'pull-request'])
  // Nobody is asked about again.
  expect((await pushBy(scene, 'eve', { inputs })).summary).not.toContain('Could not request')
})

it('one warning names the permission that is missing', async ({ scene }) => {
  scene.github.faults.push({ match: /reviewers$|labels$/, end: '403' })
  const { warnings, summary } = await pushBy(scene, 'bob')
  expect(warnings).toEqual([expect.stringMatching(/acme\/docs.*`pull-requests: write`/)])
  expect(summary).toMatch(/^## ⚠️/)
})

it('one warning names the repository and the token', async ({ scene }) => {
  const { warnings, requests } = await pushBy(scene, 'bob', moveDocs(scene, false))
  expect(warnings).toEqual([expect.stringMatching(/acme\/guides.*Use a token/)])
  expect(requests.filter((line) => line.startsWith('POST /repos'))).toHaveLength(1)
})

it.for<{ what: string; told: Told; fields?: Parameters<typeof addPull>[1] }>([
  { what: 'of a run that was cancelled', told: { end: 'cancelled' } },
  {
    what: 'on a merged docs pull request',
    told: {},
    fields: { number: 1, merged: true, state: 'closed' },
  },
  { what: 'without the inputs', told: { inputs: { 'pr-reviewers': '', 'pr-labels': '' } } },
])('nobody is asked $what', async ({ told, fields }, { scene }) => {
  if (fields) addPull(scene.world, { user: AGENT, ...fields })
  await pushBy(scene, 'bob', told)
  expect(requestsOn(scene)).toEqual([])
})

it('nobody is asked if it isn’t known who was asked before', async ({ scene }) => {
  await pushBy(scene, 'bob', { inputs: NEVER })
  const before = requestsOn(scene)
  scene.github.faults.push({ match: /ReviewRequests/, end: '502' })
  await pushBy(scene, 'cleo', { inputs: NEVER })
  expect(requestsOn(scene)).toEqual(before)
})
