import type { GitHubEvent } from '../events/event-table.ts'
import type { Trigger } from '../events/trigger.ts'
import type { Octokit } from '../github/client.ts'
import { isRecord } from '../lib/json.ts'
import { type Environment, runUrlOf } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { statusDescription, stepContext, usesMemory } from './step-statuses.ts'

/** A commit status as Octokit takes it. */
type NewStatus = NonNullable<Parameters<Octokit['rest']['repos']['createCommitStatus']>[0]>

const PERMISSION = 'statuses: write'

/**
 * The step's memory: a commit status that names its job, where the next run and people find it. Does nothing without a
 * prompt or `follow-up`, in a dry run, and on other events.
 */
export class StepMemory {
  readonly #run: Run
  /** Empty where the run has no memory. */
  readonly #sha: string
  /** The accepted job; `undefined` before there is one. */
  #job: { readonly jobId: string; readonly prLink: string } | undefined
  /** Statuses are set one after the other: the last one set is the one that GitHub shows. */
  #last: Promise<void> = Promise.resolve()

  constructor(run: Run, trigger: Trigger) {
    this.#run = run
    const isActive = usesMemory(trigger, run.inputs) && !run.inputs['dry-run']
    this.#sha = isActive ? memoryCommit(trigger.event, run.environment) : ''
  }

  /**
   * Remembers a job as soon as it is accepted, and saves what its status ends as should this step be killed. The target
   * is the run, so that a re-run finds the job of its first attempt.
   *
   * @param prLink the pull request that the job goes on with; empty if there is none yet
   */
  async begin(jobId: string, prLink: string, headline: string): Promise<void> {
    if (this.#sha === '') return
    this.#job = { jobId, prLink }
    const ifKilled = this.#status('failure', 'Interrupted, the job is still running', jobId, prLink)
    await this.#set(this.#status('pending', headline, jobId, ''), ifKilled)
  }

  /** Says how the accepted job ended. What GitHub refuses for the moment is left to the post step. */
  async end(state: 'success' | 'failure', outcome: { headline: string; prLink: string }): Promise<void> {
    if (this.#job === undefined) return
    const { jobId, prLink } = this.#job
    await this.#set(this.#status(state, outcome.headline, jobId, outcome.prLink || prLink))
  }

  #status(state: NewStatus['state'], headline: string, jobId: string, prLink: string): NewStatus {
    const { environment, inputs, github, redact } = this.#run
    return {
      ...github.repository,
      sha: this.#sha,
      context: stepContext(inputs, environment),
      state,
      description: statusDescription(redact(headline), jobId),
      target_url: (/^https?:\/\//.test(prLink) ? prLink : runUrlOf(environment)) || null,
    }
  }

  #set(status: NewStatus, ifKilled = status): Promise<void> {
    this.#run.setPending('status', ifKilled)
    this.#last = this.#last.then(() => setStatus(status, this.#run, 'The post step tries again.'))
    return this.#last
  }
}

/** The commit that the step's status stands on: of a pull request its head or, once merged, its merge commit. */
export function memoryCommit({ row, payload }: GitHubEvent, { sha }: Environment): string {
  if (row.subject !== 'pull-request') return sha
  const { merged, merge_commit_sha: mergeCommit, head } = payload.pull_request ?? {}
  return (merged === true ? mergeCommit : head?.sha) ?? ''
}

/** For the post step: ends the status of a run that was killed, or that GitHub refused before. */
export async function finishPendingStatus(run: Run): Promise<void> {
  const saved = run.getPending('status')
  // Written by this step's own main part.
  if (isRecord(saved)) await setStatus(saved as NewStatus, run, 'It stays as it is.')
}

/** Once the job's end is set, or can't be, nothing is left to the post step. */
async function setStatus(status: NewStatus, run: Run, ifFails: string): Promise<void> {
  const { github } = run
  const isOver = status.state !== 'pending'
  // One stray refusal is no missing permission: how the job ended is tried in any case.
  if (!isOver && github.lacks(PERMISSION)) return
  const purpose = 'set the commit status by which the next run finds this job'
  const consequence = isOver && !github.lacks(PERMISSION) ? ifFails : ''
  const call = { purpose, permission: PERMISSION, level: 'notice', consequence } as const
  const set = await github.attempt(call, () =>
    github.request(({ rest }) => rest.repos.createCommitStatus(status)),
  )
  if (isOver && (set.known || github.lacks(PERMISSION))) run.setPending('status', undefined)
}
