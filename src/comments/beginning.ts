import type { Account } from '../github/account.ts'
import type { RunDeps } from '../github/github.ts'
import { react } from '../github/reactions.ts'
import type { Thread } from '../github/thread.ts'
import type { Command } from '../trigger/command.ts'
import { type CommentFrame, cutOffBody, usageBody } from './body.ts'
import { type CommentRequest, mayWrite } from './comment-request.ts'
import { frameOf } from './frame.ts'
import { type Answered, type LiveComment, openLiveComment } from './live-comment.ts'
import { isOfStep, latestJob, type OwnComment, ownComments } from './own-comments.ts'
import { savePendingComment } from './pending-comment.ts'
import type { EarlierJob } from './session.ts'

/** What is there when a run begins to talk. */
export type Beginning = {
  readonly frame: CommentFrame
  /** `undefined` where nothing is to be written. */
  readonly comment: LiveComment | undefined
  readonly earlier: EarlierJob | undefined
  /** The account that the token belongs to, if that is known by now. */
  readonly self: Account | undefined
}

type CommandRequest = CommentRequest & { readonly command: Command }

/** Answers a command: 👀, then a look for the reply of an earlier attempt and for a job that may go on. */
export async function beginReply(request: CommandRequest, context: RunDeps): Promise<Beginning> {
  const { environment, github, redact } = context
  const { id: commentId, thread } = request.command.source
  const frame = frameOf(request, environment, 'reply')
  const again = isFurtherAttempt(context)
  const writes = mayWrite(request.inputs)
  if (writes) {
    const reaction = { commentId, content: 'confused', before: 'all' } as const
    savePendingComment({ thread, comment: null, body: redact(cutOffBody(frame).source), reaction }, context)
  }
  const eyes = writes ? await react(github, request.command.source, 'eyes') : undefined
  const self = eyes?.by
  const own = again || mayContinue(request) ? await ownComments(github, thread, self) : []
  const reply = again ? replyIn(own, frame) : undefined
  const earlier =
    earlierAttempt(reply) ??
    (await earlierCommand(request, { own, frame, self, but: reply?.comment.id }, context))
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
export async function explainCommands(request: CommandRequest, context: RunDeps): Promise<void> {
  const { thread, id: commentId } = request.command.source
  const frame = frameOf(request, context.environment, 'reply')
  const again = isFurtherAttempt(context)
  const own = again ? await ownComments(context.github, thread) : []
  const existing = replyIn(own, frame)?.comment
  const answered: Answered = { commentId, before: again ? 'all' : [] }
  await openLiveComment({ thread, existing, answered }, context).finish(usageBody(frame), 'confused')
}

/** Begins, or begins again, the one comment of this step on a pull request. */
export async function beginStatus(
  request: CommentRequest,
  number: number,
  context: RunDeps,
): Promise<Beginning> {
  const { environment, github } = context
  const frame = frameOf(request, environment, 'status')
  const thread: Thread = { kind: 'main', number, isPull: true, rootId: 0 }
  const own = await ownComments(github, thread)
  const existing = own.find((one) => one.marker.kind === 'status' && isOfStep(one, frame.marker))?.comment
  const comment = openLiveComment({ thread, existing, answered: undefined }, context)
  return { frame, comment, earlier: undefined, self: undefined }
}

/** Whether this run has been started anew by hand. */
function isFurtherAttempt({ environment }: Pick<RunDeps, 'environment'>): boolean {
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

function mayContinue({ command, inputs }: CommandRequest): boolean {
  return inputs['follow-up'] && !command.fresh && inputs['job-id'] === ''
}

function earlierAttempt(reply: OwnComment | undefined): EarlierJob | undefined {
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
  request: CommandRequest,
  { own, frame, self, but }: Found,
  { github }: RunDeps,
): Promise<EarlierJob | undefined> {
  if (!mayContinue(request)) return undefined
  const { thread } = request.command.source
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
