import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { BOOLEAN, LINE_LIST, LOGINS } from '../src/inputs/formats.ts'
import { INPUTS } from '../src/inputs/table.ts'
import { type ActionMetadata, readActionMetadata } from './action-metadata.ts'
import { readOptions } from './options.ts'

const USAGE = `Writes the generated parts of README.md, docs/, and action-types.yml, from action.yml, examples/, and
src/inputs/table.ts.

  npm run fix                          writes it
  node scripts/readme.ts --check       fails where something differs`
const ROOT = join(import.meta.dirname, '..')

/** The inputs that most people set. */
const MAIN_INPUTS =
  'api-key project-id prompt dry-run required-permission ignore-authors paths pause-after pr-reviewers github-token'.split(
    ' ',
  )
/** The first input of each group. */
const GROUPS = new Map([
  ['api-key', 'request'],
  ['wait', 'wait'],
  ['command', 'comments'],
  ['visitors-summary', 'visitors'],
])
const TYPES_HEAD = `# The types of inputs and outputs, for workflows that are written in Kotlin or checked by
# https://github.com/typesafegithub/github-actions-typing. Made by scripts/readme.ts.
`

/** Returns the files that are generated, or have generated parts, with the text that they should have. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const metadata = readActionMetadata()
  const pages = ['README.md', ...globSync('docs/*.md', { cwd: ROOT }).toSorted()]
  return new Map([
    ...pages.map((name) => [name, withGeneratedParts(read(name), metadata)] as const),
    ['action-types.yml', actionTypes(metadata)],
  ])
}

/**
 * Fills the text between marks such as `<!-- inputs:main:start -->` and `<!-- inputs:main:end -->`. A mark is
 * `inputs:` with a group or `main`, `outputs`, or `example:` with a file of `examples/`.
 */
function withGeneratedParts(page: string, metadata: ActionMetadata): string {
  const marked = /(<!-- ([\w:-]+):start[^>]*-->)[\s\S]*?(<!-- \2:end -->)/g
  return page.replace(marked, (_all, start: string, mark: string, end: string) => {
    return `${start}\n\n${partOf(mark, metadata)}\n\n${end}`
  })
}

function partOf(mark: string, { inputs, outputs }: ActionMetadata): string {
  const [kind, name = ''] = mark.split(':')
  if (kind === 'inputs') return inputTable(inputs, name)
  if (kind === 'outputs') return outputTable(outputs)
  if (kind === 'example') return `\`\`\`yaml\n${read(`examples/${name}.yml`).trimEnd()}\n\`\`\``
  throw new Error(`No part is generated for the mark ${mark}.`)
}

/** Writes the inputs of a group with their descriptions; of `main` only the first sentence. */
function inputTable(inputs: ActionMetadata['inputs'], group: string): string {
  const isMain = group === 'main'
  let current: string | undefined
  const names = Object.keys(INPUTS).filter((name) => {
    current = GROUPS.get(name) ?? current
    return isMain ? MAIN_INPUTS.includes(name) : current === group
  })
  const rows = names.map((name) => {
    const { required, default: fallback, description = '' } = inputs[name] ?? {}
    const shown = required === true ? '<br>**required**' : fallback && `<br>default \`${fallback}\``
    return [`\`${name}\`${shown ?? ''}`, isMain ? firstSentence(description) : description]
  })
  // Two columns fit a phone.
  return table(['Input', 'Description'], rows)
}

function outputTable(outputs: ActionMetadata['outputs']): string {
  return table(
    ['Output', 'Value'],
    Object.entries(outputs).map(([output, { description }]) => [`\`${output}\``, description]),
  )
}

function firstSentence(text: string): string {
  return text.replace(/(?<=\.) .*/, '')
}

/** The types of github-actions-typing. An input that may be empty is a string. */
function actionTypes({ outputs }: ActionMetadata): string {
  const inputs = Object.entries(INPUTS).map(([name, { format }]) => [name, typeOf(format)])
  const types = Object.keys(outputs).map((name) => [name, { type: 'string' }])
  return `${TYPES_HEAD}${stringify({ inputs: Object.fromEntries(inputs), outputs: Object.fromEntries(types) }, { blockQuote: false })}`
}

function typeOf(format: object & { readonly words?: readonly string[] | undefined }): object {
  if (format === BOOLEAN) return { type: 'boolean' }
  if (format === LINE_LIST || format === INPUTS.paths.format)
    return { type: 'list', separator: '\n', 'list-item': { type: 'string' } }
  const names = { type: 'list', separator: ',', 'list-item': { type: 'string' } }
  if (format === LOGINS) return names
  if (format === INPUTS['visitors-days'].format) return { type: 'integer' }
  const { words } = format
  if (words === undefined) return { type: 'string' }
  return format === INPUTS['fail-on'].format
    ? { ...names, 'list-item': choice([...words, 'none']) }
    : choice(words)
}

function choice(words: readonly string[]): object {
  return { type: 'enum', 'allowed-values': words }
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
    else console.error(`${name} is out of date. Run npm run fix.`)
    if (values.check) process.exitCode = 1
  }
}
