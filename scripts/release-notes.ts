import { randomUUID } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/**
 * The section of a changelog that is about a version: the text under `## 1.2.3` or `## [1.2.3] - 2026-01-31`.
 *
 * @throws {Error} if there is no such section, or nothing in it
 */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find((text) => {
    const [word = ''] = text.split(/\s/, 1)
    return word.replace(/^\[(.*)\]$/, '$1').replace(/^v/, '') === version
  })
  const notes = section?.slice(section.indexOf('\n') + 1).trim() ?? ''
  if (section === undefined || !section.includes('\n') || notes === '') {
    throw new Error(`CHANGELOG.md says nothing under "## ${version}"`)
  }
  return notes
}

/** Checks that a tag is the version of `package.json` and hands its notes to the next step, or to the terminal. */
function main(tag: string): void {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, but package.json says ${version}`)
  const notes = notesOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version)
  const output = process.env['GITHUB_OUTPUT']
  if (output === undefined) console.log(notes)
  else {
    const end = randomUUID()
    appendFileSync(output, `notes<<${end}\n${notes}\n${end}\n`)
  }
}

if (import.meta.main) {
  try {
    main(process.argv[2] ?? '')
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
