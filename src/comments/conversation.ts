import type { ReactionContent } from '../github/reactions.ts'
import type { JobResult, Outcome } from '../job/outcome.ts'
import { integerField } from '../lib/json.ts'
import type { RunContext } from '../run-context.ts'
import { mayWrite, type Task } from '../trigger/task.ts'
import { announce, threadHere } from './announce.ts'
import { type Beginning, beginReply, beginStatus } from './beginning.ts'
import { type CommentFrame, cutOffBody, endBody, workingBody } from './body.ts'
import { frameOf } from './frame.ts'
import type { Talk } from './session.ts'

/** Begins to talk: reacts to the command, looks for earlier jobs, and says what is being done, as far as that is wanted. */
export async function beginConversation(task: Task, context: RunContext): Promise<Talk> {
  const beginning = await beginningOf(task, context)
  const { comment } = beginning
  let { frame } = beginning
  let goesOn = task.inputs.job.jobId !== ''

  function show(jobId: string): void {
    frame = { ...frame, marker: { ...frame.marker, job: jobId } }
    comment?.show(workingBody(frame, goesOn ? 'going-on' : 'new'), cutOffBody(frame))
  }

  comment?.show(workingBody(frame, 'starting'), cutOffBody(frame))
  return {
    earlier: beginning.earlier,
    tell(event) {
      if (event.type === 'accepted') show(event.job.id)
      // A job that is only waited for is known to be there once it was seen.
      if (event.type === 'status' && frame.marker.job === '') show(event.id)
      if (event.type !== 'settled') return
      goesOn = event.ask.kind !== 'create'
      if (event.ask.kind === 'attach') show(event.ask.id)
    },
    async finish(outcome) {
      const announced = await announceEnd(outcome, { ...beginning, frame, task, context })
      const end = endBody(frame, outcome, { timeoutMs: task.inputs.job.timeoutMs, announced })
      await comment?.finish(end, REACTIONS[outcome.result])
    },
  }
}

const REACTIONS: Readonly<Record<JobResult, ReactionContent>> = {
  'pull-request': 'rocket',
  'no-pull-request': '+1',
  submitted: '+1',
  failed: 'confused',
  archived: 'confused',
  'timed-out': 'confused',
  cancelled: 'confused',
  error: 'confused',
}

async function beginningOf(task: Task, context: RunContext): Promise<Beginning> {
  const { command, inputs, event } = task
  if (command !== undefined) return await beginReply({ ...task, command }, context)
  const number = pullNumberOf(task)
  const wanted = inputs.comments.comment === 'always' && mayWrite(inputs) && event.name === 'pull_request'
  if (wanted && number !== undefined) return await beginStatus(task, number, context)
  const frame = frameOf(task, context.environment, 'announcement')
  return { frame, comment: undefined, earlier: undefined, self: undefined }
}

function pullNumberOf({ event, command }: Task): number | undefined {
  return command?.comment.thread.number ?? integerField(event.payload['pull_request'], 'number')
}

function canGoOn({ comments }: Task['inputs']): boolean {
  return comments.command !== '' && comments.followUp
}

type End = Pick<Beginning, 'self'> & {
  readonly frame: CommentFrame
  readonly task: Task
  readonly context: RunContext
}

/** Announces on the agent's pull request how to go on there. Returns whether that can be read there. */
async function announceEnd({ result, job }: Outcome, end: End): Promise<boolean> {
  const { frame, task, context } = end
  const { inputs, command } = task
  const wanted = command !== undefined || inputs.comments.comment === 'always'
  const thread = threadHere(job?.prLink ?? null, context.environment)
  if (!wanted || !mayWrite(inputs) || result !== 'pull-request' || thread === undefined) return false
  // Where nothing goes on, there is nothing to announce; and who asked on that very pull request knows.
  if (!canGoOn(inputs) || thread.number === pullNumberOf(task)) return false
  const comment = await announce(
    {
      frame: { ...frame, marker: { ...frame.marker, kind: 'announcement', job: job?.id ?? '', comment: '' } },
      origin: command?.comment.url ?? '',
      thread,
      self: end.self,
    },
    context,
  )
  if (comment !== undefined) context.setOutputs({ 'comment-id': `${comment.id}`, 'comment-url': comment.url })
  return comment !== undefined
}
