import { EOL } from 'node:os'

/** Reads a file of `name<<delimiter` entries as the runner does; a later value of a name wins. */
export function readCommandFile(text: string): Record<string, string> {
  const entries = text.replaceAll(EOL, '\n').matchAll(/^(.+?)<<(.+)\n(?:([\s\S]*?)\n)?\2$/gm)
  return Object.fromEntries([...entries].map(([, name = '', , value = '']) => [name, value]))
}
