import { readFileSync, writeFileSync } from 'node:fs'
import type { Log } from '../lib/log.ts'
import { md } from '../lib/markdown.ts'
import { byteLength, errorMessage } from '../lib/text.ts'

/** The parts of a step's summary, in the order in which they stand there. */
const SECTIONS = ['job', 'visitors'] as const

export type SummarySection = (typeof SECTIONS)[number]

/** GitHub drops a step's summary that is larger than 1 MiB. */
const LIMIT_BYTES = 1024 * 1024

const TOO_LARGE = md`This part of the summary is larger than GitHub shows. The step's outputs and log have the result.`

/**
 * The step's summary. The order of its sections is fixed, whichever is written first, and what is written is in the file
 * at once, so that a run that is killed loses none of it.
 */
export class Summary {
  readonly #path: string
  readonly #log: Log
  readonly #sections = new Map<SummarySection, string>()
  #earlier: string | undefined

  /** @param path of the file that the runner reads; empty if it gave none */
  constructor(path: string, log: Log) {
    this.#path = path
    this.#log = log
  }

  /** Writes a section, in place of what it said before. One that can't be written is a warning: it never fails a run. */
  write(section: SummarySection, source: string): void {
    this.#sections.set(section, `${source}\n\n`)
    try {
      if (this.#path === '') throw new Error('GITHUB_STEP_SUMMARY is not set')
      this.#earlier ??= readFileSync(this.#path, { encoding: 'utf8', flag: 'a+' })
      let text = this.#earlier
      for (const part of SECTIONS.map((name) => this.#sections.get(name) ?? '')) {
        text += byteLength(text) + byteLength(part) <= LIMIT_BYTES ? part : `${TOO_LARGE.source}\n\n`
      }
      writeFileSync(this.#path, text)
    } catch (error) {
      this.#log.warning(`Failed to write the job summary: ${errorMessage(error)}`)
    }
  }
}
