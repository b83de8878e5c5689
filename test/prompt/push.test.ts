import { describe, expect, it } from 'vitest'
import { bareEvent, event, push, pushBy, pushTo } from '../support/events.ts'
import { type Harness, startHarness } from '../support/harness.ts'
import { commitOf } from '../support/history.ts'
import { AFTER, addCommit, addPull, BEFORE, mergePull } from '../support/world.ts'
import { addJob, COMPARE, COMPARED, COMPARISON, contextOf, RUN } from './describe-run.ts'

const ofNewRef = { created: true, before: '0'.repeat(40), after: AFTER }
const RESOLVE = 'POST /graphql TagCommits'
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
  ])('has the comparison, and that it was forced: %s', async (forced, words) => {
    const made = { ...pushed, payload: { ...pushed.payload, forced } }
    const told = await contextOf(await pushScene({ behind_by: forced ? 3 : 0 }), made)
    const [compared, ...changes] = COMPARED
    const lines = ['Repository: acme/docs', 'Event: push', 'Branch: main', RUN, ...words]
    lines.push(compared ?? '', ...changes)
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
  ])('has the changes since %s', async (_since, state, followUp, base) => {
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

  it('names no pull request for a number in a subject that is not one', async () => {
    const scene = await startHarness()
    const before = addCommit(scene.world).sha
    const event = pushTo(scene.world, { message: 'Fix issue (#999)' })
    const { lines, logged } = await contextOf(scene, event)
    expect(before).not.toBe(BEFORE)
    expect(lines.join()).toContain('Fix issue (#999)')
    expect(lines.join()).not.toContain('Merged pull request')
    expect(logged).toEqual([])
  })

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
    const compared = 'GET /compare/v1.9.1...v1.10.0'
    expect(requests).toEqual(['GET /git/matching-refs/tags/v', RESOLVE, compared])
  })

  it('of the first tag of all has its commit', async () => {
    const scene = await startHarness()
    const { sha } = addCommit(scene.world, { message: 'Add', files: ['src/a.ts'] })
    addCommit(scene.world)
    const made = push({ ...ofNewRef, after: sha, ref: 'refs/tags/1.0.0', commits: [] })
    const { lines, counts, logged } = await contextOf(scene, made)
    expect(lines.slice(2, 5)).toEqual(['Tag: 1.0.0', RUN, 'Tag before: none'])
    expect(lines).toContain(`- ${sha.slice(0, 7)} Add`)
    expect(counts).toBe('1 commit, 1 file')
    expect(logged).toEqual([])
  })

  it.each([
    { what: 'a refusal', answer: { status: 403, body: { message: 'No' } } },
    // No change of no files.
    { what: 'no comparison', answer: { status: 200, body: { files: [] } } },
    { what: 'unexpected data', answer: { status: 200, body: { commits: [null], files: [] } } },
  ])("doesn't start a job if GitHub answers with $what", async ({ answer }) => {
    const scene = await pushScene()
    scene.github.faults.push({ match: /compare/, end: answer })
    const end = await scene.run({ event: pushed, inputs: { prompt: 'Document it.' } })
    expect(end).toMatchObject({ hasFailed: true, outputs: { result: 'error' }, calls: [] })
    expect(scene.world.statuses).toEqual([])
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
    ['the changes', BEFORE, COMPARED, [COMPARE]],
    ['that nothing has, and asks nobody', AFTER, ['Changed files: none'], []],
  ])("has, since this step's last job, %s", async (_what, sha, changes, requests) => {
    const scene = await scheduleScene(sha)
    const told = await contextOf(scene, schedule)
    const since = `${JOB} (commit ${sha.slice(0, 7)}, 2026-03-01T06:30Z)`
    expect([told.lines.slice(3), told.requests]).toEqual([[RUN, since, ...changes], requests])
  })

  const LIST = ['GET /releases', RESOLVE]

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
      expect(requests).toEqual([...LIST, ...compared.map((tag) => `GET /compare/${tag}...bbbbbbb`)])
    },
  )

  it('without a job is compared with the last commits after 10 releases that do not fit', async () => {
    const scene = await scheduleScene()
    addReleases(scene, Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`v${at}`, 0])))
    const { lines, requests } = await contextOf(scene, schedule)
    expect(lines[4]).toMatch(/^Changes since: the first commit/)
    expect(requests.filter((line) => line.includes('/compare/v'))).toHaveLength(10)
  })

  it.each([
    { count: 12, since: '10 commits before', shown: 10 },
    { count: 10, since: 'the first commit', shown: 9 },
    { count: 1, since: 'the start of the branch, which has one commit', shown: 1 },
  ])(
    'of a branch of $count commits without a job or release has the changes since $since, and no authors',
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

  it('with `follow-up: false` can do without the record, with a notice', async () => {
    const scene = await scheduleScene()
    scene.world.scopes.delete('statuses: write')
    const inputs = { 'follow-up': 'false', prompt: 'Document it.', wait: 'false' }
    const end = await scene.run({ event: schedule, inputs })
    expect(end).toMatchObject({ hasFailed: false, calls: ['POST /job'] })
    expect(end.log.filter((line) => /^notice: .*statuses: /.test(line))).toHaveLength(1)
  })

  it("whose last job's commit is gone is compared with the next base, which the block says", async () => {
    const scene = await scheduleScene(BEFORE)
    const end = { status: 404, body: { message: 'Not Found' } }
    scene.github.faults.push({ match: /compare.aaaaaaa/, end, times: 1 })
    const { lines, logged } = await contextOf(scene, schedule)
    expect(lines[4]).toMatch(
      /^Changes since: the first commit \(the commit of this step's last job/,
    )
    expect(logged).toEqual([])
  })

  it('that follows a workflow on a branch has the changes there up to its commit', async () => {
    const scene = await scheduleScene(BEFORE)
    const head_repository = { full_name: 'acme/docs' }
    const head = { head_branch: 'main', head_sha: AFTER, head_repository }
    const run = { event: 'push', conclusion: 'success', ...head }
    const made = event('workflow_run', { action: 'completed', workflow_run: run })
    const { lines, requests } = await contextOf(scene, made)
    expect(lines).toEqual(expect.arrayContaining([`Commit: ${AFTER}`, ...COMPARED]))
    expect(requests).toEqual([COMPARE])
  })
})
