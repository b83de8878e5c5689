import type { RunDeps } from '../github/github.ts'
import type { ReactionContent } from '../github/reactions.ts'
import type { JobResult, Outcome } from '../job/outcome.ts'
import { integerField } from '../lib/json.ts'
import { announce, threadHere } from './announce.ts'
import { type Beginning, beginReply, beginStatus } from './beginning.ts'
import { type CommentFrame, cutOffBody, endBody, workingBody } from './body.ts'
import { type CommentRequest, mayWrite } from './comment-request.ts'
import { frameOf } from './frame.ts'
import type { Session } from './session.ts'

/** Begins to talk: reacts to the command, looks for earlier jobs, and says what is being done, as far as that is wanted. */
export async function beginConversation(request: CommentRequest, context: RunDeps): Promise<Session> {
  const beginning = await beginningOf(request, context)
  const { comment } = beginning
  let { frame } = beginning
  let goesOn = request.inputs['job-id'] !== ''

  function show(jobId: string): void {
    frame = { ...frame, marker: { ...frame.marker, job: jobId } }
    comment?.show(workingBody(frame, goesOn ? 'going-on' : 'new'), cutOffBody(frame))
  }

  comment?.show(workingBody(frame, 'starting'), cutOffBody(frame))
  return {
    earlier: beginning.earlier,
    onEvent(event) {
      if (event.type === 'accepted') show(event.job.id)
      // A job that is only waited for is known to be there once it was seen.
      if (event.type === 'status' && frame.marker.job === '') show(event.id)
      if (event.type !== 'resolved') return
      goesOn = event.request.kind !== 'create'
      if (event.request.kind === 'attach') show(event.request.id)
    },
    async finish(outcome) {
      const announced = await announceEnd(outcome, { ...beginning, frame, request, context })
      const end = endBody(frame, outcome, {
        timeoutMs: request.inputs.timeout,
        projectId: request.inputs['project-id'],
        failOn: request.inputs['fail-on'],
        announced,
      })
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

async function beginningOf(request: CommentRequest, context: RunDeps): Promise<Beginning> {
  const { command, inputs, event } = request
  if (command !== undefined) return await beginReply({ ...request, command }, context)
  const number = pullNumberOf(request)
  const wanted = inputs.comment === 'always' && mayWrite(inputs) && event.name === 'pull_request'
  if (wanted && number !== undefined) return await beginStatus(request, number, context)
  const frame = frameOf(request, context.environment, 'announcement')
  return { frame, comment: undefined, earlier: undefined, self: undefined }
}

function pullNumberOf({ event, command }: CommentRequest): number | undefined {
  return command?.source.thread.number ?? integerField(event.payload['pull_request'], 'number')
}

function canGoOn(inputs: CommentRequest['inputs']): boolean {
  return inputs.command !== '' && inputs['follow-up']
}

type End = Pick<Beginning, 'self'> & {
  readonly frame: CommentFrame
  readonly request: CommentRequest
  readonly context: RunDeps
}

/** Announces on the agent's pull request how to go on there. Returns whether that can be read there. */
async function announceEnd({ result, job }: Outcome, end: End): Promise<boolean> {
  const { frame, request, context } = end
  const { inputs, command } = request
  const wanted = command !== undefined || inputs.comment === 'always'
  const thread = threadHere(job?.prLink ?? null, context.environment)
  if (!wanted || !mayWrite(inputs) || result !== 'pull-request' || thread === undefined) return false
  // Where nothing goes on, there is nothing to announce; and who asked on that very pull request knows.
  if (!canGoOn(inputs) || thread.number === pullNumberOf(request)) return false
  const comment = await announce(
    {
      frame: { ...frame, marker: { ...frame.marker, kind: 'announcement', job: job?.id ?? '', comment: '' } },
      origin: command?.source.url ?? '',
      thread,
      self: end.self,
    },
    context,
  )
  if (comment !== undefined) context.setOutputs({ 'comment-id': `${comment.id}`, 'comment-url': comment.url })
  return comment !== undefined
}
