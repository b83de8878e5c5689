import { describe, expect, it } from 'vitest'
import { contextOf } from '../prompt/describe-run.ts'
import { bareEvent, type Event, pullRequest, pushTo } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import { filesBetween } from '../support/history.ts'
import { failure } from '../support/rest.ts'
import {
  AFTER,
  addCommit,
  addPull,
  BEFORE,
  type Snapshot,
  type WorldFile,
} from '../support/world.ts'

/** Files by path; a text alone is a file of lines. */
type Files = Readonly<Record<string, string | WorldFile>>

function snapshotOf(files: Files): Snapshot {
  const entries = Object.entries(files).map(
    ([path, file]) => [path, typeof file === 'string' ? { text: file } : file] as const,
  )
  return new Map(entries)
}

/** A push to `main`, of whose diffs GitHub shows so many bytes. */
async function pushScene(before: Files, after: Files, maxDiffBytes = 20_000) {
  const scene = await startHarness()
  const { world } = scene
  const files = filesBetween(snapshotOf(before), snapshotOf(after))
  const event = pushTo(world, { message: 'Change it', files })
  world.snapshots.set(BEFORE, snapshotOf(before))
  world.snapshots.set(event.payload.after ?? '', snapshotOf(after))
  world.maxDiffBytes = maxDiffBytes
  return { ...scene, event }
}

type Scene = Awaited<ReturnType<typeof pushScene>>

/** What the agent is told of it: as one text, its requests to GitHub without commits, and the bodies of queries. */
async function tellOf(scene: Scene, event: Event = scene.event) {
  const told = await contextOf(scene, event)
  const requests = told.requests.map((line) => line.replace(/\/[0-9a-f]{7}\b.*$/, ''))
  return { ...told, text: told.lines.join('\n'), requests }
}

async function tellOfPush(...change: Parameters<typeof pushScene>) {
  return await tellOf(await pushScene(...change))
}

/** A file of twenty lines, with another one in its middle. */
function sourceOf(name: string, line: string): string {
  const all = Array.from({ length: 20 }, (_, index) => `// ${name} ${index}`)
  return `${all.with(10, line).join('\n')}\n`
}

function filesOf(paths: readonly string[], line: string): Files {
  return Object.fromEntries(paths.map((path, index) => [path, sourceOf(path, `${line}_${index};`)]))
}

const numbered = (count: number, pathOf: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => pathOf(index))

const LOCK = { text: numbered(2000, (index) => `  resolved ${index}`).join('\n') }
const [COMPARE, TREE, FILES] = ['GET /compare', 'GET /git/trees', 'POST /graphql ChangedFiles']

describe('a push whose lock file hides the diffs of 269 files', () => {
  const paths = numbered(269, (index) =>
    index < 240 ? `sdk/models/model_${index}.py` : `sdk/part_${index}/client.py`,
  )
  const before = { 'a.lock': '{}', ...filesOf(paths, 'use_old') }
  const after = { 'a.lock': LOCK, ...filesOf(paths, 'use_new') }

  it('has 120 diffs with their counts, some of each folder, and the number of files without one', async () => {
    const { text, requests } = await tellOfPush(before, after)
    expect(text.match(/^\+use_new_/gm)).toHaveLength(120)
    for (let index = 240; index < 269; index++) expect(text).toContain(`+use_new_${index};`)
    expect(text).toContain('\nChanged files: 270, 150 without a diff, first what readers')
    expect(requests).toEqual([COMPARE, FILES, FILES, FILES])
    // As git shows it, with counts of its own.
    const hunk = ['@@ -8,7 +8,7 @@', ...[7, 8, 9].map((at) => ` // sdk/part_240/client.py ${at}`)]
    hunk.push('-use_old_240;', '+use_new_240;', ' // sdk/part_240/client.py 11')
    expect(text).toContain(`modified sdk/part_240/client.py (+1 -1)\n${hunk.join('\n')}`)
    expect(text).toMatch(/^modified sdk\/models\/model_\d+\.py \(no diff\)$/m)
    expect(text).not.toContain('(+0 -0)')
  })
})

describe('a week of 700 changed files', () => {
  const paths = numbered(699, (index) => `src/part_${index % 50}/file_${index}.ts`)
  const before = { ...filesOf(paths, 'useOld'), 'src/a_cli.ts': 'old()\n' }
  const after = { ...filesOf(paths, 'useNew'), 'src/z_cli.ts': "run('--json')\n" }

  it('lists all of them, and reads those that readers notice, with five requests more', async () => {
    const { text, requests } = await tellOfPush(before, after)
    expect(text).toContain('\nChanged files: 701, ')
    expect(text).toContain("added src/z_cli.ts (+1 -0)\n@@ -0,0 +1,1 @@\n+run('--json')")
    expect(requests).toEqual([COMPARE, TREE, TREE, FILES, FILES, FILES])
    const named = text.match(/^(?:modified|added|removed) src\//gm) ?? []
    expect(named.length).toBeGreaterThan(400)
    expect(named.length).toBeLessThanOrEqual(600)
  })

  it('whose tree GitHub cuts has the files of the comparison', async () => {
    const scene = await pushScene(before, after)
    scene.world.maxTreeEntries = 100
    const { text } = await tellOf(scene)
    expect(text).toMatch(/\nChanged files: 300 or more, \d+ without a diff, first what/)
    expect(text).not.toContain('z_cli')
  })

  it.each([/git\/trees/, /ChangedFiles/])(
    'does not start a job if GitHub fails at %s',
    async (match) => {
      const scene = await pushScene(before, after)
      scene.github.faults.push({ match, end: '502' })
      const { log, outputs, titles } = await scene.run({
        event: scene.event,
        inputs: { prompt: 'Document it.' },
      })
      expect(outputs['result']).toBe('error')
      expect(titles).toEqual(['GitHub is unavailable (502) (docs)'])
      expect(log.at(-1)).toContain('Could not read the changes')
      expect(scene.docs.jobs).toEqual([])
    },
  )
})

describe('of more files than GitHub lists', () => {
  const listed = numbered(300, (index) => `a/${index}.ts`)
  const submodule = (digit: string) => ({ text: digit.repeat(40), mode: '160000' })
  const link = (text: string) => ({ text, mode: '120000' })
  const script = { text: 'run\n', mode: '100755' }

  it.each<{ what: string; before: Files; after: Files; lines: string }>([
    {
      what: 'a moved one is renamed',
      before: { 'b/old.ts': 'same\n' },
      after: { 'c/new.ts': 'same\n' },
      lines: 'renamed b/old.ts to c/new.ts',
    },
    {
      what: 'a removed one has its lines',
      before: { 'b/old.ts': 'was\n' },
      after: {},
      lines: 'removed b/old.ts (+0 -1)\n@@ -1,1 +0,0 @@\n-was',
    },
    {
      what: 'a submodule has its commits',
      before: { 'b/sub': submodule('1') },
      after: { 'b/sub': submodule('2') },
      lines: `modified b/sub (+1 -1)\n@@ -1 +1 @@\n-Subproject commit ${'1'.repeat(40)}\n+Subproject commit ${'2'.repeat(40)}`,
    },
    {
      what: 'a symbolic link has its targets',
      before: { 'b/link': link('one') },
      after: { 'b/link': link('two') },
      lines:
        'modified b/link (+1 -1)\n@@ -1,1 +1,1 @@\n-one\n\\ No newline at end of file\n+two\n\\ No newline at end of file',
    },
    {
      what: 'one that was made executable has no lines',
      before: { 'b/run': { ...script, mode: '100644' } },
      after: { 'b/run': script },
      lines: 'modified b/run\n',
    },
    {
      what: 'one that GitHub cuts has no diff',
      before: { 'b/data.json': `${'x\n'.repeat(200_000)}` },
      after: { 'b/data.json': `${'x\n'.repeat(300_000)}` },
      lines: 'modified b/data.json (no diff)',
    },
    {
      what: 'generated code is only named, though the change is far below its header',
      before: { 'b/api.ts': `// Code generated by gen. DO NOT EDIT.\n${sourceOf('a', 'old')}` },
      after: { 'b/api.ts': `// Code generated by gen. DO NOT EDIT.\n${sourceOf('a', 'new')}` },
      lines: 'modified b/api.ts (+1 -1) (generated: only named)',
    },
    {
      what: 'one whose name has quotes and line breaks is read',
      before: { 'b/"a" \\ü\n.ts': 'old\n' },
      after: { 'b/"a" \\ü\n.ts': 'new\n' },
      lines: 'modified b/"a" \\ü .ts (+1 -1)\n@@ -1,1 +1,1 @@\n-old\n+new',
    },
  ])('$what', async ({ before, after, lines }) => {
    const listedWith = (line: string) => Object.fromEntries(listed.map((path) => [path, line]))
    const whole = { ...listedWith('old\n'), ...before }
    const { text } = await tellOfPush(whole, { ...listedWith('new\n'), ...after })
    expect(`${text}\n`).toContain(`\n${lines}`)
  })
})

it('a text that differs in more than 1,500 lines has no diff', async () => {
  const linesOf = (word: string, count: number) =>
    numbered(count, (index) => `${word} ${index}`).join('\n')
  const paths = { 'src/much.ts': 1100, 'src/less.ts': 700 }
  const filesWith = (word: string) =>
    Object.fromEntries(Object.entries(paths).map(([path, count]) => [path, linesOf(word, count)]))
  const files = { before: { 'a.lock': '{}' }, after: { 'a.lock': LOCK } }
  const { text } = await tellOfPush(
    { ...files.before, ...filesWith('old') },
    { ...files.after, ...filesWith('new') },
    10,
  )
  expect(text).toContain('modified src/less.ts (+700 -700)\n')
  expect(text).toContain('modified src/much.ts (no diff)')
})

describe('a change that GitHub shows whole takes no request more', () => {
  it.each<{ what: string; before: Files; after: Files }>([
    { what: 'with a picture', before: {}, after: { 'a.png': { text: '\0', isBinary: true } } },
    { what: 'with a lock file', before: {}, after: { 'a.lock': LOCK, 'a.ts': 'x\n' } },
    { what: 'with an empty file', before: {}, after: { 'a/__init__.py': '', 'a/b.py': 'x\n' } },
  ])('$what', async ({ before, after }) => {
    const { requests } = await tellOfPush(before, after, 100_000)
    expect(requests).toEqual([COMPARE])
  })
})

describe('a pull request', () => {
  const paths = numbered(2499, (index) => `src/part_${index % 60}/file_${index}.ts`)
  const filesWith = (line: string) => ({ ...filesOf(paths, line), 'z/cli.ts': `${line}\n` })

  async function pullScene(before: Files, after: Files, maxDiffBytes: number) {
    const scene = await pushScene(before, after, maxDiffBytes)
    const { world } = scene
    const left = addCommit(world, { sha: AFTER }).sha
    const sha = addCommit(world, { branch: 'flag', parents: [BEFORE] }).sha
    world.snapshots.set(sha, snapshotOf(after))
    const files = filesBetween(snapshotOf(before), snapshotOf(after))
    addPull(world, { number: 5, head: { ref: 'flag', sha }, files })
    const lines = { additions: 5000, deletions: 4000, changed_files: files.length }
    const pull = { base: { ref: 'main', sha: left }, head: { ref: 'flag', sha }, ...lines }
    const made = pullRequest({ action: 'synchronize', pull })
    return { scene, made }
  }

  it('of 2,500 files has the diffs that its pages lack, against the commit that it left', async () => {
    const { scene, made } = await pullScene(filesWith('useOld'), filesWith('useNew'), 8000)
    const { text, requests } = await tellOf(scene, made)
    expect(text).toContain('modified z/cli.ts (+1 -1)\n@@ -1,1 +1,1 @@\n-useOld\n+useNew')
    expect(text).toMatch(/\nChanged files: 2500 \(\+5000 -4000\), \d+ without a diff, first what/)
    const extra = requests.filter((line) => !line.startsWith('GET /pulls/'))
    expect(extra).toEqual([COMPARE, FILES, FILES, FILES])
  })

  it('whose pages have all diffs takes no request more', async () => {
    const { scene, made } = await pullScene({ a: 'old\n' }, { a: 'new\n' }, 8000)
    const { requests } = await tellOf(scene, made)
    expect(requests).toEqual(['GET /pulls/5/files', 'GET /pulls/5/commits'])
  })
})

it('the only commit of a branch, with 400 files, is read from its own tree', async () => {
  const scene = await pushScene({}, {})
  const { world } = scene
  const after = snapshotOf(
    filesOf(
      numbered(400, (index) => `src/${index}.ts`),
      'useIt',
    ),
  )
  const files = filesBetween(new Map(), after)
  world.commits.clear()
  const { sha } = addCommit(world, { parents: [], files })
  world.snapshots.set(sha, after)
  const { text, requests } = await tellOf(scene, bareEvent('schedule'))
  expect(text).toContain('\nChanged files: 400, ')
  expect(text.match(/^\+useIt_/gm)?.length).toBeGreaterThan(120)
  expect(requests.slice(-5)).toEqual(['GET /commits', TREE, FILES, FILES, FILES])
})

describe('a push that GitHub cannot compare', () => {
  const late = failure(422, 'Server Error: Sorry, this diff is taking too long to generate.')

  it('has its files from the trees, and its commits from their list', async () => {
    const scene = await pushScene({ 'src/a.ts': 'old\n' }, { 'src/a.ts': 'new\n' })
    scene.github.faults.push({ match: /\/compare\//, end: late })
    const { text, requests, logged } = await tellOf(scene)
    expect(text).toContain('\nCommits:\n- ')
    expect(text).toContain('Change it\nChanged files: 1 (+1 -1), first what readers would notice')
    expect(text).toContain('\nmodified src/a.ts (+1 -1)\n@@ -1,1 +1,1 @@\n-old\n+new')
    expect(requests).toEqual([COMPARE, 'GET /commits', TREE, TREE, FILES])
    expect(logged).toEqual([])
  })

  it('nor list has a block that says that its files are unknown', async () => {
    const scene = await pushScene({ a: 'old\n', b: 'x' }, { a: 'new\n', b: 'x' })
    scene.github.faults.push({ match: /\/compare\//, end: late })
    scene.world.maxTreeEntries = 1
    expect((await tellOf(scene)).text).toContain(
      "Changed files: not known, because GitHub can't list them",
    )
  })
})
