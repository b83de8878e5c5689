import type { GitHubEvent } from '../events/event-table.ts'
import { mayWrite, type Trigger } from '../events/trigger.ts'
import type { GitHub, Known } from '../github/client.ts'
import {
  type CommandSource,
  giveFinalReaction,
  mainThread,
  pullRequestThread,
  type ReactionContent,
  react,
  type Thread,
  type ThreadComment,
  writePermission,
} from '../github/comments.ts'
import { MAX_LINK_LENGTH, Markdown } from '../lib/markdown.ts'
import type { Attempt, Recalled } from '../memory/recall.ts'
import type { EarlierJob } from '../memory/status.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { writeAnnouncement } from './announcement.ts'
import {
  type Ending,
  endBody,
  interruptedBody,
  isExpected,
  type NextSteps,
  type Stage,
  type Subject,
  usageBody,
  workingBody,
} from './bodies.ts'
import { createMarker, isSameComment, type Marker } from './marker.ts'
import { type Draft, type OwnComment, OwnComments, type Place } from './own-comments.ts'

/** What a run finds where its command was written. */
export type ConversationStart = Recalled & {
  /** Whether the reply is there, by which a re-run finds the job. */
  readonly written: Known<unknown>
  /** The comments of the command's thread, oldest first, ours among them. */
  readonly comments: readonly ThreadComment[]
  /** Ids of ours, and of the last one that names the job to continue. */
  readonly ownIds: ReadonlySet<number>
  readonly lastNamedId: number | undefined
}

const NOTHING = { known: true, value: undefined } as const
const SILENT: ConversationStart = {
  attempt: { kind: 'none' },
  earlier: NOTHING,
  mayBeAnnounced: false,
  written: NOTHING,
  comments: [],
  ownIds: new Set(),
  lastNamedId: undefined,
}

const COST = 'Each run of this command starts a new job and a new pull request, and a re-run starts none.'

/**
 * What a run says on GitHub while its job is running: in a reply to its command, in a status comment, or nowhere. A reply
 * is also a command's memory. Never fails for what GitHub does.
 */
export class Conversation {
  readonly #run: Run
  readonly #subject: Subject
  readonly #own: OwnComments
  /** The command that is answered, if one is. */
  readonly #source: CommandSource | undefined
  #marker: Marker
  #isNewJob = false
  /** Whether an earlier attempt may have started a job that nobody can name: no later one may start another. */
  #isUnclear = false
  /** `undefined` where no comment is wanted, or it must be left as it is. */
  #place: Place | undefined
  /** What the post step is to write, should this step be killed. */
  #pending: Draft | undefined
  #nextSteps: NextSteps = { canResume: false, isAnnounced: false }
  /** Comments are edited one after the other: the last edit is what people see. */
  #queue: Promise<unknown> = Promise.resolve()

  constructor(trigger: Trigger, run: Run) {
    this.#run = run
    this.#subject = { trigger, run }
    this.#own = new OwnComments(run)
    this.#source = mayWrite(run.inputs) ? trigger.command?.source : undefined
    this.#marker = createMarker(trigger, run)
  }

  /** 👀 at once, then the comment, then the search for the earlier job; on a re-run of a command the search comes first. */
  async start(): Promise<ConversationStart> {
    const { inputs, environment, github } = this.#run
    const { command, event } = this.#subject.trigger
    if (command === undefined) {
      const thread = mayWrite(inputs) ? statusThread(event, inputs.comment) : undefined
      if (thread !== undefined) await this.#begin({ thread, mayExist: true })
      return SILENT
    }
    if (this.#source !== undefined) {
      this.#run.setPending('reaction', { source: this.#source, content: 'confused' })
      await react(github, this.#source, 'eyes')
    }
    const { thread } = command.source
    const isAgain = isRerun(environment)
    let written: Known<unknown> = NOTHING
    if (this.#source !== undefined && !isAgain) written = await this.#begin({ thread })
    const found = await this.#find(thread, command.fresh)
    if (this.#source === undefined || !isAgain) {
      const attempt: Attempt = { kind: isAgain && !inputs['dry-run'] ? 'forgotten' : 'none' }
      return { ...found, attempt, written }
    }
    const { attempt } = found
    // A reply that can't be looked for is left: a second one, or one that no longer names its job, would be worse.
    if (attempt.kind === 'unknown') return found
    this.#isUnclear = attempt.kind === 'maybe-started'
    if (attempt.kind === 'job') this.#name(attempt.job.id, attempt.job.prLink, attempt.job.namedAtMs)
    written = await this.#begin({ thread, ref: found.reply?.ref }, !this.#isUnclear)
    return { ...found, written }
  }

  /** Says that the service has accepted the job, or that the run waits for it. Resolves when that is written. */
  async accepted(
    jobId: string,
    stage: Exclude<Stage, 'starting'>,
    prLink: string,
    namedAtMs?: number,
  ): Promise<void> {
    this.#isNewJob = stage === 'create'
    this.#name(jobId, prLink, namedAtMs ?? Math.round(this.#run.clock.now()))
    await this.#show(stage)
  }

  /** Says how the run ended, announces its pull request, and gives the final reaction. Resolves when that is done. */
  async finish(ending: Ending): Promise<void> {
    const { jobId, prLink, result, state } = ending
    // A job that was not accepted here is not named: a re-run would take it for that of this run.
    const canResume = this.#marker.kind === 'reply' && this.#marker.job !== '' && this.#marker.job === jobId
    this.#name(this.#marker.job, canResume && prLink !== '' ? prLink : this.#marker.pull)
    this.#marker = { ...this.#marker, state: this.#isUnclear ? 'error' : state }
    const isAnnounced =
      result === 'pull-request' &&
      mayWrite(this.#run.inputs) &&
      (await writeAnnouncement(
        this.#subject.trigger,
        { marker: { ...this.#marker, job: jobId, pull: prLink }, isNew: this.#isNewJob },
        this.#run,
      ))
    this.#nextSteps = { canResume, isAnnounced }
    await this.#end(endBody(this.#subject, ending, this.#nextSteps), finalReaction(result))
  }

  /** Shows more of a result that the comment shows already. */
  async update(ending: Ending): Promise<void> {
    await this.#write({ marker: this.#marker, text: endBody(this.#subject, ending, this.#nextSteps) }, true)
  }

  /** Answers a command without instructions, where there is no prompt either. */
  async explainUsage(): Promise<void> {
    if (this.#source === undefined) return
    this.#place = { thread: this.#source.thread, mayExist: isRerun(this.#run.environment) }
    this.#marker = { ...this.#marker, state: 'failure' }
    await this.#end(usageBody(this.#subject), 'confused')
  }

  /** Reads the command's thread and, where that tells nothing, the main thread. */
  async #find(thread: Thread, isFresh: boolean) {
    const { inputs, environment } = this.#run
    const isWanted = !isFresh && inputs['follow-up'] && inputs['job-id'] === ''
    const mayContinue = isWanted && inputs['api-key'] !== ''
    const found = { ...SILENT, reply: undefined as OwnComment | undefined }
    const hasReply = this.#source !== undefined && isRerun(environment)
    if (!mayContinue && !hasReply && inputs.context === 'none') return found
    let job: OwnComment | undefined
    let prLink = ''
    for (const there of thread.kind === 'main' ? [thread] : [thread, mainThread(thread)]) {
      const listed = await this.#own.list(there)
      if (!listed.known) {
        if (there === thread && inputs.context !== 'none') {
          this.#run.log.warning(
            `Failed to list the comments before the command: ${listed.why}. The agent is not told the conversation.`,
          )
        }
        const attempt: Attempt = { kind: 'unknown', why: listed.why }
        return { ...found, attempt, earlier: mayContinue ? listed : NOTHING }
      }
      const { all, own } = listed.value
      if (there === thread) found.comments = all
      found.ownIds = new Set([...found.ownIds, ...own.map(({ ref }) => ref.id)])
      // Where its thread was deleted, a review comment is answered in the main thread.
      found.reply ??= own.findLast((one) => isSameComment(one.marker, this.#marker))
      job ??= mayContinue ? conversationJob(own, this.#marker, there === thread) : undefined
      // A job that is still running names no pull request: an older comment of ours may.
      prLink ||=
        own.findLast((one) => one.marker.job === job?.marker.job && one.marker.pull !== '')?.marker.pull ?? ''
      if (job !== undefined && !isRerun(environment)) break
    }
    const { marker: before } = found.reply ?? {}
    const earlier = job && { ...jobOf(job.marker), prLink: job.marker.pull || prLink }
    return {
      ...found,
      attempt: attemptOf(before),
      earlier: { known: true as const, value: earlier },
      lastNamedId: job && askedIn(job, found.comments),
    }
  }

  #name(job: string, prLink: string, namedAt = this.#marker.namedAt): void {
    const pull = prLink.length > MAX_LINK_LENGTH ? '' : prLink
    this.#marker = { ...this.#marker, job, pull, namedAt }
  }

  async #begin(place: Place, isNews = true): Promise<Known<unknown>> {
    this.#place = place
    return isNews ? await this.#show('starting') : NOTHING
  }

  async #show(stage: Stage): Promise<Known<unknown>> {
    const marker = { ...this.#marker, state: 'pending' as const }
    const text = interruptedBody(this.#subject, marker.job, marker.kind === 'reply')
    this.#savePending({ marker: { ...marker, state: marker.job === '' ? 'error' : 'failure' }, text })
    return await this.#write({ marker, text: workingBody(this.#subject, stage) }, false)
  }

  async #end(text: Markdown, content: ReactionContent): Promise<void> {
    const draft = { marker: this.#marker, text }
    this.#savePending(draft)
    await this.#write(draft, true)
    if (this.#source !== undefined) await finishReaction(this.#run, { source: this.#source, content })
  }

  async #write(draft: Draft, isLast: boolean): Promise<Known<unknown>> {
    const written = this.#queue.then(() => this.#writeNow(draft, isLast))
    this.#queue = written
    return await written
  }

  async #writeNow(draft: Draft, isLast: boolean): Promise<Known<unknown>> {
    const place = this.#place
    if (place === undefined) return NOTHING
    const isMemory =
      draft.marker.kind === 'reply' && place.ref === undefined && !isRerun(this.#run.environment)
    const written = await this.#own.write(place, draft, { isLast, cost: isMemory && !isLast ? COST : '' })
    if (written.known) {
      this.#place = { ...place, ref: written.value }
      this.#run.setOutputs({ 'comment-id': `${written.value.id}`, 'comment-url': written.value.url })
    } else this.#place = { ...place, mayExist: true }
    if (isLast && isOver(written, place.thread, this.#run.github)) this.#run.setPending('comment', undefined)
    else this.#savePending(this.#pending)
    return written
  }

  #savePending(draft: Draft | undefined): void {
    this.#pending = draft
    if (draft === undefined || this.#place === undefined) return
    const text = this.#run.redact(draft.text.source)
    this.#run.setPending('comment', { ...this.#place, marker: draft.marker, text })
  }
}

/** Whether nothing is left to the post step: it is written, or refused for good. */
function isOver(written: Known<unknown>, thread: Thread, github: GitHub): boolean {
  return written.known || github.isRefusedForGood(written.error, writePermission(thread))
}

type PendingReaction = { readonly source: CommandSource; readonly content: ReactionContent }
type PendingComment = Place & { readonly marker: Marker; readonly text: string }

/** Gives a command its final reaction, or leaves that to the post step. */
async function finishReaction(run: Run, { source, content }: PendingReaction): Promise<void> {
  run.setPending('reaction', { source, content })
  const given = await giveFinalReaction(run.github, source, content)
  if (isOver(given, source.thread, run.github)) run.setPending('reaction', undefined)
}

/** For the post step: ends the comment and the reaction that the main step has left. Our own words: nobody else writes a step's state. */
export async function finishPendingComment(run: Run): Promise<void> {
  const reaction = run.getPending('reaction') as PendingReaction | undefined
  const comment = run.getPending('comment') as PendingComment | undefined
  if (comment !== undefined) {
    const { marker, text, ...place } = comment
    const draft = { marker, text: Markdown.raw(text) }
    const written = await new OwnComments(run).write({ ...place, mayExist: true }, draft, { isLast: true })
    if (written.known) run.log.info(`Finished the comment ${written.value.url}.`)
  }
  if (reaction !== undefined) await finishReaction(run, reaction)
}

function attemptOf(before: Marker | undefined): Attempt {
  if (before === undefined) return { kind: 'none' }
  if (before.job !== '') return { kind: 'job', job: jobOf(before) }
  return before.state === 'failure' ? { kind: 'none' } : { kind: 'maybe-started', state: before.state }
}

/** The own step's newest reply in its own thread counts first; then an announcement, whichever step led to it. */
function conversationJob(
  own: readonly OwnComment[],
  { project, step }: Marker,
  isOwnThread: boolean,
): OwnComment | undefined {
  const named = own.filter(({ marker }) => marker.job !== '' && marker.project === project)
  const ofStep = named.findLast(({ marker }) => marker.kind === 'reply' && marker.step === step)
  return (isOwnThread ? ofStep : undefined) ?? named.findLast(({ marker }) => marker.kind === 'announcement')
}

/** Id of the comment that a reply of ours answers, if it is there; else of ours. */
function askedIn({ ref, marker }: OwnComment, comments: readonly ThreadComment[]): number {
  const id = Number(/^(?:issue|review)-comment\/(\d+)$/.exec(marker.source)?.[1])
  return comments.some((one) => one.ref.id === id) ? id : ref.id
}

function jobOf({ job, pull, namedAt }: Marker): EarlierJob {
  return { id: job, prLink: pull, namedAtMs: namedAt }
}

/** The thread of the step's one comment on a pull request, where that is wanted. */
function statusThread({ name, payload }: GitHubEvent, comment: string): Thread | undefined {
  const isPull = name === 'pull_request' || name === 'pull_request_target'
  const number = payload.pull_request?.number
  return comment === 'always' && isPull && number != null ? pullRequestThread(number) : undefined
}

function finalReaction(result: string): ReactionContent {
  if (result === 'pull-request') return 'rocket'
  return isExpected(result) ? '+1' : 'confused'
}
