import { describe, expect, it } from 'vitest'
import { chooseNames, findNames, newsIn } from '../../src/context/names.ts'
import { file } from './describe-run.ts'
import { NAMES } from './names.cases.ts'

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

  it.each(NAMES)('include %s', (_what, line, names) => {
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
