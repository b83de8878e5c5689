import { isRecord, type JsonRecord } from '../lib/json.ts'

/** Statuses after which a job no longer changes by itself; all others mean "not finished yet". */
const TERMINAL_STATUSES = ['completed', 'archived', 'failed'] as const

/** A status that ends a job. */
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number]

/** An agent job as the service describes it. `null` where the service has no value or one of a wrong type. */
export type Job = {
  readonly id: string
  /** `active`, a `TerminalStatus`, or a word that the service adds later. */
  readonly status: string
  /** URL of the pull request; never empty. */
  readonly prLink: string | null
  /** URL of the repository that the agent works in. */
  readonly repository: string | null
  readonly ref: string | null
  readonly model: string | null
  /** ISO 8601, UTC. */
  readonly createdAt: string | null
  /** ISO 8601, UTC. */
  readonly archivedAt: string | null
  /** Everything the service sent, unknown fields included, as JSON: to the letter, unless the key was in there. */
  readonly json: string
  /** Names of the fields that had a wrong type and count as absent. */
  readonly invalidFields: readonly string[]
}

/** Whether a status ends a job. */
export function isTerminal(status: string): status is TerminalStatus {
  return TERMINAL_STATUSES.some((terminal) => terminal === status)
}

/** Whether the documentation knows a status (August 2026). */
export function isKnownStatus(status: string): boolean {
  return status === 'active' || isTerminal(status)
}

/** Whether a text can be a job's id: not empty, and still itself as one segment of a URL's path. */
export function isJobId(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && text.isWellFormed()
}

/**
 * Reads a job; `undefined` if the value is none: no object, or without a usable `id` and a `status`.
 *
 * @param exact the value as it was sent, if that may be shown
 */
export function readJob(value: unknown, exact?: string): Job | undefined {
  if (!isRecord(value)) return undefined
  const { id, status, source } = value
  if (typeof id !== 'string' || !isJobId(id) || typeof status !== 'string') return undefined
  const invalidFields: string[] = []
  const text = (record: JsonRecord, field: string, name = field): string | null => {
    const found = record[field] ?? null
    if (found === null || typeof found === 'string') return found === '' ? null : found
    invalidFields.push(name)
    return null
  }
  const from = readSource(source, invalidFields)
  return {
    id,
    status,
    prLink: text(value, 'prLink'),
    repository: text(from, 'repository', 'source.repository'),
    ref: text(from, 'ref', 'source.ref'),
    model: text(value, 'model'),
    createdAt: text(value, 'createdAt'),
    archivedAt: text(value, 'archivedAt'),
    json: exact?.trim() ?? JSON.stringify(value),
    invalidFields,
  }
}

function readSource(source: unknown, invalidFields: string[]): JsonRecord {
  if (isRecord(source)) return source
  if (source !== undefined && source !== null) invalidFields.push('source')
  return {}
}
