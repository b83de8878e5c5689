import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ActionMetadata, readActionMetadata } from './action-metadata.ts'

const README = join(import.meta.dirname, '../README.md')

/** Puts the tables of inputs and outputs into a README's text, between their marks. */
export function withTables(readme: string, { inputs, outputs }: ActionMetadata): string {
  const inputRows = Object.entries(inputs).map(([name, input]) => [
    `\`${name}\``,
    input.required === true ? '**required**' : input.default === undefined ? '' : `\`${input.default}\``,
    input.description,
  ])
  const outputRows = Object.entries(outputs).map(([name, { description }]) => [`\`${name}\``, description])
  return between(
    between(readme, 'inputs', table(['Input', 'Default', 'What it does'], inputRows)),
    'outputs',
    table(['Output', 'Value'], outputRows),
  )
}

/** Puts each workflow of `examples/` that a README's text has marks for, such as `example:weekly`, between them. */
export function withExamples(readme: string, read = readExample): string {
  const names = [...readme.matchAll(/<!-- example:([\w-]+):start/g)].map(([, name = '']) => name)
  return names.reduce(
    (text, name) => between(text, `example:${name}`, `\`\`\`yaml\n${read(name).trimEnd()}\n\`\`\``),
    readme,
  )
}

function readExample(name: string): string {
  return readFileSync(join(import.meta.dirname, `../examples/${name}.yml`), 'utf8')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows]
  return lines
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
}

function between(text: string, mark: string, content: string): string {
  const pattern = new RegExp(`(<!-- ${mark}:start[^>]*-->)[\\s\\S]*?(<!-- ${mark}:end -->)`)
  if (!pattern.test(text)) throw new Error(`README.md has no marks for ${mark}`)
  return text.replace(pattern, (_all, start: string, end: string) => `${start}\n\n${content}\n\n${end}`)
}

function main(): void {
  const current = readFileSync(README, 'utf8')
  const wanted = withExamples(withTables(current, readActionMetadata()))
  if (current === wanted) return
  if (process.argv.includes('--check')) {
    console.error("README.md's tables or workflows differ from action.yml and examples/; run npm run fix.")
    process.exitCode = 1
  } else {
    writeFileSync(README, wanted)
  }
}

if (import.meta.main) main()
