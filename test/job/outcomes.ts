import { type Outcome, outcomeOf } from '../../src/job/outcome.ts'
import type { Plan } from '../../src/job/plan.ts'
import type { JobResult, PollEnd } from '../../src/job/poll.ts'
import { readJob } from '../../src/service/docs-service.ts'

export const PR_LINK = 'https://github.com/acme/docs/pull/12'
export const CREATE: Plan = { kind: 'create', prompt: 'Explain the flag.' }

type Change = Partial<PollEnd> & {
  readonly plan?: Plan | undefined
  /** Fields of the job. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly failOn?: Parameters<typeof outcomeOf>[2]['fail-on']
}

/** The outcome of a job that was created and waited for, and that ended so. */
export function outcome(result: JobResult, { fields = {}, failOn, ...change }: Change = {}): Outcome {
  const job = readJob({
    id: 'j1',
    status: 'completed',
    source: { repository: 'https://github.com/acme/docs.git', ref: 'docs/flag' },
    model: 'docs-agent-1',
    createdAt: '2026-08-01T10:00:00Z',
    prLink: result === 'pull-request' ? PR_LINK : null,
    extra: 7,
    ...fields,
  })
  const end = { jobId: 'j1', result, job, durationMs: 185_000, error: undefined, ...change }
  const inputs = { timeout: 1_800_000, 'fail-on': failOn ?? new Set(['failed', 'timed-out'] as const) }
  return outcomeOf('plan' in change ? change.plan : CREATE, end, inputs)
}
