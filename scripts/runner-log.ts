import { styleText } from 'node:util'

type Colour = 'blue' | 'yellow' | 'red' | 'bold'

/** A line of a log as a runner shows it, and what it is drawn in. */
export type DrawnLine = { readonly text: string; readonly colour?: Colour }

const COMMAND = /^\s*::([a-z-]+)(?: [^:]*)?::(.*)$/i
const LEVELS: Readonly<Record<string, Colour>> = { notice: 'blue', warning: 'yellow', error: 'red' }

/**
 * Draws the log of a step as the runner does: annotations as `Notice: …`, groups as headings, masked values as `***`,
 * and other commands not at all.
 */
export class RunnerLog {
  readonly #masks: string[] = []
  /** The word that ends a stretch of lines in which nothing is a command. */
  #resumeWord: string | undefined

  /** The line as it is shown; `undefined` for one that only the runner reads. */
  draw(line: string): DrawnLine | undefined {
    if (this.#resumeWord !== undefined) {
      if (line.trim() !== `::${this.#resumeWord}::`) return { text: this.#masked(line) }
      this.#resumeWord = undefined
      return undefined
    }
    const [, name = '', value = ''] = COMMAND.exec(line) ?? []
    return name === '' ? { text: this.#masked(line) } : this.#command(name.toLowerCase(), unescaped(value))
  }

  #command(name: string, value: string): DrawnLine | undefined {
    const colour = LEVELS[name]
    if (colour !== undefined) {
      return { text: this.#masked(`${name.charAt(0).toUpperCase()}${name.slice(1)}: ${value}`), colour }
    }
    if (name === 'group') return { text: this.#masked(`▼ ${value}`), colour: 'bold' }
    if (name === 'add-mask' && value !== '') this.#masks.push(value)
    if (name === 'stop-commands') this.#resumeWord = value
    return undefined
  }

  #masked(text: string): string {
    return this.#masks.reduce((shown, mask) => shown.replaceAll(mask, '***'), text)
  }
}

/** The line in colour where standard output is a terminal that shows any, plain elsewhere. */
export function coloured({ text, colour }: DrawnLine): string {
  return colour === undefined ? text : styleText(colour, text, { stream: process.stdout })
}

function unescaped(value: string): string {
  return value.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%')
}
