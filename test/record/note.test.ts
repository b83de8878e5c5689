import { describe, expect } from 'vitest'
import {
  bareEvent,
  type Event,
  event,
  issueComment,
  pullRequest,
  pushOf,
  pushTo,
} from '../support/events.ts'
import { type Simulation, startSimulation } from '../support/simulation.ts'
import {
  ACTIONS,
  AGENT,
  addComment,
  addPull,
  type Comment,
  mergePull,
  person,
  pushToPull,
} from '../support/world.ts'
import { itWithScene, octocat, PULL, RUN, type Scene, type Told } from './runs.ts'

const it = itWithScene()
const HEADLINE = '💬 **The code changes that these docs are for**'

/** Our notes, oldest first. */
function notesIn({ world }: Scene | Simulation): Comment[] {
  return world.comments.filter(
    ({ author, history }) => author === world.viewer && history[0]?.includes(HEADLINE),
  )
}

/** What the newest note says. */
function noteIn(scene: Scene | Simulation): string {
  return notesIn(scene).at(-1)?.history.at(-1) ?? ''
}

/** Its lines. */
function linesIn(scene: Scene | Simulation): string[] {
  return noteIn(scene)
    .split('\n')
    .filter((line) => line.startsWith('- '))
}

/** A run for an event, or for the push of a commit with that message, whose job ends with pull request 1. */
function write(scene: Scene, made: Event | string = 'Fix it', { inputs, ...told }: Told = {}) {
  const event = typeof made === 'string' ? pushTo(scene.world, { message: made }) : made
  const usual = { prompt: 'Document it.', context: 'diff', 'ignore-authors': '', ...inputs }
  return scene.tell(event, { end: 'pull-request', ...told, inputs: usual })
}

/** The end of a job with that pull request. */
function ended(prLink: string): Told {
  return { replies: { get: [{ body: { status: 'completed', prLink } }] } }
}

/** The push of squash merges of pull requests with these titles. */
function mergedPulls({ world }: Scene, ...titles: string[]): Event {
  const before = world.branches.get('main') ?? ''
  for (const [index, title] of titles.entries())
    mergePull(world, addPull(world, { number: 41 + index, title }), { how: 'squash' })
  return pushOf(world, before)
}

it.for<[string, (scene: Scene) => Event, RegExp]>([
  [
    'the merged pull requests that its commits came in',
    (scene) => mergedPulls(scene, 'Add a flag', 'Drop it'),
    /: https:\/\/github\.com\/acme\/docs\/pull\/42 Drop it by \*\*octocat\*\*; https:\S+41 Add a flag by \*\*octocat\*\*$/,
  ],
  [
    'else the commits',
    ({ world }) => pushTo(world, { message: 'Fix it' }),
    /: \[Fix it\]\(https:\/\/github\.com\/acme\/docs\/commit\/\w{40}\) by \*\*octocat\*\*$/,
  ],
  [
    'the pull request',
    () => pullRequest({ sender: octocat, pull: { title: 'Add a flag', user: octocat } }),
    /: https:\S+\/pull\/5 Add a flag by \*\*octocat\*\*$/,
  ],
  [
    'a pull request by its title where its address is odd',
    () =>
      pullRequest({
        sender: octocat,
        pull: { title: 'Add', html_url: 'https://x/a/b/pull/5 @me' },
      }),
    /: \[Add\]\(https:\/\/x\/a\/b\/pull\/5%20@me\) by/,
  ],
  [
    'the release',
    () =>
      event('release', {
        release: { name: 'v2', html_url: 'https://github.com/acme/docs/releases/tag/v2' },
      }),
    /: \[v2\]\(https:\S+\/releases\/tag\/v2\)$/,
  ],
  [
    'the tag of a release without a name',
    () =>
      event('release', {
        release: { tag_name: 'v3', html_url: 'https://github.com/acme/docs/releases/tag/v3' },
      }),
    /: \[v3\]\(https:/,
  ],
  ['else the event', () => event('deployment'), /: deployment$/],
  [
    'at most five of them, with titles cut to 80 characters',
    (scene) => {
      const titles = ['x'.repeat(80), 'y'.repeat(81)]
      return mergedPulls(scene, 'a', 'b', 'c', 'd', 'e', ...titles)
    },
    /\/47 y{79}… by \S+; \S+46 x{80} by .*43 c by \*\*octocat\*\*; and 2 more$/,
  ],
])(
  'a line of the note on the agent’s pull request names %s',
  async ([_what, make, line], { scene }) => {
    await write(scene, make(scene))
    expect(linesIn(scene)).toEqual([expect.stringMatching(line)])
    expect(linesIn(scene)[0]).toContain(`- 2026-01-05, ${RUN}: `)
  },
)

describe('the note on the agent’s pull request', () => {
  it('stays below 60 KiB: the oldest lines go', async ({ scene }) => {
    for (let count = 0; count < 20; count++)
      await write(scene, mergedPulls(scene, ...Array.from({ length: 5 }, () => '語'.repeat(80))))
    const bytes = Buffer.byteLength(noteIn(scene))
    expect(bytes).toBeLessThan(61 * 1024)
    expect(bytes).toBeGreaterThan(50 * 1024)
    expect(linesIn(scene)[0]).toContain('runs/1020')
    expect(linesIn(scene).at(-1)).toMatch(/^- and \d earlier$/)
  })

  it('says that a command there continues, where one led to it', async ({ scene }) => {
    const how = 'To have it changed, comment `/docs …` here, such as `/docs shorter'
    await write(scene)
    expect(noteIn(scene)).not.toContain('To have it changed')
    await scene.ask({ end: 'pull-request' })
    await write(scene)
    expect(noteIn(scene)).toContain(how)
    for (const inputs of [{ 'follow-up': 'false' }, { command: '' }]) {
      await write(scene, 'Fix it', { inputs })
      expect(noteIn(scene)).not.toContain('To have it changed')
    }
  })

  it('of another account, key or project stays as it is, and so does a copy of it', async ({
    scene,
  }) => {
    const { world } = scene
    await write(scene)
    const body = noteIn(scene)
    await write(scene, 'Fix it', { inputs: { 'api-key': 'mint_another_key' } })
    await write(scene, 'Fix it', { inputs: { 'project-id': 'guides' } })
    addComment(world, { kind: 'main', number: 1, author: person('mallory'), body })
    world.viewer = { login: 'acme-docs[bot]', id: 4711, type: 'Bot' }
    await write(scene)
    world.viewer = ACTIONS
    expect(notesIn(scene).map(({ history }) => history.length)).toEqual([1, 1, 1])
    // A copy on another pull request does not count there.
    addPull(world, { number: 2, user: AGENT })
    addComment(world, { kind: 'main', number: 2, author: ACTIONS, body })
    await write(scene, 'Fix it', ended(PULL.replace('/1', '/2')))
    await write(scene)
    expect(notesIn(scene).map(({ history }) => history.length)).toEqual([2, 1, 1, 1, 1])
  })

  it('that was deleted begins anew, with "an earlier job"', async ({ scene }) => {
    await write(scene)
    scene.world.comments.splice(0)
    await write(scene, 'Rename it')
    await write(scene, 'Drop it')
    expect(linesIn(scene)).toEqual([
      expect.stringContaining('Drop it'),
      expect.stringContaining('Rename it'),
      '- 2026-01-05: an earlier job',
    ])
  })

  it('has a line of a job that a run waited for until there was a pull request', async ({
    scene,
  }) => {
    await write(scene, 'Fix it', { end: 'timed-out', inputs: { timeout: '1s' } })
    expect(notesIn(scene)).toEqual([])
    const wait = { inputs: { prompt: '', 'job-id': 'job_1' } }
    const body = { status: 'completed', prLink: PULL, createdAt: '2026-01-03T00:00:00Z' }
    const made = { replies: { get: [{ body }] }, ...wait }
    await write(scene, 'Wait', made)
    await write(scene, 'Wait', made)
    expect(linesIn(scene)).toEqual(['- 2026-01-03: an earlier job'])
    const { calls } = await scene.tell(scene.comment('/docs shorter', { number: 1 }), ended(PULL))
    expect(calls[1]).toBe('POST /job/job_1/message')
  })

  it('is written in another repository where the token can comment there, else nothing, without a warning', async ({
    scene,
  }) => {
    const { world } = scene
    world.agentRepository = 'acme/guides'
    addPull(world, { number: 1, user: AGENT }, world.elsewhere)
    const there = ended(PULL.replace('docs', 'guides'))
    expect((await scene.ask(there)).warnings).toEqual([])
    expect(notesIn(scene)).toEqual([])
    world.commentsElsewhere = true
    await scene.ask(there)
    expect(notesIn(scene).map(({ repository }) => repository)).toEqual(['acme/guides'])
    expect(linesIn(scene)).toHaveLength(2)
    expect(noteIn(scene)).not.toContain('`/docs')
    // A copy of it here counts for nothing: its marker names its repository.
    addComment(world, { kind: 'main', number: 1, author: ACTIONS, body: noteIn(scene) })
    await write(scene)
    expect(notesIn(scene)).toHaveLength(3)
  })

  it.for<[string, Told]>([
    ['with `comment: never`', { inputs: { comment: 'never' } }],
    ['in a dry run', { inputs: { 'dry-run': 'true' } }],
    ['after a cancel', { end: 'cancelled' }],
    ['on another server', ended('https://gitlab.com/acme/docs/-/merge_requests/1')],
    ['on what is no pull request', ended('https://github.com/acme/docs/commit/1')],
  ])('is not written %s', async ([_what, told], { scene }) => {
    await write(scene, 'Fix it', told)
    expect(notesIn(scene)).toEqual([])
  })
})

it('a month of all triggers leads to one docs pull request and one note, which names each of the newest changes once', async () => {
  const simulation = await startSimulation('acme/docs')
  const { world, run, clock, docs } = simulation
  world.roles.set('octocat', { permission: 'write', role_name: 'write' })
  const named: string[] = []
  const kinds = [
    ...Array.from({ length: 40 }, () => 'push'),
    ...Array.from({ length: 12 }, () => 'merge'),
    ...Array.from({ length: 6 }, () => 'command'),
    ...Array.from({ length: 3 }, () => 'schedule'),
  ]

  /** What happens for the run, which is named in the note by what stands in its line. */
  async function happen(kind: string, number: number): Promise<Event> {
    if (kind === 'push') {
      named.push(`Push ${number}`)
      return pushTo(world, { message: `Push ${number} for @acme/team` })
    }
    if (kind === 'merge') {
      const pull = addPull(world, { number, title: `Merge @octocat #${number}` })
      mergePull(world, pull, { how: 'squash' })
      named.push(`/pull/${number} `)
      return pullRequest({ action: 'closed', number, pull: { ...pull.fields, number } })
    }
    if (kind === 'schedule') return bareEvent('schedule')
    const [docsPull = 0] = await simulation.openPulls()
    const body = `/docs request ${number}`
    const comment = { number: docsPull, author: octocat, body }
    const { id } = addComment(world, { kind: 'main', ...comment })
    named.push(`issuecomment-${id})`)
    return issueComment({ id, ...comment })
  }

  for (let index = 0; index < kinds.length; index++) {
    await clock.sleep(12 * 3_600_000)
    const [docsPull] = [...world.pulls.values()].filter(({ fields }) => fields.user === AGENT)
    if (index === 30 && docsPull !== undefined)
      pushToPull(world, docsPull, { author: person('hubot', 7002) })
    // In an order that mixes them, and is the same each time.
    const kind = kinds[(index * 33) % kinds.length] ?? ''
    const prompt = kind === 'command' ? '' : 'Document it.'
    const event = await happen(kind, 100 + index)
    const { requests } = await run({ event, inputs: { context: 'diff', prompt } })
    const ofNote = requests.filter((line) => /comments/.test(line) && !/reactions/.test(line))
    expect(ofNote.length).toBeLessThanOrEqual(8)
  }
  expect([docs.jobs.length, docs.jobs[0]?.messages.length]).toEqual([1, 60])
  expect(notesIn(simulation)).toHaveLength(1)
  const lines = linesIn(simulation)
  expect(lines).toHaveLength(21)
  expect(lines.at(-1)).toBe('- and 41 earlier')
  const told = named.filter((name) => lines.some((line) => line.includes(name)))
  expect(told.length).toBeGreaterThanOrEqual(17)
  expect(told).toEqual(named.slice(-told.length))
  for (const name of told) expect(lines.filter((line) => line.includes(name))).toHaveLength(1)
  expect(noteIn(simulation)).not.toMatch(/@(?!\u200b)/)
  // The person's commit is named from then on.
  expect(docs.jobs[0]?.messages.at(-1)).toContain('commits by hubot. Keep their changes.')
}, 120_000)

it('commits of people on the docs pull request are asked to be kept, and told in the summary', async ({
  scene,
}) => {
  const { world } = scene
  const inputs = { 'ignore-authors': 'docs-robot' }
  const pull = world.pulls.get(1)
  if (pull === undefined) throw new Error('There is no pull request 1.')
  const people = async () => {
    const { bodies, summary } = await write(scene, 'Fix it', { inputs })
    const asked = JSON.stringify(bodies).match(/commits by (.*?)\. Keep their changes\./)?.[1]
    const told = summary.match(/contains commits by (.*), and the agent was asked/)?.[1]
    return [asked, told]
  }
  await write(scene, 'Fix it', { inputs })
  pushToPull(world, pull, { author: person('Docs-Robot', 7003) })
  pushToPull(world, pull, { author: { login: 'renovate[bot]', id: 9, type: 'Bot' } })
  pushToPull(world, pull, { author: undefined, email: 'agent@mintlify.com' })
  pushToPull(world, pull, { author: octocat, parents: ['a'.repeat(40), 'b'.repeat(40)] })
  expect(await people()).toEqual([undefined, undefined])
  pushToPull(world, pull, { author: AGENT, coAuthors: [{ author: person('hubot', 7002) }] })
  for (const author of [octocat, octocat, undefined])
    pushToPull(world, pull, { author, ...(author === undefined && { email: 'x@example.com' }) })
  const names = 'hubot, octocat, and someone'
  expect(await people()).toEqual([names, names])
})
