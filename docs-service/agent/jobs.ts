import type { Settings } from '../options.ts'
import type { Agent } from './agent.ts'
import { type AgentJob, type JobAnswer, jobAnswer, newJob } from './job.ts'
import { isOver, planRound, type Round, statusAt } from './round.ts'

/**
 * All jobs of the service. A job's state is worked out from the clock whenever it is looked at, and work that has come
 * due is done then; nothing here waits for real time.
 */
export class Jobs {
  /** In the order of their creation. */
  readonly list: AgentJob[] = []
  readonly #byId = new Map<string, AgentJob>()
  readonly #settings: Pick<Settings, 'seed' | 'jobTimeMs' | 'staleMs' | 'now'>
  readonly #agent: Agent
  readonly #url: () => string
  #pulls = 0

  constructor(
    settings: Pick<Settings, 'seed' | 'jobTimeMs' | 'staleMs' | 'now'>,
    agent: Agent,
    url: () => string,
  ) {
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
    await this.#settle(job, nowMs)
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
    await this.#settle(job, nowMs)
    const before = jobAnswer(job, { nowMs, url: this.#url() })
    if (job.rounds.at(-1)?.endsAtMs === Number.POSITIVE_INFINITY) job.rounds.pop()
    const startsAtMs = Math.max(nowMs, job.rounds.at(-1)?.endsAtMs ?? nowMs)
    job.rounds.push(planRound(prompt, { startsAtMs, jobTimeMs }))
    job.messages.push(prompt)
    if (staleMs > 0 && isOver(before.status)) job.stale = { untilMs: nowMs + staleMs, answer: before }
  }

  /** Does all work that has come due, of any job. */
  async settle(): Promise<void> {
    const nowMs = this.#settings.now()
    for (const job of this.list) await this.#settle(job, nowMs)
  }

  async #settle(job: AgentJob, nowMs: number): Promise<void> {
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
    job.pull = { number: this.#pulls, gitlab }
  }
}
