import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const FILES = globSync('src/**/*.ts', { cwd: ROOT })

function repeated(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index)
}

it('no two files of src, and no two names at the top of its files, are the same', () => {
  const declared = /^(?:export )?(?:async )?(?:function|class|const|type) (\w+)/gm
  const names = FILES.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    return [...text.matchAll(declared)].map(([, name = '']) => name)
  })
  expect(names.length).toBeGreaterThan(300)
  expect(repeated(names)).toEqual([])
  expect(repeated(FILES.map((file) => basename(file)))).toEqual([])
})
