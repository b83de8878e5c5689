import type { Skip } from '../decide/skip.ts'
import {
  failedLookup,
  type GitHubCall,
  type Lookup,
  NeededCallError,
  NOT_FOUND,
} from '../github/github-errors.ts'
import {
  parsePullRequest,
  pullRequestThread,
  react,
  type Thread,
  writePermission,
} from '../github/pull-requests.ts'
import { canWriteComments } from '../inputs/table.ts'
import { MAX_LINK_LENGTH, type Markdown, md } from '../lib/markdown.ts'
import { type CommentPlace, markerKeys, type RecordMarker, writeComment } from '../look/comments.ts'
import { isOfPullRequest } from '../look/event.ts'
import type { Situation } from '../look/situation.ts'
import {
  hasStatusRecord,
  type NamedJob,
  type NewStatus,
  SET_STATUS,
  type StatusFacts,
  setStatus,
  statusCommit,
  statusDescription,
  statusName,
  statusTarget,
} from '../look/status.ts'
import type { Trigger } from '../look/trigger.ts'
import type { AcceptedJob, Report } from '../report/outcome.ts'
import {
  endBody,
  interruptedBody,
  STAGES,
  type Stage,
  skippedBody,
  usageBody,
  workingBody,
} from '../report/texts.ts'
import { isRerun, type PendingPart, type Run } from '../runner/run.ts'

/** What the record says at one time. */
type Entry = {
  readonly state: RecordMarker['state']
  readonly headline: string
  readonly text: Markdown
}

/** A comment that the post step is to end. */
export type PendingComment = CommentPlace & { readonly marker: RecordMarker; readonly text: string }

/**
 * What a run writes about its job on GitHub, for people, and for later runs and attempts to find it again: a command's
 * reply, otherwise a commit status and, if wanted, a comment on the pull request. Never fails because of GitHub.
 */
export class RunRecord {
  readonly #run: Run
  #trigger: Trigger
  /** The job as the record names it. */
  #job: NamedJob | undefined
  /** What the statuses carry on for later runs. */
  #facts: StatusFacts = { earlierJob: undefined, lastJob: undefined }
  /** Whether an earlier attempt may have started a job whose ID is unknown: no later one may start another. */
  #isUnclear = false
  /** The commit of the status; empty where none is written. */
  #sha: string
  /** `undefined` where no comment is written. */
  #place: CommentPlace | undefined
  /** What the post step writes if this step is killed. */
  #ifKilled: Entry | undefined
  /** The parts that may exist on GitHub, and must be finished. */
  readonly #begun = new Set<PendingPart>()
  /** Entries are written one after another. */
  #queue: Promise<unknown> = Promise.resolve()

  constructor(trigger: Trigger, run: Run) {
    this.#run = run
    this.#trigger = trigger
    const { event } = trigger
    const hasStatus = hasStatusRecord(event, run) && !run.inputs['dry-run']
    this.#sha = hasStatus ? statusCommit(event, run.environment) : ''
    const thread = threadOf(trigger, run)
    this.#place = thread && {
      thread,
      mayExist: trigger.command === undefined || isRerun(run.environment),
    }
  }

  /** Reacts to the comment of a command. */
  async react(content: Parameters<typeof react>[2]): Promise<void> {
    const { command } = this.#trigger
    if (command?.kind === 'comment' && this.#place !== undefined)
      await react(this.#run.github, command.source, content)
  }

  /** Takes over the records of earlier attempts and runs. */
  continue({ trigger, earlier }: Pick<Situation, 'trigger' | 'earlier'>): void {
    const { attempt, reply, earlierJob, lastJob } = earlier
    this.#trigger = trigger
    this.#facts = { earlierJob, lastJob }
    this.#place &&= { ...this.#place, ref: reply }
    if (attempt.kind === 'job') this.#job = attempt.job
    // With `job-id`, the job has a name, whatever the earlier attempt has left.
    this.#isUnclear = attempt.kind === 'unclear' && this.#run.inputs['job-id'] === ''
  }

  /**
   * Leaves the records of earlier runs and attempts as they are, because this one doesn't start a job. A comment that an
   * earlier attempt never finished ends with this one's error.
   */
  leave(): void {
    this.#sha = ''
    if (isRerun(this.#run.environment) && !this.#isUnclear) this.#place = undefined
  }

  /**
   * Records that a job is about to be started or sent a message.
   *
   * @throws {NeededCallError} if that can't be written
   */
  async begin(): Promise<void> {
    // The job of an earlier attempt has ended.
    this.#job = undefined
    const written = await this.#show('starting')
    const { command } = this.#trigger
    const call = command ? writeCall(command.source.thread) : SET_STATUS
    const isNeeded = command !== undefined || this.#run.inputs['follow-up']
    if (!written.known && isNeeded) throw new NeededCallError(call, written.error)
    // From now on, a job may have been started if this step is killed.
    const headline = `Interrupted before ${this.#run.mintlify} answered`
    const text = interruptedBody(this.#trigger, undefined, this.#run)
    this.#ifKilled = { state: 'error', headline, text }
    this.#savePending()
  }

  /** Names the accepted job. */
  async accepted(job: AcceptedJob): Promise<void> {
    // While an update runs, Mintlify doesn't name its pull request, which an earlier run may have recorded.
    const before = [this.#job, this.#facts.earlierJob].find((one) => one?.id === job.id)
    this.#job = { ...job, prLink: job.prLink || (before?.prLink ?? '') }
    await this.#show(job.kind)
  }

  /** Shows how the run ended, or more of a result that is shown already. What fails is left to the post step. */
  async end(report: Report, hasNote: boolean): Promise<void> {
    await this.#write(this.#endEntry(report, hasNote))
  }

  /** Lets the post step show how the run ended if this step is killed before it does so itself. */
  prepareEnd(report: Report): void {
    this.#ifKilled = this.#endEntry(report, false)
    this.#savePending()
  }

  #endEntry(report: Report, hasNote: boolean): Entry {
    const { state, prLink, result } = report
    const { number } = parsePullRequest(prLink)
    const isReady = result === 'pull-request' && number !== ''
    const headline = isReady ? `Pull request #${number}` : report.headline
    if (this.#job !== undefined && prLink !== '') this.#job = { ...this.#job, prLink }
    const text = endBody(this.#trigger, report, hasNote, this.#run)
    return { state: this.#isUnclear ? 'error' : state, headline, text }
  }

  /** Answers a command that is skipped. */
  async answer({ answer, reason, advice = '' }: Skip): Promise<void> {
    if (answer === undefined) return
    if (answer === '-1' || answer === 'confused') return await this.react(answer)
    if (answer === 'usage') await this.react('eyes')
    const text =
      answer === 'usage'
        ? usageBody(this.#run)
        : skippedBody(this.#trigger, reason, advice, this.#run)
    await this.#write({ state: 'failure', headline: '', text })
  }

  /**
   * Moves the record, if there is one, to this commit, because the changes don't need docs. The status names no job, and
   * carries on the previous record.
   */
  async settle({ reason }: Skip): Promise<void> {
    const { lastJob } = this.#facts
    // The changes of a failed job aren't in the docs yet. An older run that is run again doesn't move the record back.
    if (!lastJob || lastJob.isNewer) return
    this.#job = undefined
    // A skipped run writes no comment.
    this.#place = undefined
    await this.#write({ state: 'success', headline: `Skipped: ${reason}`, text: md`` })
  }

  async #show(stage: Stage): Promise<Lookup<unknown>> {
    const { id = '' } = this.#job ?? {}
    const ifKilled: Entry = {
      state: 'failure',
      headline: `Interrupted, ${id === '' ? 'no job was started' : 'the job is still running'}`,
      text: interruptedBody(this.#trigger, id, this.#run),
    }
    const headline = stage === 'starting' ? 'Starting' : STAGES[stage]
    const working = workingBody(this.#trigger, stage, this.#run)
    return await this.#write({ state: 'pending', headline, text: working }, ifKilled)
  }

  /**
   * Writes an entry in the status and the comment.
   *
   * @param ifKilled what the post step writes if this step is killed; the same entry if it is the last one
   * @returns whether the record is written: the reply or the status
   */
  async #write(entry: Entry, ifKilled = entry): Promise<Lookup<unknown>> {
    this.#ifKilled = ifKilled
    this.#savePending()
    const isLast = entry === ifKilled
    const written = this.#queue.then(() =>
      Promise.all([this.#writeStatus(entry), this.#writeComment(entry, isLast)]),
    )
    this.#queue = written
    const [status, comment] = await written
    return this.#trigger.command === undefined ? status : comment
  }

  #savePending(): void {
    if (this.#ifKilled === undefined) return
    const { state, text } = this.#ifKilled
    if (this.#sha !== '') this.#run.setPending('status', this.#status(this.#ifKilled))
    if (this.#place === undefined) return
    const pending: PendingComment = {
      ...this.#place,
      mayExist: true,
      marker: this.#marker(state),
      text: this.#run.redact(text.source),
    }
    this.#run.setPending('comment', pending)
  }

  async #writeStatus(entry: Entry): Promise<Lookup<unknown>> {
    if (this.#sha === '') return NOT_FOUND
    const write = () => setStatus(this.#status(entry), this.#run)
    return this.#afterWrite(
      'status',
      await this.#send('status', SET_STATUS, entry, write),
      entry,
      SET_STATUS,
    )
  }

  async #writeComment(entry: Entry, isLast: boolean): Promise<Lookup<unknown>> {
    const place = this.#place
    if (place === undefined) return NOT_FOUND
    const draft = { marker: this.#marker(entry.state), text: entry.text }
    const call = writeCall(place.thread)
    // A try that failed may have written it.
    let { mayExist } = place
    const written = await this.#send('comment', call, entry, async () => {
      const now = { ...place, mayExist }
      mayExist = true
      return await writeComment(now, draft, isLast, this.#run)
    })
    this.#place = { ...place, mayExist: true, ...(written.known && { ref: written.value }) }
    if (written.known && !isLast) this.#savePending()
    return this.#afterWrite('comment', written, entry, call)
  }

  /** Sends a write; the first one of the record for longer, because nothing is started without it. */
  async #send<T>(
    part: PendingPart,
    call: GitHubCall,
    entry: Entry,
    write: () => Promise<T>,
  ): Promise<Lookup<T>> {
    const { github } = this.#run
    if (!this.#isNeeded(part, entry)) return await github.attempt(write, call.permission)
    try {
      return { known: true, value: await github.need(call, write) }
    } catch (error) {
      if (error instanceof NeededCallError) return failedLookup(error.cause)
      throw error
    }
  }

  /** Whether nothing is started if a write fails: the first one of a command's reply, otherwise of the status. */
  #isNeeded(part: PendingPart, { state }: Entry): boolean {
    const { command } = this.#trigger
    const isRecord = (part === 'comment') === (command !== undefined)
    const isFirst = this.#job === undefined && state === 'pending'
    return isRecord && isFirst && (command !== undefined || this.#run.inputs['follow-up'])
  }

  /** Stops writing a part whose first write was rejected permanently. A failure that may pass is left to the post step. */
  #afterWrite(
    part: PendingPart,
    written: Lookup<unknown>,
    entry: Entry,
    call: GitHubCall,
  ): Lookup<unknown> {
    const { github, log } = this.#run
    if (written.known || !github.isRefusedForGood(written.error, call.permission))
      this.#begun.add(part)
    const isNeverWritten = !this.#begun.has(part)
    if (isNeverWritten || (written.known && entry.state !== 'pending'))
      this.#run.setPending(part, undefined)
    if (!written.known && !this.#isNeeded(part, entry)) {
      if (isNeverWritten || entry.state === 'pending') github.report(written.error, call)
      else log.info(`Could not ${call.purpose}: ${written.why}. The post step tries again.`)
    }
    if (isNeverWritten) {
      if (part === 'status') this.#sha = ''
      else this.#place = undefined
    }
    return written
  }

  #marker(state: RecordMarker['state']): RecordMarker {
    const { command } = this.#trigger
    const { id = '', prLink = '', recordedAtMs = 0 } = this.#job ?? {}
    return {
      ...markerKeys(command, this.#run),
      kind: command === undefined ? 'status' : 'reply',
      state,
      job: id,
      pull: prLink.length > MAX_LINK_LENGTH ? '' : prLink,
      recordedAt: recordedAtMs,
    }
  }

  /** Makes the status. Its state is always `success`, because it is a record and must not hold up a deployment. */
  #status({ state, headline }: Entry): NewStatus {
    const { github, redact } = this.#run
    const { event } = this.#trigger
    return {
      ...github.repository,
      sha: this.#sha,
      context: statusName(event, this.#run),
      state: 'success',
      description: statusDescription(redact(headline)),
      target_url: statusTarget({ state, job: this.#job }, this.#facts, event, this.#run) || null,
    }
  }
}

function writeCall(thread: Thread): GitHubCall {
  return { purpose: 'write the comment', permission: writePermission(thread) }
}

/** Returns the thread of a command's reply, otherwise of the status comment on a pull request, if it is wanted. */
function threadOf({ event, command }: Trigger, { inputs }: Run): Thread | undefined {
  if (!canWriteComments(inputs)) return undefined
  if (command !== undefined) return command.source.thread
  const number = event.payload.pull_request?.number
  const isWanted = inputs.comment === 'always' && isOfPullRequest(event) && number != null
  return isWanted ? pullRequestThread(number) : undefined
}
