import { describe, expect, it } from 'vitest'
import { bareEvent, type Event, push, pushBy } from '../support/events.ts'
import { type Harness, startHarness } from '../support/harness.ts'
import { AFTER, addCommit, addPull, BEFORE, commitOf, mergePull } from '../support/world.ts'
import { addJob, addOlderJob, COMPARE, COMPARED, COMPARISON, changedFile, RUN, tell } from './describe-run.ts'
import { NO_COMPARISONS, REFUSALS } from './push.cases.ts'

const NO_COMMIT = '0'.repeat(40)
const JOB = "Changes since: this step's last job"

/** A GitHub that compares the ends of a push by two people. */
async function pushScene(change: object = {}): Promise<Harness> {
  const scene = await startHarness()
  scene.world.comparisons.set(`${BEFORE}...${AFTER}`, { ...COMPARISON, ...change })
  return scene
}

const pushed = pushBy('octocat', 'octocat')

function pushOfTag(name: string): Event {
  return push({ ref: `refs/tags/${name}`, created: true, before: NO_COMMIT, after: AFTER, commits: [] })
}

describe('a push', () => {
  it('is told with what GitHub compares', async () => {
    const told = await tell(await pushScene(), { event: pushed })
    const head = ['Repository: acme/docs', 'Event: push', 'Branch: main', RUN]
    expect(told).toMatchObject({ lines: [...head, ...COMPARED], requests: [COMPARE], logged: [] })
    expect(told.counts).toBe('context: 2 commits, 1 file (1 whole)')
  })

  it('whose commits cancel out changed no files', async () => {
    const { lines } = await tell(await pushScene({ files: [] }), { event: pushed })
    expect(lines.slice(5)).toEqual([...COMPARED.slice(1, 6), 'Changed files: none'])
  })

  it.each([
    [1, '1 commit was'],
    [3, '3 commits were'],
  ])('that was forced says how many commits are gone: %d', async (behind_by, words) => {
    const scene = await pushScene({ status: 'diverged', behind_by })
    const forced = { ...pushed, payload: { ...pushed.payload, forced: true } }
    const { lines, requests } = await tell(scene, { event: forced })
    expect([lines[5], requests]).toEqual([`Forced push: ${words} removed from the branch`, [COMPARE]])
    addOlderJob(scene)
    expect((await tell(scene, { event: forced })).lines[6]).toBe(
      `Forced push: ${words} removed from the branch`,
    )
  })

  it('has those of the pushes before, too, whose runs were dropped since the last job', async () => {
    const scene = await startHarness()
    const merge = (number: number) => {
      const pull = addPull(scene.world, { number, title: `Change ${number}`, body: `Why ${number}.` })
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
    const last = [9, 10, 11, 12].map(merge).at(-1) ?? ''
    const later = {
      ...payload,
      before: sha,
      after: last,
      commits: [{ id: last, message: 'Change 12 (#12)' }],
    }
    const { lines } = await tell(scene, { event: { name: 'push', payload: later } })
    expect(lines.filter((line) => /^(?:Merged pull| {2}Why)/.test(line))).toEqual([
      title(12),
      '  Why 12.',
      ...[11, 10, 9, 8, 7].map((one) => title(one).slice(0, -1)),
    ])
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
    expect(counts).toBe('context: 1 commit, 1 file, 1 merged pull request')
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
    ["this step's last job: pushes in between that were dropped or skipped are told, too", 'success', {}, ''],
    ["this step's last job before the push, whatever stands on a commit of it", 'success', {}, '1'],
    ["this step's last job before the push, whatever stands on its last commit", 'success', {}, 'b'],
    ["this step's last job, though the list of the last commit can not be read", 'success', {}, '-'],
    ['the push before, where that job failed', 'failure', {}, ''],
    ['the push before, where the step has no memory', 'success', { 'follow-up': 'false' }, ''],
  ])('is told since %s', async (since, state, inputs, pushedJob) => {
    const scene = await pushScene()
    addOlderJob(scene, state)
    if (pushedJob === '1') {
      addCommit(scene.world, { sha: pushedJob.repeat(40), parents: [BEFORE] })
      addCommit(scene.world, { sha: AFTER, parents: [pushedJob.repeat(40)] })
    }
    if (pushedJob === '-') scene.github.faults.push({ match: /statuses$/, end: '502' })
    else if (pushedJob !== '') addJob(scene, pushedJob.repeat(40))
    const { lines, requests } = await tell(scene, { event: pushed, inputs })
    const sinceJob = [`${JOB} (commit eeeeeee, 2026-03-01T06:30Z)`, 'GET /compare/eeeeeee...bbbbbbb']
    expect([lines[4], ...requests]).toEqual(since.startsWith('this') ? sinceJob : [COMPARED[0], COMPARE])
  })

  it('of more files than GitHub compares is asked for in two parts', async () => {
    const scene = await startHarness()
    const { comparisons } = scene.world
    const filesOf = (...names: string[]) => names.map((name) => changedFile(name, { patch: `+${name}` }))
    const added = changedFile('z.ts', { status: 'added', patch: '+z.ts' })
    const first = Array.from({ length: 300 }, (_, index) => `a${index}.ts`)
    const parents = ['1', '2'].map((sha) => ({ sha, url: 'https://github.com/' }))
    const [middle, ...later] = ['c', '1', '3', 'b'].map((digit) => digit.repeat(40))
    const commits = [{ sha: middle, parents }, ...later.map((sha) => ({ sha }))]
    comparisons.set(`${BEFORE}...${AFTER}`, { commits, total_commits: 4, files: filesOf(...first) })
    comparisons.set(`${BEFORE}...${middle}`, { behind_by: 0, files: [...filesOf('a1.ts', 'y.ts'), added] })
    comparisons.set(`${middle}...${AFTER}`, { files: filesOf('a2.ts', 'x.ts', 'z.ts') })
    const { lines, requests } = await tell(scene, { event: pushed })
    expect(requests).toEqual([COMPARE, 'GET /compare/aaaaaaa...ccccccc', 'GET /compare/ccccccc...bbbbbbb'])
    expect(lines).toContain('Changed files: 303 or more (+304 -0), first what readers would notice')
    const at = lines.indexOf('added z.ts (+2 -0)')
    expect(lines.slice(at + 1, at + 3)).toEqual(['+z.ts', '+z.ts'])
    // A commit that lacks something of the base would tell it as a part of the change.
    comparisons.set(`${BEFORE}...${middle}`, { behind_by: 1, files: filesOf('wrong.ts') })
    const again = await tell(scene, { event: pushed })
    expect(again.lines).toContain('Changed files: 300 or more (+300 -0), first what readers would notice')
  })

  it.each([
    ['logo.png', ''],
    ['c.ts', ' (GitHub shows no diff)'],
  ])('tells a renamed file as a plain move, unless GitHub withholds diffs: %s', async (other, note) => {
    const none = { additions: 0, deletions: 0, changes: 0 }
    const renamed = { ...none, status: 'renamed', previous_filename: 'a.ts', filename: 'b.ts' }
    const files = [renamed, changedFile(other, none)]
    const { lines } = await tell(await pushScene({ files }), { event: pushed })
    const changed = `modified ${other} (GitHub shows no diff)`
    expect(lines.slice(11)).toEqual([`renamed a.ts to b.ts${note}`, changed])
  })

  it('of a new branch has what the payload has, and asks nobody', async () => {
    const commits = [{ id: AFTER, message: 'Add', added: ['a.ts'], modified: ['b.ts'], removed: ['c.ts'] }]
    const made = push({ ref: 'refs/heads/x', created: true, before: NO_COMMIT, after: AFTER, commits })
    const { lines, requests } = await tell(await startHarness(), { event: made })
    const why = 'first what readers would notice; a new branch has nothing to be compared with'
    const files = [`Changed files: 3, ${why}`, 'added a.ts', 'modified b.ts', 'removed c.ts']
    expect(lines.slice(2)).toEqual(['Branch: x', RUN, 'Commits:', '- bbbbbbb Add', ...files])
    expect(requests).toEqual([])
  })

  it('of a tag is compared with the version before it', async () => {
    const scene = await startHarness()
    const { tags, comparisons } = scene.world
    for (const name of ['v1.9.0', 'v1.10.0', 'v1.9.1', 'v2.0.0', 'web/v1.9.9']) tags.set(name, BEFORE)
    comparisons.set('v1.9.1...v1.10.0', COMPARISON)
    const { lines, requests } = await tell(scene, { event: pushOfTag('v1.10.0') })
    expect(lines.slice(2)).toEqual(['Tag: v1.10.0', RUN, 'Tag before: v1.9.1', ...COMPARED])
    expect(requests).toEqual(['GET /git/matching-refs/tags/v', 'GET /compare/v1.9.1...v1.10.0'])
  })

  it('of the first tag has the commit and files of the payload', async () => {
    const tag = pushOfTag('1.0.0')
    const head_commit = { id: AFTER, message: 'Ship it', modified: ['b.ts'] }
    const made = { ...tag, payload: { ...tag.payload, head_commit } }
    const { lines } = await tell(await startHarness(), { event: made })
    const files =
      'Changed files: 1, first what readers would notice; not known: there is nothing to compare with'
    const commits = ['Commits:', '- bbbbbbb Ship it']
    expect(lines.slice(4)).toEqual(['Tag before: none', ...commits, files, 'modified b.ts'])
  })

  it('without a payload (a local run) says that nothing is known', async () => {
    const { lines } = await tell(await startHarness(), { event: bareEvent('push') })
    expect(lines.slice(4)).toEqual(['Changed files: not known: the payload names no commit to compare'])
  })

  it.each([
    ['403 ("No")', 'notice', "The job's `github-token` needs the permission `contents: read` for this. "],
    ['404 ("No common ancestor")', 'warning', ''],
  ])('has what the payload has where GitHub returns %s, and says it', async (answer, level, advice) => {
    const scene = await startHarness()
    const [status = '', message] = answer.split(/ \("|"/)
    scene.github.faults.push({ match: /compare/, end: { status: Number(status), body: { message } } })
    const { lines, logged } = await tell(scene, { event: pushed })
    const commits = ['- bbbbbbb Change 1', '  with details', '- 1111111 Change 0', '  with details']
    const files = `Changed files: not known: GitHub returned ${answer}`
    expect(lines.slice(4)).toEqual([COMPARED[0], 'Commits:', ...commits, files])
    const failed = `${level}: Failed to compare two commits: GitHub returned ${answer}.`
    const lacks = 'The agent is not told the commits, files and diff.'
    expect(logged).toEqual([`${failed} ${advice}${lacks}`])
  })
})

it.each(NO_COMPARISONS)(
  'a comparison with %j leaves the run its prompt, and says what the agent lacks',
  async (body, why) => {
    const scene = await startHarness()
    scene.github.faults.push({ match: /compare/, end: { status: 200, body } })
    const { lines, logged } = await tell(scene, { event: pushed })
    expect(lines.at(-1)).toContain(`Changed files: not known: ${why}`)
    const said = /^warning: Failed to (?:describe the event|compare two commits): .*The agent is not told/
    expect(logged).toEqual([expect.stringMatching(said)])
  },
)

describe('what fails the history and the comparison of a push', () => {
  it.each(REFUSALS)('is told once, with all that the agent lacks: %s', async (what, inputs, faults, why) => {
    const scene = await pushScene()
    scene.github.faults.push(...faults)
    if (what === 'no `contents: read`') scene.world.scopes.delete('contents: read')
    const { logged } = await tell(scene, { event: pushed, inputs })
    const lacking =
      "Commits of unknown origin count as a person's, and the agent is not told their pull requests."
    expect(logged).toEqual([`warning: Failed to read the commits' pull requests: ${why} ${lacking}`])
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

  it('is told what has changed since this workflow last succeeded, where the step had no job', async () => {
    const scene = await scheduleScene()
    const [html_url, created_at] = ['https://github.com/acme/docs/actions/runs/900', '2026-03-01T06:30:00Z']
    const run = { workflow: 'docs.yml', head_branch: 'main', head_sha: BEFORE, html_url, created_at }
    scene.world.runs.push({ ...run, conclusion: 'success' })
    const { lines } = await tell(scene, start)
    const since = `Changes since: this workflow last succeeded on this branch (${created_at}, ${html_url})`
    expect(lines.slice(4, 6)).toEqual([since, COMPARED[0]])
  })

  it("names a missing permission to read this step's last job in a notice", async () => {
    const scene = await scheduleScene()
    const body = { message: 'Resource not accessible by integration' }
    scene.github.faults.push({ match: /StepStatuses|statuses|graphql/, end: { status: 403, body } })
    const { logged } = await tell(scene, start)
    expect(logged).toEqual([
      expect.stringMatching(
        /^notice: Failed to read this step's last job: .* needs the permission `statuses: read` .* is not told what has changed since\.$/,
      ),
    ])
  })

  it.each([
    [start.event, '', 'not told what has changed since'],
    [pushed, '', 'told what this push brought, not what has changed since that job'],
    [
      start.event,
      BEFORE,
      'told what has changed since the last success of this workflow, not what .* since that job',
    ],
  ])("says what is not known of this step's last job: %#", async (event, head_sha, words) => {
    const scene = await scheduleScene()
    const run = { workflow: 'docs.yml', head_branch: 'main', conclusion: 'success', head_sha }
    if (head_sha !== '') scene.world.runs.push({ ...run, created_at: '2026-03-01T06:30:00Z' })
    scene.github.faults.push({ match: /StepStatuses$/, end: { status: 502, body: {} } })
    const { logged } = await tell(scene, { ...start, event })
    expect(logged).toEqual([
      expect.stringMatching(
        new RegExp(`^warning: Failed to read this step's last job: .* The agent is ${words}\\.$`),
      ),
    ])
  })

  it.each([
    ['neither this step nor this workflow has succeeded on this branch before', {}],
    ['this run is not on a branch', { GITHUB_REF: 'refs/tags/v1' }],
    ['GitHub returned 502', {}],
    ['GitHub returned no list of runs', {}],
  ])('says that it is not known, and why: %s', async (why, env) => {
    const scene = await scheduleScene()
    const end = { status: why.endsWith('502') ? 502 : 200, body: { total_count: 1 } }
    if (why.startsWith('GitHub')) scene.github.faults.push({ match: /\/runs/, end })
    const { lines, logged } = await tell(scene, { ...start, env: { ...start.env, ...env } })
    expect(lines.slice(4)).toEqual([`Changed files: not known: ${why}`])
    const lacks = `: ${why}. The agent is not told what has changed since.`
    expect(logged).toEqual(why.startsWith('GitHub') ? [expect.stringContaining(lacks)] : [])
  })
})
