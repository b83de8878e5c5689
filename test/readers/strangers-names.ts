import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Names as strangers word them, and what is handed on of each: `null` where it is withheld. */
export const STRANGERS_NAMES: readonly [
  kind: 'search' | 'path',
  text: string,
  forPeople: string | null,
  forAgent: string | null,
][] = JSON.parse(readFileSync(join(import.meta.dirname, 'strangers-names.json'), 'utf8'))
