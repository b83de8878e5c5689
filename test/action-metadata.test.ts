import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readActionMetadata } from '../scripts/action-metadata.ts'
import { generatedPages, withGeneratedParts } from '../scripts/readme.ts'
import { inputNames } from '../src/inputs/read.ts'
import { INPUTS } from '../src/inputs/table.ts'
import { OUTPUTS } from '../src/runner/outputs.ts'

const metadata = readActionMetadata()

describe('action.yml', () => {
  it('declares the inputs of the table, in its order', () => {
    expect(Object.keys(metadata.inputs)).toEqual(inputNames())
  })

  it.each(inputNames())('gives %s the default of the table', (name) => {
    expect(metadata.inputs[name]?.default ?? '').toBe(INPUTS[name].default)
  })

  it('declares the outputs that can be written, in their order', () => {
    expect(Object.keys(metadata.outputs)).toEqual([...OUTPUTS])
  })

  it('has a file of its own for the post step', () => {
    expect(metadata.runs).toEqual({
      using: 'node24',
      main: 'dist/index.js',
      post: 'dist/post.js',
      'post-if': 'always()',
    })
  })
})

it.each(generatedPages())('%s has the tables of action.yml and the workflows of examples/', (name) => {
  const page = readFileSync(join(import.meta.dirname, '..', name), 'utf8')
  expect(withGeneratedParts(page, metadata)).toBe(page)
})

describe('the pages', () => {
  const root = join(import.meta.dirname, '..')
  const named = globSync('{*,docs/**/*}.md', { cwd: root }).flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8')
    return [...text.matchAll(/\btest\/[\w/.-]+\.ts\b/g)].map(([path]) => [page, path] as const)
  })

  it('name tests', () => {
    expect(named.length).toBeGreaterThan(0)
  })

  it.each(named)('%s names the test %s, which is there', (_page, path) => {
    expect(existsSync(join(root, path))).toBe(true)
  })
})
