import { describe, expect, it } from 'vitest'
import type { ChangedFile } from '../../src/look/ranks.ts'
import { listFiles, renderFiles } from '../../src/prompt/files.ts'
import { file } from './describe-run.ts'

/** So many files, `src/0.ts` and so on. */
const filesOf = (count: number, patchAt: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => file(`src/${index}.ts`, patchAt(index)))

/** A patch of so many lines of ten bytes, line breaks included. */
const patchOf = (lines: number, letter = 'x') =>
  Array.from({ length: lines }, (_, at) => `+${letter.repeat(4)}${`${at}`.padStart(4, '0')}`).join(
    '\n',
  )

/** What is shown of files in so many bytes, under their headers. */
function show(files: readonly ChangedFile[], maxBytes = 60_000): string[] {
  const { text } = renderFiles(files, maxBytes)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes)
  return text.split('\n').slice(1)
}

const sizeOf = (lines: readonly string[]) => Buffer.byteLength(lines.join('\n'))
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

  it('come in the order in which readers would notice them, not by the alphabet', () => {
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
    inOrder.push('modified package-lock.json (+1 -0) (lock file: only named)')
    expect(headers(show(files))).toEqual(inOrder)
    // The headers alone, where only those are wanted.
    const text = `\n${inOrder.join('\n')}`
    expect(listFiles(files, 1000)).toEqual({ text, count: 7 })
  })

  it('are shown whole where they fit, and cut by the line where a byte is missing', () => {
    const files = [file('a.ts', patchOf(2000))]
    const whole = show(files)
    const size = sizeOf(['', ...whole])
    expect(size).toBe(Buffer.byteLength('\nmodified a.ts (+1 -0)\n') + 2000 * 10 - 1)
    expect(show(files, size)).toEqual(whole)
    const note = "… (8 more lines of this file's diff, left out here)"
    expect(show(files, size - 1).slice(-2)).toEqual(['+xxxx1991', note])
  })

  it('that readers notice get twice the room of other source', () => {
    const shown = show(
      [file('src/a.ts', patchOf(4000)), file('src/cli.ts', patchOf(4000, 'y'))],
      40_000,
    )
    const count = (letter: string): number =>
      shown.filter((line) => line.startsWith(`+${letter}`)).length
    expect(count('y') / count('x')).toBeCloseTo(2, 0)
    expect(sizeOf(shown)).toBeGreaterThan(39_700)
  })

  it('smaller than 600 bytes are shown whole, however much there is of others', () => {
    const names = Array.from({ length: 3000 }, (_, index) => `+  useIt${index}(x)`).join('\n')
    const shown = show([file('src/large.ts', names), file('src/small.ts', patchOf(50))], 8000)
    expect(shown.slice(shown.indexOf('modified src/small.ts (+1 -0)') + 1)).toEqual(
      patchOf(50).split('\n'),
    )
    expect(sizeOf(shown)).toBeGreaterThan(7900)
  })

  const filler = Array.from({ length: 60 }, (_, index) => `+  go to the ${index}`)
  const option = ['+', '+export function shipAll() {', '+  .option("--dry-run")', '+}', '+']

  it('that do not fit are shown by the lines that say most of names, whichever file they are in', () => {
    const files = ['src/a.ts', 'src/b.ts'].map((path, index) =>
      file(path, [...filler, ...(index === 1 ? option : []), ...filler].join('\n')),
    )
    const shown = show(files, 2000)
    const at = shown.indexOf('+  .option("--dry-run")')
    expect(shown.slice(at - 2, at + 2)).toEqual(option.slice(0, 4))
    expect(shown.filter((line) => line.includes('left out here'))).toHaveLength(2)
  })

  it('of tests and translations have a quarter if all else is shown whole, otherwise 8 KiB', () => {
    const tests = [file('a.test.ts', patchOf(3000)), file('i18n/de.json', patchOf(3000, 'y'))]
    const tooLarge = `${patchOf(200, 'z')}\n+${'z'.repeat(60_000)}`
    for (const { code, limit } of [
      { code: [], limit: 15_000 },
      { code: [file('a.ts', patchOf(9, 'z'))], limit: 15_000 },
      { code: [file('a.ts', tooLarge)], limit: 8 * 1024 },
    ]) {
      const shown = sizeOf(show([...tests, ...code]).filter((line) => /^\+[xy]{4}/.test(line)))
      expect([shown > limit - 1024, shown <= limit]).toEqual([true, true])
    }
    // Headers included.
    const many = Array.from({ length: 150 }, (_, at) =>
      file(`src/${at}.test.ts`, `+${at}\n${patchOf(300)}`),
    )
    expect(sizeOf(show(many, 32 * 1024))).toBeLessThanOrEqual(8 * 1024)
    expect(headers(show(many))).toHaveLength(150)
  })

  it('without a diff are marked', () => {
    const moved = { status: 'renamed', oldPath: 'a.ts', added: 0 }
    const files = [
      file('logo.png', '', { status: 'added', added: 0, patch: undefined }),
      file('big.ts', '', { added: 90_000, patch: undefined }),
      file('b.ts', '', moved),
      file('d.ts', '', { ...moved, patch: undefined }),
    ]
    expect(show(files)).toEqual([
      'added logo.png (no diff)',
      'modified big.ts (+90000 -0) (no diff)',
      'renamed a.ts to b.ts',
      'renamed a.ts to d.ts (no diff)',
    ])
  })

  it('that there is no room for are counted, as are those beyond 600', () => {
    const shown = show(
      filesOf(700, (index) => `+${'x'.repeat(290)}${index}`),
      20_000,
    )
    expect(shown.at(-1)).toBe(`… (${700 - headers(shown).length} more files, not named here)`)
    const named = listFiles(
      filesOf(650, () => '+x'),
      100_000,
    )
      .text.split('\n')
      .slice(1)
    expect([named.length, named.at(-1)]).toEqual([601, '… (50 more files, not named here)'])
  })
})
