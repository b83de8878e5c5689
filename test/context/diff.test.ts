import { describe, expect, it } from 'vitest'
import { type ChangedFile, isGenerated, renderDiff, renderHunk, shareRoom } from '../../src/context/diff.ts'

function file(path: string, patch: string | undefined = '@@ -1 +1 @@\n+x'): ChangedFile {
  return { status: 'modified', path, oldPath: path, patch }
}

/** A patch of so many lines of ten bytes, line breaks included. */
function patchOf(lines: number): string {
  return Array.from({ length: lines }, (_, index) => `+line${String(index).padStart(4, '0')}`).join('\n')
}

describe('room', () => {
  it.each([
    [[10, 20, 30], 60, [10, 20, 30]],
    [[10, 20, 30], 100, [10, 20, 30]],
    [[10, 100, 100], 110, [10, 50, 50]],
    [[100, 10, 100], 111, [51, 10, 50]],
    [[100, 100, 100], 90, [30, 30, 30]],
    [[5, 40, 1000, 60], 125, [5, 40, 40, 40]],
    [[10, 10], 0, [0, 0]],
    [[10, 10], -5, [0, 0]],
    [[], 10, []],
  ])('for %j in %j is shared as %j', (sizes, room, shares) => {
    const shared = shareRoom(sizes, room)
    expect(shared.toSorted()).toEqual(shares.toSorted())
    expect(shared.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(Math.max(0, room))
  })
})

describe('the diff', () => {
  it('has each file under its name, and its text as it is', () => {
    const files = [
      file('src/a.ts', '@@ -1,2 +1,2 @@\n-const a: List<T>\n+const a: Map<string, T> // <!-- x -->'),
      { status: 'renamed', path: 'src/c.ts', oldPath: 'src/b.ts', patch: '@@ -1 +1 @@\n-b\n+c' },
    ]
    expect(renderDiff(files, 1000)).toBe(`
Diff:
diff --git a/src/a.ts b/src/a.ts
@@ -1,2 +1,2 @@
-const a: List<T>
+const a: Map<string, T> // <!-- x -->
diff --git a/src/b.ts b/src/c.ts
@@ -1 +1 @@
-b
+c`)
  })

  it('is whole where it fits to the byte, and cut where one byte is missing', () => {
    const whole = renderDiff([file('a', patchOf(200))], 100_000)
    const size = Buffer.byteLength(whole)
    expect(size).toBe(Buffer.byteLength('\nDiff:\ndiff --git a/a b/a\n') + Buffer.byteLength(patchOf(200)))
    expect(renderDiff([file('a', patchOf(200))], size)).toBe(whole)
    const cut = renderDiff([file('a', patchOf(200))], size - 1)
    expect(cut).toMatch(/\n\+line0193\n… \(6 more lines of this file's diff, left out here\)$/)
    expect(Buffer.byteLength(cut)).toBeLessThan(size)
  })

  it('shows small files whole, and as much of each large one', () => {
    const diff = renderDiff([file('a', patchOf(400)), file('small'), file('b', patchOf(900))], 3000)
    expect(diff).toContain('diff --git a/small b/small\n@@ -1 +1 @@\n+x\n')
    const [ofA, ofB] = diff.split('diff --git a/small').map((part) => part.match(/\+line/g)?.length ?? 0)
    expect(ofA).toBe(ofB)
    expect(ofA).toBeGreaterThan(80)
    expect(diff).toContain(`… (${400 - (ofA ?? 0)} more lines of this file's diff, left out here)`)
    expect(diff).toContain(`… (${900 - (ofB ?? 0)} more lines of this file's diff, left out here)`)
    expect(Buffer.byteLength(diff)).toBeLessThanOrEqual(3000)
  })

  it('has what people write before what they do not, which gets the rest', () => {
    const files = [file('package-lock.json', patchOf(500)), file('src/a.ts', patchOf(100))]
    const roomy = renderDiff(files, 3000)
    expect(roomy.indexOf('b/src/a.ts')).toBeLessThan(roomy.indexOf('b/package-lock.json'))
    expect(roomy).toContain('+line0099\ndiff --git a/package-lock.json')
    expect(roomy).toMatch(/… \(\d+ more lines of this file's diff, left out here\)$/)
    expect(renderDiff(files, 1100)).toMatch(/\+line0099\n… \(no room for the diff of: package-lock\.json\)$/)
    expect(renderDiff(files, 1000)).toMatch(/of this file's diff, left out here\)\n… \(no room for .*\)$/)
  })

  it('says which files GitHub shows no diff of, and which there is no room for', () => {
    expect(
      renderDiff([file('logo.png', undefined), file('new.bin', undefined)].map(withoutPatch), 1000),
    ).toBe('\nDiff:\n… (binary, empty or too large for GitHub to show: logo.png, new.bin)')
    const both = renderDiff([file('a.ts', patchOf(200)), withoutPatch(file('logo.png'))], 1000)
    expect(both).toMatch(/\+line\d+\n… \(\d+ more lines .*\)\n… \(binary, .*: logo\.png\)$/)
    expect(Buffer.byteLength(both)).toBeLessThanOrEqual(1000)
    const many = Array.from({ length: 300 }, (_, index) => file(`src/${index}.ts`, patchOf(10)))
    const diff = renderDiff(many, 1500)
    expect(diff).toMatch(/… \(no room for the diff of: src\/0\.ts, .* and \d+ more\)$/)
    const named = diff.match(/src\/\d+\.ts/g)?.length ?? 0
    expect(diff).toContain(` and ${300 - named} more)`)
    expect(Buffer.byteLength(diff)).toBeLessThanOrEqual(1500)
  })

  it('is left out where there is nothing to show', () => {
    expect(renderDiff([], 1000)).toBe('')
    expect(renderDiff([file('moved.ts', '')], 1000)).toBe('')
  })
})

function withoutPatch(one: ChangedFile): ChangedFile {
  return { ...one, patch: undefined }
}

describe('a hunk that is commented on', () => {
  const title = '\nLines commented on (the comment is about the last one):'

  it('is shown with its last line last', () => {
    expect(renderHunk('@@ -1,2 +1,2 @@\n a\n+b<c>\n', 1000)).toBe(`${title}\n@@ -1,2 +1,2 @@\n a\n+b<c>`)
    expect(renderHunk('', 1000)).toBe('')
  })

  it('is cut from the top', () => {
    const hunk = renderHunk(patchOf(100), 200)
    expect(hunk).toBe(
      `${title}\n… (90 lines above, left out here)\n${patchOf(100).split('\n').slice(90).join('\n')}`,
    )
    expect(Buffer.byteLength(hunk)).toBeLessThanOrEqual(200)
  })

  it('has its last line in any case, cut and said where it does not fit', () => {
    const hunk = renderHunk(`+a\n+${'x'.repeat(300)}`, 200)
    expect(hunk).toBe(`${title}\n… (1 line above, left out here)\n+${'x'.repeat(82)}… (218 more characters)`)
    expect(Buffer.byteLength(hunk)).toBeLessThanOrEqual(200)
  })
})

describe('a file that people do not write', () => {
  it.each([
    'package-lock.json',
    'web/yarn.lock',
    'pnpm-lock.yaml',
    'Cargo.lock',
    'go.sum',
    'poetry.lock',
    'app.min.js',
    'assets/app-min.css',
    'app.js.map',
    'dist/index.js',
    'web/dist/index.js',
    'vendor/lib/x.go',
    'api/user.pb.go',
    'api/user_pb2.py',
    'src/__generated__/types.ts',
    'src/schema.generated.ts',
    'src/__snapshots__/a.test.ts.snap',
  ])('is told by its path: %s', (path) => {
    expect(isGenerated(file(path))).toBe(true)
  })

  it.each([
    ['its long lines', `@@ -1 +1 @@\n+${'x'.repeat(1200)}`],
    ['its mark', '@@ -0,0 +1,3 @@\n+// @generated by a tool'],
    ['its notice', '@@ -0,0 +1,3 @@\n+// Code generated by protoc-gen-go. DO NOT EDIT.'],
  ])('is told by %s', (_what, patch) => {
    expect(isGenerated(file('src/a.go', patch))).toBe(true)
  })

  it.each([
    'src/lock.ts',
    'docs/lock.md',
    'src/distance.ts',
    'src/admin.js',
    'src/mapping.ts',
    'src/generate.ts',
  ])('is not %s', (path) => {
    expect(isGenerated(file(path))).toBe(false)
  })
})
