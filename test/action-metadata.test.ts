import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readActionMetadata } from '../scripts/action-metadata.ts'
import { generatedFiles } from '../scripts/readme.ts'
import { INPUTS, inputNames } from '../src/inputs/table.ts'
import { OUTPUTS } from '../src/runner/run.ts'

const metadata = readActionMetadata()

function readText(name: string): string {
  return readFileSync(join(import.meta.dirname, '..', name), 'utf8')
}

it('action.yml declares the inputs of the table, in its order and with its defaults', () => {
  const declared = Object.entries(metadata.inputs).map(([name, input]) => [
    name,
    input.default ?? '',
  ])
  expect(declared).toEqual(inputNames().map((name) => [name, INPUTS[name].default]))
})

it('action.yml declares the outputs that can be written, in their order', () => {
  expect(Object.keys(metadata.outputs)).toEqual([...OUTPUTS])
})

it('action.yml names a separate file for the post step', () => {
  const post = { post: 'dist/post.js', 'post-if': 'always()' }
  expect(metadata.runs).toEqual({ using: 'node24', main: 'dist/index.js', ...post })
})

it.each([...generatedFiles()])(
  '%s is up to date with action.yml, examples/ and the table of inputs',
  (name, wanted) => {
    expect(readText(name)).toBe(wanted)
  },
)

it('the version is that of the newest section of the changelog', () => {
  const { version } = JSON.parse(readText('package.json')) as { version: string }
  const [, newest] = /^## (\S+)/m.exec(readText('CHANGELOG.md')) ?? []
  expect(version).toBe(newest)
})
