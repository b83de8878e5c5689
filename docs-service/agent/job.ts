import { createHash } from 'node:crypto'
import { type Outcome, readDirectives, subjectMatter } from './prompt.ts'

/** A job as the service sends it. */
export type JobAnswer = {
  id: string
  status: string
  source: { repository: string; ref: string }
  model: string
  prLink: string | null
  createdAt: string
  archivedAt: string | null
}

/** A pull request the agent opened. */
export type Pull = {
  readonly number: number
  readonly gitlab: boolean
  state: 'open' | 'merged' | 'closed'
  /** The commit that `main` was at before the merge. */
  base?: string
}

/** One prompt's worth of work: the job's own prompt, or a follow-up message. Times are epoch milliseconds. */
export type Round = {
  readonly prompt: string
  /** What is shown until when. The last stage ends with the round. */
  readonly stages: readonly { status: string; untilMs: number }[]
  /** `Infinity` for a round that never ends. */
  readonly endsAtMs: number
  readonly outcome: Outcome
  readonly changes: boolean
  readonly gitlab: boolean
  /** The work at the round's end, once it has begun; it is done once only. */
  work?: Promise<void>
}

/** A job as the service keeps it. */
export type AgentJob = {
  readonly id: string
  readonly project: string
  /** The prompt of the create, as it was sent. */
  readonly prompt: string
  /** The prompts of the follow-up messages that were accepted. */
  readonly messages: string[]
  readonly createdAtMs: number
  readonly branch: string
  readonly rounds: Round[]
  /** Opened when the first round that changes something is over. */
  pull: Pull | null
  /** What is still shown of the job as it was before a message. */
  stale?: { untilMs: number; answer: JobAnswer }
}

/** A new job without a round yet; `count` makes its id. */
export function newJob(
  { project, prompt, nowMs }: { project: string; prompt: string; nowMs: number },
  { seed, count }: { seed: number; count: number },
): AgentJob {
  const id = identifier(seed, count)
  const branch = `docs/agent-${slug(prompt)}-${id.slice(0, 6)}`
  return { id, project, prompt, messages: [], createdAtMs: nowMs, branch, rounds: [], pull: null }
}

/** The job at a moment, as the service sends it; its link is null until it is over. */
export function jobAnswer(job: AgentJob, { nowMs, url }: { nowMs: number; url: string }): JobAnswer {
  const status = statusAt(job.rounds, nowMs)
  const archivedAtMs = status === 'archived' ? job.rounds.at(-1)?.endsAtMs : undefined
  return {
    id: job.id,
    status,
    source: { repository: `${url}/acme/docs`, ref: job.branch },
    model: 'docs-agent-1',
    prLink: isOver(status) && job.pull ? `${url}${pullPath(job.pull)}` : null,
    createdAt: new Date(job.createdAtMs).toISOString(),
    archivedAt: archivedAtMs === undefined ? null : new Date(archivedAtMs).toISOString(),
  }
}

/** Where the pull request's page is. */
export function pullPath({ number, gitlab }: Pull): string {
  return gitlab ? `/acme/docs/-/merge_requests/${number}` : `/acme/docs/pull/${number}`
}

/** Plans a round that begins at `startsAtMs`: active for its time, then the stages its directives name. */
export function planRound(
  prompt: string,
  { startsAtMs, jobTimeMs }: { startsAtMs: number; jobTimeMs: number },
): Round {
  const { outcome, changes, takesMs, stages: further, endless, gitlab } = readDirectives(prompt)
  const stages = [{ status: 'active', untilMs: startsAtMs + (takesMs ?? jobTimeMs) }]
  for (const { status, ms } of further) stages.push({ status, untilMs: endOf(stages) + ms })
  if (endless) stages.push({ status: 'active', untilMs: Number.POSITIVE_INFINITY })
  return { prompt, stages, endsAtMs: endOf(stages), outcome, changes, gitlab }
}

/** The status that rounds one after another show at a moment. */
export function statusAt(rounds: readonly Round[], nowMs: number): string {
  const running = rounds.find((round) => nowMs < round.endsAtMs)
  const stage = running?.stages.find(({ untilMs }) => nowMs < untilMs)
  return stage?.status ?? rounds.at(-1)?.outcome ?? 'active'
}

/** Whether a status is one of those that end a job. */
export function isOver(status: string): status is Outcome {
  return status === 'completed' || status === 'failed' || status === 'archived'
}

function endOf(stages: readonly { untilMs: number }[]): number {
  return stages.at(-1)?.untilMs ?? 0
}

/** The `count`-th job id of a seed: shaped like a random UUID, yet the same in every run. */
function identifier(seed: number, count: number): string {
  const digits = createHash('sha256').update(`docs-service ${seed} ${count}`).digest('hex')
  const groups = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `a${digits.slice(17, 20)}`,
  ]
  return [...groups, digits.slice(20, 32)].join('-')
}

function slug(prompt: string): string {
  const words = subjectMatter(prompt)
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  return words?.slice(0, 5).join('-').slice(0, 40).replace(/-$/, '') || 'update'
}
