import * as core from '@actions/core'
import type { Log } from '../lib/log.ts'
import type { Redact } from '../lib/redact.ts'
import { logText } from '../lib/text.ts'

/**
 * Creates the run's log: the only way text reaches it.
 *
 * @param redact takes the secrets out of everything that is written
 * @param usualTitle title of the annotations that have none of their own
 */
export function createLog(redact: Redact, usualTitle: string): Log {
  let failed = false
  // Cleaning takes characters out and could put a secret together, so that redacting comes first and last.
  const clean = (text: string): string => redact(logText(redact(text)))
  const titled = (title = usualTitle): core.AnnotationProperties => ({ title: clean(title) })
  return {
    info: (text) => core.info(clean(text)),
    notice: (text, title) => core.notice(clean(text), titled(title)),
    warning: (text, title) => core.warning(clean(text), titled(title)),
    fail(text, title) {
      failed = true
      core.error(clean(text), titled(title))
    },
    group(title, text) {
      core.startGroup(clean(title))
      core.info(clean(text))
      core.endGroup()
    },
    hasFailed: () => failed,
  }
}
