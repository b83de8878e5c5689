import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { BOOLEAN, LINES, LOGINS } from '../src/inputs/formats.ts'
import { INPUTS } from '../src/inputs/table.ts'
import { type ActionMetadata, readActionMetadata } from './action-metadata.ts'
import { readOptions } from './options.ts'

const USAGE = `Writes what README.md, docs/ and action-types.yml have from action.yml, examples/ and src/inputs/table.ts.

  npm run fix                          writes it
  node scripts/readme.ts --check       fails where something differs`
const ROOT = join(import.meta.dirname, '..')

/** Outputs that the README shows; all of them are in `docs/outputs.md`. */
const MAIN_OUTPUTS = 'result pr-link pr-number job-id status visitors-total visitors-change'.split(' ')
const OUTPUT_TYPES: Readonly<Record<string, string>> = { 'visitors-complete': 'boolean' }
const TYPES_HEAD = `# The types of inputs and outputs, for workflows that are written in Kotlin or checked by
# https://github.com/typesafegithub/github-actions-typing. Made by scripts/readme.ts.
`

/** The files that are made from others, or have parts that are, with what they should be. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const metadata = readActionMetadata()
  const pages = ['README.md', ...globSync('docs/*.md', { cwd: ROOT }).toSorted()]
  return new Map([
    ...pages.map((name) => [name, withGeneratedParts(read(name), metadata)] as const),
    ['action-types.yml', actionTypes(metadata)],
  ])
}

/**
 * Fills what stands between marks such as `<!-- inputs:wait:start -->` and `<!-- inputs:wait:end -->`: a group of the
 * inputs, `outputs`, `outputs:main`, or a workflow of `examples/` (`example:weekly`).
 */
function withGeneratedParts(page: string, metadata: ActionMetadata): string {
  const marked = /(<!-- ([\w:-]+):start[^>]*-->)[\s\S]*?(<!-- \2:end -->)/g
  return page.replace(marked, (_all, start: string, mark: string, end: string) => {
    return `${start}\n\n${partOf(mark, metadata)}\n\n${end}`
  })
}

function partOf(mark: string, { inputs, outputs }: ActionMetadata): string {
  const [kind, name = ''] = mark.split(':')
  if (kind === 'example') return `\`\`\`yaml\n${read(`examples/${name}.yml`).trimEnd()}\n\`\`\``
  if (kind === 'outputs') {
    const shown = Object.entries(outputs).filter(([output]) => name === '' || MAIN_OUTPUTS.includes(output))
    const rows = shown.map(([output, { description }]) => [`\`${output}\``, description])
    return table(['Output', 'Value'], rows)
  }
  if (kind !== 'inputs') throw new Error(`Nothing is known to be generated for the mark ${mark}.`)
  const group = Object.entries(INPUTS).flatMap(([input, spec]) => (spec.group === name ? [input] : []))
  const rows = group.map((input) => {
    const { required, default: fallback, description = '' } = inputs[input] ?? {}
    const shown = required === true ? '**required**' : fallback === undefined ? '' : `\`${fallback}\``
    return [`\`${input}\``, shown, description]
  })
  return table(['Input', 'Default', 'What it does'], rows)
}

/** The types of github-actions-typing. What may be empty is a string. */
function actionTypes({ outputs }: ActionMetadata): string {
  const inputs = Object.entries(INPUTS).map(([name, { format }]) => [name, typeOf(format)])
  const types = Object.keys(outputs).map((name) => [name, { type: OUTPUT_TYPES[name] ?? 'string' }])
  return `${TYPES_HEAD}${stringify({ inputs: Object.fromEntries(inputs), outputs: Object.fromEntries(types) }, { blockQuote: false })}`
}

function typeOf(format: object & { readonly accepted: string }): object {
  if (format === BOOLEAN) return { type: 'boolean' }
  if (format === LINES) return { type: 'list', separator: '\n', 'list-item': { type: 'string' } }
  const names = { type: 'list', separator: ',', 'list-item': { type: 'string' } }
  if (format === LOGINS) return names
  if (format.accepted.startsWith('a whole number')) return { type: 'integer' }
  const [, choice] = /^any of (.*), or none alone/.exec(format.accepted) ?? []
  if (choice !== undefined) return { ...names, 'list-item': words(`${choice}, none`) }
  return /^[a-z-]+(?:, [a-z-]+)+$/.test(format.accepted) ? words(format.accepted) : { type: 'string' }
}

function words(list: string): object {
  return { type: 'enum', 'allowed-values': list.split(', ') }
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => {
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  return lines.join('\n')
}

function read(name: string): string {
  const path = join(ROOT, name)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

if (import.meta.main) {
  const { values } = readOptions(USAGE, { options: { check: { type: 'boolean', default: false } } })
  for (const [name, wanted] of generatedFiles()) {
    if (read(name) === wanted) continue
    if (!values.check) writeFileSync(join(ROOT, name), wanted)
    else
      console.error(`${name} differs from what action.yml, examples/ and src/inputs/ make; run npm run fix.`)
    if (values.check) process.exitCode = 1
  }
}
