import { setOutput } from '@actions/core'
import type { Outcome } from '../job/outcome.ts'
import { pullRequestNumber } from '../job/pull-request.ts'
import type { Redact } from '../lib/redact.ts'
import type { Job } from '../service/job.ts'
import type { Log } from './log.ts'

/** Outputs of an agent job, as in `action.yml`. */
export const JOB_OUTPUTS = [
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
] as const

/** Outputs of a visitors report, as in `action.yml`. */
export const VISITORS_OUTPUTS = [
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

/** Outputs of a comment that was written, as in `action.yml`. */
export const COMMENT_OUTPUTS = ['comment-id', 'comment-url'] as const

/** All outputs, as in `action.yml`. */
export const OUTPUTS = [...JOB_OUTPUTS, ...COMMENT_OUTPUTS, ...VISITORS_OUTPUTS] as const

/** Name of an output. */
export type OutputName = (typeof OUTPUTS)[number]

/** Values by output; what is not named is not set. */
export type OutputValues = Readonly<Partial<Record<OutputName, string>>>

/** An output may have this many bytes. GitHub's own limit is 1 MiB for all outputs of a job. */
export const OUTPUT_LIMIT_BYTES = 256 * 1024

/** Sets outputs. One that is too long is left empty, with a warning; secrets are replaced. */
export type SetOutputs = (values: OutputValues) => void

/** Makes the function that sets outputs: the only way values reach them. */
export function openOutputs(log: Log, redact: Redact): SetOutputs {
  const written = new Map<string, string>()
  return (values) => {
    for (const [name, value] of Object.entries(values)) {
      const tooLong = Buffer.byteLength(value) > OUTPUT_LIMIT_BYTES
      if (tooLong)
        log.warning(
          `The output ${name} is left empty: it would be longer than ${OUTPUT_LIMIT_BYTES / 1024} KiB.`,
        )
      const shown = tooLong ? '' : redact(value)
      if (written.get(name) !== shown) setOutput(name, shown)
      written.set(name, shown)
    }
  }
}

/** The outputs of an agent job at its end. */
export function jobOutputs({ result, job, jobId, durationSeconds }: Outcome): OutputValues {
  return {
    'job-id': jobId,
    result,
    ...(durationSeconds === undefined ? {} : { 'duration-seconds': String(durationSeconds) }),
    ...(job === undefined ? {} : describedOutputs(job)),
  }
}

function describedOutputs(job: Job): OutputValues {
  return {
    status: job.status,
    'pr-link': job.prLink ?? '',
    'pr-number': pullRequestNumber(job.prLink),
    repository: job.repository ?? '',
    ref: job.ref ?? '',
    model: job.model ?? '',
    'created-at': job.createdAt ?? '',
    'archived-at': job.archivedAt ?? '',
    job: job.json,
  }
}
