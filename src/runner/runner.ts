import * as core from '@actions/core'
import { secretsOf } from '../inputs/read.ts'
import { type Redact, redactor } from '../lib/redact.ts'
import { errorMessage } from '../lib/text.ts'
import type { Environment } from './environment.ts'
import { type Log, maskSecrets, openLog } from './log.ts'
import { openOutputs, type SetOutputs } from './outputs.ts'
import { openSummary, type WriteSummary } from './summary.ts'

/** What the main part of the step leaves for its post part. */
export type StateName = 'job-id' | 'pending-comment' | 'finished'

/** The runner, as the rest of the code sees it: nothing else reads its variables or writes its files and log. */
export type Runner = {
  readonly environment: Environment
  readonly log: Log
  /** Takes the secrets out of a text. */
  readonly redact: Redact
  readonly setOutputs: SetOutputs
  readonly writeSummary: WriteSummary
  /** Saves a value for the post part, in place of the one before. */
  saveState(name: StateName, value: string): void
  /** What the main part saved; empty if nothing. */
  readState(name: StateName): string
}

/** Opens the runner. The secrets are masked before anything else happens. */
export function openRunner(environment: Environment): Runner {
  const secrets = secretsOf(environment.inputs)
  maskSecrets(secrets)
  const redact = redactor(secrets)
  const log = openLog(redact, `Docs agent: ${environment.inputs.get('project-id') ?? ''}`)
  let stateFailed = false
  return {
    environment,
    log,
    redact,
    setOutputs: openOutputs(log, redact),
    writeSummary: openSummary(environment.summaryPath, { log, redact }),
    saveState(name, value) {
      if (stateFailed) return
      try {
        core.saveState(name, value)
      } catch (error) {
        stateFailed = true
        log.warning(`Nothing can be saved for the step's post part: ${errorMessage(error)}`)
      }
    },
    readState: (name) => environment.state.get(name) ?? '',
  }
}
