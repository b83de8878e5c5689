import type { Settings } from '../options.ts'
import type { Agent } from './git-agent.ts'
import {
  type AgentJob,
  isOver,
  type JobAnswer,
  jobAnswer,
  newJob,
  type Pull,
  planRound,
  type Round,
  statusAt,
} from './job.ts'

type JobSettings = Pick<Settings, 'seed' | 'jobTimeMs' | 'staleMs' | 'now'>

/** A pull request that can't be merged or closed: there is none of this number, or it is not open any more. */
export class PullStateError extends Error {
  override readonly name = 'PullStateError'
}

/**
 * All jobs of the service. A job's state is worked out from the clock whenever it is read, and work that has come
 * due is done then; nothing here waits for real time.
 */
export class Jobs {
  /** In the order of their creation. */
  readonly list: AgentJob[] = []
  readonly #byId = new Map<string, AgentJob>()
  readonly #settings: JobSettings
  readonly #agent: Agent
  readonly #url: () => string
  #pulls = 0

  constructor(settings: JobSettings, agent: Agent, url: () => string) {
    this.#settings = settings
    this.#agent = agent
    this.#url = url
  }

  /** Makes a job, active from now on. */
  create(project: string, prompt: string): AgentJob {
    const { seed, jobTimeMs, now } = this.#settings
    const nowMs = now()
    const job = newJob({ project, prompt, nowMs }, { seed, count: this.list.length })
    job.rounds.push(planRound(prompt, { startsAtMs: nowMs, jobTimeMs }))
    this.list.push(job)
    this.#byId.set(job.id, job)
    return job
  }

  /** The project's job of this id. */
  find(project: string, id: string): AgentJob | undefined {
    const job = this.#byId.get(id)
    return job?.project === project ? job : undefined
  }

  /** The job as the service shows it now. Throws if work has come due and `git` fails. */
  async answer(job: AgentJob): Promise<JobAnswer> {
    const nowMs = this.#settings.now()
    await this.#doWorkDue(job, nowMs)
    if (job.stale && nowMs < job.stale.untilMs) return job.stale.answer
    return jobAnswer(job, { nowMs, url: this.#url() })
  }

  /** The job's true status now, whatever is shown right after a message. */
  status(job: AgentJob): string {
    return statusAt(job.rounds, this.#settings.now())
  }

  /**
   * Gives the job more work: at once if it is over, else after the work it has. A round that would never end is
   * broken off for it.
   */
  async message(job: AgentJob, prompt: string): Promise<void> {
    const { jobTimeMs, staleMs, now } = this.#settings
    const nowMs = now()
    await this.#doWorkDue(job, nowMs)
    const before = jobAnswer(job, { nowMs, url: this.#url() })
    if (job.rounds.at(-1)?.endsAtMs === Number.POSITIVE_INFINITY) job.rounds.pop()
    const startsAtMs = Math.max(nowMs, job.rounds.at(-1)?.endsAtMs ?? nowMs)
    job.rounds.push(planRound(prompt, { startsAtMs, jobTimeMs }))
    job.messages.push(prompt)
    if (staleMs > 0 && isOver(before.status)) job.stale = { untilMs: nowMs + staleMs, answer: before }
  }

  /** Does all work that has come due, of any job. */
  async doAllWorkDue(): Promise<void> {
    const nowMs = this.#settings.now()
    for (const job of this.list) await this.#doWorkDue(job, nowMs)
  }

  /** The job whose pull request has this number. */
  ofPull(number: number): (AgentJob & { pull: Pull }) | undefined {
    return this.list.find((job): job is AgentJob & { pull: Pull } => job.pull?.number === number)
  }

  /** Merges a pull request. Throws {@link PullStateError}, or a `MergeConflictError` of the agent. */
  async merge(number: number): Promise<void> {
    const { pull, branch } = this.#openPull(number)
    const message = `Merge pull request #${number} from ${branch}`
    pull.base = await this.#agent.merge({ branch, message, atMs: this.#settings.now() })
    pull.state = 'merged'
  }

  /** Closes a pull request without a merge. Throws {@link PullStateError}. */
  closePull(number: number): void {
    this.#openPull(number).pull.state = 'closed'
  }

  #openPull(number: number): AgentJob & { pull: Pull } {
    const job = this.ofPull(number)
    if (job === undefined) throw new PullStateError(`There is no pull request #${number}.`)
    if (job.pull.state !== 'open') throw new PullStateError(`Pull request #${number} is ${job.pull.state}.`)
    return job
  }

  async #doWorkDue(job: AgentJob, nowMs: number): Promise<void> {
    for (const round of job.rounds.filter(({ endsAtMs }) => endsAtMs <= nowMs)) {
      round.work ??= this.#work(job, round)
      await round.work
    }
  }

  async #work(job: AgentJob, { prompt, outcome, changes, gitlab, endsAtMs }: Round): Promise<void> {
    if (outcome !== 'completed' || !changes) return
    await this.#agent.commit({ branch: job.branch, prompt, atMs: endsAtMs })
    if (job.pull) return
    this.#pulls += 1
    job.pull = { number: this.#pulls, gitlab, state: 'open' }
  }
}
