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
  'scripts/build.ts',
  'bench/main.ts',
  'bench/context.ts',
])('a wrong option of %s is told in words, with its usage', (script) => {
  const wrong = run(script, '--wrong')
  expect([wrong.status, wrong.stdout]).toEqual([2, ''])
  expect(wrong.stderr).toMatch(/^Unknown option '--wrong'\n\n[A-Z].*[.:]\n\n {2}(?:npm|node) /)
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

test.each([
  ['scripts/release-notes.ts', [], /^Name a tag, such as v1\.0\.0\.\n\nChecks /],
  ['scripts/pictures.ts', ['nothere'], /^nothere does not exist\.\n\nMakes /],
  ['bench/context.ts', [], /^Name a repository\.\n\nMeasures /],
  ['bench/context.ts', ['/nope/.git:docs/'], /^Failed to read \/nope\/\.git: fatal: .*\n\nMeasures /],
  [
    'bench/context.ts',
    [`${ROOT}:nothere/`],
    /^No change is too large to fit, so there is nothing to measure\.\n\n/,
  ],
])('what %s can do nothing with, %j, is told in words', (script, args, words) => {
  const { status, stdout, stderr } = run(script, ...args)
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(words)
})
