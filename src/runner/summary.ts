import { readFileSync, writeFileSync } from 'node:fs'
import { type Markdown, md } from '../lib/markdown.ts'
import type { Redact } from '../lib/redact.ts'
import { errorMessage } from '../lib/text.ts'
import type { Log } from './log.ts'

/** The parts of a step's summary, in the order in which they stand there. */
const SECTIONS = ['job', 'visitors'] as const

/** One of `SECTIONS`. */
export type SummarySection = (typeof SECTIONS)[number]

/**
 * Writes a section of the step's summary, in place of what it said before. The order of the sections is fixed, whichever
 * is written first; what is written is there at once, so that a run that is killed loses none of it.
 */
export type WriteSummary = (section: SummarySection, markdown: Markdown) => void

/** GitHub drops a step's summary that is larger than 1 MiB. */
const LIMIT_BYTES = 1024 * 1024

/**
 * Makes the function that writes the summary. One that can't be written is a warning: it never fails a run.
 *
 * @param path of the file that the runner reads; empty if it gave none
 */
export function openSummary(path: string, { log, redact }: { log: Log; redact: Redact }): WriteSummary {
  const sections = new Map<SummarySection, string>()
  let earlier: string | undefined

  function write(): void {
    if (path === '') throw new Error('GITHUB_STEP_SUMMARY is not set')
    earlier ??= readFileSync(path, { encoding: 'utf8', flag: 'a+' })
    let text = earlier
    for (const name of SECTIONS) {
      const section = sections.get(name)
      if (section === undefined) continue
      const fits = Buffer.byteLength(text) + Buffer.byteLength(section) <= LIMIT_BYTES
      text += fits ? section : TOO_LARGE
    }
    writeFileSync(path, text)
  }

  return (section, markdown) => {
    sections.set(section, `${redact(markdown.source)}\n\n`)
    try {
      write()
    } catch (error) {
      log.warning(`The job summary could not be written: ${errorMessage(error)}`)
    }
  }
}

const TOO_LARGE = `${md`This part of the summary is larger than GitHub shows. The step's outputs and log have the result.`.source}\n\n`
