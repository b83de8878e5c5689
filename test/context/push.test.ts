import { describe, expect, it } from 'vitest'
import { bareEvent, push, pushBy } from '../support/events.ts'
import { type Harness, startHarness } from '../support/harness.ts'
import { AFTER, addCommit, addPull, BEFORE, commitOf, mergePull } from '../support/world.ts'
import {
  addJob,
  addOlderJob,
  COMPARE,
  COMPARED,
  COMPARISON,
  changedFile,
  RUN,
  tell,
} from './describe-run.ts'

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
  it('is told with what GitHub compares', async () => {
    const told = await tell(await pushScene(), { event: pushed })
    const head = ['Repository: acme/docs', 'Event: push', 'Branch: main', RUN]
    expect(told).toMatchObject({ lines: [...head, ...COMPARED], requests: [COMPARE], logged: [] })
    expect(told.counts).toBe('2 commits, 1 file')
  })

  it('whose commits cancel out changed no files', async () => {
    const { lines } = await tell(await pushScene({ files: [] }), { event: pushed })
    expect(lines.slice(5)).toEqual([...COMPARED.slice(1, 6), 'Changed files: none'])
  })

  it('that was forced says so', async () => {
    const scene = await pushScene({ status: 'diverged', behind_by: 3 })
    const forced = { ...pushed, payload: { ...pushed.payload, forced: true } }
    const { lines, requests } = await tell(scene, { event: forced })
    const words = 'Forced push: commits were removed from the branch'
    expect([lines[5], requests]).toEqual([words, [COMPARE]])
  })

  it('has those of the pushes before, too, whose runs were dropped since the last job', async () => {
    const scene = await startHarness()
    const merge = (number: number) => {
      const pull = addPull(scene.world, {
        number,
        title: `Change ${number}`,
        body: `Why ${number}.`,
      })
      return mergePull(scene.world, pull, { how: 'squash' })[0] ?? ''
    }
    const [dropped = '', sha = ''] = [7, 8].map(merge)
    addJob(scene, BEFORE)
    const commits = [{ id: sha, message: 'Change 8 (#8)', author: { username: 'octocat' } }]
    const payload = { ref: 'refs/heads/main', before: dropped, after: sha, commits }
    const told = await tell(scene, { event: { name: 'push', payload } })
    const titles = told.lines.filter((line) => /^(?:Merged pull| {2}Why)/.test(line))
    const title = (number: number) =>
      `Merged pull request #${number}: Change ${number} (https://github.com/acme/docs/pull/${number}, by octocat):`
    expect(titles).toEqual([title(8), '  Why 8.', title(7), '  Why 7.'])
    expect(told.counts).toContain('2 merged pull requests')
  })

  it('names the merged pull requests that need no documentation in one line', async () => {
    const scene = await startHarness()
    const merge = (number: number, label: string) => {
      const pull = addPull(scene.world, {
        number,
        title: `Change ${number}`,
        labels: [{ name: label }],
      })
      return mergePull(scene.world, pull, { how: 'squash' })[0] ?? ''
    }
    const shas = [merge(7, 'No-Docs'), merge(8, 'feature'), merge(9, 'no-docs')]
    const commits = shas.map((id) => ({ id, message: 'Change', author: { username: 'octocat' } }))
    const payload = { ref: 'refs/heads/main', before: BEFORE, after: shas[2] ?? '', commits }
    const { lines, counts } = await tell(scene, { event: { name: 'push', payload } })
    const passOver = 'Pull requests that need no documentation (pass over their changes): #9, #7'
    expect(lines).toContain(passOver)
    const told = lines.filter((line) => line.startsWith('Merged pull request'))
    expect([told.length, told[0]]).toEqual([1, expect.stringContaining('#8')])
    expect(counts).toContain(', 1 merged pull request')
  })

  it('has the merged pull requests that its commits came in, whose commits are told by their subjects', async () => {
    const scene = await startHarness()
    const labels = [{ name: 'feature' }, { name: 'cli' }]
    const body = 'Shows what would be done.\n\n<!-- template -->'
    const fields = { number: 7, title: 'Add --dry-run', body, labels, files: ['src/ship.ts'] }
    const [sha = ''] = mergePull(scene.world, addPull(scene.world, fields), { how: 'squash' })
    const message = 'Add --dry-run (#7)\n\nShows what would be done.'
    scene.world.commits.set(sha, { ...commitOf(scene.world, sha), message })
    const commits = [{ id: sha, message, author: { username: 'octocat' } }]
    const payload = { ref: 'refs/heads/main', before: BEFORE, after: sha, commits }
    const { lines, requests, counts } = await tell(scene, { event: { name: 'push', payload } })
    expect(counts).toBe('1 commit, 1 file, 1 merged pull request')
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

  it.each([
    ["this step's last job, so that pushes that were dropped are told, too", 'success', {}],
    ['the push before, where that job failed', 'failure', {}],
    ["this step's last job, with `follow-up: false`, too", 'success', { 'follow-up': 'false' }],
  ])('is told since %s', async (since, state, inputs) => {
    const scene = await pushScene()
    addOlderJob(scene, state)
    const { lines, requests } = await tell(scene, { event: pushed, inputs })
    const sinceJob = [
      `${JOB} (commit eeeeeee, 2026-03-01T06:30Z)`,
      'GET /compare/eeeeeee...bbbbbbb',
    ]
    const isJob = since.startsWith('this')
    expect([lines[4], ...requests]).toEqual(isJob ? sinceJob : [COMPARED[0], COMPARE])
  })

  it('of more files than GitHub compares is asked for in two parts', async () => {
    const scene = await startHarness()
    const { comparisons } = scene.world
    const filesOf = (...names: string[]) =>
      names.map((name) => changedFile(name, { patch: `+${name}` }))
    const added = changedFile('z.ts', { status: 'added', patch: '+z.ts' })
    const first = Array.from({ length: 300 }, (_, index) => `a${index}.ts`)
    const parents = ['1', '2'].map((sha) => ({ sha, url: 'https://github.com/' }))
    const [middle, ...later] = ['c', '1', '3', 'b'].map((digit) => digit.repeat(40))
    const commits = [{ sha: middle, parents }, ...later.map((sha) => ({ sha }))]
    comparisons.set(`${BEFORE}...${AFTER}`, { commits, total_commits: 4, files: filesOf(...first) })
    comparisons.set(`${BEFORE}...${middle}`, {
      behind_by: 0,
      files: [...filesOf('a1.ts', 'y.ts'), added],
    })
    comparisons.set(`${middle}...${AFTER}`, { files: filesOf('a2.ts', 'x.ts', 'z.ts') })
    const { lines, requests } = await tell(scene, { event: pushed })
    expect(requests).toEqual([
      COMPARE,
      'GET /compare/aaaaaaa...ccccccc',
      'GET /compare/ccccccc...bbbbbbb',
    ])
    expect(lines).toContain('Changed files: 303 or more (+304 -0), first what readers would notice')
    expect(lines[lines.indexOf('added z.ts (+2 -0)') + 1]).toBe('+z.ts')
    // A commit that lacks something of the base would tell it as a part of the change.
    comparisons.set(`${BEFORE}...${middle}`, { behind_by: 1, files: filesOf('wrong.ts') })
    const again = await tell(scene, { event: pushed })
    expect(again.lines).toContain(
      'Changed files: 300 or more (+300 -0), first what readers would notice',
    )
  })

  it('of a tag is compared with the version before it', async () => {
    const scene = await startHarness()
    const { tags, comparisons } = scene.world
    for (const name of ['v1.9.0', 'v1.10.0', 'v1.9.1', 'v2.0.0', 'web/v1.9.9'])
      tags.set(name, BEFORE)
    comparisons.set('v1.9.1...v1.10.0', COMPARISON)
    const made = push({ ...ofNewRef, ref: 'refs/tags/v1.10.0', commits: [] })
    const { lines, requests } = await tell(scene, { event: made })
    expect(lines.slice(2)).toEqual(['Tag: v1.10.0', RUN, 'Tag before: v1.9.1', ...COMPARED])
    expect(requests).toEqual(['GET /git/matching-refs/tags/v', 'GET /compare/v1.9.1...v1.10.0'])
  })

  const tip = { id: AFTER, message: 'Add' }
  it.each([
    [push({ ...ofNewRef, ref: 'refs/heads/x', commits: [tip] }), ['Branch: x', RUN], '1 commit'],
    [
      push({ ...ofNewRef, ref: 'refs/tags/1.0.0', commits: [], head_commit: tip }),
      ['Tag: 1.0.0', RUN, 'Tag before: none'],
      '1 commit',
    ],
    [bareEvent('push'), ['Branch: main', RUN], ''],
  ])('without a base has the commits of its payload: case %#', async (made, head, count) => {
    const { lines, counts, logged } = await tell(await startHarness(), { event: made })
    const commits = count && ['Commits:', '- bbbbbbb Add']
    const files = 'Changed files: not known: there is nothing to compare with'
    expect(lines.slice(2)).toEqual([...head, ...commits, files])
    expect(counts).toBe(count ? `${count}, files not known` : 'what has changed is not known')
    expect(logged).toEqual([])
  })

  it.each([
    [403, { message: 'No' }, 'GitHub returned 403 ("No")'],
    [404, { message: 'No common ancestor' }, 'GitHub returned 404 ("No common ancestor")'],
    // No change of no files.
    [200, { commits: 'x', files: [] }, 'GitHub returned no comparison'],
    [200, { files: [] }, 'GitHub returned no comparison'],
  ])(
    'has what the payload has where GitHub returns %d with %j, and says it',
    async (status, body, why) => {
      const scene = await startHarness()
      scene.github.faults.push({ match: /compare/, end: { status, body } })
      const { lines, logged, counts } = await tell(scene, { event: pushed })
      const commits = [
        '- bbbbbbb Change 1',
        '  with details',
        '- 1111111 Change 0',
        '  with details',
      ]
      expect(lines.slice(4)).toEqual([
        COMPARED[0],
        'Commits:',
        ...commits,
        `Changed files: not known: ${why}`,
      ])
      expect(counts).toBe('2 commits, files not known')
      const cause = status === 403 ? '`contents: read` is missing in `permissions:`' : why
      const cost = `${cause}, so the agent is not told the commits, files and diff.`
      expect(logged).toEqual([expect.stringContaining(cost)])
      expect(logged[0]).toMatch(/^warning: /)
    },
  )

  it('leaves the run its prompt, and says what the agent lacks, where GitHub returns unexpected data', async () => {
    const scene = await pushScene()
    const body = { commits: [], files: [{ filename: 5, status: 'modified', patch: 5 }] }
    scene.github.faults.push({ match: /compare/, end: { status: 200, body } })
    const { lines, logged } = await tell(scene, { event: pushed })
    expect(lines.at(-1)).toContain('Changed files: not known: GitHub returned unexpected data (')
    const said = /^warning: Failed to describe the event: .*, so the agent is not told/
    expect(logged).toEqual([expect.stringMatching(said)])
  })
})

describe('a schedule or dispatch', () => {
  const start = { event: bareEvent('schedule'), env: { GITHUB_SHA: AFTER } }

  async function scheduleScene(): Promise<Harness> {
    const scene = await pushScene()
    addCommit(scene.world, { sha: AFTER, parents: [BEFORE] })
    return scene
  }

  it.each([
    ['what has changed', BEFORE, COMPARED, [COMPARE]],
    ['that nothing has, and asks nobody', AFTER, ['Changed files: none'], []],
  ])("is told, since this step's last job, %s", async (_what, sha, changes, requests) => {
    const scene = await scheduleScene()
    addJob(scene, sha)
    const told = await tell(scene, start)
    const since = `${JOB} (commit ${sha.slice(0, 7)}, 2026-03-01T06:30Z)`
    expect([told.lines.slice(3), told.requests]).toEqual([[RUN, since, ...changes], requests])
  })

  const release = (tag_name: string, day: number, change = {}) => {
    return { tag_name, draft: false, published_at: `2026-02-0${day}T00:00:00Z`, ...change }
  }
  const LIST = ['GET /releases', 'GET /commits']

  it.each([
    ['the newest release', ['v1', 'v2'], ['v2'], 'the release v2'],
    [
      'an older one, where the newest is on the same commit',
      ['v1', 'same'],
      ['same', 'v1'],
      'the release v1',
    ],
    [
      'an older one, where the newest is too far back',
      ['v1', 'far'],
      ['far', 'v1'],
      'the release v1',
    ],
    ['no draft and no prerelease', ['v1', 'draft', 'rc'], ['v1'], 'the release v1'],
  ])('is told on its first run what has changed since %s', async (_what, tags, compared, since) => {
    const scene = await scheduleScene()
    const ahead: Readonly<Record<string, number>> = { same: 0, far: 251, v1: 250 }
    for (const [index, tag] of tags.entries()) {
      const kind = { draft: tag === 'draft', prerelease: tag === 'rc' }
      scene.world.releases.push(release(tag, index + 1, kind))
      scene.world.comparisons.set(`${tag}...${AFTER}`, {
        ...COMPARISON,
        total_commits: ahead[tag] ?? 3,
      })
    }
    const { lines, requests } = await tell(scene, start)
    const words = `Changes since: ${since} (this step has no earlier job)`
    expect(lines.slice(4, 6)).toEqual([words, COMPARED[0]])
    expect(requests).toEqual([LIST[0], ...compared.map((tag) => `GET /compare/${tag}...bbbbbbb`)])
  })

  it('is told the last 10 commits on its first run, where there is no release', async () => {
    const scene = await scheduleScene()
    for (let count = 0; count < 12; count++) addCommit(scene.world, { files: [`src/${count}.ts`] })
    const [sha = ''] = [...scene.world.branches.values()].slice(-1)
    const { lines, requests } = await tell(scene, { ...start, env: { GITHUB_SHA: sha } })
    expect(lines[4]).toBe(
      'Changes since: 10 commits before (this step has no earlier job, and no release to compare with)',
    )
    expect(lines.filter((line) => line.startsWith('- '))).toHaveLength(10)
    expect(lines.filter((line) => line.startsWith('modified '))).toHaveLength(10)
    expect(requests).toEqual([...LIST, expect.stringMatching(/^GET \/compare\//)])
  })

  it('is told all commits of a young branch, the first included', async () => {
    const scene = await startHarness()
    scene.world.commits.clear()
    addCommit(scene.world, { sha: BEFORE, parents: [], files: ['src/first.ts'], message: 'Begin' })
    addCommit(scene.world, { sha: AFTER, files: ['src/second.ts'], message: 'Go on' })
    const { lines } = await tell(scene, start)
    expect(lines[4]).toMatch(/^Changes since: the first commit, included /)
    expect(lines.filter((line) => /^- |^modified /.test(line))).toEqual([
      '- bbbbbbb Go on',
      '- aaaaaaa Begin',
      expect.stringMatching(/^modified src\/first\.ts/),
      expect.stringMatching(/^modified src\/second\.ts/),
    ])
  })

  it('says that it is not known, and why, with one warning', async () => {
    const scene = await scheduleScene()
    scene.github.faults.push({
      match: /releases$|commits$/,
      end: { status: 502, body: {} },
    })
    const { lines, logged } = await tell(scene, start)
    expect(lines.slice(4)).toEqual(['Changed files: not known: GitHub returned 502'])
    expect(logged).toEqual([
      'notice: Failed to compare with the releases: GitHub returned 502.',
      expect.stringMatching(
        /^warning: .*502, so the agent is not told the commits, files and diff\.$/,
      ),
    ])
  })
})
