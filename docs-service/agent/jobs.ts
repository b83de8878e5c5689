import { createHash } from 'node:crypto'
import { type Agent, type ChangedPage, PullError } from './git.ts'
import { titleOf } from './page-edit.ts'
import { type Outcome, readDirectives, subjectMatter } from './prompt.ts'

/** A pull request that the agent opened. */
export type Pull = {
  readonly number: number
  state: 'open' | 'merged' | 'closed'
  /** The commit that `main` was at before the merge; empty without a repository. */
  base?: string
  readonly title: string
  files: readonly ChangedPage[]
  /** How many commits its branch has. */
  commits: number
}

/** One prompt's worth of work: the job's own prompt, or a follow-up message. Times are epoch milliseconds. */
type Round = {
  readonly prompt: string
  /** `Infinity` for a round that never ends. */
  readonly endsAtMs: number
  readonly outcome: Outcome
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
    const isTerminal = /^(?:completed|failed|archived)$/.test(status)
    const archivedAtMs = status === 'archived' ? job.rounds.at(-1)?.endsAtMs : undefined
    return {
      id: job.id,
      status,
      source: { repository, ref: job.branch },
      model: 'docs-agent-1',
      prLink: isTerminal && job.pull ? `${repository}/pull/${job.pull.number}` : null,
      createdAt: new Date(job.createdAtMs).toISOString(),
      archivedAt: archivedAtMs === undefined ? null : new Date(archivedAtMs).toISOString(),
    }
  }

  status({ rounds }: AgentJob): string {
    const nowMs = this.#settings.now()
    const isActive = rounds.some(({ endsAtMs }) => nowMs < endsAtMs)
    return isActive ? 'active' : (rounds.at(-1)?.outcome ?? 'active')
  }

  /** Gives the job more work: after the work it has, but instead of a round that would never end. */
  async message(job: AgentJob, prompt: string): Promise<void> {
    const { jobTimeMs, now } = this.#settings
    await this.#doWorkDue(job)
    if (job.rounds.at(-1)?.endsAtMs === Infinity) job.rounds.pop()
    const startsAtMs = Math.max(now(), job.rounds.at(-1)?.endsAtMs ?? 0)
    job.rounds.push(planRound(prompt, startsAtMs, jobTimeMs))
    job.messages.push(prompt)
  }

  /** Does all work that has come due, of any job. */
  async doAllWorkDue(): Promise<void> {
    for (const job of this.list) await this.#doWorkDue(job)
  }

  /** The job whose pull request has this number. */
  ofPull(number: number): (AgentJob & { pull: Pull }) | undefined {
    return this.list.find((job): job is AgentJob & { pull: Pull } => job.pull?.number === number)
  }

  /** Merges a pull request. @throws {PullError} */
  async merge(number: number): Promise<void> {
    const { pull, branch } = this.#openPull(number)
    const message = `Merge pull request #${number} from ${branch}`
    pull.base = await this.#agent.merge(branch, message, this.#settings.now())
    pull.state = 'merged'
  }

  /** Closes a pull request without a merge. @throws {PullError} */
  closePull(number: number): void {
    this.#openPull(number).pull.state = 'closed'
  }

  #openPull(number: number): AgentJob & { pull: Pull } {
    const job = this.ofPull(number)
    if (job === undefined) throw new PullError(`There is no pull request #${number}.`)
    if (job.pull.state !== 'open')
      throw new PullError(`Pull request #${number} is ${job.pull.state}.`)
    return job
  }

  async #doWorkDue(job: AgentJob): Promise<void> {
    const nowMs = this.#settings.now()
    for (const round of job.rounds) {
      if (round.endsAtMs > nowMs) continue
      round.work ??= this.#work(job, round)
      await round.work
    }
  }

  async #work(job: AgentJob, { prompt, outcome, changes, endsAtMs }: Round): Promise<void> {
    if (outcome !== 'completed' || !changes) return
    const files = await this.#agent.commit({ branch: job.branch, prompt, atMs: endsAtMs })
    const number = this.list.filter(({ pull }) => pull).length + 1
    job.pull ??= { number, state: 'open', title: titleOf(job.prompt), files, commits: 0 }
    job.pull.files = files
    job.pull.commits++
  }
}

/** Where the pull request's page is. */
export function pullPath({ number }: Pull): string {
  return `/acme/docs/pull/${number}`
}

function planRound(prompt: string, startsAtMs: number, jobTimeMs: number): Round {
  const { takesMs = jobTimeMs, ...directives } = readDirectives(prompt)
  return { prompt, endsAtMs: startsAtMs + takesMs, ...directives }
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
