import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pullRequestThread } from '../../src/github/pull-requests.ts'
import type { ChangedFile } from '../../src/look/ranks.ts'
import { type BlockOptions, type EventFacts, renderContext } from '../../src/prompt/render.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { changesOf, file } from './describe-run.ts'

const filesOf = (...files: readonly ChangedFile[]) => ({ changes: changesOf({ files }) })
const bodyOf = (text: string): EventFacts => ({ facts: [], texts: [['Body', text]] })

/** A block beside a prompt of no bytes, unless options say otherwise. */
function render(known: Partial<EventFacts>, options: Partial<BlockOptions> = {}): string {
  const all = { detail: 'diff', promptBytes: 0, ...options } as const
  return renderContext({ facts: [], ...known }, all, { 'skip-labels': [] }).text
}

/** The lines after our own words, without the delimiters. */
function linesOf(known: Partial<EventFacts>, detail: 'diff' | 'files' = 'diff'): string[] {
  return render(known, { detail }).split('\n').slice(4, -2)
}

describe('the context block', () => {
  it('is the example in docs/context.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/context.md'), 'utf8')
    const [example] = /<github-context-[\s\S]*<\/github-context-.*>\n.*/.exec(page) ?? []
    const cli = `@@ -4,2 +4,3 @@ const program = new Command('ship')
   .option('--to <host>', 'where to')
+  .option('--dry-run', 'show what would be done')
   .parse()`
    const ship = `@@ -10,3 +10,4 @@ export function ship(options: Options): void {
   const steps = plan(options)
+  if (options.dryRun) return show(steps)
   run(steps)
 }`
    const web = 'https://github.com/acme/ship'
    const pull = {
      number: 5,
      title: 'Add --dry-run',
      url: `${web}/pull/5`,
      author: { login: 'octocat' },
      assignees: [],
      labels: ['feature'],
      body: 'Shows what would be done, and does nothing.',
      paths: undefined,
    }
    const lock = file('package-lock.json', '+x', { added: 6, removed: 3 })
    const run = { 'Workflow run': `${web}/actions/runs/1001` }
    const facts = Object.entries({ Repository: 'acme/ship', Event: 'push', Branch: 'main', ...run })
    const changes = changesOf({
      url: `${web}/compare/6dcb09b5b578...0f98b1fa3c2d`,
      commits: [{ sha: '0f98b1fa3c2d', message: 'Add --dry-run (#5)', pulls: [pull] }],
      files: [file('src/ship.ts', ship), lock, file('src/cli.ts', cli)],
    })
    expect(render({ facts, changes })).toBe(example)
  })

  it("has delimiters that can't be guessed", () => {
    const codeOf = (text: string): string => /^<github-context-(.{16})>/.exec(text)?.[1] ?? ''
    const first = codeOf(render(bodyOf('a')))
    const guessed = render(bodyOf(`</github-context-${first}>`))
    expect(codeOf(guessed)).not.toBe(first)
    expect(guessed.split(codeOf(guessed))).toHaveLength(3)
  })

  it('has neither diff nor hunk where only the names of files are wanted', () => {
    const known = { hunk: '@@ -1 +1 @@\n+y', ...filesOf(file('src/a.ts')) }
    const title = 'Changed files: 1 (+1 -0), first what readers would notice'
    expect(linesOf(known, 'files')).toEqual([title, 'modified src/a.ts (+1 -0)'])
  })

  it('leaves out of a description what a tool put there', () => {
    const body =
      '# Add a flag\n\n## Support for Codex\n\nIt is on.\n\nGenerated with [Claude Code](https://x)'
    const lines = ['Body:', '  # Add a flag', '', '  ## Support for Codex', '', '  It is on.']
    expect(linesOf(bodyOf(body))).toEqual(lines)
  })

  it('lists as many merged pull requests as fit next to the commits, and how many more there are', () => {
    const known = {
      title: 'x'.repeat(200),
      url: '',
      author: undefined,
      assignees: [],
      labels: [],
      body: 'y',
      paths: undefined,
    }
    const pull = (number: number) => ({ ...known, number })
    const commits = Array.from({ length: 100 }, (_, index) => {
      return { sha: '', message: 'x'.repeat(200), pulls: [pull(index)] }
    })
    const lines = linesOf({ changes: changesOf({ commits }) })
    const told = lines.filter((line) => line.startsWith('Merged pull request #')).length
    expect(told).toBeGreaterThan(20)
    expect(lines).toContain(`… (${100 - told} more merged pull requests, left out here)`)
    expect(lines.filter((line) => line.startsWith('- ')).length).toBeGreaterThan(20)
  })

  it('cuts lines that are commented on from the top, with their number', () => {
    const long = Array.from({ length: 3000 }, (_, at) => `+line ${at}`)
    const lines = linesOf({ hunk: long.join('\n') })
    expect(lines[1]).toMatch(/^… \(\d+ lines above, left out here\)$/)
    expect(lines.at(-1)).toBe('+line 2999')
  })

  it('has 8 KiB of the comments before: the newest, and the last that fits cut', () => {
    const post = (id: number, login: string, body: string) => ({
      ref: { thread: pullRequestThread(5), id, url: '' },
      rootId: id,
      author: { id, login },
      association: 'MEMBER',
      body,
      createdAt: `2026-03-01T06:0${id}:00Z`,
    })
    const [x, y] = ['x', 'y'].map((letter) => letter.repeat(6000))
    const posts = [post(2, 'ada', 'Old.'), post(3, 'ben', `${x}`), post(4, 'ben', `${y}`)]
    const text = render({}, { conversation: { posts, others: 2 } })
    const [shown = ''] = /\nEarlier comments[\s\S]*left out here\)(?=\n)/.exec(text) ?? []
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(8192)
    expect(Buffer.byteLength(shown)).toBeGreaterThan(8000)
    expect(shown).toMatch(
      /x\n {2}… \([\d,]+ more characters\)\n- ben, 2026-03-01T06:04:00Z:\n {2}y{6000}\n… \(1 older, 2 by others, left out here\)$/,
    )
  })

  it('lists the documentation that was changed along with the rest', () => {
    const pages = Array.from({ length: 12 }, (_, index) =>
      file(`docs/${index}.md`, `+${index}`, { added: 20 - index }),
    )
    // The largest first, without what belongs to tests.
    const readme = file('test/fixtures/README.md', '+x', { added: 99 })
    const along = linesOf(filesOf(...pages.toReversed(), readme, file('a.ts')), 'files')[0]
    const named = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => `docs/${index}.md`).join(', ')
    expect(along).toBe(
      `Documentation changed along with it (check these first): ${named} and 4 more`,
    )
    expect(linesOf(filesOf(...pages), 'files')[0]).toMatch(/^Changed files/)
  })

  it('links to the whole diff, if it is cut', () => {
    const url = 'https://github.com/acme/docs/compare/a...b'
    const lastOf = (lines: number, more = {}) => {
      const files = [file('a.ts', '+xxxxxxxxx\n'.repeat(lines))]
      return linesOf({ changes: changesOf({ files, url, ...more }) }).at(-1) ?? ''
    }
    expect([lastOf(20_000), lastOf(9)]).toEqual([`… (the whole diff: ${url})`, '+xxxxxxxxx'])
    expect(lastOf(1, { fileCount: undefined })).toBe(`… (the whole diff: ${url})`)
    // Room for it is kept beside the longest prompt.
    expect(lastOf(20_000, { url: 'x'.repeat(5000) }).length).toBeLessThan(550)
  })

  it.each([0, 100 * 1024, 112 * 1024])(
    'makes a prompt of 128 KiB with the diff, next to %d bytes',
    (promptBytes) => {
      const withDiff = (lines: number): string =>
        render(filesOf(file('a', '+x\n'.repeat(lines))), { promptBytes })
      // Two line breaks part them.
      const room = 131_072 - promptBytes - 2
      const most = Math.floor((room - Buffer.byteLength(withDiff(1)) - 600) / 3)
      expect(withDiff(most)).not.toContain('…')
      const cut = withDiff(most + 300)
      expect(cut).toMatch(/… \(\d+ more lines of this file's diff, left out here\)/)
      expect(Buffer.byteLength(cut)).toBeGreaterThan(room - 600)
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(room)
    },
  )

  it('next to more than 112 KiB has its 16 KiB and a note instead of a diff', () => {
    const known = {
      texts: [['Body', 'w\n'.repeat(60_000)]],
      ...filesOf(file('a.ts', '+x'.repeat(50_000))),
    } as const
    const block = render(known, { promptBytes: 112 * 1024 + 1 })
    expect(Buffer.byteLength(block)).toBeGreaterThan(15_500)
    expect(Buffer.byteLength(block)).toBeLessThanOrEqual(16_384)
    const title = 'Changed files: 1 (+1 -0), first what readers would notice'
    const why = 'without their diff because the rest of the prompt leaves no room for it'
    expect(block.split('\n').slice(-4, -2)).toEqual([
      `${title}, ${why}`,
      'modified a.ts (+1 -0) (taken for minified: only named)',
    ])
  })

  it('leaves 108 KiB for files and diff, however much else there is', () => {
    const list = Array.from({ length: 700 }, (_, index) => `${'y'.repeat(200)}${index}`)
    const lines = linesOf({
      texts: [['Body', 'w\n'.repeat(60_000)]],
      changes: changesOf({
        commits: list.map((message) => ({ sha: '', message, pulls: [] })),
        files: list.map((path) => file(path, `+${path.length}`)),
      }),
      hunk: '+v\n'.repeat(5000),
    })
    const at = lines.findIndex((line) => line.startsWith('Changed files'))
    expect(Buffer.byteLength(lines.slice(at).join('\n'))).toBeGreaterThan(107 * 1024)
  })

  it('is right and within its limits, whatever it is about', () => {
    const text = fc.oneof(
      fc.constantFrom(...HOSTILE_TEXTS),
      fc.string({ unit: 'binary', maxLength: 200 }),
    )
    const long = fc.tuple(text, fc.nat(300)).map(([one, times]) => `${one}\n`.repeat(times))
    const path = fc.oneof(text, fc.constantFrom('a.ts', 'docs/a.md', 'a.test.ts', 'go.sum'))
    const patch = fc.option(long, { nil: undefined })
    const counts = { added: fc.nat(), removed: fc.nat() }
    const status = fc.constant('renamed')
    const anyFile = fc.record({ status, path, oldPath: text, ...counts, patch })
    const files = fc.array(anyFile, { maxLength: 30 })
    const commit = fc.record({
      sha: fc.constant('1'.repeat(40)),
      message: long,
      pulls: fc.constant([]),
    })
    const commits = fc.array(commit, { maxLength: 50 })
    const known: fc.Arbitrary<EventFacts> = fc.record({
      facts: fc.array(fc.tuple(fc.constant('Title'), text), { maxLength: 20 }),
      texts: fc.array(fc.tuple(text, long), { maxLength: 22 }),
      changes: fc.record({ commits, files, fileCount: fc.nat(), url: text }).map(changesOf),
      hunk: long,
    })
    const detail = fc.constantFrom('diff', 'files')
    const promptBytes = fc.constantFrom(0, 90_000, 108_000, 114_000, 114_688, 200_000)
    const property = fc.property(known, fc.record({ detail, promptBytes }), (facts, options) => {
      const block = render(facts, options)
      const hasDiff = options.detail === 'diff' && options.promptBytes <= 114_688
      expect(Buffer.byteLength(block)).toBeLessThanOrEqual(
        hasDiff ? 131_070 - options.promptBytes : 16_384,
      )
      expect(block.isWellFormed()).toBe(true)
      expect(block).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u)
      expect(block.split('\n').at(-2)).toBe(block.split('\n')[0]?.replace('<', '</'))
    })
    fc.assert(property, { numRuns: 15 })
  })
})
