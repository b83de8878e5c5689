import { randomUUID } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOptions, refuse, runScript } from './options.ts'

const USAGE = `Checks that a tag is the version of package.json, and prints the version's section of CHANGELOG.md.

  node scripts/release-notes.ts v1.4.0

In a workflow's step the section becomes the output "notes".`

function read(name: string): string {
  return readFileSync(join(import.meta.dirname, '..', name), 'utf8')
}

await runScript(async () => {
  const { positionals } = readOptions(USAGE, { allowPositionals: true })
  const [tag] = positionals
  if (tag === undefined) refuse('Name a tag, such as v1.0.0.', USAGE)
  const { version } = JSON.parse(read('package.json'))
  if (tag !== `v${version}`)
    throw new Error(`The tag is "${tag}", but package.json says ${version}.`)
  const section = read('CHANGELOG.md')
    .split(/^## /m)
    .find((text) => new RegExp(`^\\[?v?${version.replaceAll('.', '\\.')}(?![\\w.-])`).test(text))
  const notes = section?.slice(section.indexOf('\n')).trim() ?? ''
  if (notes === '') throw new Error(`CHANGELOG.md has no text under "## ${version}".`)
  const output = process.env['GITHUB_OUTPUT']
  const end = randomUUID()
  if (output) appendFileSync(output, `notes<<${end}\n${notes}\n${end}\n`)
  else console.log(notes)
})
