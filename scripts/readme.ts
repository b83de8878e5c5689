import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { INPUTS, type InputName } from '../src/inputs/table.ts'
import { type ActionMetadata, readActionMetadata } from './action-metadata.ts'

const ROOT = join(import.meta.dirname, '..')

/** Outputs that the README shows; all of them are in `docs/outputs.md`. */
const MAIN_OUTPUTS = [
  'result',
  'pr-link',
  'pr-number',
  'job-id',
  'status',
  'visitors-total',
  'visitors-change',
]

/** The pages that have parts made from `action.yml` and `examples/`. */
export function generatedPages(): string[] {
  return ['README.md', ...globSync('docs/*.md', { cwd: ROOT }).toSorted()]
}

/**
 * Fills what stands between marks such as `<!-- inputs:wait:start -->` and `<!-- inputs:wait:end -->`: a group of the
 * inputs, `outputs`, `outputs:main`, or a workflow of `examples/` (`example:weekly`).
 */
export function withGeneratedParts(page: string, metadata: ActionMetadata, read = readExample): string {
  return page.replace(
    /(<!-- ([\w:-]+):start[^>]*-->)[\s\S]*?(<!-- \2:end -->)/g,
    (_all, start: string, mark: string, end: string) =>
      `${start}\n\n${partOf(mark, metadata, read)}\n\n${end}`,
  )
}

function partOf(mark: string, metadata: ActionMetadata, read: (name: string) => string): string {
  const [kind, name = ''] = mark.split(':')
  if (kind === 'inputs') return inputsTable(metadata, name)
  if (kind === 'outputs') return outputsTable(metadata, name === 'main' ? MAIN_OUTPUTS : undefined)
  if (kind === 'example') return `\`\`\`yaml\n${read(name).trimEnd()}\n\`\`\``
  throw new Error(`Nothing is known to be generated for the mark ${mark}.`)
}

function inputsTable({ inputs }: ActionMetadata, group: string): string {
  const specs = new Map(Object.entries(INPUTS) as [InputName, (typeof INPUTS)[InputName]][])
  const rows = Object.entries(inputs)
    .filter(([name]) => specs.get(name as InputName)?.group === group)
    .map(([name, input]) => [
      `\`${name}\``,
      input.required === true ? '**required**' : input.default === undefined ? '' : `\`${input.default}\``,
      input.description,
    ])
  return table(['Input', 'Default', 'What it does'], rows)
}

function outputsTable({ outputs }: ActionMetadata, names: readonly string[] | undefined): string {
  const rows = Object.entries(outputs)
    .filter(([name]) => names === undefined || names.includes(name))
    .map(([name, { description }]) => [`\`${name}\``, description])
  return table(['Output', 'Value'], rows)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows]
  return lines
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
}

function readExample(name: string): string {
  return readFileSync(join(ROOT, `examples/${name}.yml`), 'utf8')
}

function main(): void {
  const metadata = readActionMetadata()
  for (const name of generatedPages()) {
    const path = join(ROOT, name)
    const current = readFileSync(path, 'utf8')
    const wanted = withGeneratedParts(current, metadata)
    if (current === wanted) continue
    if (process.argv.includes('--check')) {
      console.error(`${name} differs from action.yml or examples/; run npm run fix.`)
      process.exitCode = 1
    } else {
      writeFileSync(path, wanted)
    }
  }
}

if (import.meta.main) main()
