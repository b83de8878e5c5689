import type { GitHubEvent } from '../events/payload.ts'
import { mayWrite, type Trigger } from '../events/trigger.ts'
import type { Known } from '../github/client.ts'
import { pullRequestThread, type ReactionContent, react, type Thread } from '../github/comments.ts'
import { numberOfOwnPullRequest } from '../github/pull-requests.ts'
import type { Inputs } from '../inputs/table.ts'
import { MAX_LINK_LENGTH } from '../lib/markdown.ts'
import type { EarlierJob } from '../memory/find.ts'
import { isRerun, stepNames } from '../runner/environment.ts'
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
import { findJob } from './find-job.ts'
import { finishReaction, LiveComment } from './live-comment.ts'
import { hashProject, type Marker, withJobOf } from './marker.ts'
import { OwnComments } from './own-comments.ts'

/**
 * Starts what a run says on GitHub: answers the command or begins the status comment, as far as that is wanted, and
 * looks for the job that the run is to go on with. Never fails for what GitHub does.
 */
export async function startConversation(trigger: Trigger, run: Run): Promise<Conversation> {
  const conversation = new Conversation(trigger, run)
  await conversation.start()
  return conversation
}

/** Answers a command without instructions, where there is no prompt either. */
export async function explainUsage(trigger: Trigger, run: Run): Promise<void> {
  const { command } = trigger
  if (command === undefined || !mayWrite(run.inputs)) return
  const { source } = command
  const place = { thread: source.thread, mayExist: isRerun(run.environment) }
  const comment = new LiveComment(run, new OwnComments(run), place)
  await comment.finish({ marker: markerOf(trigger, run), text: usageBody({ trigger, run }) })
  await finishReaction(run, { source, content: 'confused' })
}

/** What a run says on GitHub while its job goes on: in a reply, in a status comment, or nowhere. */
export class Conversation {
  readonly #run: Run
  readonly #subject: Subject
  readonly #own: OwnComments
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
    this.#marker = markerOf(trigger, run)
  }

  /** 👀 at once, then the comment, then the search for the earlier job; on a re-run the search comes first. */
  async start(): Promise<void> {
    const { inputs, environment, github } = this.#run
    const { command, event } = this.#subject.trigger
    const writes = mayWrite(inputs)
    const thread = command?.source.thread ?? (writes ? statusThread(event, inputs) : undefined)
    if (thread === undefined) return
    const again = isRerun(environment)
    if (command !== undefined && writes) {
      this.#run.setPending('reaction', { source: command.source, content: 'confused' })
      await react(github, command.source, 'eyes')
    }
    if (writes && !again) {
      this.#comment = new LiveComment(this.#run, this.#own, { thread })
      await this.#show('starting')
    }
    const mayContinue = command?.fresh === false && inputs['follow-up'] && inputs['job-id'] === ''
    const search = { thread, marker: this.#marker, mayResume: writes && again, mayContinue }
    const found = await findJob(search, this.#own)
    this.earlier = found.known ? { known: true, value: found.value.job } : found
    // A comment that can't be looked for is left: a second one, or one that no longer names its job, would be worse.
    if (!found.known || !writes || !again) return
    const { comment } = found.value
    if (comment !== undefined) this.#marker = withJobOf(comment.marker, this.#marker)
    this.#comment = new LiveComment(this.#run, this.#own, { thread, ref: comment?.ref })
    await this.#show('starting')
  }

  /** Says that the service has accepted the job, or that the run waits for it. Resolves when that is written. */
  accepted(jobId: string, kind: Exclude<Stage, 'starting'>, prLink: string): Promise<void> {
    this.#isNewJob = kind === 'create'
    const earlier = this.earlier.known ? this.earlier.value : undefined
    const namedAt = earlier?.id === jobId ? earlier.namedAtMs : Math.round(this.#run.clock.now())
    this.#marker = { ...this.#marker, job: jobId, pull: pullOf(prLink), namedAt }
    return this.#show(kind)
  }

  /** Says how the run ended, announces its pull request, and gives the final reaction. Resolves when that is done. */
  async finish(ending: Ending): Promise<void> {
    const { command } = this.#subject.trigger
    // A job that was not accepted here is not named: a re-run would take it for that of this run.
    const canResume = this.#marker.job !== '' && this.#marker.job === ending.jobId
    if (canResume && ending.prLink !== '') this.#marker = { ...this.#marker, pull: pullOf(ending.prLink) }
    const isAnnounced = ending.result === 'pull-request' && (await this.#announce(ending.prLink))
    const text = endBody(this.#subject, ending, { canResume, isAnnounced })
    await this.#comment?.finish({ marker: this.#marker, text })
    if (command === undefined || !mayWrite(this.#run.inputs)) return
    await finishReaction(this.#run, { source: command.source, content: finalReaction(ending.result) })
  }

  async #show(stage: Stage): Promise<void> {
    const marker = this.#marker
    const ifKilled = { marker, text: interruptedBody(this.#subject, marker.job) }
    await this.#comment?.show({ marker, text: workingBody(this.#subject, stage) }, ifKilled)
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
    const draft = { marker, text: announcementBody(this.#subject) }
    const place = { thread: pullRequestThread(number), mayExist: !this.#isNewJob }
    const written = await this.#own.write(place, draft)
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
  return result === 'no-pull-request' || result === 'submitted' ? '+1' : 'confused'
}

function pullOf(prLink: string): string {
  return prLink.length > MAX_LINK_LENGTH ? '' : prLink
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
