/** Reads what was printed as the runner does. */
export function readPrinted(printed: string) {
  /** Lines; annotations as `warning: …`. */
  const log: string[] = []
  /** Titles of the annotations, in the log's order. */
  const titles: string[] = []
  const outputs: Record<string, string> = {}
  const state: Record<string, string> = {}
  for (const line of printed.split('\n')) {
    const [, command, properties = '', value = ''] = /^::([a-z-]+) ?(.*?)::(.*)$/.exec(line) ?? []
    const [, key, name = ''] = /^(\w+)=(.*)$/.exec(decode(properties)) ?? []
    const text = decode(value)
    if (command === undefined && line !== '') log.push(line)
    if (key === 'title') titles.push(decode(name))
    if (command === 'set-output') outputs[name] = text
    else if (command === 'save-state') state[name] = text
    else if (command !== undefined && command !== 'add-mask') log.push(`${command}: ${text}`)
  }
  /** Without their level. */
  const warnings = log.flatMap((line) => (line.startsWith('warning: ') ? [line.slice(9)] : []))
  return { log, warnings, titles, outputs, state, printed }
}

/** Undoes what workflow commands encode. */
function decode(text: string): string {
  return text.replace(/%(?:0A|0D|3A|2C|25)/g, (code) => decodeURIComponent(code))
}
