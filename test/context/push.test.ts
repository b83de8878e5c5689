import { describe, expect, it } from 'vitest'
import { type Scene, sceneStarter } from '../support/decisions.ts'
import { type Event, event, push, pushBy } from '../support/events.ts'
import { AFTER, addCommit, addPull, addStatus, BEFORE, mergePull } from '../support/world.ts'
import { COMPARE, COMPARED, COMPARISON, RUN, tell } from './told.ts'

const newScene = sceneStarter()
const HEAD = ['Repository: acme/docs', 'Event: push', 'Branch: main', RUN]

/** A GitHub that compares the ends of a push by two people. */
async function pushScene(change: object = {}): Promise<Scene> {
  const scene = await newScene()
  scene.world.comparisons.set(`${BEFORE}...${AFTER}`, { ...COMPARISON, ...change })
  return scene
}

const pushed = pushBy('octocat', 'octocat')

describe('a push', () => {
  it('is told with what GitHub compares', async () => {
    const told = await tell(await pushScene(), { event: pushed })
    expect(told).toEqual({ lines: [...HEAD, ...COMPARED], requests: [COMPARE], logged: [] })
  })

  it('is told with the headers of its files alone where only those are wanted', async () => {
    const { lines } = await tell(await pushScene(), { event: pushed, inputs: { context: 'files' } })
    expect(lines).toEqual([...HEAD, ...COMPARED.slice(0, -2)])
  })

  it('whose commits cancel out changed no files', async () => {
    const { lines } = await tell(await pushScene({ files: [] }), { event: pushed })
    expect(lines.slice(5)).toEqual([...COMPARED.slice(1, 5), 'Changed files: none'])
  })

  it.each([
    [1, '1 commit is'],
    [3, '3 commits are'],
  ])('that was forced says how many commits are gone: %d', async (behind_by, words) => {
    const scene = await pushScene({ status: 'diverged', behind_by })
    const { lines } = await tell(scene, {
      event: { ...pushed, payload: { ...pushed.payload, forced: true } },
    })
    expect(lines[5]).toBe(`Forced push: ${words} gone from the branch`)
  })

  it('has the merged pull requests that its commits came in, whose commits are told by their subjects', async () => {
    const { world, ...scene } = await newScene()
    const labels = [{ name: 'feature' }, { name: 'cli' }]
    const body = 'Shows what would be done.\n\n<!-- template -->'
    const pull = addPull(world, { number: 7, title: 'Add --dry-run', body, labels, files: ['src/ship.ts'] })
    const [sha = ''] = mergePull(world, pull, { how: 'squash' })
    const message = 'Add --dry-run (#7)\n\nShows what would be done.'
    const commits = [{ id: sha, message, author: { username: 'octocat' } }]
    const made: Event = {
      name: 'push',
      payload: { ref: 'refs/heads/main', before: BEFORE, after: sha, commits },
    }
    const { lines, requests } = await tell({ world, ...scene }, { event: made })
    expect(lines.slice(4)).toEqual([
      expect.stringMatching(/^Compare: /),
      'Merged pull request #7: Add --dry-run (https://github.com/acme/docs/pull/7, by octocat, labels: feature, cli):',
      '  Shows what would be done.',
      'Commits:',
      `- ${sha.slice(0, 7)} Add --dry-run (#7)`,
      'Changed files: 1 (+103 -21), first what readers would notice',
      'modified src/ship.ts (+103 -21) (GitHub shows no diff)',
    ])
    expect(requests).toEqual([expect.stringMatching(/^GET \/compare\//)])
  })

  describe('after a job of this step', () => {
    const older = 'e'.repeat(40)
    const context = 'Docs agent: docs (docs.yml, docs, agent)'

    async function sceneWithJob(state: string): Promise<Scene> {
      const scene = await pushScene()
      const { world } = scene
      world.commits.clear()
      addCommit(world, { sha: older, parents: [] })
      addCommit(world, { sha: BEFORE, parents: [older] })
      addStatus(world, older, {
        context,
        state,
        description: 'Done (job_1)',
        created_at: '2026-03-01T06:30:00Z',
      })
      world.comparisons.set(`${older}...${AFTER}`, {
        ...COMPARISON,
        html_url: 'https://github.com/older...b',
      })
      return scene
    }

    it('is told since then: what was pushed in between, and dropped or skipped, is told, too', async () => {
      const { lines, requests } = await tell(await sceneWithJob('success'), { event: pushed })
      expect(lines.slice(4, 6)).toEqual([
        "Changes since: this step's last job (commit eeeeeee, 2026-03-01T06:30Z)",
        'Compare: https://github.com/older...b',
      ])
      expect(requests).toEqual(['GET /compare/eeeeeee...bbbbbbb'])
    })

    it('is told since the push before, where that job failed or the step has no memory', async () => {
      const failed = await tell(await sceneWithJob('failure'), { event: pushed })
      const forgotten = await tell(await sceneWithJob('success'), {
        event: pushed,
        inputs: { 'follow-up': 'false' },
      })
      expect([failed.requests, forgotten.requests]).toEqual([[COMPARE], [COMPARE]])
    })
  })

  it('of more files than GitHub compares is asked for in two parts', async () => {
    const scene = await newScene()
    const middle = 'c'.repeat(40)
    const filesOf = (...names: readonly string[]) =>
      names.map((filename) => ({
        filename,
        status: 'modified',
        additions: 1,
        deletions: 0,
        changes: 1,
        patch: `+${filename}`,
      }))
    const first = Array.from({ length: 300 }, (_, index) => `a${index}.ts`)
    const sides = ['1', '2'].map((sha) => ({ sha, url: 'https://github.com/' }))
    const commits = [
      { sha: '1'.repeat(40) },
      { sha: middle, parents: sides },
      { sha: '3'.repeat(40) },
      { sha: AFTER },
    ]
    const { comparisons } = scene.world
    comparisons.set(`${BEFORE}...${AFTER}`, { commits, total_commits: 4, files: filesOf(...first) })
    comparisons.set(`${BEFORE}...${middle}`, { behind_by: 0, files: filesOf('a1.ts', 'y.ts', 'z.ts') })
    comparisons.set(`${middle}...${AFTER}`, { files: filesOf('a2.ts', 'x.ts', 'z.ts') })
    const { lines, requests } = await tell(scene, { event: pushed })
    expect(requests).toEqual([COMPARE, 'GET /compare/aaaaaaa...ccccccc', 'GET /compare/ccccccc...bbbbbbb'])
    expect(lines).toContain('Changed files: 303 or more (+304 -0), first what readers would notice')
    const at = lines.indexOf('modified z.ts (+2 -0)')
    expect(lines.slice(at + 1, at + 3)).toEqual(['+z.ts', '+z.ts'])
    // A commit that lacks something of the base would tell it as a part of the change.
    comparisons.set(`${BEFORE}...${middle}`, { behind_by: 1, files: filesOf('wrong.ts') })
    expect((await tell(scene, { event: pushed })).lines).toContain(
      'Changed files: 300 or more (+300 -0), first what readers would notice',
    )
  })

  it('has renamed files told as changed where GitHub withholds diffs', async () => {
    const renamed = {
      status: 'renamed',
      previous_filename: 'a.ts',
      filename: 'b.ts',
      additions: 0,
      deletions: 0,
      changes: 0,
    }
    const withheld = { filename: 'c.ts', status: 'modified', additions: 0, deletions: 0, changes: 0 }
    const image = { ...withheld, filename: 'logo.png' }
    const filesTold = async (...files: readonly object[]): Promise<readonly string[]> =>
      (await tell(await pushScene({ files }), { event: pushed })).lines.slice(10)
    expect(await filesTold(renamed, image)).toEqual([
      'renamed a.ts to b.ts',
      'modified logo.png (GitHub shows no diff)',
    ])
    expect(await filesTold(renamed, withheld)).toEqual([
      'renamed a.ts to b.ts (GitHub shows no diff)',
      'modified c.ts (GitHub shows no diff)',
    ])
  })

  it('of a new branch has what the payload has, and asks nobody', async () => {
    const commits = [{ id: AFTER, message: 'Add', added: ['a.ts'], modified: ['b.ts'], removed: ['c.ts'] }]
    const made = push({ ref: 'refs/heads/x', created: true, before: '0'.repeat(40), after: AFTER, commits })
    const { lines, requests } = await tell(await newScene(), { event: made })
    expect(lines.slice(2)).toEqual([
      'Branch: x',
      RUN,
      'Commits:',
      '- bbbbbbb Add',
      'Changed files: 3, first what readers would notice; a new branch has nothing to be compared with',
      'added a.ts',
      'modified b.ts',
      'removed c.ts',
    ])
    expect(requests).toEqual([])
  })

  it('of a tag is compared with the version before it', async () => {
    const scene = await newScene()
    for (const name of ['v1.9.0', 'v1.10.0', 'v1.9.1', 'v2.0.0', 'web/v1.9.9'])
      scene.world.tags.set(name, BEFORE)
    scene.world.comparisons.set('v1.9.1...v1.10.0', COMPARISON)
    const tag = push({
      ref: 'refs/tags/v1.10.0',
      created: true,
      before: '0'.repeat(40),
      after: AFTER,
      commits: [],
    })
    const { lines, requests } = await tell(scene, { event: tag })
    expect(lines.slice(2)).toEqual(['Tag: v1.10.0', RUN, 'Tag before: v1.9.1', ...COMPARED])
    expect(requests).toEqual(['GET /git/matching-refs/tags/v', 'GET /compare/v1.9.1...v1.10.0'])
  })

  it('of a tag without a version before it says so', async () => {
    const tag = push({
      ref: 'refs/tags/1.0.0',
      created: true,
      before: '0'.repeat(40),
      after: AFTER,
      commits: [],
    })
    const { lines } = await tell(await newScene(), { event: tag })
    expect(lines.slice(4)).toEqual([
      'Tag before: none',
      'Changed files: not known: there is nothing to compare with',
    ])
  })

  it('without a payload, as in a local run, says nothing of changes', async () => {
    const { lines, requests } = await tell(await newScene(), { event: { name: 'push', payload: {} } })
    expect(lines.slice(2)).toEqual([
      'Branch: main',
      RUN,
      'Changed files: not known: the payload names no commit to compare',
    ])
    expect(requests).toEqual([])
  })

  it.each([
    [
      'a permission is missing',
      /^notice: Failed to compare two commits: GitHub returned 403.*`contents: read`.*The agent is not told/,
    ],
    [
      'GitHub is down',
      /^warning: .*compare two commits: GitHub returned 500\. The agent is not told the commits, files and diff/,
    ],
    ['GitHub sends HTML', /^warning: .*compare two commits: /],
    [
      'there is no common ancestor',
      /^warning: .*returned 404 \("No common ancestor[^)]*"\)\. The agent is not told/,
    ],
  ])('has what the payload has where %s, and says it', async (why, annotation) => {
    const scene = await newScene()
    const fail = (status: number, body: unknown) =>
      scene.github.faults.push({ match: /compare/, end: { status, body } })
    if (why === 'a permission is missing') fail(403, { message: 'Resource not accessible by integration' })
    if (why === 'GitHub is down') fail(500, {})
    if (why === 'GitHub sends HTML') fail(200, '<html>')
    if (why.startsWith('there')) fail(404, { message: 'No common ancestor between a and b.' })
    const { lines, logged } = await tell(scene, { event: pushed })
    expect(lines.slice(4, -1)).toEqual([
      'Compare: https://github.com/acme/docs/compare/a...b',
      'Commits:',
      '- bbbbbbb Change 1',
      '  with details',
      '- 1111111 Change 0',
      '  with details',
    ])
    expect(lines.at(-1)).toMatch(/^Changed files: not known: \S/)
    expect(logged).toEqual([expect.stringMatching(annotation)])
  })
})

describe('a schedule or dispatch', () => {
  const context = 'Docs agent: docs (docs.yml, docs, agent)'
  const env = { GITHUB_SHA: AFTER }
  const schedule: Event = { name: 'schedule', payload: {} }
  const job = { context, state: 'success', description: 'Done (job_1)', created_at: '2026-03-01T06:30:00Z' }
  const run = {
    workflow: 'docs.yml',
    head_branch: 'main',
    conclusion: 'success',
    head_sha: BEFORE,
    created_at: '2026-03-01T06:30:00Z',
    html_url: 'https://github.com/acme/docs/actions/runs/900',
  }

  async function sceneOf({ world, ...scene }: Scene): Promise<Scene> {
    addCommit(world, { sha: AFTER, parents: [BEFORE] })
    world.comparisons.set(`${BEFORE}...${AFTER}`, COMPARISON)
    return { world, ...scene }
  }

  it.each(['schedule', 'workflow_dispatch', 'repository_dispatch'])(
    "is told what has changed since this step's last job: %s",
    async (name) => {
      const scene = await sceneOf(await newScene())
      addStatus(scene.world, BEFORE, job)
      const { lines, requests } = await tell(scene, { event: { ...schedule, name }, env })
      expect(lines.slice(3)).toEqual([
        RUN,
        "Changes since: this step's last job (commit aaaaaaa, 2026-03-01T06:30Z)",
        ...COMPARED,
      ])
      expect(requests).toEqual([COMPARE])
    },
  )

  it('is told what has changed since this workflow last succeeded, where the step had no job', async () => {
    const scene = await sceneOf(await newScene())
    scene.world.runs.push(run)
    const { lines } = await tell(scene, { event: schedule, env })
    expect(lines.slice(4, 6)).toEqual([
      'Changes since: this workflow last succeeded on this branch (2026-03-01T06:30:00Z, https://github.com/acme/docs/actions/runs/900)',
      COMPARED[0],
    ])
  })

  it('says that nothing has changed, and asks nobody', async () => {
    const scene = await sceneOf(await newScene())
    addStatus(scene.world, AFTER, job)
    const { lines, requests } = await tell(scene, { event: schedule, env })
    expect(lines.slice(4)).toEqual([
      "Changes since: this step's last job (commit bbbbbbb, 2026-03-01T06:30Z)",
      'Changed files: none',
    ])
    expect(requests).toEqual([])
  })

  it.each([
    ['neither this step nor this workflow has succeeded on this branch before', {}],
    ['this run is not on a branch', { GITHUB_REF: 'refs/tags/v1' }],
  ])('says that it is not known, and why: %s', async (why, more) => {
    const { lines } = await tell(await sceneOf(await newScene()), {
      event: schedule,
      env: { ...env, ...more },
    })
    expect(lines.slice(4)).toEqual([`Changed files: not known: ${why}`])
  })

  it('says that it is not known where GitHub fails', async () => {
    const scene = await sceneOf(await newScene())
    scene.github.faults.push({ match: /runs|graphql|compare/, end: { status: 502, body: {} } })
    const { lines } = await tell(scene, { event: schedule, env })
    expect(lines.slice(4)).toEqual(['Changed files: not known: GitHub returned 502'])
  })
})

describe('a release', () => {
  const release = (tag: string) =>
    event('release', {
      action: 'published',
      release: {
        tag_name: tag,
        name: `Ship ${tag}`,
        body: 'Notes <!-- x -->',
        html_url: 'https://github.com/acme/docs/releases/1',
      },
    })
  const told = (tag: string) => [
    `Release: Ship ${tag}`,
    `Tag: ${tag}`,
    'URL: https://github.com/acme/docs/releases/1',
  ]

  it('is told with what has changed since the release before it', async () => {
    const scene = await newScene()
    for (const tag_name of ['pkg@1.1.0', 'other@1.0.9', 'pkg@1.0.0'])
      scene.world.releases.push({ tag_name, draft: false })
    scene.world.comparisons.set('pkg@1.0.0...pkg@1.1.0', COMPARISON)
    const { lines, requests } = await tell(scene, { event: release('pkg@1.1.0') })
    expect(lines.slice(2)).toEqual([
      RUN,
      ...told('pkg@1.1.0'),
      'Release before: pkg@1.0.0',
      COMPARED[0],
      'Notes:',
      '  Notes',
      ...COMPARED.slice(1),
    ])
    expect(requests).toEqual(['GET /releases', 'GET /compare/pkg@1.0.0...pkg@1.1.0'])
  })

  it('is not compared with a release on the same commit', async () => {
    const scene = await newScene()
    for (const tag_name of ['v1.1.0-rc.1', 'v1.0.0']) scene.world.releases.push({ tag_name, draft: false })
    scene.world.comparisons.set('v1.1.0-rc.1...v1.1.0', {
      ...COMPARISON,
      status: 'identical',
      commits: [],
      files: [],
    })
    scene.world.comparisons.set('v1.0.0...v1.1.0', COMPARISON)
    const { lines } = await tell(scene, { event: release('v1.1.0') })
    expect(lines).toContain('Release before: v1.0.0')
  })

  it.each([
    ['of a package is the first one', 'none', 'there is nothing to compare with', []],
    [
      'can not be looked up',
      'not known',
      'GitHub returned 502',
      [expect.stringMatching(/^warning: Failed to list the releases/)],
    ],
  ])('that %s says so', async (what, before, why, logged) => {
    const scene = await newScene()
    if (what.startsWith('can'))
      scene.github.faults.push({ match: /releases/, end: { status: 502, body: {} } })
    const known = await tell(scene, { event: release('pkg@1.0.0') })
    expect(known.lines.slice(6)).toEqual([
      `Release before: ${before}`,
      'Notes:',
      '  Notes',
      `Changed files: not known: ${why}`,
    ])
    expect(known.logged).toEqual(logged)
  })
})
