import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FAULT_KINDS } from '../../docs-service/faults.ts'

test('the README explains every kind of fault', () => {
  const readme = readFileSync(new URL('../../docs-service/README.md', import.meta.url), 'utf8')
  const named = [...readme.matchAll(/^\| `([a-z-]+)` +\| (?:yes|no)/gm)].map(([, name]) => name)
  expect(named).toEqual(FAULT_KINDS)
})
