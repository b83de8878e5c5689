import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** The parts of `action.yml` that the project's own tools read. */
export type ActionMetadata = {
  readonly inputs: Readonly<
    Record<
      string,
      { readonly description: string; readonly required?: boolean; readonly default?: string }
    >
  >
  readonly outputs: Readonly<Record<string, { readonly description: string }>>
  readonly runs: Readonly<Record<string, string>>
}

/** Reads the `action.yml` of an action's folder; of this one without it. */
export function readActionMetadata(root = join(import.meta.dirname, '..')): ActionMetadata {
  return parse(readFileSync(join(root, 'action.yml'), 'utf8')) as ActionMetadata
}
