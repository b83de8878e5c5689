import { describe, expect, it } from 'vitest'
import {
  author,
  contextOf,
  docsLink,
  eventOf,
  expectSkip,
  J1,
  opening,
  type Scene,
  startScene,
} from '../stories/scene.ts'
import { bareEvent, bot, commentIn, event, pushOf, pushTo } from '../support/events.ts'
import {
  addCommit,
  addPull,
  addReview,
  BEFORE,
  endPull,
  MAY_WRITE,
  mergePull,
  person,
  pushToPull,
} from '../support/world.ts'

const SCHEDULE = bareEvent('schedule')
const DAY_MS = 86_400_000

/** Merges a pull request into `main`, and returns the push of it. */
function merge({ world }: Scene, fields: Partial<Parameters<typeof addPull>[1]>) {
  const before = world.branches.get('main') ?? ''
  mergePull(world, addPull(world, { number: 8, user: author, files: ['src/a.ts'], ...fields }))
  return pushOf(world, before)
}

describe('nothing new', () => {
  it('is a schedule on the commit of the last job, or on an older one, even after a run that failed', async () => {
    const { step, world } = await startScene()
    const [older, newer] = ['a', 'b'].map((name) => addCommit(world, { files: [`src/${name}.ts`] }))
    const on = (sha = '', options = {}) => step(SCHEDULE, { ...J1, sha, ...options })
    expect((await on(newer?.sha)).started).toEqual(['create'])
    expectSkip(await on(newer?.sha), 'same commit')
    expectSkip(await on(older?.sha), 'newer commit')
    const get = opening('j1', 200).get ?? []
    const byHand = event('workflow_dispatch')
    const failed = await step(byHand, { replies: { get, post: [{ status: 402 }] } })
    expect(failed.hasFailed).toBe(true)
    expectSkip(await on(newer?.sha), 'same commit')
    // Whoever re-runs it wants a job.
    expect((await on(older?.sha, { attempt: 2 })).started).toHaveLength(1)
  })

  it('is a schedule while the job about its commit is running', async () => {
    const { step, inputs } = await startScene()
    const options = { inputs: { ...inputs, wait: 'false' } }
    expect((await step(SCHEDULE, options)).started).toEqual(['create'])
    expectSkip(await step(SCHEDULE, options), 'same commit')
  })

  it.each([{ context: 'none' }, { 'content-gaps': 'agent' }])(
    'is no reason for a schedule with %j, and neither are the files',
    async (more) => {
      const { push, step, inputs } = await startScene()
      await push(J1)
      await push({}, ['tests/a.test.ts'])
      const end = await step(SCHEDULE, { ...J1, inputs: { ...inputs, ...more } })
      expect(end.started).toEqual(['message to j1'])
    },
  )

  it('is a file without a diff whose contents are the same', async () => {
    const { code, onPull, world } = await startScene()
    const image = (sha: string) => [
      { filename: 'src/a.png', status: 'modified', sha: sha.repeat(40) },
    ]
    code.files = image('e')
    await onPull(code, J1)
    pushToPull(world, code)
    expectSkip(await onPull(code), 'same changed lines')
    code.files = image('f')
    expect((await onPull(code, J1)).started).toEqual(['message to j1'])
  })
})

describe('commits that need no docs', () => {
  it.each([
    { what: 'labeled', fields: { labels: [{ name: 'No-Docs' }] }, reason: 'No-Docs' },
    { what: "a bot's", fields: { user: bot('renovate[bot]') }, reason: 'renovate' },
    { what: "the agent's", fields: { user: bot('mintlify[bot]') }, reason: 'mintlify' },
  ])('are those of a merged pull request that is $what', async ({ fields, reason }) => {
    const scene = await startScene()
    expectSkip(await scene.step(merge(scene, fields)), reason)
    const inputs = { ...scene.inputs, 'ignore-authors': 'ada', 'skip-labels': '' }
    const on = merge(scene, { ...fields, number: 9 })
    const isAgent = reason === 'mintlify'
    const end = await scene.step(on, { ...J1, inputs })
    expect(end.started).toEqual(isAgent ? [] : ['create'])
  })

  it('are a commit of an ignored author, but not of a person next to it', async () => {
    const { step, world } = await startScene()
    const dependabot = bot('dependabot[bot]')
    expectSkip(await step(pushTo(world, { author: dependabot, files: ['src/a.ts'] })))
    const before = world.branches.get('main') ?? ''
    addCommit(world, { author: dependabot, files: ['src/b.ts'] })
    addCommit(world, { author, files: ['src/c.ts'] })
    expect((await step(pushOf(world, before), J1)).started).toEqual(['create'])
  })

  it('are those of a pull request with the label that it has by then', async () => {
    const { code, onPull, step } = await startScene()
    const on = eventOf(code, 'opened')
    code.fields = { ...code.fields, labels: [{ name: 'no-docs' }] }
    expectSkip(await step(on), 'no-docs')
    code.fields = { ...code.fields, labels: [] }
    expect((await onPull(code, J1)).started).toEqual(['create'])
  })

  it('are not a release of them', async () => {
    const scene = await startScene()
    scene.world.tags.set('v1.0.0', BEFORE)
    merge(scene, { labels: [{ name: 'no-docs' }], files: ['tests/a.test.ts'] })
    scene.world.tags.set('v1.1.0', scene.world.branches.get('main') ?? '')
    const on = event('release', { action: 'published', release: { tag_name: 'v1.1.0' } })
    expect((await scene.step(on, J1)).started).toEqual(['create'])
  })
})

describe('files that need no docs', () => {
  it('are none for a command, whatever `paths` says', async () => {
    const { command } = await startScene()
    const end = await command('/docs Explain.', 77, { ...J1, inputs: { paths: 'sdk/**' } })
    expect(end.started).toEqual(['create'])
  })

  it('are not those of a list that GitHub and git cannot complete', async () => {
    const { push } = await startScene()
    const tests = Array.from({ length: 300 }, (_, at) => `tests/${at}.test.ts`)
    const env = { GITHUB_SERVER_URL: 'http://127.0.0.1:9' }
    expect((await push({ ...J1, env }, tests)).started).toEqual(['create'])
  })

  it('are on a new branch those since it left `main`', async () => {
    const { step, world } = await startScene()
    addCommit(world, { files: ['src/a.ts'] })
    const made = { branch: 'next', parents: [BEFORE], files: ['tests/a.test.ts'] }
    const { sha: after } = addCommit(world, made)
    const ends = { before: '0'.repeat(40), after, commits: [], forced: false, deleted: false }
    const on = event('push', { ref: 'refs/heads/next', created: true, ...ends })
    expectSkip(await step(on), 'tests')
  })

  const SDK = 'sdk/**\n!**/*.test.ts\nREADME.md'
  it.each([
    { files: ['app/a.ts', 'sdk/a.test.ts'], started: [] },
    { files: ['README.md'], started: ['create'] },
    { files: ['app/a.ts', 'sdk/b.ts'], started: ['create'] },
  ])('are with `paths` those outside: $files', async ({ files, started }) => {
    const { push, inputs } = await startScene()
    const end = await push({ ...J1, inputs: { ...inputs, paths: SDK } }, files)
    expect(end.started).toEqual(started)
    if (started.length === 0) expectSkip(end, '`paths`')
    expect(contextOf(end).join()).not.toMatch(/app\//)
  })
})

it('with `command` empty, labels, files, and `paths` decide for comments on a pull request, too', async () => {
  for (const more of [{}, { paths: 'sdk/**' }]) {
    const { code, step, world, inputs } = await startScene()
    const on = commentIn(world, { number: 77, author, body: 'Nice.' })
    if (!('paths' in more)) code.fields = { ...code.fields, labels: [{ name: 'no-docs' }] }
    expectSkip(await step(on, { inputs: { ...inputs, command: '', ...more } }))
  }
})

describe('a docs pull request', () => {
  type Happens = (scene: Scene) => unknown
  const review =
    (state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED', by = author): Happens =>
    ({ world }) =>
      addReview(world, { number: 200, author: by, state })
  const mona = person('mona', 7003)
  const grant: Happens = ({ world }) => world.roles.set('mona', { ...MAY_WRITE, id: mona.id })
  const autoMerge: Happens = ({ world }) =>
    Object.assign(world.pulls.get(200)?.fields ?? {}, { auto_merge: {} })
  const changes = review('CHANGES_REQUESTED')

  it.each<{ what: string; happens: Happens[]; waits: boolean }>([
    { what: 'approved', happens: [review('APPROVED')], waits: true },
    {
      what: 'approved after changes were requested, and then commented on',
      happens: [changes, review('APPROVED'), review('COMMENTED')],
      waits: true,
    },
    { what: 'set to be merged automatically', happens: [autoMerge], waits: true },
    { what: 'approved by a stranger', happens: [review('APPROVED', mona)], waits: false },
    {
      what: 'approved while another person requests changes',
      happens: [grant, review('CHANGES_REQUESTED', mona), review('APPROVED')],
      waits: false,
    },
    { what: 'no longer approved', happens: [review('DISMISSED')], waits: false },
  ])('that is $what waits: $waits', async ({ happens, waits }) => {
    const scene = await startScene()
    await scene.push(J1)
    for (const happen of happens) happen(scene)
    const before = scene.statuses().length
    const end = await scene.push(J1)
    expect(end.started).toEqual(waits ? [] : ['message to j1'])
    if (!waits) return
    expectSkip(end, 'is approved')
    expect(end.outputs).toMatchObject({ 'pr-link': docsLink(200), 'pr-number': '200' })
    expect(scene.statuses()).toHaveLength(before)
    // A person asks for this one.
    const byHand = await scene.step(event('workflow_dispatch'), J1)
    expect(byHand.started).toEqual(['message to j1'])
  })

  it('that was opened longer ago than `pause-after` waits, and no change is lost', async () => {
    const { push, clock, inputs, world } = await startScene()
    const options = { ...J1, inputs: { ...inputs, 'pause-after': '14d' } }
    await push(options)
    await clock.sleep(13 * DAY_MS)
    expect((await push(options)).started).toEqual(['message to j1'])
    await clock.sleep(2 * DAY_MS)
    expectSkip(await push(options, ['src/paused.ts']), '15 days')
    const docs = world.pulls.get(200)
    if (docs) endPull(world, docs, null)
    const merged = { body: { status: 'completed', prLink: docsLink(200) } }
    const { post = [], get = [] } = opening('j2', 201)
    const next = await push({ ...options, replies: { post, get: [merged, ...get] } })
    expect(next.started).toEqual(['create'])
    expect(contextOf(next).join('\n')).toContain('src/paused.ts')
  })

  it('whose approvals cannot be read is not updated', async () => {
    const { push, github } = await startScene()
    await push(J1)
    github.faults.push({ match: /PullState/, end: { broken: 'latestOpinionatedReviews' } })
    const end = await push(J1)
    expect([end.started, end.outputs['result'], end.hasFailed]).toEqual([[], 'error', true])
  })
})
