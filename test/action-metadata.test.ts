import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readActionMetadata } from '../scripts/action-metadata.ts'
import { withTables } from '../scripts/readme.ts'
import { OUTPUTS } from '../src/runner/outputs.ts'

const ROOT = join(import.meta.dirname, '..')
const metadata = readActionMetadata()

/** Inputs by name, with the default in the code where it has one. */
function inputsRead(): Map<string, string | undefined> {
  const found = new Map<string, string | undefined>()
  for (const file of globSync('src/**/*.ts', { cwd: ROOT })) {
    const code = readFileSync(join(ROOT, file), 'utf8')
    for (const [, name = '', fallback] of code.matchAll(
      /(?:\.(?:text|value|optional)\(|readFiles\()\s*'([a-z-]+)'(?:,\s*[^'()]*(?:\([^()]*\))?[^'()]*'([^']*)')?/g,
    )) {
      found.set(name, fallback ?? found.get(name))
    }
  }
  return found
}

describe('action.yml', () => {
  const read = inputsRead()

  it('declares each input that the code reads, and no other', () => {
    expect([...read.keys(), 'github-token'].toSorted()).toEqual(
      [...new Set([...Object.keys(metadata.inputs), 'github-token'])].toSorted(),
    )
  })

  it('gives each input the default that the code has', () => {
    for (const [name, fallback] of read) {
      if (fallback !== undefined) expect(metadata.inputs[name]?.default ?? '', name).toBe(fallback)
    }
  })

  it('declares each output that the code writes, and no other', () => {
    expect(Object.keys(metadata.outputs).toSorted()).toEqual([...OUTPUTS].toSorted())
  })

  it('runs the same bundle before and after', () => {
    expect(metadata.runs).toEqual({
      using: 'node24',
      main: 'dist/index.js',
      post: 'dist/post.js',
      'post-if': 'always()',
    })
  })
})

describe('README.md', () => {
  it('has the tables of action.yml', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
    expect(withTables(readme, metadata)).toBe(readme)
  })
})
