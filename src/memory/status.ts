import { createHash } from 'node:crypto'
import type { GitHubEvent } from '../events/event-table.ts'
import { hasPrompt, type Trigger } from '../events/trigger.ts'
import type { CommitStatus } from '../github/statuses.ts'
import type { Inputs } from '../inputs/table.ts'
import { visibleText } from '../lib/text.ts'
import { type Environment, stepNames } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'

/**
 * What a step remembers of its job, on a commit and for everybody to see. `pending` and `error` without a job: one may
 * have been started; `failure` without a job: none was.
 */
export type StepStatus = CommitStatus & {
  /** Empty where the status does not name it. */
  readonly jobId: string
}

/** A job that an earlier run, or an earlier attempt of this run, was about. */
export type EarlierJob = {
  readonly id: string
  /** Its pull request as far as GitHub knows it; empty if none is known. */
  readonly prLink: string
  /** When GitHub was first told of it, in milliseconds since the epoch. */
  readonly namedAtMs: number
}

/** Source: GitHub's REST API, "Create a commit status". */
const MAX_DESCRIPTION = 140
const MAX_CONTEXT = 255

/** Whether the step remembers its job of this run in a commit status. */
export function usesMemory({ event, command }: Trigger, inputs: Inputs): boolean {
  return event.row.remembers && command === undefined && inputs['follow-up'] && hasPrompt(inputs)
}

/** The name of the step's statuses. Another project, workflow, job, step or leg of a matrix has another one. */
export function statusContext({ inputs, environment }: Pick<Run, 'inputs' | 'environment'>): string {
  const { workflow, job, step } = stepNames(environment, inputs.matrix)
  const name = `Docs agent: ${inputs['project-id']} (${workflow}, ${job}, ${step})`
  if (name.length <= MAX_CONTEXT) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16)
  return `${name.slice(0, MAX_CONTEXT - hash.length - 1).toWellFormed()}…${hash}`
}

/** The commit that the step's status stands on: of a pull request its head or, once merged, its merge commit. */
export function statusCommit({ row, payload }: GitHubEvent, { sha }: Environment): string {
  if (row.subject !== 'pull-request') return sha
  const { merged, merge_commit_sha: mergeCommit, head } = payload.pull_request ?? {}
  return (merged === true ? mergeCommit : head?.sha) ?? ''
}

/** A headline with the job's id in brackets. The headline is cut to fit; an id that does not fit is left out. */
export function statusDescription(headline: string, jobId = ''): string {
  const id = /^[^\s()]+$/.test(jobId) && jobId.length + 2 <= MAX_DESCRIPTION ? `(${jobId})` : ''
  const maxLength = MAX_DESCRIPTION - id.length - 1
  if (maxLength < 2) return id
  const words = visibleText(headline).replaceAll('`', '').replace(/\s+/g, ' ')
  // Nothing but a job's id stands in brackets at the end.
  const text = id === '' ? words.replace(/ ?\(([^()]*)\)$/, ', $1').replace(/\)$/, '') : words
  const shown = text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`
  return `${shown} ${id}`.trim()
}

export function readStepStatus(status: CommitStatus): StepStatus {
  return { ...status, jobId: /\(([^\s()]+)\)$/.exec(status.description)?.[1] ?? '' }
}

/** The id of the workflow run that a status has as its target; `undefined` if it has another one. */
export function runIdOf(
  { targetUrl }: CommitStatus,
  { serverUrl, repository }: Environment,
): string | undefined {
  const prefix = `${serverUrl}/${repository}/actions/runs/`
  return targetUrl.startsWith(prefix) ? /^\d+/.exec(targetUrl.slice(prefix.length))?.[0] : undefined
}
