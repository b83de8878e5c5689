import { isSha } from '../events/event-table.ts'
import type { Trigger } from '../events/trigger.ts'
import type { Known, Octokit } from '../github/client.ts'
import { isRecord } from '../lib/json.ts'
import { MAX_LINK_LENGTH } from '../lib/markdown.ts'
import { attemptUrlOf, isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { statusCommit, statusContext, statusDescription, usesMemory } from './status.ts'

/** A commit status as Octokit takes it. */
type NewStatus = NonNullable<Parameters<Octokit['rest']['repos']['createCommitStatus']>[0]>

/** What a status says. Without the id of a job and with `failure`, nothing was started. */
export type StatusText = {
  readonly state: NewStatus['state']
  readonly headline: string
  readonly jobId?: string
  /** The pull request to point at; empty or missing: the run. */
  readonly prLink?: string
}

export const STATUS_PERMISSION = 'statuses: write'

const CALL = {
  purpose: 'set the commit status by which the next run finds this job',
  permission: STATUS_PERMISSION,
}
const COST = 'Each run starts a new job and a new pull request, and a re-run starts none.'

/**
 * Writes the step's memory: a commit status that says what the run is about to start, and then what came of it, for the
 * next run and for people. Does nothing where the run has no memory, and in a dry run.
 */
export class StepMemory {
  readonly #run: Run
  /** Empty where the run has no memory. */
  readonly #sha: string
  /** Whether GitHub takes none of this run's statuses, whenever they are set. */
  #isRefused = false
  /** Statuses are set one after the other: the last one set is the one that GitHub shows. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(run: Run, trigger: Trigger) {
    this.#run = run
    const sha = statusCommit(trigger.event, run.environment)
    const isActive = usesMemory(trigger, run.inputs) && !run.inputs['dry-run'] && isSha(sha)
    this.#sha = isActive ? sha : ''
  }

  /** Whether a re-run is to find here what this run does. */
  get isActive(): boolean {
    return this.#sha !== ''
  }

  /** Writes down that a job is about to be started or sent a message. Unknown: it may not be there. */
  async begin(): Promise<Known<unknown>> {
    const { github, environment } = this.#run
    if (!this.isActive) return { known: true, value: undefined }
    const status = this.#status({ state: 'pending', headline: 'Starting' })
    this.#savePending({ state: 'error', headline: 'Interrupted before the docs service had answered' })
    // A re-run that can't write starts nothing, which is an error that says why.
    const call = isRerun(environment) ? ({ ...CALL, level: 'notice' } as const) : { ...CALL, cost: COST }
    const set = await github.attempt(call, () => createStatus(status, this.#run))
    this.#isRefused = !set.known && github.isRefusedForGood(set.error, STATUS_PERMISSION)
    if (this.#isRefused) this.#run.setPending('status', undefined)
    return set
  }

  /** Names the accepted job. The target is the run, so that a re-run finds the job of its first attempt. */
  accepted(jobId: string, prLink: string, headline: string): Promise<void> {
    const ifKilled = {
      state: 'failure',
      headline: 'Interrupted, the job is still running',
      jobId,
      prLink,
    } as const
    return this.#set({ state: 'pending', headline, jobId }, ifKilled)
  }

  /** Says how the run ended. What GitHub refuses for the moment is left to the post step. */
  end(text: StatusText): Promise<void> {
    return this.#set(text, text)
  }

  async #set(text: StatusText, ifKilled: StatusText): Promise<void> {
    if (!this.isActive || this.#isRefused) return
    this.#savePending(ifKilled)
    this.#last = this.#last.then(() => setStatus(this.#status(text), this.#run))
    await this.#last
  }

  #savePending(text: StatusText): void {
    this.#run.setPending('status', this.#status(text))
  }

  #status({ state, headline, jobId = '', prLink = '' }: StatusText): NewStatus {
    const { environment, github, redact } = this.#run
    return {
      ...github.repository,
      sha: this.#sha,
      context: statusContext(this.#run),
      state,
      description: statusDescription(redact(headline), jobId),
      target_url: (isLinkable(prLink) ? prLink : attemptUrlOf(environment)) || null,
    }
  }
}

function isLinkable(url: string): boolean {
  return /^https?:\/\//.test(url) && url.length <= MAX_LINK_LENGTH
}

/** For the post step: ends the status of a run that was killed, or that GitHub refused before. */
export async function finishPendingStatus(run: Run): Promise<void> {
  const saved = run.getPending('status')
  // Written by this step's own main part.
  if (isRecord(saved)) await setStatus(saved as NewStatus, run)
}

function createStatus(status: NewStatus, { github }: Run): Promise<unknown> {
  return github.call(({ rest }) => rest.repos.createCommitStatus(status))
}

/** Once the job's end is set, or is refused for good, nothing is left to the post step. */
async function setStatus(status: NewStatus, run: Run): Promise<void> {
  const { github } = run
  const set = await github.attempt(CALL, () => createStatus(status, run))
  const isOver = status.state !== 'pending'
  const isDone = set.known || github.isRefusedForGood(set.error, STATUS_PERMISSION)
  if (isOver && isDone) run.setPending('status', undefined)
}
