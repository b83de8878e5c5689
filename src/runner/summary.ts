import { appendFileSync, statSync } from 'node:fs'
import { type Markdown, md } from '../lib/markdown.ts'
import type { Redact } from '../lib/redact.ts'
import type { Environment } from './environment.ts'
import type { Log } from './log.ts'

/** GitHub drops a step's summary that is larger than 1 MiB. */
const LIMIT_BYTES = 1024 * 1024

/**
 * Adds to the job summary. A summary that can't be written is a warning: it never fails a run.
 * Parts of a run may call this at the same time: each adds its text in one piece, which `core.summary` can't do.
 */
export function writeSummary(
  markdown: Markdown,
  { environment, log, redact }: { environment: Environment; log: Log; redact: Redact },
): void {
  const { summaryPath } = environment
  const text = `${redact(markdown.source)}\n\n`
  try {
    if (summaryPath === '') throw new Error('GITHUB_STEP_SUMMARY is not set')
    const size = statSync(summaryPath, { throwIfNoEntry: false })?.size ?? 0
    const fits = size + Buffer.byteLength(text) <= LIMIT_BYTES
    appendFileSync(summaryPath, fits ? text : TOO_LARGE.source)
  } catch (error) {
    log.warning(
      `The job summary could not be written: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

const TOO_LARGE = md`The summary of this step is larger than GitHub shows. Its outputs and its log say how it ended.\n\n`
