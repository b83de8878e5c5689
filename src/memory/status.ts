import { createHash } from 'node:crypto'
import { type GitHubEvent, isSha } from '../events/event-table.ts'
import type { Trigger } from '../events/trigger.ts'
import type { GitHubCall, Known } from '../github/client.ts'
import type { GitHubError } from '../github/errors.ts'
import type { CommitStatus } from '../github/statuses.ts'
import type { Octokit } from '../github/types.ts'
import { hasPrompt, type Inputs } from '../inputs/table.ts'
import { isRecord } from '../lib/json.ts'
import { MAX_LINK_LENGTH } from '../lib/markdown.ts'
import { visibleText } from '../lib/text.ts'
import { attemptUrlOf, type Environment, isRerun, stepNames } from '../runner/environment.ts'
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
export function usesMemory({ row }: GitHubEvent, inputs: Inputs): boolean {
  return row.remembers && inputs['follow-up'] && hasPrompt(inputs)
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

/** A commit status as Octokit takes it. */
type NewStatus = NonNullable<Parameters<Octokit['rest']['repos']['createCommitStatus']>[0]>

/** What a status says. Without the id of a job and with `failure`, nothing was started. */
type StatusText = {
  readonly state: NewStatus['state']
  readonly headline: string
  readonly jobId?: string
  /** The pull request to point at; empty or missing: the run. */
  readonly prLink?: string
}

const STATUS_PERMISSION = 'statuses: write'

/** The permission that a token lacks where statuses could not be read: to them, or to the commits or pull request. */
export function permissionToRead({ status, path }: GitHubError): string {
  if (status !== undefined || path.endsWith('status')) return 'statuses: read'
  return path.startsWith('repository.pull') ? 'pull-requests: read' : 'contents: read'
}

const CALL = {
  purpose: 'set the commit status by which the next run finds this job',
  permission: STATUS_PERMISSION,
}
const COST = "this step can't remember its job: each run opens another pull request"

/**
 * Writes the step's memory: a commit status that says what the run is about to start, and then what came of it, for the
 * next run and for people. Does nothing where the run has no memory, and in a dry run.
 */
export class StepMemory {
  readonly #run: Run
  /** Empty where the run has no memory, or GitHub refuses its statuses for good. */
  #sha: string

  constructor(run: Run, { event }: Trigger) {
    this.#run = run
    const sha = statusCommit(event, run.environment)
    const isActive = usesMemory(event, run.inputs) && !run.inputs['dry-run'] && isSha(sha)
    this.#sha = isActive ? sha : ''
  }

  /** Writes down that a job is about to be started or sent a message. Unknown: it may not be there. */
  async begin(): Promise<Known<unknown>> {
    const ifKilled = { state: 'error', headline: 'Interrupted before the docs service had answered' } as const
    // A re-run that can't write starts nothing, which is an error that says why.
    const level = isRerun(this.#run.environment) ? ({ level: 'notice' } as const) : { cost: COST }
    return await this.#set({ state: 'pending', headline: 'Starting' }, ifKilled, { ...CALL, ...level })
  }

  /** Names the accepted job. The target is the run, so that a re-run finds the job of its first attempt. */
  async accepted(jobId: string, prLink: string, headline: string): Promise<void> {
    const killed = { state: 'failure', headline: 'Interrupted, the job is still running' } as const
    await this.#set({ state: 'pending', headline, jobId }, { ...killed, jobId, prLink })
  }

  /** Says how the run ended. What GitHub refuses for the moment is left to the post step. */
  async end(text: StatusText): Promise<void> {
    await this.#set(text, text)
  }

  async #set(text: StatusText, ifKilled: StatusText, call: GitHubCall = CALL): Promise<Known<unknown>> {
    if (this.#sha === '') return { known: true, value: undefined }
    this.#run.setPending('status', this.#status(ifKilled))
    const set = await setStatus(this.#status(text), call, this.#run)
    if (isRefusedForGood(set, this.#run)) this.#sha = ''
    return set
  }

  #status({ state, headline, jobId = '', prLink = '' }: StatusText): NewStatus {
    const { environment, github, redact } = this.#run
    const isLink = /^https?:\/\//.test(prLink) && prLink.length <= MAX_LINK_LENGTH
    return {
      ...github.repository,
      sha: this.#sha,
      context: statusContext(this.#run),
      state,
      description: statusDescription(redact(headline), jobId),
      target_url: (isLink ? prLink : attemptUrlOf(environment)) || null,
    }
  }
}

/** For the post step: ends the status of a run that was killed, or that GitHub refused before. */
export async function finishPendingStatus(run: Run): Promise<void> {
  const saved = run.getPending('status')
  // Written by this step's own main part.
  if (isRecord(saved)) await setStatus(saved as NewStatus, CALL, run)
}

/** Once the job's end is set, or statuses are refused for good, nothing is left to the post step. */
async function setStatus(status: NewStatus, call: GitHubCall, run: Run): Promise<Known<unknown>> {
  const { github } = run
  const set = await github.attempt(call, () =>
    github.call(({ rest }) => rest.repos.createCommitStatus(status)),
  )
  const isEnd = set.known && status.state !== 'pending'
  if (isEnd || isRefusedForGood(set, run)) run.setPending('status', undefined)
  return set
}

function isRefusedForGood(set: Known<unknown>, { github }: Run): boolean {
  return !set.known && github.isRefusedForGood(set.error, STATUS_PERMISSION)
}
