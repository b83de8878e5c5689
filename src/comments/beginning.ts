import type { Account } from '../github/account.ts'
import { react } from '../github/reactions.ts'
import type { RunContext } from '../run-context.ts'
import type { Command } from '../trigger/command.ts'
import type { Thread } from '../trigger/comment-event.ts'
import { mayWrite, type Task } from '../trigger/task.ts'
import { type CommentFrame, cutOffBody, usageBody } from './body.ts'
import { frameOf } from './frame.ts'
import { type Answered, type LiveComment, openLiveComment } from './live-comment.ts'
import { isOfStep, latestJob, type OwnComment, ownComments } from './own-comments.ts'
import { saveWill } from './pending-comment.ts'
import type { Earlier } from './session.ts'

/** What is there when a run begins to talk. */
export type Beginning = {
  readonly frame: CommentFrame
  /** `undefined` where nothing is to be written. */
  readonly comment: LiveComment | undefined
  readonly earlier: Earlier | undefined
  /** The account that the token belongs to, if that is known by now. */
  readonly self: Account | undefined
}

type CommandTask = Task & { readonly command: Command }

/** Answers a command: 👀, then a look for the reply of an earlier attempt and for a job that may go on. */
export async function beginReply(task: CommandTask, context: RunContext): Promise<Beginning> {
  const { environment, github, redact } = context
  const { id: commentId, thread } = task.command.comment
  const frame = frameOf(task, environment, 'reply')
  const again = isFurtherAttempt(context)
  const writes = mayWrite(task.inputs)
  if (writes) {
    const reaction = { commentId, content: 'confused', before: 'all' } as const
    saveWill({ thread, comment: null, body: redact(cutOffBody(frame).source), reaction })
  }
  const eyes = writes ? await react(github, task.command.comment, 'eyes') : undefined
  const self = eyes?.by
  const own = again || mayContinue(task) ? await ownComments(github, thread, self) : []
  const reply = again ? replyIn(own, frame) : undefined
  const earlier =
    earlierAttempt(reply) ??
    (await earlierCommand(task, { own, frame, self, but: reply?.comment.id }, context))
  // What an earlier attempt gave in the end is replaced, too.
  const before = again ? 'all' : [eyes?.id ?? []].flat()
  const comment = writes
    ? openLiveComment({ thread, existing: reply?.comment, answered: { commentId, before } }, context)
    : undefined
  // From the first edit on, the reply must name the job that it was found by: this attempt may be cut off, too.
  const job = earlier?.kind === 'resume' ? earlier.id : ''
  return { frame: { ...frame, marker: { ...frame.marker, job } }, comment, earlier, self }
}

/** Answers a command that asks for nothing, in one go. */
export async function explainCommands(task: CommandTask, context: RunContext): Promise<void> {
  const { thread, id: commentId } = task.command.comment
  const frame = frameOf(task, context.environment, 'reply')
  const again = isFurtherAttempt(context)
  const own = again ? await ownComments(context.github, thread) : []
  const existing = replyIn(own, frame)?.comment
  const answered: Answered = { commentId, before: again ? 'all' : [] }
  await openLiveComment({ thread, existing, answered }, context).finish(usageBody(frame), 'confused')
}

/** Begins, or begins again, the one comment of this step on a pull request. */
export async function beginStatus(task: Task, number: number, context: RunContext): Promise<Beginning> {
  const { environment, github } = context
  const frame = frameOf(task, environment, 'status')
  const thread: Thread = { kind: 'main', number, isPull: true, rootId: 0 }
  const own = await ownComments(github, thread)
  const existing = own.find((one) => one.marker.kind === 'status' && isOfStep(one, frame.marker))?.comment
  const comment = openLiveComment({ thread, existing, answered: undefined }, context)
  return { frame, comment, earlier: undefined, self: undefined }
}

/** Whether this run has been started anew by hand. */
function isFurtherAttempt({ environment }: Pick<RunContext, 'environment'>): boolean {
  return Number(environment.runAttempt) > 1
}

/** The reply of an earlier attempt of this run. */
function replyIn(own: readonly OwnComment[], { marker }: CommentFrame): OwnComment | undefined {
  return own.findLast(
    (one) =>
      one.marker.kind === 'reply' &&
      isOfStep(one, marker) &&
      one.marker.run === marker.run &&
      one.marker.comment === marker.comment,
  )
}

function mayContinue({ command, inputs }: CommandTask): boolean {
  return inputs.comments.followUp && !command.fresh && inputs.job.jobId === ''
}

function earlierAttempt(reply: OwnComment | undefined): Earlier | undefined {
  const id = reply?.marker.job ?? ''
  return id === '' ? undefined : { kind: 'resume', id }
}

type Found = {
  readonly own: readonly OwnComment[]
  readonly frame: CommentFrame
  readonly self: Account | undefined
  /** Id of a reply that does not count. */
  readonly but: number | undefined
}

async function earlierCommand(
  task: CommandTask,
  { own, frame, self, but }: Found,
  { github }: RunContext,
): Promise<Earlier | undefined> {
  if (!mayContinue(task)) return undefined
  const { thread } = task.command.comment
  const here = latestJob(own, frame.marker, but)
  if (here !== undefined) return { kind: 'continue', id: here }
  if (thread.kind === 'main') return undefined
  // A thread that begins on the agent's own pull request is about its job all the same.
  const main = await ownComments(github, { ...thread, kind: 'main', rootId: 0 }, self)
  const id = latestJob(
    main.filter((one) => one.marker.kind === 'announcement'),
    frame.marker,
  )
  return id === undefined ? undefined : { kind: 'continue', id }
}
