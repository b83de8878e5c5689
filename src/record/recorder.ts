import { type GitHubEvent, isSha } from '../event/event.ts'
import type { Octokit } from '../github/client.ts'
import {
  MARK,
  type NewComment,
  pullRequestThread,
  react,
  threadPermission,
  writeComment,
} from '../github/threads.ts'
import { canWriteComments } from '../inputs/table.ts'
import { type Markdown, md } from '../lib/markdown.ts'
import { Problem } from '../lib/text.ts'
import type { Run } from '../runner/run.ts'
import {
  type Entry,
  type Facts,
  hashOf,
  hashStep,
  isOwn,
  listEntries,
  type Memory,
  type NamedJob,
  ownName,
  sharedName,
  statusDescription,
  targetOf,
} from './record.ts'

/** A commit status as Octokit takes it. */
export type NewStatus = NonNullable<Parameters<Octokit['rest']['repos']['createCommitStatus']>[0]>

export const SET_STATUS = {
  purpose: 'set the commit status that lets later runs find this job',
  permission: 'statuses: write',
}

/** What is shown at one time: in the status, and in the comment. */
export type View = { readonly title: string; readonly text: Markdown }

/** How far a run is, as later runs read it. */
export type State = 'starting' | 'running' | 'success' | 'failure' | 'nothing'

/** A commit of a pull request whose docs job a run names. */
export type PullCommit = {
  readonly number: number
  readonly sha: string
  /** `owner/name` if it isn't the run's repository. */
  readonly repository?: string
}

/** Writes what a run does about its job: a status for later runs, and a comment for people, which nothing reads. */
export class Recorder {
  readonly #run: Run
  readonly event: GitHubEvent
  #facts: Facts = {}
  /** A hash of the changed lines of a pull request. */
  #lines: string | undefined
  /** The commit of the status; empty if none is written. */
  #sha = ''
  #comment: Omit<NewComment, 'body'> | undefined
  /** What the post step writes if this step is killed. */
  #ifKilled: View = { title: '', text: md`` }
  /** Views are written one after another. */
  #queue: Promise<unknown> = Promise.resolve()

  constructor(event: GitHubEvent, run: Run) {
    this.#run = run
    this.event = event
    const { command, isOfPull, subject } = event
    const { inputs, environment } = run
    const isWanted = inputs.comment === 'always' && isOfPull && subject
    const thread = command?.thread ?? (isWanted && pullRequestThread(subject.number))
    if (!thread || !canWriteComments(inputs)) return
    // One for each command and step; on a code pull request one for each step.
    const id = command ? `${environment.runId}/${command.source}` : 'status'
    const mark = `${MARK}${hashOf(`${hashStep(run)} ${inputs['project-id']} ${id}`)} -->`
    this.#comment = { thread, mark, mayExist: !command || Number(environment.runAttempt) > 1 }
  }

  /** Reacts to a command; a review can't have a reaction. */
  async react(content: 'eyes' | 'confused' | '-1'): Promise<void> {
    const { command } = this.event
    if (!command || command.isReview || !canWriteComments(this.#run.inputs)) return
    const permission = threadPermission(command.thread, 'write')
    const call = { purpose: 'react to the command', permission }
    const { github } = this.#run
    await github.optional(call, () => react(command.thread, command.id, content, github))
  }

  /** Carries on what earlier attempts and runs recorded. */
  resume({ sha, attempt, last }: Memory, about: Pick<Facts, 'base' | 'lines'> = {}): void {
    const { environment, inputs } = this.#run
    const known = attempt.kind === 'job' ? attempt.entry : last
    // If the first job fails, the next one compares with the same commit.
    const first = inputs.context === 'none' ? undefined : about.base
    const { base = first, sent, tag, lines, job, link } = known ?? {}
    this.#sha = sha
    this.#lines = about.lines
    this.#facts = {
      ...{ base, sent, tag, lines, job, link },
      run: environment.runId,
      by: hashStep(this.#run),
      source: this.event.command?.source ?? '',
    }
  }

  /**
   * Records that a job is about to be started or sent a message.
   *
   * @returns whether this run goes on: of two steps that answer the same command, the first one does
   * @throws {Problem} if that can't be recorded
   */
  async begin(view: View, ifKilled: View): Promise<boolean> {
    const { inputs, github } = this.#run
    const { command } = this.event
    this.#set({ state: 'starting' })
    if (this.#sha) {
      const send = () => this.#send(this.#status(view.title))
      const isNeeded = command !== undefined || inputs['follow-up']
      try {
        await (isNeeded ? github.need(SET_STATUS, send) : github.optional(SET_STATUS, send))
      } catch (error) {
        // A status that was rejected leaves nothing to finish.
        if (error instanceof Problem && !error.isTransient) this.#sha = ''
        throw error
      }
    }
    const first = command && (await this.#findFirst(command.source))
    if (first) {
      this.#set({ job: first.job, link: first.link, state: 'nothing' })
      this.#comment = undefined
      // Without the job, this status would hide the one in which the other step names it.
      if (first.job) await this.end({ title: 'Answered by another step', text: md`` })
      return false
    }
    await this.#show(view, ifKilled)
    return true
  }

  /** Finds the newest entry of another step that began to answer the same command before. */
  async #findFirst(source: string): Promise<Entry | undefined> {
    const all = await listEntries(ownName(this.event, this.#run), [this.#sha], this.#run)
    const own = all.findIndex((one) => isOwn(one, this.#run))
    const others = all.filter(
      (one) => one.source === source && one.state !== 'nothing' && !isOwn(one, this.#run),
    )
    return others.some((one) => all.indexOf(one) > own) ? others[0] : undefined
  }

  /** Names the accepted job, for later runs of the step and on the given pull requests. */
  async accepted(
    job: Pick<NamedJob, 'id' | 'prLink'> & { readonly kind: string },
    shares: readonly PullCommit[],
    view: View,
    ifKilled: View,
  ): Promise<void> {
    const { id, prLink } = job
    // While an update runs, Mintlify doesn't name its pull request, which an earlier run may have recorded.
    const link = prLink || (this.#facts.job === id ? this.#facts.link : '')
    this.#set({ job: id, link, state: 'running' })
    // A job without context is no reason to skip a later one. A re-run waits for a job about an earlier head.
    if (this.#run.inputs.context !== 'none' && job.kind !== 'wait')
      this.#set({ sent: this.#sha, tag: hashOf(this.event.tag), lines: this.#lines })
    await Promise.all([this.#show(view, ifKilled), this.share(shares)])
  }

  /** Names the job and its docs pull request on pull requests, for commands and other steps there. */
  async share(shares: readonly PullCommit[]): Promise<void> {
    const { github, log } = this.#run
    const { job, link } = this.#facts
    if (!job) return
    const write = async ({ number, sha, repository = github.name }: PullCommit) => {
      const [owner = '', repo = ''] = repository.split('/')
      const context = sharedName(number, this.#run)
      const target_url = targetOf({ job, link }, this.#run)
      const status = { ...this.#status('Docs job'), sha, owner, repo, context, target_url }
      // In another repository, the token may not be able to write.
      const written = await github.attempt(() => this.#send(status))
      if (!written.known)
        log.info(
          `Could not set the status that lets commands find this job on ${repository}#${number}: ${written.error.message}.`,
        )
    }
    await Promise.all(shares.filter(({ sha }) => isSha(sha)).map(write))
  }

  /** Sets the facts of the end, and lets the post step show it if this step is killed before it does so itself. */
  prepareEnd(state: State, prLink: string, view: View): void {
    this.#set({ state, ...(prLink && { link: prLink }) })
    if (this.#run.inputs.context !== 'none') {
      if (state === 'success') this.#set({ base: this.#facts.sent })
      if (state === 'failure') this.#set({ sent: '', lines: '' })
    }
    this.#savePending(view)
  }

  /** Shows how the run ended, or more of a result that is shown already. What fails is left to the post step. */
  async end(view: View): Promise<void> {
    await this.#show(view, view)
  }

  /** Repeats an old entry on the run's own commit, so that later runs find it. */
  async repeat(entry: Entry, sha: string): Promise<void> {
    this.#facts = entry
    this.#sha = sha
    const status = this.#status('Nothing to document since then')
    await this.#run.github.optional(SET_STATUS, () => this.#send(status))
  }

  #set(facts: Facts): void {
    this.#facts = { ...this.#facts, ...facts }
  }

  /** @param ifKilled what the post step writes if this step is killed; the same view if it is the last one */
  async #show(view: View, ifKilled: View): Promise<void> {
    this.#savePending(ifKilled)
    const isLast = view === ifKilled
    // `begin` has written the first status.
    const isDue = this.#sha !== '' && this.#facts.state !== 'starting'
    const status = this.#status(view.title)
    this.#queue = this.#queue.then(async () => {
      const [written] = await Promise.all([
        isDue ? this.#run.github.optional(SET_STATUS, () => this.#send(status)) : undefined,
        this.#writeComment(view, isLast),
      ])
      if (written?.known && isLast) this.#run.setPending('status', undefined)
      if (!isLast) this.#savePending(this.#ifKilled)
    })
    await this.#queue
  }

  async #writeComment(view: View, isLast: boolean): Promise<void> {
    if (!this.#comment) return
    const { github, redact } = this.#run
    const comment = { ...this.#comment, body: redact(view.text.source) }
    const permission = threadPermission(comment.thread, 'write')
    const call = { purpose: 'write the comment', permission }
    const written = await github.optional(call, () => writeComment(comment, github))
    // A write that failed may have arrived.
    this.#comment = {
      ...this.#comment,
      mayExist: true,
      ...(written.known && { id: written.value }),
    }
    if (written.known && isLast) this.#run.setPending('comment', undefined)
  }

  #savePending(view: View): void {
    this.#ifKilled = view
    const { title, text } = view
    if (this.#sha) this.#run.setPending('status', this.#status(title))
    if (!this.#comment) return
    const body = this.#run.redact(text.source)
    this.#run.setPending('comment', { ...this.#comment, mayExist: true, body })
  }

  /** Makes a status. Its state is always `success`, so that no docs job holds up a deployment or a required check. */
  #status(title: string): NewStatus {
    return {
      ...this.#run.github.repository,
      sha: this.#sha,
      context: ownName(this.event, this.#run),
      state: 'success',
      description: statusDescription(this.#run.redact(title)),
      target_url: targetOf(this.#facts, this.#run) || null,
    }
  }

  async #send(status: NewStatus): Promise<void> {
    const { github } = this.#run
    await github.call(({ rest }) => rest.repos.createCommitStatus(status))
  }
}
