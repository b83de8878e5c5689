import { describe, expect, it } from 'vitest'
import { listFiles, renderFiles, shareBytes } from '../../src/context/diff.ts'
import type { ChangedFile } from '../../src/context/ranking.ts'
import { file } from './describe-run.ts'

/** So many files, `src/0.ts` and so on. */
const filesOf = (count: number, patchAt: (index: number) => string, ending = 'ts') =>
  Array.from({ length: count }, (_, index) => file(`src/${index}.${ending}`, patchAt(index)))

/** A patch of so many lines of ten bytes, line breaks included. */
const patchOf = (lines: number, letter = 'x') =>
  Array.from({ length: lines }, (_, at) => `+${letter.repeat(4)}${`${at}`.padStart(4, '0')}`).join('\n')

/** What is shown of files in so many bytes, less what is kept for names and headers of the rest. */
function show(files: readonly ChangedFile[], maxBytes = 60_000): string[] {
  const { text } = renderFiles(files, maxBytes, '')
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes)
  return text.split('\n').slice(1)
}

const sizeOf = (lines: readonly string[]) => Buffer.byteLength(lines.join('\n'))
const headers = (lines: readonly string[]) => lines.filter((line) => line.startsWith('modified '))

it.each([
  [[10, 20, 30], 60, [10, 20, 30], undefined],
  [[10, 20, 30], 100, [10, 20, 30], undefined],
  [[100, 10, 100], 111, [50, 10, 51], undefined],
  [[100, 100, 100], 90, [30, 30, 30], undefined],
  [[10, 10], -5, [0, 0], undefined],
  [[], 10, [], undefined],
  [[100, 100, 10], 70, [20, 40, 10], [1, 2, 2]],
])(
  'bytes for sizes %j in %j are shared as %j, by weights if there are any: %j',
  (sizes, room, shares, weights) => {
    expect(shareBytes(sizes, room, weights)).toEqual(shares)
  },
)

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
      file('b.ts', '@@ -1 +1 @@\n+x'),
      file('package-lock.json', patchOf(3)),
      file('c.ts', "@@ -1 +1 @@\n+run('--json')"),
      file('i18n/de.json', '@@ -1 +1 @@\n+y'),
      file('src/cli.ts', '@@ -1 +1 @@\n+let y'),
      file('docs/z.md', '@@ -1 +1 @@\n+Use `useJson`.'),
    ]
    const paths = 'docs/z.md src/cli.ts c.ts b.ts a.test.ts i18n/de.json package-lock.json'.split(' ')
    const inOrder = paths.map((path) => `modified ${path} (+1 -0)`)
    inOrder[6] += ' (lock file: only named)'
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
    // Room for one name is kept free.
    expect(show(files, size + 50)).toEqual(whole)
    const note = "… (12 more lines of this file's diff, left out here)"
    expect(show(files, size - 1).slice(-2)).toEqual(['+xxxx1987', note])
  })

  it('that readers notice get twice the room of other source', () => {
    const shown = show([file('src/a.ts', patchOf(4000)), file('src/cli.ts', patchOf(4000, 'y'))], 40_000)
    const count = (letter: string): number => shown.filter((line) => line.startsWith(`+${letter}`)).length
    expect(count('y') / count('x')).toBeCloseTo(2, 0)
    expect(sizeOf(shown)).toBeGreaterThan(39_700)
  })

  it('are taken in order while each can have 1,200 bytes: no room is lost on shares too small to show', () => {
    const files = filesOf(260, (index) => `+${index}\n${patchOf(300)}`)
    const shown = show(files, 48 * 1024)
    const withDiff = shown.filter((line) => line === '+xxxx0080')
    expect(withDiff.length).toBeGreaterThan(30)
    expect(withDiff.length).toBeLessThanOrEqual(40)
    expect(sizeOf(shown)).toBeGreaterThan(46.5 * 1024)
    expect(headers(shown).length).toBeGreaterThan(200)
  })

  it('of tests and translations have 8 KiB together, whatever else was changed', () => {
    const tests = [file('a.test.ts', patchOf(3000)), file('i18n/de.json', patchOf(3000, 'y'))]
    const shownOf = (files: readonly ChangedFile[]): number =>
      sizeOf(show(files).filter((line) => /^\+[xy]{4}/.test(line)))
    for (const files of [tests, [...tests, file('a.ts')]]) {
      expect(shownOf(files)).toBeGreaterThan(7.7 * 1024)
      expect(shownOf(files)).toBeLessThanOrEqual(8 * 1024)
    }
    // Headers included.
    const many = Array.from({ length: 150 }, (_, at) => file(`src/${at}.test.ts`, `+${at}\n${patchOf(300)}`))
    expect(sizeOf(show(many))).toBeLessThanOrEqual(8 * 1024)
    expect(headers(show(many))).toHaveLength(150)
  })

  it('tell the names in what is left out', () => {
    const options = Array.from(
      { length: 300 },
      (_, at) => `+  .option('--json-${at}', '${'x '.repeat(200)}')`,
    )
    const long = file('src/cli.ts', [...options, `-  .option('--xml', '${'x '.repeat(200)}')`].join('\n'))
    const shown = show([long, ...filesOf(60, (index) => `${patchOf(200)}\n+export const useIt${index} = 1`)])
    const cut = /^… \(\d+ more lines of this file's diff, left out here: adds --json-\d+, .*\)$/
    expect(shown).toContainEqual(expect.stringMatching(cut))
    expect(shown).toContain('modified src/59.ts (+1 -0): adds useIt59')
  })

  it('tell names in 8 KiB at most', () => {
    const many = Array.from({ length: 900 }, (_, index) => `+  .option('--option-${index}')`).join('\n')
    const files = filesOf(30, (index) => `${patchOf(400)}\n${many.replaceAll('--', `--x${index}-`)}`)
    const text = show(files).join('\n')
    const names = [...text.matchAll(/--x\d+-option-\d+, /g)].join('')
    expect(names.length).toBeGreaterThan(7 * 1024)
    expect(names.length).toBeLessThanOrEqual(8 * 1024)
  })

  it('with one and the same change show it once', () => {
    const version = ['-  "version": "1.0.0"', '+  "version": "1.1.0"']
    const bumps = filesOf(130, (at) => [`@@ -${at} +${at} @@`, ` "name": "${at}"`, ...version].join('\n'))
    const note = /^… \(the same change in 129 more: src\/1\.ts, .*… \(\d+ more characters\)\)$/
    const first = ['modified src/0.ts (+1 -0)', '@@ -0 +0 @@', ' "name": "0"', ...version]
    expect(show(bumps)).toEqual([...first, expect.stringMatching(note)])
  })

  it('without a diff say so, a plain move excepted', () => {
    const moved = { status: 'renamed', oldPath: 'a.ts', added: 0 }
    const files = [
      file('logo.png', '', { status: 'added', added: 0, patch: undefined }),
      file('big.ts', '', { added: 90_000, patch: undefined }),
      file('b.ts', '', moved),
      file('d.ts', '', { ...moved, patch: undefined }),
    ]
    expect(show(files)).toEqual([
      'added logo.png (GitHub shows no diff)',
      'modified big.ts (+90000 -0) (GitHub shows no diff)',
      'renamed a.ts to b.ts',
      'renamed a.ts to d.ts (GitHub shows no diff)',
    ])
  })

  it('that there is no room for are counted', () => {
    const files = filesOf(700, (index) => `+${'x'.repeat(290)}${index}`)
    const shown = show([...files, ...filesOf(20, () => '+x', 'test.ts')], 20_000)
    const kinds = '20 of them tests, translations, generated or the like'
    expect(shown.at(-1)).toBe(`… (${720 - headers(shown).length} more files, not named here, ${kinds})`)
  })

  it('are named up to 600', () => {
    const files = filesOf(650, () => '+x')
    const lines = listFiles(files, 100_000).text.split('\n').slice(1)
    expect([lines.length, lines.at(-1)]).toEqual([601, '… (50 more files, not named here)'])
  })
})
