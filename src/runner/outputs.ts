import * as core from '@actions/core'
import type { Redact } from '../lib/redact.ts'
import { errorMessage } from '../lib/text.ts'
import type { Log } from './log.ts'

/** All outputs, as in `action.yml`: of the agent job, of the comment, of the visitors report. */
export const OUTPUTS = [
  'job-id',
  'status',
  'pr-link',
  'result',
  'pr-number',
  'repository',
  'ref',
  'model',
  'created-at',
  'archived-at',
  'duration-seconds',
  'job',
  'comment-id',
  'comment-url',
  'visitors-human',
  'visitors-ai',
  'visitors-total',
  'visitors-change',
  'visitors-from',
  'visitors-to',
  'visitors-complete',
  'visitors-export',
  'visitors',
] as const

type OutputName = (typeof OUTPUTS)[number]

/** Values by output; what is not named is not set. */
export type OutputValues = Readonly<Partial<Record<OutputName, string>>>

/** An output may have this many bytes. GitHub's own limit is 1 MiB for all outputs of a job. */
export const OUTPUT_LIMIT_BYTES = 256 * 1024

/**
 * Sets outputs. One that is too long is left empty, with a warning; one that can't be written fails the step, but not
 * what goes on: a job that is awaited is still to be reported.
 */
export type SetOutputs = (values: OutputValues) => void

/** Makes the function that sets outputs: the only way values reach them. */
export function openOutputs(log: Log, redact: Redact): SetOutputs {
  const written = new Map<string, string>()
  let failed = false

  function set(name: string, value: string): void {
    if (written.get(name) === value || failed) return
    try {
      core.setOutput(name, value)
      written.set(name, value)
    } catch (error) {
      failed = true
      log.fail(
        `The output ${name} can't be written, and so none of the step's outputs can be relied on: ${errorMessage(error)}. The runner names the file in GITHUB_OUTPUT.`,
      )
    }
  }

  return (values) => {
    for (const [name, value] of Object.entries(values)) {
      const tooLong = Buffer.byteLength(value) > OUTPUT_LIMIT_BYTES
      if (tooLong) {
        const limit = `${OUTPUT_LIMIT_BYTES / 1024} KiB`
        log.warning(`The output ${name} is left empty: it would be longer than ${limit}.`)
      }
      set(name, tooLong ? '' : redact(value))
    }
  }
}
