import { describe, expect, it } from 'vitest'
import type { ChangedFile } from '../../src/changes/ranks.ts'
import { showFiles } from '../../src/prompt/show-diff.ts'
import { file } from './changes.ts'

/** So many files, `src/0.ts` and so on. */
const filesOf = (count: number, patchAt: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => file(`src/${index}.ts`, patchAt(index)))

/** What is shown of files in so many bytes. */
function show(files: readonly ChangedFile[], maxBytes = 60_000, options = {}): string[] {
  const { text } = showFiles(files, maxBytes, options)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes)
  return text.split('\n').slice(1)
}

const headers = (lines: readonly string[]) => lines.filter((line) => line.startsWith('modified '))

describe('changed files', () => {
  it('are each under one header, with the text of the diff as it is', () => {
    const patch = '@@ -1,2 +1,2 @@\n-const a: List<T>\n+const a: Map<string, T> // <!-- x -->'
    const renamed = { status: 'renamed', oldPath: 'src/b.ts', added: 12, removed: 3 }
    const second = file('src/c.ts', '@@ -1 +1 @@\r\n-b\u202e\r\n+c', renamed)
    expect(show([file('src/a.ts', patch, { removed: 1 }), second])).toEqual([
      'modified src/a.ts (+1 -1)',
      ...patch.split('\n'),
      'renamed src/b.ts to src/c.ts (+12 -3)',
      '@@ -1 +1 @@',
      '-b',
      '+c',
    ])
  })

  it('come in the order in which readers would notice them', () => {
    const files = [
      file('a.test.ts'),
      file('b.ts'),
      file('package-lock.json'),
      file('c.ts', "+run('--json')"),
      file('i18n/de.json'),
      file('src/cli.ts', '+let y'),
      file('docs/z.md', '+Use `useJson`.'),
    ]
    const paths = ['docs/z.md', 'src/cli.ts', 'c.ts', 'b.ts', 'a.test.ts', 'i18n/de.json']
    const inOrder = paths.map((path) => `modified ${path} (+1 -0)`)
    inOrder.push('modified package-lock.json (+1 -0) (lock files: only named)')
    expect(headers(show(files))).toEqual(inOrder)
    const named = show(files, 1000, { hasDiffs: false })
    expect([named[0], named.at(-1)]).toEqual(['modified src/cli.ts (+1 -0)', inOrder.at(-1)])
  })

  it('that do not fit are shown by the pieces with names that readers look for', () => {
    const filler = Array.from({ length: 60 }, (_, index) => `+  go to the ${index}`)
    const option = ['+', '+export function shipAll() {', '+  .option("--dry-run")', '+}', '+']
    const files = ['src/a.ts', 'src/b.ts'].map((path, index) =>
      file(path, [...filler, ...(index === 1 ? option : []), ...filler].join('\n')),
    )
    const shown = show(files, 2000)
    const at = shown.indexOf('+  .option("--dry-run")')
    expect(shown.slice(at - 3, at + 3)).toEqual(['…', ...option.slice(0, 4), '…'])
  })

  it.each([
    { path: 'logo.png', change: { status: 'added', added: 0 }, header: 'added logo.png (no diff)' },
    { path: 'big.ts', change: { added: 90_000 }, header: 'modified big.ts (+90000 -0) (no diff)' },
    { path: 'new.ts', change: { added: undefined }, header: 'modified new.ts (no diff)' },
  ])('without a diff are marked: $header', ({ path, change, header }) => {
    expect(show([file(path, '', { patch: undefined, ...change })])).toEqual([header])
  })

  it('that are not named are counted: those without room, beyond 600, or unknown', () => {
    const shown = show(
      filesOf(700, () => '+x'),
      20_000,
    )
    expect(shown.at(-1)).toBe(`… (${700 - headers(shown).length} more files, not named here)`)
    const named = show(
      filesOf(650, () => '+x'),
      100_000,
      { hasDiffs: false, fileCount: 800 },
    )
    expect([named.length, named.at(-1)]).toEqual([601, '… (200 more files, not named here)'])
  })
})
