import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

const licenses = readFileSync(join(import.meta.dirname, '../../dist/licenses.txt'), 'utf8').split('\n')

it.each(Object.keys(packageJson.dependencies))('the license of %s comes with the bundle', (name) => {
  expect(licenses).toContain(name)
})

it('the bundle holds one undici, though two packages ask for two versions', () => {
  expect(licenses.filter((line) => line === 'undici')).toHaveLength(1)
})
