import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

const licenses = readFileSync(join(import.meta.dirname, '../../dist/licenses.txt'), 'utf8')

it.each(Object.keys(packageJson.dependencies))('the license of %s comes with the bundle', (name) => {
  expect(licenses.split('\n')).toContain(name)
})
