import * as core from '@actions/core'
import { type Markdown, md } from '../../machinery/markdown.ts'
import type { Redact } from '../../machinery/redact.ts'
import type { Log } from './log.ts'

/** GitHub drops a step's summary that is larger than 1 MiB. */
const LIMIT_BYTES = 1024 * 1024

/** Adds to the job summary. A summary that can't be written is a warning: it never fails a run. */
export async function writeSummary(
  markdown: Markdown,
  { log, redact }: { log: Log; redact: Redact },
): Promise<void> {
  const text = `${redact(markdown.source)}\n`
  const fits = Buffer.byteLength(text) <= LIMIT_BYTES
  const shown = fits
    ? text
    : md`The summary of this step is larger than GitHub shows; its outputs are complete.\n`.source
  try {
    await core.summary.addRaw(shown).write()
  } catch (error) {
    log.warning(
      `The job summary could not be written: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}
