import { describe, expect, it } from 'vitest'
import { bareEvent, event, push, pushBy, pushTo } from '../support/events.ts'
import { type Harness, startHarness } from '../support/harness.ts'
import { AFTER, addCommit, addPull, BEFORE, commitOf, mergePull } from '../support/world.ts'
import { addJob, COMPARE, COMPARED, COMPARISON, contextOf, RUN } from './describe-run.ts'

const ofNewRef = { created: true, before: '0'.repeat(40), after: AFTER }
const JOB = "Changes since: this step's last job"

/** A GitHub that compares the ends of a push by two people. */
async function pushScene(change: object = {}): Promise<Harness> {
  const scene = await startHarness()
  scene.world.comparisons.set(`${BEFORE}...${AFTER}`, { ...COMPARISON, ...change })
  return scene
}

const pushed = pushBy('octocat', 'octocat')

describe('a push', () => {
  it.each([
    [false, []],
    [true, ['Forced push: commits were removed from the branch']],
  ])('is told with what GitHub compares, and that it was forced: %s', async (forced, words) => {
    const made = { ...pushed, payload: { ...pushed.payload, forced } }
    const told = await contextOf(await pushScene({ behind_by: forced ? 3 : 0 }), made)
    const [compared, ...changes] = COMPARED
    const lines = ['Repository: acme/docs', 'Event: push', 'Branch: main', RUN, compared]
    lines.push(...words, ...changes)
    expect(told).toMatchObject({ lines, requests: [COMPARE], logged: [] })
    expect(told.counts).toBe('2 commits, 1 file')
  })

  it('has the merged pull requests that its commits and those of dropped pushes came in, newest first, and names those that need no documentation', async () => {
    const scene = await startHarness()
    const { world } = scene
    addJob(scene, BEFORE)
    const merge = (number: number, ...labels: string[]) => {
      const text = { title: `Change ${number}`, body: `Why ${number}.\n\n<!-- template -->` }
      const named = labels.map((name) => ({ name }))
      const pull = addPull(world, { number, ...text, labels: named, files: ['src/ship.ts'] })
      const [sha = ''] = mergePull(world, pull)
      const message = `Change ${number} (#${number})\n\nWhy ${number}.`
      world.commits.set(sha, { ...commitOf(world, sha), message })
      return { id: sha, message }
    }
    const dropped = merge(7)
    const commits = [merge(8, 'No-Docs'), merge(9, 'feature', 'cli'), merge(10, 'no-docs')]
    const payload = { ref: 'refs/heads/main', before: dropped.id, after: commits[2]?.id, commits }
    const { lines, counts } = await contextOf(scene, { name: 'push', payload })
    const title = (number: number, labels = '') =>
      `Merged pull request #${number}: Change ${number} (https://github.com/acme/docs/pull/${number}, by octocat${labels}):`
    expect(counts).toBe('4 commits, 1 file, 2 merged pull requests')
    expect(lines.slice(6)).toEqual([
      "Pull requests that don't need documentation (ignore their changes): #10, #8",
      ...[title(9, ', labels: feature, cli'), '  Why 9.', title(7), '  Why 7.', 'Commits:'],
      ...[10, 9, 8, 7].map((number) =>
        expect.stringMatching(RegExp(`^- .{7} Change ${number} \\(#${number}\\)$`)),
      ),
      'Changed files: 1 (+103 -21), 1 without a diff, first what readers would notice',
      'modified src/ship.ts (+103 -21) (no diff)',
    ])
  })

  it.each([
    ["this step's last job", 'success', 'true', 'aaaaaaa'],
    ['the push before, where that job failed', 'failure', 'true', 'dropped'],
    ["this step's last job, with `follow-up: false`, too", 'success', 'false', 'aaaaaaa'],
    ['the push before, where that is where the job was', 'success', 'true', 'before'],
  ])('is told since %s', async (_since, state, followUp, base) => {
    const scene = await startHarness()
    addJob(scene, BEFORE, { state })
    const dropped = base === 'before' ? BEFORE : addCommit(scene.world).sha
    const event = pushTo(scene.world)
    const { lines, requests } = await contextOf(scene, event, { 'follow-up': followUp })
    const isJob = base === 'aaaaaaa'
    expect(lines[4]).toMatch(isJob ? `${JOB} (commit ${base}, 2026-03-01T06:30Z)` : /^Compare: /)
    const compared = `GET /compare/${isJob ? base : dropped.slice(0, 7)}...`
    expect(requests).toEqual([expect.stringContaining(compared)])
  })

  it.each([
    { type: 'NOT_FOUND', logged: [] },
    { type: 'INTERNAL', logged: [expect.stringMatching(/^warning: .*commits' pull requests/)] },
  ])(
    'names no pull request for a number in a subject that is not one ($type)',
    async ({ type, logged }) => {
      const scene = await startHarness()
      const fix = addCommit(scene.world, { message: 'Fix issue (#999)' })
      const commits = [
        { id: 'c'.repeat(40), message: 'Gone' },
        { id: fix.sha, message: fix.message },
      ]
      const repository = { c0: null, c1: { associatedPullRequests: { nodes: [] } }, p1: null }
      const errors = [{ type, message: 'No.', path: ['repository', 'p1'] }]
      const body = { data: { repository }, errors }
      scene.github.faults.push({ match: /MergedPulls/, end: { status: 200, body } })
      const made = push({ before: BEFORE, after: fix.sha, created: false, commits })
      const told = await contextOf(scene, made)
      expect(told.lines).toContain(`- ${fix.sha.slice(0, 7)} Fix issue (#999)`)
      expect(told.lines.join()).not.toContain('Merged pull request')
      expect(told.logged).toEqual(logged)
    },
  )

  it.each([
    {
      what: 'the default branch',
      ref: 'refs/heads/flag',
      base: 'main',
      since: 'the branch left main',
    },
    { what: 'its first commit', ref: 'refs/heads/main', base: BEFORE, since: 'the first commit' },
  ])('of a new branch is compared with $what', async ({ ref, base, since }) => {
    const scene = await startHarness()
    scene.world.comparisons.set(`${base}...${AFTER}`, COMPARISON)
    const commits = [BEFORE, AFTER].map((id) => ({ id, message: 'Add' }))
    const { lines } = await contextOf(scene, push({ ...ofNewRef, ref, commits }))
    expect(lines.slice(4, 6)).toEqual([`Changes since: ${since}`, COMPARED[0]])
    expect(lines).toContain(`- ${base === 'main' ? '1111111 Add a flag' : 'aaaaaaa Add'}`)
  })

  it('of a tag is compared with the version before it', async () => {
    const scene = await startHarness()
    const { tags, comparisons } = scene.world
    for (const name of ['v1.9.0', 'v1.10.0', 'v1.9.1', 'v2.0.0', 'web/v1.9.9'])
      tags.set(name, BEFORE)
    comparisons.set('v1.9.1...v1.10.0', COMPARISON)
    const made = push({ ...ofNewRef, ref: 'refs/tags/v1.10.0', commits: [] })
    const { lines, requests } = await contextOf(scene, made)
    expect(lines.slice(2)).toEqual(['Tag: v1.10.0', RUN, 'Tag before: v1.9.1', ...COMPARED])
    expect(requests).toEqual(['GET /git/matching-refs/tags/v', 'GET /compare/v1.9.1...v1.10.0'])
  })

  const tip = { id: AFTER, message: 'Add' }
  it.each([
    [
      push({ ...ofNewRef, ref: 'refs/tags/1.0.0', commits: [], head_commit: tip }),
      ['Tag: 1.0.0', RUN, 'Tag before: none'],
      '1 commit',
    ],
    [bareEvent('push'), ['Branch: main', RUN], ''],
  ])('without a base has the commits of its payload: case %#', async (made, head, count) => {
    const { lines, counts, logged } = await contextOf(await startHarness(), made)
    const commits = count && ['Commits:', '- bbbbbbb Add']
    const files = 'Changed files: not known: there is nothing to compare with'
    expect(lines.slice(2)).toEqual([...head, ...commits, files])
    expect(counts).toContain(count ? `${count}, an unknown number of files` : 'no changes')
    expect(logged).toEqual([])
  })

  it.each([
    { status: 403, body: { message: 'No' }, why: 'GitHub returned 403 ("No")' },
    // No change of no files.
    { status: 200, body: { files: [] }, why: 'GitHub returned no comparison' },
  ])('has what the payload has and says so if "$why"', async ({ status, body, why }) => {
    const scene = await startHarness()
    scene.github.faults.push({ match: /compare/, end: { status, body } })
    const { lines, logged, counts } = await contextOf(scene, pushed)
    const commits = ['- bbbbbbb Change 1', '  with details', '- 1111111 Change 0', '  with details']
    const files = `Changed files: not known: ${why}`
    expect(lines.slice(4)).toEqual([COMPARED[0], 'Commits:', ...commits, files])
    expect(counts).toBe('2 commits, an unknown number of files')
    const cause = status === 403 ? "doesn't grant `contents: read`" : why
    const warning = RegExp(`^warning: .*${cause}, so the prompt lacks the files and diff\\.`)
    expect(logged).toEqual([expect.stringMatching(warning)])
  })

  it('leaves the run its prompt, and says what the agent lacks, where GitHub returns unexpected data', async () => {
    const scene = await pushScene()
    const body = { commits: [], files: [{ filename: 5, status: 'modified', patch: 5 }] }
    scene.github.faults.push({ match: /compare/, end: { status: 200, body } })
    const { lines, logged } = await contextOf(scene, pushed)
    expect(lines.at(-1)).toContain('Changed files: not known: GitHub returned unexpected data (')
    const said =
      /^warning: Could not read what has changed: GitHub returned unexpected data .*, so the prompt/
    expect(logged).toEqual([expect.stringMatching(said)])
  })
})

describe('a schedule or dispatch', () => {
  const schedule = bareEvent('schedule')

  /** The same, with a job on a commit if that is given. */
  async function scheduleScene(jobSha?: string): Promise<Harness> {
    const scene = await pushScene()
    addCommit(scene.world, { sha: AFTER, parents: [BEFORE] })
    if (jobSha) addJob(scene, jobSha)
    return scene
  }

  it.each([
    ['what has changed', BEFORE, COMPARED, [COMPARE]],
    ['that nothing has, and asks nobody', AFTER, ['Changed files: none'], []],
  ])("is told, since this step's last job, %s", async (_what, sha, changes, requests) => {
    const scene = await scheduleScene(sha)
    const told = await contextOf(scene, schedule)
    const since = `${JOB} (commit ${sha.slice(0, 7)}, 2026-03-01T06:30Z)`
    expect([told.lines.slice(3), told.requests]).toEqual([[RUN, since, ...changes], requests])
  })

  const LIST = ['GET /releases', 'GET /commits']

  /** Adds releases, the newest last, that the branch is so many commits ahead of. */
  function addReleases({ world }: Harness, ahead: Readonly<Record<string, number>>): void {
    for (const [index, [tag_name, total_commits]] of Object.entries(ahead).entries()) {
      const kind = { draft: tag_name === 'draft', prerelease: tag_name === 'rc' }
      const published_at = new Date(Date.UTC(2026, 0, index + 1)).toISOString()
      world.releases.push({ tag_name, published_at, ...kind })
      world.comparisons.set(`${tag_name}...${AFTER}`, { ...COMPARISON, total_commits })
    }
  }

  it.each([
    { ahead: { v1: 3, v2: 3 }, compared: ['v2'] },
    { ahead: { v1: 250, same: 0 }, compared: ['same', 'v1'] },
    { ahead: { v1: 250, far: 251 }, compared: ['far', 'v1'] },
    { ahead: { v1: 3, draft: 3, rc: 3 }, compared: ['v1'] },
  ])(
    'without a job is compared with the newest release that is 1 to 250 commits back: $ahead',
    async ({ ahead, compared }) => {
      const scene = await scheduleScene()
      addReleases(scene, ahead)
      const { lines, requests } = await contextOf(scene, schedule)
      const words = `the release ${compared.at(-1)} (this step has no earlier job)`
      expect(lines.slice(4, 6)).toEqual([`Changes since: ${words}`, COMPARED[0]])
      expect(requests).toEqual([LIST[0], ...compared.map((tag) => `GET /compare/${tag}...bbbbbbb`)])
    },
  )

  it('says that it gave up after 10 releases, and when 300 prereleases hide all others', async () => {
    const scene = await scheduleScene()
    addReleases(scene, Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`v${at}`, 0])))
    const tried = await contextOf(scene, schedule)
    expect(tried.lines[5]).toBe('Tried of the newest releases: 10')
    expect(tried.requests).toHaveLength(13)
    const one = { published_at: '2026-03-01T00:00:00Z', draft: false, prerelease: true }
    scene.world.releases.splice(0, 12, ...Array(320).fill({ ...one, tag_name: 'nightly' }))
    const hidden = await contextOf(scene, schedule)
    expect(hidden.lines[4]).toMatch(/^Changes since: the first commit/)
    expect(hidden.logged).toEqual([expect.stringContaining('none of the newest 300 releases')])
  })

  it.each([
    { count: 12, since: '10 commits before', shown: 10 },
    { count: 10, since: 'the first commit', shown: 9 },
    { count: 1, since: 'the start of the branch, which has one commit', shown: 1 },
  ])(
    'of a branch of $count commits without a job or release is told since $since, and names nobody',
    async ({ count, since, shown }) => {
      const scene = await startHarness()
      const { world } = scene
      world.commits.clear()
      addCommit(world, { parents: [], files: ['src/first.ts'] })
      for (let at = 1; at < count; at++) addCommit(world, { files: [`src/${at}.ts`] })
      const { lines, outputs } = await contextOf(scene, schedule)
      expect(lines[4]).toBe(`Changes since: ${since} (this step has no earlier job)`)
      for (const mark of ['- ', 'modified '])
        expect(lines.filter((line) => line.startsWith(mark))).toHaveLength(shown)
      expect(outputs['source-authors']).toBe('')
    },
  )

  it('whose last job is unknown says so, and not that there is none', async () => {
    const scene = await scheduleScene()
    scene.world.scopes.delete('statuses: write')
    const { lines } = await contextOf(scene, schedule, { 'follow-up': 'false' })
    expect(lines[4]).toMatch(/^Changes since: the first commit \(the last job is unknown: GitHub /)
  })

  it("whose last job's commit is gone is compared with the next base, with a warning", async () => {
    const scene = await scheduleScene(BEFORE)
    scene.github.faults.push(
      { match: /compare.aaaaaaa/, end: { status: 404, body: {} }, times: 1 },
      // The first failure is reported.
      { match: /releases/, end: { status: 502, body: {} } },
    )
    const { lines, logged } = await contextOf(scene, schedule)
    expect(lines[4]).toMatch(/^Changes since: the first commit \(the changes since .* could not be/)
    const lack =
      /this step's last job: GitHub returned 404, so the prompt may not include all changes/
    expect(logged).toEqual([expect.stringMatching(lack)])
  })

  it('has the commits that could be listed, though they could not be compared, with one warning', async () => {
    const scene = await scheduleScene()
    addReleases(scene, { v1: 3, v2: 3 })
    scene.github.faults.push({ match: /compare/, end: { status: 502, body: {} } })
    const { lines, logged, requests } = await contextOf(scene, schedule)
    // Another release would fail again.
    expect(requests.join()).not.toContain('v1')
    expect(lines.slice(4)).toEqual([
      'Changes since: the first commit (this step has no earlier job)',
      'Commits:',
      expect.stringMatching(/^- bbbbbbb /),
      'Changed files: not known: GitHub returned 502',
    ])
    expect(logged).toEqual([
      expect.stringMatching(/502, so the prompt lacks the files and diff\.$/),
    ])
  })

  it('that follows a workflow on a branch is told what has changed there up to its commit', async () => {
    const scene = await scheduleScene(BEFORE)
    const head_repository = { full_name: 'acme/docs' }
    const run = { event: 'push', head_branch: 'main', head_sha: AFTER, head_repository }
    const made = event('workflow_run', { action: 'completed', workflow_run: run })
    const { lines, requests } = await contextOf(scene, made)
    expect(lines).toEqual(expect.arrayContaining([`Commit: ${AFTER}`, ...COMPARED]))
    expect(requests).toEqual([COMPARE])
  })
})
