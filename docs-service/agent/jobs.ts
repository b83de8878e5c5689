import { createHash } from 'node:crypto'
import type { Agent, ChangedPage } from './git.ts'
import { titleOf } from './page-edit.ts'
import { readDirectives, subjectMatter } from './prompt.ts'

/** A pull request that the agent opened. */
export type Pull = {
  readonly number: number
  state: 'open' | 'merged'
  readonly title: string
  files: readonly ChangedPage[]
  /** How many commits its branch has. */
  commits: number
}

/** One prompt's worth of work: the job's own prompt, or a follow-up message. Times are epoch milliseconds. */
type Round = {
  readonly prompt: string
  readonly endsAtMs: number
  readonly fails: boolean
  /** Whether a file is to be changed. */
  readonly changes: boolean
  /** The work at the round's end, once it has begun; it is done once only. */
  work?: Promise<void>
}

/** A job as the service keeps it. */
export type AgentJob = {
  readonly id: string
  /** The prompt of the create, as it was sent. */
  readonly prompt: string
  /** The prompts of the follow-up messages that were accepted. */
  readonly messages: string[]
  readonly createdAtMs: number
  readonly branch: string
  readonly rounds: Round[]
  /** Opened when the first round that changes something is over. */
  pull: Pull | null
}

/** Where the jobs' times and links come from; `url` is the service's origin. */
type JobSettings = {
  jobTimeMs: number
  repository: string
  now(): number
  url(): string
}

/**
 * All jobs of the service. A job's state is worked out from the clock whenever it is read, and work that has come
 * due is done then; nothing here waits for real time.
 */
export class Jobs {
  /** In the order of their creation. */
  readonly list: AgentJob[] = []
  readonly #settings: JobSettings
  readonly #agent: Agent

  constructor(settings: JobSettings, agent: Agent) {
    this.#settings = settings
    this.#agent = agent
  }

  /** Makes a job, active from now on. */
  create(prompt: string): AgentJob {
    const { jobTimeMs, now } = this.#settings
    const createdAtMs = now()
    const id = identifier(this.list.length)
    const branch = `docs/agent-${slug(prompt)}-${id.slice(0, 6)}`
    const rounds = [planRound(prompt, createdAtMs, jobTimeMs)]
    const job: AgentJob = {
      id,
      prompt,
      messages: [],
      createdAtMs,
      branch,
      rounds,
      pull: null,
    }
    this.list.push(job)
    return job
  }

  find(id: string): AgentJob | undefined {
    return this.list.find((job) => job.id === id)
  }

  /** The job as the service shows it now. @throws if work has come due and git fails */
  async answer(job: AgentJob): Promise<object> {
    await this.#doWorkDue(job)
    const repository = this.#settings.repository || `${this.#settings.url()}/acme/docs`
    const status = this.status(job)
    return {
      id: job.id,
      status,
      source: { repository, ref: job.branch },
      model: 'docs-agent-1',
      prLink: status !== 'active' && job.pull ? `${repository}/pull/${job.pull.number}` : null,
      createdAt: new Date(job.createdAtMs).toISOString(),
      archivedAt: null,
    }
  }

  status({ rounds }: AgentJob): string {
    const nowMs = this.#settings.now()
    if (rounds.some(({ endsAtMs }) => nowMs < endsAtMs)) return 'active'
    return rounds.at(-1)?.fails ? 'failed' : 'completed'
  }

  /** Gives the job more work: after the work it has. */
  async message(job: AgentJob, prompt: string): Promise<void> {
    const { jobTimeMs, now } = this.#settings
    await this.#doWorkDue(job)
    const startsAtMs = Math.max(now(), job.rounds.at(-1)?.endsAtMs ?? 0)
    job.rounds.push(planRound(prompt, startsAtMs, jobTimeMs))
    job.messages.push(prompt)
  }

  /** Does all work that has come due, of any job. */
  async doAllWorkDue(): Promise<void> {
    for (const job of this.list) await this.#doWorkDue(job)
  }

  async #doWorkDue(job: AgentJob): Promise<void> {
    const nowMs = this.#settings.now()
    for (const round of job.rounds) {
      if (round.endsAtMs > nowMs) continue
      round.work ??= this.#work(job, round)
      await round.work
    }
  }

  async #work(job: AgentJob, { prompt, fails, changes, endsAtMs }: Round): Promise<void> {
    if (fails || !changes) return
    const files = await this.#agent.commit({ branch: job.branch, prompt, atMs: endsAtMs })
    const number = this.list.filter(({ pull }) => pull).length + 1
    job.pull ??= { number, state: 'open', title: titleOf(job.prompt), files, commits: 0 }
    job.pull.files = files
    job.pull.commits++
  }
}

function planRound(prompt: string, startsAtMs: number, jobTimeMs: number): Round {
  return { prompt, endsAtMs: startsAtMs + jobTimeMs, ...readDirectives(prompt) }
}

/** The `count`-th job id: shaped like a random UUID, yet the same in every run. */
function identifier(count: number): string {
  const digits = createHash('sha256').update(`docs-service ${count}`).digest('hex')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-4$3-a$4-$5')
}

function slug(prompt: string): string {
  const words = subjectMatter(prompt)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  const start = words.filter((word) => word !== '').slice(0, 5)
  return start.join('-').slice(0, 40).replace(/-$/, '') || 'update'
}
