import { describe, expect, it } from 'vitest'
import { listFiles, renderFiles, renderHunk } from '../../src/context/diff.ts'
import type { ChangedFile } from '../../src/context/ranking.ts'
import { shareRoom } from '../../src/context/room.ts'

function file(
  path: string,
  patch: string | undefined = '@@ -1 +1 @@\n+x',
  change: Partial<ChangedFile> = {},
): ChangedFile {
  return { status: 'modified', path, oldPath: path, added: 1, removed: 0, patch, ...change }
}

/** A patch of so many lines of ten bytes, line breaks included. */
function patchOf(lines: number, letter = 'x'): string {
  return Array.from(
    { length: lines },
    (_, index) => `+${letter.repeat(4)}${String(index).padStart(4, '0')}`,
  ).join('\n')
}

/** What is shown of files in so many bytes, less what is kept for names and headers of the rest. */
function show(files: readonly ChangedFile[], maxBytes = 60_000): string[] {
  const { text } = renderFiles(files, { maxBytes, told: '' })
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes)
  return text.split('\n').slice(1)
}

function headers(lines: readonly string[]): string[] {
  return lines.filter((line) => /^(?:added|modified|removed|renamed|copied) /.test(line))
}

describe('room', () => {
  it.each([
    [[10, 20, 30], 60, [10, 20, 30]],
    [[10, 20, 30], 100, [10, 20, 30]],
    [[10, 100, 100], 110, [10, 50, 50]],
    [[100, 10, 100], 111, [50, 10, 51]],
    [[100, 100, 100], 90, [30, 30, 30]],
    [[10, 10], 0, [0, 0]],
    [[10, 10], -5, [0, 0]],
    [[], 10, []],
  ])('for %j in %j is shared as %j', (sizes, room, shares) => {
    expect(
      shareRoom(
        sizes.map((size) => ({ size, weight: 1 })),
        room,
      ),
    ).toEqual(shares)
  })

  it('goes twice to what counts twice', () => {
    const things = [
      { size: 100, weight: 1 },
      { size: 100, weight: 2 },
      { size: 10, weight: 2 },
    ]
    expect(shareRoom(things, 70)).toEqual([20, 40, 10])
  })
})

describe('changed files', () => {
  it('are each under one header, with the text of the diff as it is', () => {
    const files = [
      file('src/a.ts', '@@ -1,2 +1,2 @@\n-const a: List<T>\n+const a: Map<string, T> // <!-- x -->', {
        removed: 1,
      }),
      file('src/c.ts', '@@ -1 +1 @@\r\n-b\u202e\r\n+c', {
        status: 'renamed',
        oldPath: 'src/b.ts',
        added: 12,
        removed: 3,
      }),
    ]
    expect(show(files)).toEqual([
      'modified src/a.ts (+1 -1)',
      '@@ -1,2 +1,2 @@',
      '-const a: List<T>',
      '+const a: Map<string, T> // <!-- x -->',
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
    expect(headers(show(files))).toEqual([
      'modified docs/z.md (+1 -0)',
      'modified src/cli.ts (+1 -0)',
      'modified c.ts (+1 -0)',
      'modified b.ts (+1 -0)',
      'modified a.test.ts (+1 -0)',
      'modified i18n/de.json (+1 -0)',
      'modified package-lock.json (+1 -0)',
    ])
  })

  it('are shown whole where they fit, and cut by the line where a byte is missing', () => {
    const whole = show([file('a.ts', patchOf(2000))])
    const size = Buffer.byteLength(`\n${whole.join('\n')}`)
    expect(size).toBe(Buffer.byteLength('\nmodified a.ts (+1 -0)\n') + 2000 * 10 - 1)
    // Room for one name is kept free.
    expect(show([file('a.ts', patchOf(2000))], size + 100)).toEqual(whole)
    const cut = show([file('a.ts', patchOf(2000))], size + 85)
    expect(cut.slice(-2)).toEqual(['+xxxx1992', "… (7 more lines of this file's diff, left out here)"])
  })

  it('that readers notice get twice the room of other source', () => {
    const shown = show([file('src/a.ts', patchOf(4000)), file('src/cli.ts', patchOf(4000, 'y'))], 40_000)
    const count = (letter: string): number => shown.filter((line) => line.startsWith(`+${letter}`)).length
    expect(count('y') / count('x')).toBeCloseTo(2, 0)
    expect(Buffer.byteLength(shown.join('\n'))).toBeGreaterThan(39_700)
  })

  it('are taken in order while each can have 1,200 bytes: no room is lost on shares too small to show', () => {
    const files = Array.from({ length: 260 }, (_, index) =>
      file(`src/${index}.ts`, `+${index}\n${patchOf(300)}`),
    )
    const shown = show(files, 48 * 1024)
    const parts = shown
      .join('\n')
      .split(/^modified .*\n/m)
      .slice(1)
    const withDiff = parts.filter((part) => part.includes('+xxxx0080'))
    expect(withDiff.length).toBeGreaterThan(30)
    expect(withDiff.length).toBeLessThanOrEqual(40)
    expect(Buffer.byteLength(shown.join('\n'))).toBeGreaterThan(47 * 1024)
    expect(headers(shown).length).toBeGreaterThan(200)
  })

  it('of tests and translations have 12 KiB, where anything else was changed', () => {
    const tests = [file('a.test.ts', patchOf(3000)), file('i18n/de.json', patchOf(3000, 'y'))]
    const sizeOf = (files: readonly ChangedFile[]): number =>
      Buffer.byteLength(
        show(files)
          .filter((line) => /^\+[xy]{4}/.test(line))
          .join('\n'),
      )
    expect(sizeOf([...tests, file('a.ts')])).toBeGreaterThan(11 * 1024)
    expect(sizeOf([...tests, file('a.ts')])).toBeLessThanOrEqual(12 * 1024)
    expect(sizeOf(tests)).toBeGreaterThan(50_000)
  })

  it('tell the names in what is left out', () => {
    const long = `${patchOf(3000)}\n+  .option('--json')\n-  .option('--xml')`
    const files = [
      file('src/cli.ts', long),
      ...Array.from({ length: 60 }, (_, index) =>
        file(`src/${index}.ts`, `${patchOf(200)}\n+export const useIt${index} = 1`),
      ),
    ]
    const shown = show(files)
    expect(shown).toContainEqual(
      expect.stringMatching(
        /^… \(\d+ more lines of this file's diff, left out here: adds --json; removes --xml\)$/,
      ),
    )
    expect(shown).toContain('modified src/59.ts (+1 -0): adds useIt59')
  })

  it('tell names in 8 KiB at most', () => {
    const many = Array.from({ length: 900 }, (_, index) => `+  .option('--option-${index}')`).join('\n')
    const files = Array.from({ length: 30 }, (_, index) =>
      file(`src/${index}.ts`, `${patchOf(400)}\n${many.replaceAll('--', `--x${index}-`)}`),
    )
    const names =
      show(files)
        .join('\n')
        .match(/--x\d+-option-\d+, /g)
        ?.join('') ?? ''
    expect(names.length).toBeGreaterThan(7 * 1024)
    expect(names.length).toBeLessThanOrEqual(8 * 1024)
  })

  it('with one and the same change show it once', () => {
    const bump = (path: string, line: number): ChangedFile =>
      file(path, `@@ -${line} +${line} @@\n "name": "${path}"\n-  "version": "1.0.0"\n+  "version": "1.1.0"`)
    const files = Array.from({ length: 130 }, (_, index) => bump(`packages/${index}/package.json`, index))
    expect(show(files)).toEqual([
      'modified packages/0/package.json (+1 -0)',
      '@@ -0 +0 @@',
      ' "name": "packages/0/package.json"',
      '-  "version": "1.0.0"',
      '+  "version": "1.1.0"',
      expect.stringMatching(
        /^… \(the same change in 129 more: packages\/1\/package\.json, .*… \(\d+ more characters\)\)$/,
      ),
    ])
  })

  it('without a diff say so, a plain move excepted', () => {
    const files = [
      { ...file('logo.png'), status: 'added', added: 0, patch: undefined },
      { ...file('big.ts'), added: 90_000, patch: undefined },
      { ...file('b.ts', ''), status: 'renamed', oldPath: 'a.ts', added: 0 },
      { ...file('d.ts'), status: 'renamed', oldPath: 'c.ts', added: 0, patch: undefined },
    ]
    expect(show(files)).toEqual([
      'added logo.png (GitHub shows no diff)',
      'modified big.ts (+90000 -0) (GitHub shows no diff)',
      'renamed a.ts to b.ts',
      'renamed c.ts to d.ts (GitHub shows no diff)',
    ])
  })

  it('that there is no room for are counted', () => {
    const files = Array.from({ length: 700 }, (_, index) =>
      file(`src/${index}.ts`, `+${'x'.repeat(290)}${index}`),
    )
    const tests = Array.from({ length: 20 }, (_, index) => file(`src/${index}.test.ts`, '+x'))
    const shown = show([...files, ...tests], 20_000)
    expect(shown.at(-1)).toBe(
      `… (${720 - headers(shown).length} more files, not named here, 20 of them tests, translations, generated or the like)`,
    )
    expect(headers(shown).length).toBeLessThanOrEqual(600)
  })

  it('are told by their headers alone where only those are wanted', () => {
    const files = [file('b.test.ts'), file('c.ts'), file('a.ts')]
    expect(listFiles(files, 1000)).toBe(
      '\nmodified c.ts (+1 -0)\nmodified a.ts (+1 -0)\nmodified b.test.ts (+1 -0)',
    )
  })

  it('are named up to 600', () => {
    const files = Array.from({ length: 650 }, (_, index) => file(`${index}.ts`))
    const lines = listFiles(files, 100_000).split('\n').slice(1)
    expect([lines.length, lines.at(-1)]).toEqual([601, '… (50 more files, not named here)'])
  })
})

describe('lines that are commented on', () => {
  const title = '\nLines commented on (the comment is about the last one):'

  it('are shown with the last one last', () => {
    expect(renderHunk('@@ -1,2 +1,2 @@\n a\n+b<c>\n', 1000)).toBe(`${title}\n@@ -1,2 +1,2 @@\n a\n+b<c>`)
    expect(renderHunk('', 1000)).toBe('')
  })

  it('are cut from the top', () => {
    const hunk = renderHunk(patchOf(100), 200)
    expect(hunk).toBe(
      `${title}\n… (90 lines above, left out here)\n${patchOf(100).split('\n').slice(90).join('\n')}`,
    )
    expect(Buffer.byteLength(hunk)).toBeLessThanOrEqual(200)
  })

  it('have the last one in any case, cut and said where it does not fit', () => {
    const hunk = renderHunk(`+a\n+${'x'.repeat(300)}`, 200)
    expect(hunk).toMatch(/\n… \(1 line above, left out here\)\n\+x{80,}… \(\d{3} more characters\)$/)
    expect(Buffer.byteLength(hunk)).toBeLessThanOrEqual(200)
  })
})
