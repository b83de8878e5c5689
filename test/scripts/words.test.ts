import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

function run(script: string, ...args: readonly string[]) {
  return spawnSync(process.execPath, [script, ...args], { cwd: ROOT, encoding: 'utf8' })
}

test.each([
  'scripts/demo.ts',
  'scripts/e2e.ts',
  'scripts/lint-workflows.ts',
  'scripts/pictures.ts',
  'scripts/readme.ts',
  'scripts/release-notes.ts',
  'bench/main.ts',
])('a wrong option of %s is told in words, with its usage', (script) => {
  const wrong = run(script, '--wrong')
  expect([wrong.status, wrong.stdout]).toEqual([2, ''])
  expect(wrong.stderr).toMatch(/^Unknown option '--wrong'.*\n\n[A-Z].*[.:]\n\n {2}(?:npm|node) /)
})

test('--help is the usage alone', () => {
  const help = run('scripts/readme.ts', '--help')
  expect([help.status, help.stderr]).toEqual([0, ''])
  expect(help.stdout).toMatch(/^Writes what README\.md, docs\/ and action-types\.yml have from /)
})

test('a tag that is not the version is told in words', () => {
  const wrong = run('scripts/release-notes.ts', 'v99.0.0')
  expect(wrong.status).toBe(1)
  expect(wrong.stderr).toMatch(/^The tag is "v99\.0\.0", but package\.json says \d+\.\d+\.\d+\.\n$/)
})
