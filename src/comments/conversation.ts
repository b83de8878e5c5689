import type { GitHubEvent } from '../events/event-table.ts'
import { mayWrite, type Trigger } from '../events/trigger.ts'
import type { Known } from '../github/client.ts'
import {
  type CommandSource,
  pullRequestThread,
  type ReactionContent,
  react,
  type Thread,
} from '../github/comments.ts'
import { numberOfOwnPullRequest } from '../github/pull-requests.ts'
import type { Inputs } from '../inputs/table.ts'
import { MAX_LINK_LENGTH, type Markdown } from '../lib/markdown.ts'
import type { EarlierJob } from '../memory/find.ts'
import { isRerun, stepNames } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import {
  announcementBody,
  type Ending,
  endBody,
  interruptedBody,
  isExpected,
  type Stage,
  type Subject,
  usageBody,
  workingBody,
} from './bodies.ts'
import { finishReaction, LiveComment } from './live-comment.ts'
import { hashProject, type Marker } from './marker.ts'
import { OwnComments, type Place } from './own-comments.ts'

/**
 * What a run says on GitHub while its job goes on: in a reply, in a status comment, or nowhere. Never fails for what
 * GitHub does.
 */
export class Conversation {
  readonly #run: Run
  readonly #subject: Subject
  readonly #own: OwnComments
  /** The command that is answered, if one is. */
  readonly #source: CommandSource | undefined
  #marker: Marker
  #isNewJob = false
  /** `undefined` where none is wanted, or it must be left as it is. */
  #comment: LiveComment | undefined
  /**
   * The job that the run is to go on with: for a command the one that an earlier attempt started, else its
   * conversation's; for a status comment the former alone.
   */
  earlier: Known<EarlierJob | undefined> = { known: true, value: undefined }

  constructor(trigger: Trigger, run: Run) {
    this.#run = run
    this.#subject = { trigger, run }
    this.#own = new OwnComments(run)
    this.#source = mayWrite(run.inputs) ? trigger.command?.source : undefined
    this.#marker = markerOf(trigger, run)
  }

  /** 👀 at once, then the comment, then the search for the earlier job; on a re-run the search comes first. */
  async start(): Promise<void> {
    const { inputs, environment, github } = this.#run
    const { command, event } = this.#subject.trigger
    const writes = mayWrite(inputs)
    const thread = command?.source.thread ?? (writes ? statusThread(event, inputs) : undefined)
    if (thread === undefined) return
    if (this.#source !== undefined) {
      this.#run.setPending('reaction', { source: this.#source, content: 'confused' })
      await react(github, this.#source, 'eyes')
    }
    const mayResume = writes && isRerun(environment)
    if (writes && !mayResume) await this.#begin({ thread })
    const mayContinue = command?.fresh === false && inputs['follow-up'] && inputs['job-id'] === ''
    const found = await this.#own.find(thread, this.#marker, { mayResume, mayContinue })
    this.earlier = found.known ? { known: true, value: found.value.job } : found
    // A comment that can't be looked for is left: a second one, or one that no longer names its job, would be worse.
    if (!found.known || !mayResume) return
    const { ref, job } = found.value
    // The comment keeps the job that it has named, for the next re-run to find.
    if (job?.kind === 'resume') this.#name(job.id, job.prLink, job.namedAtMs)
    await this.#begin({ thread, ref })
  }

  /** Says that the service has accepted the job, or that the run waits for it. Resolves when that is written. */
  accepted(jobId: string, kind: Exclude<Stage, 'starting'>, prLink: string): Promise<void> {
    this.#isNewJob = kind === 'create'
    const earlier = this.earlier.known ? this.earlier.value : undefined
    const namedAt = earlier?.id === jobId ? earlier.namedAtMs : Math.round(this.#run.clock.now())
    this.#name(jobId, prLink, namedAt)
    return this.#show(kind)
  }

  /** Says how the run ended, announces its pull request, and gives the final reaction. Resolves when that is done. */
  async finish(ending: Ending): Promise<void> {
    // A job that was not accepted here is not named: a re-run would take it for that of this run.
    const canResume = this.#marker.job !== '' && this.#marker.job === ending.jobId
    if (canResume && ending.prLink !== '') this.#name(ending.jobId, ending.prLink)
    const isAnnounced = ending.result === 'pull-request' && (await this.#announce(ending.prLink))
    await this.#end(endBody(this.#subject, ending, { canResume, isAnnounced }), finalReaction(ending.result))
  }

  /** Answers a command without instructions, where there is no prompt either. */
  async explainUsage(): Promise<void> {
    if (this.#source === undefined) return
    const place = { thread: this.#source.thread, mayExist: isRerun(this.#run.environment) }
    this.#comment = new LiveComment(this.#run, place)
    await this.#end(usageBody(this.#subject), 'confused')
  }

  #name(job: string, prLink: string, namedAt = this.#marker.namedAt): void {
    const pull = prLink.length > MAX_LINK_LENGTH ? '' : prLink
    this.#marker = { ...this.#marker, job, pull, namedAt }
  }

  async #begin(place: Place): Promise<void> {
    this.#comment = new LiveComment(this.#run, place)
    await this.#show('starting')
  }

  async #show(stage: Stage): Promise<void> {
    const marker = this.#marker
    const ifKilled = { marker, text: interruptedBody(this.#subject, marker.job) }
    await this.#comment?.show({ marker, text: workingBody(this.#subject, stage) }, ifKilled)
  }

  async #end(text: Markdown, content: ReactionContent): Promise<void> {
    await this.#comment?.finish({ marker: this.#marker, text })
    if (this.#source !== undefined) await finishReaction(this.#run, { source: this.#source, content })
  }

  /**
   * Says on the agent's pull request in this repository what it came from, once for each job.
   *
   * @returns whether a command there, too, continues the job
   */
  async #announce(prLink: string): Promise<boolean> {
    const { inputs, github } = this.#run
    const { command } = this.#subject.trigger
    const number = numberOfOwnPullRequest(prLink, github)
    if (number === undefined || !mayWrite(inputs)) return false
    const marker: Marker = { ...this.#marker, kind: 'announcement', source: '' }
    const place = { thread: pullRequestThread(number), mayExist: !this.#isNewJob }
    const written = await this.#own.write(place, { marker, text: announcementBody(this.#subject) })
    if (typeof written !== 'object') return false
    this.#run.setOutputs({ 'comment-id': `${written.id}`, 'comment-url': written.url })
    return command !== undefined && inputs['follow-up'] && number !== command.source.thread.number
  }
}

/** The thread of the step's one comment on a pull request, where that is wanted. */
function statusThread({ name, payload }: GitHubEvent, inputs: Inputs): Thread | undefined {
  const isPull = name === 'pull_request' || name === 'pull_request_target'
  const number = payload.pull_request?.number
  return inputs.comment === 'always' && isPull && number != null ? pullRequestThread(number) : undefined
}

function finalReaction(result: string): ReactionContent {
  if (result === 'pull-request') return 'rocket'
  return isExpected(result) ? '+1' : 'confused'
}

function markerOf({ command }: Trigger, { inputs, environment }: Run): Marker {
  const { workflow, job, step } = stepNames(environment)
  return {
    kind: command === undefined ? 'status' : 'reply',
    job: '',
    pull: '',
    project: hashProject(inputs),
    step: `${workflow}/${job}/${step}`,
    run: environment.runId,
    attempt: environment.runAttempt,
    source: command === undefined ? '' : `${command.source.kind}/${command.source.id}`,
    namedAt: 0,
  }
}
