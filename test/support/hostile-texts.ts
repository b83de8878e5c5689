import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(import.meta.dirname, 'fixtures/hostile-texts.json')

/** Text as an attacker would write it into a page path, a branch name, an error body, a comment or a prompt. */
export const HOSTILE_TEXTS: readonly string[] = [
  ...JSON.parse(readFileSync(file, 'utf8')),
  'a'.repeat(5000),
]
