import { describe, expect, it } from 'vitest'
import { chooseNames, findNames, newsIn, wordsIn } from '../../src/context/names.ts'
import type { ChangedFile } from '../../src/context/ranking.ts'

function file(path: string, ...lines: readonly string[]): ChangedFile {
  const patch = ['@@ -1,9 +1,9 @@ function context(oldName)', ...lines].join('\n')
  return { status: 'modified', path, oldPath: path, added: 1, removed: 1, patch }
}

/** What is told of the files of a change, without any room limit unless one is given. */
function tell(
  files: readonly ChangedFile[],
  { told = '', maxBytes = 8192 }: { readonly told?: string; readonly maxBytes?: number } = {},
): (string | undefined)[] {
  const names = chooseNames(findNames(files), { told: wordsIn(told), maxBytes })
  return files.map((one) => names.get(one))
}

describe('the names that a change brings or takes away', () => {
  it('are those of added lines alone and of removed lines alone', () => {
    const lines = [
      "-  .option('--xml', 'Write XML')",
      "+  .option('--json', 'Write JSON')",
      '+export function exportAll(rows: Row[], keptName: string) {',
      ' const keptName = 1',
    ]
    expect(tell([file('src/cli.ts', ...lines)])).toEqual(['adds --json, exportAll; removes --xml'])
  })

  it('include the first word of a line', () => {
    const one = file('a.yml', '-max_retries: 3', '+max_tries: 3')
    expect(tell([one])).toEqual(['adds max_tries; removes max_retries'])
  })

  it('are not those that only moved to another file', () => {
    const moved = 'export function parseAll() {}'
    expect(tell([file('src/a.ts', `-${moved}`), file('src/b.ts', `+${moved}`)])).toEqual([
      undefined,
      undefined,
    ])
  })

  it.each([
    ['a flag', "+  .option('--dry-run')", '--dry-run'],
    ['an environment variable', "+const key = process.env['API_KEY']", 'API_KEY'],
    ['an export', '+export const limit = 5', 'limit'],
    ['a public function', '+    pub fn retry(&self) {', 'retry'],
    ['a definition', '+def connect(url):', 'connect'],
    ['a key of configuration', '+max_retries: 3', 'max_retries'],
    ['a plain key', '+timeout: 3', 'timeout'],
    ['a key in front', '+max-size: 3', 'max-size'],
    ['a quoted key', '+  "dry-run": true', 'dry-run'],
    ['a name of several words', '+  useAgent(x)', 'useAgent'],
  ])('include %s', (_what, line, name) => {
    expect(tell([file('src/ship.ts', line)])).toEqual([`adds ${name}`])
  })

  it.each([
    ['plain words', '+the quick brown fox'],
    ['words with hyphens', '+// a well-known thing'],
    ['very short names', '+export const id = 1'],
    ['what a definition is made of', '+export const id = list(rows)'],
    ['what follows an escape', "+print('x\\nFooBar')"],
    ['the context that a hunk is in', ''],
  ])('do not include %s', (_what, line) => {
    expect(tell([file('src/ship.ts', line)])).toEqual([undefined])
  })

  it('of lock files are none, and of tests come later', () => {
    const files = [
      file('test/ship.test.ts', "+  run('--only-tested', callTheService())"),
      file('package-lock.json', '+    "node_modules/fooBar": {'),
      file('src/ship.ts', '+export const shipIt = 1'),
    ]
    expect(tell(files)).toEqual(['adds --only-tested', undefined, 'adds shipIt'])
    expect(tell(files, { maxBytes: 20 })).toEqual([undefined, undefined, 'adds shipIt'])
  })

  it('are told once, and not again where they stand elsewhere', () => {
    const files = [
      file('src/a.ts', '+export function parseAll() {}'),
      file('src/b.ts', '+  parseAll(fooBar)'),
    ]
    expect(tell(files)).toEqual(['adds parseAll', 'adds fooBar'])
    expect(tell(files, { told: 'It adds parseAll.' })).toEqual([undefined, 'adds fooBar'])
  })

  it('fill the room that there is with the best of them', () => {
    const files = [
      file('src/a.ts', '+  localName(otherName)', "+  flag('--json')", '+export const exported_name = 1'),
    ]
    expect(tell(files, { maxBytes: '; adds --json, exported_name'.length })).toEqual([
      'adds --json, exported_name',
    ])
    expect(tell(files, { maxBytes: '; adds --json, exported_name'.length - 1 })).toEqual([
      'adds --json, localName',
    ])
  })

  it('are news of a file if readers are likely to look for them', () => {
    const one = file(
      'src/a.ts',
      '+  localName()',
      "+  flag('--json')",
      '+export const exportAll = 1',
      "-  flag('--xml')",
    )
    expect(newsIn(findNames([one]).get(one) ?? [])).toBe(2)
  })
})
