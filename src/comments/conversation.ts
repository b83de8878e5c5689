import { type Command, mayWrite, type Trigger } from '../events/trigger.ts'
import { type Known, NONE } from '../github/client.ts'
import { type CommandSource, pullRequestThread, react, type Thread } from '../github/comments.ts'
import { numberOfOwnPullRequest } from '../github/pull-requests.ts'
import { MAX_LINK_LENGTH } from '../lib/markdown.ts'
import { codePullRequest } from '../memory/announced-job.ts'
import { createMarker, isSameComment, type Marker } from '../memory/marker.ts'
import type { EarlierJob } from '../memory/status.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import {
  announcementBody,
  type Ending,
  endBody,
  interruptedBody,
  type Stage,
  type Subject,
  usageBody,
  workingBody,
} from './bodies.ts'
import { type ConversationMemory, readConversation } from './earlier-job.ts'
import { finishPendingComment, LiveComment, listThread, type Place, writeComment } from './own-comments.ts'

/** What a run finds where its command was written. */
type ConversationStart = ConversationMemory & {
  /** Whether the reply was written, by which a re-run finds the job. */
  readonly written: Known<unknown>
}

/**
 * What a run says on GitHub while its job is running: in a reply to its command, in a status comment, or nowhere. A reply
 * is also a command's memory. Never fails for what GitHub does.
 */
export class Conversation {
  readonly #run: Run
  readonly #subject: Subject
  readonly #comment: LiveComment
  /** The command that is answered, if one is. */
  readonly #source: CommandSource | undefined
  #marker: Marker
  #isNewJob = false
  /** Whether an earlier attempt may have started a job that nobody can name: no later one may start another. */
  #isUnclear = false
  /** Whether a command on the agent's pull request, too, continues the job. */
  #isAnnounced = false

  constructor(trigger: Trigger, run: Run) {
    this.#run = run
    this.#subject = { trigger, run }
    this.#comment = new LiveComment(run)
    this.#source = mayWrite(run.inputs) ? trigger.command?.source : undefined
    this.#marker = createMarker(trigger, run)
  }

  /** Writes the step's comment on a pull request, where that is wanted. */
  async startStatusComment(): Promise<void> {
    const thread = statusThread(this.#subject)
    if (thread !== undefined) await this.#begin({ thread, mayExist: true })
  }

  /** 👀 at once, then the reply, then the search for the earlier job; on a re-run the search comes first. */
  async startReply(command: Command): Promise<ConversationStart> {
    const run = this.#run
    const isAgain = isRerun(run.environment)
    let written: Known<unknown> = NONE
    if (this.#source !== undefined) {
      await react(run.github, this.#source, 'eyes')
      if (!isAgain) written = await this.#begin({ thread: this.#source.thread })
    }
    const found = await readConversation(command, this.#marker, run)
    const { attempt, reply } = found
    // A reply that can't be looked for is left: a second one, or one that no longer names its job, would be worse.
    if (this.#source !== undefined && isAgain && attempt.kind !== 'unknown') {
      const place = { thread: this.#source.thread, ref: reply?.ref }
      this.#isUnclear = attempt.kind === 'maybe-started'
      if (attempt.kind === 'job') this.#name(attempt.job)
      if (this.#isUnclear) this.#comment.place(place)
      else written = await this.#begin(place)
    }
    return { ...found, written }
  }

  /** Says that the service has accepted the job, or that the run waits for it. Resolves when that is written. */
  async accepted(
    jobId: string,
    stage: Exclude<Stage, 'starting'>,
    prLink: string,
    namedAtMs = Math.round(this.#run.clock.now()),
  ): Promise<void> {
    this.#isNewJob = stage === 'create'
    this.#name({ id: jobId, prLink, namedAtMs })
    await this.#show(stage)
  }

  /** Says how the run ended, and announces its pull request. Resolves when that is done. */
  async finish(ending: Ending): Promise<void> {
    const { prLink, result, state } = ending
    const { job: id, namedAt: namedAtMs } = this.#marker
    if (this.#canResume(ending) && prLink !== '') this.#name({ id, prLink, namedAtMs })
    this.#marker = { ...this.#marker, state: this.#isUnclear ? 'error' : state }
    if (result === 'pull-request' && mayWrite(this.#run.inputs)) {
      this.#isAnnounced = await this.#announce(ending)
    }
    await this.update(ending)
  }

  /** Shows more of a result that the comment shows already. */
  async update(ending: Ending): Promise<void> {
    const ways = { canResume: this.#canResume(ending), isAnnounced: this.#isAnnounced }
    await this.#comment.end({ marker: this.#marker, text: endBody(this.#subject, ending, ways) })
  }

  /** Answers a command without instructions, where there is no prompt either. */
  async explainUsage(): Promise<void> {
    if (this.#source === undefined) return
    this.#comment.place({ thread: this.#source.thread, mayExist: isRerun(this.#run.environment) })
    this.#marker = { ...this.#marker, state: 'failure' }
    await this.#comment.end({ marker: this.#marker, text: usageBody(this.#subject) })
  }

  /**
   * Says on the agent's pull request in this repository what it came from, once for each job. A failure is logged.
   *
   * @returns whether it says there that a command continues the job
   */
  async #announce({ jobId, prLink }: Ending): Promise<boolean> {
    const { inputs, environment, github } = this.#run
    const { trigger } = this.#subject
    const number = numberOfOwnPullRequest(prLink, github)
    if (number === undefined) return false
    const thread = pullRequestThread(number)
    const source = codePullRequest(trigger)
    const marker: Marker = { ...this.#marker, kind: 'announcement', job: jobId, pull: prLink, source }
    // One that this run has started can't have been announced yet.
    const isNew = this.#isNewJob && !isRerun(environment)
    const listed = isNew ? undefined : await listThread(thread, this.#run)
    // Where it can't be told whether it was announced, no announcement is better than two.
    if (listed?.known === false) return false
    let ref = listed?.value.own.find((one) => isSameComment(one.marker, marker))?.ref
    if (ref === undefined) {
      const draft = { marker, text: announcementBody(this.#subject) }
      const written = await writeComment({ thread }, draft, {}, this.#run)
      if (!written.known) return false
      ref = written.value
    }
    this.#run.setOutputs({ 'comment-id': `${ref.id}`, 'comment-url': ref.url })
    const { command } = trigger
    return command !== undefined && inputs['follow-up'] && number !== command.source.thread.number
  }

  #name({ id, prLink, namedAtMs }: EarlierJob): void {
    const pull = prLink.length > MAX_LINK_LENGTH ? '' : prLink
    this.#marker = { ...this.#marker, job: id, pull, namedAt: namedAtMs }
  }

  /** Whether a re-run waits for the job: one that was not accepted here is not named in the reply. */
  #canResume({ jobId }: Ending): boolean {
    return this.#marker.kind === 'reply' && this.#marker.job !== '' && this.#marker.job === jobId
  }

  async #begin(place: Place): Promise<Known<unknown>> {
    this.#comment.place(place)
    return await this.#show('starting')
  }

  async #show(stage: Stage): Promise<Known<unknown>> {
    const marker = { ...this.#marker, state: 'pending' as const }
    const text = interruptedBody(this.#subject, marker.job, marker.kind === 'reply')
    const ifKilled = { marker: { ...marker, state: marker.job === '' ? 'error' : 'failure' } as const, text }
    return await this.#comment.show({ marker, text: workingBody(this.#subject, stage) }, ifKilled)
  }
}

/** For the post step: ends the comment that the main step has left. */
export async function finishPending(run: Run): Promise<void> {
  await finishPendingComment(run)
}

/** The thread of the step's one comment on a pull request, where that is wanted. */
function statusThread({ trigger: { event }, run: { inputs } }: Subject): Thread | undefined {
  const isPull = event.name === 'pull_request' || event.name === 'pull_request_target'
  const number = event.payload.pull_request?.number
  const isWanted = inputs.comment === 'always' && mayWrite(inputs) && isPull
  return isWanted && number != null ? pullRequestThread(number) : undefined
}
