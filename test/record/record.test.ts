import { describe, expect, it } from 'vitest'
import {
  author,
  eventOf,
  expectSkip,
  J1,
  opening,
  type Scene,
  startScene,
} from '../stories/scene.ts'
import { bareEvent, commentIn, type Event, event, pushOf } from '../support/events.ts'
import { addCommit, addPull, mergePull, pushToPull, time } from '../support/world.ts'

const STEP = 'Docs agent: docs (docs.yml, docs, agent'
const byHand: Event = {
  name: 'workflow_dispatch',
  payload: { repository: { default_branch: 'main' } },
}

/** A commit on another branch, and a run on it. */
function onBranch({ step, world }: Scene, on: Event, branch = 'release/1.x') {
  const { sha } = addCommit(world, { branch, files: ['src/b.ts'] })
  return step(on, { ...J1, sha, env: { GITHUB_REF: `refs/heads/${branch}` } })
}

/** A release of the tip of `main`. */
function release({ world }: Scene, tag_name: string): Event {
  world.tags.set(tag_name, world.branches.get('main') ?? '')
  const published_at = time(world.now())
  return event('release', { action: 'published', release: { tag_name, published_at } })
}

const NAMES: readonly {
  readonly what: string
  readonly run: (scene: Scene) => Promise<unknown>
  readonly names: readonly string[]
}[] = [
  { what: 'a push', run: ({ push }) => push(J1), names: [`${STEP})`] },
  { what: 'a schedule', run: ({ step }) => step(bareEvent('schedule'), J1), names: [`${STEP})`] },
  {
    what: 'a dispatch on another branch',
    run: (scene) => onBranch(scene, byHand),
    names: [`${STEP}, branch release/1.x)`],
  },
  {
    what: 'a matrix job',
    run: ({ push, inputs }) => push({ ...J1, inputs: { ...inputs, matrix: '{"lang":"de"}' } }),
    names: [`${STEP}, de)`],
  },
  {
    what: 'a pull request',
    run: ({ onPull, code }) => onPull(code, J1),
    names: [`${STEP}, #77)`, 'Docs agent: docs (#77)'],
  },
  {
    what: 'a merged pull request',
    run: ({ step, code, world }) => {
      mergePull(world, code)
      return step(eventOf(code, 'closed'), J1)
    },
    names: [`${STEP})`, 'Docs agent: docs (#77)'],
  },
  {
    what: 'a command',
    run: ({ command, inputs }) =>
      command('/docs Explain.', 77, { ...J1, inputs: { ...inputs, matrix: '{"lang":"de"}' } }),
    names: ['Docs agent: docs (#77)'],
  },
]

it.each(NAMES)('the record of $what has the names $names', async ({ run, names }) => {
  const scene = await startScene()
  await run(scene)
  const { statuses } = scene.world
  const docs = 'Docs agent: docs (#200)'
  expect(new Set(statuses.map(({ context }) => context))).toEqual(new Set([...names, docs]))
  expect(statuses.every(({ state }) => state === 'success')).toBe(true)
})

it('the record of a run that has no docs pull request yet links the run, later the pull request', async () => {
  const { push, world } = await startScene()
  await push({ replies: opening('j1', 200), runId: 1001 })
  const pages = world.statuses.map(({ target_url: url }) => url?.split('#')[0])
  expect(pages[0]).toBe('https://github.com/acme/docs/actions/runs/1001/attempts/1')
  expect(pages.at(-1)).toBe('https://github.com/acme/docs/pull/200')
})

describe('the earlier job is found', () => {
  const FOUND: readonly {
    readonly what: string
    readonly run: (scene: Scene) => Promise<string>
  }[] = [
    {
      what: 'by the next run on the same branch, not by one on another',
      async run(scene) {
        await scene.push(J1)
        const other = await onBranch(scene, byHand)
        expect(other.started).toEqual(['create'])
        return (await onBranch(scene, byHand)).started.join()
      },
    },
    {
      what: 'on the base branch, by a run on another merged pull request',
      async run({ code, step, world }) {
        mergePull(world, code)
        await step(eventOf(code, 'closed'), J1)
        const later = addPull(world, { number: 78, user: author, files: ['src/b.ts'] })
        mergePull(world, later)
        return (await step(eventOf(later, 'closed'), J1)).started.join()
      },
    },
    {
      what: 'on a commit of a pull request that a forced push replaced',
      async run({ code, onPull, world }) {
        await onPull(code, J1)
        for (let count = 0; count < 3; count++) pushToPull(world, code, { force: true })
        code.files = [{ filename: 'src/a.ts', status: 'modified', patch: '@@ -1 +1 @@\n+new' }]
        return (await onPull(code, J1)).started.join()
      },
    },
    {
      what: "in the base repository, of a fork's pull request",
      async run({ command, code, world }) {
        code.fields = { ...code.fields, head: { ...code.fields.head, repo: { full_name: 'x/y' } } }
        await command('/docs Explain.', 77, J1)
        pushToPull(world, code)
        return (await command('/docs More.', 77, J1)).started.join()
      },
    },
    {
      what: 'by a release after a push of its tag, and by another one on the same commit',
      async run(scene) {
        await scene.push(J1)
        addCommit(scene.world, { files: ['src/b.ts'] })
        await scene.step(release(scene, 'pkg-a@1.0.0'), J1)
        return (await scene.step(release(scene, 'pkg-b@1.0.0'), J1)).started.join()
      },
    },
    {
      what: 'by a step with a long name of odd characters',
      async run({ push }) {
        const env = { GITHUB_JOB: `${'🚀'.repeat(30)} ${'x'.repeat(300)}` }
        await push({ ...J1, env })
        return (await push({ ...J1, env })).started.join()
      },
    },
    {
      what: 'on the commit of an issue, by the next command there',
      async run({ step, world }) {
        world.issues.add(9)
        const on = () =>
          commentIn(world, { number: 9, onIssue: true, author, body: '/docs Please.' })
        await step(on(), { ...J1, inputs: {} })
        addCommit(world)
        return (await step(on(), { ...J1, inputs: {} })).started.join()
      },
    },
  ]

  it.each(FOUND)('$what', async ({ run }) => {
    expect(await run(await startScene())).toBe('message to j1')
  })

  it('within 500 commits; after that a new one starts, and the summary says so', async () => {
    const { push, world } = await startScene()
    await push(J1)
    for (let count = 0; count < 498; count++) addCommit(world)
    expect((await push(J1)).started).toEqual(['message to j1'])
    for (let count = 0; count < 500; count++) addCommit(world)
    const late = await push({ replies: opening('j2', 200) })
    expect(late.started).toEqual(['create'])
    expect(late.summary).toContain('500 commits')
  })
})

it('matrix jobs keep their records apart', async () => {
  const { push, step, inputs, world } = await startScene()
  const of = (lang: string, id: string, number: number) => ({
    inputs: { ...inputs, matrix: JSON.stringify({ lang }) },
    replies: opening(id, number),
  })
  const before = world.branches.get('main') ?? ''
  expect((await push(of('de', 'j1', 200))).started).toEqual(['create'])
  expect((await step(pushOf(world, before), of('fr', 'j2', 201))).started).toEqual(['create'])
  expect((await push(of('de', 'j1', 200))).started).toEqual(['message to j1'])
})

it('of releases only the same one again is nothing new', async () => {
  const scene = await startScene()
  const [a, b] = [release(scene, 'a@1.0.0'), release(scene, 'b@1.0.0')]
  for (const on of [a, b]) expect((await scene.step(on, J1)).started).toHaveLength(1)
  for (const on of [a, b]) expectSkip(await scene.step(on, J1), 'same release')
})

it('events without a record start a job each, and the summary says so', async () => {
  const { step } = await startScene()
  const on = event('deployment_status', { deployment_status: { state: 'success' } })
  for (const id of ['j1', 'j2']) {
    const end = await step(on, { replies: opening(id, 200) })
    expect(end.started).toEqual(['create'])
    expect(end.summary).toContain('recorded')
  }
})

describe('odd facts in a record', () => {
  const FIRST = 'https://github.com/acme/docs/actions/runs/7'
  const OTHER = encodeURIComponent('https://github.com/acme/docs/pull/201')
  const HIDDEN = encodeURIComponent('https://github.com/acme/secret/pull/3')

  it.each([
    { what: 'an ID that is too long', facts: `job=${'x'.repeat(100_000)}`, started: 'create' },
    { what: 'an ID that is a path', facts: 'job=..', started: 'create' },
    { what: 'an ID of several words', facts: 'job=a+b', started: 'create' },
    { what: 'a time that is too late', facts: 'job=j1&ended=9e15', started: 'message to j1' },
    { what: 'no time', facts: 'job=j1&ended=Infinity&since=-1', started: 'message to j1' },
    {
      what: 'a link to a script',
      facts: 'job=j1&link=javascript:alert(1)',
      started: 'message to j1',
    },
    { what: 'a base that is no commit', facts: 'job=j1&base=main', started: 'message to j1' },
    { what: 'a broken escape', facts: 'job=j1&source=%E0%A4%A', started: 'message to j1' },
    {
      what: 'a link that the token cannot see',
      facts: `job=j1&link=${HIDDEN}`,
      started: 'message to j1',
    },
    { what: 'another pull request', facts: `job=j1&link=${OTHER}`, started: 'message to j1' },
  ])('$what count as missing', async ({ facts, started }) => {
    const { push, world } = await startScene()
    const context = `${STEP})`
    const target_url = `${FIRST}#run=7&attempt=1&state=success&${facts}`
    const sha = world.branches.get('main') ?? ''
    const creator = world.viewer
    const made = { context, target_url, creator, created_at: time(world.now()), description: '' }
    world.statuses.push({ ...made, state: 'success', sha, id: 1 })
    const get = ['active', 'active', ...(opening('j1', 200).get ?? [])]
    const { post = [] } = opening('j1', 200)
    const end = await push({ replies: { post, get } })
    expect([end.started, end.hasFailed, end.outputs['pr-number']]).toEqual([
      [started],
      false,
      '200',
    ])
    const { head } = world.pulls.get(201)?.fields ?? {}
    expect(world.statuses.filter((one) => one.sha === head?.sha)).toEqual([])
    expect(world.comments.filter(({ number }) => number === 201)).toEqual([])
    const written = world.statuses
      .slice(1)
      .map(({ target_url: url }) => url ?? '')
      .join('\n')
    expect(written).not.toMatch(/javascript|Infinity|9e15|x{300}|base=main/)
  })

  it('an ID that Mintlify does not know leads to a new job', async () => {
    const { push, clock } = await startScene()
    await push(J1)
    await clock.sleep(60_000)
    const [, done = 'completed'] = opening('j2', 201).get ?? []
    const replies = { post: [{ body: { id: 'j2' } }], get: [{ status: 404 }, 'active', done] }
    const end = await push({ replies })
    expect(end.calls.at(0)).toBe('GET /job/j1')
    expect([end.started, end.outputs['job-id']]).toEqual([['create'], 'j2'])
  })
})

it('a run that starts nothing after its record carries on what was known before', async () => {
  const { push } = await startScene()
  await push(J1)
  const failed = await push({
    replies: { get: opening('j1', 200).get ?? [], post: [{ status: 402 }] },
  })
  expect([failed.outputs['result'], failed.hasFailed]).toEqual(['error', true])
  expect((await push(J1)).started).toEqual(['message to j1'])
})

describe('if the record cannot be written, nothing is started', () => {
  it.each([
    { what: 'with the block of permissions to paste', end: '403', says: /^ {2}statuses: write/m },
    { what: 'and GitHub was asked for two minutes', end: '502', says: /re-run this job/ },
  ] as const)('$what', async ({ end, says }) => {
    const { push, github } = await startScene()
    github.faults.push({ match: /^POST \/statuses/, end })
    const failed = await push(J1)
    expect([failed.calls, failed.outputs['result'], failed.hasFailed]).toEqual([[], 'error', true])
    expect([...failed.titles, ...failed.post.titles]).toHaveLength(1)
    expect(failed.log.join('\n')).toMatch(says)
    expect(failed.tookMs > 100_000).toBe(end === '502')
  })

  it('but with `follow-up: false` the job starts, with one notice', async () => {
    const { push, inputs, world } = await startScene()
    world.scopes.delete('statuses: write')
    const end = await push({ ...J1, inputs: { ...inputs, 'follow-up': 'false' } })
    expect([end.started, end.hasFailed]).toEqual([['create'], false])
    const notices = [...end.log, ...end.post.log].filter((line) =>
      /^notice: .*statuses: /.test(line),
    )
    expect(notices).toHaveLength(1)
  })
})
