import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** The parts of `action.yml` that the project's own tools read. */
export type ActionMetadata = {
  readonly inputs: Readonly<
    Record<string, { readonly description: string; readonly required?: boolean; readonly default?: string }>
  >
  readonly outputs: Readonly<Record<string, { readonly description: string }>>
  readonly runs: Readonly<Record<string, string>>
}

/** Reads `action.yml`. */
export function readActionMetadata(): ActionMetadata {
  return parse(readFileSync(join(import.meta.dirname, '../action.yml'), 'utf8')) as ActionMetadata
}
