import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const DEMO = join(import.meta.dirname, '../../scripts/demo.ts')

test('the demo shows a push, a command, a review, and the report, without dead links', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [DEMO])
  const [, push = '', command = '', review = '', report = '', next = ''] = stdout.split('\n── ')
  expect(push).toMatch(/api-key: \$\{\{ secrets\.DOCS_API_KEY \}\}/)
  expect(push).toMatch(/^ {2}Notice: /m)
  expect(push).toMatch(/^ {2}│ ## ✅ /m)
  expect(push).toMatch(/^ {2}│ \+## Upgrades need a fresh snapshot$/m)
  expect(push).toMatch(/^ {2}│ \+Based on the changes in `src\/upgrade\.ts`\.$/m)
  expect(push).toMatch(
    /^ {2}│ \+Before it changes anything, `brindle upgrade` looks for a snapshot/m,
  )
  expect(command).toMatch(/^ {2}│ \/docs Explain exit code 6/m)
  expect(command).toMatch(/^ {2}│ 👀$/m)
  expect(command).toMatch(/^ {2}│ github-actions\[bot\]\n {2}│ ✅ /m)
  // The build takes real time, and the machine may be busy.
  expect(push).toMatch(/^ {2}│ Preview (?:ready|being built)$/m)
  expect(command).toMatch(
    /Code changes covered by this pull request\*\*\n.*\n.*command by \*\*mona\*\*/,
  )
  expect(command).toMatch(/docs: Upgrades need a fresh snapshot\n.*docs: exit code 6/)
  expect(review).toMatch(/^ {2}│ Comment 1: Add the command that takes a snapshot\.$/m)
  expect(review).toMatch(/^ {2}│ Comment 1 is on: guides\/snapshots\.mdx, line 30$/m)
  expect(review).toMatch(/^ {2}│ \+Before it changes anything, `brindle upgrade` looks/m)
  expect(review).toMatch(/^ {2}│ github-actions\[bot\]\n {2}│ ✅ /m)
  expect(review).toMatch(/^Asked to review again: mona$/m)
  expect(report).toMatch(/^ {2}│ ## .*visitors/m)
  expect(report).toContain('/guides/restore')
  expect(report).toContain('export to csv')
  expect(report).toContain('/sdks/tokens')
  expect(next).toContain('Follow the quick start in README.md')
  expect(stdout).not.toMatch(/127\.0\.0\.1|localhost|::|mint_/)
  expect(stderr).toBe('')
})
