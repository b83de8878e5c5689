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
  expect(push).toMatch(/^ {2}│ \+Based on the changes in `src\/upgrade\.ts`\.$/m)
  expect(command).toMatch(/^ {2}│ \/docs Explain exit code 6/m)
  expect(command).toMatch(/^ {2}│ 👀$/m)
  expect(command).toMatch(/^ {2}│ github-actions\[bot\]\n {2}│ ✅ /m)
  expect(command).toMatch(
    /Code changes covered by this pull request\*\*\n.*\n.*command by \*\*mona\*\*/,
  )
  expect(review).toMatch(
    /guides\/snapshots\.mdx, line 30:\n.+Add the command that takes a snapshot\./,
  )
  expect(review).toMatch(/^ {2}│ github-actions\[bot\]\n {2}│ ✅ /m)
  expect(report).toMatch(/^ {2}│ ## .*visitors/m)
  expect(report).toContain('/guides/restore')
  expect(next).toContain('Follow the quick start in README.md')
  expect(stdout).not.toMatch(/127\.0\.0\.1|localhost|::|mint_|aaaa/)
  expect(stderr).toBe('')
})
