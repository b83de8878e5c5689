import { readFileSync, writeFileSync } from 'node:fs'
import { md } from '../lib/markdown.ts'
import { byteLength } from '../lib/text.ts'

/** All outputs, as in `action.yml`: of the agent job, of the comment, of the readers report. */
export const OUTPUTS = [
  'job-id',
  'status',
  'pr-link',
  'result',
  'pr-number',
  'job',
  'pr-operation',
  'pr-title',
  'pr-files',
  'source-authors',
  'preview-url',
  'preview-status',
  'visitors-human',
  'visitors-ai',
  'visitors-total',
  'visitors-change',
  'visitors-from',
  'visitors-to',
  'visitors-complete',
  'visitors-export',
  'visitors-markdown',
  'visitors',
  'reader-signals',
  'reader-signals-count',
] as const

type OutputName = (typeof OUTPUTS)[number]

/** Values by output; what is not named is not set. */
export type OutputValues = Readonly<Partial<Record<OutputName, string>>>

/** An output may have this many bytes. GitHub's own limit is 1 MiB for all outputs of a job. */
export const OUTPUT_LIMIT_BYTES = 256 * 1024

export type SummarySection = 'job' | 'visitors'

/** GitHub drops a step's summary that is larger than 1 MiB. */
const LIMIT_BYTES = 1024 * 1024

const TOO_LARGE = md`This part of the summary is larger than GitHub shows. The step's outputs and log have the result.`

/**
 * The step's summary: returns what writes a section, in place of what it said before. The order of the sections is fixed,
 * whichever is written first, and what is written is in the file at once, so that a run that is killed loses none of it.
 *
 * @param path of the file that the runner reads; empty if it gave none: then nothing is written
 */
export function createSummary(path: string) {
  const sections = { job: '', visitors: '' }
  let earlier: string | undefined
  return (section: SummarySection, source: string): void => {
    if (path === '') return
    sections[section] = `${source}\n\n`
    earlier ??= readFileSync(path, { encoding: 'utf8', flag: 'a+' })
    let text = earlier
    for (const part of [sections.job, sections.visitors]) {
      text += byteLength(text) + byteLength(part) <= LIMIT_BYTES ? part : `${TOO_LARGE.source}\n\n`
    }
    writeFileSync(path, text)
  }
}
