import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Returns the workflow of each recipe by its heading: `examples/docs.yml` with the diff below the heading. */
export function readRecipes(): ReadonlyMap<string, string> {
  const quickStart = readExample('docs')
  const recipes = new Map<string, string>()
  for (const page of globSync('docs/*.md', { cwd: ROOT }).toSorted()) {
    let heading = ''
    const parts = readFileSync(join(ROOT, page), 'utf8').matchAll(
      /^#+ (.+)$|^```diff\n([\s\S]+?)^```/gm,
    )
    for (const [, title, diff] of parts) {
      if (title !== undefined) heading = title
      else recipes.set(heading, applyDiff(quickStart, diff ?? ''))
    }
  }
  return recipes
}

export function readExample(name: string): string {
  return readFileSync(join(ROOT, `examples/${name}.yml`), 'utf8')
}

/** Applies a diff without line numbers, whose hunks are separated by empty lines. @throws if a hunk has no one place */
function applyDiff(text: string, diff: string): string {
  return diff
    .trimEnd()
    .split('\n\n')
    .reduce((before, hunk) => {
      const lines = hunk.split('\n')
      const without = (sign: string): string =>
        lines.flatMap((line) => (line.startsWith(sign) ? [] : `${line.slice(1)}\n`)).join('')
      const parts = before.split(without('+'))
      if (parts.length !== 2)
        throw new Error(`examples/docs.yml doesn't have these lines once:\n${hunk}`)
      return parts.join(without('-'))
    }, text)
}
