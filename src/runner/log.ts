import * as core from '@actions/core'
import { logText } from '../lib/log-text.ts'
import type { Redact } from '../lib/redact.ts'

/** The run's log: the only way text reaches it. Nothing written here can act as a workflow command or hold the key. */
export type Log = {
  info(text: string): void
  /** Shown at the top of the run, too. */
  notice(text: string, title?: string): void
  warning(text: string): void
  /** Shown at the top of the run as an error. Whether the step fails is the run's exit code. */
  fail(text: string): void
  /** A folded part of the log. */
  group(title: string, text: string): void
}

/** Opens the log. `redact` takes the secrets out of everything that is written. */
export function openLog(redact: Redact): Log {
  // Cleaning takes characters out and could put a secret together, so that comes first and last.
  const clean = (text: string): string => redact(logText(redact(text)))
  return {
    info: (text) => core.info(clean(text)),
    notice: (text, title = '') => core.notice(clean(text), { title: clean(title) }),
    warning: (text) => core.warning(clean(text)),
    fail: (text) => core.error(clean(text)),
    group(title, text) {
      core.startGroup(clean(title))
      core.info(clean(text))
      core.endGroup()
    },
  }
}

/** Tells the runner to replace a secret by `***` in all that is printed from here on. */
export function maskSecrets(secrets: readonly string[]): void {
  for (const secret of secrets) if (secret !== '') core.setSecret(secret)
}
