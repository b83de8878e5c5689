import { readInputs } from '../../src/inputs/table.ts'
import type { Plan } from '../../src/job/plan.ts'
import { type JobEnd, type JobResult, makeReport, type Report } from '../../src/job/report.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { readJob } from '../../src/service/docs-service.ts'

export const PR_LINK = 'https://github.com/acme/docs/pull/12'
export const CREATE: Extract<Plan, { kind: 'create' }> = {
  kind: 'create',
  prompt: 'Explain the flag.',
  previous: undefined,
  contextCounts: undefined,
  items: [],
  authors: [],
}
export const WAIT: Plan = { kind: 'wait', id: 'j1', job: undefined, namedAtMs: undefined }
export const MESSAGE: Extract<Plan, { kind: 'message' }> = {
  kind: 'message',
  id: 'j1',
  prompt: 'x',
  pull: undefined,
  namedAtMs: undefined,
  contextCounts: undefined,
  items: [],
  authors: [],
}

type Change = {
  readonly plan?: Plan | undefined
  /** Fields of the job. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** Whether no poll has shown the job. */
  readonly isUnseen?: boolean
  readonly error?: unknown
  readonly durationMs?: number
  /** In place of the end that belongs to the result. */
  readonly end?: JobEnd
  /** Inputs as they were given. */
  readonly inputs?: Readonly<Record<string, string>>
}

const STATUSES = {
  'pull-request': 'completed',
  'no-pull-request': 'completed',
  failed: 'failed',
  archived: 'archived',
}

/** The report of a job that was created and waited for, and that ended so. */
export function report(result: JobResult, change: Change = {}): Report {
  const { fields = {}, isUnseen = false, error, durationMs = 185_000, inputs = {} } = change
  const status = Object.entries(STATUSES).find(([name]) => name === result)?.[1]
  const job = readJob({
    id: 'j1',
    status: status ?? 'active',
    source: { repository: 'https://github.com/acme/docs.git', ref: 'docs/flag' },
    model: 'docs-agent-1',
    createdAt: '2026-08-01T10:00:00Z',
    prLink: result === 'pull-request' ? PR_LINK : null,
    extra: 7,
    ...fields,
  })
  if (job === undefined) throw new Error('no job')
  const seen = { job: isUnseen ? undefined : job, error, durationMs }
  const timedOut = result === 'timed-out' || result === 'cancelled'
  let end: JobEnd = timedOut ? { kind: result, ...seen } : { kind: 'refused', ...seen }
  if (status !== undefined) end = { kind: 'finished', job, durationMs }
  if (result === 'submitted') end = { kind: 'submitted', job, durationMs }
  const given = Object.entries(inputs).map(([name, value]) => [
    `INPUT_${name.toUpperCase()}`,
    value,
  ])
  const environment = readEnvironment(Object.fromEntries(given))
  const run = { environment, inputs: readInputs(environment.inputs, (text) => text).inputs }
  const plan = 'plan' in change ? change.plan : CREATE
  const kind = plan?.kind ?? 'create'
  const times = { namedAtMs: 0, sentAtMs: 0, deadlineMs: 0 }
  const accepted =
    isUnseen || change.end ? undefined : { kind, id: 'j1', job, prLink: '', ...times }
  return makeReport(change.end ?? end, { plan, accepted }, run)
}
