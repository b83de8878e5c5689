import { describe, expect, it } from 'vitest'
import { contextOf, expectSkip, J1, type Scene, startScene } from '../stories/scene.ts'
import { type Event, event, pushOf } from '../support/events.ts'
import { addCommit, BEFORE, time } from '../support/world.ts'

const NONE = '0'.repeat(40)
const DAY_MS = 86_400_000
const payload = { repository: { default_branch: 'main' } }
const schedule: Event = { name: 'schedule', payload }

/** What the context of a run is since, and what GitHub was asked to compare for that. */
async function sinceOf({ step }: Scene, on: Event, options: Parameters<Scene['step']>[1] = {}) {
  const end = await step(on, { ...J1, ...options })
  expect([end.hasFailed, end.started.length]).toEqual([false, 1])
  const lines = contextOf(end)
  const since = lines.flatMap((line) => /^(?:Changes since|\w+ before): (.*)/.exec(line)?.[1] ?? [])
  const compared = end.requests.flatMap((line) => /\/compare\/(.*)/.exec(line)?.[1] ?? [])
  return { end, lines, since: since.join(), compared }
}

const tip = ({ world }: Scene) => world.branches.get('main') ?? ''
const short = (sha: string) => sha.slice(0, 7)

/** A push of a new branch or tag. */
function created(ref: string, after: string): Event {
  const usual = { forced: false, deleted: false, created: true, commits: [] }
  return event('push', { ref, before: NONE, after, ...usual, ...payload })
}

function release(tag_name: string, published_at: string, change: object = {}): Event {
  const made = { name: 'Ship it', body: 'These are the notes.', tag_name, published_at, ...change }
  return event('release', { action: 'published', release: made })
}

/** Adds releases, the newest first, each some commits before the tip of `main`. */
function addReleases(scene: Scene, back: Readonly<Record<string, number>>): void {
  const { world } = scene
  const commits = Array.from({ length: Math.max(...Object.values(back)) }, () =>
    addCommit(world, { files: ['src/a.ts'] }),
  )
  const history = [BEFORE, ...commits.map(({ sha }) => sha)].toReversed()
  for (const [index, [tag_name, at]] of Object.entries(back).entries()) {
    world.tags.set(tag_name, history[at] ?? '')
    const published_at = time(world.now() - index * DAY_MS)
    world.releases.push({ tag_name, published_at, prerelease: tag_name === 'rc', draft: false })
  }
}

describe('a push is about the changes', () => {
  it('since the last job of the step, if a push before it had none', async () => {
    const scene = await startScene()
    await scene.push(J1)
    const job = tip(scene)
    expectSkip(await scene.push({}, ['tests/dropped.test.ts']))
    const before = tip(scene)
    addCommit(scene.world, { files: ['src/b.ts'] })
    const { lines, since, compared } = await sinceOf(scene, pushOf(scene.world, before))
    expect(since).toBe(`the commit after which no job of this step has succeeded (${short(job)})`)
    expect(compared).toEqual([`${short(job)}...${short(tip(scene))}`])
    expect(lines.join('\n')).toContain('tests/dropped.test.ts')
  })

  it('since the push before the first job, if that job failed', async () => {
    const scene = await startScene()
    const start = tip(scene)
    await scene.push({ replies: { post: [{ body: { id: 'j1' } }], get: ['failed'] } })
    addCommit(scene.world)
    const before = tip(scene)
    addCommit(scene.world, { files: ['src/b.ts'] })
    const { since, compared } = await sinceOf(scene, pushOf(scene.world, before))
    expect(since).toBe(`the commit after which no job of this step has succeeded (${short(start)})`)
    expect(compared).toEqual([`${short(start)}...${short(tip(scene))}`])
  })

  it('since a new branch left the default one', async () => {
    const scene = await startScene()
    const { sha } = addCommit(scene.world, { branch: 'flag', files: ['src/b.ts'] })
    const env = { GITHUB_REF: 'refs/heads/flag' }
    const { since, compared } = await sinceOf(scene, created('refs/heads/flag', sha), { env })
    expect([since, compared]).toEqual(['the branch left main', [`main...${short(sha)}`]])
  })

  it('since the first commit, if it is the first push of the repository', async () => {
    const scene = await startScene()
    addCommit(scene.world, { files: ['tests/a.test.ts'] })
    const pushed = pushOf(scene.world, NONE)
    const commits = [{ id: BEFORE, message: 'Add --flag' }, ...(pushed.payload.commits ?? [])]
    const on = { ...pushed, payload: { ...pushed.payload, commits } }
    const { since, lines } = await sinceOf(scene, on)
    expect(since).toBe('the first commit')
    expect(lines.join('\n')).toContain('Add --flag')
  })

  it('that a forced push removed', async () => {
    const scene = await startScene()
    await scene.push(J1)
    const before = tip(scene)
    scene.world.branches.set('main', BEFORE)
    const { lines } = await sinceOf(scene, pushOf(scene.world, before))
    expect(lines.join()).toContain('commits were removed from the branch')
  })
})

describe('a pushed tag', () => {
  it('is compared with the version before it', async () => {
    const scene = await startScene()
    const { tags } = scene.world
    for (const name of ['v1.9.0', 'v1.9.1', 'v2.0.0', 'web/v1.9.9']) tags.set(name, BEFORE)
    const { sha } = addCommit(scene.world, { files: ['src/b.ts'] })
    tags.set('v1.10.0', sha)
    const env = { GITHUB_REF: 'refs/tags/v1.10.0' }
    const { since, compared } = await sinceOf(scene, created('refs/tags/v1.10.0', sha), { env })
    expect([since, compared]).toEqual(['v1.9.1', ['v1.9.1...v1.10.0']])
  })

  it('that moves is nothing new, but each full version is', async () => {
    const scene = await startScene()
    const push = (name: string, forced = false) => {
      scene.world.tags.set(name, tip(scene))
      const env = { GITHUB_REF: `refs/tags/${name}` }
      const { payload, ...on } = created(`refs/tags/${name}`, tip(scene))
      const before = forced ? BEFORE : payload['before']
      return scene.step({ ...on, payload: { ...payload, forced, before } }, { ...J1, env })
    }
    for (const minor of [1, 2]) {
      addCommit(scene.world, { message: `Add --minor-${minor}` })
      const end = await push(`v1.${minor}.0`)
      expect(JSON.stringify(end.bodies)).toContain(`Add --minor-${minor}`)
      expectSkip(await push('v1', minor > 1), '`v1`')
      if (minor > 1) expectSkip(await push('nightly', true), '`nightly`')
    }
  })
})

describe('a schedule is about the changes', () => {
  it('since the last job of the step', async () => {
    const scene = await startScene()
    await scene.push(J1)
    const job = tip(scene)
    addCommit(scene.world, { files: ['src/b.ts'] })
    const { since, compared } = await sinceOf(scene, schedule)
    expect(since).toBe(`the commit after which no job of this step has succeeded (${short(job)})`)
    expect(compared).toEqual([`${short(job)}...${short(tip(scene))}`])
  })

  it('since another branch left the default one, and a dispatch there is, too', async () => {
    const scene = await startScene()
    const { sha } = addCommit(scene.world, { branch: 'flag', files: ['src/b.ts'] })
    const options = { sha, env: { GITHUB_REF: 'refs/heads/flag' } }
    const { since } = await sinceOf(scene, { name: 'workflow_dispatch', payload }, options)
    expect(since).toBe('the branch left main')
  })

  it.each([
    { back: { v2: 3, v1: 5 }, compared: ['v2'] },
    { back: { same: 0, v1: 250 }, compared: ['v1'] },
    { back: { far: 251, v1: 9 }, compared: ['far', 'v1'] },
    { back: { rc: 3, v1: 5 }, compared: ['rc'] },
  ])('since the newest release at most 250 commits back: $back', async ({ back, compared }) => {
    const scene = await startScene()
    addReleases(scene, back)
    const found = await sinceOf(scene, schedule)
    expect(found.since).toBe(`the release ${compared.at(-1)} (this step has no earlier job)`)
    expect(found.compared.map((one) => one.split('...')[0])).toEqual(compared)
  })

  it.each([
    { count: 12, since: '10 commits before', shown: 10 },
    { count: 10, since: 'the first commit', shown: 9 },
    { count: 1, since: 'the start of the branch, which has one commit', shown: 1 },
  ])('$since, of a branch of $count commits without job and release', async (row) => {
    const scene = await startScene()
    const { world } = scene
    addCommit(world, { parents: [], files: ['src/first.ts'] })
    for (let at = 1; at < row.count; at++) addCommit(world, { files: [`src/${at}.ts`] })
    const { since, lines, end } = await sinceOf(scene, schedule)
    expect(since).toBe(`${row.since} (this step has no earlier job)`)
    expect(lines.filter((line) => line.startsWith('modified '))).toHaveLength(row.shown)
    expect(end.outputs['source-authors']).toBe('')
  })

  it('since the next base, which the block says, if the commit of the last job is gone', async () => {
    const scene = await startScene()
    await scene.push(J1)
    scene.github.faults.push({ match: RegExp(`compare/${short(tip(scene))}`), end: '404' })
    addCommit(scene.world, { files: ['src/b.ts'] })
    const { since } = await sinceOf(scene, schedule)
    expect(since).toMatch(/the first commit \(the commit of this step's last job/)
  })
})

describe('a release', () => {
  /** Sets tags on commits of their own, and one that is released. */
  async function startRelease(tag: string, others: string) {
    const scene = await startScene()
    for (const name of others.split(' '))
      scene.world.tags.set(name, addCommit(scene.world, { files: ['src/a.ts'] }).sha)
    scene.world.tags.set(tag, addCommit(scene.world, { files: ['src/b.ts'] }).sha)
    return scene
  }

  it.each([
    { tag: 'v1.10.0', tags: 'v1.2.0 v1.9.3 v1.11.0 v2.0.0', before: 'v1.9.3' },
    { tag: '@a/b@1.1.0', tags: '@a/c@1.0.9 @a/b@1.0.0 v1.0.5', before: '@a/b@1.0.0' },
    { tag: 'i18n-v1.2', tags: 'i18n-v1.1 v1.1.5', before: 'i18n-v1.1' },
    { tag: 'v2.0.0', tags: 'v2.0.0-rc.10 v1.9.0 v1.10.0-beta.1', before: 'v1.9.0' },
    { tag: 'v2.0.0-rc.10', tags: 'v2.0.0-rc.9 v2.0.0-beta.3 v1.9.0', before: 'v2.0.0-rc.9' },
    { tag: '3.9.0rc2', tags: '3.9.0rc1 3.9.0 3.9.0b4', before: '3.9.0rc1' },
    { tag: 'v0.5.10.post1', tags: 'v0.5.10 v0.5.10rc0 v0.5.9', before: 'v0.5.10' },
    { tag: 'v1.2.0-hotfix.1', tags: 'v1.2.0 v1.2.0-rc.1 v1.1.0', before: 'v1.2.0' },
    { tag: 'v1.28.5+k3s2', tags: 'v1.28.5+k3s1 v1.28.5-rc1+k3s1', before: 'v1.28.5+k3s1' },
    { tag: '2026.02.1', tags: '2026.01.30 2025.12.1', before: '2026.01.30' },
    { tag: 'v4.0.0', tags: 'v4 v3 v3.9.0 v4.1.0', before: 'v3.9.0' },
    { tag: 'v1.0.0', tags: 'v1.0.0-rc.1 v1.1.0 other-v0.9.0', before: 'none' },
    { tag: 're2-supervisor-b', tags: 're2-supervisor-a', before: 'none' },
  ])('$tag is compared with $before, of $tags', async ({ tag, tags, before }) => {
    const scene = await startRelease(tag, tags)
    const { since, compared } = await sinceOf(scene, release(tag, '2026-03-01T00:00:00Z'))
    expect([since, compared]).toEqual([before, before === 'none' ? [] : [`${before}...${tag}`]])
  })

  it('is compared with a version on another commit, among thousands of other tags', async () => {
    const scene = await startScene()
    const { tags } = scene.world
    for (let patch = 0; patch < 2000; patch++) tags.set(`b@2.0.${patch}`, BEFORE)
    tags.set('a@1.0.0', BEFORE)
    const { sha } = addCommit(scene.world, { files: ['src/b.ts'] })
    for (const name of ['a@1.0.1', 'a@1.1.0-rc.1', 'a@1.1.0']) tags.set(name, sha)
    const { since, end } = await sinceOf(scene, release('a@1.1.0', '2026-03-01T00:00:00Z'))
    expect(since).toBe('a@1.0.0')
    expect(end.requests.filter((line) => line.includes('/git/'))).toHaveLength(1)
  })

  it("that isn't a version is compared with the newest one published before it", async () => {
    const scene = await startScene()
    addReleases(scene, { winter: 0, autumn: 1, summer: 2, spring: 3 })
    const at = time(scene.world.now() - DAY_MS)
    expect((await sinceOf(scene, release('autumn', at))).since).toBe('summer')
  })

  it('that is the first of its prefix is about its own commit', async () => {
    const scene = await startRelease('pkg@1.0.0', 'v0.9.0')
    const { lines } = await sinceOf(scene, release('pkg@1.0.0', '2026-03-01T00:00:00Z'))
    const text = lines.join('\n')
    expect([text.includes('src/b.ts'), text.includes('src/a.ts')]).toEqual([true, false])
    expect(text).toContain('These are the notes.')
  })

  it('on the commit of the last job is about the notes alone', async () => {
    const scene = await startScene()
    await scene.push(J1)
    scene.world.tags.set('v1.0.0', tip(scene))
    const { lines, compared } = await sinceOf(scene, release('v1.0.0', '2026-03-01T00:00:00Z'))
    const text = lines.join('\n')
    expect([text.includes('These are the notes.'), text.includes('src/')]).toEqual([true, false])
    expect(compared).toEqual([])
  })

  it('without a file inside `paths` starts no job, though the one before left `main`', async () => {
    const { step, inputs, world } = await startScene()
    world.tags.set('v1.0.0', addCommit(world, { branch: '1.x', files: ['sdk/a.ts'] }).sha)
    world.tags.set('v1.1.0', addCommit(world, { files: ['app/a.ts'] }).sha)
    const on = release('v1.1.0', '2026-03-01T00:00:00Z')
    expectSkip(await step(on, { inputs: { ...inputs, paths: 'sdk/**' } }), '`paths`')
  })
})
