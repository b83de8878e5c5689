import { identifier } from '../hash.ts'
import { withoutDirectives } from './directives.ts'
import { isOver, type Round, statusAt } from './round.ts'

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
export type Pull = { readonly number: number; readonly gitlab: boolean }

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

function slug(prompt: string): string {
  const words = withoutDirectives(prompt)
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  return words?.slice(0, 5).join('-').slice(0, 40).replace(/-$/, '') || 'update'
}
