import { describe, expect, it } from 'vitest'
import { chooseNames, findNames, newsIn } from '../../src/context/names.ts'
import { file } from './describe-run.ts'

const changed = (path: string, ...lines: readonly string[]) =>
  file(path, ['@@ -1,9 +1,9 @@ function context(oldName)', ...lines].join('\n'))

/** What is told of the files of a change, without any room limit unless one is given; empty for none. */
function tell(files: readonly ReturnType<typeof file>[], { shownText = '', maxBytes = 8192 } = {}): string[] {
  const names = chooseNames(findNames(files), { shownText, maxBytes })
  return files.map((one) => names.get(one) ?? '')
}

describe('the names that a change brings or takes away', () => {
  it('are those of added lines alone and of removed lines alone', () => {
    const options = ["-  .option('--xml', 'Write XML')", "+  .option('--json', 'Write JSON')"]
    const code = ['+export function exportAll(rows: Row[], keptName: string) {', ' const keptName = 1']
    expect(tell([changed('src/cli.ts', ...options, ...code)])).toEqual([
      'adds --json, exportAll; removes --xml',
    ])
  })

  it('are not those that only moved to another file', () => {
    const moved = 'export function parseAll() {}'
    expect(tell([changed('src/a.ts', `-${moved}`), changed('src/b.ts', `+${moved}`)])).toEqual(['', ''])
  })

  it.each([
    ['a flag', "  .option('--dry-run')", 'adds --dry-run'],
    ['an environment variable', "const key = process.env['API_KEY']", 'adds API_KEY'],
    ['an export', 'export const limit = 5', 'adds limit'],
    ['a public function', '    pub fn retry(&self) {', 'adds retry'],
    ['a definition', 'def connect(url):', 'adds connect'],
    ['a key of configuration, the first word of its line', 'max_retries: 3', 'adds max_retries'],
    ['a plain key', 'timeout: 3', 'adds timeout'],
    ['a key in front', 'max-size: 3', 'adds max-size'],
    ['a quoted key', '  "dry-run": true', 'adds dry-run'],
    ['a name of several words', '  useAgent(x)', 'adds useAgent'],
    ['no plain words', 'the quick brown fox', ''],
    ['words of a style sheet last', "  'text-small', className", 'adds className, text-small'],
    ['no words with hyphens', '// a well-known thing', ''],
    ['no very short names', 'export const id = 1', ''],
    ['nothing that a definition is made of', 'export const id = list(rows)', ''],
    ['nothing that follows an escape', "print('x\\nFooBar')", ''],
    ['nothing of the context that a hunk is in', '', ''],
  ])('include %s', (_what, line, names) => {
    expect(tell([changed('src/ship.ts', `+${line}`)])).toEqual([names])
  })

  it('of lock files, tests and CI are none', () => {
    const files = [
      changed('test/ship.test.ts', "+  run('--only-tested', callTheService())"),
      changed('package-lock.json', '+    "node_modules/fooBar": {'),
      changed('.github/workflows/ci.yml', '+      run: ship --all-of-it'),
      changed('src/ship.ts', '+export const shipIt = 1'),
    ]
    expect(tell(files)).toEqual(['', '', '', 'adds shipIt'])
  })

  it('come with flags that are defined before flags that are passed on', () => {
    const file = changed(
      'src/ship.ts',
      "+  spawn('git', ['--no-pager', '--passed-on'])",
      "+  .option('--defined')",
      "+  flags.String('also-defined', '')",
    )
    expect(tell([file])).toEqual(['adds --defined, also-defined, --no-pager, --passed-on, git'])
    expect(tell([file], { maxBytes: 20 })).toEqual(['adds --defined'])
  })

  it('are told once, and not again where they stand elsewhere', () => {
    const files = [changed('a.ts', '+export function parseAll() {}'), changed('b.ts', '+  parseAll(fooBar)')]
    expect(tell(files)).toEqual(['adds parseAll', 'adds fooBar'])
    expect(tell(files, { shownText: 'It adds parseAll.' })).toEqual(['', 'adds fooBar'])
  })

  const calls = "+  localName(x)\n+  flag('--json')"
  const some = changed('a.ts', calls, '+export const exported_name = 1', "-  flag('--xml')")

  it.each([
    ['; adds --json, exported_name'.length, 'adds --json, exported_name'],
    ['; adds --json, exported_name'.length - 1, 'adds --json, localName'],
  ])('fill the room that there is with the best of them: %d bytes', (maxBytes, names) => {
    expect(tell([some], { maxBytes })).toEqual([names])
  })

  it('are news of a file if readers are likely to look for them', () => {
    expect(newsIn(findNames([some]).get(some) ?? [])).toBe(2)
  })
})
