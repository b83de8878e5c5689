import { expect, it } from 'vitest'
import { readChange } from './git-change.ts'

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index}`)
const TEXT = `${LINES.join('\n')}\n`
const CHANGED = TEXT.replace('line 10\n', 'line ten\n')
const HUNK = `@@ -8,7 +8,7 @@ line 6\n line 7\n line 8\n line 9\n-line 10\n+line ten\n line 11\n line 12\n line 13`
const LARGE = '22\n'.repeat(200_000)
const COMMIT = '0123456789012345678901234567890123456789'

/** A file with one changed line, as it is expected. */
const changed = (path: string) => ({
  ...{ status: 'modified', path, oldPath: path },
  ...{ added: 1, removed: 1, patch: HUNK },
})
const UNKNOWN = { added: undefined, removed: undefined, patch: undefined }
const SAME = { added: 0, removed: 0, patch: '' }

it.each([
  {
    change: 'a modified file',
    commits: [{ 'src/a.ts': TEXT }, { 'src/a.ts': CHANGED }],
    files: [changed('src/a.ts')],
  },
  {
    change: 'the first commit, with an empty file',
    commits: [{ 'a.md': 'one\ntwo', empty: '' }],
    files: [
      {
        ...{ status: 'added', path: 'a.md', oldPath: 'a.md', added: 2, removed: 0 },
        patch: '@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file',
      },
      { status: 'added', path: 'empty', oldPath: 'empty', ...SAME },
    ],
  },
  {
    change: 'the removal of all files',
    commits: [{ 'a.md': 'one\n' }, {}],
    files: [
      {
        ...{ status: 'removed', path: 'a.md', oldPath: 'a.md', added: 0, removed: 1 },
        patch: '@@ -1 +0,0 @@\n-one',
      },
    ],
  },
  {
    change: 'files renamed without and with a change, in the order of the new paths',
    commits: [
      { 'z.ts': TEXT, 'y.ts': `y\n${TEXT}` },
      { 'b.ts': `y\n${TEXT}`, 'a.ts': CHANGED },
    ],
    files: [
      { ...changed('a.ts'), status: 'renamed', oldPath: 'z.ts' },
      { status: 'renamed', path: 'b.ts', oldPath: 'y.ts', ...SAME },
    ],
  },
  {
    change: 'a file whose mode alone has changed',
    commits: [{ run: TEXT }, { run: { mode: '100755', text: TEXT } }],
    files: [{ status: 'modified', path: 'run', oldPath: 'run', ...SAME }],
  },
  {
    change: 'a submodule beside a file',
    commits: [
      { lib: { mode: '160000', text: COMMIT }, z: TEXT },
      { lib: { mode: '160000', text: COMMIT.replace('0', 'f') }, z: CHANGED },
    ],
    files: [
      {
        ...{ status: 'modified', path: 'lib', oldPath: 'lib', added: 1, removed: 1 },
        patch: `@@ -1 +1 @@\n-Subproject commit ${COMMIT}\n+Subproject commit ${COMMIT.replace('0', 'f')}`,
      },
      changed('z'),
    ],
  },
  {
    change: 'a file that became a symbolic link, before another file',
    commits: [
      { a: TEXT, z: TEXT },
      { a: { mode: '120000', text: 'z' }, z: CHANGED },
    ],
    files: [{ status: 'changed', path: 'a', oldPath: 'a', ...UNKNOWN }, changed('z')],
  },
  {
    change: 'a file that became a folder',
    commits: [{ a: TEXT }, { 'a/a': CHANGED }],
    files: [{ ...changed('a/a'), status: 'renamed', oldPath: 'a' }],
  },
  {
    change: 'binary and large files, before another file',
    commits: [
      { 'a.png': Buffer.from([0, 1]), 'b.json': '1\n', z: TEXT },
      { 'a.png': Buffer.from([0, 2]), 'b.json': LARGE, z: CHANGED },
    ],
    files: [
      { status: 'modified', path: 'a.png', oldPath: 'a.png', ...UNKNOWN },
      { status: 'modified', path: 'b.json', oldPath: 'b.json', ...UNKNOWN },
      changed('z'),
    ],
  },
  {
    change: 'a large text that was renamed with a change',
    commits: [{ 'a.json': LARGE }, { 'b.json': `${LARGE}22\n` }],
    files: [
      { status: 'removed', path: 'a.json', oldPath: 'a.json', ...UNKNOWN },
      { status: 'added', path: 'b.json', oldPath: 'b.json', ...UNKNOWN },
    ],
  },
])('$change has its names, counts, and diffs', async ({ commits, files }) => {
  const empty = { ends: { base: '' } }
  const read = await readChange(commits, commits.length === 1 ? empty : {})
  expect(read).toMatchObject({ files, problem: undefined, left: [] })
})

it.each([
  { kind: 'a space', path: 'a b.md' },
  { kind: 'quotes', path: `"a" 'b'.md` },
  { kind: 'a line break and a header', path: 'a\ndiff --git a/z b/z\n@@ -1 +1 @@\n.md' },
  { kind: 'letters beyond ASCII', path: 'dokumente/größe-日本語.md' },
  { kind: 'the form of a record', path: ':100644 100644 0 1 M' },
  { kind: 'the form of an option or a pattern', path: '--output=x/:(exclude)*[a].md' },
])('a name with $kind is kept, and its file has its own diff', async ({ path }) => {
  const { files } = await readChange([
    { [path]: TEXT, z: TEXT },
    { [path]: CHANGED, z: `new\n${CHANGED}` },
  ])
  expect(files).toMatchObject([changed(path), { path: 'z', added: 2, removed: 1 }])
})

it.each([
  { kind: 'a carriage return', end: '\r' },
  { kind: 'U+2028', end: '\u2028' },
])('$kind before the header of a diff in a text begins no diff', async ({ end }) => {
  const text = `one${end}diff --git a/1001 b/1001${end}@@ -1 +1 @@${end}+two\n`
  const { files } = await readChange([{}, { a: text, z: 'z\n' }])
  expect(files).toMatchObject([
    { patch: `@@ -0,0 +1 @@\n+${text.trimEnd()}`, added: 1 },
    { patch: '@@ -0,0 +1 @@\n+z' },
  ])
})

it('of 5,000 files with long names, 600 have diffs, which come in few requests; removed files come last', async () => {
  const folder = `${'d'.repeat(200)}/`.repeat(4)
  const filesOf = (count: number, text: string) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`${folder}${index}`, `${index} ${text}\n`]),
    )
  const commits = [
    { ...filesOf(5000, 'old'), '0.removed': 'removed\n' },
    { ...filesOf(5000, 'new'), '1.lock': 'locked\n'.repeat(100_000) },
  ]
  const { files = [], posts } = await readChange(commits, {
    choose: (all) => all.toSorted((one, other) => one.path.length - other.path.length),
  })
  const shown = files.filter(({ patch }) => patch !== undefined)
  // A text that is too long has none.
  expect([files.length, shown.length, posts.length]).toEqual([5002, 599, 4])
  expect(files).toMatchObject({ 0: { path: '0.removed', patch: undefined } })
  expect(shown[0]).toMatchObject({ path: `${folder}0`, patch: '@@ -1 +1 @@\n-0 old\n+0 new' })
})

it('only the chosen files have diffs, and only their texts are fetched', async () => {
  const commits = [{ a: 'a\n' }, { a: 'b\n', b: 'b\n' }]
  const choose = () => []
  const { files, posts } = await readChange(commits, { choose })
  expect(files).toMatchObject([
    { path: 'a', patch: undefined },
    { path: 'b', patch: undefined },
  ])
  expect(posts).toHaveLength(1)
})
