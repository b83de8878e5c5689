import { EOL } from 'node:os'

/** Reads a file of `name<<delimiter` entries as the runner does; a later value of a name wins. */
export function readCommandFile(text: string): Record<string, string> {
  const values: Record<string, string> = {}
  const lines = text.split(EOL)
  for (let index = 0; index < lines.length; index++) {
    const [, name, delimiter] = /^(.+?)<<(.+)$/.exec(lines[index] ?? '') ?? []
    if (name === undefined || delimiter === undefined) continue
    const end = lines.indexOf(delimiter, index + 1)
    if (end < 0) throw new Error(`The value of ${name} has no end`)
    values[name] = lines.slice(index + 1, end).join('\n')
    index = end
  }
  return values
}
