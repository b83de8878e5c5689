import * as core from '@actions/core'
import type { Redact } from '../lib/redact.ts'
import { logText } from '../lib/text.ts'

/** The run's log: the only way text reaches it. Nothing written here can act as a workflow command or show a secret. */
export type Log = {
  info(text: string): void
  /** Annotations are shown at the top of the run, too; each has a title. */
  notice(text: string, title?: string): void
  warning(text: string, title?: string): void
  /** Marks the step as failed. */
  fail(text: string, title?: string): void
  /** A folded part of the log. */
  group(title: string, text: string): void
  /** Whether `fail` has been called. */
  hasFailed(): boolean
}

/**
 * Opens the log.
 *
 * @param redact takes the secrets out of everything that is written
 * @param usualTitle title of the annotations that have none of their own
 */
export function openLog(redact: Redact, usualTitle: string): Log {
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

/** Tells the runner to replace secrets by `***` in all that is printed from here on. */
export function maskSecrets(secrets: readonly string[]): void {
  for (const secret of secrets) core.setSecret(secret)
}
