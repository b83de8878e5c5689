import * as core from '@actions/core'
import type { Log } from '../lib/log.ts'
import type { Redact } from '../lib/redact.ts'
import { byteLength, errorMessage } from '../lib/text.ts'

/** All outputs, as in `action.yml`: of the agent job, of the comment, of the readers report. */
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
  'reader-signals',
  'reader-signals-count',
] as const

type OutputName = (typeof OUTPUTS)[number]

/** Values by output; what is not named is not set. */
export type OutputValues = Readonly<Partial<Record<OutputName, string>>>

/** An output may have this many bytes. GitHub's own limit is 1 MiB for all outputs of a job. */
export const OUTPUT_LIMIT_BYTES = 256 * 1024

/** The step's outputs. */
export class Outputs {
  readonly #log: Log
  readonly #redact: Redact
  #hasFailed = false

  constructor(log: Log, redact: Redact) {
    this.#log = log
    this.#redact = redact
  }

  /**
   * Sets outputs. One that is too long is left empty, with a warning; one that can't be written fails the step, but the
   * run goes on: a job that is waited for is still to be reported.
   */
  set(values: OutputValues): void {
    for (const [name, value] of Object.entries(values)) {
      const isTooLong = byteLength(value) > OUTPUT_LIMIT_BYTES
      if (isTooLong) {
        const limit = `${OUTPUT_LIMIT_BYTES / 1024} KiB`
        this.#log.warning(`The output ${name} is left empty: it would be longer than ${limit}.`)
      }
      this.#write(name, isTooLong ? '' : this.#redact(value))
    }
  }

  #write(name: string, value: string): void {
    if (this.#hasFailed) return
    try {
      core.setOutput(name, value)
    } catch (error) {
      this.#hasFailed = true
      this.#log.fail(
        `Failed to write the output ${name}, so none of the step's outputs can be relied on: ${errorMessage(error)}. The runner names the file in GITHUB_OUTPUT.`,
      )
    }
  }
}
