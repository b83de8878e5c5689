import { NOT_REMEMBERED, stepContext, usesMemory } from '../events/history.ts'
import type { GitHubEvent } from '../events/payload.ts'
import type { Trigger } from '../events/trigger.ts'
import { createStatus, type NewStatus, statusDescription } from '../github/statuses.ts'
import { isRecord } from '../lib/json.ts'
import { type Environment, runUrlOf } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'

/**
 * The step's memory: a commit status that names its job, where the next run and people find it. Does nothing where a
 * run has none: without a prompt or `follow-up`, in a dry run, on other events.
 */
export class StepMemory {
  readonly #run: Run
  readonly #sha: string
  readonly #context: string
  readonly #isActive: boolean
  /** The accepted job; `undefined` before there is one. */
  #job: { readonly jobId: string; readonly prLink: string } | undefined
  /** Statuses are set one after the other: the last one set is the one that GitHub shows. */
  #last: Promise<void> = Promise.resolve()

  constructor(run: Run, trigger: Trigger) {
    this.#run = run
    this.#sha = memoryCommit(trigger.event, run.environment)
    this.#context = stepContext(run.inputs, run.environment)
    this.#isActive = usesMemory(trigger, run.inputs) && !run.inputs['dry-run'] && this.#sha !== ''
  }

  /**
   * Remembers a job as soon as it is accepted, and saves what its status ends as should this step be killed. The target
   * is the run, so that a re-run finds the job of its first attempt.
   *
   * @param prLink the pull request that the job goes on with; empty if there is none yet
   * @param headline what is going on
   */
  begin(jobId: string, prLink: string, headline: string): Promise<void> {
    if (!this.#isActive) return Promise.resolve()
    this.#job = { jobId, prLink }
    this.#run.setPending('status', this.#status('failure', { headline: INTERRUPTED, jobId, prLink }))
    return this.#set(this.#status('pending', { headline, jobId, prLink: '' }))
  }

  /** Says how the accepted job ended. What GitHub refuses for the moment is left to the post step. */
  end(state: 'success' | 'failure', outcome: { headline: string; prLink: string }): Promise<void> {
    if (this.#job === undefined) return Promise.resolve()
    const { jobId, prLink } = this.#job
    const { headline } = outcome
    const status = this.#status(state, { headline, jobId, prLink: outcome.prLink || prLink })
    this.#run.setPending('status', status)
    return this.#set(status)
  }

  #set(status: NewStatus): Promise<void> {
    this.#last = this.#last.then(async () => {
      const isOver = status.state !== 'pending'
      const isTriedAgain = isOver && !this.#run.github.lacks(PERMISSION)
      const consequence = isTriedAgain ? 'The post step tries again.' : NOT_REMEMBERED
      const isDone = await setStatus(status, this.#run, consequence)
      if (isDone && isOver) this.#run.setPending('status', undefined)
    })
    return this.#last
  }

  #status(state: NewStatus['state'], { headline, jobId, prLink }: Remembered): NewStatus {
    const { environment, redact } = this.#run
    return {
      sha: this.#sha,
      context: this.#context,
      state,
      description: statusDescription(redact(headline), jobId),
      targetUrl: /^https?:\/\//.test(prLink) ? prLink : runUrlOf(environment),
    }
  }
}

/** What a status says of a job. */
type Remembered = { readonly headline: string; readonly jobId: string; readonly prLink: string }

const INTERRUPTED = 'Interrupted, the job is still running'

/** The commit that the step's status stands on: of a pull request its head or, once merged, its merge commit. */
export function memoryCommit({ row, payload }: GitHubEvent, { sha }: Environment): string {
  if (row.tells !== 'pull-request') return sha
  const { merged, merge_commit_sha: mergeCommit, head } = payload.pull_request ?? {}
  return (merged === true ? mergeCommit : head?.sha) ?? ''
}

/** For the post step: ends the status of a run that was killed, or that GitHub refused before. */
export async function finishPendingStatus(run: Run): Promise<void> {
  const saved = run.getPending('status')
  if (!isRecord(saved)) return
  // Written by this step's own main part.
  if (await setStatus(saved as NewStatus, run, 'It stays as it is.')) run.setPending('status', undefined)
}

const PERMISSION = 'statuses: write'

/** Returns whether there is nothing left to do: the status is set, or can't be. */
async function setStatus(status: NewStatus, { github }: Run, consequence: string): Promise<boolean> {
  // One stray refusal is no missing permission: how the job ended is tried in any case.
  if (github.lacks(PERMISSION) && status.state === 'pending') return true
  const purpose = 'set the commit status by which the next run finds this job'
  const call = { purpose, permission: PERMISSION, level: 'notice', consequence } as const
  const isSet = await github.attempt(call, async () => {
    await createStatus(github, status)
    return true
  })
  return isSet === true || github.lacks(PERMISSION)
}
